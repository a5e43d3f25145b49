//! Annotations on lines: for check runs and for the log of a job.

use super::markdown::escape_and_truncate;
use crate::github::data::GitHubReport;
use crate::github::data::outcome::SearchOutcome;
use crate::github::data::replacement::Replacement;
use crate::github::texts::titles::check_title;

/// Maximum number of annotations of a check run. The patch shows the rest.
pub const MOST_REMARKS: usize = 200;

/// Maximum message length in characters. GitHub accepts 64 KB, and a character has up to four bytes.
const MOST_MESSAGE: usize = 16_000;

/// Annotation of lines of a file of the failing version: plain text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailureAnnotation {
    /// The file.
    pub path: String,
    /// The first line, from 1.
    pub first: usize,
    /// The last line.
    pub last: usize,
    /// One line.
    pub title: String,
    /// The replacement for these lines.
    pub message: String,
}

/// Returns the annotations of a story, on the lines that its fix changes.
pub fn remarks(story: &GitHubReport, replacements: &[Replacement]) -> Vec<FailureAnnotation> {
    if story.outcome != SearchOutcome::Found {
        return Vec::new();
    }
    let title = check_title(story);
    let remark = |one: &Replacement| FailureAnnotation {
        path: one.path.clone(),
        first: one.first,
        last: one.last,
        title: title.clone(),
        message: message(story, one),
    };
    replacements.iter().map(remark).collect()
}

fn message(story: &GitHubReport, one: &Replacement) -> String {
    let why = story.mending.as_ref().and_then(|mending| mending.rationale());
    let why = why.map_or(String::new(), |why| format!("{why}\n"));
    let text = one.text.trim_end();
    let todo = if text.trim().is_empty() {
        "Delete these lines.".to_owned()
    } else {
        format!("Replace with:\n{text}")
    };
    escape_and_truncate(&format!("{why}{todo}"), MOST_MESSAGE)
}

/// Formats an annotation as a workflow command, which the runner reads in the log of a job. Characters that could end
/// the command or one of its values are escaped as in the runner's own library.
pub fn workflow_command(remark: &FailureAnnotation) -> String {
    let value = |text: &str| data(text).replace(':', "%3A").replace(',', "%2C");
    format!(
        "::error file={},line={},endLine={},title={}::{}",
        value(&remark.path),
        remark.first,
        remark.last,
        value(&remark.title),
        data(&remark.message)
    )
}

fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::github::testing::story;

    fn replacement(path: &str) -> Replacement {
        Replacement { path: path.to_owned(), first: 41, last: 42, text: "  a;\n".to_owned() }
    }

    #[test]
    fn a_remark_shows_the_replacement_of_its_lines() {
        let all = remarks(&story(), &[replacement("src/Till.java")]);
        assert_eq!(all.len(), 1);
        assert_eq!(all[0].message, "Replace with:\n  a;");
        assert!(
            remarks(
                &GitHubReport { outcome: SearchOutcome::Flaky, ..story() },
                &[replacement("x")]
            )
            .is_empty()
        );
    }

    #[test]
    fn a_remark_is_never_longer_than_github_takes() {
        let long =
            Replacement { text: "\u{1f9c1}\u{200b}".repeat(50_000), ..replacement("A.java") };
        let all = remarks(&story(), &[long]);
        assert!(all[0].message.len() <= 64 << 10 && all[0].message.ends_with('…'));
        assert!(all[0].title.chars().count() <= 255);
    }

    #[test]
    fn no_name_of_a_file_ends_a_workflow_command() {
        let mut all = remarks(&story(), &[replacement("a,line=1::b\n::set-output name=x::y")]);
        all[0].title = "t:%,\r".to_owned();
        assert_eq!(
            workflow_command(&all[0]),
            "::error file=a%2Cline=1%3A%3Ab%0A%3A%3Aset-output name=x%3A%3Ay,line=41,endLine=42,\
             title=t%3A%25%2C%0D::Replace with:%0A  a;"
        );
    }
}
