//! What is demanded of a statement. By Java itself: no null dereferenced, no index out of range, no division by zero,
//! nothing taken out of what is empty, no cast that does not fit. By the routines that it calls: their contracts. And
//! what may be done where that does not hold.

use super::exits::{exits, leave, step};
use super::predicates::negated;
use super::{Proposals, Site, is_reference, named, reindented};
use crate::facts::{Flags, NodeIndex, Role, SymbolKind};
use crate::repair::candidate::Strategy;
use crate::repair::code::closed;
use crate::repair::edit::Edit;
use std::collections::HashSet;

/// Methods that fail where there is nothing left.
const TAKING: [&str; 16] = [
    "next",
    "getFirst",
    "getLast",
    "removeFirst",
    "removeLast",
    "pop",
    "element",
    "first",
    "last",
    "firstKey",
    "lastKey",
    "remove",
    "firstElement",
    "lastElement",
    "nextToken",
    "get",
];

/// How likely it is that something else was at fault than what the JVM says was null.
const UNTOLD: f64 = 0.6;

/// An object's expression longer than this is not asked.
const LONGEST: usize = 60;

/// A demand of a statement, as the condition under which it is not met.
struct Hazard {
    broken: String,
    strategy: Strategy,
    /// Whether no failing test saw it before the statement; a loop may come to it later all the same.
    is_refuted: bool,
    /// How likely it is among those of the statement.
    share: f64,
    /// The expression that fails, and the object that it is asked of.
    fails: NodeIndex,
}

pub(super) fn propose(site: &Site<'_>, out: &mut Proposals) {
    copied(site, out);
    clamped(site, out);
    for hazard in hazards(site) {
        instead(site, &hazard, out);
        in_condition(site, &hazard, out);
        if hazard.is_refuted {
            continue;
        }
        avoid(site, &hazard, out);
        for (at, exit) in exits(site).iter().enumerate() {
            let nearness = f64::from(u32::try_from(at).unwrap_or(u32::MAX));
            let weight = hazard.share * 0.7 / (1.0 + nearness * 0.1);
            leave(site, &hazard.broken, exit, (hazard.strategy, weight), out);
        }
        create(site, &hazard, out);
    }
}

/// What is walked over may change on the way if it is a copy.
fn copied(site: &Site<'_>, out: &mut Proposals) {
    let code = &site.code;
    let Some(walked) = code.child(site.statement, Role::Value) else { return };
    let is_collection = code.is(site.statement, "ENHANCED_FOR_LOOP")
        && code
            .facts
            .class_named(code.type_of(walked))
            .is_some_and(|class| code.facts.is_below(class, "java.util.Collection"));
    if is_collection {
        let list = named(code, "java.util.ArrayList");
        let text = format!("new {list}<>({})", code.written(walked));
        out.replace(site, walked, &text, (Strategy::RangeCheck, 0.8));
    }
}

/// An index is brought inside.
fn clamped(site: &Site<'_>, out: &mut Proposals) {
    let code = &site.code;
    for (index, last) in code.own_nodes(site.statement).into_iter().flat_map(|id| bounds(site, id))
    {
        if code.kind(index).ends_with("_LITERAL") {
            continue;
        }
        let written = code.written(index);
        for text in [format!("Math.min({written}, {last})"), format!("Math.max({written}, 0)")] {
            let edit = Edit::replace(code.bytes(index), &*text);
            let why = format!("`{}` becomes `{}`", super::brief(written), super::brief(&text));
            out.add(Strategy::RangeCheck, 0.5, vec![edit], why);
        }
    }
}

/// Indexes that an expression takes, each with the largest one that is inside.
fn bounds(site: &Site<'_>, id: NodeIndex) -> Vec<(NodeIndex, String)> {
    let code = &site.code;
    if let ("ARRAY_ACCESS", &[array, index]) = (code.kind(id), &code.children(id)[..]) {
        return vec![(index, format!("{}.length - 1", code.written(array)))];
    }
    let callee = code.child(id, Role::Callee).filter(|_| code.is(id, "METHOD_INVOCATION"));
    let Some(callee) = callee.filter(|callee| code.is(*callee, "MEMBER_SELECT")) else {
        return Vec::new();
    };
    let Some(&object) = code.children(callee).first() else { return Vec::new() };
    let name = code.symbol(id).map_or("", |symbol| code.facts.text(symbol.name));
    let owner = code.written(object);
    let is_list = code
        .facts
        .class_named(code.type_of(object))
        .is_some_and(|class| code.facts.is_below(class, "java.util.List"));
    let last = match name {
        "charAt" => format!("{owner}.length() - 1"),
        "substring" => format!("{owner}.length()"),
        "get" | "set" if is_list => format!("{owner}.size() - 1"),
        "subList" if is_list => format!("{owner}.size()"),
        _ => return Vec::new(),
    };
    let arguments = code.children(id).into_iter().filter(|id| code.role(*id) == Role::Argument);
    let indexes = arguments.filter(|id| code.type_of(*id) == "int");
    indexes.map(|index| (index, last.clone())).collect()
}

