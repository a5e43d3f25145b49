//! Fix operators for fields: make them volatile, read them once, or write them once with the final value.

use crate::collector::{CandidateCollector, EditsByFile};
use crate::evidence::bug_context::BugContext;
use crate::evidence::calls::{
    block_body, descendants, enclosing_routine, has_modifier, is_write, runs_with,
    starts_or_awaits_threads,
};
use crate::evidence::locks::class_name;
use crate::evidence::regions::statement_in_block;
use crate::fixes::layout::{add_modifier, insert_line_after, insert_line_before};
use crate::fixes::locking::synchronized::routine_title;
use crate::operator::ConcurrencyOperator;
use mend_java::Code;
use mend_java::Edit;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole, SymbolFlags, SymbolId, SymbolKind};
use std::collections::BTreeSet;

pub(crate) fn propose(context: &BugContext<'_>, out: &mut CandidateCollector<'_>) {
    let raced_fields: BTreeSet<SymbolId> = context
        .races
        .iter()
        .flat_map(|(one, other)| [one, other])
        .filter_map(|s| s.variable)
        .collect();
    for variable in &raced_fields {
        let Some((file, edit)) = volatile_edit(context, *variable) else { continue };
        let name = context.code(file).facts.name(*variable);
        let why =
            format!("{name} becomes volatile, so every thread sees the writes of other threads");
        let has_no_failures = context.findings.failing == 0;
        let weight =
            if has_no_failures && !is_read_modify_write(context, *variable) { 0.97 } else { 0.5 };
        out.add_in(file, ConcurrencyOperator::Volatile, weight, vec![edit], why);
    }
    let all: Vec<_> = raced_fields.iter().filter_map(|one| volatile_edit(context, *one)).collect();
    if all.len() > 1 {
        let mut edits = EditsByFile::new();
        for (file, edit) in all {
            edits.entry(file).or_default().push(edit);
        }
        let why = "these fields become volatile, so every thread sees the writes of other threads";
        out.add(ConcurrencyOperator::Volatile, 0.6, edits, why.to_owned());
    }
    for variable in context.accessed_fields() {
        propose_single_read(context, variable, out);
        propose_known_value(context, variable, out);
        propose_single_write(context, variable, out);
    }
}

pub(crate) fn volatile_edit(context: &BugContext<'_>, variable: SymbolId) -> Option<(usize, Edit)> {
    let (file, id) = context.declaration(variable)?;
    let code = context.code(file);
    let flags = code.facts.symbol(variable).flags;
    let is_volatile = has_modifier(code, id, "volatile");
    if flags.has(SymbolFlags::FINAL) || is_volatile {
        return None;
    }
    add_modifier(code, id, "volatile").map(|edit| (file, edit))
}

/// Returns true if a field is written with a value computed from its previous value.
fn is_read_modify_write(context: &BugContext<'_>, variable: SymbolId) -> bool {
    context.uses(variable).into_iter().any(|(file, node)| {
        let code = context.code(file);
        let kind = code.kind(code.parent(node));
        kind.is_step() || kind.is_compound_assignment()
    })
}

/// Returns the methods that access a field by its simple name, with their accesses.
fn methods_using(
    context: &BugContext<'_>,
    variable: SymbolId,
) -> Vec<(usize, NodeIndex, Vec<NodeIndex>)> {
    let mut found: Vec<(usize, NodeIndex, Vec<NodeIndex>)> = Vec::new();
    for (file, node) in context.uses(variable) {
        let code = context.code(file);
        let Some(own) =
            enclosing_routine(code, node).filter(|own| code.has_kind(*own, NodeKind::Method))
        else {
            continue;
        };
        match found.iter_mut().find(|one| one.0 == file && one.1 == own) {
            Some(known) => known.2.push(node),
            None => found.push((file, own, vec![node])),
        }
    }
    found
}

/// Returns an expression that denotes the field even if a local variable has the same name.
pub(crate) fn qualified_name(
    context: &BugContext<'_>,
    code: &Code<'_>,
    variable: SymbolId,
    at: NodeIndex,
) -> String {
    let name = code.facts.name(variable);
    let owner = if context.is_static(variable) { class_name(code, at) } else { "this" };
    format!("{owner}.{name}")
}

/// Returns the source text of a field's type.
pub(crate) fn field_type<'a>(context: &BugContext<'a>, variable: SymbolId) -> Option<&'a str> {
    let (file, id) = context.declaration(variable)?;
    let code = &context.files[file].code;
    Some(code.source_text(code.child(id, NodeRole::Type)?))
}

