//! Fix operator that catches an exception of the failure: in a new `catch` clause, or in one that exists.

use crate::candidates::candidate::FixOperator;
use crate::fixes::code_text::{abbreviate, class_reference, position_weight};
use crate::fixes::site::{CandidateEdits, RepairSite};
use crate::fixes::statements::early_exits::{indent_unit, possible_exits};
use mend_java::Edit;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole};

/// Maximum number of exits tried in a new clause.
const MAX_EXITS: usize = 5;

/// Prior likelihood that an existing clause should handle the exception too.
const SHARED_CLAUSE_WEIGHT: f64 = 0.8;

/// Prior likelihood of a new clause.
const NEW_CLAUSE_WEIGHT: f64 = 0.8;

/// Proposes clauses for the exceptions of failing tests that a `try` statement does not catch.
pub(crate) fn propose(site: &RepairSite<'_>, out: &mut CandidateEdits) {
    let code = &site.code;
    if !code.has_kind(site.statement, NodeKind::Try) {
        return;
    }
    let clauses: Vec<CatchClause> = code
        .children(site.statement)
        .into_iter()
        .filter(|id| code.has_kind(*id, NodeKind::Catch))
        .filter_map(|id| CatchClause::read(site, id))
        .collect();
    for class in site.diagnosis.unhandled_exceptions() {
        let is_subtype = |class: &str, other: &str| {
            let facts = code.facts;
            class == other
                || facts.find_class(class).is_some_and(|id| facts.is_subtype_of(id, other))
        };
        let is_caught =
            |clause: &CatchClause| clause.classes.iter().any(|other| is_subtype(class, other));
        if clauses.iter().any(is_caught) {
            continue;
        }
        for clause in &clauses {
            // The alternatives of a clause cannot be subclasses of each other.
            if clause.classes.iter().all(|other| !is_subtype(other, class)) {
                extend_clause(site, clause, class, out);
            }
        }
        add_clause(site, &clauses, class, out);
    }
}

/// Clause of a `try` statement.
struct CatchClause {
    /// Classes of the exceptions that it catches.
    classes: Vec<String>,
    /// Node of the caught type.
    ty: NodeIndex,
    /// True if the parameter is declared `final`.
    is_final: bool,
}

impl CatchClause {
    fn read(site: &RepairSite<'_>, id: NodeIndex) -> Option<Self> {
        let code = &site.code;
        let parameter = code.child(id, NodeRole::Parameter)?;
        let ty = code.child(parameter, NodeRole::Type)?;
        let alternatives = code.children(ty);
        let is_union = code.source_text(ty).contains('|');
        let types = if is_union { alternatives } else { vec![ty] };
        let classes = types.into_iter().map(|id| code.type_of(id).to_owned()).collect();
        let is_final = code.source_text(parameter).starts_with("final ");
        Some(Self { classes, ty, is_final })
    }
}

fn extend_clause(
    site: &RepairSite<'_>,
    clause: &CatchClause,
    class: &str,
    out: &mut CandidateEdits,
) {
    let name = class_reference(&site.code, class);
    let edit = Edit::insert(site.code.bytes(clause.ty).end, format!(" | {name}"));
    let written = abbreviate(site.code.source_text(clause.ty));
    let why = format!("`catch ({written})` also catches `{name}`");
    out.add(FixOperator::EarlyExit.with_weight(SHARED_CLAUSE_WEIGHT), vec![edit], why);
}

/// Adds a clause before the others.
fn add_clause(
    site: &RepairSite<'_>,
    clauses: &[CatchClause],
    class: &str,
    out: &mut CandidateEdits,
) {
    let code = &site.code;
    let Some(body) = code.child(site.statement, NodeRole::Body) else { return };
    let (indent, end, step) = (code.indent(site.statement), code.line_end(), indent_unit(site));
    let name = class_reference(code, class);
    let modifier = if clauses.iter().any(|clause| clause.is_final) { "final " } else { "" };
    for (at, exit) in possible_exits(site).iter().take(MAX_EXITS).enumerate() {
        let text =
            format!(" catch ({modifier}{name} e) {{{end}{indent}{step}{exit}{end}{indent}}}");
        let edit = Edit::insert(code.bytes(body).end, text);
        let why = format!("`{name}` is caught: `{}`", abbreviate(exit));
        let weight = NEW_CLAUSE_WEIGHT * position_weight(at, 0.2);
        out.add(FixOperator::EarlyExit.with_weight(weight), vec![edit], why);
    }
}