fn hazards(site: &Site<'_>) -> Vec<Hazard> {
    let code = &site.code;
    let mut all: Vec<Hazard> = Vec::new();
    let mut add = |broken: String, strategy, fails| {
        let is_refuted = site.is_refuted(&broken);
        let is_possible = !is_refuted || site.head.is_some();
        if all.iter().all(|known| known.broken != broken) && is_possible {
            all.push(Hazard { broken, strategy, is_refuted, share: 1.0, fails });
        }
    };
    for id in code.own_nodes(site.statement) {
        if let Some((object, fails)) = dereferenced(site, id) {
            add(format!("{} == null", code.written(object)), Strategy::NullCheck, fails);
            if let Some(empty) = emptiness(site, fails, object) {
                add(empty, Strategy::RangeCheck, fails);
            }
        }
        if let Some(broken) = not_found(site, id) {
            add(broken, Strategy::RangeCheck, id);
        }
        for broken in site.contracts.broken_by(code, id) {
            let is_null = broken.ends_with(" == null");
            let strategy = if is_null { Strategy::NullCheck } else { Strategy::RangeCheck };
            add(broken, strategy, id);
        }
        for (broken, fails) in ranges(site, id) {
            add(broken, Strategy::RangeCheck, fails);
        }
    }
    all.extend(any_null(site, &all));
    told(site, &mut all);
    all
}

/// Where the JVM says what was null, the rest is less likely.
fn told(site: &Site<'_>, all: &mut [Hazard]) {
    let is_told = |hazard: &Hazard| {
        let object = hazard.broken.strip_suffix(" == null").unwrap_or_default();
        site.diagnosis.nulls.iter().any(|null| {
            let is_call = null.ends_with('(')
                && object.rsplit('.').next().is_some_and(|last| last.starts_with(&**null));
            is_call || object == null || object.strip_prefix("this.") == Some(null)
        })
    };
    if all.iter().any(is_told) {
        for hazard in all.iter_mut().filter(|hazard| !is_told(hazard)) {
            hazard.share = UNTOLD;
        }
    }
}

/// Where an object and others like it are asked something, that any of them is null.
fn any_null(site: &Site<'_>, all: &[Hazard]) -> Vec<Hazard> {
    let code = &site.code;
    let asked = code.own_nodes(site.statement).into_iter();
    let asked: Vec<NodeIndex> = asked.filter_map(|id| Some(dereferenced(site, id)?.0)).collect();
    let is_like = |one: NodeIndex, other: NodeIndex| {
        code.kind(one) == code.kind(other) && code.type_of(one) == code.type_of(other)
    };
    let any = |hazard: &Hazard| {
        let first = hazard.broken.strip_suffix(" == null")?;
        let object = asked.iter().copied().find(|id| code.written(*id) == first)?;
        let like = asked.iter().copied().filter(|id| is_like(object, *id));
        let mut texts: Vec<&str> = like.map(|id| code.written(id)).collect();
        let mut known = HashSet::new();
        texts.retain(|text| known.insert(*text));
        let broken = texts.iter().map(|text| format!("{text} == null")).collect::<Vec<_>>();
        let (strategy, fails) = (Strategy::NullCheck, site.statement);
        let broken = (broken.len() > 1).then(|| broken.join(" || "))?;
        Some(Hazard { broken, strategy, is_refuted: hazard.is_refuted, share: 1.0, fails })
    };
    all.iter().filter_map(any).take(1).collect()
}

/// An object that something is asked of, and the whole question.
fn dereferenced(site: &Site<'_>, id: NodeIndex) -> Option<(NodeIndex, NodeIndex)> {
    let code = &site.code;
    let (object, fails) = match code.kind(id) {
        "MEMBER_SELECT" => {
            let object = *code.children(id).first()?;
            (object, if code.role(id) == Role::Callee { code.parent(id) } else { id })
        }
        "ARRAY_ACCESS" => (*code.children(id).first()?, id),
        _ if code.role(id) == Role::Value && code.is(code.parent(id), "ENHANCED_FOR_LOOP") => {
            (id, id)
        }
        _ if is_unboxed(site, id) => (id, id),
        _ => return None,
    };
    let written = code.written(object);
    let is_askable = code.is_value(object)
        && is_reference(code.type_of(object))
        && !matches!(code.kind(object), "NEW_CLASS" | "STRING_LITERAL" | "PARENTHESIZED")
        && written != "this"
        && written.len() <= LONGEST;
    is_askable.then_some((object, fails))
}

