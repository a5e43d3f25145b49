//! Handles values that another thread may have removed: reads them once and checks them, or skips the code that needs
//! them.

use super::fields::{made_volatile, qualified, type_of};
use crate::candidate::ConcurrencyOperator;
use crate::collector::{CandidateCollector, EditsByFile};
use crate::evidence::bug_context::BugContext;
use crate::evidence::calls::{
    arguments, bare, below, called, is_constructor, is_run_with, is_written,
};
use crate::evidence::calls::{listed, receiver, routine, statement};
use crate::evidence::regions::needed;
use crate::fixes::layout::{free_name_in, line_before, nameable, removed, wrapped};
use crate::fixes::locking::synchronized::title;
use mend_java::Code;
use mend_java::Edit;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole, SymbolId};

/// Exceptions of an access to a missing value.
const ENDS: [&str; 2] = ["java.lang.NullPointerException", "java.util.NoSuchElementException"];

/// Calls that return null for a missing element, besides `get` and `remove` of a map.
const ASKING: [&str; 8] =
    ["poll", "pollFirst", "pollLast", "peek", "peekFirst", "peekLast", "firstEntry", "lastEntry"];

/// Queue calls that throw on an empty queue, and their counterparts that return null.
const THROWING: [(&str, &str); 7] = [
    ("remove", "poll"),
    ("element", "peek"),
    ("removeFirst", "pollFirst"),
    ("removeLast", "pollLast"),
    ("getFirst", "peekFirst"),
    ("getLast", "peekLast"),
    ("pop", "pollFirst"),
];

/// Beginnings of the names of calls that take something away.
const TAKING: [&str; 6] = ["remove", "clear", "poll", "pop", "take", "drain"];

/// An expression whose value may be missing.
struct NullableRead {
    node: NodeIndex,
    /// Source text of a read that returns null for a missing value.
    text: String,
    /// Source text of the value's type.
    ty: String,
    /// Name for a local variable with the value.
    name: String,
    /// Description of the value, for people.
    what: String,
}

pub(crate) fn propose(scene: &BugContext<'_>, out: &mut CandidateCollector<'_>) {
    if !scene.fails_with(&ENDS) {
        return;
    }
    for variable in scene.variables() {
        for (file, node) in scene.uses(variable) {
            let code = scene.code(file);
            let Some(own) = routine(code, node).filter(|own| !is_constructor(code, *own)) else {
                continue;
            };
            let found = of_collection(code, node).or_else(|| of_field(scene, file, node, variable));
            let Some(read) = found.filter(|read| is_read_at_once(code, read.node)) else {
                continue;
            };
            let who = title(code, own);
            if let Some((edits, name)) = asked_at_once(code, &read) {
                let why = format!("{who} reads {name} once, so it checks and uses the same value");
                out.add_in(file, ConcurrencyOperator::LocalCopy, 0.94, edits, why);
            } else if let Some(edits) = left_out(scene, file, own, variable, &read) {
                let why = format!("{who} skips {} if another thread has removed it", read.what);
                out.add(ConcurrencyOperator::SkipMissing, 0.4, edits, why);
            }
        }
    }
}

/// Returns the read of a collection that may be empty or lack the element.
fn of_collection(code: &Code<'_>, on: NodeIndex) -> Option<NullableRead> {
    let call = code.parent(code.parent(on));
    receiver(code, call).filter(|own| *own == on)?;
    let (class, name) = (code.type_of(on), called(code, call));
    let count = arguments(code, call).len();
    let is_queue = ["Queue", "Deque", "LinkedList"].iter().any(|end| class.ends_with(end));
    let is_map = class.starts_with("java.util.") && class.contains("Map");
    let throwing = THROWING.iter().find(|(from, _)| *from == name && is_queue && count == 0);
    let asks = is_map && matches!(name, "get" | "remove") && count == 1
        || (is_map || is_queue) && ASKING.contains(&name) && count == 0;
    let written = code.written(call);
    let text = match throwing {
        Some((from, to)) => {
            let at = code.bytes(on).end - code.bytes(call).start;
            format!("{}{}", &written[..at], written[at..].replacen(from, to, 1))
        }
        None if asks => written.to_owned(),
        None => return None,
    };
    let ty = nameable(code, code.facts.text(code.node(call).ty.written));
    let name = free_name_in(code, code.method_of(on)?, &one_of(code.written(on), &ty));
    let what = format!("the element of {}", code.written(on));
    Some(NullableRead { node: call, text, ty, name, what })
}

