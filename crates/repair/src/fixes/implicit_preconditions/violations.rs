//! Possible violations of the preconditions of a statement.

use crate::candidates::candidate::FixOperator;
use crate::fixes::site::RepairSite;
use crate::localisation::postcondition_violations::condition_at_statement;
use mend_java::code::condition::Condition;
use mend_java::code::purity::has_side_effects;
use mend_java::code::types::is_reference_type;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole};
use mend_java::parenthesise;
use std::collections::HashSet;

/// Methods that fail on an empty receiver.
const METHODS_FAILING_WHEN_EMPTY: [&str; 16] = [
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
const UNREPORTED_NULL_FACTOR: f64 = 0.6;

/// Prior likelihood that a null argument caused the failure, relative to a direct null dereference.
const NULL_ARGUMENT_FACTOR: f64 = 0.8;

/// Likelihood of a violation that was not recorded, if another one was.
const UNOBSERVED_FACTOR: f64 = 0.8;

/// Possible violation of a precondition: the condition under which it occurs.
pub(super) struct PreconditionViolation {
    pub(super) condition: String,
    pub(super) operator: FixOperator,
    /// True if no failing test observed the violation before the statement. A loop can still reach it later.
    pub(super) is_refuted: bool,
    /// Likelihood among the violations of the statement, from 0 to 1.
    pub(super) likelihood: f64,
    /// The failing expression, and its receiver.
    pub(super) failing: NodeIndex,
}

/// Returns all violations without duplicates.
pub(super) fn find_violations(site: &RepairSite<'_>) -> Vec<PreconditionViolation> {
    let code = &site.code;
    let mut all: Vec<PreconditionViolation> = Vec::new();
    let mut add = |broken: String, strategy, failing| {
        let observed = observed_violation(site, &broken);
        let is_refuted = site.is_refuted(&broken) || observed == Some(false);
        let is_possible = !is_refuted || site.loop_head.is_some();
        if all.iter().all(|known| known.condition != broken) && is_possible {
            all.push(PreconditionViolation {
                condition: broken,
                operator: strategy,
                is_refuted,
                likelihood: if observed == Some(true) { 1.0 } else { UNOBSERVED_FACTOR },
                failing,
            });
        }
    };
    let returned = code
        .child(site.statement, NodeRole::Value)
        .filter(|_| code.has_kind(site.statement, NodeKind::Return));
    for broken in site
        .violated_postconditions
        .iter()
        .filter_map(|one| condition_at_statement(code, site.statement, one))
    {
        let broken = Condition::parse(&broken).negation().to_string();
        let is_null = broken.ends_with(" == null");
        let strategy = if is_null { FixOperator::NullCheck } else { FixOperator::RangeCheck };
        if let Some(returned) =
            returned.filter(|returned| broken.contains(code.source_text(*returned)))
        {
            add(broken, strategy, returned);
        }
    }
    for id in code.own_nodes(site.statement) {
        if let Some((object, failing)) = find_dereference(site, id) {
            add(format!("{} == null", code.source_text(object)), FixOperator::NullCheck, failing);
            if let Some(empty) = emptiness_condition(site, failing, object) {
                add(empty, FixOperator::RangeCheck, failing);
            }
        }
        if let Some(broken) = not_found_condition(site, id) {
            add(broken, FixOperator::RangeCheck, id);
        }
        for broken in site.contracts.violation_conditions(code, id) {
            let is_null = broken.ends_with(" == null");
            let strategy = if is_null { FixOperator::NullCheck } else { FixOperator::RangeCheck };
            add(broken, strategy, id);
        }
        // A check must not repeat side effects.
        if code.children(id).into_iter().any(|part| has_side_effects(code, part)) {
            continue;
        }
        for (broken, failing) in range_violations(site, id) {
            add(broken, FixOperator::RangeCheck, failing);
        }
    }
    if all.iter().all(|violation| violation.likelihood < 1.0) {
        // No violation is more likely than the others.
        for violation in &mut all {
            violation.likelihood = 1.0;
        }
    }
    all.extend(any_receiver_null(site, &all));
    let returned = null_arguments(site).into_iter();
    let returned: Vec<PreconditionViolation> =
        returned.filter(|one| all.iter().all(|known| known.condition != one.condition)).collect();
    all.extend(returned);
    discount_unreported(site, &mut all);
    all
}

/// Returns true if a failing test observed a violation, and false if all observed the opposite; `None` if it was not
/// recorded.
fn observed_violation(site: &RepairSite<'_>, broken: &str) -> Option<bool> {
    if broken.ends_with(" == null") {
        return Some(true).filter(|_| site.is_observed(broken));
    }
    let holds = Condition::parse(broken).negation();
    site.observed_outcomes(holds.text()).map(|outcomes| outcomes.false_counts.failing > 0)
}

/// Lowers the likelihood of all other violations if the JVM reports which value was null.
fn discount_unreported(site: &RepairSite<'_>, all: &mut [PreconditionViolation]) {
    let is_reported = |violation: &PreconditionViolation| {
        let object = violation.condition.strip_suffix(" == null").unwrap_or_default();
        site.diagnosis.null_expressions.iter().any(|null| {
            let is_call = null.ends_with('(')
                && (object.starts_with(&**null) || object.contains(&format!(".{null}")));
            is_call || object == null || object.strip_prefix("this.") == Some(null)
        })
    };
    if all.iter().any(is_reported) {
        for violation in all.iter_mut().filter(|violation| !is_reported(violation)) {
            violation.likelihood = UNREPORTED_NULL_FACTOR;
        }
    }
}

/// Returns the violation that any of several similar receivers is null.
fn any_receiver_null(
    site: &RepairSite<'_>,
    all: &[PreconditionViolation],
) -> Vec<PreconditionViolation> {
    let code = &site.code;
    let receivers = code.own_nodes(site.statement).into_iter();
    let receivers: Vec<NodeIndex> =
        receivers.filter_map(|id| Some(find_dereference(site, id)?.0)).collect();
    let is_like = |one: NodeIndex, other: NodeIndex| {
        code.kind(one) == code.kind(other) && code.type_of(one) == code.type_of(other)
    };
    let any_of_similar = |hazard: &PreconditionViolation| {
        let first = hazard.condition.strip_suffix(" == null")?;
        let object = receivers.iter().copied().find(|id| code.source_text(*id) == first)?;
        let similar = receivers.iter().copied().filter(|id| is_like(object, *id));
        let mut texts: Vec<&str> = similar.map(|id| code.source_text(id)).collect();
        let mut distinct = HashSet::new();
        texts.retain(|text| distinct.insert(*text));
        let broken = texts.iter().map(|text| format!("{text} == null")).collect::<Vec<_>>();
        let (strategy, fails) = (FixOperator::NullCheck, site.statement);
        let broken = (broken.len() > 1).then(|| broken.join(" || "))?;
        Some(PreconditionViolation {
            condition: broken,
            operator: strategy,
            is_refuted: hazard.is_refuted,
            likelihood: 1.0,
            failing: fails,
        })
    };
    all.iter().filter_map(any_of_similar).take(1).collect()
}

/// Returns the arguments that a failing test observed as null, if the call failed on a null value inside the callee.
fn null_arguments(site: &RepairSite<'_>) -> Vec<PreconditionViolation> {
    let code = &site.code;
    if !site.diagnosis.is_null_dereference() {
        return Vec::new();
    }
    let is_reference_argument = |id: &NodeIndex| {
        code.role(*id) == NodeRole::Argument
            && code.kind(*id).is_name()
            && is_reference_type(code.type_of(*id))
    };
    let arguments = code.own_nodes(site.statement).into_iter().filter(is_reference_argument);
    let violation = |id: NodeIndex| {
        let broken = format!("{} == null", code.source_text(id));
        let is_observed = site.is_observed(&broken);
        let (strategy, fails) = (FixOperator::NullCheck, code.parent(id));
        is_observed.then_some(PreconditionViolation {
            condition: broken,
            operator: strategy,
            is_refuted: false,
            likelihood: NULL_ARGUMENT_FACTOR,
            failing: fails,
        })
    };
    let mut distinct = HashSet::new();
    arguments.filter_map(violation).filter(|one| distinct.insert(one.condition.clone())).collect()
}

/// Returns the receiver of an access, and the whole access.
fn find_dereference(site: &RepairSite<'_>, id: NodeIndex) -> Option<(NodeIndex, NodeIndex)> {
    let code = &site.code;
    let (object, failing) = match code.kind(id) {
        NodeKind::MemberSelect => {
            let object = *code.children(id).first()?;
            (object, if code.role(id) == NodeRole::Callee { code.parent(id) } else { id })
        }
        NodeKind::ArrayAccess => (*code.children(id).first()?, id),
        _ if code.role(id) == NodeRole::Value
            && code.has_kind(code.parent(id), NodeKind::EnhancedForLoop) =>
        {
            (id, id)
        }
        _ if is_unboxing(site, id) => (id, id),
        _ => return None,
    };
    let written = code.source_text(object);
    let is_checkable = code.is_replaceable_value(object)
        && is_reference_type(code.type_of(object))
        && !matches!(
            code.kind(object),
            NodeKind::NewClass | NodeKind::StringLiteral | NodeKind::Parenthesized
        )
        && written != "this"
        && written.len() <= MAX_REPEATED_LEN;
    (is_checkable && !has_side_effects(code, object)).then_some((object, failing))
}

/// Returns true if a boxed number is unboxed for arithmetic.
fn is_unboxing(site: &RepairSite<'_>, id: NodeIndex) -> bool {
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
    let needs_primitive =
        code.binary_operator(parent).is_some_and(|operator| operator != "==" && operator != "!=")
            || code.has_kind(parent, NodeKind::Variable)
                && !is_reference_type(declared_type(site, parent))
            || code.has_kind(parent, NodeKind::Return);
    is_boxed && code.is_replaceable_value(id) && needs_primitive
}

fn declared_type<'a>(site: &RepairSite<'a>, variable: NodeIndex) -> &'a str {
    let code = &site.code;
    code.symbol(variable).map_or("", |symbol| code.facts.text(symbol.ty.erased))
}