/// Whether a boxed number is counted with.
fn is_unboxed(site: &Site<'_>, id: NodeIndex) -> bool {
    let code = &site.code;
    let ty = code.type_of(id);
    let is_boxed = matches!(
        ty,
        "java.lang.Integer"
            | "java.lang.Long"
            | "java.lang.Double"
            | "java.lang.Boolean"
            | "java.lang.Character"
    );
    let parent = code.parent(id);
    let is_counted =
        code.operator(parent).is_some_and(|operator| operator != "==" && operator != "!=")
            || code.is(parent, "VARIABLE") && !is_reference(declared_type(site, parent))
            || code.is(parent, "RETURN");
    is_boxed && code.is_value(id) && is_counted
}

fn declared_type<'a>(site: &Site<'a>, variable: NodeIndex) -> &'a str {
    let code = &site.code;
    code.symbol(variable).map_or("", |symbol| code.facts.text(symbol.ty.erased))
}

/// That nothing is left of what something is taken from.
fn emptiness(site: &Site<'_>, call: NodeIndex, object: NodeIndex) -> Option<String> {
    let code = &site.code;
    let name = code.symbol(call).map(|symbol| code.facts.text(symbol.name))?;
    let has_arguments = code.child(call, Role::Argument).is_some();
    if !TAKING.contains(&name) || has_arguments {
        return None;
    }
    let (written, ty) = (code.written(object), code.type_of(object));
    Some(match ty {
        "java.util.Iterator" | "java.util.ListIterator" | "java.util.Scanner" => {
            format!("!{written}.hasNext()")
        }
        "java.util.Optional" => format!("!{written}.isPresent()"),
        "java.util.StringTokenizer" => format!("!{written}.hasMoreTokens()"),
        _ => format!("{written}.isEmpty()"),
    })
}

/// That a search gave no place.
fn not_found(site: &Site<'_>, id: NodeIndex) -> Option<String> {
    let code = &site.code;
    let name = code.symbol(id).map(|symbol| code.facts.text(symbol.name))?;
    let is_search = name.contains("ndexOf") || name.starts_with("find") || name.contains("Search");
    let is_meant = code.is(id, "METHOD_INVOCATION") && code.type_of(id) == "int" && is_search;
    is_meant.then(|| format!("{} < 0", code.written(id)))
}

/// Indexes that lie outside, divisors that are zero, casts that do not fit.
fn ranges(site: &Site<'_>, id: NodeIndex) -> Vec<(String, NodeIndex)> {
    let code = &site.code;
    match code.kind(id) {
        "ARRAY_ACCESS" => {
            let &[array, index] = &code.children(id)[..] else { return Vec::new() };
            outside(code.written(index), &format!("{}.length", code.written(array)), id)
        }
        "DIVIDE" | "REMAINDER" => match code.binary(id) {
            Some((_, _, right)) if !code.kind(right).ends_with("_LITERAL") => {
                vec![(format!("{} == 0", code.fitted(id, code.written(right))), id)]
            }
            _ => Vec::new(),
        },
        "DIVIDE_ASSIGNMENT" | "REMAINDER_ASSIGNMENT" => match code.child(id, Role::Value) {
            Some(value) if !code.kind(value).ends_with("_LITERAL") => {
                vec![(format!("{} == 0", closed(code.written(value))), id)]
            }
            _ => Vec::new(),
        },
        "NEW_ARRAY" => {
            let is_size = |child: &NodeIndex| {
                code.role(*child) == Role::Other
                    && code.is_value(*child)
                    && !code.kind(*child).ends_with("_LITERAL")
            };
            let sizes = code.children(id).into_iter().filter(is_size);
            sizes.map(|size| (format!("{} < 0", code.written(size)), id)).collect()
        }
        "TYPE_CAST" => {
            let (Some(ty), Some(value)) = (code.child(id, Role::Type), code.child(id, Role::Value))
            else {
                return Vec::new();
            };
            if !is_reference(code.type_of(value)) || !is_reference(code.type_of(id)) {
                return Vec::new();
            }
            let raw = code.written(ty).split('<').next().unwrap_or_default();
            vec![(format!("!({} instanceof {raw})", code.written(value)), id)]
        }
        "METHOD_INVOCATION" => indexed(site, id),
        _ => Vec::new(),
    }
}

