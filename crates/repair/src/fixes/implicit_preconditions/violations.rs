//! The demands of a statement that may not be met.

use crate::candidates::candidate::FixOperator;
use crate::fixes::site::RepairSite;
use crate::localisation::postcondition_violations::condition_at_statement;
use mend_java::closed;
use mend_java::code::condition::Condition;
use mend_java::code::purity::is_once;
use mend_java::code::types::is_reference;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole};
use std::collections::HashSet;

/// Methods that fail on an empty receiver.
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

/// Prior likelihood of any other null value than the one that the JVM reports.
const UNTOLD: f64 = 0.6;

/// Prior likelihood that a null argument caused the failure, relative to a direct null dereference.
const GIVEN: f64 = 0.8;

/// A demand of a statement, as the condition under which it is not met.
pub(super) struct PreconditionViolation {
    pub(super) broken: String,
    pub(super) strategy: FixOperator,
    /// True if no failing test observed the violation before the statement. A loop can still reach it later.
    pub(super) is_refuted: bool,
    /// Likelihood among the violations of the statement, from 0 to 1.
    pub(super) share: f64,
    /// The failing expression, and its receiver.
    pub(super) fails: NodeIndex,
}

/// Returns all violations without duplicates.
pub(super) fn hazards(site: &RepairSite<'_>) -> Vec<PreconditionViolation> {
    let code = &site.code;
    let mut all: Vec<PreconditionViolation> = Vec::new();
    let mut add = |broken: String, strategy, fails| {
        let is_refuted = site.is_refuted(&broken);
        let is_possible = !is_refuted || site.head.is_some();
        if all.iter().all(|known| known.broken != broken) && is_possible {
            all.push(PreconditionViolation { broken, strategy, is_refuted, share: 1.0, fails });
        }
    };
    let given = code
        .child(site.statement, NodeRole::Value)
        .filter(|_| code.is(site.statement, NodeKind::Return));
    for broken in
        site.broken.iter().filter_map(|one| condition_at_statement(code, site.statement, one))
    {
        let broken = Condition::parse(&broken).negation().to_string();
        let is_null = broken.ends_with(" == null");
        let strategy = if is_null { FixOperator::NullCheck } else { FixOperator::RangeCheck };
        if let Some(given) = given.filter(|given| broken.contains(code.written(*given))) {
            add(broken, strategy, given);
        }
    }
    for id in code.own_nodes(site.statement) {
        if let Some((object, fails)) = dereferenced(site, id) {
            add(format!("{} == null", code.written(object)), FixOperator::NullCheck, fails);
            if let Some(empty) = emptiness(site, fails, object) {
                add(empty, FixOperator::RangeCheck, fails);
            }
        }
        if let Some(broken) = not_found(site, id) {
            add(broken, FixOperator::RangeCheck, id);
        }
        for broken in site.contracts.broken_by(code, id) {
            let is_null = broken.ends_with(" == null");
            let strategy = if is_null { FixOperator::NullCheck } else { FixOperator::RangeCheck };
            add(broken, strategy, id);
        }
        // What is asked must not change by that.
        if code.children(id).into_iter().any(|part| is_once(code, part)) {
            continue;
        }
        for (broken, fails) in ranges(site, id) {
            add(broken, FixOperator::RangeCheck, fails);
        }
    }
    all.extend(any_null(site, &all));
    let given = given_null(site).into_iter();
    let given: Vec<PreconditionViolation> =
        given.filter(|one| all.iter().all(|known| known.broken != one.broken)).collect();
    all.extend(given);
    discount_unreported(site, &mut all);
    all
}

/// Lowers the likelihood of all other violations if the JVM reports which value was null.
fn discount_unreported(site: &RepairSite<'_>, all: &mut [PreconditionViolation]) {
    let is_told = |hazard: &PreconditionViolation| {
        let object = hazard.broken.strip_suffix(" == null").unwrap_or_default();
        site.diagnosis.nulls.iter().any(|null| {
            let is_call = null.ends_with('(')
                && (object.starts_with(&**null) || object.contains(&format!(".{null}")));
            is_call || object == null || object.strip_prefix("this.") == Some(null)
        })
    };
    if all.iter().any(is_told) {
        for hazard in all.iter_mut().filter(|hazard| !is_told(hazard)) {
            hazard.share = UNTOLD;
        }
    }
}