/// Returns a name for an element of a collection: the singular of the collection's name, otherwise after its type.
fn one_of(collection: &str, ty: &str) -> String {
    let all = collection.rsplit('.').next().unwrap_or_default();
    let one = match all.strip_suffix("ies") {
        Some(stem) => format!("{stem}y"),
        None => all.strip_suffix('s').unwrap_or_default().to_owned(),
    };
    if one.len() > 1 && !one.ends_with('s') {
        return one;
    }
    let simple = ty.split('<').next().and_then(|ty| ty.rsplit('.').next()).unwrap_or_default();
    let mut letters = simple.chars();
    let first = letters.next().into_iter().flat_map(char::to_lowercase);
    let name: String = first.chain(letters).collect();
    let is_word = ["boolean", "byte", "class", "double", "float", "long", "short"];
    let is_name = name.chars().all(char::is_alphanumeric) && !is_word.contains(&&*name);
    if is_name { name } else { "value".to_owned() }
}

/// Returns a field that is used without a null check.
fn of_field(
    scene: &BugContext<'_>,
    file: usize,
    node: NodeIndex,
    field: SymbolId,
) -> Option<NullableRead> {
    let code = scene.code(file);
    let parent = code.parent(node);
    let is_used = matches!(code.kind(parent), NodeKind::MemberSelect | NodeKind::ArrayAccess)
        && code.children(parent).first() == Some(&node);
    let name = code.facts.name(field);
    if !is_used || is_written(code, node) || is_asked_for(code, node) {
        return None;
    }
    let (block, own) = listed(code, node)?;
    let rest = own..code.node(block).end;
    let mut others = rest.filter(|id| *id != node && code.node(*id).symbol == Some(field));
    let is_alone = code.is(node, NodeKind::Identifier) && others.all(|id| id < code.node(own).end);
    let (name, text) = if is_alone {
        (name.to_owned(), qualified(scene, code, field, node))
    } else {
        let mut letters = name.chars();
        let first = letters.next()?.to_uppercase();
        let wanted: String = "current".chars().chain(first).chain(letters).collect();
        (free_name_in(code, code.method_of(node)?, &wanted), code.written(node).to_owned())
    };
    let what = code.facts.name(field).to_owned();
    Some(NullableRead { node, text, ty: type_of(scene, field)?.to_owned(), name, what })
}

/// Returns true if the routine compares a field with null: then the compared value should be used.
fn is_asked_for(code: &Code<'_>, node: NodeIndex) -> bool {
    let symbol = code.node(node).symbol;
    let own = routine(code, node).unwrap_or(0);
    below(code, own).any(|id| {
        let is_comparison = matches!(code.kind(id), NodeKind::EqualTo | NodeKind::NotEqualTo);
        let sides = if is_comparison { code.children(id) } else { Vec::new() };
        sides.iter().any(|side| code.node(*side).symbol == symbol)
            && sides.iter().any(|side| code.is(*side, NodeKind::NullLiteral))
    })
}

/// Returns true if every execution of the statement reads the value exactly once.
fn is_read_at_once(code: &Code<'_>, node: NodeIndex) -> bool {
    let Some(own) = statement(code, node).filter(|own| code.is(code.parent(*own), NodeKind::Block))
    else {
        return false;
    };
    let is_choice = |id: NodeIndex| {
        matches!(
            code.kind(id),
            NodeKind::LambdaExpression
                | NodeKind::ConditionalAnd
                | NodeKind::ConditionalOr
                | NodeKind::ConditionalExpression
        ) || code.is_type(id)
            || code.is_loop(id)
    };
    !code.self_and_ancestors(node).take_while(|id| *id != own).chain([own]).any(is_choice)
}

