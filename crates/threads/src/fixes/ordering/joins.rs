//! Waits for started threads, tasks and futures before their results are needed.

use crate::candidate::ConcurrencyOperator;
use crate::collector::CandidateCollector;
use crate::evidence::bug_context::{BugContext, SourceLocation};
use crate::evidence::calls::{
    call_of, called, calls_below, declared_type, listed, may_be_interrupted, receiver, routine,
    statement,
};
use crate::fixes::layout::{free_name, imported, line_after, line_before, removed};
use mend_java::Code;
use mend_java::Edit;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole, SymbolKind};

/// A task that was started, and how one waits for its end.
struct StartedTask {
    /// The statement that starts it.
    statement: NodeIndex,
    /// The waiting code.
    wait: String,
    /// True if the wait can throw `InterruptedException`.
    is_interruptible: bool,
    /// Edits that make the wait possible.
    edits: Vec<Edit>,
    /// Description of the wait, for people.
    what: String,
}

pub(crate) fn propose(scene: &BugContext<'_>, out: &mut CandidateCollector<'_>) {
    let weight = if is_late(scene) { 0.96 } else { 0.6 };
    for spot in scene.places(|step| step.what == "start") {
        let code = scene.code(spot.file);
        let weight = if scene.files[spot.file].is_test { weight - 0.3 } else { weight };
        futures(code, spot, weight, out);
        if let Some(started) = thread(code, spot.node).or_else(|| pool(code, spot.node)) {
            waits(code, spot.file, &started, weight, out);
        }
    }
    for spot in scene.places(|step| step.what == "sleep") {
        if scene.files[spot.file].is_test {
            sleeps(scene.code(spot.file), spot, out);
            pools(scene, spot, out);
        }
    }
}

/// Returns true if some step may run too late: an access that runs too early does not wait for its end.
pub(crate) fn is_late(scene: &BugContext<'_>) -> bool {
    let first = scene.patterns.first();
    first.is_none_or(|shown| shown.spots.len() == 2 && scene.is_older_first(shown) != Some(false))
}

/// Returns a started thread that is never joined.
fn thread(code: &Code<'_>, call: NodeIndex) -> Option<StartedTask> {
    let on = receiver(code, call).filter(|_| called(code, call) == "start")?;
    let own = routine(code, call)?;
    let statement = statement(code, call)?;
    let outer = code
        .self_and_ancestors(statement)
        .take_while(|id| *id != own)
        .filter(|id| code.is_loop(*id))
        .last();
    let text = code.written(on);
    // A thread in a field may be joined by any method.
    let is_kept = code.symbol(on).is_some_and(|symbol| symbol.kind == SymbolKind::Field);
    let is_joined = calls_below(code, if is_kept { 0 } else { own }, &["join"])
        .into_iter()
        .any(|join| receiver(code, join).is_some_and(|one| code.written(one) == text));
    let what = format!("the thread started on line {} is joined", code.line(statement));
    let started = |wait: String, statement, edits| StartedTask {
        statement,
        wait,
        is_interruptible: true,
        edits,
        what,
    };
    match (code.kind(on), outer) {
        _ if is_joined => None,
        (NodeKind::NewClass, None) => {
            let name = free_name(code, "thread");
            let made = format!("Thread {name} = {text};\n{name}.start();");
            let indent = format!("{}{}", code.line_end(), code.indent(statement));
            let made = made.replacen('\n', &indent, 1);
            let edit = Edit::replace(code.bytes(statement), made);
            Some(started(format!("{name}.join();"), statement, vec![edit]))
        }
        (NodeKind::ArrayAccess, Some(outer)) => {
            let array = code.written(*code.children(on).first()?);
            let name = free_name(code, "thread");
            let wait = format!("for (Thread {name} : {array}) {{\n    {name}.join();\n}}");
            Some(started(wait, outer, Vec::new()))
        }
        (NodeKind::Identifier | NodeKind::MemberSelect, None) => {
            Some(started(format!("{text}.join();"), statement, Vec::new()))
        }
        _ => None,
    }
}

/// Returns a pool that is shut down without a wait for its tasks.
fn pool(code: &Code<'_>, call: NodeIndex) -> Option<StartedTask> {
    let pool = receiver(code, call)
        .filter(|_| matches!(called(code, call), "execute" | "submit" | "schedule"))?;
    // A pool in a field may be shut down by any method.
    let is_kept = code.symbol(pool).is_some_and(|symbol| symbol.kind == SymbolKind::Field);
    let own = if is_kept { 0 } else { routine(code, call)? };
    let text = code.written(pool);
    let is_own = |id: &NodeIndex| receiver(code, *id).is_some_and(|on| code.written(on) == text);
    let shut = calls_below(code, own, &["shutdown"]).into_iter().find(is_own)?;
    if calls_below(code, own, &["awaitTermination"]).iter().any(is_own) {
        return None;
    }
    Some(StartedTask {
        statement: statement(code, shut)?,
        wait: format!("{text}.awaitTermination(1, TimeUnit.MINUTES);"),
        is_interruptible: true,
        edits: imported(code, "java.util.concurrent.TimeUnit").into_iter().collect(),
        what: format!("the end of the pool {text} is awaited"),
    })
}

