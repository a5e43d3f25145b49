//! Sentences of ours with words of others in them.

/// A stretch of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::report) struct Word {
    pub(in crate::report) text: String,
    pub(in crate::report) kind: WordKind,
}

/// Where words come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::report) enum WordKind {
    /// We wrote them.
    Ours,
    /// The run says them in prose.
    Said,
    /// Code, and names of tests and places.
    Code,
}

impl Word {
    pub(in crate::report) fn is_code(&self) -> bool {
        self.kind == WordKind::Code
    }
}

/// A sentence.
pub(in crate::report) type Sentence = Vec<Word>;

/// Words of ours.
pub(super) fn plain(text: impl Into<String>) -> Word {
    Word { text: text.into(), kind: WordKind::Ours }
}

/// What the run says.
pub(super) fn said(text: &str) -> Word {
    Word { text: text.to_owned(), kind: WordKind::Said }
}

/// A name or code.
pub(super) fn code(text: &str) -> Word {
    Word { text: text.to_owned(), kind: WordKind::Code }
}

/// What the run says, with code between backticks.
pub(in crate::report) fn marked(sentence: &str) -> Sentence {
    let parts = sentence.split('`').enumerate();
    let word = |(at, text): (usize, &str)| if at % 2 == 1 { code(text) } else { said(text) };
    parts.map(word).filter(|word| !word.text.is_empty()).collect()
}
