//! Test mutation: the existing tests with another value, with a step removed or repeated, or with an element more or
//! less.

use mend_java::Code;
use mend_java::Edit;
use mend_java::code::types::is_reference;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole, SymbolKind};
use std::collections::BTreeSet;

/// Maximum number of other literals of a test that replace one literal.
const OTHERS: usize = 3;

/// Prefixes of assertion methods.
const ASSERTING: [&str; 2] = ["assert", "fail"];

/// Ways to change a test method a little: each is the edits of one.
pub(crate) fn changed(code: &Code<'_>, method: NodeIndex) -> Vec<Edit> {
    let Some(body) = code.child(method, NodeRole::Body) else { return Vec::new() };
    let inside: Vec<NodeIndex> = (body..code.node(body).end).collect();
    let literals: Vec<NodeIndex> =
        inside.iter().copied().filter(|id| is_input(code, *id)).collect();
    // There are few of these and many literals: they must not come last.
    let mut all: Vec<Edit> = inside.iter().flat_map(|id| elements(code, *id)).collect();
    for literal in &literals {
        let others = literals.iter().filter(|other| code.kind(**other) == code.kind(*literal));
        let mut texts: Vec<String> = values(code, *literal);
        let others: BTreeSet<&str> = others.map(|other| code.written(*other)).collect();
        texts.extend(others.into_iter().take(OTHERS).map(as_operand));
        texts.dedup();
        let is_news = |text: &String| *text != as_operand(code.written(*literal));
        let edit = |text| Edit::replace(code.bytes(*literal), text);
        all.extend(texts.into_iter().filter(is_news).map(edit));
    }
    for id in inside {
        if is_step(code, id) {
            all.push(Edit::replace(code.bytes(id), ""));
            all.push(Edit::insert(code.bytes(id).end, format!(" {}", code.written(id))));
        }
    }
    let mut known = BTreeSet::new();
    all.retain(|edit| known.insert(edit.clone()));
    all
}

