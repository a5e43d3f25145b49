//! Fix operators for objects that are not thread-safe: use a thread-safe class, or a new object for each call.

use crate::collector::CandidateCollector;
use crate::evidence::bug_context::BugContext;
use crate::evidence::calls::{enclosing_routine, is_constructor, method_name, receiver};
use crate::evidence::locks::guarding_lock;
use crate::fixes::layout::{import_class, remove_statement};
use crate::operator::ConcurrencyOperator;
use mend_java::Code;
use mend_java::Edit;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole, SymbolFlags, SymbolId, SymbolKind};
use std::collections::BTreeSet;

/// Score of a concurrent collection that needs no lock around several calls.
const SUFFICIENT_SCORE: f64 = 0.93;

/// Thread-safe replacements of classes, assignable to the declared type.
const CONTAINER_REPLACEMENTS: [(&str, &str, &str); 12] = [
    ("java.util.HashMap", "java.util.concurrent.ConcurrentHashMap", "new ConcurrentHashMap<>()"),
    (
        "java.util.TreeMap",
        "java.util.concurrent.ConcurrentSkipListMap",
        "new ConcurrentSkipListMap<>()",
    ),
    (
        "java.util.HashSet",
        "java.util.concurrent.ConcurrentHashMap",
        "ConcurrentHashMap.newKeySet()",
    ),
    (
        "java.util.ArrayDeque",
        "java.util.concurrent.ConcurrentLinkedDeque",
        "new ConcurrentLinkedDeque<>()",
    ),
    (
        "java.util.ArrayList",
        "java.util.Collections",
        "Collections.synchronizedList(new ArrayList<>())",
    ),
    (
        "java.util.ArrayList",
        "java.util.concurrent.CopyOnWriteArrayList",
        "new CopyOnWriteArrayList<>()",
    ),
    (
        "java.util.LinkedList",
        "java.util.Collections",
        "Collections.synchronizedList(new LinkedList<>())",
    ),
    (
        "java.util.LinkedList",
        "java.util.concurrent.ConcurrentLinkedDeque",
        "new ConcurrentLinkedDeque<>()",
    ),
    (
        "java.util.PriorityQueue",
        "java.util.concurrent.PriorityBlockingQueue",
        "new PriorityBlockingQueue<>()",
    ),
    (
        "java.util.TreeSet",
        "java.util.concurrent.ConcurrentSkipListSet",
        "new ConcurrentSkipListSet<>()",
    ),
    (
        "java.util.LinkedHashMap",
        "java.util.Collections",
        "Collections.synchronizedMap(new LinkedHashMap<>())",
    ),
    (
        "java.util.LinkedHashSet",
        "java.util.Collections",
        "Collections.synchronizedSet(new LinkedHashSet<>())",
    ),
];

pub(crate) fn propose(context: &BugContext<'_>, out: &mut CandidateCollector<'_>) {
    for variable in context.accessed_fields() {
        let Some((file, declared)) = context.declaration(variable) else { continue };
        let code = context.code(file);
        let Some(value) = code
            .child(declared, NodeRole::Value)
            .filter(|one| code.has_kind(*one, NodeKind::NewClass))
        else {
            continue;
        };
        let class_name = code.type_of(value);
        if class_name.starts_with("java.text.") && class_name.ends_with("Format") {
            propose_object_per_call(context, variable, file, declared, value, out);
        }
        let name = code.facts.name(variable);
        for (_, class, text) in
            CONTAINER_REPLACEMENTS.iter().filter(|(from, ..)| *from == class_name)
        {
            if !code.children(value).iter().any(|id| code.role(*id) == NodeRole::Argument) {
                let mut edits = vec![Edit::replace(code.bytes(value), *text)];
                edits.extend(import_class(code, class));
                let factory = text.trim_start_matches("new ").split(['<', '(']).next();
                let factory = factory.unwrap_or_default();
                let why = format!(
                    "{name} is created by {factory}, so several threads can use it at the same time"
                );
                let is_sufficient =
                    class.contains("Concurrent") && has_only_single_calls(context, variable);
                let score = if is_sufficient { SUFFICIENT_SCORE } else { 0.5 };
                out.add_in(file, ConcurrencyOperator::Container, score, edits, why);
            }
        }
    }
}

/// Returns true if no method makes several calls of a collection that belong together, and no lock guards it.
fn has_only_single_calls(context: &BugContext<'_>, variable: SymbolId) -> bool {
    let is_of_pair = context.patterns.iter().any(|located| {
        located.locations.len() == 4
            && located.locations.iter().any(|location| location.variable == Some(variable))
    });
    let mut routines = BTreeSet::new();
    let is_single_call = |(file, node): (usize, NodeIndex)| {
        let code = context.code(file);
        let Some(routine) = enclosing_routine(code, node) else { return false };
        let call = code.parent(code.parent(node));
        is_constructor(code, routine)
            || receiver(code, call) == Some(node) && routines.insert((file, routine))
    };
    !is_of_pair
        && guarding_lock(context, variable).is_none()
        && context.uses(variable).into_iter().all(is_single_call)
}

/// Replaces a field that is not thread-safe with a new object for each call.
fn propose_object_per_call(
    context: &BugContext<'_>,
    variable: SymbolId,
    file: usize,
    declared: NodeIndex,
    value: NodeIndex,
    out: &mut CandidateCollector<'_>,
) {
    let code = context.code(file);
    let uses = context.uses(variable);
    let is_called = |node: NodeIndex| {
        let call = code.parent(code.parent(node));
        receiver(code, call) == Some(node) && matches!(method_name(code, call), "format" | "parse")
    };
    let is_only_called = uses.iter().all(|(one, node)| *one == file && is_called(*node));
    let is_constant =
        (value..code.node(value).subtree_end).all(|id| is_context_independent(code, id));
    if !is_only_called || !is_constant || code.facts.symbol(variable).flags.access_level() > 0 {
        return;
    }
    let text = code.source_text(value);
    let mut edits: Vec<Edit> =
        uses.iter().map(|(_, node)| Edit::replace(code.bytes(*node), text)).collect();
    edits.push(remove_field(code, declared));
    let name = code.facts.name(variable);
    let why = format!("each call creates its own {name}, as its class is not thread-safe");
    out.add_in(file, ConcurrencyOperator::Container, 0.97, edits, why);
}

/// Removes a field, with the empty line after it if it was the first of its class.
fn remove_field(code: &Code<'_>, declared: NodeIndex) -> Edit {
    let Edit { bytes: (from, to), text } = remove_statement(code, declared);
    let rest = &code.text[to..];
    let blank = rest.len() - rest.trim_start_matches([' ', '\t', '\r']).len();
    let is_blank = rest[blank..].starts_with('\n');
    let is_first = code.text[..from].trim_end().ends_with('{');
    let to = if is_blank && is_first { to + blank + 1 } else { to };
    Edit { bytes: (from, to), text }
}

/// Returns true if an expression has the same meaning in every method of its class.
fn is_context_independent(code: &Code<'_>, id: NodeIndex) -> bool {
    code.symbol(id).is_none_or(|symbol| match symbol.kind {
        SymbolKind::Local => false,
        SymbolKind::Field => symbol.flags.has(SymbolFlags::STATIC),
        _ => true,
    })
}
