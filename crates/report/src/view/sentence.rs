//! Sentences that mix our words with untrusted text.

/// Part of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Word {
    pub(crate) text: String,
    pub(crate) kind: WordKind,
}

/// Origin of a part of a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WordKind {
    /// Text of git-mend.
    Ours,
    /// Prose from the result of a run.
    Said,
    /// Code, and names of tests and locations.
    Code,
}

impl Word {
    pub(crate) fn is_code(&self) -> bool {
        self.kind == WordKind::Code
    }
}

/// Sentence made of parts.
pub(crate) type Sentence = Vec<Word>;

/// Creates a part with text of git-mend.
pub(super) fn plain(text: impl Into<String>) -> Word {
    Word { text: text.into(), kind: WordKind::Ours }
}

/// Creates a part with prose from the result of a run.
pub(super) fn said(text: &str) -> Word {
    Word { text: text.to_owned(), kind: WordKind::Said }
}

/// Creates a part with a name or code.
pub(super) fn code(text: &str) -> Word {
    Word { text: text.to_owned(), kind: WordKind::Code }
}

/// Splits prose from a result into text and code between backticks.
pub(crate) fn marked(sentence: &str) -> Sentence {
    let parts = sentence.split('`').enumerate();
    let word = |(at, text): (usize, &str)| if at % 2 == 1 { code(text) } else { said(text) };
    parts.map(word).filter(|word| !word.text.is_empty()).collect()
}