/// Returns the violation that any of several similar receivers is null.
fn any_null(site: &RepairSite<'_>, all: &[PreconditionViolation]) -> Vec<PreconditionViolation> {
    let code = &site.code;
    let asked = code.own_nodes(site.statement).into_iter();
    let asked: Vec<NodeIndex> = asked.filter_map(|id| Some(dereferenced(site, id)?.0)).collect();
    let is_like = |one: NodeIndex, other: NodeIndex| {
        code.kind(one) == code.kind(other) && code.type_of(one) == code.type_of(other)
    };
    let any = |hazard: &PreconditionViolation| {
        let first = hazard.broken.strip_suffix(" == null")?;
        let object = asked.iter().copied().find(|id| code.written(*id) == first)?;
        let like = asked.iter().copied().filter(|id| is_like(object, *id));
        let mut texts: Vec<&str> = like.map(|id| code.written(id)).collect();
        let mut known = HashSet::new();
        texts.retain(|text| known.insert(*text));
        let broken = texts.iter().map(|text| format!("{text} == null")).collect::<Vec<_>>();
        let (strategy, fails) = (FixOperator::NullCheck, site.statement);
        let broken = (broken.len() > 1).then(|| broken.join(" || "))?;
        Some(PreconditionViolation {
            broken,
            strategy,
            is_refuted: hazard.is_refuted,
            share: 1.0,
            fails,
        })
    };
    all.iter().filter_map(any).take(1).collect()
}

/// Returns the arguments that a failing test observed as null, if the call failed on a null value inside the callee.
fn given_null(site: &RepairSite<'_>) -> Vec<PreconditionViolation> {
    let code = &site.code;
    if !site.diagnosis.is_null() {
        return Vec::new();
    }
    let is_given = |id: &NodeIndex| {
        code.role(*id) == NodeRole::Argument
            && code.kind(*id).is_name()
            && is_reference(code.type_of(*id))
    };
    let given = code.own_nodes(site.statement).into_iter().filter(is_given);
    let hazard = |id: NodeIndex| {
        let broken = format!("{} == null", code.written(id));
        let is_seen = site.is_seen(&broken);
        let (strategy, fails) = (FixOperator::NullCheck, code.parent(id));
        is_seen.then_some(PreconditionViolation {
            broken,
            strategy,
            is_refuted: false,
            share: GIVEN,
            fails,
        })
    };
    let mut known = HashSet::new();
    given.filter_map(hazard).filter(|one| known.insert(one.broken.clone())).collect()
}

/// Returns the receiver of an access, and the whole access.
fn dereferenced(site: &RepairSite<'_>, id: NodeIndex) -> Option<(NodeIndex, NodeIndex)> {
    let code = &site.code;
    let (object, fails) = match code.kind(id) {
        NodeKind::MemberSelect => {
            let object = *code.children(id).first()?;
            (object, if code.role(id) == NodeRole::Callee { code.parent(id) } else { id })
        }
        NodeKind::ArrayAccess => (*code.children(id).first()?, id),
        _ if code.role(id) == NodeRole::Value
            && code.is(code.parent(id), NodeKind::EnhancedForLoop) =>
        {
            (id, id)
        }
        _ if is_unboxed(site, id) => (id, id),
        _ => return None,
    };
    let written = code.written(object);
    let is_askable = code.is_value(object)
        && is_reference(code.type_of(object))
        && !matches!(
            code.kind(object),
            NodeKind::NewClass | NodeKind::StringLiteral | NodeKind::Parenthesized
        )
        && written != "this"
        && written.len() <= LONGEST;
    (is_askable && !is_once(code, object)).then_some((object, fails))
}

/// Returns true if a boxed number is unboxed for arithmetic.
fn is_unboxed(site: &RepairSite<'_>, id: NodeIndex) -> bool {
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
            || code.is(parent, NodeKind::Variable) && !is_reference(declared_type(site, parent))
            || code.is(parent, NodeKind::Return);
    is_boxed && code.is_value(id) && is_counted
}

fn declared_type<'a>(site: &RepairSite<'a>, variable: NodeIndex) -> &'a str {
    let code = &site.code;
    code.symbol(variable).map_or("", |symbol| code.facts.text(symbol.ty.erased))
}