/// Waits at each place after the start, the later the better: until then both go on at once.
fn waits(
    code: &Code<'_>,
    file: usize,
    started: &StartedTask,
    weight: f64,
    out: &mut CandidateCollector<'_>,
) {
    let Some((block, own)) = listed(code, started.statement) else { return };
    let after: Vec<NodeIndex> = code.children(block).into_iter().filter(|id| *id > own).collect();
    let wait = |at: NodeIndex| {
        let is_bare = started.is_interruptible && !may_be_interrupted(code, at);
        if is_bare { caught(code, &started.wait) } else { started.wait.clone() }
    };
    let own_edit = started.edits.iter().find(|edit| edit.bytes.0 == code.bytes(own).start);
    let last = after.last().copied().unwrap_or(own);
    let ends = |id: NodeIndex| {
        matches!(
            code.kind(id),
            NodeKind::Return | NodeKind::Throw | NodeKind::Break | NodeKind::Continue
        )
    };
    let mut places: Vec<Edit> = Vec::new();
    if !ends(last) && own_edit.is_none_or(|_| last != own) {
        places.push(line_after(code, last, &wait(last)));
    }
    // Anything else that is started runs at the same time.
    let starts =
        |id: &&NodeIndex| calls_below(code, **id, &["start", "execute", "submit"]).is_empty();
    let free = after.iter().rev().take_while(starts);
    places.extend(free.map(|id| line_before(code, *id, &wait(*id))));
    for (number, edit) in (0..6_u32).zip(places) {
        let mut edits = started.edits.clone();
        edits.push(edit);
        let why = format!("{} before its results are needed", started.what);
        out.add_in(file, ConcurrencyOperator::Join, weight - f64::from(number) * 0.01, edits, why);
    }
}

/// Wraps a wait for a routine that cannot throw `InterruptedException`.
pub(crate) fn caught(code: &Code<'_>, wait: &str) -> String {
    let (name, acts) = handled(code).unwrap_or_else(|| {
        let acts = ["Thread.currentThread().interrupt();", "throw new IllegalStateException(e);"];
        ("e", acts.to_vec())
    });
    let inside = |lines: &str| lines.replace('\n', "\n    ");
    let (wait, acts) = (inside(wait), inside(&acts.join("\n")));
    format!("try {{\n    {wait}\n}} catch (InterruptedException {name}) {{\n    {acts}\n}}")
}

/// Returns the file's usual handler for an interrupt, if it restores the interrupt flag or throws: the name of the
/// exception, and the statements.
fn handled<'a>(code: &Code<'a>) -> Option<(&'a str, Vec<&'a str>)> {
    let catches = code.nodes_of_kind(NodeKind::Catch);
    catches.into_iter().find_map(|id| {
        let parts = code.children(id);
        let variable = parts.iter().copied().find(|id| code.is(*id, NodeKind::Variable))?;
        let block = parts.iter().copied().find(|id| code.is(*id, NodeKind::Block))?;
        let acts = code.children(block);
        let is_meant = |act: &NodeIndex| {
            code.is(*act, NodeKind::Throw)
                || call_of(code, *act).is_some_and(|call| called(code, call) == "interrupt")
        };
        let is_own = declared_type(code, variable) == "java.lang.InterruptedException";
        let texts = acts.iter().map(|act| code.written(*act)).collect::<Vec<_>>();
        let is_told = !acts.is_empty() && acts.iter().all(is_meant);
        let name = code.facts.text(code.symbol(variable)?.name);
        (is_own && is_told && texts.iter().all(|text| !text.contains('\n')))
            .then_some((name, texts))
    })
}