/// Returns the condition that a collection is empty when an element is removed from it.
fn emptiness_condition(
    site: &RepairSite<'_>,
    call: NodeIndex,
    object: NodeIndex,
) -> Option<String> {
    let code = &site.code;
    let name = code.symbol(call).map(|symbol| code.facts.text(symbol.name))?;
    let has_arguments = code.child(call, NodeRole::Argument).is_some();
    if !METHODS_FAILING_WHEN_EMPTY.contains(&name) || has_arguments {
        return None;
    }
    let (written, ty) = (code.source_text(object), code.type_of(object));
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
fn not_found_condition(site: &RepairSite<'_>, id: NodeIndex) -> Option<String> {
    let code = &site.code;
    let name = code.symbol(id).map(|symbol| code.facts.text(symbol.name))?;
    let is_search = name.contains("ndexOf") || name.starts_with("find") || name.contains("Search");
    let is_meant =
        code.has_kind(id, NodeKind::MethodInvocation) && code.type_of(id) == "int" && is_search;
    is_meant.then(|| format!("{} < 0", code.source_text(id)))
}

/// Returns the conditions for an index out of range, a zero divisor, a negative array size, an invalid cast or a string
/// that is not a number.
fn range_violations(site: &RepairSite<'_>, id: NodeIndex) -> Vec<(String, NodeIndex)> {
    let code = &site.code;
    match code.kind(id) {
        NodeKind::ArrayAccess => {
            let &[array, index] = &code.children(id)[..] else { return Vec::new() };
            out_of_range_conditions(
                code.source_text(index),
                &format!("{}.length", code.source_text(array)),
                id,
            )
        }
        NodeKind::Divide | NodeKind::Remainder => match code.binary_operands(id) {
            Some((_, _, right)) if !code.kind(right).is_literal() => {
                vec![(
                    format!("{} == 0", code.parenthesise_if_needed(id, code.source_text(right))),
                    id,
                )]
            }
            _ => Vec::new(),
        },
        NodeKind::DivideAssignment | NodeKind::RemainderAssignment => {
            match code.child(id, NodeRole::Value) {
                Some(value) if !code.kind(value).is_literal() => {
                    vec![(format!("{} == 0", parenthesise(code.source_text(value))), id)]
                }
                _ => Vec::new(),
            }
        }
        NodeKind::NewArray => {
            let is_size = |child: &NodeIndex| {
                code.role(*child) == NodeRole::Other
                    && code.is_replaceable_value(*child)
                    && !code.kind(*child).is_literal()
            };
            let sizes = code.children(id).into_iter().filter(is_size);
            sizes.map(|size| (format!("{} < 0", code.source_text(size)), id)).collect()
        }
        NodeKind::TypeCast => {
            let (Some(ty), Some(value)) =
                (code.child(id, NodeRole::Type), code.child(id, NodeRole::Value))
            else {
                return Vec::new();
            };
            if !is_reference_type(code.type_of(value)) || !is_reference_type(code.type_of(id)) {
                return Vec::new();
            }
            let raw = code.source_text(ty).split('<').next().unwrap_or_default();
            vec![(format!("!({} instanceof {raw})", code.source_text(value)), id)]
        }
        NodeKind::MethodInvocation => match unparsable_condition(site, id)
            .or_else(|| invalid_code_point_condition(site, id))
        {
            Some(broken) => vec![(broken, id)],
            None => index_violations(site, id),
        },
        _ => Vec::new(),
    }
}

/// Returns the condition that a parsed string is not an integer.
fn unparsable_condition(site: &RepairSite<'_>, call: NodeIndex) -> Option<String> {
    let code = &site.code;
    let symbol = code.symbol(call)?;
    let class = code.facts.text(code.facts.symbol(symbol.owner?).full_name);
    let is_parse_call = matches!(class, "java.lang.Integer" | "java.lang.Long")
        && matches!(code.facts.text(symbol.name), "parseInt" | "parseLong" | "valueOf");
    let arguments =
        code.children(call).into_iter().filter(|id| code.role(*id) == NodeRole::Argument);
    let [text] = arguments.collect::<Vec<_>>()[..] else { return None };
    let written = code.source_text(text);
    let is_text = code.type_of(text) == "java.lang.String" && !written.contains('\n');
    let is_checkable = is_parse_call && is_text && written.len() <= MAX_REPEATED_LEN;
    is_checkable.then(|| format!("!{}.matches(\"-?[0-9]+\")", parenthesise(written)))
}

/// Methods of `Character` that accept only valid code points.
const CODE_POINT_METHODS: [&str; 4] = ["toChars", "getName", "highSurrogate", "lowSurrogate"];

/// Returns the condition that a number is no code point where one is needed.
fn invalid_code_point_condition(site: &RepairSite<'_>, call: NodeIndex) -> Option<String> {
    let code = &site.code;
    let symbol = code.symbol(call)?;
    let class = code.facts.text(code.facts.symbol(symbol.owner?).full_name);
    let is_checked = class == "java.lang.Character"
        && CODE_POINT_METHODS.contains(&code.facts.text(symbol.name));
    let argument = code.child(call, NodeRole::Argument).filter(|_| is_checked)?;
    Some(format!("!Character.isValidCodePoint({})", code.source_text(argument)))
}

/// Returns the bounds of the arguments of `charAt`, `get` and `substring`.
fn index_violations(site: &RepairSite<'_>, call: NodeIndex) -> Vec<(String, NodeIndex)> {
    let code = &site.code;
    let (Some(callee), Some(argument)) =
        (code.child(call, NodeRole::Callee), code.child(call, NodeRole::Argument))
    else {
        return Vec::new();
    };
    let Some(&object) =
        code.children(callee).first().filter(|_| code.has_kind(callee, NodeKind::MemberSelect))
    else {
        return Vec::new();
    };
    let name = code.symbol(call).map_or("", |symbol| code.facts.text(symbol.name));
    let (owner, index) = (code.source_text(object), code.source_text(argument));
    match (code.type_of(object), name) {
        ("java.lang.String" | "java.lang.StringBuilder" | "java.lang.CharSequence", "charAt")
        | ("java.lang.StringBuilder", "setCharAt" | "deleteCharAt") => {
            out_of_range_conditions(index, &format!("{owner}.length()"), call)
        }
        ("java.lang.StringBuilder", "insert") => {
            let is_literal = code.kind(argument).is_literal();
            let too_large = if is_literal {
                format!("{owner}.length() < {index}")
            } else {
                format!("{index} > {owner}.length()")
            };
            let negative = (!is_literal).then(|| format!("{index} < 0"));
            negative.into_iter().chain([too_large]).map(|broken| (broken, call)).collect()
        }
        (_, "get" | "set" | "remove")
            if code.type_of(argument) == "int" && !code.type_of(object).contains("Map") =>
        {
            out_of_range_conditions(index, &format!("{owner}.size()"), call)
        }
        ("java.lang.String" | "java.lang.StringBuilder", "substring") => {
            subrange_violations(site, call, &format!("{owner}.length()"))
        }
        (_, "subList") => subrange_violations(site, call, &format!("{owner}.size()")),
        _ => Vec::new(),
    }
}

/// Returns the conditions that a subrange starts or ends out of range, or starts after its end.
fn subrange_violations(
    site: &RepairSite<'_>,
    call: NodeIndex,
    size: &str,
) -> Vec<(String, NodeIndex)> {
    let code = &site.code;
    let arguments =
        code.children(call).into_iter().filter(|id| code.role(*id) == NodeRole::Argument);
    let bounds: Vec<&str> = arguments.map(|id| code.source_text(id)).collect();
    let bound_violations = |bound: &&str| {
        let is_known = bound.parse::<u32>().is_ok() || **bound == *size;
        let beyond = (**bound != *size).then(|| format!("{bound} > {size}"));
        beyond.into_iter().chain((!is_known).then(|| format!("{bound} < 0"))).collect::<Vec<_>>()
    };
    let reversed = match bounds[..] {
        [start, end] if start != "0" => Some(format!("{start} > {end}")),
        _ => None,
    };
    bounds.iter().flat_map(bound_violations).chain(reversed).map(|broken| (broken, call)).collect()
}

fn out_of_range_conditions(
    index: &str,
    size: &str,
    failing: NodeIndex,
) -> Vec<(String, NodeIndex)> {
    if index.parse::<u32>().is_ok() {
        return vec![(format!("{size} <= {index}"), failing)];
    }
    vec![
        (format!("{index} >= {size}"), failing),
        (format!("{index} < 0"), failing),
        (format!("{index} < 0 || {index} >= {size}"), failing),
    ]
}

/// Maximum length of a receiver that is repeated in a check.
pub(in crate::fixes) const MAX_REPEATED_LEN: usize = 60;
