//! Annotations on lines of code, for check runs and the log of a job.

use super::markdown::escape_and_truncate;
use crate::github::data::GitHubReport;
use crate::github::data::outcome::SearchOutcome;
use crate::github::data::replacement::Replacement;
use crate::github::texts::titles::format_check_title;

/// Maximum number of annotations of a check run. The patch shows the rest.
pub const MAX_ANNOTATIONS: usize = 200;

/// Maximum message length in characters. GitHub accepts 64 KB, and a character has up to four bytes.
const MAX_MESSAGE_CHARS: usize = 16_000;

/// Plain-text annotation of lines in a file of the failing version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailureAnnotation {
    /// Path of the file.
    pub path: String,
    /// First line, from 1.
    pub first_line: usize,
    /// Last line.
    pub last_line: usize,
    /// Title, on one line.
    pub title: String,
    /// Message that shows the replacement of the lines.
    pub message: String,
}

/// Returns the annotations of a report, on the lines that its fix changes.
pub fn fix_annotations(
    report: &GitHubReport,
    replacements: &[Replacement],
) -> Vec<FailureAnnotation> {
    if report.outcome != SearchOutcome::Found {
        return Vec::new();
    }
    let title = format_check_title(report);
    let annotation_of = |replacement: &Replacement| FailureAnnotation {
        path: replacement.path.clone(),
        first_line: replacement.first_line,
        last_line: replacement.last_line,
        title: title.clone(),
        message: annotation_message(report, replacement),
    };
    replacements.iter().map(annotation_of).collect()
}

fn annotation_message(report: &GitHubReport, replacement: &Replacement) -> String {
    let rationale = report.fix.as_ref().and_then(|mending| mending.rationale());
    let rationale = rationale.map_or(String::new(), |rationale| format!("{rationale}\n"));
    let text = replacement.text.trim_end();
    let instruction = if text.trim().is_empty() {
        "Delete these lines.".to_owned()
    } else {
        format!("Replace with:\n{text}")
    };
    escape_and_truncate(&format!("{rationale}{instruction}"), MAX_MESSAGE_CHARS)
}

/// Formats an annotation as a workflow command, which the runner reads in the log of a job. Characters that could end
/// the command or one of its values are escaped as in the runner's own library.
pub fn format_workflow_command(annotation: &FailureAnnotation) -> String {
    let escape_property =
        |text: &str| escape_workflow_data(text).replace(':', "%3A").replace(',', "%2C");
    format!(
        "::error file={},line={},endLine={},title={}::{}",
        escape_property(&annotation.path),
        annotation.first_line,
        annotation.last_line,
        escape_property(&annotation.title),
        escape_workflow_data(&annotation.message)
    )
}

fn escape_workflow_data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::github::testing::sample_report;

    fn sample_replacement(path: &str) -> Replacement {
        Replacement {
            path: path.to_owned(),
            first_line: 41,
            last_line: 42,
            text: "  a;\n".to_owned(),
        }
    }

    #[test]
    fn annotation_shows_the_replacement_of_its_lines() {
        let annotations = fix_annotations(&sample_report(), &[sample_replacement("src/Till.java")]);
        assert_eq!(annotations.len(), 1);
        assert_eq!(annotations[0].message, "Replace with:\n  a;");
        assert!(
            fix_annotations(
                &GitHubReport { outcome: SearchOutcome::Flaky, ..sample_report() },
                &[sample_replacement("x")]
            )
            .is_empty()
        );
    }

    #[test]
    fn annotation_respects_github_length_limits() {
        let long = Replacement {
            text: "\u{1f9c1}\u{200b}".repeat(50_000),
            ..sample_replacement("A.java")
        };
        let annotations = fix_annotations(&sample_report(), &[long]);
        assert!(annotations[0].message.len() <= 64 << 10 && annotations[0].message.ends_with('…'));
        assert!(annotations[0].title.chars().count() <= 255);
    }

    #[test]
    fn file_name_cannot_end_a_workflow_command() {
        let mut annotations = fix_annotations(
            &sample_report(),
            &[sample_replacement("a,line=1::b\n::set-output name=x::y")],
        );
        annotations[0].title = "t:%,\r".to_owned();
        assert_eq!(
            format_workflow_command(&annotations[0]),
            "::error file=a%2Cline=1%3A%3Ab%0A%3A%3Aset-output name=x%3A%3Ay,line=41,endLine=42,\
             title=t%3A%25%2C%0D::Replace with:%0A  a;"
        );
    }
}
