//! Sentences that mix our words with untrusted text.

/// Part of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SentencePart {
    pub(crate) text: String,
    pub(crate) kind: TextOrigin,
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
        self.kind == TextOrigin::Code
    }
}

/// Sentence made of parts.
pub(crate) type Sentence = Vec<SentencePart>;

/// Creates a part with text of git-mend.
pub(super) fn plain(text: impl Into<String>) -> SentencePart {
    SentencePart { text: text.into(), kind: TextOrigin::Own }
}

/// Creates a part with prose from the result of a run.
pub(super) fn run_prose(text: &str) -> SentencePart {
    SentencePart { text: text.to_owned(), kind: TextOrigin::RunProse }
}

/// Creates a part with a name or code.
pub(super) fn code(text: &str) -> SentencePart {
    SentencePart { text: text.to_owned(), kind: TextOrigin::Code }
}

/// Splits prose from a result into text and code between backticks.
pub(crate) fn marked(sentence: &str) -> Sentence {
    let parts = sentence.split('`').enumerate();
    let word = |(at, text): (usize, &str)| if at % 2 == 1 { code(text) } else { run_prose(text) };
    parts.map(word).filter(|word| !word.text.is_empty()).collect()
}
