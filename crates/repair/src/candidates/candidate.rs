//! Candidates of contract repair: the edits, and the statement that they fix.

use crate::conditions::terms::mentions;
use mend_java::facts::{FileNode, NodeIndex};
use mend_java::{Candidate, Edit, ParsedSource};
use mend_model::RepoPath;

/// Fix operator: the kind of edit of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FixOperator {
    /// Replaces an operator by another one.
    Operator,
    /// Replaces a value by another one.
    Value,
    /// Replaces, swaps, adds or removes arguments.
    Argument,
    /// Calls another method.
    Method,
    /// Adds a part to a condition, or guards a statement with a condition.
    Condition,
    /// Skips or changes an operation if a reference is null.
    NullCheck,
    /// Skips an operation or leaves the method if an index, a divisor or a size is out of range.
    RangeCheck,
    /// Leaves the method or the loop early.
    EarlyExit,
    /// Inserts a copy of another statement (donor code).
    Donor,
    /// Changes a variable or an object under a condition.
    Assignment,
    /// Removes a statement.
    Removal,
    /// Reorders statements.
    Order,
    /// Removes a guard that is too strict, or a part of its condition.
    WrongGuard,
    /// Calculates in a wider type.
    Widening,
    /// Repeats one edit in several similar places.
    MultiLocation,
    /// Patch of an external generator.
    External,
}

impl FixOperator {
    /// Returns true if the operator avoids a check more often than it satisfies it.
    pub(crate) fn bypasses_checks(self) -> bool {
        matches!(self, Self::Condition | Self::EarlyExit | Self::Removal | Self::Assignment)
    }

    /// Returns the operator with the prior likelihood of a candidate.
    pub(crate) fn with_weight(self, weight: f64) -> WeightedOperator {
        WeightedOperator { strategy: self, weight }
    }

    /// Returns the operator's name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Operator => "operator",
            Self::Value => "value",
            Self::Argument => "argument",
            Self::Method => "method",
            Self::Condition => "condition",
            Self::NullCheck => "null-check",
            Self::RangeCheck => "range-check",
            Self::EarlyExit => "early-exit",
            Self::Donor => "donor",
            Self::Assignment => "assignment",
            Self::Removal => "removal",
            Self::Order => "order",
            Self::WrongGuard => "wrong-guard",
            Self::Widening => "widening",
            Self::MultiLocation => "multi-location",
            Self::External => "external",
        }
    }
}

/// Fix operator with the prior likelihood of a candidate among those of the same operator, from 0 to 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WeightedOperator {
    pub(crate) strategy: FixOperator,
    pub(crate) weight: f64,
}

impl WeightedOperator {
    /// Returns the same operator with a weight multiplied by a factor.
    pub(crate) fn scale_weight(self, factor: f64) -> Self {
        Self { weight: self.weight * factor, ..self }
    }
}

/// Edits of one statement that an operator proposes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CandidateEdit {
    pub(crate) operator: FixOperator,
    pub(crate) edits: Vec<Edit>,
    /// One-line description of the edit.
    pub(crate) description: String,
    /// Likelihood among the candidates of the same operator, from 0 to 1.
    pub(crate) weight: f64,
}

impl CandidateEdit {
    /// Converts the edits to a candidate for a file.
    pub(crate) fn into_candidate(self, path: &RepoPath, score: f64) -> Candidate<FixOperator> {
        let Self { operator, edits, description, .. } = self;
        Candidate { edits: [(path.clone(), edits)].into(), operator, description, score }
    }
}

/// Way in which a candidate passes tests without a correct fix (overfitting).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverfittingKind {
    /// It only avoids a check that failed.
    AvoidsCheck,
    /// A command does nothing, but reports success.
    SkipsWork,
    /// A routine returns the same value for every input.
    ConstantResult,
    /// It removes the statement that failed.
    RemovesFailure,
}

impl OverfittingKind {
    /// Describes what a patch of this kind does, as the predicate of a sentence.
    pub fn description(self) -> &'static str {
        match self {
            Self::AvoidsCheck => "only bypasses a check",
            Self::SkipsWork => "only skips the work",
            Self::ConstantResult => "only makes the result constant",
            Self::RemovesFailure => "only removes the failing code",
        }
    }
}