/// `charAt`, `get` and `substring` with what they are given.
fn indexed(site: &Site<'_>, call: NodeIndex) -> Vec<(String, NodeIndex)> {
    let code = &site.code;
    let (Some(callee), Some(argument)) =
        (code.child(call, Role::Callee), code.child(call, Role::Argument))
    else {
        return Vec::new();
    };
    let Some(&object) = code.children(callee).first().filter(|_| code.is(callee, "MEMBER_SELECT"))
    else {
        return Vec::new();
    };
    let name = code.symbol(call).map_or("", |symbol| code.facts.text(symbol.name));
    let (owner, index) = (code.written(object), code.written(argument));
    match (code.type_of(object), name) {
        ("java.lang.String" | "java.lang.StringBuilder" | "java.lang.CharSequence", "charAt") => {
            outside(index, &format!("{owner}.length()"), call)
        }
        (_, "get" | "set" | "remove")
            if code.type_of(argument) == "int" && !code.type_of(object).contains("Map") =>
        {
            outside(index, &format!("{owner}.size()"), call)
        }
        ("java.lang.String" | "java.lang.StringBuilder", "substring") => {
            part(site, call, &format!("{owner}.length()"))
        }
        (_, "subList") => part(site, call, &format!("{owner}.size()")),
        _ => Vec::new(),
    }
}

/// That a part begins or ends outside, or begins after its end.
fn part(site: &Site<'_>, call: NodeIndex, size: &str) -> Vec<(String, NodeIndex)> {
    let code = &site.code;
    let arguments = code.children(call).into_iter().filter(|id| code.role(*id) == Role::Argument);
    let bounds: Vec<&str> = arguments.map(|id| code.written(id)).collect();
    let of = |bound: &&str| {
        let is_known = bound.parse::<u32>().is_ok() || **bound == *size;
        let beyond = (**bound != *size).then(|| format!("{bound} > {size}"));
        beyond.into_iter().chain((!is_known).then(|| format!("{bound} < 0"))).collect::<Vec<_>>()
    };
    let crossed = match bounds[..] {
        [start, end] if start != "0" => Some(format!("{start} > {end}")),
        _ => None,
    };
    bounds.iter().flat_map(of).chain(crossed).map(|broken| (broken, call)).collect()
}

fn outside(index: &str, size: &str, fails: NodeIndex) -> Vec<(String, NodeIndex)> {
    if index.parse::<u32>().is_ok() {
        return vec![(format!("{size} <= {index}"), fails)];
    }
    vec![
        (format!("{index} >= {size}"), fails),
        (format!("{index} < 0"), fails),
        (format!("{index} < 0 || {index} >= {size}"), fails),
    ]
}

/// The statement is done only where the demand is met.
fn avoid(site: &Site<'_>, hazard: &Hazard, out: &mut Proposals) {
    let code = &site.code;
    let statement = site.statement;
    if matches!(code.kind(statement), "VARIABLE" | "RETURN" | "THROW" | "BREAK" | "CONTINUE") {
        return;
    }
    let met = negated(&hazard.broken);
    let why = format!("only where `{}`", super::brief(&met));
    let edit = Edit::replace(code.bytes(statement), only_where(site, &met));
    out.add(hazard.strategy, 0.8 * hazard.share, vec![edit], why);
}

/// The statement under a condition, in braces of its own where what follows might be taken for its `else`, or where
/// only a block may stand.
pub(super) fn only_where(site: &Site<'_>, condition: &str) -> String {
    let code = &site.code;
    let (statement, end, step) = (site.statement, code.line_end(), step(site));
    let is_open = !code.is_in_list(statement);
    let outer = code.indent(statement);
    let indent = if is_open { format!("{outer}{step}") } else { outer.to_owned() };
    let inside = reindented(code.written(statement), outer, &format!("{indent}{step}"));
    let text = format!("if ({condition}) {{{end}{indent}{step}{inside}{end}{indent}}}");
    if is_open { format!("{{{end}{indent}{text}{end}{outer}}}") } else { text }
}

