//! Waits on a latch until another thread has reached a point, if that thread cannot be joined because it continues or
//! belongs to a pool. Also corrects the counts of latches.

use super::joins::{caught, is_late};
use crate::candidate::ConcurrencyOperator;
use crate::collector::CandidateCollector;
use crate::evidence::bug_context::{BugContext, SourceLocation};
use crate::evidence::calls::{
    arguments, below, body, called, is_constructor, is_run_with, may_be_interrupted, receiver,
    routine,
};
use crate::evidence::locks::held;
use crate::evidence::regions::in_list;
use crate::fixes::layout::{
    field_at_top, free_name, has_modifier, imported, line_after, line_before, unit,
};
use crate::fixes::locking::synchronized::title;
use mend_java::Code;
use mend_java::Edit;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole, SymbolFlags, SymbolId, SymbolKind};

/// Class of latches.
const LATCH: &str = "java.util.concurrent.CountDownLatch";

pub(crate) fn propose(scene: &BugContext<'_>, out: &mut CandidateCollector<'_>) {
    for shown in scene.patterns.iter().filter(|shown| shown.pattern.passing == 0) {
        // What is seen is the wrong order.
        if let ([early, late], true) = (&shown.spots[..], shown.pattern.form.ends_with('W')) {
            awaited(scene, *early, *late, out);
        }
    }
    if scene.findings.failing > 0 {
        propose_latch_counts(scene, out);
    }
}

/// Makes a step that runs too early wait on a latch, which is counted down after the step that runs too late.
fn awaited(
    scene: &BugContext<'_>,
    early: SourceLocation,
    late: SourceLocation,
    out: &mut CandidateCollector<'_>,
) {
    let code = scene.code(early.file);
    let (Some(waiting), Some(own)) = (before_waiting(code, early.node), routine(code, early.node))
    else {
        return;
    };
    // The end of a thread says more than how far it has come.
    let mut weight = if is_late(scene) { 0.85 } else { 0.55 };
    for end in ends(scene, late).into_iter().filter(|end| end.file == early.file) {
        let name = free_name(code, "done");
        let Some(declared) = declared(code, own, waiting, &end, &name) else { continue };
        let wait = format!("{name}.await();");
        let wait = if may_be_interrupted(code, waiting) { wait } else { caught(code, &wait) };
        let mut edits = vec![declared, line_before(code, waiting, &wait), end.counted(code, &name)];
        edits.extend(imported(code, LATCH));
        let why = format!(
            "{} waits on a latch until line {} has run, as it cannot join the thread of that line",
            title(code, own),
            code.line(end.node)
        );
        out.add_in(early.file, ConcurrencyOperator::Latch, weight, edits, why);
        weight -= 0.01;
    }
}

/// Returns the statement before which to wait. It is outside all locks, as the other thread may need them to reach its
/// point.
fn before_waiting(code: &Code<'_>, early: NodeIndex) -> Option<NodeIndex> {
    let own = routine(code, early)?;
    let outermost = held(code, early).into_iter().next_back().map_or(early, |held| held.by);
    let is_held = code.is(outermost, NodeKind::Method);
    let statement = in_list(code, outermost).filter(|_| !is_held && !is_constructor(code, own))?;
    // What stands before the call of another constructor, or where a local class is declared, is no place.
    is_run_with(code, early, own).then_some(statement)
}

/// A point at which a thread has done the work that others wait for.
struct CompletionPoint {
    file: usize,
    /// The routine that is run by the thread.
    routine: NodeIndex,
    /// The statement before the countdown, or the expression of a lambda.
    node: NodeIndex,
}

impl CompletionPoint {
    /// Counts a latch down there.
    fn counted(&self, code: &Code<'_>, latch: &str) -> Edit {
        let count = format!("{latch}.countDown();");
        if code.is_statement(self.node) {
            return line_after(code, self.node, &count);
        }
        let (end, indent, unit) = (code.line_end(), code.indent(self.node), unit(code));
        let own = code.written(self.node);
        let text = format!("{{{end}{indent}{unit}{own};{end}{indent}{unit}{count}{end}{indent}}}");
        Edit::replace(code.bytes(self.node), text)
    }
}

/// Returns the ends of the late work: the loop around it, the statement itself, and the thread's call of its method.
fn ends(scene: &BugContext<'_>, late: SourceLocation) -> Vec<CompletionPoint> {
    let code = scene.code(late.file);
    let Some(own) = routine(code, late.node) else { return Vec::new() };
    let calls = calls_of_threads(scene, late.file, own);
    let places = calls.into_iter().chain([(late.file, late.node)]);
    places.flat_map(|(file, node)| ends_of(scene.code(file), file, node)).collect()
}

