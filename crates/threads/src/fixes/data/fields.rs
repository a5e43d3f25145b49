//! Makes fields volatile, reads them once, or writes them once with the final value.

use crate::candidate::ConcurrencyOperator;
use crate::collector::{CandidateCollector, EditsByFile};
use crate::evidence::bug_context::BugContext;
use crate::evidence::calls::{below, body, is_run_with, is_written, meets_threads, routine};
use crate::evidence::locks::class_name;
use crate::evidence::regions::in_list;
use crate::fixes::layout::{line_after, line_before, with_modifier};
use mend_java::Code;
use mend_java::Edit;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole, SymbolFlags, SymbolId, SymbolKind};
use std::collections::BTreeSet;

pub(crate) fn propose(scene: &BugContext<'_>, out: &mut CandidateCollector<'_>) {
    let raced: BTreeSet<SymbolId> = scene
        .races
        .iter()
        .flat_map(|(one, other)| [one, other])
        .filter_map(|s| s.variable)
        .collect();
    for variable in &raced {
        let Some((file, edit)) = made_volatile(scene, *variable) else { continue };
        let name = scene.code(file).facts.name(*variable);
        let why =
            format!("{name} becomes volatile, so every thread sees the writes of other threads");
        let is_silent = scene.findings.failing == 0;
        let weight = if is_silent && !is_counted(scene, *variable) { 0.97 } else { 0.5 };
        out.add_in(file, ConcurrencyOperator::Volatile, weight, vec![edit], why);
    }
    let all: Vec<_> = raced.iter().filter_map(|one| made_volatile(scene, *one)).collect();
    if all.len() > 1 {
        let mut edits = EditsByFile::new();
        for (file, edit) in all {
            edits.entry(file).or_default().push(edit);
        }
        let why = "these fields become volatile, so every thread sees the writes of other threads";
        out.add(ConcurrencyOperator::Volatile, 0.6, edits, why.to_owned());
    }
    for variable in scene.variables() {
        read_once(scene, variable, out);
        published_once(scene, variable, out);
    }
}

pub(crate) fn made_volatile(scene: &BugContext<'_>, variable: SymbolId) -> Option<(usize, Edit)> {
    let (file, id) = scene.declaration(variable)?;
    let code = scene.code(file);
    let flags = code.facts.symbol(variable).flags;
    let is_volatile = crate::fixes::layout::has_modifier(code, id, "volatile");
    if flags.has(SymbolFlags::FINAL) || is_volatile {
        return None;
    }
    with_modifier(code, id, "volatile").map(|edit| (file, edit))
}

/// Returns true if a field is written with a value computed from its previous value.
fn is_counted(scene: &BugContext<'_>, variable: SymbolId) -> bool {
    scene.uses(variable).into_iter().any(|(file, node)| {
        let code = scene.code(file);
        let kind = code.kind(code.parent(node));
        kind.is_step() || kind.is_compound_assignment()
    })
}

/// Returns the methods that access a field by its simple name, with their accesses.
fn routines(scene: &BugContext<'_>, variable: SymbolId) -> Vec<(usize, NodeIndex, Vec<NodeIndex>)> {
    let mut found: Vec<(usize, NodeIndex, Vec<NodeIndex>)> = Vec::new();
    for (file, node) in scene.uses(variable) {
        let code = scene.code(file);
        let Some(own) = routine(code, node).filter(|own| code.is(*own, NodeKind::Method)) else {
            continue;
        };
        match found.iter_mut().find(|one| one.0 == file && one.1 == own) {
            Some(known) => known.2.push(node),
            None => found.push((file, own, vec![node])),
        }
    }
    found
}

/// Returns an expression for the field itself, even if a local variable has the same name.
pub(crate) fn qualified(
    scene: &BugContext<'_>,
    code: &Code<'_>,
    variable: SymbolId,
    at: NodeIndex,
) -> String {
    let name = code.facts.name(variable);
    let owner = if scene.is_static(variable) { class_name(code, at) } else { "this" };
    format!("{owner}.{name}")
}

/// Returns the source text of a field's type.
pub(crate) fn type_of<'a>(scene: &BugContext<'a>, variable: SymbolId) -> Option<&'a str> {
    let (file, id) = scene.declaration(variable)?;
    let code = &scene.files[file].code;
    Some(code.written(code.child(id, NodeRole::Type)?))
}

/// Reads a field that is checked and used once into a local variable.
fn read_once(scene: &BugContext<'_>, variable: SymbolId, out: &mut CandidateCollector<'_>) {
    let Some(ty) = type_of(scene, variable) else { return };
    for (file, own, nodes) in routines(scene, variable) {
        let code = scene.code(file);
        let is_plain =
            |id: &NodeIndex| code.is(*id, NodeKind::Identifier) && !is_written(code, *id);
        let seen = is_seen_twice(scene, file, own, variable);
        let is_looked_at_again = nodes.iter().any(|id| is_in_loop(code, own, *id));
        let is_out =
            is_looked_at_again || is_meeting(code, own) || asks_others(scene, file, own, variable);
        if nodes.len() < 2 || !nodes.iter().all(is_plain) || !seen || is_out {
            continue;
        }
        let Some(first) = nodes.first().and_then(|id| top_statement(code, own, *id)) else {
            continue;
        };
        let name = code.facts.name(variable);
        let from = qualified(scene, code, variable, own);
        let edit = line_before(code, first, &format!("{ty} {name} = {from};"));
        let why = format!(
            "{} reads {name} once, so it checks and uses the same value",
            crate::fixes::locking::synchronized::title(code, own)
        );
        out.add_in(file, ConcurrencyOperator::LocalCopy, 0.95, vec![edit], why);
    }
}

