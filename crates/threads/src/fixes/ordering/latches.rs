//! Fix operators for latches: wait until a thread that cannot be joined has reached a point, and correct the counts of
//! latches.

use super::joins::{catch_interrupt, may_run_late};
use crate::collector::CandidateCollector;
use crate::evidence::bug_context::{BugContext, SourceLocation};
use crate::evidence::calls::{
    arguments, block_body, descendants, enclosing_routine, handles_interrupt, has_modifier,
    is_constructor, method_name, receiver, runs_with,
};
use crate::evidence::locks::held_locks;
use crate::evidence::regions::statement_in_block;
use crate::fixes::layout::{
    import_class, indent_unit, insert_first_field, insert_line_after, insert_line_before,
    unused_name,
};
use crate::fixes::locking::synchronized::routine_title;
use crate::operator::ConcurrencyOperator;
use mend_java::Code;
use mend_java::Edit;
use mend_java::facts::{
    FileNode, NodeIndex, NodeKind, NodeRole, SymbolFlags, SymbolId, SymbolKind,
};

/// Name of the latch class.
const LATCH_CLASS: &str = "java.util.concurrent.CountDownLatch";

/// Penalty of a latch that one method both waits for and counts down.
const OWN_METHOD_PENALTY: f64 = 0.5;

pub(crate) fn propose(context: &BugContext<'_>, out: &mut CandidateCollector<'_>) {
    for located in context.patterns.iter().filter(|located| located.pattern.passing == 0) {
        // The pattern shows the wrong order: the first step is too early.
        if let ([early, late], true) = (&located.locations[..], located.pattern.form.ends_with('W'))
        {
            propose_latch(context, *early, *late, out);
        }
    }
    if context.findings.failing > 0 {
        propose_latch_counts(context, out);
    }
}

/// Makes a step that runs too early wait on a latch, which is counted down after the step that runs too late.
fn propose_latch(
    context: &BugContext<'_>,
    early: SourceLocation,
    late: SourceLocation,
    out: &mut CandidateCollector<'_>,
) {
    let code = context.code(early.file);
    let (Some(wait_position), Some(own)) =
        (find_wait_position(code, early.node), enclosing_routine(code, early.node))
    else {
        return;
    };
    // If the thread can be joined, that is better than a latch.
    let mut weight = if may_run_late(context) { 0.85 } else { 0.55 };
    for end in completion_points(context, late).into_iter().filter(|end| end.file == early.file) {
        let name = unused_name(code, "done");
        let Some(declared) = declare_latch(code, own, wait_position, &end, &name) else { continue };
        let wait = format!("{name}.await();");
        let wait = if handles_interrupt(code, wait_position) {
            wait
        } else {
            catch_interrupt(code, &wait)
        };
        let mut edits = vec![
            declared,
            insert_line_before(code, wait_position, &wait),
            end.count_down_edit(code, &name),
        ];
        edits.extend(import_class(code, LATCH_CLASS));
        let why = format!(
            "{} waits on a latch until line {} has run, as it cannot join the thread of that line",
            routine_title(code, own),
            code.line(end.node)
        );
        // If one method waits and counts down, a thread that fails to count down leaves all others waiting.
        let is_own_method = enclosing_routine(code, end.node) == Some(own);
        let score = if is_own_method { weight - OWN_METHOD_PENALTY } else { weight };
        out.add_in(early.file, ConcurrencyOperator::Latch, score, edits, why);
        weight -= 0.01;
    }
}

/// Returns the statement before which to wait. It is outside all locks, as the other thread may need them to reach its
/// point.
fn find_wait_position(code: &Code<'_>, early: NodeIndex) -> Option<NodeIndex> {
    let own = enclosing_routine(code, early)?;
    let outermost =
        held_locks(code, early).into_iter().next_back().map_or(early, |held| held.acquisition);
    let is_held = code.has_kind(outermost, NodeKind::Method);
    let statement =
        statement_in_block(code, outermost).filter(|_| !is_held && !is_constructor(code, own))?;
    // No statement may precede the call of another constructor; a local class declaration is no position either.
    runs_with(code, early, own).then_some(statement)
}

/// A point at which a thread has done the work that others wait for.
struct CompletionPoint {
    file: usize,
    /// Routine that the thread runs.
    routine: NodeIndex,
    /// The statement before the countdown, or the expression of a lambda.
    node: NodeIndex,
}

impl CompletionPoint {
    /// Returns the edit that counts the latch down at the point.
    fn count_down_edit(&self, code: &Code<'_>, latch: &str) -> Edit {
        let count = format!("{latch}.countDown();");
        if code.is_statement(self.node) {
            return insert_line_after(code, self.node, &count);
        }
        let (end, indent, unit) = (code.line_end(), code.indent(self.node), indent_unit(code));
        let own = code.source_text(self.node);
        let text = format!("{{{end}{indent}{unit}{own};{end}{indent}{unit}{count}{end}{indent}}}");
        Edit::replace(code.bytes(self.node), text)
    }
}

