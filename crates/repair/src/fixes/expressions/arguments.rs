//! Fix operators for arguments: swaps two, or calls an overload with one more or one less.

use crate::candidates::candidate::FixOperator;
use crate::fixes::implicit_preconditions::index_bounds;
use crate::fixes::site::{CandidateEdits, RepairSite};
use mend_java::Code;
use mend_java::Edit;
use mend_java::code::types::unbox;
use mend_java::facts::{NodeIndex, NodeRole, Symbol};

/// Maximum number of variables tried for a missing argument.
const MAX_ARGUMENT_VARIABLES: usize = 4;

/// Prior likelihood of one argument more or less.
const ARITY_CHANGE_WEIGHT: f64 = 0.5;

/// Prior likelihood of a removed index argument: the removal only drops the bounds check.
const INDEX_REMOVAL_WEIGHT: f64 = 0.15;

pub(crate) fn propose(site: &RepairSite<'_>, out: &mut CandidateEdits) {
    let code = &site.code;
    for call in code.own_nodes(site.statement) {
        if !code.kind(call).is_call() {
            continue;
        }
        let arguments: Vec<NodeIndex> = code
            .children(call)
            .into_iter()
            .filter(|child| code.role(*child) == NodeRole::Argument)
            .collect();
        propose_swaps(site, &arguments, out);
        propose_boxed_removal(site, call, &arguments, out);
        propose_overloads(site, call, &arguments, out);
    }
}

fn propose_swaps(site: &RepairSite<'_>, arguments: &[NodeIndex], out: &mut CandidateEdits) {
    let code = &site.code;
    for (at, one) in arguments.iter().enumerate() {
        for other in &arguments[at + 1..] {
            let (left, right) = (code.source_text(*one), code.source_text(*other));
            if left == right || unbox(code.type_of(*one)) != unbox(code.type_of(*other)) {
                continue;
            }
            let edits = vec![
                Edit::replace(code.bytes(*one), right),
                Edit::replace(code.bytes(*other), left),
            ];
            let why = format!(
                "the arguments `{}` and `{}` are swapped",
                crate::fixes::code_text::abbreviate(left),
                crate::fixes::code_text::abbreviate(right)
            );
            out.add(FixOperator::Argument.with_weight(0.7), edits, why);
        }
    }
}

/// Boxes the integer argument of `remove`, to remove by element instead of by index.
fn propose_boxed_removal(
    site: &RepairSite<'_>,
    call: NodeIndex,
    arguments: &[NodeIndex],
    out: &mut CandidateEdits,
) {
    let code = &site.code;
    let is_remove = code.symbol(call).is_some_and(|one| code.facts.text(one.name) == "remove");
    if let (true, &[argument]) = (is_remove, arguments)
        && code.type_of(argument) == "int"
    {
        let element = format!("Integer.valueOf({})", code.source_text(argument));
        out.replace(site, argument, &element, FixOperator::Argument.with_weight(0.8));
    }
}

/// Proposes overloads with one parameter more or less. Overloads with another result type are skipped, as they do
/// something else.
fn propose_overloads(
    site: &RepairSite<'_>,
    call: NodeIndex,
    arguments: &[NodeIndex],
    out: &mut CandidateEdits,
) {
    let code = &site.code;
    let Some(callee) = code.symbol(call) else { return };
    let is_overload = |symbol: &&Symbol| {
        symbol.kind == callee.kind
            && symbol.owner == callee.owner
            && symbol.name == callee.name
            && symbol.ty.erased == callee.ty.erased
    };
    for other in code.facts.symbols().iter().filter(is_overload) {
        let (current_types, overload_types) =
            (parameter_types(code, callee), parameter_types(code, other));
        if overload_types.len() == current_types.len() + 1 {
            propose_with_argument(site, call, arguments, &current_types, &overload_types, out);
        } else if overload_types.len() + 1 == current_types.len()
            && arguments.len() == current_types.len()
        {
            for removed_index in (0..current_types.len()).filter(|removed_index| {
                without_index(&current_types, *removed_index) == overload_types
            }) {
                propose_without_argument(site, call, arguments, removed_index, out);
            }
        }
    }
}