/// Returns true if a pattern has two reads of a field in one routine, with a write by another thread in between.
fn is_seen_twice(scene: &BugContext<'_>, file: usize, own: NodeIndex, variable: SymbolId) -> bool {
    scene.patterns.iter().any(|shown| {
        let is_own = |at: usize| {
            let spot = &shown.spots[at];
            spot.file == file
                && spot.variable == Some(variable)
                && routine(scene.code(file), spot.node) == Some(own)
        };
        shown.pattern.form == "RWR" && is_own(0) && is_own(2)
    })
}

/// Returns true if a pattern has an access to a field by another thread between two steps of one routine, at least one
/// of them a write.
fn is_seen_in_the_making(
    scene: &BugContext<'_>,
    file: usize,
    own: NodeIndex,
    variable: SymbolId,
) -> bool {
    scene.patterns.iter().any(|shown| {
        let is_own = |spot: &crate::evidence::bug_context::SourceLocation| {
            spot.file == file
                && spot.variable == Some(variable)
                && routine(scene.code(file), spot.node) == Some(own)
        };
        shown.spots.len() == 3 && shown.spots.iter().all(is_own)
    })
}

fn is_in_loop(code: &Code<'_>, own: NodeIndex, id: NodeIndex) -> bool {
    code.self_and_ancestors(id).take_while(|node| *node != own).any(|node| code.is_loop(node))
}

/// Returns true if a routine is a constructor, or starts threads or waits for them: then a local copy could hide their
/// writes.
fn is_meeting(code: &Code<'_>, own: NodeIndex) -> bool {
    let kind = code.symbol(own).map(|symbol| symbol.kind);
    kind == Some(SymbolKind::Constructor)
        || body(code, own).is_some_and(|block| meets_threads(code, block))
}

/// Returns true if a routine calls a method that uses the field itself, and so would not see a local copy.
fn asks_others(scene: &BugContext<'_>, file: usize, own: NodeIndex, variable: SymbolId) -> bool {
    let namers: BTreeSet<SymbolId> = scene
        .uses(variable)
        .into_iter()
        .filter_map(|(file, node)| {
            let code = scene.code(file);
            code.node(code.method_of(node)?).symbol
        })
        .collect();
    let code = scene.code(file);
    below(code, own)
        .filter(|id| code.is(*id, NodeKind::MethodInvocation))
        .any(|id| code.node(id).symbol.is_some_and(|method| namers.contains(&method)))
}

/// Returns the statement of a method's body that contains a node.
fn top_statement(code: &Code<'_>, own: NodeIndex, id: NodeIndex) -> Option<NodeIndex> {
    let block = body(code, own)?;
    let inside = |one: &NodeIndex| (*one..code.node(*one).end).contains(&id);
    code.children(block).into_iter().find(inside)
}

/// Builds the value of a field in a local variable and writes the field once.
fn published_once(scene: &BugContext<'_>, variable: SymbolId, out: &mut CandidateCollector<'_>) {
    let Some(ty) = type_of(scene, variable) else { return };
    for (file, own, nodes) in routines(scene, variable) {
        let code = scene.code(file);
        let is_plain = nodes.iter().all(|id| code.is(*id, NodeKind::Identifier));
        let writes: Vec<NodeIndex> =
            nodes.iter().copied().filter(|id| is_written(code, *id)).collect();
        let Some(last) = writes.last().filter(|_| is_plain && nodes.len() > 1) else { continue };
        let is_run = nodes.iter().all(|id| is_run_with(code, *id, own));
        let Some(region) = built_up(code, own, &writes, *last).filter(|_| is_run) else { continue };
        let Some(first) = top_statement(code, own, nodes[0]) else { continue };
        let is_seen = is_seen_in_the_making(scene, file, own, variable);
        if !is_seen || is_meeting(code, own) || asks_others(scene, file, own, variable) {
            continue;
        }
        let name = code.facts.name(variable);
        let field = qualified(scene, code, variable, own);
        let mut edits = vec![
            line_before(code, first, &format!("{ty} {name} = {field};")),
            line_after(code, region, &format!("{field} = {name};")),
        ];
        let plain = edits.clone();
        let why = format!(
            "{} builds {name} in a local variable and writes the field once",
            crate::fixes::locking::synchronized::title(code, own)
        );
        let volatile = made_volatile(scene, variable).filter(|(home, _)| *home == file);
        if let Some((_, edit)) = volatile {
            edits.push(edit);
            out.add_in(file, ConcurrencyOperator::LocalCopy, 0.96, edits, why.clone());
        }
        out.add_in(file, ConcurrencyOperator::LocalCopy, 0.94, plain, why);
    }
}

/// Returns the outermost loop that contains the writes, if it builds up the value.
fn built_up(
    code: &Code<'_>,
    own: NodeIndex,
    writes: &[NodeIndex],
    last: NodeIndex,
) -> Option<NodeIndex> {
    let around = code.self_and_ancestors(last).take_while(|id| *id != own);
    let outer = around.filter(|id| code.is_loop(*id)).last()?;
    let inside = outer..code.node(outer).end;
    let is_all = writes.iter().all(|id| inside.contains(id));
    let is_in_list = in_list(code, outer) == Some(outer);
    (is_all && is_in_list && !is_left_midway(code, outer)).then_some(outer)
}

/// Returns true if a jump leaves a loop for any place other than the statement after it.
fn is_left_midway(code: &Code<'_>, outer: NodeIndex) -> bool {
    let leaves = |id: NodeIndex| match code.kind(id) {
        NodeKind::Return | NodeKind::Throw => is_run_with(code, id, outer),
        NodeKind::Break => code.written(id).trim_end_matches(';').trim() != "break",
        _ => false,
    };
    below(code, outer).any(leaves)
}
