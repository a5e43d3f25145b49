//! Two methods that two threads call in rounds take turns, or calls of one with two arguments: whose turn it is becomes a
//! field of their class.

use super::joins::caught;
use crate::candidate::ConcurrencyOperator;
use crate::collector::CandidateCollector;
use crate::evidence::bug_context::BugContext;
use crate::evidence::calls::{
    arguments, below, body, called, is_constructor, is_run_with, is_wait, is_written,
    may_be_interrupted, routine,
};
use crate::evidence::locks::{Lock, held};
use crate::fixes::layout::{
    field_at_top, free_name, has_modifier, line_after, line_before, with_modifier,
};
use crate::fixes::locking::synchronized::title;
use crate::source_file::SourceFile;
use mend_java::Code;
use mend_java::Edit;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole, SymbolId, SymbolKind};
use mend_model::schedules::ScheduleTrace;
use std::collections::{BTreeMap, BTreeSet};

/// Numbers of executions, by iteration and thread.
type IterationCounts = BTreeMap<Iteration, BTreeMap<usize, usize>>;

/// One iteration and its method.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Iteration {
    file: usize,
    method: NodeIndex,
    /// The body of the method, or of the innermost loop in it.
    block: NodeIndex,
}

pub(crate) fn propose(scene: &BugContext<'_>, out: &mut CandidateCollector<'_>) {
    let (mut known, mut shared) = (BTreeSet::new(), BTreeSet::new());
    for example in scene.examples().filter(|example| !example.cut_short) {
        let visits = visits(scene, example);
        known.extend(pairs(scene, &visits));
        shared.extend(visits.into_iter().filter(|(_, by)| is_shared(by)).map(|(round, _)| round));
    }
    for (one, other) in known {
        // Which of the two comes first is for schedules to find out.
        for (first, second) in [(one, other), (other, one)] {
            let code = scene.code(first.file);
            let Some(edits) = in_turns(code, first, second) else { continue };
            let [leader, follower] = [first, second].map(|round| title(code, round.method));
            let why = format!("{leader} and {follower} alternate, and {leader} runs first");
            // The program has no alternation of its own, so any other fix is more specific.
            out.add_in(first.file, ConcurrencyOperator::Signal, 0.38, edits, why);
        }
    }
    for round in shared {
        by_argument(scene, round, out);
    }
}

/// Returns how often threads executed the iterations of main code.
fn visits(scene: &BugContext<'_>, example: &ScheduleTrace) -> IterationCounts {
    let mut sites: BTreeMap<usize, BTreeMap<usize, usize>> = BTreeMap::new();
    for step in &example.steps {
        *sites.entry(step.site).or_default().entry(step.thread).or_default() += 1;
    }
    let mut rounds = IterationCounts::new();
    for (site, own) in sites {
        let spot = example.sites.get(site).and_then(|site| scene.spot(site));
        let spot = spot.filter(|spot| spot.variable.is_some() && !scene.files[spot.file].is_test);
        let Some(spot) = spot else { continue };
        let Some(round) = round(scene.code(spot.file), spot.file, spot.node) else { continue };
        let all = rounds.entry(round).or_default();
        for (thread, count) in own {
            let most = all.entry(thread).or_default();
            *most = count.max(*most);
        }
    }
    rounds
}

/// Returns pairs of methods of one class that two threads executed several times, each by one thread, and equally
/// often.
fn pairs(scene: &BugContext<'_>, visits: &IterationCounts) -> Vec<(Iteration, Iteration)> {
    let alone = |by: &BTreeMap<usize, usize>| by.len() == 1 && by.values().all(|count| *count > 1);
    let known: Vec<_> = visits.iter().filter(|(_, by)| alone(by)).collect();
    let mut found = Vec::new();
    for (number, (one, visits)) in known.iter().enumerate() {
        for (other, others) in known.iter().skip(number + 1) {
            let code = scene.code(one.file);
            let is_one_class =
                one.file == other.file && code.parent(one.method) == code.parent(other.method);
            let is_even = visits.values().eq(others.values()) && visits.keys().ne(others.keys());
            if is_one_class && one.method != other.method && is_even {
                found.push((**one, **other));
            }
        }
    }
    found
}

/// Returns true if two threads executed one iteration equally often.
fn is_shared(by: &BTreeMap<usize, usize>) -> bool {
    let counts: BTreeSet<usize> = by.values().copied().collect();
    by.len() == 2 && counts.len() == 1
}