fn ends_of(code: &Code<'_>, file: usize, node: NodeIndex) -> Vec<CompletionPoint> {
    let Some(routine) = routine(code, node).filter(|own| !is_constructor(code, *own)) else {
        return Vec::new();
    };
    let end = |node| CompletionPoint { file, routine, node };
    let expression = code.child(routine, NodeRole::Body).filter(|_| body(code, routine).is_none());
    if let Some(expression) = expression {
        return vec![end(expression)];
    }
    let around = code.self_and_ancestors(node).take_while(|id| *id != routine);
    let outer = around.filter(|id| code.is_loop(*id)).last();
    let mut all: Vec<NodeIndex> =
        outer.into_iter().chain([node]).filter_map(|id| in_list(code, id)).collect();
    all.dedup();
    all.retain(|id| {
        code.is_statement(*id) && !matches!(code.kind(*id), NodeKind::Return | NodeKind::Throw)
    });
    all.into_iter().map(end).collect()
}

/// Returns the calls of a method by a lambda or by a method called `run`.
fn calls_of_threads(
    scene: &BugContext<'_>,
    file: usize,
    own: NodeIndex,
) -> Vec<(usize, NodeIndex)> {
    let method = scene.code(file).node(own).symbol;
    let method = method.filter(|_| scene.code(file).is(own, NodeKind::Method));
    let uses = method.map(|method| scene.uses(method)).unwrap_or_default();
    let call = |(file, callee): (usize, NodeIndex)| {
        let code = scene.code(file);
        let (call, by) = (code.parent(callee), routine(code, callee)?);
        let runs = code.is(by, NodeKind::LambdaExpression)
            || code.symbol(by).is_some_and(|by| code.facts.text(by.name) == "run");
        let is_call =
            code.is(call, NodeKind::MethodInvocation) && code.role(callee) == NodeRole::Callee;
        (runs && is_call && !scene.files[file].is_test).then_some((file, call))
    };
    uses.into_iter().filter_map(call).collect()
}

/// Declares a latch: a local one where who waits has given the thread what it does, else a field of the class that both
/// are in.
fn declared(
    code: &Code<'_>,
    own: NodeIndex,
    waiting: NodeIndex,
    end: &CompletionPoint,
    name: &str,
) -> Option<Edit> {
    let made = |count: &str| format!("CountDownLatch {name} = new CountDownLatch({count});");
    let is_own = below(code, own).contains(&end.routine);
    let siblings = code.children(code.parent(waiting));
    let given =
        siblings.iter().copied().find(|id| (*id..code.node(*id).end).contains(&end.routine));
    let round = code.self_and_ancestors(end.routine).skip(1).take_while(|id| *id != own);
    let round = round.filter(|id| code.is_loop(*id)).last();
    let limit = round.map_or_else(|| Some(("1".to_owned(), true)), |round| rounds(code, round));
    let (count, is_constant) = limit?;
    if is_own {
        let given = given.filter(|given| *given < waiting)?;
        let is_whole = round.is_none_or(|round| round == given);
        return is_whole.then(|| line_before(code, given, &made(&count)));
    }
    let class = code
        .self_and_ancestors(waiting)
        .find(|id| code.is_type(*id) && (*id..code.node(*id).end).contains(&end.node))?;
    let is_static = [own, end.routine]
        .iter()
        .any(|id| code.method_of(*id).is_some_and(|method| has_modifier(code, method, "static")));
    let modifier = if is_static { "static " } else { "" };
    let text = format!("private {modifier}final {}", made(&count));
    field_at_top(code, class, &text).filter(|_| is_constant)
}

/// Returns the number of iterations of a loop, if its head states it, and true if the number is valid everywhere.
fn rounds(code: &Code<'_>, round: NodeIndex) -> Option<(String, bool)> {
    if code.is(round, NodeKind::EnhancedForLoop) {
        let all = code.child(round, NodeRole::Value)?;
        let ty = code.type_of(all);
        let size = if ty.ends_with("[]") { "length" } else { "size()" };
        let is_known = ty.ends_with("[]") || ty.starts_with("java.util.");
        let is_named = code.kind(all).is_name();
        return (is_known && is_named).then(|| (format!("{}.{size}", code.written(all)), false));
    }
    let condition =
        code.child(round, NodeRole::Condition).filter(|_| code.is(round, NodeKind::ForLoop))?;
    let condition = crate::evidence::calls::bare(code, condition);
    let (left, _, limit) =
        code.binary(condition).filter(|_| code.is(condition, NodeKind::LessThan))?;
    let counter = code.node(left).symbol?;
    let is_from_zero = code.children(round).into_iter().any(|id| {
        let value = code.child(id, NodeRole::Value);
        code.node(id).symbol == Some(counter)
            && value.is_some_and(|value| code.written(value) == "0")
    });
    let steps = |id: NodeIndex| {
        code.kind(id).is_increment()
            && code.children(id).first().is_some_and(|on| code.node(*on).symbol == Some(counter))
    };
    let is_stepped = below(code, round).filter(|id| steps(*id)).count() == 1;
    (is_from_zero && is_stepped).then(|| (code.written(limit).to_owned(), is_constant(code, limit)))
}