fn propose_without_argument(
    site: &RepairSite<'_>,
    call: NodeIndex,
    arguments: &[NodeIndex],
    removed_index: usize,
    out: &mut CandidateEdits,
) {
    let code = &site.code;
    let bytes = |at: usize| code.bytes(arguments[at]);
    let edit = match (removed_index, arguments.len()) {
        (0, 1) => bytes(0),
        (0, _) => bytes(0).start..bytes(1).start,
        _ => bytes(removed_index - 1).end..bytes(removed_index).end,
    };
    let written: Vec<&str> = without_index(arguments, removed_index)
        .into_iter()
        .map(|argument| code.source_text(argument))
        .collect();
    let is_bound =
        index_bounds(site, call).iter().any(|(index, _)| *index == arguments[removed_index]);
    let weight = if is_bound { INDEX_REMOVAL_WEIGHT } else { ARITY_CHANGE_WEIGHT };
    add_call_change(site, call, &written, weight, Edit::replace(edit, ""), out);
}

fn propose_with_argument(
    site: &RepairSite<'_>,
    call: NodeIndex,
    arguments: &[NodeIndex],
    current_types: &[&str],
    overload_types: &[&str],
    out: &mut CandidateEdits,
) {
    let code = &site.code;
    for inserted_index in (0..overload_types.len())
        .rev()
        .filter(|inserted_index| without_index(overload_types, *inserted_index) == current_types)
    {
        let constants: &[&str] = match overload_types[inserted_index] {
            "boolean" => &["true", "false"],
            "int" | "long" => &["0", "1"],
            _ => &[],
        };
        let variables = site
            .inner_variables_for(overload_types[inserted_index])
            .take(MAX_ARGUMENT_VARIABLES)
            .map(|variable| &*variable.name);
        for value in variables.chain(constants.iter().copied()) {
            let mut written: Vec<&str> =
                arguments.iter().map(|one| code.source_text(*one)).collect();
            let inserted_index = inserted_index.min(written.len());
            written.insert(inserted_index, value);
            if let Some(edit) = insert_argument(code, call, arguments, inserted_index, value) {
                add_call_change(site, call, &written, ARITY_CHANGE_WEIGHT, edit, out);
            }
        }
    }
}

/// Inserts one argument and keeps the others with their separators.
fn insert_argument(
    code: &Code<'_>,
    call: NodeIndex,
    arguments: &[NodeIndex],
    index: usize,
    value: &str,
) -> Option<Edit> {
    if let Some(next) = arguments.get(index) {
        return Some(Edit::insert(code.bytes(*next).start, format!("{value}, ")));
    }
    if let Some(last) = arguments.last() {
        return Some(Edit::insert(code.bytes(*last).end, format!(", {value}")));
    }
    let whole = code.bytes(call);
    let close = code.text[whole.clone()].rfind(')')?;
    Some(Edit::insert(whole.start + close, value))
}

/// Adds a candidate that calls an overload with other arguments.
fn add_call_change(
    site: &RepairSite<'_>,
    call: NodeIndex,
    written: &[&str],
    weight: f64,
    edit: Edit,
    out: &mut CandidateEdits,
) {
    let (call, list) = (
        crate::fixes::code_text::abbreviate(site.code.source_text(call)),
        crate::fixes::code_text::abbreviate(&written.join(", ")),
    );
    let why = if list.is_empty() {
        format!("`{call}` is called without arguments")
    } else {
        format!("the arguments of `{call}` become `{list}`")
    };
    out.add(FixOperator::Argument.with_weight(weight), vec![edit], why);
}

fn parameter_types<'a>(code: &Code<'a>, symbol: &Symbol) -> Vec<&'a str> {
    let parameters = symbol.parameters.iter();
    parameters.map(|one| code.facts.text(code.facts.symbol(*one).ty.erased)).collect()
}

fn without_index<T: Copy>(all: &[T], removed_index: usize) -> Vec<T> {
    let kept = all.iter().enumerate().filter(|(at, _)| *at != removed_index);
    kept.map(|(_, one)| *one).collect()
}
