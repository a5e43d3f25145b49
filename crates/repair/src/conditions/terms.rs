//! Terms that conditions at a statement can use: variables, expressions of the routine, and queries of objects.

use mend_java::code::purity::{is_pure, is_query};
use mend_java::code::scope::{Variable, visible};
use mend_java::facts::{NodeIndex, NodeKind, NodeRole, Symbol, SymbolFlags, SymbolId, SymbolKind};
use mend_java::{Code, parenthesise};
use std::collections::{BTreeMap, HashSet};

/// Maximum number of recorded variables at one place.
const MAX_VARIABLES: usize = 12;

/// Maximum number of recorded booleans that are known to matter.
const MAX_BOOLEANS: usize = 4;

/// Maximum number of other recorded expressions.
const MAX_EXPRESSIONS: usize = 14;

/// Maximum number of calls of the class's own predicates.
const MAX_PREDICATES: usize = 4;

/// Maximum number of queries of one object.
const MAX_QUERIES_PER_OBJECT: usize = 3;

/// Maximum number of variables whose size is recorded.
const MAX_SIZED_VARIABLES: usize = 4;

/// Maximum length of an expression in a condition.
const MAX_EXPRESSION_LEN: usize = 40;

/// Nearness of a term that only the method mentions, and of one that neither mentions.
const DISTANT_TERM_NEARNESS: [f64; 2] = [0.8, 0.5];

/// Nearness of a call of one of the class's predicates.
const PREDICATE_NEARNESS: f64 = 0.8;

/// Term of a condition.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ConditionTerm {
    /// Source text.
    pub(crate) text: String,
    /// Type without type arguments.
    pub(crate) ty: String,
    /// True for any term but a plain name; its evaluation can throw.
    pub(crate) can_throw: bool,
    /// Relevance to the statement, from 0 to 1 (`AutoFix`, section 4.3: expression dependence).
    pub(crate) nearness: f64,
}

/// Returns the terms at a place: booleans known to matter first, then variables, nearer ones first. With `only_initialised`, only
/// those that definitely have a value there.
pub(crate) fn collect_terms(
    code: &Code<'_>,
    statement: NodeIndex,
    booleans: &[String],
    only_initialised: bool,
) -> Vec<ConditionTerm> {
    let variables = visible(code, statement);
    let mut usable_variables: Vec<Variable> = variables;
    if only_initialised {
        let initialised = find_initialised_variables(code, statement, &usable_variables);
        usable_variables.retain(|variable| initialised.contains(&variable.symbol));
    }
    let nearness = TermNearness::for_statement(code, statement);
    let new_term = |text: String, ty: &str, is_asked: bool| ConditionTerm {
        nearness: nearness.nearness_of(&text),
        ty: ty.to_owned(),
        can_throw: is_asked,
        text,
    };
    let booleans = booleans
        .iter()
        .take(MAX_BOOLEANS)
        .map(|text| ConditionTerm { nearness: 1.0, ..new_term(text.clone(), "boolean", true) });
    let variable_terms = usable_variables
        .iter()
        .take(MAX_VARIABLES)
        .map(|one| new_term(one.name.clone(), &one.ty, false));
    let mut all: Vec<ConditionTerm> = booleans.chain(variable_terms).collect();
    let written_expressions = find_pure_expressions(code, statement, &usable_variables).into_iter();
    let written_expressions: Vec<(String, &str)> = written_expressions.collect();
    let predicates = find_own_predicates(code, statement, &usable_variables);
    let object_queries = find_object_queries(code, statement, &usable_variables);
    let sizes = find_size_expressions(code, &usable_variables);
    // The arguments of a predicate are named by the statement.
    all.extend(predicates.into_iter().map(|(text, ty)| ConditionTerm {
        nearness: PREDICATE_NEARNESS,
        ..new_term(text, ty, true)
    }));
    for (text, ty) in written_expressions.into_iter().chain(object_queries).chain(sizes) {
        if all.len() < MAX_BOOLEANS + MAX_VARIABLES + MAX_EXPRESSIONS
            && all.iter().all(|term| term.text != text)
        {
            all.push(new_term(text, ty, true));
        }
    }
    all
}

