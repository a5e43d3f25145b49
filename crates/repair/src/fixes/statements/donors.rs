//! Inserts or replaces statements with donor code from elsewhere or with commands of the object, and removes
//! statements.

use super::commands::commands;
use crate::candidates::candidate::{FixOperator, WeightedOperator};
use crate::conditions::snapshots::ScoredCondition;
use crate::fixes::copied_code::{LONGEST, may_leave};
use crate::fixes::site::{CandidateEdits, RepairSite};
use crate::fixes::statements::early_exits::{fitted_in, is_nameable, leave, step};
use crate::fixes::statements::related_code;
use crate::fixes::text::{brief, nearness, reindented};
use mend_java::code::scope::Variable;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole, SymbolKind};
use mend_java::{Edit, edited};

/// Maximum number of the best conditions under which a command runs.
const CONDITIONS: usize = 25;

/// Maximum number of donors that replace the statement.
const REPLACING: usize = 8;

/// Maximum number of donors tried as an alternative, and of conditions for each.
const ALTERNATIVES: usize = 4;

/// Maximum number of donors tried at one place.
const TRIED: usize = 25;

pub(crate) fn propose(site: &RepairSite<'_>, out: &mut CandidateEdits) {
    let code = &site.code;
    if !code.is_in_list(site.statement) {
        return;
    }
    removal(site, out);
    let commands = commands(site);
    let telling: Vec<&ScoredCondition> = site.telling(|one| one.if_true).take(CONDITIONS).collect();
    for command in &commands {
        where_it_holds(site, command, &telling, out);
    }
    let (donors, others) = donors(site);
    for (at, donor) in donors.iter().take(TRIED).enumerate() {
        let nearness = nearness(at, 0.05);
        insert_around(site, donor, copied(donor).scale_weight(nearness), out);
        if at < REPLACING {
            instead(site, donor, 0.3 * nearness, out);
        }
    }
    for (at, other) in others.iter().take(TRIED).enumerate() {
        insert_around(site, other, FixOperator::Donor.with_weight(0.3), out);
        if at < REPLACING {
            instead(site, other, 0.25 * nearness(at, 0.05), out);
        }
    }
    for (at, (donor, likeness)) in related_code::donors(site).iter().enumerate() {
        insert_around(site, donor, copied(donor).scale_weight(*likeness), out);
        if at < ALTERNATIVES {
            instead(site, donor, 0.3 * likeness, out);
        }
    }
    for (command, weight) in &commands {
        insert_around(site, command, FixOperator::Donor.with_weight(*weight), out);
    }
    or_else(site, &donors, out);
}

/// Returns the operator and the prior likelihood of a donor statement. A neighbouring guard that leaves early at the
/// same point checks the exact reason, so it is more likely.
fn copied(donor: &str) -> WeightedOperator {
    if is_guard(donor) {
        FixOperator::EarlyExit.with_weight(1.0)
    } else {
        FixOperator::Donor.with_weight(0.5)
    }
}

/// Replaces the statement with a donor.
fn instead(site: &RepairSite<'_>, donor: &str, weight: f64, out: &mut CandidateEdits) {
    let code = &site.code;
    if !matches!(code.kind(site.statement), NodeKind::ExpressionStatement | NodeKind::If) {
        return;
    }
    let edit = Edit::replace(code.bytes(site.statement), donor);
    let why = format!("`{}` becomes `{}`", brief(code.written(site.statement)), brief(donor));
    out.add(FixOperator::Donor.with_weight(weight), vec![edit], why);
}

/// Runs a donor instead of the statement, under a condition that holds in failing tests only.
fn or_else(site: &RepairSite<'_>, donors: &[String], out: &mut CandidateEdits) {
    for condition in site.telling(|condition| condition.if_true).take(ALTERNATIVES) {
        for donor in donors.iter().take(ALTERNATIVES) {
            let promise = condition.if_true.unwrap_or(0.0);
            either(
                site,
                condition.text(),
                donor,
                FixOperator::Donor.with_weight(0.4 * promise),
                out,
            );
        }
    }
}

/// Runs other code instead of the statement if a condition holds.
pub(crate) fn either(
    site: &RepairSite<'_>,
    condition: &str,
    other: &str,
    how: WeightedOperator,
    out: &mut CandidateEdits,
) {
    let code = &site.code;
    if !matches!(code.kind(site.statement), NodeKind::ExpressionStatement | NodeKind::If) {
        return;
    }
    let (indent, end, step) = (code.indent(site.statement), code.line_end(), step(site));
    let inner = format!("{indent}{step}");
    let old = reindented(code.written(site.statement), indent, &inner);
    let new = reindented(other, indent, &inner);
    let text = format!(
        "if ({condition}) {{{end}{inner}{new}{end}{indent}}} else {{{end}{inner}{old}{end}{indent}}}"
    );
    let edit = Edit::replace(code.bytes(site.statement), text);
    let why =
        format!("if `{}`, `{}` runs instead of the statement", brief(condition), brief(other));
    out.add(how, vec![edit], why);
}

/// Does something only where a condition holds that failing tests saw and passing ones did not; or always, which is
/// simpler and may be what is meant.
fn where_it_holds(
    site: &RepairSite<'_>,
    (command, weight): &(String, f64),
    telling: &[&ScoredCondition],
    out: &mut CandidateEdits,
) {
    for condition in telling {
        if let Some(promise) = condition.if_true {
            insert_around(
                site,
                command,
                FixOperator::Assignment.with_weight(weight * promise),
                out,
            );
            leave(
                site,
                condition.text(),
                command,
                FixOperator::Assignment.with_weight(weight * promise),
                out,
            );
        }
    }
}

