//! All operators, applied to one statement.

use super::site::{Proposals, Site};
use super::{
    allocations, arguments, assured, branches, casts, cleanup, conditions, donors, endings, exits,
    hazards, lookups, methods, operators, order, put_back, values, widening, wrong_guards,
};
use crate::candidate::Proposal;

/// Returns every candidate edit of the statement.
pub(crate) fn proposals(site: &Site<'_>) -> Vec<Proposal> {
    let mut out = Proposals::default();
    operators::propose(site, &mut out);
    values::propose(site, &mut out);
    arguments::propose(site, &mut out);
    put_back::propose(site, &mut out);
    methods::propose(site, &mut out);
    casts::propose(site, &mut out);
    widening::declared(site, &mut out);
    if site.code.is_initialised_field(site.statement) {
        return out.all;
    }
    assured::propose(site, &mut out);
    branches::propose(site, &mut out);
    conditions::propose(site, &mut out);
    hazards::propose(site, &mut out);
    allocations::propose(site, &mut out);
    lookups::propose(site, &mut out);
    exits::propose(site, &mut out);
    exits::at_end(site, &mut out);
    endings::propose(site, &mut out);
    donors::propose(site, &mut out);
    order::propose(site, &mut out);
    cleanup::propose(site, &mut out);
    wrong_guards::propose(site, &mut out);
    widening::propose(site, &mut out);
    out.all
}
