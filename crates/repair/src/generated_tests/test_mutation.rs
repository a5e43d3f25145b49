//! Mutation of tests: replaces a literal, removes or repeats a call, or changes the elements of a list.

use mend_java::Code;
use mend_java::Edit;
use mend_java::code::types::is_reference_type;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole, SymbolKind};
use std::collections::BTreeSet;

/// Maximum number of other literals of a test that replace one literal.
const MAX_OTHER_LITERALS: usize = 3;

/// Prefixes of assertion methods.
const ASSERTION_PREFIXES: [&str; 2] = ["assert", "fail"];

/// Returns the edits of a test method, each of which is one small mutation.
pub(crate) fn mutate_test(code: &Code<'_>, method: NodeIndex) -> Vec<Edit> {
    let Some(body) = code.child(method, NodeRole::Body) else { return Vec::new() };
    let body_nodes: Vec<NodeIndex> = (body..code.node(body).subtree_end).collect();
    let literals: Vec<NodeIndex> =
        body_nodes.iter().copied().filter(|id| is_input_literal(code, *id)).collect();
    // List mutations are few and come before the many literals.
    let mut all: Vec<Edit> =
        body_nodes.iter().flat_map(|id| mutate_list_elements(code, *id)).collect();
    for literal in &literals {
        let others = literals.iter().filter(|other| code.kind(**other) == code.kind(*literal));
        let mut texts: Vec<String> = other_values(code, *literal);
        let others: BTreeSet<&str> = others.map(|other| code.source_text(*other)).collect();
        texts.extend(others.into_iter().take(MAX_OTHER_LITERALS).map(as_operand));
        texts.dedup();
        let is_different = |text: &String| *text != as_operand(code.source_text(*literal));
        let edit = |text| Edit::replace(code.bytes(*literal), text);
        all.extend(texts.into_iter().filter(is_different).map(edit));
    }
    for id in body_nodes {
        if is_non_assertion_call(code, id) {
            all.push(Edit::replace(code.bytes(id), ""));
            all.push(Edit::insert(code.bytes(id).end, format!(" {}", code.source_text(id))));
        }
    }
    let mut distinct = BTreeSet::new();
    all.retain(|edit| distinct.insert(edit.clone()));
    all
}

/// Returns edits that change a parameter at the beginning of the test.
pub(crate) fn mutate_parameters(code: &Code<'_>, method: NodeIndex, body: NodeIndex) -> Vec<Edit> {
    let start = code.bytes(body).start + 1;
    let children = code.children(method).into_iter();
    let parameters = children.filter(|id| code.role(*id) == NodeRole::Parameter);
    let changed = parameters.flat_map(|id| {
        let symbol = code.symbol(id);
        let name = symbol.map_or("", |symbol| code.facts.text(symbol.name));
        let ty = symbol.map_or("", |symbol| code.facts.text(symbol.ty.erased));
        let others: Vec<String> = match ty {
            "int" | "long" | "double" | "float" => {
                let templates = ["{} + 1", "{} - 1", "0", "-{}", "2 * {}"];
                templates.iter().map(|way| way.replace("{}", name)).collect()
            }
            "boolean" => vec![format!("!{name}")],
            "java.lang.String" => vec!["\"\"".to_owned(), format!("{name} + {name}")],
            _ => Vec::new(),
        };
        others.into_iter().map(move |other| Edit::insert(start, format!(" {name} = {other};")))
    });
    changed.collect()
}

/// Replaces assertions with recordings of their arguments.
pub(crate) fn record_assertions(code: &Code<'_>, method: NodeIndex) -> Vec<Edit> {
    let method_nodes = method..code.node(method).subtree_end;
    let statements = method_nodes.filter(|id| code.has_kind(*id, NodeKind::ExpressionStatement));
    let edits = statements.filter_map(|statement| {
        let call = *code.children(statement).first()?;
        assertion_arguments(code, call)?;
        let callee = code.child(call, NodeRole::Callee)?;
        Some(Edit::replace(code.bytes(callee), "gitmend.probe.Trace.recordValues"))
    });
    edits.collect()
}

/// Returns the variables that a body declares for all later statements.
pub(crate) fn declared_variables<'a>(code: &Code<'a>, body: NodeIndex) -> Vec<&'a str> {
    let declared = code.children(body).into_iter().filter(|id| {
        code.has_kind(*id, NodeKind::Variable) && code.child(*id, NodeRole::Value).is_some()
    });
    declared.filter_map(|id| Some(code.facts.name(code.node(id).symbol?))).collect()
}

/// Returns true for a literal that is test input, not an expected value of an assertion.
fn is_input_literal(code: &Code<'_>, id: NodeIndex) -> bool {
    let is_literal = code.kind(id).is_literal() && !code.has_kind(id, NodeKind::NullLiteral);
    let parent = parent_above_sign(code, id);
    let is_expected = assertion_arguments(code, parent).is_some();
    let is_label =
        code.has_kind(parent, NodeKind::Case) || code.has_kind(parent, NodeKind::Annotation);
    is_literal && !is_expected && !is_label
}

/// Returns the literal with its sign.
fn parent_above_sign(code: &Code<'_>, id: NodeIndex) -> NodeIndex {
    let parent = code.parent(id);
    if code.has_kind(parent, NodeKind::UnaryMinus) { code.parent(parent) } else { parent }
}