/// Makes the calls of a method with two different constants alternate. Both can be one call, if its argument is a field
/// that two objects received from their creators.
fn by_argument(scene: &BugContext<'_>, round: Iteration, out: &mut CandidateCollector<'_>) {
    let code = scene.code(round.file);
    for (parameter, values) in told_apart(scene, round) {
        for (first, second) in [(&values[0], &values[1]), (&values[1], &values[0])] {
            let Some(edits) = in_turns_of(code, round, parameter, first, second) else { continue };
            let own = title(code, round.method);
            let name = code.symbol(parameter).map_or("", |one| code.facts.text(one.name));
            let why =
                format!("calls of {own} alternate by the value of {name}, and {first} runs first");
            out.add_in(round.file, ConcurrencyOperator::Signal, 0.37, edits, why);
        }
    }
}

/// Returns the parameters that two calls of a method give different constants, with both constants.
fn told_apart(scene: &BugContext<'_>, round: Iteration) -> Vec<(NodeIndex, [String; 2])> {
    let code = scene.code(round.file);
    let uses = code.node(round.method).symbol.map_or_else(Vec::new, |own| scene.uses(own));
    let call = |(file, callee): (usize, NodeIndex)| (file, scene.code(file).parent(callee));
    let calls: Vec<(usize, NodeIndex)> = uses.into_iter().map(call).collect();
    let given = |at: usize| match calls[..] {
        [only] => {
            let (constructor, at) = filled_from(scene, only, at)?;
            constants(scene, &made_by(scene, constructor), at)
        }
        _ => constants(scene, &calls, at),
    };
    let all = parameters(code, round.method).into_iter().enumerate();
    all.filter_map(|(at, parameter)| Some((parameter, given(at)?))).collect()
}

fn parameters(code: &Code<'_>, routine: NodeIndex) -> Vec<NodeIndex> {
    let children = code.children(routine).into_iter();
    children.filter(|id| code.role(*id) == NodeRole::Parameter).collect()
}

/// Returns the arguments of two calls for one parameter, if they are different constants.
fn constants(
    scene: &BugContext<'_>,
    calls: &[(usize, NodeIndex)],
    at: usize,
) -> Option<[String; 2]> {
    let constant = |(file, call): (usize, NodeIndex)| {
        let code = scene.code(file);
        let given = arguments(code, call).get(at).copied().filter(|id| is_constant(code, *id))?;
        Some(code.written(given).to_owned())
    };
    let [one, other] = *calls else { return None };
    let values = [constant(one)?, constant(other)?];
    (values[0] != values[1]).then_some(values)
}

/// Returns the constructor, and the index of its parameter, that sets the field used as a call's argument.
fn filled_from(
    scene: &BugContext<'_>,
    (file, call): (usize, NodeIndex),
    at: usize,
) -> Option<(SymbolId, usize)> {
    let code = scene.code(file);
    let field = code.node(*arguments(code, call).get(at)?).symbol?;
    let is_set = |(file, id): &(usize, NodeIndex)| is_written(scene.code(*file), *id);
    let set: Vec<_> = scene.uses(field).into_iter().filter(is_set).collect();
    let [(file, target)] = set[..] else { return None };
    let code = scene.code(file);
    let own = routine(code, target).filter(|own| is_constructor(code, *own))?;
    let value = code.node(code.child(code.parent(target), NodeRole::Value)?).symbol?;
    let is_value = |id: &NodeIndex| code.node(*id).symbol == Some(value);
    let at = parameters(code, own).iter().position(is_value)?;
    Some((code.node(own).symbol?, at))
}

/// Returns the places where a constructor is called.
fn made_by(scene: &BugContext<'_>, constructor: SymbolId) -> Vec<(usize, NodeIndex)> {
    let of_file = |(file, one): (usize, &SourceFile<'_>)| -> Vec<(usize, NodeIndex)> {
        let code = &one.code;
        let is_made = |id: &NodeIndex| {
            code.is(*id, NodeKind::NewClass) && code.node(*id).symbol == Some(constructor)
        };
        (0..code.tree.nodes.len()).filter(is_made).map(|id| (file, id)).collect()
    };
    scene.files.iter().enumerate().flat_map(of_file).collect()
}