/// Ways to change what a test is given by its runner, where its body begins.
pub(crate) fn changed_parameters(code: &Code<'_>, method: NodeIndex, body: NodeIndex) -> Vec<Edit> {
    let start = code.bytes(body).start + 1;
    let children = code.children(method).into_iter();
    let parameters = children.filter(|id| code.role(*id) == NodeRole::Parameter);
    let changed = parameters.flat_map(|id| {
        let symbol = code.symbol(id);
        let name = symbol.map_or("", |symbol| code.facts.text(symbol.name));
        let ty = symbol.map_or("", |symbol| code.facts.text(symbol.ty.erased));
        let others: Vec<String> = match ty {
            "int" | "long" | "double" | "float" => {
                let ways = ["{} + 1", "{} - 1", "0", "-{}", "2 * {}"];
                ways.iter().map(|way| way.replace("{}", name)).collect()
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
    let inside = method..code.node(method).end;
    let statements = inside.filter(|id| code.is(*id, NodeKind::ExpressionStatement));
    let edits = statements.filter_map(|statement| {
        let call = *code.children(statement).first()?;
        asserted(code, call)?;
        let callee = code.child(call, NodeRole::Callee)?;
        Some(Edit::replace(code.bytes(callee), "gitmend.probe.Trace.recordValues"))
    });
    edits.collect()
}

/// Returns the variables that a body declares for all later statements.
pub(crate) fn variables<'a>(code: &Code<'a>, body: NodeIndex) -> Vec<&'a str> {
    let declared = code.children(body).into_iter().filter(|id| {
        code.is(*id, NodeKind::Variable) && code.child(*id, NodeRole::Value).is_some()
    });
    declared.filter_map(|id| Some(code.facts.name(code.node(id).symbol?))).collect()
}

/// Returns true for a literal that is test input, not an expected value of an assertion.
fn is_input(code: &Code<'_>, id: NodeIndex) -> bool {
    let is_literal = code.kind(id).is_literal() && !code.is(id, NodeKind::NullLiteral);
    let parent = signed(code, id);
    let is_expected = asserted(code, parent).is_some();
    let is_label = code.is(parent, NodeKind::Case) || code.is(parent, NodeKind::Annotation);
    is_literal && !is_expected && !is_label
}

/// Returns the literal with its sign.
fn signed(code: &Code<'_>, id: NodeIndex) -> NodeIndex {
    let parent = code.parent(id);
    if code.is(parent, NodeKind::UnaryMinus) { code.parent(parent) } else { parent }
}

/// Returns other values of a literal's type.
fn values(code: &Code<'_>, id: NodeIndex) -> Vec<String> {
    let written = code.written(id);
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
fn is_step(code: &Code<'_>, id: NodeIndex) -> bool {
    let call = code.children(id).first().copied();
    code.is(id, NodeKind::ExpressionStatement)
        && code.is_in_list(id)
        && call.is_some_and(|call| asserted(code, call).is_none())
}

/// Returns edits of a list literal: one element more or less, or none; an array element becomes null.
fn elements(code: &Code<'_>, id: NodeIndex) -> Vec<Edit> {
    let listed: Vec<NodeIndex> = match code.kind(id) {
        NodeKind::NewArray => {
            let is_element = |child: &NodeIndex| !matches!(code.role(*child), NodeRole::Type);
            let written = code.written(id);
            let all = code.children(id).into_iter().filter(is_element);
            if written.contains('{') { all.collect() } else { Vec::new() }
        }
        NodeKind::MethodInvocation if is_list(code, id) => {
            let is_argument = |child: &NodeIndex| code.role(*child) == NodeRole::Argument;
            code.children(id).into_iter().filter(is_argument).collect()
        }
        _ => return Vec::new(),
    };
    let (Some(first), Some(last)) = (listed.first(), listed.last()) else { return Vec::new() };
    let end = code.bytes(*last).end;
    let mut edits = vec![Edit::insert(end, format!(", {}", code.written(*first)))];
    let may_be_null = |element: &NodeIndex| {
        code.is(id, NodeKind::NewArray)
            && is_reference(code.type_of(*element))
            && !code.is(*element, NodeKind::NullLiteral)
    };
    let ends = [first, last].into_iter().copied().filter(may_be_null);
    edits.extend(ends.map(|element| Edit::replace(code.bytes(element), "null")));
    if let [.., before, _] = listed[..] {
        edits.insert(0, Edit::replace(code.bytes(*first).start..end, ""));
        edits.push(Edit::replace(code.bytes(before).end..end, ""));
        edits.push(Edit::replace(code.bytes(*first).start..code.bytes(listed[1]).start, ""));
    }
    edits
}

fn is_list(code: &Code<'_>, call: NodeIndex) -> bool {
    let Some(symbol) = code.symbol(call) else { return false };
    let owner =
        symbol.owner.map_or("", |owner| code.facts.text(code.facts.symbol(owner).full_name));
    matches!(code.facts.text(symbol.name), "asList" | "of") && owner.starts_with("java.util.")
}

/// Returns the arguments that an assertion of a test framework, or of the test file itself, checks; `None` for any
/// other call.
fn asserted(code: &Code<'_>, call: NodeIndex) -> Option<Vec<NodeIndex>> {
    let symbol = code.symbol(call).filter(|symbol| symbol.kind == SymbolKind::Method)?;
    let name = code.facts.text(symbol.name);
    let trees = code.facts.trees();
    let is_of_tests =
        symbol.place.as_ref().is_none_or(|place| trees[place.tree].path == code.tree.path);
    let is_assertion = ASSERTING.iter().any(|start| name.starts_with(start))
        && is_of_tests
        && code.is(call, NodeKind::MethodInvocation);
    let is_argument = |child: &NodeIndex| code.role(*child) == NodeRole::Argument;
    let arguments: Vec<NodeIndex> = code.children(call).into_iter().filter(is_argument).collect();
    let is_code = |id: &NodeIndex| {
        matches!(code.kind(*id), NodeKind::LambdaExpression | NodeKind::MemberReference)
    };
    (is_assertion && !arguments.iter().any(is_code)).then_some(arguments)
}