/// Candidate with the statement that it fixes.
#[derive(Clone, Debug, PartialEq)]
pub struct LocatedCandidate {
    /// Its edits and its score.
    pub change: Candidate<FixOperator>,
    /// The file of the statement. Only patches of an external generator change others too.
    pub path: RepoPath,
    /// Line of the statement.
    pub line: u32,
    /// Index of the file, and the statement; unknown if a patch of an external generator changes no suspicious one.
    pub(crate) statement: Option<FileNode>,
    /// The method that contains the statement, if any.
    pub method: Option<NodeIndex>,
    /// Kind of evasion, if the candidate only evades the failure.
    pub overfitting: Option<OverfittingKind>,
}

/// Keywords and literals that are not replaced by a placeholder.
const KEPT_KEYWORDS: [&str; 9] =
    ["null", "true", "false", "this", "return", "continue", "break", "throw", "new"];

impl LocatedCandidate {
    /// Returns the edits of its file.
    pub fn edits(&self) -> &[Edit] {
        self.change.edits.get(&self.path).map_or(&[], Vec::as_slice)
    }

    /// Returns true if another candidate makes the same edit elsewhere, with other names.
    pub fn has_same_shape(&self, other: &Self) -> bool {
        let shapes = |candidate: &Self| {
            candidate.edits().iter().map(|edit| anonymise_names(&edit.text)).collect::<Vec<_>>()
        };
        self.change.operator == other.change.operator && shapes(self) == shapes(other)
    }

    /// Returns how many of the inserted tokens say no more than that an exception is thrown, such as its message.
    pub fn count_exception_tokens(&self) -> usize {
        self.edits().iter().map(|edit| count_exception_tokens(&edit.text)).sum()
    }

    /// Returns true if the text of the candidate mentions a term.
    pub(crate) fn mentions_term(&self, term: &str) -> bool {
        let is_in = |text: &str| mentions(text, term);
        is_in(&self.change.description) || self.edits().iter().any(|edit| is_in(&edit.text))
    }
}

/// Number of tokens of a `throw` that count for the size of an edit, as many as those of `return x;`.
const THROW_TOKENS: usize = 3;

/// Returns the number of tokens of the `throw` statements in a text, without those that count for the size of an edit.
fn count_exception_tokens(text: &str) -> usize {
    let Some(source) = ParsedSource::parse_with_errors(text.as_bytes().into()) else { return 0 };
    let len = source.tokens().len();
    let end_of = |at: usize| (at..len).find(|at| source.token_text(*at) == b";").unwrap_or(len);
    let length = |at: usize| end_of(at) - at + 1;
    let throws = (0..len).filter(|at| source.token_text(*at) == b"throw");
    throws.map(|at| length(at).saturating_sub(THROW_TOKENS)).sum()
}

/// Returns a text without white space, with a placeholder for each name.
fn anonymise_names(text: &str) -> String {
    let is_identifier_char = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let (mut shape, mut rest) = (String::new(), text);
    while let Some(first) = rest.chars().next() {
        let end = if is_identifier_char(first) {
            rest.find(|c| !is_identifier_char(c))
        } else {
            Some(first.len_utf8())
        };
        let (token, after) = rest.split_at(end.unwrap_or(rest.len()));
        let is_name =
            is_identifier_char(first) && !first.is_ascii_digit() && !KEPT_KEYWORDS.contains(&token);
        shape.push_str(if is_name { "_" } else { token.trim() });
        rest = after;
    }
    shape
}

#[cfg(test)]
mod tests {
    use super::{anonymise_names, count_exception_tokens};

    #[test]
    fn exception_counts_as_much_as_a_result() {
        for (text, excess) in [
            ("if (a < 0) {\n    throw new E(\"a; b \\\" \" + a);\n}", 6),
            ("if (a < 0) {\n    throw E.get();\n}", 4),
            ("if (a < 0) {\n    return 0;\n}", 0),
            ("throw e;", 0),
        ] {
            assert_eq!(count_exception_tokens(text), excess, "{text}");
        }
    }

    #[test]
    fn texts_differing_in_names_only_have_one_shape() {
        let shape_of =
            |text: &str| anonymise_names(&format!("if ({text}) {{\n    return null;\n}}\n"));
        assert_eq!(shape_of("v1D == null"), shape_of("point  == null"));
        for other in ["v1D != null", "v1D == 0", "v1D.x == null"] {
            assert_ne!(shape_of("v1D == null"), shape_of(other));
        }
        assert_ne!(anonymise_names("return 0;"), anonymise_names("return null;"));
        assert_ne!(anonymise_names("return that;"), anonymise_names("return null;"));
    }
}
