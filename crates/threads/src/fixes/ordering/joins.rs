//! Fix operators that wait for started threads, tasks and futures before their results are needed.

use crate::collector::CandidateCollector;
use crate::evidence::bug_context::{BugContext, SourceLocation};
use crate::evidence::calls::{
    declared_type, enclosing_block, enclosing_routine, enclosing_statement, find_calls,
    handles_interrupt, method_name, receiver, statement_call,
};
use crate::fixes::layout::{
    import_class, insert_line_after, insert_line_before, remove_statement, unused_name,
};
use crate::operator::ConcurrencyOperator;
use mend_java::Code;
use mend_java::Edit;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole, SymbolKind};

/// A started task, and the code that waits for its end.
struct StartedTask {
    /// The statement that starts it.
    statement: NodeIndex,
    /// Code that waits for the task.
    wait: String,
    /// True if the wait can throw `InterruptedException`.
    is_interruptible: bool,
    /// Edits that make the wait possible.
    edits: Vec<Edit>,
    /// Description of the wait, for people.
    description: String,
}

pub(crate) fn propose(context: &BugContext<'_>, out: &mut CandidateCollector<'_>) {
    let weight = if may_run_late(context) { 0.96 } else { 0.6 };
    for location in context.step_locations(|step| step.what == "start") {
        let code = context.code(location.file);
        let weight = if context.files[location.file].is_test { weight - 0.3 } else { weight };
        propose_future_join(code, location, weight, out);
        if let Some(started) =
            unjoined_thread(code, location.node).or_else(|| unawaited_pool(code, location.node))
        {
            propose_waits(code, location.file, &started, weight, out);
        }
    }
    for location in context.step_locations(|step| step.what == "sleep") {
        if context.files[location.file].is_test {
            replace_sleep_by_join(context.code(location.file), location, out);
            replace_sleep_by_termination(context, location, out);
        }
    }
}

/// Returns true if a step of a younger thread may run too late, so that the older thread should wait for it.
pub(crate) fn may_run_late(context: &BugContext<'_>) -> bool {
    let first = context.patterns.first();
    first.is_none_or(|located| {
        located.locations.len() == 2 && context.is_older_first(located) != Some(false)
    })
}

/// Returns a started thread that is never joined.
fn unjoined_thread(code: &Code<'_>, call: NodeIndex) -> Option<StartedTask> {
    let on = receiver(code, call).filter(|_| method_name(code, call) == "start")?;
    let own = enclosing_routine(code, call)?;
    let statement = enclosing_statement(code, call)?;
    let outer = code
        .self_and_ancestors(statement)
        .take_while(|id| *id != own)
        .filter(|id| code.is_loop(*id))
        .last();
    let text = code.source_text(on);
    // A thread in a field may be joined by any method.
    let is_kept = code.symbol(on).is_some_and(|symbol| symbol.kind == SymbolKind::Field);
    let is_joined = find_calls(code, if is_kept { 0 } else { own }, &["join"])
        .into_iter()
        .any(|join| receiver(code, join).is_some_and(|one| code.source_text(one) == text));
    let description = format!("the thread started on line {} is joined", code.line(statement));
    let started_task = |wait: String, statement, edits| StartedTask {
        statement,
        wait,
        is_interruptible: true,
        edits,
        description,
    };
    match (code.kind(on), outer) {
        _ if is_joined => None,
        (NodeKind::NewClass, None) => {
            let name = unused_name(code, "thread");
            let creation = format!("Thread {name} = {text};\n{name}.start();");
            let indent = format!("{}{}", code.line_end(), code.indent(statement));
            let creation = creation.replacen('\n', &indent, 1);
            let edit = Edit::replace(code.bytes(statement), creation);
            Some(started_task(format!("{name}.join();"), statement, vec![edit]))
        }
        (NodeKind::ArrayAccess, Some(outer)) => {
            let array = code.source_text(*code.children(on).first()?);
            let name = unused_name(code, "thread");
            let wait = format!("for (Thread {name} : {array}) {{\n    {name}.join();\n}}");
            Some(started_task(wait, outer, Vec::new()))
        }
        (NodeKind::Identifier | NodeKind::MemberSelect, None) => {
            Some(started_task(format!("{text}.join();"), statement, Vec::new()))
        }
        _ => None,
    }
}

/// Returns a pool that is shut down without a wait for its tasks.
fn unawaited_pool(code: &Code<'_>, call: NodeIndex) -> Option<StartedTask> {
    let pool = receiver(code, call)
        .filter(|_| matches!(method_name(code, call), "execute" | "submit" | "schedule"))?;
    // A pool in a field may be shut down by any method.
    let is_kept = code.symbol(pool).is_some_and(|symbol| symbol.kind == SymbolKind::Field);
    let own = if is_kept { 0 } else { enclosing_routine(code, call)? };
    let text = code.source_text(pool);
    let is_own =
        |id: &NodeIndex| receiver(code, *id).is_some_and(|on| code.source_text(on) == text);
    let shut = find_calls(code, own, &["shutdown"]).into_iter().find(is_own)?;
    if find_calls(code, own, &["awaitTermination"]).iter().any(is_own) {
        return None;
    }
    Some(StartedTask {
        statement: enclosing_statement(code, shut)?,
        wait: format!("{text}.awaitTermination(1, TimeUnit.MINUTES);"),
        is_interruptible: true,
        edits: import_class(code, "java.util.concurrent.TimeUnit").into_iter().collect(),
        description: format!("the end of the pool {text} is awaited"),
    })
}