/// Merges the check and the read of a collection in one branch into one read. Also returns what is read.
fn asked_at_once(code: &Code<'_>, read: &NullableRead) -> Option<(Vec<Edit>, String)> {
    let own = statement(code, read.node)?;
    let holder = code.self_and_ancestors(own).skip(1).find(|id| !code.is(*id, NodeKind::Block))?;
    let role = if code.is(holder, NodeKind::If) { NodeRole::Then } else { NodeRole::Body };
    let branch = code
        .child(holder, role)
        .filter(|_| matches!(code.kind(holder), NodeKind::If | NodeKind::WhileLoop))?;
    let condition = code.child(holder, NodeRole::Condition)?;
    let is_inside = below(code, branch).contains(&own) && code.is_in_list(holder);
    if !is_inside || !asks_for(code, bare(code, condition), read.node) {
        return None;
    }
    let (value, NullableRead { text, ty, .. }) = (code.parent(read.node), read);
    let is_held = value == own && code.is(own, NodeKind::Variable);
    let name = match code.symbol(own).filter(|_| is_held) {
        Some(symbol) => code.facts.text(symbol.name),
        None => &read.name,
    };
    let mut edits: Vec<Edit> = if is_held {
        vec![removed(code, own)]
    } else {
        let same =
            |id: &NodeIndex| code.written(*id) == code.written(read.node) && code.is_value(*id);
        let all = below(code, branch).filter(same);
        all.map(|id| Edit::replace(code.bytes(id), name)).collect()
    };
    if code.is(holder, NodeKind::If) {
        edits.push(line_before(code, holder, &format!("{ty} {name} = {text};")));
        edits.push(Edit::replace(code.bytes(condition), format!("({name} != null)")));
    } else {
        edits.push(line_before(code, holder, &format!("{ty} {name};")));
        let asked = format!("(({name} = {text}) != null)");
        edits.push(Edit::replace(code.bytes(condition), asked));
    }
    Some((edits, name.to_owned()))
}

/// Returns true if a condition checks only whether a collection contains what a call then reads.
fn asks_for(code: &Code<'_>, condition: NodeIndex, call: NodeIndex) -> bool {
    let on = receiver(code, call).map(|on| code.written(on));
    let key = arguments(code, call).first().map(|key| code.written(*key));
    let is_own = |question: NodeIndex, name: &str| {
        called(code, question) == name
            && receiver(code, question).map(|on| code.written(on)) == on
            && arguments(code, question).first().map(|key| code.written(*key)) == key
    };
    match code.kind(condition) {
        NodeKind::MethodInvocation => is_own(condition, "containsKey"),
        NodeKind::LogicalComplement => {
            let inner = code.children(condition).first().map(|inner| bare(code, *inner));
            inner.is_some_and(|inner| is_own(inner, "isEmpty"))
        }
        NodeKind::GreaterThan | NodeKind::NotEqualTo => match code.children(condition)[..] {
            [left, right] if code.is(right, NodeKind::NullLiteral) => {
                ["get", "peek", "peekFirst", "peekLast"].iter().any(|name| is_own(left, name))
            }
            [left, right] => is_own(left, "size") && code.written(right) == "0",
            _ => false,
        },
        _ => false,
    }
}

/// Skips the code that needs a missing value.
fn left_out(
    scene: &BugContext<'_>,
    file: usize,
    own: NodeIndex,
    variable: SymbolId,
    read: &NullableRead,
) -> Option<EditsByFile> {
    let code = scene.code(file);
    let first = statement(code, read.node)?;
    let again =
        code.self_and_ancestors(first).take_while(|id| *id != own).any(|id| code.is_loop(id));
    if !again && !is_taken_away(scene, variable) {
        return None;
    }
    let edits = match code.kind(first) {
        NodeKind::Variable if code.parent(read.node) == first => after_reading(code, first, read)?,
        NodeKind::Variable | NodeKind::ExpressionStatement => {
            only_if_there(scene, file, own, first, read)?
        }
        _ => return None,
    };
    let mut all: EditsByFile = [(file, edits)].into();
    let raced = scene
        .races
        .iter()
        .any(|(one, other)| [one.variable, other.variable].contains(&Some(variable)));
    let volatile = made_volatile(scene, variable).filter(|_| raced);
    if let Some((file, edit)) = volatile {
        all.entry(file).or_default().push(edit);
    }
    Some(all)
}

