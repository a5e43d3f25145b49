//! Commands (methods that change their object), with probes that record the state of the object at entry and exit.

use super::object_model::AFTER_CALL_SUFFIX;
use crate::localisation::suspect::SuspiciousStatement;
use mend_java::Code;
use mend_java::Edit;
use mend_java::code::purity::is_query;
use mend_java::code::scope::visible;
use mend_java::facts::{
    FileNode, NodeIndex, NodeKind, NodeRole, Symbol, SymbolFlags, SymbolId, SymbolKind,
};
use mend_model::RepoPath;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Maximum number of instrumented methods.
const MAX_COMMANDS: usize = 60;

/// Maximum number of recorded fields per object, and of queries.
const MAX_QUERIES: usize = 5;

/// Maximum number of parameters of a command.
const MAX_PARAMETERS: usize = 2;

/// Returns true if a method is a command: it may change its object.
pub(crate) fn is_command(code: &Code<'_>, symbol: &Symbol) -> bool {
    symbol.kind == SymbolKind::Method
        && symbol.parameters.len() <= MAX_PARAMETERS
        && !symbol.flags.has(SymbolFlags::STATIC)
        && !is_query(code.facts, symbol)
}

/// Returns the commands that suspicious statements can call, on their own object or on objects in scope, each with the
/// recorded state of its object.
pub(crate) fn find_commands(
    main: &[(RepoPath, Code<'_>)],
    suspects: &[SuspiciousStatement],
) -> Vec<(FileNode, Vec<String>)> {
    let mut classes: BTreeSet<SymbolId> = BTreeSet::new();
    for suspect in suspects {
        let code = &main[suspect.file].1;
        let own = code.enclosing_type(suspect.statement).and_then(|class| code.node(class).symbol);
        let named = visible(code, suspect.statement).into_iter();
        let named = named.filter_map(|one| code.facts.find_class(&one.ty));
        let reachable_classes = own.into_iter().chain(named);
        classes.extend(reachable_classes.flat_map(|class| code.facts.supertypes_with_self(class)));
    }
    let commands_of_file = |(file, (_, code)): (usize, &(RepoPath, Code<'_>))| {
        let is_callable_command = |id: &NodeIndex| {
            let symbol = code.symbol(*id).filter(|_| code.has_kind(*id, NodeKind::Method));
            symbol.is_some_and(|symbol| {
                symbol.owner.is_some_and(|owner| classes.contains(&owner))
                    && code.child(*id, NodeRole::Type).is_some()
                    && code.child(*id, NodeRole::Body).is_some()
                    && is_command(code, symbol)
            })
        };
        let methods = (0..code.tree.nodes.len()).filter(is_callable_command);
        let with_queries = methods.map(|id| ((file, id), object_queries(code, id)));
        with_queries.filter(|(_, questions)| !questions.is_empty()).collect::<Vec<_>>()
    };
    main.iter().enumerate().flat_map(commands_of_file).take(MAX_COMMANDS).collect()
}

/// Returns the recorded state of a method's object: its fields, and queries without side effects.
fn object_queries(code: &Code<'_>, method: NodeIndex) -> Vec<String> {
    let class = code.symbol(method).and_then(|symbol| symbol.owner);
    let members_of_class = |kind: SymbolKind| {
        let symbols = code.facts.symbols().iter();
        symbols.filter(move |one| {
            one.kind == kind
                && one.owner == class
                && one.position.is_some()
                && !one.flags.has(SymbolFlags::STATIC)
        })
    };
    let name = |one: &Symbol| code.facts.text(one.name);
    let fields =
        members_of_class(SymbolKind::Field).map(|one| name(one).to_owned()).take(MAX_QUERIES);
    let is_simple_query = |one: &&Symbol| {
        let ty = code.facts.text(one.ty.erased);
        one.parameters.is_empty()
            && matches!(ty, "boolean" | "int" | "long")
            && is_query(code.facts, one)
    };
    let queries = members_of_class(SymbolKind::Method).filter(is_simple_query);
    let queries = queries.map(|one| format!("{}()", name(one))).take(MAX_QUERIES);
    let hidden: BTreeSet<&str> = code.symbol(method).map_or_else(BTreeSet::new, |symbol| {
        symbol.parameters.iter().map(|one| code.facts.name(*one)).collect()
    });
    fields.filter(|field| !hidden.contains(&**field)).chain(queries).collect()
}

/// Returns the names of the recorded values: before a command, and after it.
pub(crate) fn value_names(queries: &[String]) -> Vec<String> {
    let after = queries.iter().map(|question| format!("{question}{AFTER_CALL_SUFFIX}"));
    queries.iter().cloned().chain(after).collect()
}

/// Returns the probes at entry and exit of a command; the exit probe also runs after an exception.
pub(crate) fn probe_command(
    code: &Code<'_>,
    method: NodeIndex,
    number: usize,
    queries: &[String],
) -> Vec<Edit> {
    let Some(body) = code.child(method, NodeRole::Body) else { return Vec::new() };
    let (count, bytes) = (queries.len(), code.bytes(body));
    let head = format!(
        " Object[] stateByGitMend = gitmend.probe.Probe.beginReading() ? new Object[{}] : null; \
         if (stateByGitMend != null) {{ {} }} try {{ ",
        2 * count,
        record_queries(queries, 0)
    );
    let tail = format!(
        " }} finally {{ if (stateByGitMend != null && gitmend.probe.Probe.beginReading()) {{ {} \
         gitmend.probe.Probe.recordValues({number}, stateByGitMend); }} }} ",
        record_queries(queries, count)
    );
    vec![Edit::insert(bytes.start + 1, head), Edit::insert(bytes.end - 1, tail)]
}

/// Returns code that evaluates queries and stores the results from a slot on.
fn record_queries(queries: &[String], first_slot: usize) -> String {
    let mut text = String::from("try { ");
    for (at, question) in (first_slot..).zip(queries) {
        let _ = write!(
            text,
            "try {{ stateByGitMend[{at}] = (Object) ({question}); }} catch (Throwable thrownByGitMend) \
             {{ stateByGitMend[{at}] = gitmend.probe.Probe.THROWN; }} "
        );
    }
    text + "} finally { gitmend.probe.Probe.endReading(); }"
}
