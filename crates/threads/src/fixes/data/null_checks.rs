//! Fix operators for values that another thread may have removed: read them once and check them, or skip the code that
//! needs them.

use super::fields::{field_type, qualified_name, volatile_edit};
use crate::collector::{CandidateCollector, EditsByFile};
use crate::evidence::bug_context::BugContext;
use crate::evidence::calls::{
    arguments, descendants, is_constructor, is_write, method_name, runs_with, strip_parentheses,
};
use crate::evidence::calls::{enclosing_block, enclosing_routine, enclosing_statement, receiver};
use crate::evidence::regions::last_dependent_statement;
use crate::fixes::layout::{
    insert_line_before, remove_statement, shortest_type_name, unused_name_in_method,
    wrap_statements,
};
use crate::fixes::locking::synchronized::routine_title;
use crate::operator::ConcurrencyOperator;
use mend_java::Code;
use mend_java::Edit;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole, SymbolId};

/// Exceptions of an access to a missing value.
const MISSING_VALUE_EXCEPTIONS: [&str; 2] =
    ["java.lang.NullPointerException", "java.util.NoSuchElementException"];

/// Calls that return null for a missing element, besides `get` and `remove` of a map.
const NULL_RETURNING_METHODS: [&str; 8] =
    ["poll", "pollFirst", "pollLast", "peek", "peekFirst", "peekLast", "firstEntry", "lastEntry"];

/// Queue calls that throw on an empty queue, and their counterparts that return null.
const THROWING_METHODS: [(&str, &str); 7] = [
    ("remove", "poll"),
    ("element", "peek"),
    ("removeFirst", "pollFirst"),
    ("removeLast", "pollLast"),
    ("getFirst", "peekFirst"),
    ("getLast", "peekLast"),
    ("pop", "pollFirst"),
];

/// Prefixes of the names of methods that remove elements.
const REMOVAL_PREFIXES: [&str; 6] = ["remove", "clear", "poll", "pop", "take", "drain"];

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
    description: String,
}

pub(crate) fn propose(context: &BugContext<'_>, out: &mut CandidateCollector<'_>) {
    if !context.has_exception(&MISSING_VALUE_EXCEPTIONS) {
        return;
    }
    for variable in context.accessed_fields() {
        for (file, node) in context.uses(variable) {
            let code = context.code(file);
            let Some(own) = enclosing_routine(code, node).filter(|own| !is_constructor(code, *own))
            else {
                continue;
            };
            let found =
                collection_read(code, node).or_else(|| field_read(context, file, node, variable));
            let Some(read) = found.filter(|read| is_read_exactly_once(code, read.node)) else {
                continue;
            };
            let routine_title = routine_title(code, own);
            if let Some((edits, name)) = merge_check_and_read(code, &read) {
                let why = format!(
                    "{routine_title} reads {name} once, so it checks and uses the same value"
                );
                out.add_in(file, ConcurrencyOperator::LocalCopy, 0.94, edits, why);
            } else if let Some(edits) = skip_if_missing(context, file, own, variable, &read) {
                let why = format!(
                    "{routine_title} skips {} if another thread has removed it",
                    read.description
                );
                out.add(ConcurrencyOperator::SkipMissing, 0.4, edits, why);
            }
        }
    }
}