/// Proposes a wait at each position after the start, the latest first, to keep the threads concurrent for longer.
fn propose_waits(
    code: &Code<'_>,
    file: usize,
    started: &StartedTask,
    weight: f64,
    out: &mut CandidateCollector<'_>,
) {
    let Some((block, own)) = enclosing_block(code, started.statement) else { return };
    let after: Vec<NodeIndex> = code.children(block).into_iter().filter(|id| *id > own).collect();
    let wait = |at: NodeIndex| {
        let needs_catch = started.is_interruptible && !handles_interrupt(code, at);
        if needs_catch { catch_interrupt(code, &started.wait) } else { started.wait.clone() }
    };
    let own_edit = started.edits.iter().find(|edit| edit.bytes.0 == code.bytes(own).start);
    let last = after.last().copied().unwrap_or(own);
    let ends = |id: NodeIndex| {
        matches!(
            code.kind(id),
            NodeKind::Return | NodeKind::Throw | NodeKind::Break | NodeKind::Continue
        )
    };
    let mut insertions: Vec<Edit> = Vec::new();
    if !ends(last) && own_edit.is_none_or(|_| last != own) {
        insertions.push(insert_line_after(code, last, &wait(last)));
    }
    // A wait before another start would prevent that concurrency.
    let starts =
        |id: &&NodeIndex| find_calls(code, **id, &["start", "execute", "submit"]).is_empty();
    let free = after.iter().rev().take_while(starts);
    insertions.extend(free.map(|id| insert_line_before(code, *id, &wait(*id))));
    for (number, edit) in (0..6_u32).zip(insertions) {
        let mut edits = started.edits.clone();
        edits.push(edit);
        let why = format!("{} before its results are needed", started.description);
        out.add_in(file, ConcurrencyOperator::Join, weight - f64::from(number) * 0.01, edits, why);
    }
}

/// Wraps a wait for a routine that cannot throw `InterruptedException`.
pub(crate) fn catch_interrupt(code: &Code<'_>, wait: &str) -> String {
    let (name, handler) = find_interrupt_handler(code).unwrap_or_else(|| {
        let handler =
            ["Thread.currentThread().interrupt();", "throw new IllegalStateException(e);"];
        ("e", handler.to_vec())
    });
    let indent = |lines: &str| lines.replace('\n', "\n    ");
    let (wait, handler) = (indent(wait), indent(&handler.join("\n")));
    format!("try {{\n    {wait}\n}} catch (InterruptedException {name}) {{\n    {handler}\n}}")
}

/// Returns the file's usual handler for an interrupt, if it restores the interrupt flag or throws: the name of the
/// exception, and the statements.
fn find_interrupt_handler<'a>(code: &Code<'a>) -> Option<(&'a str, Vec<&'a str>)> {
    let catches = code.nodes_of_kind(NodeKind::Catch);
    catches.into_iter().find_map(|id| {
        let parts = code.children(id);
        let variable = parts.iter().copied().find(|id| code.has_kind(*id, NodeKind::Variable))?;
        let block = parts.iter().copied().find(|id| code.has_kind(*id, NodeKind::Block))?;
        let acts = code.children(block);
        let is_meant = |act: &NodeIndex| {
            code.has_kind(*act, NodeKind::Throw)
                || statement_call(code, *act)
                    .is_some_and(|call| method_name(code, call) == "interrupt")
        };
        let is_own = declared_type(code, variable) == "java.lang.InterruptedException";
        let texts = acts.iter().map(|act| code.source_text(*act)).collect::<Vec<_>>();
        let signals_interrupt = !acts.is_empty() && acts.iter().all(is_meant);
        let name = code.facts.text(code.symbol(variable)?.name);
        (is_own && signals_interrupt && texts.iter().all(|text| !text.contains('\n')))
            .then_some((name, texts))
    })
}

/// Joins a future whose result is never used.
fn propose_future_join(
    code: &Code<'_>,
    location: SourceLocation,
    weight: f64,
    out: &mut CandidateCollector<'_>,
) {
    if !matches!(method_name(code, location.node), "runAsync" | "supplyAsync" | "thenRunAsync") {
        return;
    }
    let Some(own) = enclosing_statement(code, location.node) else { return };
    let description = format!("the future created on line {} is joined", code.line(own));
    if code.has_kind(own, NodeKind::ExpressionStatement) && code.parent(location.node) == own {
        let edit = Edit::insert(code.bytes(location.node).end, ".join()");
        let why = format!("{description} before its results are needed");
        out.add_in(location.file, ConcurrencyOperator::Join, weight, vec![edit], why);
        return;
    }
    let name = code.symbol(own).map(|symbol| code.facts.text(symbol.name));
    let is_assigned =
        code.has_kind(own, NodeKind::Variable) && code.child(own, NodeRole::Value).is_some();
    let Some(name) = name.filter(|_| is_assigned) else { return };
    let started = StartedTask {
        statement: own,
        wait: format!("{name}.join();"),
        is_interruptible: false,
        edits: Vec::new(),
        description,
    };
    propose_waits(code, location.file, &started, weight, out);
}