/// Returns other values of a literal's type.
fn other_values(code: &Code<'_>, id: NodeIndex) -> Vec<String> {
    let written = code.source_text(id);
    match code.kind(id) {
        NodeKind::BooleanLiteral => {
            vec![if written == "true" { "false" } else { "true" }.to_owned()]
        }
        NodeKind::IntLiteral | NodeKind::LongLiteral => {
            let digits = written.trim_end_matches(['l', 'L']);
            let end = &written[digits.len()..];
            let Ok(value) = digits.parse::<i64>() else { return Vec::new() };
            let near = [value.checked_add(1), value.checked_sub(1), Some(0), Some(1)];
            let far = [value.checked_mul(2), value.checked_neg()];
            let is_long = !end.is_empty();
            let fits = |other: &i64| is_long || i32::try_from(*other).is_ok();
            let others = near.into_iter().chain(far).flatten().filter(fits);
            others.map(|other| as_operand(&format!("{other}{end}"))).collect()
        }
        NodeKind::DoubleLiteral | NodeKind::FloatLiteral => {
            vec!["0".to_owned(), format!("({written} + 1)"), format!("(-{written})")]
        }
        NodeKind::StringLiteral if written.len() >= 2 && !written.starts_with("\"\"\"") => {
            let inner = &written[1..written.len() - 1];
            let mut texts = vec!["\"\"".to_owned(), format!("\"{inner}{inner}\"")];
            let is_plain = !inner.contains('\\') && inner.is_ascii();
            if let (true, Some(shorter)) = (is_plain, inner.get(1..)) {
                texts.push(format!("\"{shorter}\""));
                texts.push(format!("\"{}\"", &inner[..inner.len() - 1]));
            }
            texts
        }
        _ => Vec::new(),
    }
}

/// Returns a literal in a form that can follow any operator, as `--1` has another meaning. The compiler treats `-1` as
/// a literal.
fn as_operand(literal: &str) -> String {
    if literal.starts_with('-') { format!("({literal})") } else { literal.to_owned() }
}

/// Returns true for a command that is not an assertion.
fn is_non_assertion_call(code: &Code<'_>, id: NodeIndex) -> bool {
    let call = code.children(id).first().copied();
    code.has_kind(id, NodeKind::ExpressionStatement)
        && code.is_in_statement_list(id)
        && call.is_some_and(|call| assertion_arguments(code, call).is_none())
}

/// Returns edits of a list literal: one element more or less, or none; an array element becomes null.
fn mutate_list_elements(code: &Code<'_>, id: NodeIndex) -> Vec<Edit> {
    let elements: Vec<NodeIndex> = match code.kind(id) {
        NodeKind::NewArray => {
            let is_element = |child: &NodeIndex| !matches!(code.role(*child), NodeRole::Type);
            let written = code.source_text(id);
            let all = code.children(id).into_iter().filter(is_element);
            if written.contains('{') { all.collect() } else { Vec::new() }
        }
        NodeKind::MethodInvocation if is_list_factory(code, id) => {
            let is_argument = |child: &NodeIndex| code.role(*child) == NodeRole::Argument;
            code.children(id).into_iter().filter(is_argument).collect()
        }
        _ => return Vec::new(),
    };
    let (Some(first), Some(last)) = (elements.first(), elements.last()) else { return Vec::new() };
    let end = code.bytes(*last).end;
    let mut edits = vec![Edit::insert(end, format!(", {}", code.source_text(*first)))];
    let may_be_null = |element: &NodeIndex| {
        code.has_kind(id, NodeKind::NewArray)
            && is_reference_type(code.type_of(*element))
            && !code.has_kind(*element, NodeKind::NullLiteral)
    };
    let ends = [first, last].into_iter().copied().filter(may_be_null);
    edits.extend(ends.map(|element| Edit::replace(code.bytes(element), "null")));
    if let [.., second_last, _] = elements[..] {
        edits.insert(0, Edit::replace(code.bytes(*first).start..end, ""));
        edits.push(Edit::replace(code.bytes(second_last).end..end, ""));
        edits.push(Edit::replace(code.bytes(*first).start..code.bytes(elements[1]).start, ""));
    }
    edits
}

fn is_list_factory(code: &Code<'_>, call: NodeIndex) -> bool {
    let Some(symbol) = code.symbol(call) else { return false };
    let owner =
        symbol.owner.map_or("", |owner| code.facts.text(code.facts.symbol(owner).full_name));
    matches!(code.facts.text(symbol.name), "asList" | "of") && owner.starts_with("java.util.")
}

/// Returns the arguments that an assertion of a test framework, or of the test file itself, checks; `None` for any
/// other call.
fn assertion_arguments(code: &Code<'_>, call: NodeIndex) -> Option<Vec<NodeIndex>> {
    let symbol = code.symbol(call).filter(|symbol| symbol.kind == SymbolKind::Method)?;
    let name = code.facts.text(symbol.name);
    let trees = code.facts.trees();
    let is_test_code =
        symbol.position.as_ref().is_none_or(|place| trees[place.tree].path == code.tree.path);
    let is_assertion = ASSERTION_PREFIXES.iter().any(|start| name.starts_with(start))
        && is_test_code
        && code.has_kind(call, NodeKind::MethodInvocation);
    let is_argument = |child: &NodeIndex| code.role(*child) == NodeRole::Argument;
    let arguments: Vec<NodeIndex> = code.children(call).into_iter().filter(is_argument).collect();
    let is_code = |id: &NodeIndex| {
        matches!(code.kind(*id), NodeKind::LambdaExpression | NodeKind::MemberReference)
    };
    (is_assertion && !arguments.iter().any(is_code)).then_some(arguments)
}
