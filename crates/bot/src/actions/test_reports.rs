//! Failing tests from the `JUnit` XML reports of Maven and Gradle. Untrusted code wrote the reports, so their number and
//! size are limited, and a broken report is skipped.

use super::report_folder::{ReportFolder, is_in_standard_report_folder};
use mend_model::{Problem, Result, Selector};
use regex::Regex;
use roxmltree::{Document, Node};
use std::collections::BTreeSet;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// Maximum size of a report, in bytes. Reports contain the output of tests.
const MAX_REPORT_BYTES: u64 = 64 << 20;

/// Maximum number of reports to read.
const MAX_REPORTS: usize = 20_000;

/// Content of the test reports of a build.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TestReports {
    /// Number of reports.
    pub report_count: usize,
    /// Paths of reports that could not be read.
    pub unreadable: Vec<PathBuf>,
    /// Number of tests in the reports.
    pub test_count: usize,
    /// Failed tests: `pkg.Class#method`, or `pkg.Class` if the class as a whole failed.
    pub failed_tests: Vec<String>,
}

/// Reads every test report below a folder: those in the standard folders of Maven and Gradle, and in further ones.
///
/// # Errors
/// [`Problem::Usage`] if there are more reports than any build writes.
pub fn read_reports(root: &Path, further_folders: &[ReportFolder]) -> Result<TestReports> {
    let mut paths: Vec<PathBuf> = walkdir::WalkDir::new(root)
        .into_iter()
        .filter_entry(|entry| entry.file_name() != ".git")
        .flatten()
        .filter(|entry| entry.file_type().is_file())
        .map(walkdir::DirEntry::into_path)
        .filter(|path| path.strip_prefix(root).is_ok_and(|path| is_report(path, further_folders)))
        .collect();
    paths.sort();
    if paths.len() > MAX_REPORTS {
        return Err(Problem::Usage {
            message: format!("too many test reports: {} below {}", paths.len(), root.display()),
            remedy: "name the failing tests with --test".to_owned(),
        });
    }
    let (mut reports, mut failed) = (TestReports::default(), BTreeSet::new());
    for path in paths {
        match read_report(&path).as_deref().and_then(|text| parse_report(text, &mut failed)) {
            Some(tests) => {
                reports.report_count += 1;
                reports.test_count += tests;
            }
            None => reports.unreadable.push(path),
        }
    }
    reports.failed_tests = failed.into_iter().collect();
    Ok(reports)
}

/// Returns true for paths such as `target/surefire-reports/TEST-x.xml` and `build/test-results/test/TEST-x.xml`.
fn is_report(path: &Path, further_folders: &[ReportFolder]) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let is_in_report_folder = is_in_standard_report_folder(path)
        || further_folders.iter().any(|folder| folder.contains(path));
    name.starts_with("TEST-") && name.ends_with(".xml") && is_in_report_folder
}

fn read_report(path: &Path) -> Option<String> {
    let mut text = String::new();
    let file = std::fs::File::open(path).ok()?;
    file.take(MAX_REPORT_BYTES).read_to_string(&mut text).ok()?;
    Some(text)
}

/// Counts the tests of a report and adds its failing tests to `failed`.
fn parse_report(text: &str, failed: &mut BTreeSet<String>) -> Option<usize> {
    let document = Document::parse(text).ok()?;
    let cases = document.descendants().filter(|node| node.has_tag_name("testcase"));
    let mut count = 0;
    for case in cases {
        count += 1;
        let is_failure =
            |child: Node<'_, '_>| child.has_tag_name("failure") || child.has_tag_name("error");
        if case.children().any(is_failure) {
            failed.extend(selector(case));
        }
    }
    Some(count)
}