/// Takes the statement out.
fn removal(site: &RepairSite<'_>, out: &mut CandidateEdits) {
    let code = &site.code;
    if code.is(site.statement, NodeKind::Variable) {
        return;
    }
    let edit = Edit::replace(code.whole_lines(site.statement), "");
    let why = format!("`{}` is removed", brief(code.written(site.statement)));
    out.add(FixOperator::Removal.with_weight(0.5), vec![edit], why);
}

/// Inserts code before the statement.
pub(crate) fn insert_before(
    site: &RepairSite<'_>,
    text: &str,
    how: WeightedOperator,
    out: &mut CandidateEdits,
) {
    let (edit, why) = first(site, text);
    out.add(how, vec![edit], why);
}

/// Returns the edit that inserts code before a statement in a list, and its description.
pub(crate) fn first(site: &RepairSite<'_>, text: &str) -> (Edit, String) {
    let code = &site.code;
    let (indent, end) = (code.indent(site.statement), code.line_end());
    let edit = Edit::insert(code.bytes(site.statement).start, format!("{text}{end}{indent}"));
    (edit, format!("`{}` is inserted before the statement", brief(text)))
}

fn insert_around(
    site: &RepairSite<'_>,
    text: &str,
    how: WeightedOperator,
    out: &mut CandidateEdits,
) {
    let code = &site.code;
    insert_before(site, text, how, out);
    let (indent, end) = (code.indent(site.statement), code.line_end());
    let bytes = code.bytes(site.statement);
    if !matches!(
        code.kind(site.statement),
        NodeKind::Return | NodeKind::Throw | NodeKind::Break | NodeKind::Continue
    ) {
        let after = Edit::insert(bytes.end, format!("{end}{indent}{text}"));
        out.add(how, vec![after], format!("`{}` is inserted after the statement", brief(text)));
    }
}

/// Returns true if a statement only leaves the routine or loop under a condition.
fn is_guard(text: &str) -> bool {
    let rest = text.strip_prefix("if (").and_then(|rest| rest.split_once(") {"));
    let inside = rest.map_or("", |(_, inside)| inside.trim_start());
    ["return", "throw", "continue"].iter().any(|exit| inside.starts_with(exit))
        && !text.contains("else")
}

/// Returns the statements of the same class that fit here, the nearest first, and their variants with one variable
/// exchanged.
fn donors(site: &RepairSite<'_>) -> (Vec<String>, Vec<String>) {
    let code = &site.code;
    let start = code.bytes(site.statement).start;
    let class = code.class_of(site.statement);
    let mut found: Vec<NodeIndex> = code
        .statements()
        .filter(|id| *id != site.statement && code.class_of(*id) == class)
        .filter(|id| matches!(code.kind(*id), NodeKind::ExpressionStatement | NodeKind::If))
        .filter(|id| code.written(*id).len() <= LONGEST && may_leave(site, code, *id))
        .collect();
    let method = code.method_of(site.statement);
    found.sort_by_key(|id| (code.method_of(*id) != method, code.bytes(*id).start.abs_diff(start)));
    let (mut texts, mut others): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    for id in found {
        let text = if is_nameable(site, id) {
            others.extend(exchanged(site, id));
            Some(fitted_in(site, id))
        } else {
            with_other_names(site, id)
        };
        texts.extend(text.filter(|text| !texts.contains(text)));
    }
    others.retain(|other| !texts.contains(other));
    (texts, others)
}

/// Returns a donor's variants with another variable of the same type as argument.
fn exchanged(site: &RepairSite<'_>, donor: NodeIndex) -> Vec<String> {
    let code = &site.code;
    let start = code.bytes(donor).start;
    let is_given =
        |id: &NodeIndex| code.is(*id, NodeKind::Identifier) && code.role(*id) == NodeRole::Argument;
    let of = |id: NodeIndex| {
        let (name, bytes) = (code.written(id), code.bytes(id));
        let others = site.variables_for(code.type_of(id)).filter(|one| one.name != name).take(2);
        let others = others.filter_map(|one| {
            let edit = Edit::replace(bytes.start - start..bytes.end - start, &*one.name);
            edited(code.written(donor), &[edit])
        });
        others.collect::<Vec<_>>()
    };
    let all = (donor..code.node(donor).end).filter(is_given).flat_map(of);
    all.map(|text| reindented(&text, code.indent(donor), code.indent(site.statement))).collect()
}

/// Returns a donor with the nearest variables of the same types in place of unknown ones; `None` if there are none.
fn with_other_names(site: &RepairSite<'_>, donor: NodeIndex) -> Option<String> {
    let code = &site.code;
    let start = code.bytes(donor).start;
    let mut edits = Vec::new();
    for id in code.nodes_within(donor, NodeKind::Identifier) {
        let Some(symbol) = code.symbol(id).filter(|symbol| symbol.kind == SymbolKind::Local) else {
            continue;
        };
        let (name, ty) = (code.written(id), code.facts.text(symbol.ty.erased));
        let is_known = |one: &&Variable| one.ty == ty && !one.is_field;
        let known: Vec<&Variable> = site.variables().iter().filter(is_known).collect();
        if known.iter().all(|one| one.name != name) {
            let bytes = code.bytes(id);
            edits
                .push(Edit::replace(bytes.start - start..bytes.end - start, &*known.first()?.name));
        }
    }
    let text = edited(code.written(donor), &edits)?;
    Some(reindented(&text, code.indent(donor), code.indent(site.statement)))
}
