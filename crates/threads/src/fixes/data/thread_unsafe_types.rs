//! Objects of the JDK that are not for many threads, replaced by those that are, or by one for each call.

use crate::candidate::ConcurrencyOperator;
use crate::collector::CandidateCollector;
use crate::evidence::bug_context::BugContext;
use crate::evidence::calls::{called, receiver};
use crate::fixes::layout::{imported, removed};
use mend_java::Code;
use mend_java::Edit;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole, SymbolFlags, SymbolId, SymbolKind};

/// Replacements of containers; their declared type fits both.
const CONTAINERS: [(&str, &str, &str); 12] = [
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

pub(crate) fn propose(scene: &BugContext<'_>, out: &mut CandidateCollector<'_>) {
    for variable in scene.variables() {
        let Some((file, declared)) = scene.declaration(variable) else { continue };
        let code = scene.code(file);
        let Some(value) =
            code.child(declared, NodeRole::Value).filter(|one| code.is(*one, NodeKind::NewClass))
        else {
            continue;
        };
        let made = code.type_of(value);
        if made.starts_with("java.text.") && made.ends_with("Format") {
            made_for_each_call(scene, variable, file, declared, value, out);
        }
        let name = code.facts.name(variable);
        for (_, class, text) in CONTAINERS.iter().filter(|(from, ..)| *from == made) {
            if !code.children(value).iter().any(|id| code.role(*id) == NodeRole::Argument) {
                let mut edits = vec![Edit::replace(code.bytes(value), *text)];
                edits.extend(imported(code, class));
                let maker = text.trim_start_matches("new ").split(['<', '(']).next();
                let maker = maker.unwrap_or_default();
                let why = format!(
                    "{name} is created by {maker}, so several threads can use it at the same time"
                );
                out.add_in(file, ConcurrencyOperator::Container, 0.5, edits, why);
            }
        }
    }
}

/// Replaces a field that is not thread-safe with a new object for each call.
fn made_for_each_call(
    scene: &BugContext<'_>,
    variable: SymbolId,
    file: usize,
    declared: NodeIndex,
    value: NodeIndex,
    out: &mut CandidateCollector<'_>,
) {
    let code = scene.code(file);
    let uses = scene.uses(variable);
    let is_called = |node: NodeIndex| {
        let call = code.parent(code.parent(node));
        receiver(code, call) == Some(node) && matches!(called(code, call), "format" | "parse")
    };
    let is_settled = uses.iter().all(|(one, node)| *one == file && is_called(*node));
    let is_constant = (value..code.node(value).end).all(|id| is_known_anywhere(code, id));
    if !is_settled || !is_constant || code.facts.symbol(variable).flags.access() > 0 {
        return;
    }
    let text = code.written(value);
    let mut edits: Vec<Edit> =
        uses.iter().map(|(_, node)| Edit::replace(code.bytes(*node), text)).collect();
    edits.push(field_removed(code, declared));
    let name = code.facts.name(variable);
    let why = format!("each call creates its own {name}, as its class is not thread-safe");
    out.add_in(file, ConcurrencyOperator::Container, 0.97, edits, why);
}

/// Removes a field, with the empty line after it if it was the first of its class.
fn field_removed(code: &Code<'_>, declared: NodeIndex) -> Edit {
    let Edit { bytes: (from, to), text } = removed(code, declared);
    let rest = &code.text[to..];
    let blank = rest.len() - rest.trim_start_matches([' ', '\t', '\r']).len();
    let is_blank = rest[blank..].starts_with('\n');
    let is_first = code.text[..from].trim_end().ends_with('{');
    let to = if is_blank && is_first { to + blank + 1 } else { to };
    Edit { bytes: (from, to), text }
}

/// Returns true if an expression has the same meaning in every method of its class.
fn is_known_anywhere(code: &Code<'_>, id: NodeIndex) -> bool {
    code.symbol(id).is_none_or(|symbol| match symbol.kind {
        SymbolKind::Local => false,
        SymbolKind::Field => symbol.flags.has(SymbolFlags::STATIC),
        _ => true,
    })
}
