//! Arithmetic in a wider type, so that nothing overflows and nothing is cut off.

use super::{Proposals, Site};
use crate::facts::{NodeIndex, Role};
use crate::repair::candidate::Strategy;
use crate::repair::edit::Edit;

pub(super) fn propose(site: &Site<'_>, out: &mut Proposals) {
    let code = &site.code;
    for id in code.own_nodes(site.statement) {
        let is_whole = code.type_of(id) == "int";
        match code.operator(id) {
            Some("*" | "<<") if is_whole => widened(site, id, ("long", 1.0), out),
            Some("+" | "-") if is_whole => widened(site, id, ("long", 0.5), out),
            Some("/") if is_whole || code.type_of(id) == "long" => {
                widened(site, id, ("double", 0.5), out);
            }
            _ => {}
        }
    }
}

fn widened(site: &Site<'_>, id: NodeIndex, (ty, weight): (&str, f64), out: &mut Proposals) {
    let code = &site.code;
    let Some((left, operator, right)) = code.binary(id) else { return };
    let first = format!("({ty}) {}", code.fitted(id, code.written(left)));
    let whole = format!("{first} {} {}", &code.text[operator], code.written(right));
    out.replace(site, id, &whole, (Strategy::Widening, weight));
    if ty == "long" {
        narrowed(site, id, (&whole, weight), out);
    }
}

/// The whole calculation is done in the wider type, and its result brought back.
fn narrowed(site: &Site<'_>, id: NodeIndex, (widened, weight): (&str, f64), out: &mut Proposals) {
    let code = &site.code;
    let is_calculation = |node: &NodeIndex| {
        code.is(*node, "PARENTHESIZED") || matches!(code.operator(*node), Some("*" | "/" | "%"))
    };
    let around = code.around(id).skip(1).take_while(is_calculation).collect::<Vec<_>>();
    for outer in around.into_iter().chain([id]) {
        let (whole, part) = (code.bytes(outer), code.bytes(id));
        let before = &code.text[whole.start..part.start];
        let after = &code.text[part.end..whole.end];
        // What comes first needs no parentheses among its like.
        let fitted = if before.is_empty() { widened.to_owned() } else { code.fitted(id, widened) };
        let text = format!("(int) ({before}{fitted}{after})");
        out.replace(site, outer, &text, (Strategy::Widening, weight));
    }
}

/// `int` becomes `long` or `double` in a declaration.
pub(super) fn declared(site: &Site<'_>, out: &mut Proposals) {
    let code = &site.code;
    let Some(ty) = code.child(site.statement, Role::Type) else { return };
    if !code.is(site.statement, "VARIABLE") || code.written(ty) != "int" {
        return;
    }
    for (wider, weight) in [("long", 0.4), ("double", 0.3)] {
        let edit = Edit::replace(code.bytes(ty), wider);
        out.add(Strategy::Widening, weight, vec![edit], format!("`int` becomes `{wider}`"));
    }
}
