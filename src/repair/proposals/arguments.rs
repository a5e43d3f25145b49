//! Arguments in another order, one more, or one less.

use super::{Proposals, Site};
use crate::facts::{NodeIndex, Role, Symbol};
use crate::repair::candidate::Strategy;
use crate::repair::code::Code;
use crate::repair::edit::Edit;

/// So many variables are tried for an argument that is missing.
const TRIED: usize = 4;

pub(super) fn propose(site: &Site<'_>, out: &mut Proposals) {
    let code = &site.code;
    for call in code.own_nodes(site.statement) {
        if !matches!(code.kind(call), "METHOD_INVOCATION" | "NEW_CLASS") {
            continue;
        }
        let arguments: Vec<NodeIndex> = code
            .children(call)
            .into_iter()
            .filter(|child| code.role(*child) == Role::Argument)
            .collect();
        swapped(site, &arguments, out);
        boxed_element(site, call, &arguments, out);
        overloads(site, call, &arguments, out);
    }
}

fn swapped(site: &Site<'_>, arguments: &[NodeIndex], out: &mut Proposals) {
    let code = &site.code;
    for (at, one) in arguments.iter().enumerate() {
        for other in &arguments[at + 1..] {
            let (left, right) = (code.written(*one), code.written(*other));
            if left == right || code.type_of(*one) != code.type_of(*other) {
                continue;
            }
            let edits = vec![
                Edit::replace(code.bytes(*one), right),
                Edit::replace(code.bytes(*other), left),
            ];
            let why =
                format!("`{}` and `{}` change places", super::brief(left), super::brief(right));
            out.add(Strategy::Argument, 0.7, edits, why);
        }
    }
}

/// `remove` of a list takes a place or an element.
fn boxed_element(site: &Site<'_>, call: NodeIndex, arguments: &[NodeIndex], out: &mut Proposals) {
    let code = &site.code;
    let is_remove = code.symbol(call).is_some_and(|one| code.facts.text(one.name) == "remove");
    if let (true, &[argument]) = (is_remove, arguments)
        && code.type_of(argument) == "int"
    {
        let element = format!("Integer.valueOf({})", code.written(argument));
        out.replace(site, argument, &element, (Strategy::Argument, 0.8));
    }
}

/// The same method with one parameter more or less; one that gives something else does something else.
fn overloads(site: &Site<'_>, call: NodeIndex, arguments: &[NodeIndex], out: &mut Proposals) {
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
            one_more(site, call, arguments, (&has, &wants), out);
        } else if wants.len() + 1 == has.len() && arguments.len() == has.len() {
            let Some(gone) = (0..has.len()).find(|gone| without(&has, *gone) == wants) else {
                continue;
            };
            let written: Vec<&str> = without(arguments, gone)
                .into_iter()
                .map(|argument| code.written(argument))
                .collect();
            listed(site, call, arguments, &written, out);
        }
    }
}

fn one_more(
    site: &Site<'_>,
    call: NodeIndex,
    arguments: &[NodeIndex],
    (has, wants): (&[&str], &[&str]),
    out: &mut Proposals,
) {
    let code = &site.code;
    for new in (0..wants.len()).rev().filter(|new| without(wants, *new) == has) {
        let constants: &[&str] = match wants[new] {
            "boolean" => &["true", "false"],
            "int" | "long" => &["0", "1"],
            _ => &[],
        };
        let variables = site.variables_for(wants[new]).take(TRIED).map(|variable| &*variable.name);
        for value in variables.chain(constants.iter().copied()) {
            let mut written: Vec<&str> = arguments.iter().map(|one| code.written(*one)).collect();
            written.insert(new.min(written.len()), value);
            listed(site, call, arguments, &written, out);
        }
    }
}

/// The call with other arguments.
fn listed(
    site: &Site<'_>,
    call: NodeIndex,
    arguments: &[NodeIndex],
    written: &[&str],
    out: &mut Proposals,
) {
    let code = &site.code;
    let bytes = if let (Some(first), Some(last)) = (arguments.first(), arguments.last()) {
        code.bytes(*first).start..code.bytes(*last).end
    } else {
        let whole = code.bytes(call);
        let Some(close) = code.text[whole.clone()].rfind(')') else { return };
        whole.start + close..whole.start + close
    };
    let list = written.join(", ");
    let why = format!(
        "the arguments of `{}` become `{}`",
        super::brief(code.written(call)),
        super::brief(&list)
    );
    out.add(Strategy::Argument, 0.5, vec![Edit::replace(bytes, list)], why);
}

fn types<'a>(code: &Code<'a>, symbol: &Symbol) -> Vec<&'a str> {
    let parameters = symbol.parameters.iter();
    parameters.map(|one| code.facts.text(code.facts.symbol(*one).ty.erased)).collect()
}

fn without<T: Copy>(all: &[T], gone: usize) -> Vec<T> {
    let kept = all.iter().enumerate().filter(|(at, _)| *at != gone);
    kept.map(|(_, one)| *one).collect()
}
