//! Fix operators that make two threads alternate between two methods, or between calls of one method with two
//! arguments. A new field stores whose turn it is.

use super::joins::catch_interrupt;
use crate::collector::CandidateCollector;
use crate::evidence::bug_context::BugContext;
use crate::evidence::calls::{
    arguments, block_body, descendants, enclosing_routine, handles_interrupt, has_modifier,
    is_constructor, is_wait, is_write, method_name, runs_with,
};
use crate::evidence::locks::{Lock, held_locks};
use crate::fixes::layout::{
    add_modifier, insert_first_field, insert_line_after, insert_line_before, unused_name,
};
use crate::fixes::locking::synchronized::routine_title;
use crate::operator::ConcurrencyOperator;
use crate::source_file::SourceFile;
use mend_java::Code;
use mend_java::Edit;
use mend_java::facts::{FileNode, NodeIndex, NodeKind, NodeRole, SymbolId, SymbolKind};
use mend_model::schedules::ScheduleTrace;
use std::collections::{BTreeMap, BTreeSet};

/// Numbers of executions, by iteration and thread.
type IterationCounts = BTreeMap<Iteration, BTreeMap<usize, usize>>;

/// Loop body or method body that threads execute repeatedly.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Iteration {
    file: usize,
    method: NodeIndex,
    /// The body of the method, or of the innermost loop in it.
    block: NodeIndex,
}

pub(crate) fn propose(context: &BugContext<'_>, out: &mut CandidateCollector<'_>) {
    let (mut known_pairs, mut shared_iterations) = (BTreeSet::new(), BTreeSet::new());
    for example in context.example_traces().filter(|example| !example.cut_short) {
        let visits = count_iterations(context, example);
        known_pairs.extend(alternating_pairs(context, &visits));
        shared_iterations.extend(
            visits.into_iter().filter(|(_, by)| runs_in_two_threads(by)).map(|(round, _)| round),
        );
    }
    for (one, other) in known_pairs {
        // The schedules decide which of the two runs first.
        for (first, second) in [(one, other), (other, one)] {
            let code = context.code(first.file);
            let Some(edits) = alternate_methods(code, first, second) else { continue };
            let [leader, follower] = [first, second].map(|round| routine_title(code, round.method));
            let why = format!("{leader} and {follower} alternate, and {leader} runs first");
            // The program has no alternation of its own, so any other fix is more specific.
            out.add_in(first.file, ConcurrencyOperator::Signal, 0.38, edits, why);
        }
    }
    for round in shared_iterations {
        propose_turns_by_argument(context, round, out);
    }
}

/// Returns how often threads executed the iterations of main code.
fn count_iterations(context: &BugContext<'_>, example: &ScheduleTrace) -> IterationCounts {
    let mut sites: BTreeMap<usize, BTreeMap<usize, usize>> = BTreeMap::new();
    // Both steps of a critical section are at one site.
    let is_counted = |what: &str| !matches!(what, "lock" | "unlock");
    for step in example.steps.iter().filter(|step| is_counted(&step.what)) {
        *sites.entry(step.site).or_default().entry(step.thread).or_default() += 1;
    }
    let mut counts = IterationCounts::new();
    for (site, own) in sites {
        let location = example.sites.get(site).and_then(|site| context.locate(site));
        let location = location.filter(|location| {
            location.variable.is_some() && !context.files[location.file].is_test
        });
        let Some(location) = location else { continue };
        let Some(iteration) =
            enclosing_iteration(context.code(location.file), location.file, location.node)
        else {
            continue;
        };
        let all = counts.entry(iteration).or_default();
        for (thread, count) in own {
            let max_count = all.entry(thread).or_default();
            *max_count = count.max(*max_count);
        }
    }
    counts
}

/// Returns pairs of methods of one class that two threads executed several times, each by one thread, and equally
/// often.
fn alternating_pairs(
    context: &BugContext<'_>,
    counts: &IterationCounts,
) -> Vec<(Iteration, Iteration)> {
    let runs_in_one_thread =
        |by: &BTreeMap<usize, usize>| by.len() == 1 && by.values().all(|count| *count > 1);
    let known: Vec<_> = counts.iter().filter(|(_, by)| runs_in_one_thread(by)).collect();
    let mut found = Vec::new();
    for (number, (one, counts)) in known.iter().enumerate() {
        for (other, others) in known.iter().skip(number + 1) {
            let code = context.code(one.file);
            let is_one_class =
                one.file == other.file && code.parent(one.method) == code.parent(other.method);
            let is_equally_often =
                counts.values().eq(others.values()) && counts.keys().ne(others.keys());
            if is_one_class && one.method != other.method && is_equally_often {
                found.push((**one, **other));
            }
        }
    }
    found
}