/// Returns true if a text mentions an expression. A name after a dot is a member of something else.
pub(crate) fn mentions(text: &str, term: &str) -> bool {
    let is_identifier_char = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    text.match_indices(term).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + term.len()..]);
        let is_member_access = before.ends_with('.') && !before.ends_with("this.");
        let is_partial_word = term.starts_with(is_identifier_char)
            && before.ends_with(is_identifier_char)
            || term.ends_with(is_identifier_char) && after.starts_with(is_identifier_char);
        !is_partial_word && !is_member_access
    })
}

/// Relevance of terms to a statement.
struct TermNearness<'a> {
    statement: &'a str,
    method: &'a str,
}

impl<'a> TermNearness<'a> {
    fn for_statement(code: &Code<'a>, statement: NodeIndex) -> Self {
        let method = code.enclosing_method(statement).map_or("", |method| code.source_text(method));
        Self { statement: code.source_text(statement), method }
    }

    fn nearness_of(&self, text: &str) -> f64 {
        let root = text.split(['.', '(', '[', ' ']).next().unwrap_or(text);
        let is_named = |place: &str| {
            let is_identifier_char = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
            place.split(|c| !is_identifier_char(c)).any(|word| word == root)
        };
        match (is_named(self.statement), is_named(self.method)) {
            (true, _) => 1.0,
            (_, true) => DISTANT_TERM_NEARNESS[0],
            _ => DISTANT_TERM_NEARNESS[1],
        }
    }
}

/// Returns the variables that definitely have a value before a statement; during construction, fields do not.
fn find_initialised_variables(
    code: &Code<'_>,
    statement: NodeIndex,
    all: &[Variable],
) -> HashSet<SymbolId> {
    let is_constructor = |method: NodeIndex| code.child(method, NodeRole::Type).is_none();
    let is_in_constructor = code.enclosing_method(statement).is_none_or(is_constructor);
    let has_value = |id: NodeIndex| {
        let is_declared_here = code.has_kind(code.parent(id), NodeKind::Block)
            || code.has_kind(code.parent(id), NodeKind::Case);
        !is_declared_here || code.child(id, NodeRole::Value).is_some()
    };
    let declarations: BTreeMap<_, _> = code
        .nodes_of_kind(NodeKind::Variable)
        .filter_map(|id| Some((code.node(id).symbol?, id)))
        .collect();
    // A statement reads only what has a value before it, except what it assigns itself.
    let own_nodes = if code.is_loop(statement) { Vec::new() } else { code.own_nodes(statement) };
    let is_target = |id: &NodeIndex| code.role(*id) == NodeRole::Target;
    let (targets, others): (Vec<NodeIndex>, Vec<NodeIndex>) =
        own_nodes.into_iter().partition(is_target);
    let symbols = |nodes: Vec<NodeIndex>| -> HashSet<SymbolId> {
        nodes.into_iter().filter_map(|id| code.node(id).symbol).collect()
    };
    let assigned = symbols(targets);
    let read: HashSet<SymbolId> =
        symbols(others).into_iter().filter(|symbol| !assigned.contains(symbol)).collect();
    let is_readable = |variable: &&Variable| {
        if variable.is_field {
            let flags = code.facts.symbol(variable.symbol).flags;
            return !is_in_constructor && !flags.has(SymbolFlags::CONSTANT);
        }
        read.contains(&variable.symbol)
            || declarations.get(&variable.symbol).is_none_or(|id| has_value(*id))
    };
    all.iter().filter(is_readable).map(|variable| variable.symbol).collect()
}

