//! Fix operator for arrays that are too small: changes the size where the array is allocated.

use crate::candidates::candidate::FixOperator;
use crate::fixes::code_text::abbreviate;
use crate::fixes::site::{CandidateEdits, RepairSite};
use mend_java::Code;
use mend_java::Edit;
use mend_java::code::scope::visible;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole};

/// Maximum number of variables tried as an array size.
const MAX_SIZE_VARIABLES: usize = 4;

/// Factor for a literal index in an array with a computed size: the size is usually right, and the array holds too few
/// elements.
const LITERAL_INDEX_FACTOR: f64 = 0.3;

pub(crate) fn propose(site: &RepairSite<'_>, out: &mut CandidateEdits) {
    let code = &site.code;
    for access in code
        .own_nodes(site.statement)
        .into_iter()
        .filter(|id| code.has_kind(*id, NodeKind::ArrayAccess))
    {
        let Some((declaration, size)) = array_declaration(code, access) else { continue };
        let written = code.source_text(size);
        let is_fixed = |id: NodeIndex| code.kind(id).is_literal();
        let index = code.children(access).into_iter().nth(1);
        let is_literal_index = index.is_some_and(is_fixed) && !is_fixed(size);
        let share = if is_literal_index { LITERAL_INDEX_FACTOR } else { 1.0 };
        let variables = visible(code, declaration).into_iter().filter(|one| one.ty == "int");
        let others =
            variables.take(MAX_SIZE_VARIABLES).map(|one| one.name).filter(|name| name != written);
        let one_more = format!("{} + 1", code.parenthesise_if_needed(size, written));
        for (other, weight) in others.map(|name| (name, 0.8)).chain([(one_more, 0.6)]) {
            let why = format!(
                "`{}` is allocated with size `{}`",
                abbreviate(code.source_text(code.parent(size))),
                abbreviate(&other)
            );
            let edit = Edit::replace(code.bytes(size), other);
            out.add(FixOperator::RangeCheck.with_weight(weight * share), vec![edit], why);
        }
    }
}

/// Returns the declaration that creates the accessed array, and its size expression, if the array is created in its
/// declaration.
fn array_declaration(code: &Code<'_>, access: NodeIndex) -> Option<(NodeIndex, NodeIndex)> {
    let array = *code.children(access).first()?;
    let symbol = code.node(array).symbol?;
    let is_declared = |id: &NodeIndex| {
        code.has_kind(*id, NodeKind::Variable) && code.node(*id).symbol == Some(symbol)
    };
    let declaration = code.statements().find(is_declared)?;
    let new = code
        .child(declaration, NodeRole::Value)
        .filter(|id| code.has_kind(*id, NodeKind::NewArray))?;
    let is_size = |id: &NodeIndex| code.is_replaceable_value(*id) && code.type_of(*id) == "int";
    let sizes: Vec<NodeIndex> = code.children(new).into_iter().filter(is_size).collect();
    let [size] = sizes[..] else { return None };
    Some((declaration, size))
}