/// Reads a field that is checked and used once into a local variable.
fn propose_single_read(
    context: &BugContext<'_>,
    variable: SymbolId,
    out: &mut CandidateCollector<'_>,
) {
    let Some(ty) = field_type(context, variable) else { return };
    for (file, own, nodes) in methods_using(context, variable) {
        let code = context.code(file);
        let is_plain =
            |id: &NodeIndex| code.has_kind(*id, NodeKind::Identifier) && !is_write(code, *id);
        let has_double_read = is_seen_twice(context, file, own, variable);
        let is_read_in_loop = nodes.iter().any(|id| is_in_loop(code, own, *id));
        let is_excluded = is_read_in_loop
            || involves_threads(code, own)
            || calls_user_of_field(context, file, own, variable);
        if nodes.len() < 2 || !nodes.iter().all(is_plain) || !has_double_read || is_excluded {
            continue;
        }
        let Some(first) = nodes.first().and_then(|id| top_statement(code, own, *id)) else {
            continue;
        };
        let name = code.facts.name(variable);
        let from = qualified_name(context, code, variable, own);
        let edit = insert_line_before(code, first, &format!("{ty} {name} = {from};"));
        let why = format!(
            "{} reads {name} once, so it checks and uses the same value",
            routine_title(code, own)
        );
        out.add_in(file, ConcurrencyOperator::LocalCopy, 0.95, vec![edit], why);
    }
}

/// Uses the local variable that already has the value of a field, instead of reading the field again.
fn propose_known_value(
    context: &BugContext<'_>,
    variable: SymbolId,
    out: &mut CandidateCollector<'_>,
) {
    for (file, own, nodes) in methods_using(context, variable) {
        let code = context.code(file);
        if !is_seen_twice(context, file, own, variable) {
            continue;
        }
        let Some((copied, local)) = nodes.iter().find_map(|id| Some((*id, local_copy(code, *id)?)))
        else {
            continue;
        };
        let writes = (copied..code.node(own).subtree_end).filter(|id| {
            let symbol = code.node(*id).symbol;
            is_write(code, *id) && (symbol == Some(variable) || symbol == Some(local))
        });
        let end = writes.min().unwrap_or(code.node(own).subtree_end);
        let is_repeated_read = |id: &NodeIndex| {
            (copied + 1..end).contains(id)
                && code.has_kind(*id, NodeKind::Identifier)
                && runs_with(code, *id, own)
                && !is_in_loop(code, own, *id)
        };
        let name = code.facts.name(local);
        let repeated = nodes.iter().copied().filter(is_repeated_read);
        let edits: Vec<Edit> = repeated.map(|id| Edit::replace(code.bytes(id), name)).collect();
        if !edits.is_empty() {
            let why = format!(
                "{} reads {} once, so it checks and uses the same value",
                routine_title(code, own),
                code.facts.name(variable)
            );
            add_local_copy(context, variable, (file, edits), &why, out);
        }
    }
}

/// Returns the local variable that is initialised with a read of a field.
fn local_copy(code: &Code<'_>, read: NodeIndex) -> Option<SymbolId> {
    let declaration = code.parent(read);
    let is_local = code.has_kind(declaration, NodeKind::Variable)
        && code.role(declaration) != NodeRole::Member
        && code.role(read) == NodeRole::Value;
    code.node(declaration).symbol.filter(|_| is_local)
}

/// Returns true if a pattern has two reads of a field in one routine, with a write by another thread in between.
fn is_seen_twice(
    context: &BugContext<'_>,
    file: usize,
    own: NodeIndex,
    variable: SymbolId,
) -> bool {
    context.patterns.iter().any(|located| {
        let is_own = |at: usize| {
            let location = &located.locations[at];
            location.file == file
                && location.variable == Some(variable)
                && enclosing_routine(context.code(file), location.node) == Some(own)
        };
        located.pattern.form == "RWR" && is_own(0) && is_own(2)
    })
}

/// Returns true if a pattern has an access to a field by another thread between two steps of one routine, at least one
/// of them a write.
fn has_intermediate_access(
    context: &BugContext<'_>,
    file: usize,
    own: NodeIndex,
    variable: SymbolId,
) -> bool {
    context.patterns.iter().any(|located| {
        let is_own = |location: &crate::evidence::bug_context::SourceLocation| {
            location.file == file
                && location.variable == Some(variable)
                && enclosing_routine(context.code(file), location.node) == Some(own)
        };
        located.locations.len() == 3 && located.locations.iter().all(is_own)
    })
}

fn is_in_loop(code: &Code<'_>, own: NodeIndex, id: NodeIndex) -> bool {
    code.self_and_ancestors(id).take_while(|node| *node != own).any(|node| code.is_loop(node))
}

/// Returns true if a routine is a constructor, or starts threads or waits for them: then a local copy could hide their
/// writes.
fn involves_threads(code: &Code<'_>, own: NodeIndex) -> bool {
    let kind = code.symbol(own).map(|symbol| symbol.kind);
    kind == Some(SymbolKind::Constructor)
        || block_body(code, own).is_some_and(|block| starts_or_awaits_threads(code, block))
}

