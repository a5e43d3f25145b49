//! Summary of a run, as sentences for people.

use mend_report::RunResult;

/// Sentences of a summary, without repetition.
#[derive(Clone, Debug, Default)]
pub(crate) struct Summary(Vec<String>);

impl Summary {
    /// Adds sentences that the summary does not contain yet.
    pub(crate) fn extend(&mut self, sentences: impl IntoIterator<Item = String>) {
        for sentence in sentences {
            if !self.0.contains(&sentence) {
                self.0.push(sentence);
            }
        }
    }

    /// Writes the summary to the content of `result.json`.
    pub(crate) fn write_to(&self, document: &mut RunResult) {
        document.message = (!self.0.is_empty()).then(|| self.0.join("; "));
        document.messages.clone_from(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mend_report::{EnvironmentInfo, RunGoal};

    #[test]
    fn a_sentence_is_said_once_and_all_are_one_line() {
        let mut summary = Summary::default();
        summary.extend(["a fails", "1 fix found", "a fails"].map(str::to_owned));
        let mut document = RunResult::new("fix", RunGoal::Fix, EnvironmentInfo::default());
        summary.write_to(&mut document);
        assert_eq!(document.message.as_deref(), Some("a fails; 1 fix found"));
        assert_eq!(document.messages, ["a fails", "1 fix found"]);
    }
}