/// Returns the points at which the late work is done: after the loop around it, after the statement, and after the
/// thread's call of its method.
fn completion_points(context: &BugContext<'_>, late: SourceLocation) -> Vec<CompletionPoint> {
    let code = context.code(late.file);
    let Some(own) = enclosing_routine(code, late.node) else { return Vec::new() };
    let calls = calls_by_threads(context, late.file, own);
    let places = calls.into_iter().chain([(late.file, late.node)]);
    places.flat_map(|(file, node)| completion_points_at(context.code(file), file, node)).collect()
}

fn completion_points_at(code: &Code<'_>, file: usize, node: NodeIndex) -> Vec<CompletionPoint> {
    let Some(routine) = enclosing_routine(code, node).filter(|own| !is_constructor(code, *own))
    else {
        return Vec::new();
    };
    let end = |node| CompletionPoint { file, routine, node };
    let expression =
        code.child(routine, NodeRole::Body).filter(|_| block_body(code, routine).is_none());
    if let Some(expression) = expression {
        return vec![end(expression)];
    }
    let enclosing = code.self_and_ancestors(node).take_while(|id| *id != routine);
    let outer = enclosing.filter(|id| code.is_loop(*id)).last();
    let mut all: Vec<NodeIndex> =
        outer.into_iter().chain([node]).filter_map(|id| statement_in_block(code, id)).collect();
    all.dedup();
    all.retain(|id| {
        code.is_statement(*id) && !matches!(code.kind(*id), NodeKind::Return | NodeKind::Throw)
    });
    all.into_iter().map(end).collect()
}

/// Returns the calls of a method by a lambda or by a method called `run`.
fn calls_by_threads(context: &BugContext<'_>, file: usize, own: NodeIndex) -> Vec<FileNode> {
    let method = context.code(file).node(own).symbol;
    let method = method.filter(|_| context.code(file).has_kind(own, NodeKind::Method));
    let uses = method.map(|method| context.uses(method)).unwrap_or_default();
    let call = |(file, callee): FileNode| {
        let code = context.code(file);
        let (call, by) = (code.parent(callee), enclosing_routine(code, callee)?);
        let runs = code.has_kind(by, NodeKind::LambdaExpression)
            || code.symbol(by).is_some_and(|by| code.facts.text(by.name) == "run");
        let is_call = code.has_kind(call, NodeKind::MethodInvocation)
            && code.role(callee) == NodeRole::Callee;
        (runs && is_call && !context.files[file].is_test).then_some((file, call))
    };
    uses.into_iter().filter_map(call).collect()
}

/// Declares a latch: a local variable if the waiting routine creates the other thread's code, otherwise a field of the
/// common class.
fn declare_latch(
    code: &Code<'_>,
    own: NodeIndex,
    waiting: NodeIndex,
    end: &CompletionPoint,
    name: &str,
) -> Option<Edit> {
    let declaration = |count: &str| format!("CountDownLatch {name} = new CountDownLatch({count});");
    let is_own = descendants(code, own).contains(&end.routine);
    let siblings = code.children(code.parent(waiting));
    let start_statement = siblings
        .iter()
        .copied()
        .find(|id| (*id..code.node(*id).subtree_end).contains(&end.routine));
    let enclosing_loops = code.self_and_ancestors(end.routine).skip(1).take_while(|id| *id != own);
    let outermost_loop = enclosing_loops.filter(|id| code.is_loop(*id)).last();
    let limit = outermost_loop.map_or_else(
        || Some(("1".to_owned(), true)),
        |outermost_loop| iteration_count(code, outermost_loop),
    );
    let (count, is_constant) = limit?;
    if is_own {
        let start_statement =
            start_statement.filter(|start_statement| *start_statement < waiting)?;
        let is_whole =
            outermost_loop.is_none_or(|outermost_loop| outermost_loop == start_statement);
        return is_whole.then(|| insert_line_before(code, start_statement, &declaration(&count)));
    }
    let class = code.self_and_ancestors(waiting).find(|id| {
        code.is_type_declaration(*id) && (*id..code.node(*id).subtree_end).contains(&end.node)
    })?;
    let is_static = [own, end.routine].iter().any(|id| {
        code.enclosing_method(*id).is_some_and(|method| has_modifier(code, method, "static"))
    });
    let modifier = if is_static { "static " } else { "" };
    let text = format!("private {modifier}final {}", declaration(&count));
    insert_first_field(code, class, &text).filter(|_| is_constant)
}