/// Returns the pure expressions of the routine that can be evaluated before the statement, the nearest first.
fn find_pure_expressions<'a>(
    code: &Code<'a>,
    statement: NodeIndex,
    variables: &[Variable],
) -> Vec<(String, &'a str)> {
    let Some(method) = code.enclosing_method(statement) else { return Vec::new() };
    let start = code.bytes(statement).start;
    let names: HashSet<SymbolId> = variables.iter().map(|variable| variable.symbol).collect();
    let is_known = |id: NodeIndex| {
        let symbol = code.node(id).symbol.filter(|_| code.has_kind(id, NodeKind::Identifier));
        let is_local = |id: SymbolId| {
            matches!(code.facts.symbol(id).kind, SymbolKind::Local | SymbolKind::Field)
        };
        symbol.is_none_or(|id| !is_local(id) || names.contains(&id))
    };
    let is_usable = |id: &NodeIndex| {
        let is_atom = matches!(code.kind(*id), NodeKind::Identifier | NodeKind::Parenthesized)
            || code.kind(*id).is_literal();
        code.is_replaceable_value(*id)
            && !is_atom
            && code.source_text(*id).len() <= MAX_EXPRESSION_LEN
            && !code.source_text(*id).contains(['\n', '"'])
            && code.enclosing_type(*id) == code.enclosing_type(statement)
            && !is_boolean_operation(code, *id)
            && is_pure(code, *id)
            && (*id..code.node(*id).subtree_end).all(is_known)
    };
    let mut found: Vec<NodeIndex> =
        (method..code.node(method).subtree_end).filter(is_usable).collect();
    found.sort_by_key(|id| code.bytes(*id).start.abs_diff(start));
    found.into_iter().map(|id| (code.source_text(id).to_owned(), code.type_of(id))).collect()
}

/// Returns true for an operator expression whose operands are terms themselves.
fn is_boolean_operation(code: &Code<'_>, id: NodeIndex) -> bool {
    matches!(code.binary_operator(id), Some("&&" | "||" | "==" | "!=" | "<" | ">" | "<=" | ">="))
        || code.has_kind(id, NodeKind::LogicalComplement)
}

/// Returns calls of the class's boolean queries with the variables that the statement names.
fn find_own_predicates<'a>(
    code: &Code<'a>,
    statement: NodeIndex,
    variables: &[Variable],
) -> Vec<(String, &'a str)> {
    let class = code.enclosing_type(statement).and_then(|class| code.node(class).symbol);
    let method = code.enclosing_method(statement).and_then(|method| code.node(method).symbol);
    let (Some(class), Some(method)) = (class, method) else { return Vec::new() };
    let is_static = code.facts.symbol(method).flags.has(SymbolFlags::STATIC);
    let named: HashSet<SymbolId> =
        code.own_nodes(statement).into_iter().filter_map(|id| code.node(id).symbol).collect();
    let arguments = |predicate: &Symbol| -> Option<Vec<&str>> {
        let mut used: Vec<&str> = Vec::new();
        for parameter in &predicate.parameters {
            let ty = code.facts.text(code.facts.symbol(*parameter).ty.erased);
            let argument = variables.iter().find(|variable| {
                variable.ty == ty
                    && named.contains(&variable.symbol)
                    && !used.contains(&variable.name.as_str())
            });
            used.push(&argument?.name);
        }
        Some(used)
    };
    let is_predicate = |(id, symbol): &(SymbolId, &Symbol)| {
        symbol.kind == SymbolKind::Method
            && symbol.owner == Some(class)
            && *id != method
            && matches!(symbol.parameters.len(), 1 | 2)
            && code.facts.text(symbol.ty.erased) == "boolean"
            && (!is_static || symbol.flags.has(SymbolFlags::STATIC))
    };
    let found = code.facts.symbols().iter().enumerate().filter(is_predicate);
    let calls = found.filter_map(|(_, symbol)| {
        let arguments = arguments(symbol)?;
        let is_usable = is_query(code.facts, symbol);
        is_usable.then(|| format!("{}({})", code.facts.text(symbol.name), arguments.join(", ")))
    });
    calls.take(MAX_PREDICATES).map(|text| (text, "boolean")).collect()
}

