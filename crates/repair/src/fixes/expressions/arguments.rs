//! Arguments in another order, one more, or one less.

use crate::candidates::candidate::FixOperator;
use crate::fixes::implicit_preconditions::bounds;
use crate::fixes::site::{CandidateEdits, RepairSite};
use mend_java::Code;
use mend_java::Edit;
use mend_java::code::types::unboxed;
use mend_java::facts::{NodeIndex, NodeRole, Symbol};

/// Maximum number of variables tried for a missing argument.
const TRIED: usize = 4;

/// Prior likelihood of one argument more or less.
const USUAL: f64 = 0.5;

/// Prior likelihood of a removed index argument: the removal only drops the bounds check.
const UNBOUNDED: f64 = 0.15;

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
        swapped(site, &arguments, out);
        boxed_element(site, call, &arguments, out);
        overloads(site, call, &arguments, out);
    }
}

fn swapped(site: &RepairSite<'_>, arguments: &[NodeIndex], out: &mut CandidateEdits) {
    let code = &site.code;
    for (at, one) in arguments.iter().enumerate() {
        for other in &arguments[at + 1..] {
            let (left, right) = (code.written(*one), code.written(*other));
            if left == right || unboxed(code.type_of(*one)) != unboxed(code.type_of(*other)) {
                continue;
            }
            let edits = vec![
                Edit::replace(code.bytes(*one), right),
                Edit::replace(code.bytes(*other), left),
            ];
            let why = format!(
                "the arguments `{}` and `{}` are swapped",
                crate::fixes::text::brief(left),
                crate::fixes::text::brief(right)
            );
            out.add(FixOperator::Argument.with_weight(0.7), edits, why);
        }
    }
}

/// Distinguishes `remove` by index and by element.
fn boxed_element(
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
        let element = format!("Integer.valueOf({})", code.written(argument));
        out.replace(site, argument, &element, FixOperator::Argument.with_weight(0.8));
    }
}

/// Proposes overloads with one parameter more or less. Overloads with another result type are skipped, as they do
/// something else.
fn overloads(
    site: &RepairSite<'_>,
    call: NodeIndex,
    arguments: &[NodeIndex],
    out: &mut CandidateEdits,
) {
    let code = &site.code;
    let Some(called) = code.symbol(call) else { return };
    let is_overload = |symbol: &&Symbol| {
        symbol.kind == called.kind
            && symbol.owner == called.owner
            && symbol.name == called.name
            && symbol.ty.erased == called.ty.erased
    };
    for other in code.facts.symbols().iter().filter(is_overload) {
        let (has, wants) = (types(code, called), types(code, other));
        if wants.len() == has.len() + 1 {
            one_more(site, call, arguments, &has, &wants, out);
        } else if wants.len() + 1 == has.len() && arguments.len() == has.len() {
            for gone in (0..has.len()).filter(|gone| without_index(&has, *gone) == wants) {
                one_less(site, call, arguments, gone, out);
            }
        }
    }
}

fn one_less(
    site: &RepairSite<'_>,
    call: NodeIndex,
    arguments: &[NodeIndex],
    gone: usize,
    out: &mut CandidateEdits,
) {
    let code = &site.code;
    let bytes = |at: usize| code.bytes(arguments[at]);
    let edit = match (gone, arguments.len()) {
        (0, 1) => bytes(0),
        (0, _) => bytes(0).start..bytes(1).start,
        _ => bytes(gone - 1).end..bytes(gone).end,
    };
    let written: Vec<&str> =
        without_index(arguments, gone).into_iter().map(|argument| code.written(argument)).collect();
    let is_bound = bounds(site, call).iter().any(|(index, _)| *index == arguments[gone]);
    let weight = if is_bound { UNBOUNDED } else { USUAL };
    listed(site, call, &written, weight, Edit::replace(edit, ""), out);
}

fn one_more(
    site: &RepairSite<'_>,
    call: NodeIndex,
    arguments: &[NodeIndex],
    has: &[&str],
    wants: &[&str],
    out: &mut CandidateEdits,
) {
    let code = &site.code;
    for new in (0..wants.len()).rev().filter(|new| without_index(wants, *new) == has) {
        let constants: &[&str] = match wants[new] {
            "boolean" => &["true", "false"],
            "int" | "long" => &["0", "1"],
            _ => &[],
        };
        let variables =
            site.inner_variables_for(wants[new]).take(TRIED).map(|variable| &*variable.name);
        for value in variables.chain(constants.iter().copied()) {
            let mut written: Vec<&str> = arguments.iter().map(|one| code.written(*one)).collect();
            let new = new.min(written.len());
            written.insert(new, value);
            if let Some(edit) = inserted(code, call, arguments, new, value) {
                listed(site, call, &written, USUAL, edit, out);
            }
        }
    }
}

/// Inserts one argument and keeps the others with their separators.
fn inserted(
    code: &Code<'_>,
    call: NodeIndex,
    arguments: &[NodeIndex],
    new: usize,
    value: &str,
) -> Option<Edit> {
    if let Some(next) = arguments.get(new) {
        return Some(Edit::insert(code.bytes(*next).start, format!("{value}, ")));
    }
    if let Some(last) = arguments.last() {
        return Some(Edit::insert(code.bytes(*last).end, format!(", {value}")));
    }
    let whole = code.bytes(call);
    let close = code.text[whole.clone()].rfind(')')?;
    Some(Edit::insert(whole.start + close, value))
}

/// Proposes the call with other arguments.
fn listed(
    site: &RepairSite<'_>,
    call: NodeIndex,
    written: &[&str],
    weight: f64,
    edit: Edit,
    out: &mut CandidateEdits,
) {
    let (call, list) = (
        crate::fixes::text::brief(site.code.written(call)),
        crate::fixes::text::brief(&written.join(", ")),
    );
    let why = if list.is_empty() {
        format!("`{call}` is called without arguments")
    } else {
        format!("the arguments of `{call}` become `{list}`")
    };
    out.add(FixOperator::Argument.with_weight(weight), vec![edit], why);
}

fn types<'a>(code: &Code<'a>, symbol: &Symbol) -> Vec<&'a str> {
    let parameters = symbol.parameters.iter();
    parameters.map(|one| code.facts.text(code.facts.symbol(*one).ty.erased)).collect()
}

fn without_index<T: Copy>(all: &[T], gone: usize) -> Vec<T> {
    let kept = all.iter().enumerate().filter(|(at, _)| *at != gone);
    kept.map(|(_, one)| *one).collect()
}