/// Returns true if two threads executed one iteration equally often.
fn runs_in_two_threads(counts_by_thread: &BTreeMap<usize, usize>) -> bool {
    let counts: BTreeSet<usize> = counts_by_thread.values().copied().collect();
    counts_by_thread.len() == 2 && counts.len() == 1
}

/// Makes the calls of a method with two different constants alternate. Both can be one call, if its argument is a field
/// that two objects received from their creators.
fn propose_turns_by_argument(
    context: &BugContext<'_>,
    iteration: Iteration,
    out: &mut CandidateCollector<'_>,
) {
    let code = context.code(iteration.file);
    for (parameter, values) in distinguishing_parameters(context, iteration) {
        for (first, second) in [(&values[0], &values[1]), (&values[1], &values[0])] {
            let Some(edits) = alternate_by_argument(code, iteration, parameter, first, second)
            else {
                continue;
            };
            let own = routine_title(code, iteration.method);
            let name = code.symbol(parameter).map_or("", |one| code.facts.text(one.name));
            let why =
                format!("calls of {own} alternate by the value of {name}, and {first} runs first");
            out.add_in(iteration.file, ConcurrencyOperator::Signal, 0.37, edits, why);
        }
    }
}

/// Returns the parameters that two calls of a method give different constants, with both constants.
fn distinguishing_parameters(
    context: &BugContext<'_>,
    iteration: Iteration,
) -> Vec<(NodeIndex, [String; 2])> {
    let code = context.code(iteration.file);
    let uses = code.node(iteration.method).symbol.map_or_else(Vec::new, |own| context.uses(own));
    let call = |(file, callee): FileNode| (file, context.code(file).parent(callee));
    let calls: Vec<FileNode> = uses.into_iter().map(call).collect();
    let constants_at = |at: usize| match calls[..] {
        [only] => {
            let (constructor, at) = constructor_parameter(context, only, at)?;
            distinct_constants(context, &creations_by(context, constructor), at)
        }
        _ => distinct_constants(context, &calls, at),
    };
    let all = parameter_nodes(code, iteration.method).into_iter().enumerate();
    all.filter_map(|(at, parameter)| Some((parameter, constants_at(at)?))).collect()
}

fn parameter_nodes(code: &Code<'_>, routine: NodeIndex) -> Vec<NodeIndex> {
    let children = code.children(routine).into_iter();
    children.filter(|id| code.role(*id) == NodeRole::Parameter).collect()
}

/// Returns the arguments of two calls for one parameter, if they are different constants.
fn distinct_constants(
    context: &BugContext<'_>,
    calls: &[FileNode],
    index: usize,
) -> Option<[String; 2]> {
    let constant = |(file, call): FileNode| {
        let code = context.code(file);
        let given = arguments(code, call)
            .get(index)
            .copied()
            .filter(|id| is_comparable_constant(code, *id))?;
        Some(code.source_text(given).to_owned())
    };
    let [one, other] = *calls else { return None };
    let values = [constant(one)?, constant(other)?];
    (values[0] != values[1]).then_some(values)
}

/// Returns the constructor, and the index of its parameter, that sets the field used as a call's argument.
fn constructor_parameter(
    context: &BugContext<'_>,
    (file, call): FileNode,
    index: usize,
) -> Option<(SymbolId, usize)> {
    let code = context.code(file);
    let field = code.node(*arguments(code, call).get(index)?).symbol?;
    let is_set = |(file, id): &FileNode| is_write(context.code(*file), *id);
    let set: Vec<_> = context.uses(field).into_iter().filter(is_set).collect();
    let [(file, target)] = set[..] else { return None };
    let code = context.code(file);
    let own = enclosing_routine(code, target).filter(|own| is_constructor(code, *own))?;
    let value = code.node(code.child(code.parent(target), NodeRole::Value)?).symbol?;
    let is_value = |id: &NodeIndex| code.node(*id).symbol == Some(value);
    let index = parameter_nodes(code, own).iter().position(is_value)?;
    Some((code.node(own).symbol?, index))
}

/// Returns the creations that call a constructor.
fn creations_by(context: &BugContext<'_>, constructor: SymbolId) -> Vec<FileNode> {
    let of_file = |(file, one): (usize, &SourceFile<'_>)| -> Vec<FileNode> {
        let code = &one.code;
        let is_made = |id: &NodeIndex| {
            code.has_kind(*id, NodeKind::NewClass) && code.node(*id).symbol == Some(constructor)
        };
        (0..code.tree.nodes.len()).filter(is_made).map(|id| (file, id)).collect()
    };
    context.files.iter().enumerate().flat_map(of_file).collect()
}

