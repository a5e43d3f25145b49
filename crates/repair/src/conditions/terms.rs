//! Terms of conditions at a place: variables, expressions of the routine, and queries of objects.

use mend_java::code::purity::{is_pure, is_query};
use mend_java::code::scope::{Variable, visible};
use mend_java::facts::{NodeIndex, NodeKind, NodeRole, Symbol, SymbolFlags, SymbolId, SymbolKind};
use mend_java::{Code, closed};
use std::collections::{BTreeMap, HashSet};

/// Maximum number of recorded variables at one place.
const VARIABLES: usize = 12;

/// Maximum number of recorded booleans that are known to matter.
const TRUTHS: usize = 4;

/// Maximum number of other recorded expressions.
const EXPRESSIONS: usize = 14;

/// Maximum number of queries of one object.
const QUESTIONS: usize = 3;

/// Maximum number of variables whose size is recorded.
const SIZES: usize = 4;

/// An expression longer than this makes no condition that anybody would write.
const LONGEST: usize = 40;

/// Nearness of a term that only the method mentions, and of one that neither mentions.
const NEARNESS: [f64; 2] = [0.8, 0.5];

/// A term that a condition can use.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ConditionTerm {
    /// Source text.
    pub(crate) text: String,
    /// Without its arguments.
    pub(crate) ty: String,
    /// True for any term but a plain name; its evaluation can throw.
    pub(crate) is_asked: bool,
    /// Relevance to the statement, from 0 to 1 (`AutoFix`, section 4.3: expression dependence).
    pub(crate) nearness: f64,
}

/// Returns the terms at a place: booleans known to matter first, then variables, nearer ones first. With `surely`, only
/// those that definitely have a value there.
pub(crate) fn terms(
    code: &Code<'_>,
    statement: NodeIndex,
    truths: &[String],
    surely: bool,
) -> Vec<ConditionTerm> {
    let variables = visible(code, statement);
    let mut known: Vec<Variable> = variables;
    if surely {
        let readable = readable(code, statement, &known);
        known.retain(|variable| readable.contains(&variable.symbol));
    }
    let nearness = TermNearness::of_statement(code, statement);
    let of = |text: String, ty: &str, is_asked: bool| ConditionTerm {
        nearness: nearness.of_text(&text),
        ty: ty.to_owned(),
        is_asked,
        text,
    };
    let truths = truths
        .iter()
        .take(TRUTHS)
        .map(|text| ConditionTerm { nearness: 1.0, ..of(text.clone(), "boolean", true) });
    let named = known.iter().take(VARIABLES).map(|one| of(one.name.clone(), &one.ty, false));
    let mut all: Vec<ConditionTerm> = truths.chain(named).collect();
    let written = expressions(code, statement, &known).into_iter();
    let written: Vec<(String, &str)> = written.collect();
    let questions = questions(code, statement, &known);
    let sizes = sizes(code, &known);
    for (text, ty) in written.into_iter().chain(questions).chain(sizes) {
        if all.len() < TRUTHS + VARIABLES + EXPRESSIONS && all.iter().all(|term| term.text != text)
        {
            all.push(of(text, ty, true));
        }
    }
    all
}

/// Returns true if a text mentions an expression. A name after a dot is a member of something else.
pub(crate) fn mentions(text: &str, term: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    text.match_indices(term).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + term.len()..]);
        let is_asked = before.ends_with('.') && !before.ends_with("this.");
        let is_torn = term.starts_with(is_part) && before.ends_with(is_part)
            || term.ends_with(is_part) && after.starts_with(is_part);
        !is_torn && !is_asked
    })
}

/// Relevance of terms to a statement.
struct TermNearness<'a> {
    statement: &'a str,
    method: &'a str,
}

impl<'a> TermNearness<'a> {
    fn of_statement(code: &Code<'a>, statement: NodeIndex) -> Self {
        let method = code.method_of(statement).map_or("", |method| code.written(method));
        Self { statement: code.written(statement), method }
    }

    fn of_text(&self, text: &str) -> f64 {
        let root = text.split(['.', '(', '[', ' ']).next().unwrap_or(text);
        let is_named = |place: &str| {
            let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
            place.split(|c| !is_part(c)).any(|word| word == root)
        };
        match (is_named(self.statement), is_named(self.method)) {
            (true, _) => 1.0,
            (_, true) => NEARNESS[0],
            _ => NEARNESS[1],
        }
    }
}

/// Returns the variables that definitely have a value before a statement; during construction, fields do not.
fn readable(code: &Code<'_>, statement: NodeIndex, all: &[Variable]) -> HashSet<SymbolId> {
    let is_constructor = |method: NodeIndex| code.child(method, NodeRole::Type).is_none();
    let is_made = code.method_of(statement).is_none_or(is_constructor);
    let has_value = |id: NodeIndex| {
        let is_declared_here =
            code.is(code.parent(id), NodeKind::Block) || code.is(code.parent(id), NodeKind::Case);
        !is_declared_here || code.child(id, NodeRole::Value).is_some()
    };
    let declarations: BTreeMap<_, _> = code
        .nodes_of_kind(NodeKind::Variable)
        .filter_map(|id| Some((code.node(id).symbol?, id)))
        .collect();
    let is_readable = |variable: &&Variable| {
        if variable.is_field {
            let flags = code.facts.symbol(variable.symbol).flags;
            return !is_made && !flags.has(SymbolFlags::CONSTANT);
        }
        declarations.get(&variable.symbol).is_none_or(|id| has_value(*id))
    };
    all.iter().filter(is_readable).map(|variable| variable.symbol).collect()
}

