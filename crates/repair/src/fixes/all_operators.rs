//! Applies all fix operators to one statement.

use super::site::{CandidateEdits, RepairSite};
use crate::candidates::candidate::CandidateEdit;
use crate::fixes::expressions::{
    allocations, arguments, casts, conditions, map_lookups, methods, operators, values, widening,
};
use crate::fixes::implicit_preconditions;
use crate::fixes::statements::{
    branches, catches, cleanup, documented_guards, donors, early_exits, null_results,
    postconditions, remove_guard, state_ending_calls, statement_order, write_back,
};

/// Returns the candidate edits of all operators for the statement.
pub(crate) fn propose_all(site: &RepairSite<'_>) -> Vec<CandidateEdit> {
    let mut out = CandidateEdits::default();
    operators::propose(site, &mut out);
    values::propose(site, &mut out);
    arguments::propose(site, &mut out);
    write_back::propose(site, &mut out);
    methods::propose(site, &mut out);
    casts::propose(site, &mut out);
    widening::widen_declaration(site, &mut out);
    if site.code.is_initialised_field(site.statement) {
        return out.proposals;
    }
    postconditions::propose(site, &mut out);
    branches::propose(site, &mut out);
    conditions::propose(site, &mut out);
    implicit_preconditions::propose(site, &mut out);
    allocations::propose(site, &mut out);
    map_lookups::propose(site, &mut out);
    documented_guards::propose(site, &mut out);
    early_exits::propose(site, &mut out);
    early_exits::propose_at_block_end(site, &mut out);
    early_exits::propose_other_exit(site, &mut out);
    null_results::propose(site, &mut out);
    catches::propose(site, &mut out);
    state_ending_calls::propose(site, &mut out);
    donors::propose(site, &mut out);
    statement_order::propose(site, &mut out);
    cleanup::propose(site, &mut out);
    remove_guard::propose(site, &mut out);
    widening::propose(site, &mut out);
    out.proposals
}