/// Replaces a sleep in a test by a wait for the started thread or future.
fn replace_sleep_by_join(
    code: &Code<'_>,
    location: SourceLocation,
    out: &mut CandidateCollector<'_>,
) {
    let Some(sleep) = enclosing_statement(code, location.node) else { return };
    let Some((block, own)) = enclosing_block(code, sleep) else { return };
    for before in code.children(block).into_iter().filter(|id| *id < own) {
        let call = code.children(before).first().copied();
        let ignored = call.filter(|_| code.has_kind(before, NodeKind::ExpressionStatement));
        let held = code.has_kind(before, NodeKind::Variable).then_some(before);
        let Some(node) = ignored.or(held) else { continue };
        let ty = if held.is_some() { declared_type(code, node) } else { code.type_of(node) };
        let end = match ty {
            "java.lang.Thread" | "java.util.concurrent.CompletableFuture" => ".join()",
            "java.util.concurrent.Future" => ".get()",
            _ => continue,
        };
        let why =
            "the test joins the thread or future that it started instead of sleeping".to_owned();
        if ignored.is_some() {
            let edits =
                vec![Edit::insert(code.bytes(node).end, end), remove_statement(code, sleep)];
            out.add_in(location.file, ConcurrencyOperator::Join, 0.98, edits, why);
        } else if let Some(symbol) = code.symbol(before) {
            let name = code.facts.text(symbol.name);
            let edit = Edit::replace(code.bytes(sleep), format!("{name}{end};"));
            out.add_in(location.file, ConcurrencyOperator::Join, 0.98, vec![edit], why);
        }
    }
}

/// Replaces a sleep in a test while a pool works by a shutdown of the pool and a wait for its termination.
fn replace_sleep_by_termination(
    context: &BugContext<'_>,
    location: SourceLocation,
    out: &mut CandidateCollector<'_>,
) {
    let code = context.code(location.file);
    let Some(sleep) = enclosing_statement(code, location.node) else { return };
    let Some((block, own)) = enclosing_block(code, sleep) else { return };
    let all = code.children(block);
    let shutdown = |id: &NodeIndex| {
        let call =
            statement_call(code, *id).filter(|call| method_name(code, *call) == "shutdown")?;
        let pool = receiver(code, call).filter(|on| is_pool_type(code.type_of(*on)))?;
        Some((code.source_text(pool).to_owned(), vec![remove_statement(code, *id)]))
    };
    let later: Vec<_> = all.iter().filter(|id| **id > own).filter_map(shutdown).collect();
    let known = all.iter().filter(|id| **id < own && code.has_kind(**id, NodeKind::Variable));
    let getters =
        known.flat_map(|id| pool_getters(context, code, *id)).map(|pool| (pool, Vec::new()));
    let not_shut_down = getters.filter(|(pool, _)| later.iter().all(|(known, _)| known != pool));
    for (pool, mut edits) in later.iter().cloned().chain(not_shut_down) {
        let (end, indent) = (code.line_end(), code.indent(sleep));
        let wait =
            format!("{pool}.shutdown();{end}{indent}{pool}.awaitTermination(1, TimeUnit.MINUTES);");
        edits.push(Edit::replace(code.bytes(sleep), wait));
        edits.extend(import_class(code, "java.util.concurrent.TimeUnit"));
        let why = "the test waits for the pool to terminate instead of sleeping".to_owned();
        out.add_in(location.file, ConcurrencyOperator::Join, 0.97, edits, why);
    }
}

fn is_pool_type(ty: &str) -> bool {
    ty.starts_with("java.util.concurrent.")
        && ["ExecutorService", "PoolExecutor", "ForkJoinPool"].iter().any(|end| ty.ends_with(end))
}

/// Returns expressions that read a pool from a variable's object.
fn pool_getters(context: &BugContext<'_>, code: &Code<'_>, variable: NodeIndex) -> Vec<String> {
    let class = declared_type(code, variable);
    let name = code.symbol(variable).map_or("", |symbol| code.facts.text(symbol.name));
    let of_file = |(_, code): (usize, &Code<'_>)| {
        let getter = |id: NodeIndex| {
            let method = code.symbol(id).filter(|_| code.has_kind(id, NodeKind::Method))?;
            let owner = code.facts.symbol(method.owner?);
            let is_meant = code.facts.text(owner.full_name) == class
                && is_pool_type(code.facts.text(method.ty.erased))
                && code.child(id, NodeRole::Parameter).is_none();
            is_meant.then(|| format!("{name}.{}()", code.facts.text(method.name)))
        };
        (0..code.tree.nodes.len()).filter_map(getter).collect::<Vec<_>>()
    };
    context.main_files().flat_map(of_file).collect()
}