/// Returns the pure expressions of the routine that can be evaluated before the statement, the nearest first.
fn expressions<'a>(
    code: &Code<'a>,
    statement: NodeIndex,
    known: &[Variable],
) -> Vec<(String, &'a str)> {
    let Some(method) = code.method_of(statement) else { return Vec::new() };
    let start = code.bytes(statement).start;
    let names: HashSet<SymbolId> = known.iter().map(|variable| variable.symbol).collect();
    let is_known = |id: NodeIndex| {
        let symbol = code.node(id).symbol.filter(|_| code.is(id, NodeKind::Identifier));
        let is_local = |id: SymbolId| {
            matches!(code.facts.symbol(id).kind, SymbolKind::Local | SymbolKind::Field)
        };
        symbol.is_none_or(|id| !is_local(id) || names.contains(&id))
    };
    let is_meant = |id: &NodeIndex| {
        let is_plain = matches!(code.kind(*id), NodeKind::Identifier | NodeKind::Parenthesized)
            || code.kind(*id).is_literal();
        code.is_value(*id)
            && !is_plain
            && code.written(*id).len() <= LONGEST
            && !code.written(*id).contains(['\n', '"'])
            && code.class_of(*id) == code.class_of(statement)
            && !is_truth_of_its_own(code, *id)
            && is_pure(code, *id)
            && (*id..code.node(*id).end).all(is_known)
    };
    let mut found: Vec<NodeIndex> = (method..code.node(method).end).filter(is_meant).collect();
    found.sort_by_key(|id| code.bytes(*id).start.abs_diff(start));
    found.into_iter().map(|id| (code.written(id).to_owned(), code.type_of(id))).collect()
}

/// Returns true for an operator expression whose operands are terms themselves.
fn is_truth_of_its_own(code: &Code<'_>, id: NodeIndex) -> bool {
    matches!(code.operator(id), Some("&&" | "||" | "==" | "!=" | "<" | ">" | "<=" | ">="))
        || code.is(id, NodeKind::LogicalComplement)
}

/// Returns the queries of objects in scope that need no arguments; the own object comes first.
fn questions<'a>(
    code: &Code<'a>,
    statement: NodeIndex,
    known: &[Variable],
) -> Vec<(String, &'a str)> {
    let method = code.method_of(statement);
    let own = code.class_of(statement).and_then(|class| code.node(class).symbol);
    let is_static = method
        .and_then(|method| code.symbol(method))
        .is_none_or(|method| method.flags.has(SymbolFlags::STATIC));
    let this = own.filter(|_| !is_static).map(|class| (String::new(), class));
    let others = known.iter().filter_map(|variable| {
        let class = code.facts.class_named(&variable.ty)?;
        Some((format!("{}.", variable.name), class)).filter(|_| !variable.ty.starts_with("java"))
    });
    let itself = method.and_then(|method| code.node(method).symbol);
    let of = |(object, class): (String, SymbolId)| -> Vec<(String, &'a str)> {
        let is_question = |(id, symbol): &(SymbolId, &Symbol)| {
            symbol.kind == SymbolKind::Method
                && symbol.owner == Some(class)
                && symbol.parameters.is_empty()
                && Some(*id) != itself
                && !symbol.flags.has(SymbolFlags::STATIC)
                && (symbol.flags.access() > 0 || own == Some(class))
                && is_query(code.facts, symbol)
        };
        // For the compiler, `this` is a field without a declaration.
        let is_field = |symbol: &&Symbol| {
            symbol.kind == SymbolKind::Field
                && symbol.place.is_some()
                && symbol.owner == Some(class)
                && !object.is_empty()
                && !symbol.flags.has(SymbolFlags::STATIC)
                && (symbol.flags.access() > 1 || own == Some(class))
        };
        let symbols = code.facts.symbols().iter();
        let fields = symbols.clone().filter(is_field).take(QUESTIONS).map(|symbol| {
            let text = format!("{object}{}", code.facts.text(symbol.name));
            (text, code.facts.text(symbol.ty.erased))
        });
        let asked = symbols.enumerate().filter(is_question).take(QUESTIONS).map(|(_, symbol)| {
            let text = format!("{object}{}()", code.facts.text(symbol.name));
            (text, code.facts.text(symbol.ty.erased))
        });
        asked.chain(fields).collect()
    };
    this.into_iter().chain(others).flat_map(of).collect()
}

/// Returns the sizes of objects in scope.
fn sizes<'a>(code: &Code<'a>, known: &[Variable]) -> Vec<(String, &'a str)> {
    let of = |variable: &Variable| Some((size(code, &variable.name, &variable.ty)?, "int"));
    known.iter().take(SIZES).filter_map(of).collect()
}

/// Returns the expression for the size of an object; `None` if its type has none.
pub(crate) fn size(code: &Code<'_>, object: &str, ty: &str) -> Option<String> {
    let class = code.facts.class_named(ty);
    let is = |name: &str| class.is_some_and(|class| code.facts.is_below(class, name));
    let question = if ty.ends_with("[]") {
        "length"
    } else if is("java.lang.CharSequence") {
        "length()"
    } else if is("java.util.Collection") || is("java.util.Map") {
        "size()"
    } else {
        return None;
    };
    Some(format!("{}.{question}", closed(object)))
}