/// Returns the selector of a test case, without parameters and display names. A case without a method name selects its
/// class.
fn selector(case: Node<'_, '_>) -> Option<String> {
    static METHOD_NAME: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^([\p{L}_$][\p{L}\p{N}_$]*)(?:[(\[{].*)?$")
            .unwrap_or_else(|_| unreachable!("a constant pattern"))
    });
    static CLASS_NAME: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^[\p{L}_$][\p{L}\p{N}_$]*(?:\.[\p{L}_$][\p{L}\p{N}_$]*)*$")
            .unwrap_or_else(|_| unreachable!("a constant pattern"))
    });
    let class = case.attribute("classname").filter(|class| CLASS_NAME.is_match(class))?;
    // The enclosing class selects a nested class.
    let class = class.split_once('$').map_or(class, |(outer, _)| outer);
    let is_nested = case.attribute("classname").is_some_and(|name| name.contains('$'));
    let method = case.attribute("name").and_then(|name| METHOD_NAME.captures(name));
    let method = method.and_then(|found| found.get(1)).map(|found| found.as_str());
    let text = match method {
        Some(method) if !is_nested && method != class.rsplit('.').next()? => {
            format!("{class}#{method}")
        }
        _ => class.to_owned(),
    };
    text.parse::<Selector>().is_ok().then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_failed(cases: &str) -> Vec<String> {
        let mut failed = BTreeSet::new();
        parse_report(&format!("<testsuite>{cases}</testsuite>"), &mut failed).unwrap();
        failed.into_iter().collect()
    }

    fn failed_case(class: &str, name: &str) -> String {
        format!("<testcase classname='{class}' name='{name}'><failure>x</failure></testcase>")
    }

    #[test]
    fn only_failures_and_errors_are_read() {
        let cases = "<testcase classname='a.B' name='c'><failure/></testcase>\
            <testcase classname='a.B' name='d'><error/></testcase><testcase classname='a.B' name='e'/>\
            <testcase classname='a.B' name='f'><skipped/></testcase>";
        assert_eq!(parse_failed(cases), ["a.B#c", "a.B#d"]);
    }

    #[test]
    fn parameters_and_display_names_are_omitted() {
        for (name, wanted) in [
            ("sum(int)[1]", "a.B#sum"),
            ("sum[2]", "a.B#sum"),
            ("sum()", "a.B#sum"),
            ("sum{int}[1] 3", "a.B#sum"),
            ("[1] 3, 4", "a.B"),
            ("adds two numbers", "a.B"),
            ("B", "a.B"),
            ("", "a.B"),
        ] {
            assert_eq!(parse_failed(&failed_case("a.B", name)), [wanted], "{name}");
        }
        assert_eq!(parse_failed(&failed_case("a.B$C", "sum")), ["a.B"]);
    }

    #[test]
    fn invalid_class_name_is_omitted() {
        for class in ["", "$(rm -rf ~)", "a b", "-x", "a..B", "../B"] {
            assert!(parse_failed(&failed_case(class, "c")).is_empty(), "{class}");
        }
    }

    #[test]
    fn report_is_an_xml_file_in_a_report_folder() {
        let further = [ReportFolder::new(Path::new("/r"), Path::new("out/junit")).unwrap()];
        for path in ["core/target/surefire-reports/TEST-a.xml", "app/out/junit/it/TEST-a.xml"] {
            assert!(is_report(Path::new(path), &further), "{path}");
        }
        for path in [
            "TEST-a.xml",
            "out/TEST-a.xml",
            "target/surefire-reports/a.xml",
            "out/junit/TEST-a.txt",
        ] {
            assert!(!is_report(Path::new(path), &further), "{path}");
        }
        assert!(!is_report(Path::new("out/junit/TEST-a.xml"), &[]));
    }

    #[test]
    fn unreadable_report_is_skipped_and_named() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("target/surefire-reports");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("TEST-a.xml"), "<testsuite>").unwrap();
        let bomb = "<!DOCTYPE x [<!ENTITY a \"aaaa\">]><testsuite>&a;</testsuite>";
        std::fs::write(folder.join("TEST-b.xml"), bomb).unwrap();
        std::fs::write(
            folder.join("TEST-c.xml"),
            format!("<testsuite>{}</testsuite>", failed_case("a.B", "c")),
        )
        .unwrap();
        let reports = read_reports(dir.path(), &[]).unwrap();
        assert_eq!((reports.report_count, reports.unreadable.len(), reports.test_count), (1, 2, 1));
        assert_eq!(reports.failed_tests, ["a.B#c"]);
    }
}
