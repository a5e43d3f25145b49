//! Request of a search for fixes.

use super::budget::Budget;
use super::generator::command::GeneratorRequest;
use crate::run::session::request::{GoodRevision, SubjectRequest};
use mend_report::RunGoal;
use regex::Regex;
use std::sync::Arc;

/// Request to search for fixes.
#[derive(Clone, Debug)]
pub struct FixRequest {
    /// Version and tests, and how to run them.
    pub subject: SubjectRequest,
    /// Passing version, if one is known.
    pub good: Option<GoodRevision>,
    /// Goal of the search for the culprit: the minimal revert, or the minimal culprit too.
    pub goal: RunGoal,
    /// Pattern of the failure to reproduce in the search for the culprit, instead of the failure of bad.
    pub symptom: Option<Regex>,
    /// True if the search for the culprit follows only first parents.
    pub first_parent_only: bool,
    /// Repair techniques to use.
    pub techniques: Vec<Technique>,
    /// True if the user selected the techniques.
    pub has_chosen_techniques: bool,
    /// Expected output of the test in each schedule.
    pub expected_output: Option<Arc<str>>,
    /// Maximum number of fixes in the result.
    pub max_fixes: usize,
    /// External generator of patches, if the user asks for one.
    pub generator: Option<GeneratorRequest>,
    /// Budget of the search.
    pub budget: Budget,
}

impl FixRequest {
    /// Returns true if the budget limits the whole run, and not only the search for candidates. A search on CI for the
    /// culprit and for patches of a generator is interrupted at its time limit.
    pub(super) fn limits_whole_run(&self) -> bool {
        self.generator.is_some()
            && self.good.is_some()
            && self.goal.wants_culprit()
            && !self.techniques.contains(&Technique::Contract)
    }
}

/// Repair technique.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Technique {
    /// Reverts the part of the change since good that breaks the test.
    Regression,
    /// Changes code that contracts, stack traces and recorded values identify as faulty.
    Contract,
    /// Changes code that thread schedules identify as faulty.
    Concurrency,
}