/// Returns true for a constant that `==` compares reliably, and that has the same meaning everywhere.
fn is_comparable_constant(code: &Code<'_>, id: NodeIndex) -> bool {
    matches!(
        code.kind(id),
        NodeKind::CharLiteral
            | NodeKind::IntLiteral
            | NodeKind::LongLiteral
            | NodeKind::BooleanLiteral
    ) || code.has_kind(id, NodeKind::MemberSelect)
        && code.symbol(id).is_some_and(|symbol| symbol.kind == SymbolKind::EnumConstant)
}

/// Returns the iteration that contains a node.
fn enclosing_iteration(code: &Code<'_>, file: usize, node: NodeIndex) -> Option<Iteration> {
    let method = enclosing_routine(code, node).filter(|id| code.has_kind(*id, NodeKind::Method))?;
    let inside = code.self_and_ancestors(node).take_while(|id| *id != method);
    let innermost_loop = inside.into_iter().find(|id| code.is_loop(*id));
    let block = match innermost_loop {
        Some(innermost_loop) => code
            .child(innermost_loop, NodeRole::Body)
            .filter(|id| code.has_kind(*id, NodeKind::Block))?,
        None => block_body(code, method)?,
    };
    Some(Iteration { file, method, block })
}

/// Makes two iterations alternate: each waits for its turn and then passes it on.
fn alternate_methods(code: &Code<'_>, first: Iteration, second: Iteration) -> Option<Vec<Edit>> {
    let name = code.facts.text(code.symbol(second.method)?.name);
    let flag = unused_name(code, &format!("{name}IsNext"));
    let class = code.parent(first.method);
    let mut edits = vec![insert_first_field(code, class, &format!("private boolean {flag};"))?];
    edits.extend(wait_for_turn(code, first, &flag, &format!("{flag} = true;"))?);
    edits.extend(wait_for_turn(code, second, &format!("!{flag}"), &format!("{flag} = false;"))?);
    Some(edits)
}

/// Makes an iteration wait until the argument of its method has its turn, and then pass the turn to the other one.
fn alternate_by_argument(
    code: &Code<'_>,
    iteration: Iteration,
    parameter: NodeIndex,
    first: &str,
    second: &str,
) -> Option<Vec<Edit>> {
    let symbol = code.symbol(parameter)?;
    let (name, own) = (code.facts.text(symbol.name), code.node(parameter).symbol);
    if descendants(code, iteration.method)
        .any(|id| code.node(id).symbol == own && is_write(code, id))
    {
        return None;
    }
    let turn_field = unused_name(code, "next");
    let ty = code.source_text(code.child(parameter, NodeRole::Type)?);
    let field = format!("private {ty} {turn_field} = {first};");
    let pass = match ty {
        "boolean" => format!("{turn_field} = !{name};"),
        _ => format!("{turn_field} = {name} == {first} ? {second} : {first};"),
    };
    let mut edits = vec![insert_first_field(code, code.parent(iteration.method), &field)?];
    edits.extend(wait_for_turn(code, iteration, &format!("{name} != {turn_field}"), &pass)?);
    Some(edits)
}

/// Makes an iteration wait during the other turn, and then pass the turn on. `None` if the iteration can end elsewhere,
/// or would wait on another lock than the object's own.
fn wait_for_turn(
    code: &Code<'_>,
    iteration: Iteration,
    is_other_turn: &str,
    pass: &str,
) -> Option<Vec<Edit>> {
    let all = code.children(iteration.block);
    let (start, end) = (*all.first()?, *all.last()?);
    let leaves = |id: &NodeIndex| {
        matches!(code.kind(*id), NodeKind::Return | NodeKind::Break | NodeKind::Continue)
    };
    let mut own_nodes =
        descendants(code, iteration.block).filter(|id| runs_with(code, *id, iteration.block));
    let has_early_exit = own_nodes.any(|id| leaves(&id) && id != end);
    let waits = descendants(code, iteration.method).any(|id| {
        code.has_kind(id, NodeKind::MethodInvocation)
            && (method_name(code, id) == "wait" || is_wait(code, id))
    });
    let holds_own_lock_only = held_locks(code, start).iter().all(|held| held.lock == Lock::This);
    if has_early_exit
        || waits
        || !holds_own_lock_only
        || has_modifier(code, iteration.method, "static")
    {
        return None;
    }
    let wait = format!("while ({is_other_turn}) {{\n    wait();\n}}");
    let can_throw = handles_interrupt(code, start);
    let wait = if can_throw { wait } else { catch_interrupt(code, &wait) };
    let pass = format!("{pass}\nnotifyAll();");
    let pass_edit = if leaves(&end) {
        insert_line_before(code, end, &pass)
    } else {
        insert_line_after(code, end, &pass)
    };
    let mut edits = vec![insert_line_before(code, start, &wait), pass_edit];
    if !has_modifier(code, iteration.method, "synchronized") {
        edits.push(add_modifier(code, iteration.method, "synchronized")?);
    }
    Some(edits)
}