/// Another value stands for the one that cannot be had.
fn instead(site: &Site<'_>, hazard: &Hazard, out: &mut Proposals) {
    let code = &site.code;
    let fails = hazard.fails;
    if !code.is_value(fails) || code.is(code.parent(fails), "EXPRESSION_STATEMENT") {
        return;
    }
    let values: &[&str] = match code.type_of(fails) {
        "boolean" => &["false", "true"],
        "int" | "long" | "double" | "float" | "short" | "byte" | "java.lang.Integer"
        | "java.lang.Long" | "java.lang.Double" => &["0", "1", "-1"],
        "char" => &["'\\0'"],
        "java.lang.String" => &["\"\"", "null"],
        ty if is_reference(ty) => &["null"],
        _ => &[],
    };
    let variables =
        site.inner_variables_for(code.type_of(fails)).take(2).map(|one| one.name.as_str());
    for (at, value) in values.iter().copied().chain(variables).enumerate() {
        let nearness = f64::from(u32::try_from(at).unwrap_or(u32::MAX));
        let text = format!("{} ? {value} : {}", hazard.broken, code.written(fails));
        let text = code.fitted(fails, &text);
        let why = format!("`{value}` where `{}`", super::brief(&hazard.broken));
        let edit = Edit::replace(code.bytes(fails), text);
        out.add(hazard.strategy, 0.6 * hazard.share / (1.0 + nearness * 0.2), vec![edit], why);
    }
}

/// The condition that the expression is part of asks first.
fn in_condition(site: &Site<'_>, hazard: &Hazard, out: &mut Proposals) {
    let code = &site.code;
    let inside = code.around(hazard.fails).take_while(|id| *id != site.statement);
    let is_truth = |id: &NodeIndex| matches!(code.type_of(*id), "boolean" | "java.lang.Boolean");
    let truths = inside.filter(|id| is_truth(id) && code.is_value(*id));
    for whole in truths.filter(|id| !code.is(*id, "PARENTHESIZED")) {
        let written = code.written(whole);
        let met = negated(&hazard.broken);
        let apart = |text: &str, other: &str| {
            if text.contains(other) || text.contains('?') {
                format!("({text})")
            } else {
                text.to_owned()
            }
        };
        let both = format!("{} && {}", apart(&met, "||"), apart(written, "||"));
        out.replace(site, whole, &both, (hazard.strategy, 0.8 * hazard.share));
        let either = format!("{} || {}", hazard.broken, apart(written, "&&"));
        out.replace(site, whole, &either, (hazard.strategy, 0.7 * hazard.share));
    }
}

/// What is null is made as it is made elsewhere in the class.
fn create(site: &Site<'_>, hazard: &Hazard, out: &mut Proposals) {
    let code = &site.code;
    let Some(object) = hazard.broken.strip_suffix(" == null") else { return };
    let Some(variable) = site.variables().iter().find(|variable| variable.name == object) else {
        return;
    };
    let made = (0..code.tree.nodes.len())
        .filter(|id| code.is(*id, "NEW_CLASS") && is_made_for(site, *id, &variable.ty));
    let mut texts: Vec<String> = made.map(|id| code.written(id).to_owned()).collect();
    texts.sort();
    texts.dedup();
    texts.extend(usual(site, &variable.ty));
    texts.extend((variable.ty == "java.lang.String").then(|| "\"\"".to_owned()));
    let others = site.variables_for(&variable.ty).filter(|one| one.name != object);
    texts.extend(others.take(1).map(|one| one.name.clone()));
    for text in texts.iter().filter(|text| text.len() <= LONGEST).take(4) {
        leave(
            site,
            &hazard.broken,
            &format!("{object} = {text};"),
            (Strategy::NullCheck, 0.5 * hazard.share),
            out,
        );
    }
}

/// What is usually made where a type is wanted.
pub(super) fn usual(site: &Site<'_>, ty: &str) -> Option<String> {
    let of_jdk = |class: &str| named(&site.code, class);
    let class = match ty {
        "java.util.List" | "java.util.Collection" | "java.lang.Iterable" => {
            of_jdk("java.util.ArrayList<>")
        }
        "java.util.Set" => of_jdk("java.util.HashSet<>"),
        "java.util.Map" => of_jdk("java.util.HashMap<>"),
        _ => {
            let class = site.code.facts.class_named(ty)?;
            let symbol = site.code.facts.symbol(class);
            let is_made = symbol.kind == SymbolKind::Class && !symbol.flags.has(Flags::ABSTRACT);
            let name = (is_made && symbol.place.is_some()).then_some(symbol.name)?;
            site.code.facts.text(name).to_owned()
        }
    };
    Some(format!("new {class}()"))
}

fn is_made_for(site: &Site<'_>, id: NodeIndex, wanted: &str) -> bool {
    let facts = site.code.facts;
    let ty = site.code.type_of(id);
    ty == wanted || facts.class_named(ty).is_some_and(|class| facts.is_below(class, wanted))
}