/// Returns the number of iterations of a loop, if its head states it, and true if the number is valid everywhere.
fn iteration_count(code: &Code<'_>, loop_node: NodeIndex) -> Option<(String, bool)> {
    if code.has_kind(loop_node, NodeKind::EnhancedForLoop) {
        let all = code.child(loop_node, NodeRole::Value)?;
        let ty = code.type_of(all);
        let size = if ty.ends_with("[]") { "length" } else { "size()" };
        let is_known = ty.ends_with("[]") || ty.starts_with("java.util.");
        let is_named = code.kind(all).is_name();
        return (is_known && is_named)
            .then(|| (format!("{}.{size}", code.source_text(all)), false));
    }
    let condition = code
        .child(loop_node, NodeRole::Condition)
        .filter(|_| code.has_kind(loop_node, NodeKind::ForLoop))?;
    let condition = crate::evidence::calls::strip_parentheses(code, condition);
    let (left, _, limit) =
        code.binary_operands(condition).filter(|_| code.has_kind(condition, NodeKind::LessThan))?;
    let counter = code.node(left).symbol?;
    let is_from_zero = code.children(loop_node).into_iter().any(|id| {
        let value = code.child(id, NodeRole::Value);
        code.node(id).symbol == Some(counter)
            && value.is_some_and(|value| code.source_text(value) == "0")
    });
    let steps = |id: NodeIndex| {
        code.kind(id).is_increment()
            && code.children(id).first().is_some_and(|on| code.node(*on).symbol == Some(counter))
    };
    let is_stepped = descendants(code, loop_node).filter(|id| steps(*id)).count() == 1;
    (is_from_zero && is_stepped)
        .then(|| (code.source_text(limit).to_owned(), is_constant(code, limit)))
}

fn is_constant(code: &Code<'_>, value: NodeIndex) -> bool {
    let is_literal = code.has_kind(value, NodeKind::IntLiteral);
    is_literal
        || code.symbol(value).is_some_and(|symbol| {
            symbol.kind == SymbolKind::Field && symbol.flags.has(SymbolFlags::CONSTANT)
        })
}

/// Corrects latches that are counted down more often than their count.
fn propose_latch_counts(context: &BugContext<'_>, out: &mut CandidateCollector<'_>) {
    for (file, code) in context.main_files() {
        for made in code.nodes_of_kind(NodeKind::NewClass) {
            let holder = code.parent(made);
            let count = arguments(code, made).first().copied();
            let count = count.filter(|id| {
                code.type_of(made) == LATCH_CLASS && code.has_kind(*id, NodeKind::IntLiteral)
            });
            let (Some(count), Some(latch)) = (count, code.node(holder).symbol) else { continue };
            let Some(all) = countdown_total(context, latch) else { continue };
            if all == code.source_text(count) {
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
fn countdown_total(context: &BugContext<'_>, latch: SymbolId) -> Option<String> {
    let mut all: Vec<String> = Vec::new();
    for (file, on) in
        context.uses(latch).into_iter().filter(|(file, _)| !context.files[*file].is_test)
    {
        let code = context.code(file);
        let call = code.parent(code.parent(on));
        if receiver(code, call) == Some(on) && method_name(code, call) == "countDown" {
            all.extend(execution_counts(context, file, call)?);
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
fn execution_counts(context: &BugContext<'_>, file: usize, call: NodeIndex) -> Option<Vec<String>> {
    let code = context.code(file);
    let own = enclosing_routine(code, call)?;
    let method = code.node(own).symbol.filter(|_| code.has_kind(own, NodeKind::Method));
    let task_sites: Vec<FileNode> = match method {
        Some(method) => {
            context.uses(method).into_iter().chain(method_references(context, method)).collect()
        }
        None => vec![(file, own)],
    };
    let count_at = |(file, at): FileNode| {
        let code = context.code(file);
        let outer =
            code.self_and_ancestors(at).skip(1).find(|id| code.has_kind(*id, NodeKind::Method))?;
        let outermost_loop = code
            .self_and_ancestors(at)
            .take_while(|id| *id != outer)
            .filter(|id| code.is_loop(*id))
            .last();
        outermost_loop.map_or_else(
            || Some("1".to_owned()),
            |outermost_loop| iteration_count(code, outermost_loop).map(|(count, _)| count),
        )
    };
    task_sites.into_iter().map(count_at).collect()
}

/// Returns the method references of the form `this::method`.
fn method_references(context: &BugContext<'_>, method: SymbolId) -> Vec<FileNode> {
    let of_file = |(file, code): (usize, &Code<'_>)| {
        let refers = |id: &NodeIndex| {
            code.has_kind(*id, NodeKind::MemberReference) && code.node(*id).symbol == Some(method)
        };
        (0..code.tree.nodes.len()).filter(refers).map(move |id| (file, id)).collect::<Vec<_>>()
    };
    context.main_files().flat_map(of_file).collect()
}