fn is_constant(code: &Code<'_>, value: NodeIndex) -> bool {
    let is_literal = code.is(value, NodeKind::IntLiteral);
    is_literal
        || code.symbol(value).is_some_and(|symbol| {
            symbol.kind == SymbolKind::Field && symbol.flags.has(SymbolFlags::CONSTANT)
        })
}

/// Latches that are counted down in more places than it takes to open them.
fn propose_latch_counts(scene: &BugContext<'_>, out: &mut CandidateCollector<'_>) {
    for (file, code) in scene.main() {
        for made in code.nodes_of_kind(NodeKind::NewClass) {
            let holder = code.parent(made);
            let count = arguments(code, made).first().copied();
            let count = count
                .filter(|id| code.type_of(made) == LATCH && code.is(*id, NodeKind::IntLiteral));
            let (Some(count), Some(latch)) = (count, code.node(holder).symbol) else { continue };
            let Some(all) = counted_down(scene, latch) else { continue };
            if all == code.written(count) {
                continue;
            }
            let name = code.facts.name(latch);
            let why = format!(
                "the count of {name} becomes {all}, the number of times it is counted down"
            );
            let edit = Edit::replace(code.bytes(count), all);
            out.add_in(file, ConcurrencyOperator::Latch, 0.965, vec![edit], why);
        }
    }
}

/// Returns how often a latch is counted down, according to the sources.
fn counted_down(scene: &BugContext<'_>, latch: SymbolId) -> Option<String> {
    let mut all: Vec<String> = Vec::new();
    for (file, on) in scene.uses(latch).into_iter().filter(|(file, _)| !scene.files[*file].is_test)
    {
        let code = scene.code(file);
        let call = code.parent(code.parent(on));
        if receiver(code, call) == Some(on) && called(code, call) == "countDown" {
            all.extend(times(scene, file, call)?);
        }
    }
    let numbers: Option<Vec<u32>> = all.iter().map(|one| one.parse().ok()).collect();
    match (&all[..], numbers) {
        ([], _) => None,
        ([only], _) => Some(only.clone()),
        (_, numbers) => Some(numbers?.iter().sum::<u32>().to_string()),
    }
}

/// Returns how often threads reach a place: once per thread or task with its routine, in each loop iteration.
fn times(scene: &BugContext<'_>, file: usize, call: NodeIndex) -> Option<Vec<String>> {
    let code = scene.code(file);
    let own = routine(code, call)?;
    let method = code.node(own).symbol.filter(|_| code.is(own, NodeKind::Method));
    let given: Vec<(usize, NodeIndex)> = match method {
        Some(method) => scene.uses(method).into_iter().chain(references(scene, method)).collect(),
        None => vec![(file, own)],
    };
    let each = |(file, at): (usize, NodeIndex)| {
        let code = scene.code(file);
        let outer =
            code.self_and_ancestors(at).skip(1).find(|id| code.is(*id, NodeKind::Method))?;
        let round = code
            .self_and_ancestors(at)
            .take_while(|id| *id != outer)
            .filter(|id| code.is_loop(*id))
            .last();
        round.map_or_else(
            || Some("1".to_owned()),
            |round| rounds(code, round).map(|(count, _)| count),
        )
    };
    given.into_iter().map(each).collect()
}

/// Returns the method references of the form `this::method`.
fn references(scene: &BugContext<'_>, method: SymbolId) -> Vec<(usize, NodeIndex)> {
    let of_file = |(file, code): (usize, &Code<'_>)| {
        let refers = |id: &NodeIndex| {
            code.is(*id, NodeKind::MemberReference) && code.node(*id).symbol == Some(method)
        };
        (0..code.tree.nodes.len()).filter(refers).map(move |id| (file, id)).collect::<Vec<_>>()
    };
    scene.main().flat_map(of_file).collect()
}