/// Returns true if other code removes the contents or the value of a variable.
fn is_taken_away(scene: &BugContext<'_>, variable: SymbolId) -> bool {
    scene.uses(variable).into_iter().any(|(file, node)| {
        let code = scene.code(file);
        let parent = code.parent(node);
        let value =
            code.child(parent, NodeRole::Value).filter(|_| code.role(node) == NodeRole::Target);
        let call = code.parent(parent);
        let name = if receiver(code, call) == Some(node) { called(code, call) } else { "" };
        value.is_some_and(|value| code.is(value, NodeKind::NullLiteral))
            || TAKING.iter().any(|begin| name.starts_with(begin))
    })
}

/// Skips the statements after the assignment of a variable that need its value, if the value is missing.
fn after_reading(code: &Code<'_>, first: NodeIndex, read: &NullableRead) -> Option<Vec<Edit>> {
    let symbol = code.node(first).symbol?;
    let name = code.facts.name(symbol);
    let last = needed(code, code.parent(first), first, first);
    let next = crate::evidence::calls::next(code, first).filter(|_| last > first)?;
    let uses = below(code, code.parent(first)).filter(|id| code.node(*id).symbol == Some(symbol));
    let mut uses = uses.filter(|id| *id != first);
    let is_asked = uses.any(|id| is_asked_for(code, id));
    let edit = wrapped(code, (next, last), (&format!("if ({name} != null) {{"), "}"), &[])?;
    let whole = [Edit::replace(code.bytes(read.node), read.text.as_str()), edit];
    let is_free = !is_asked && !is_left_with_a_value(code, next, last);
    is_free.then(|| whole.to_vec())
}

/// Assigns the value to a local variable, and runs the code that needs it only if it is present.
fn only_if_there(
    scene: &BugContext<'_>,
    file: usize,
    own: NodeIndex,
    first: NodeIndex,
    read: &NullableRead,
) -> Option<Vec<Edit>> {
    let code = scene.code(file);
    let block = code.parent(first);
    let last = needed(code, block, first, first);
    let all = first..code.node(last).end;
    let same: Vec<NodeIndex> = all
        .filter(|id| {
            code.written(*id) == code.written(read.node) && code.is(*id, code.kind(read.node))
        })
        .collect();
    let is_plain = same.iter().all(|id| !is_written(code, *id) && is_run_with(code, *id, own));
    let is_ignored = code.is(code.parent(read.node), NodeKind::ExpressionStatement);
    if !is_plain || is_ignored || is_left_with_a_value(code, first, last) {
        return None;
    }
    let NullableRead { ty, name, text, .. } = read;
    let renamed = same.iter().map(|id| Edit::replace(code.bytes(*id), name.as_str()));
    let renamed: Vec<Edit> = renamed.collect();
    let is_rest = first != last
        && code.parent(block) == own
        && code.children(block).last() == Some(&last)
        && code.symbol(own).is_some_and(|own| code.facts.text(own.ty.erased) == "void");
    if is_rest {
        let head = format!("{ty} {name} = {text};\nif ({name} == null) {{\n    return;\n}}");
        return Some([vec![line_before(code, first, &head)], renamed].concat());
    }
    let head = format!("{ty} {name} = {text};\nif ({name} != null) {{");
    Some(vec![wrapped(code, (first, last), (&head, "}"), &renamed)?])
}

/// Returns true if some statements return a value: then they cannot be skipped.
fn is_left_with_a_value(code: &Code<'_>, first: NodeIndex, last: NodeIndex) -> bool {
    let gives = |id: NodeIndex| code.is(id, NodeKind::Return) && !code.children(id).is_empty();
    let block = code.parent(first);
    (first..code.node(last).end).any(|id| gives(id) && is_run_with(code, id, block))
}