/// Returns the condition that a collection is empty when an element is removed from it.
fn emptiness(site: &RepairSite<'_>, call: NodeIndex, object: NodeIndex) -> Option<String> {
    let code = &site.code;
    let name = code.symbol(call).map(|symbol| code.facts.text(symbol.name))?;
    let has_arguments = code.child(call, NodeRole::Argument).is_some();
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

/// Returns the condition that a search returned no index.
fn not_found(site: &RepairSite<'_>, id: NodeIndex) -> Option<String> {
    let code = &site.code;
    let name = code.symbol(id).map(|symbol| code.facts.text(symbol.name))?;
    let is_search = name.contains("ndexOf") || name.starts_with("find") || name.contains("Search");
    let is_meant =
        code.is(id, NodeKind::MethodInvocation) && code.type_of(id) == "int" && is_search;
    is_meant.then(|| format!("{} < 0", code.written(id)))
}

/// Indexes that lie outside, divisors that are zero, casts that do not fit, texts that are no numbers.
fn ranges(site: &RepairSite<'_>, id: NodeIndex) -> Vec<(String, NodeIndex)> {
    let code = &site.code;
    match code.kind(id) {
        NodeKind::ArrayAccess => {
            let &[array, index] = &code.children(id)[..] else { return Vec::new() };
            outside(code.written(index), &format!("{}.length", code.written(array)), id)
        }
        NodeKind::Divide | NodeKind::Remainder => match code.binary(id) {
            Some((_, _, right)) if !code.kind(right).is_literal() => {
                vec![(format!("{} == 0", code.fitted(id, code.written(right))), id)]
            }
            _ => Vec::new(),
        },
        NodeKind::DivideAssignment | NodeKind::RemainderAssignment => {
            match code.child(id, NodeRole::Value) {
                Some(value) if !code.kind(value).is_literal() => {
                    vec![(format!("{} == 0", closed(code.written(value))), id)]
                }
                _ => Vec::new(),
            }
        }
        NodeKind::NewArray => {
            let is_size = |child: &NodeIndex| {
                code.role(*child) == NodeRole::Other
                    && code.is_value(*child)
                    && !code.kind(*child).is_literal()
            };
            let sizes = code.children(id).into_iter().filter(is_size);
            sizes.map(|size| (format!("{} < 0", code.written(size)), id)).collect()
        }
        NodeKind::TypeCast => {
            let (Some(ty), Some(value)) =
                (code.child(id, NodeRole::Type), code.child(id, NodeRole::Value))
            else {
                return Vec::new();
            };
            if !is_reference(code.type_of(value)) || !is_reference(code.type_of(id)) {
                return Vec::new();
            }
            let raw = code.written(ty).split('<').next().unwrap_or_default();
            vec![(format!("!({} instanceof {raw})", code.written(value)), id)]
        }
        NodeKind::MethodInvocation => match unreadable(site, id) {
            Some(broken) => vec![(broken, id)],
            None => indexed(site, id),
        },
        _ => Vec::new(),
    }
}

/// Returns the condition that a parsed text is not an integer.
fn unreadable(site: &RepairSite<'_>, call: NodeIndex) -> Option<String> {
    let code = &site.code;
    let symbol = code.symbol(call)?;
    let class = code.facts.text(code.facts.symbol(symbol.owner?).full_name);
    let is_reading = matches!(class, "java.lang.Integer" | "java.lang.Long")
        && matches!(code.facts.text(symbol.name), "parseInt" | "parseLong" | "valueOf");
    let arguments =
        code.children(call).into_iter().filter(|id| code.role(*id) == NodeRole::Argument);
    let [text] = arguments.collect::<Vec<_>>()[..] else { return None };
    let written = code.written(text);
    let is_text = code.type_of(text) == "java.lang.String" && !written.contains('\n');
    let is_askable = is_reading && is_text && written.len() <= LONGEST;
    is_askable.then(|| format!("!{}.matches(\"-?[0-9]+\")", closed(written)))
}

/// Returns the bounds of the arguments of `charAt`, `get` and `substring`.
fn indexed(site: &RepairSite<'_>, call: NodeIndex) -> Vec<(String, NodeIndex)> {
    let code = &site.code;
    let (Some(callee), Some(argument)) =
        (code.child(call, NodeRole::Callee), code.child(call, NodeRole::Argument))
    else {
        return Vec::new();
    };
    let Some(&object) =
        code.children(callee).first().filter(|_| code.is(callee, NodeKind::MemberSelect))
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

/// Returns the conditions that a part starts or ends out of range, or starts after its end.
fn part(site: &RepairSite<'_>, call: NodeIndex, size: &str) -> Vec<(String, NodeIndex)> {
    let code = &site.code;
    let arguments =
        code.children(call).into_iter().filter(|id| code.role(*id) == NodeRole::Argument);
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

/// Maximum length of a receiver that is repeated in a check.
pub(super) const LONGEST: usize = 60;
