//! Messages of `git-mend/generator/1`: each is one line of JSON.

use mend_model::schema_of;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Name of the schema.
pub(super) const SCHEMA: &str = "git-mend/generator/1";

/// Message to the generator: the request comes first, then the verdicts on each answer
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(super) struct GeneratorMessage {
    /// Name and version of this schema: git-mend/generator/1
    pub(super) schema: String,
    /// Number of the message, from 1
    pub(super) round: usize,
    /// Remaining limits for the answer
    pub(super) limits: RemainingLimits,
    #[serde(flatten)]
    pub(super) content: MessageContent,
}

/// Remaining limits for the answer
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(super) struct RemainingLimits {
    /// Number of patches that will be tested; further ones are ignored
    pub(super) candidates: usize,
    /// Time for the answer
    pub(super) answer_seconds: u64,
}

/// Content of a message
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum MessageContent {
    /// The failure
    Request(Box<FailureReport>),
    /// Verdicts on the patches of the last answer
    Verdicts {
        /// One for each patch, in their order
        verdicts: Vec<CandidateVerdict>,
    },
}

/// The failure, where it may come from, and the sources around
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(super) struct FailureReport {
    /// Failing version: a commit or a folder. Patches apply to it
    pub(super) version: String,
    /// Failing tests
    pub(super) failing_tests: Vec<TestFailureReport>,
    /// Number of passing tests, which must still pass
    pub(super) passing_tests: usize,
    /// Commit that broke the tests, if it is known
    pub(super) culprit: Option<CulpritReport>,
    /// Suspicious statements, the most suspicious first
    pub(super) locations: Vec<LocationReport>,
    /// Contracts of the methods around them
    pub(super) contracts: Vec<ContractReport>,
    /// Sources of suspicious statements and of failing tests
    pub(super) sources: Vec<SourceExcerpt>,
}

/// A failing test
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(super) struct TestFailureReport {
    /// Name: pkg.Class#method
    pub(super) test: String,
    /// Class of the exception; null if the test hung
    pub(super) exception: Option<String>,
    /// Message of the exception
    pub(super) message: Option<String>,
    /// Stack trace, innermost frame first
    pub(super) stack: Vec<String>,
    /// End of what the test printed
    pub(super) printed: String,
}

/// The commit that broke the tests
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(super) struct CulpritReport {
    /// Id of the commit
    pub(super) commit: String,
    /// First line of its message
    pub(super) summary: String,
    /// Minimal revert: the smallest patch that undoes its effect; null if there is none
    pub(super) minimal_revert: Option<String>,
}

/// A suspicious statement
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(super) struct LocationReport {
    /// File
    pub(super) path: String,
    /// Line, from 1
    pub(super) line: u32,
    /// The statement
    pub(super) code: String,
    /// Suspicion, from 0 to 1
    pub(super) score: f64,
    /// Number of failing tests that executed it
    pub(super) failing_tests: usize,
    /// Number of passing tests that executed it
    pub(super) passing_tests: usize,
    /// Values of expressions before the statement
    pub(super) values: Vec<ValueReport>,
}

/// Different values of an expression
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(super) struct ValueReport {
    /// Source text of the expression
    pub(super) expression: String,
    /// Values in failing tests
    pub(super) failing: Vec<String>,
    /// Values in passing tests
    pub(super) passing: Vec<String>,
}

/// The contract of a method
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(super) struct ContractReport {
    /// File
    pub(super) path: String,
    /// Line of the method, from 1
    pub(super) line: u32,
    /// Preconditions
    pub(super) requires: Vec<String>,
    /// Postconditions and class invariants
    pub(super) ensures: Vec<String>,
}

/// A file, or lines of it
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(super) struct SourceExcerpt {
    /// File
    pub(super) path: String,
    /// Number of the first line, from 1
    pub(super) first_line: usize,
    /// Text
    pub(super) text: String,
    /// True for code of tests. Changes to it are left out
    pub(super) is_test: bool,
}

/// Verdict on a patch
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(super) struct CandidateVerdict {
    /// Name of the patch: candidate-1 is the first one
    pub(super) candidate: String,
    /// Verdict
    pub(super) verdict: VerdictKind,
    /// Reason, one line
    pub(super) reason: String,
    /// Messages of the compiler or of failing tests, shortened
    pub(super) output: Option<String>,
    /// Failing tests that it does not fix
    pub(super) still_failing: Vec<String>,
    /// True if it changes code of tests. These changes were left out
    pub(super) edits_tests: bool,
}

/// Verdict
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum VerdictKind {
    /// It fixes all failing tests and breaks no passing one
    Plausible,
    /// It fixes some of the failing tests and breaks no passing one
    Partial,
    /// A test fails with it
    Fails,
    /// It does not compile
    DoesNotCompile,
    /// A test hangs with it
    Hangs,
    /// The tests did not run to the end with it
    NotTestable,
    /// The runs with it disagree
    Flaky,
    /// It does not apply, or changes what it must not change
    Rejected,
    /// The same change was tried before
    Duplicate,
}

/// Answer of the generator
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(super) struct GeneratorAnswer {
    /// Patches to test; none ends the exchange
    pub(super) candidates: Vec<ProposedPatch>,
}

/// A patch
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(super) struct ProposedPatch {
    /// Unified diff, with paths relative to the root of the version
    pub(super) patch: String,
    /// Reason, one line
    #[serde(default)]
    pub(super) reason: Option<String>,
}

/// Line of an exchange
#[derive(JsonSchema)]
#[serde(untagged)]
#[schemars(title = "git-mend/generator/1")]
#[allow(dead_code, reason = "only its schema is used")]
enum ExchangedLine {
    /// From git-mend
    Message(GeneratorMessage),
    /// From the generator
    Answer(GeneratorAnswer),
}

/// Returns the JSON Schema of all lines.
pub(crate) fn generator_schema() -> schemars::Schema {
    schema_of::<ExchangedLine>()
}
