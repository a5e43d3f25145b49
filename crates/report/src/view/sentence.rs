//! Sentences that mix git-mend's words with untrusted text.

/// Part of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SentencePart {
    pub(crate) text: String,
    pub(crate) origin: TextOrigin,
}

/// Origin of a part of a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextOrigin {
    /// Text of git-mend.
    Own,
    /// Prose from the result of a run.
    RunProse,
    /// Code, and names of tests and locations.
    Code,
}

impl SentencePart {
    pub(crate) fn is_code(&self) -> bool {
        self.origin == TextOrigin::Code
    }
}

/// Sentence made of parts.
pub(crate) type Sentence = Vec<SentencePart>;

/// Creates a part with text of git-mend.
pub(super) fn own_text(text: impl Into<String>) -> SentencePart {
    SentencePart { text: text.into(), origin: TextOrigin::Own }
}

/// Creates a part with prose from the result of a run.
pub(super) fn run_prose(text: &str) -> SentencePart {
    SentencePart { text: text.to_owned(), origin: TextOrigin::RunProse }
}

/// Creates a part with a name or code.
pub(super) fn code_text(text: &str) -> SentencePart {
    SentencePart { text: text.to_owned(), origin: TextOrigin::Code }
}

/// Splits prose from a result into text and code between backticks.
pub(crate) fn parse_sentence(sentence: &str) -> Sentence {
    let parts = sentence.split('`').enumerate();
    let part =
        |(at, text): (usize, &str)| if at % 2 == 1 { code_text(text) } else { run_prose(text) };
    parts.map(part).filter(|part| !part.text.is_empty()).collect()
}