/// Returns the queries of objects in scope that need no arguments; the own object comes first.
fn find_object_queries<'a>(
    code: &Code<'a>,
    statement: NodeIndex,
    variables: &[Variable],
) -> Vec<(String, &'a str)> {
    let method = code.enclosing_method(statement);
    let own = code.enclosing_type(statement).and_then(|class| code.node(class).symbol);
    let is_static = method
        .and_then(|method| code.symbol(method))
        .is_none_or(|method| method.flags.has(SymbolFlags::STATIC));
    let this = own.filter(|_| !is_static).map(|class| (String::new(), class));
    let others = variables.iter().filter_map(|variable| {
        let class = code.facts.find_class(&variable.ty)?;
        Some((format!("{}.", variable.name), class)).filter(|_| !variable.ty.starts_with("java"))
    });
    let own_method = method.and_then(|method| code.node(method).symbol);
    let queries_of_object = |(object, class): (String, SymbolId)| -> Vec<(String, &'a str)> {
        let is_usable_query = |(id, symbol): &(SymbolId, &Symbol)| {
            symbol.kind == SymbolKind::Method
                && symbol.owner == Some(class)
                && symbol.parameters.is_empty()
                && Some(*id) != own_method
                && !symbol.flags.has(SymbolFlags::STATIC)
                && (symbol.flags.access_level() > 0 || own == Some(class))
                && is_query(code.facts, symbol)
        };
        // For the compiler, `this` is a field without a declaration.
        let is_field = |symbol: &&Symbol| {
            symbol.kind == SymbolKind::Field
                && symbol.position.is_some()
                && symbol.owner == Some(class)
                && !object.is_empty()
                && !symbol.flags.has(SymbolFlags::STATIC)
                && (symbol.flags.access_level() > 1 || own == Some(class))
        };
        let symbols = code.facts.symbols().iter();
        let fields = symbols.clone().filter(is_field).take(MAX_QUERIES_PER_OBJECT).map(|symbol| {
            let text = format!("{object}{}", code.facts.text(symbol.name));
            (text, code.facts.text(symbol.ty.erased))
        });
        let queries = symbols.enumerate().filter(is_usable_query).take(MAX_QUERIES_PER_OBJECT).map(
            |(_, symbol)| {
                let text = format!("{object}{}()", code.facts.text(symbol.name));
                (text, code.facts.text(symbol.ty.erased))
            },
        );
        queries.chain(fields).collect()
    };
    this.into_iter().chain(others).flat_map(queries_of_object).collect()
}

/// Returns the sizes of objects in scope.
fn find_size_expressions<'a>(code: &Code<'a>, variables: &[Variable]) -> Vec<(String, &'a str)> {
    let size_of =
        |variable: &Variable| Some((size_expression(code, &variable.name, &variable.ty)?, "int"));
    variables.iter().take(MAX_SIZED_VARIABLES).filter_map(size_of).collect()
}

/// Returns the expression for the size of an object; `None` if its type has none.
pub(crate) fn size_expression(code: &Code<'_>, object: &str, ty: &str) -> Option<String> {
    let class = code.facts.find_class(ty);
    let is_subtype_of =
        |name: &str| class.is_some_and(|class| code.facts.is_subtype_of(class, name));
    let size_member = if ty.ends_with("[]") {
        "length"
    } else if is_subtype_of("java.lang.CharSequence") {
        "length()"
    } else if is_subtype_of("java.util.Collection") || is_subtype_of("java.util.Map") {
        "size()"
    } else {
        return None;
    };
    Some(format!("{}.{size_member}", parenthesise(object)))
}