/// Returns the read of a collection that may be empty or lack the element.
fn collection_read(code: &Code<'_>, on: NodeIndex) -> Option<NullableRead> {
    let call = code.parent(code.parent(on));
    receiver(code, call).filter(|own| *own == on)?;
    let (class, name) = (code.type_of(on), method_name(code, call));
    let count = arguments(code, call).len();
    let is_queue = ["Queue", "Deque", "LinkedList"].iter().any(|end| class.ends_with(end));
    let is_map = class.starts_with("java.util.") && class.contains("Map");
    let throwing_method =
        THROWING_METHODS.iter().find(|(from, _)| *from == name && is_queue && count == 0);
    let returns_null = is_map && matches!(name, "get" | "remove") && count == 1
        || (is_map || is_queue) && NULL_RETURNING_METHODS.contains(&name) && count == 0;
    let written = code.source_text(call);
    let text = match throwing_method {
        Some((from, to)) => {
            let at = code.bytes(on).end - code.bytes(call).start;
            format!("{}{}", &written[..at], written[at..].replacen(from, to, 1))
        }
        None if returns_null => written.to_owned(),
        None => return None,
    };
    let ty = shortest_type_name(code, code.facts.text(code.node(call).ty.parameterised));
    let name = unused_name_in_method(
        code,
        code.enclosing_method(on)?,
        &element_name(code.source_text(on), &ty),
    );
    let what = format!("the element of {}", code.source_text(on));
    Some(NullableRead { node: call, text, ty, name, description: what })
}