/// Returns true if a routine calls a method that uses the field itself, and so would not see a local copy.
fn calls_user_of_field(
    context: &BugContext<'_>,
    file: usize,
    own: NodeIndex,
    variable: SymbolId,
) -> bool {
    let users: BTreeSet<SymbolId> = context
        .uses(variable)
        .into_iter()
        .filter_map(|(file, node)| {
            let code = context.code(file);
            code.node(code.enclosing_method(node)?).symbol
        })
        .collect();
    let code = context.code(file);
    descendants(code, own)
        .filter(|id| code.has_kind(*id, NodeKind::MethodInvocation))
        .any(|id| code.node(id).symbol.is_some_and(|method| users.contains(&method)))
}

/// Returns the statement directly in a method's body that contains a node.
fn top_statement(code: &Code<'_>, own: NodeIndex, id: NodeIndex) -> Option<NodeIndex> {
    let block = block_body(code, own)?;
    let inside = |one: &NodeIndex| (*one..code.node(*one).subtree_end).contains(&id);
    code.children(block).into_iter().find(inside)
}

/// Computes the value of a field in a local variable, and writes the field once.
fn propose_single_write(
    context: &BugContext<'_>,
    variable: SymbolId,
    out: &mut CandidateCollector<'_>,
) {
    let Some(ty) = field_type(context, variable) else { return };
    for (file, own, nodes) in methods_using(context, variable) {
        let code = context.code(file);
        let is_plain = nodes.iter().all(|id| code.has_kind(*id, NodeKind::Identifier));
        let writes: Vec<NodeIndex> =
            nodes.iter().copied().filter(|id| is_write(code, *id)).collect();
        let Some(last) = writes.last().filter(|_| is_plain && nodes.len() > 1) else { continue };
        let is_run = nodes.iter().all(|id| runs_with(code, *id, own));
        let Some(region) = building_loop(code, own, &writes, *last).filter(|_| is_run) else {
            continue;
        };
        let Some(first) = top_statement(code, own, nodes[0]) else { continue };
        let has_intermediate_access = has_intermediate_access(context, file, own, variable);
        if !has_intermediate_access
            || involves_threads(code, own)
            || calls_user_of_field(context, file, own, variable)
        {
            continue;
        }
        let name = code.facts.name(variable);
        let field = qualified_name(context, code, variable, own);
        let edits = vec![
            insert_line_before(code, first, &format!("{ty} {name} = {field};")),
            insert_line_after(code, region, &format!("{field} = {name};")),
        ];
        let why = format!(
            "{} builds {name} in a local variable and writes the field once",
            routine_title(code, own)
        );
        add_local_copy(context, variable, (file, edits), &why, out);
    }
}

/// Adds a fix that uses a local copy of a field, first with a volatile field: other threads may still write it at the
/// same time.
fn add_local_copy(
    context: &BugContext<'_>,
    variable: SymbolId,
    (file, edits): (usize, Vec<Edit>),
    why: &str,
    out: &mut CandidateCollector<'_>,
) {
    let volatile = volatile_edit(context, variable).filter(|(home, _)| *home == file);
    if let Some((_, volatile)) = volatile {
        let edits = edits.iter().cloned().chain([volatile]).collect();
        out.add_in(file, ConcurrencyOperator::LocalCopy, 0.96, edits, why.to_owned());
    }
    out.add_in(file, ConcurrencyOperator::LocalCopy, 0.94, edits, why.to_owned());
}

/// Returns the outermost loop that contains the writes, if it builds up the value.
fn building_loop(
    code: &Code<'_>,
    own: NodeIndex,
    writes: &[NodeIndex],
    last: NodeIndex,
) -> Option<NodeIndex> {
    let enclosing = code.self_and_ancestors(last).take_while(|id| *id != own);
    let outer = enclosing.filter(|id| code.is_loop(*id)).last()?;
    let inside = outer..code.node(outer).subtree_end;
    let is_all = writes.iter().all(|id| inside.contains(id));
    let is_in_list = statement_in_block(code, outer) == Some(outer);
    (is_all && is_in_list && !has_early_exit(code, outer)).then_some(outer)
}

/// Returns true if a jump leaves a loop for any place other than the statement after it.
fn has_early_exit(code: &Code<'_>, outer: NodeIndex) -> bool {
    let is_early_exit = |id: NodeIndex| match code.kind(id) {
        NodeKind::Return | NodeKind::Throw => runs_with(code, id, outer),
        NodeKind::Break => code.source_text(id).trim_end_matches(';').trim() != "break",
        _ => false,
    };
    descendants(code, outer).any(is_early_exit)
}