/// Joins a future whose result is never used.
fn futures(code: &Code<'_>, spot: SourceLocation, weight: f64, out: &mut CandidateCollector<'_>) {
    if !matches!(called(code, spot.node), "runAsync" | "supplyAsync" | "thenRunAsync") {
        return;
    }
    let Some(own) = statement(code, spot.node) else { return };
    let what = format!("the future created on line {} is joined", code.line(own));
    if code.is(own, NodeKind::ExpressionStatement) && code.parent(spot.node) == own {
        let edit = Edit::insert(code.bytes(spot.node).end, ".join()");
        let why = format!("{what} before its results are needed");
        out.add_in(spot.file, ConcurrencyOperator::Join, weight, vec![edit], why);
        return;
    }
    let name = code.symbol(own).map(|symbol| code.facts.text(symbol.name));
    let is_held = code.is(own, NodeKind::Variable) && code.child(own, NodeRole::Value).is_some();
    let Some(name) = name.filter(|_| is_held) else { return };
    let started = StartedTask {
        statement: own,
        wait: format!("{name}.join();"),
        is_interruptible: false,
        edits: Vec::new(),
        what,
    };
    waits(code, spot.file, &started, weight, out);
}

/// Replaces a sleep in a test by a wait for the started thread or future.
fn sleeps(code: &Code<'_>, spot: SourceLocation, out: &mut CandidateCollector<'_>) {
    let Some(sleep) = statement(code, spot.node) else { return };
    let Some((block, own)) = listed(code, sleep) else { return };
    for before in code.children(block).into_iter().filter(|id| *id < own) {
        let call = code.children(before).first().copied();
        let ignored = call.filter(|_| code.is(before, NodeKind::ExpressionStatement));
        let held = code.is(before, NodeKind::Variable).then_some(before);
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
            let edits = vec![Edit::insert(code.bytes(node).end, end), removed(code, sleep)];
            out.add_in(spot.file, ConcurrencyOperator::Join, 0.98, edits, why);
        } else if let Some(symbol) = code.symbol(before) {
            let name = code.facts.text(symbol.name);
            let edit = Edit::replace(code.bytes(sleep), format!("{name}{end};"));
            out.add_in(spot.file, ConcurrencyOperator::Join, 0.98, vec![edit], why);
        }
    }
}

/// Replaces a sleep in a test while a pool works by a shutdown of the pool and a wait for its termination.
fn pools(scene: &BugContext<'_>, spot: SourceLocation, out: &mut CandidateCollector<'_>) {
    let code = scene.code(spot.file);
    let Some(sleep) = statement(code, spot.node) else { return };
    let Some((block, own)) = listed(code, sleep) else { return };
    let all = code.children(block);
    let shut = |id: &NodeIndex| {
        let call = call_of(code, *id).filter(|call| called(code, *call) == "shutdown")?;
        let pool = receiver(code, call).filter(|on| is_pool(code.type_of(*on)))?;
        Some((code.written(pool).to_owned(), vec![removed(code, *id)]))
    };
    let later: Vec<_> = all.iter().filter(|id| **id > own).filter_map(shut).collect();
    let known = all.iter().filter(|id| **id < own && code.is(**id, NodeKind::Variable));
    let getters = known.flat_map(|id| getters(scene, code, *id)).map(|pool| (pool, Vec::new()));
    let fresh = getters.filter(|(pool, _)| later.iter().all(|(known, _)| known != pool));
    for (pool, mut edits) in later.iter().cloned().chain(fresh) {
        let (end, indent) = (code.line_end(), code.indent(sleep));
        let wait =
            format!("{pool}.shutdown();{end}{indent}{pool}.awaitTermination(1, TimeUnit.MINUTES);");
        edits.push(Edit::replace(code.bytes(sleep), wait));
        edits.extend(imported(code, "java.util.concurrent.TimeUnit"));
        let why = "the test waits for the pool to terminate instead of sleeping".to_owned();
        out.add_in(spot.file, ConcurrencyOperator::Join, 0.97, edits, why);
    }
}

fn is_pool(ty: &str) -> bool {
    ty.starts_with("java.util.concurrent.")
        && ["ExecutorService", "PoolExecutor", "ForkJoinPool"].iter().any(|end| ty.ends_with(end))
}

/// Returns expressions that read a pool from a variable's object.
fn getters(scene: &BugContext<'_>, code: &Code<'_>, variable: NodeIndex) -> Vec<String> {
    let class = declared_type(code, variable);
    let name = code.symbol(variable).map_or("", |symbol| code.facts.text(symbol.name));
    let of_file = |(_, code): (usize, &Code<'_>)| {
        let getter = |id: NodeIndex| {
            let method = code.symbol(id).filter(|_| code.is(id, NodeKind::Method))?;
            let owner = code.facts.symbol(method.owner?);
            let is_meant = code.facts.text(owner.full_name) == class
                && is_pool(code.facts.text(method.ty.erased))
                && code.child(id, NodeRole::Parameter).is_none();
            is_meant.then(|| format!("{name}.{}()", code.facts.text(method.name)))
        };
        (0..code.tree.nodes.len()).filter_map(getter).collect::<Vec<_>>()
    };
    scene.main().flat_map(of_file).collect()
}