/// Returns a name for an element of a collection: the singular of the collection's name, otherwise after its type.
fn element_name(collection: &str, ty: &str) -> String {
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
fn field_read(
    context: &BugContext<'_>,
    file: usize,
    node: NodeIndex,
    field: SymbolId,
) -> Option<NullableRead> {
    let code = context.code(file);
    let parent = code.parent(node);
    let is_dereferenced =
        matches!(code.kind(parent), NodeKind::MemberSelect | NodeKind::ArrayAccess)
            && code.children(parent).first() == Some(&node);
    let name = code.facts.name(field);
    if !is_dereferenced || is_write(code, node) || is_null_checked(code, node) {
        return None;
    }
    let (block, own) = enclosing_block(code, node)?;
    let rest = own..code.node(block).subtree_end;
    let mut others = rest.filter(|id| *id != node && code.node(*id).symbol == Some(field));
    let is_only_use = code.has_kind(node, NodeKind::Identifier)
        && others.all(|id| id < code.node(own).subtree_end);
    let (name, text) = if is_only_use {
        (name.to_owned(), qualified_name(context, code, field, node))
    } else {
        let mut letters = name.chars();
        let first = letters.next()?.to_uppercase();
        let wanted: String = "current".chars().chain(first).chain(letters).collect();
        (
            unused_name_in_method(code, code.enclosing_method(node)?, &wanted),
            code.source_text(node).to_owned(),
        )
    };
    let what = code.facts.name(field).to_owned();
    Some(NullableRead {
        node,
        text,
        ty: field_type(context, field)?.to_owned(),
        name,
        description: what,
    })
}

/// Returns true if the routine compares a field with null: then the compared value should be used.
fn is_null_checked(code: &Code<'_>, node: NodeIndex) -> bool {
    let symbol = code.node(node).symbol;
    let own = enclosing_routine(code, node).unwrap_or(0);
    descendants(code, own).any(|id| {
        let is_comparison = matches!(code.kind(id), NodeKind::EqualTo | NodeKind::NotEqualTo);
        let sides = if is_comparison { code.children(id) } else { Vec::new() };
        sides.iter().any(|side| code.node(*side).symbol == symbol)
            && sides.iter().any(|side| code.has_kind(*side, NodeKind::NullLiteral))
    })
}

/// Returns true if every execution of the statement reads the value exactly once.
fn is_read_exactly_once(code: &Code<'_>, node: NodeIndex) -> bool {
    let Some(own) = enclosing_statement(code, node)
        .filter(|own| code.has_kind(code.parent(*own), NodeKind::Block))
    else {
        return false;
    };
    let is_conditional = |id: NodeIndex| {
        matches!(
            code.kind(id),
            NodeKind::LambdaExpression
                | NodeKind::ConditionalAnd
                | NodeKind::ConditionalOr
                | NodeKind::ConditionalExpression
        ) || code.is_type_declaration(id)
            || code.is_loop(id)
    };
    !code.self_and_ancestors(node).take_while(|id| *id != own).chain([own]).any(is_conditional)
}

/// Merges the check and the read of a collection in one branch into one read. Also returns a description of the read.
fn merge_check_and_read(code: &Code<'_>, read: &NullableRead) -> Option<(Vec<Edit>, String)> {
    let own = enclosing_statement(code, read.node)?;
    let holder =
        code.self_and_ancestors(own).skip(1).find(|id| !code.has_kind(*id, NodeKind::Block))?;
    let role = if code.has_kind(holder, NodeKind::If) { NodeRole::Then } else { NodeRole::Body };
    let branch = code
        .child(holder, role)
        .filter(|_| matches!(code.kind(holder), NodeKind::If | NodeKind::WhileLoop))?;
    let condition = code.child(holder, NodeRole::Condition)?;
    let is_inside = descendants(code, branch).contains(&own) && code.is_in_statement_list(holder);
    if !is_inside || !checks_presence(code, strip_parentheses(code, condition), read.node) {
        return None;
    }
    let (value, NullableRead { text, ty, .. }) = (code.parent(read.node), read);
    let is_assigned = value == own && code.has_kind(own, NodeKind::Variable);
    let name = match code.symbol(own).filter(|_| is_assigned) {
        Some(symbol) => code.facts.text(symbol.name),
        None => &read.name,
    };
    let mut edits: Vec<Edit> = if is_assigned {
        vec![remove_statement(code, own)]
    } else {
        let same = |id: &NodeIndex| {
            code.source_text(*id) == code.source_text(read.node) && code.is_replaceable_value(*id)
        };
        let all = descendants(code, branch).filter(same);
        all.map(|id| Edit::replace(code.bytes(id), name)).collect()
    };
    if code.has_kind(holder, NodeKind::If) {
        edits.push(insert_line_before(code, holder, &format!("{ty} {name} = {text};")));
        edits.push(Edit::replace(code.bytes(condition), format!("({name} != null)")));
    } else {
        edits.push(insert_line_before(code, holder, &format!("{ty} {name};")));
        let assignment_check = format!("(({name} = {text}) != null)");
        edits.push(Edit::replace(code.bytes(condition), assignment_check));
    }
    Some((edits, name.to_owned()))
}

/// Returns true if a condition checks only whether a collection contains what a call then reads.
fn checks_presence(code: &Code<'_>, condition: NodeIndex, call: NodeIndex) -> bool {
    let on = receiver(code, call).map(|on| code.source_text(on));
    let key = arguments(code, call).first().map(|key| code.source_text(*key));
    let is_check_of = |question: NodeIndex, name: &str| {
        method_name(code, question) == name
            && receiver(code, question).map(|on| code.source_text(on)) == on
            && arguments(code, question).first().map(|key| code.source_text(*key)) == key
    };
    match code.kind(condition) {
        NodeKind::MethodInvocation => is_check_of(condition, "containsKey"),
        NodeKind::LogicalComplement => {
            let inner =
                code.children(condition).first().map(|inner| strip_parentheses(code, *inner));
            inner.is_some_and(|inner| is_check_of(inner, "isEmpty"))
        }
        NodeKind::GreaterThan | NodeKind::NotEqualTo => match code.children(condition)[..] {
            [left, right] if code.has_kind(right, NodeKind::NullLiteral) => {
                ["get", "peek", "peekFirst", "peekLast"].iter().any(|name| is_check_of(left, name))
            }
            [left, right] => is_check_of(left, "size") && code.source_text(right) == "0",
            _ => false,
        },
        _ => false,
    }
}

/// Skips the code that needs a missing value.
fn skip_if_missing(
    context: &BugContext<'_>,
    file: usize,
    own: NodeIndex,
    variable: SymbolId,
    read: &NullableRead,
) -> Option<EditsByFile> {
    let code = context.code(file);
    let first = enclosing_statement(code, read.node)?;
    let is_in_loop =
        code.self_and_ancestors(first).take_while(|id| *id != own).any(|id| code.is_loop(id));
    if !is_in_loop && !is_removed_elsewhere(context, variable) {
        return None;
    }
    let edits = match code.kind(first) {
        NodeKind::Variable if code.parent(read.node) == first => {
            skip_after_assignment(code, first, read)?
        }
        NodeKind::Variable | NodeKind::ExpressionStatement => {
            skip_with_local_copy(context, file, own, first, read)?
        }
        _ => return None,
    };
    let mut all: EditsByFile = [(file, edits)].into();
    let raced = context
        .races
        .iter()
        .any(|(one, other)| [one.variable, other.variable].contains(&Some(variable)));
    let volatile = volatile_edit(context, variable).filter(|_| raced);
    if let Some((file, edit)) = volatile {
        all.entry(file).or_default().push(edit);
    }
    Some(all)
}

/// Returns true if other code removes the contents or the value of a variable.
fn is_removed_elsewhere(context: &BugContext<'_>, variable: SymbolId) -> bool {
    context.uses(variable).into_iter().any(|(file, node)| {
        let code = context.code(file);
        let parent = code.parent(node);
        let value =
            code.child(parent, NodeRole::Value).filter(|_| code.role(node) == NodeRole::Target);
        let call = code.parent(parent);
        let name = if receiver(code, call) == Some(node) { method_name(code, call) } else { "" };
        value.is_some_and(|value| code.has_kind(value, NodeKind::NullLiteral))
            || REMOVAL_PREFIXES.iter().any(|begin| name.starts_with(begin))
    })
}

/// Skips the statements after the assignment of a variable that need its value, if the value is missing.
fn skip_after_assignment(
    code: &Code<'_>,
    first: NodeIndex,
    read: &NullableRead,
) -> Option<Vec<Edit>> {
    let symbol = code.node(first).symbol?;
    let name = code.facts.name(symbol);
    let last = last_dependent_statement(code, code.parent(first), first, first);
    let next = crate::evidence::calls::next_statement(code, first).filter(|_| last > first)?;
    let uses =
        descendants(code, code.parent(first)).filter(|id| code.node(*id).symbol == Some(symbol));
    let mut uses = uses.filter(|id| *id != first);
    let is_checked = uses.any(|id| is_null_checked(code, id));
    let edit = wrap_statements(code, (next, last), (&format!("if ({name} != null) {{"), "}"), &[])?;
    let whole = [Edit::replace(code.bytes(read.node), read.text.as_str()), edit];
    let is_free = !is_checked && !returns_value(code, next, last);
    is_free.then(|| whole.to_vec())
}

/// Assigns the value to a local variable, and runs the code that needs it only if it is present.
fn skip_with_local_copy(
    context: &BugContext<'_>,
    file: usize,
    own: NodeIndex,
    first: NodeIndex,
    read: &NullableRead,
) -> Option<Vec<Edit>> {
    let code = context.code(file);
    let block = code.parent(first);
    let last = last_dependent_statement(code, block, first, first);
    let all = first..code.node(last).subtree_end;
    let same: Vec<NodeIndex> = all
        .filter(|id| {
            code.source_text(*id) == code.source_text(read.node)
                && code.has_kind(*id, code.kind(read.node))
        })
        .collect();
    let is_plain = same.iter().all(|id| !is_write(code, *id) && runs_with(code, *id, own));
    let is_ignored = code.has_kind(code.parent(read.node), NodeKind::ExpressionStatement);
    if !is_plain || is_ignored || returns_value(code, first, last) {
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
        return Some([vec![insert_line_before(code, first, &head)], renamed].concat());
    }
    let head = format!("{ty} {name} = {text};\nif ({name} != null) {{");
    Some(vec![wrap_statements(code, (first, last), (&head, "}"), &renamed)?])
}

/// Returns true if some statements return a value: then they cannot be skipped.
fn returns_value(code: &Code<'_>, first: NodeIndex, last: NodeIndex) -> bool {
    let is_value_return =
        |id: NodeIndex| code.has_kind(id, NodeKind::Return) && !code.children(id).is_empty();
    let block = code.parent(first);
    (first..code.node(last).subtree_end).any(|id| is_value_return(id) && runs_with(code, id, block))
}