/// Returns true for a constant that `==` compares reliably, and that has the same meaning everywhere.
fn is_constant(code: &Code<'_>, id: NodeIndex) -> bool {
    matches!(
        code.kind(id),
        NodeKind::CharLiteral
            | NodeKind::IntLiteral
            | NodeKind::LongLiteral
            | NodeKind::BooleanLiteral
    ) || code.is(id, NodeKind::MemberSelect)
        && code.symbol(id).is_some_and(|symbol| symbol.kind == SymbolKind::EnumConstant)
}

/// Returns the iteration that contains a place.
fn round(code: &Code<'_>, file: usize, node: NodeIndex) -> Option<Iteration> {
    let method = routine(code, node).filter(|id| code.is(*id, NodeKind::Method))?;
    let inside = code.self_and_ancestors(node).take_while(|id| *id != method);
    let repeated = inside.into_iter().find(|id| code.is_loop(*id));
    let block = match repeated {
        Some(repeated) => {
            code.child(repeated, NodeRole::Body).filter(|id| code.is(*id, NodeKind::Block))?
        }
        None => body(code, method)?,
    };
    Some(Iteration { file, method, block })
}

/// Makes two iterations alternate: each waits for its turn and then passes it on.
fn in_turns(code: &Code<'_>, first: Iteration, second: Iteration) -> Option<Vec<Edit>> {
    let name = code.facts.text(code.symbol(second.method)?.name);
    let flag = free_name(code, &format!("{name}IsNext"));
    let class = code.parent(first.method);
    let mut edits = vec![field_at_top(code, class, &format!("private boolean {flag};"))?];
    edits.extend(in_turn(code, first, &flag, &format!("{flag} = true;"))?);
    edits.extend(in_turn(code, second, &format!("!{flag}"), &format!("{flag} = false;"))?);
    Some(edits)
}

/// Makes an iteration wait until the argument of its method has its turn, and then pass the turn to the other one.
fn in_turns_of(
    code: &Code<'_>,
    round: Iteration,
    parameter: NodeIndex,
    first: &str,
    second: &str,
) -> Option<Vec<Edit>> {
    let symbol = code.symbol(parameter)?;
    let (name, own) = (code.facts.text(symbol.name), code.node(parameter).symbol);
    if below(code, round.method).any(|id| code.node(id).symbol == own && is_written(code, id)) {
        return None;
    }
    let turn = free_name(code, "next");
    let ty = code.written(code.child(parameter, NodeRole::Type)?);
    let field = format!("private {ty} {turn} = {first};");
    let pass = match ty {
        "boolean" => format!("{turn} = !{name};"),
        _ => format!("{turn} = {name} == {first} ? {second} : {first};"),
    };
    let mut edits = vec![field_at_top(code, code.parent(round.method), &field)?];
    edits.extend(in_turn(code, round, &format!("{name} != {turn}"), &pass)?);
    Some(edits)
}

/// Makes an iteration wait during the other turn, and then pass the turn on. `None` if the iteration can end elsewhere,
/// or would wait on another lock than the object's own.
fn in_turn(code: &Code<'_>, round: Iteration, is_other: &str, pass: &str) -> Option<Vec<Edit>> {
    let all = code.children(round.block);
    let (start, end) = (*all.first()?, *all.last()?);
    let leaves = |id: &NodeIndex| {
        matches!(code.kind(*id), NodeKind::Return | NodeKind::Break | NodeKind::Continue)
    };
    let mut inside = below(code, round.block).filter(|id| is_run_with(code, *id, round.block));
    let is_left = inside.any(|id| leaves(&id) && id != end);
    let waits = below(code, round.method).any(|id| {
        code.is(id, NodeKind::MethodInvocation) && (called(code, id) == "wait" || is_wait(code, id))
    });
    let is_own = held(code, start).iter().all(|held| held.lock == Lock::This);
    if is_left || waits || !is_own || has_modifier(code, round.method, "static") {
        return None;
    }
    let wait = format!("while ({is_other}) {{\n    wait();\n}}");
    let is_told = may_be_interrupted(code, start);
    let wait = if is_told { wait } else { caught(code, &wait) };
    let pass = format!("{pass}\nnotifyAll();");
    let passed =
        if leaves(&end) { line_before(code, end, &pass) } else { line_after(code, end, &pass) };
    let mut edits = vec![line_before(code, start, &wait), passed];
    if !has_modifier(code, round.method, "synchronized") {
        edits.push(with_modifier(code, round.method, "synchronized")?);
    }
    Some(edits)
}
