//! Messages of `git-mend/generator/1`: each is one line of JSON.

use mend_model::schema_of;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Name of the schema.
pub(in crate::run) const SCHEMA: &str = "git-mend/generator/1";

/// Maximum number of stack frames of a failing test.
pub(in crate::run) const MAX_FRAMES: usize = 30;

/// Message to the generator: the request comes first, then the verdicts on each answer
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(in crate::run) struct GeneratorMessage {
    /// Name and version of this schema: git-mend/generator/1
    pub(in crate::run) schema: String,
    /// Number of the message, from 1
    pub(in crate::run) round: usize,
    /// Remaining limits for the answer
    pub(in crate::run) limits: RemainingLimits,
    #[serde(flatten)]
    pub(in crate::run) content: MessageContent,
}

/// Remaining limits for the answer
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(in crate::run) struct RemainingLimits {
    /// Number of patches that will be tested; further ones are ignored
    pub(in crate::run) candidates: usize,
    /// Time for the answer
    pub(in crate::run) answer_seconds: u64,
}

/// Content of a message
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(in crate::run) enum MessageContent {
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
pub(in crate::run) struct FailureReport {
    /// Failing version: a commit or a folder. Patches apply to it
    pub(in crate::run) version: String,
    /// Failing tests
    pub(in crate::run) failing_tests: Vec<TestFailureReport>,
    /// Number of passing tests, which must still pass
    pub(in crate::run) passing_tests: usize,
    /// Commit that broke the tests, if it is known
    pub(in crate::run) culprit: Option<CulpritReport>,
    /// Suspicious statements, the most suspicious first
    pub(in crate::run) locations: Vec<LocationReport>,
    /// Contracts of the methods around them
    pub(in crate::run) contracts: Vec<ContractReport>,
    /// Sources of suspicious statements and of failing tests
    pub(in crate::run) sources: Vec<SourceExcerpt>,
    /// Schedules, if the failure depends on the thread schedule; patches are tested under schedules then
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::run) schedules: Option<SchedulesReport>,
}

/// Thread schedules of the failure
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(in crate::run) struct SchedulesReport {
    /// Number of schedules that ran
    pub(in crate::run) run: usize,
    /// Number of failing schedules
    pub(in crate::run) failing: usize,
    /// Explanations of the failing schedules by the order of accesses, the most suspicious first
    pub(in crate::run) explanations: Vec<String>,
    /// Data races
    pub(in crate::run) races: Vec<RaceReport>,
    /// Places of each lock-order cycle: pkg.Class.method:line
    pub(in crate::run) lock_cycles: Vec<Vec<String>>,
    /// Steps of a failing schedule, one sentence each
    pub(in crate::run) steps: Vec<String>,
}

/// Data race: two accesses that no lock or other synchronisation orders
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(in crate::run) struct RaceReport {
    /// Variable
    pub(in crate::run) variable: String,
    /// Places of both accesses: pkg.Class.method:line
    pub(in crate::run) sites: Vec<String>,
}

/// A failing test
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(in crate::run) struct TestFailureReport {
    /// Name: pkg.Class#method
    pub(in crate::run) test: String,
    /// Class of the exception; null if none was thrown, such as by a test that hung
    pub(in crate::run) exception: Option<String>,
    /// Message of the exception
    pub(in crate::run) message: Option<String>,
    /// Stack trace, innermost frame first
    pub(in crate::run) stack: Vec<String>,
    /// End of what the test printed
    pub(in crate::run) printed: String,
}

/// The commit that broke the tests
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(in crate::run) struct CulpritReport {
    /// Id of the commit
    pub(in crate::run) commit: String,
    /// First line of its message
    pub(in crate::run) summary: String,
    /// Minimal revert: the smallest patch that undoes its effect; null if there is none
    pub(in crate::run) minimal_revert: Option<String>,
}

/// A suspicious statement
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(in crate::run) struct LocationReport {
    /// File
    pub(in crate::run) path: String,
    /// Line, from 1
    pub(in crate::run) line: u32,
    /// The statement
    pub(in crate::run) code: String,
    /// Suspicion, from 0 to 1
    pub(in crate::run) score: f64,
    /// Number of failing tests that executed it; absent if the failure depends on the thread schedule
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::run) failing_tests: Option<usize>,
    /// Number of passing tests that executed it; absent if the failure depends on the thread schedule
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::run) passing_tests: Option<usize>,
    /// Values of expressions before the statement
    pub(in crate::run) values: Vec<ValueReport>,
}

/// Different values of an expression
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(in crate::run) struct ValueReport {
    /// Source text of the expression
    pub(in crate::run) expression: String,
    /// Values in failing tests
    pub(in crate::run) failing: Vec<String>,
    /// Values in passing tests
    pub(in crate::run) passing: Vec<String>,
}

/// The contract of a method
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(in crate::run) struct ContractReport {
    /// File
    pub(in crate::run) path: String,
    /// Line of the method, from 1
    pub(in crate::run) line: u32,
    /// Preconditions
    pub(in crate::run) requires: Vec<String>,
    /// Postconditions and class invariants
    pub(in crate::run) ensures: Vec<String>,
}

/// A file, or lines of it
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(in crate::run) struct SourceExcerpt {
    /// File
    pub(in crate::run) path: String,
    /// Number of the first line, from 1
    pub(in crate::run) first_line: usize,
    /// Text
    pub(in crate::run) text: String,
    /// True for code of tests. Changes to it are left out
    pub(in crate::run) is_test: bool,
}

/// Verdict on a patch
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(in crate::run) struct CandidateVerdict {
    /// Name of the patch: candidate-1 is the first one
    pub(in crate::run) candidate: String,
    /// Verdict
    pub(in crate::run) verdict: VerdictKind,
    /// Reason, one line
    pub(in crate::run) reason: String,
    /// Messages of the compiler or of failing tests, shortened
    pub(in crate::run) output: Option<String>,
    /// Failing tests that it does not fix
    pub(in crate::run) still_failing: Vec<String>,
    /// True if it changes code of tests. These changes were left out
    pub(in crate::run) edits_tests: bool,
}

/// Verdict
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(in crate::run) enum VerdictKind {
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
pub(in crate::run) struct GeneratorAnswer {
    /// Patches to test; none ends the exchange
    pub(in crate::run) candidates: Vec<ProposedPatch>,
}

/// A patch
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(in crate::run) struct ProposedPatch {
    /// Unified diff, with paths relative to the root of the version
    pub(in crate::run) patch: String,
    /// Reason, one line
    #[serde(default)]
    pub(in crate::run) reason: Option<String>,
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
