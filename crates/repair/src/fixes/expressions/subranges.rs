//! Fix operator that replaces a list or string by a part of it.

use crate::candidates::candidate::FixOperator;
use crate::fixes::code_text::position_weight;
use crate::fixes::site::{CandidateEdits, RepairSite};
use mend_java::code::types::is_assignable;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole};

/// Maximum number of variables tried as the start or end of a part.
const MAX_INDEX_VARIABLES: usize = 3;

/// Prior likelihood of a part, relative to any other value.
const SUBRANGE_WEIGHT: f64 = 0.3;

/// Kind of sequence that has subranges.
#[derive(Clone, Copy)]
enum Sequence {
    Text,
    List,
}

impl Sequence {
    /// Returns the sequence kind of a name, if a subrange is allowed in its place.
    fn from_name(site: &RepairSite<'_>, id: NodeIndex) -> Option<Self> {
        let code = &site.code;
        let ty = code.type_of(id);
        let is_list = || {
            let class = code.facts.find_class(ty);
            class.is_some_and(|class| code.facts.is_subtype_of(class, "java.util.List"))
        };
        let is_iterated = code.has_kind(code.parent(id), NodeKind::EnhancedForLoop);
        if ty == "java.lang.String" {
            return Some(Self::Text);
        }
        let accepts_list =
            is_iterated || is_assignable(code.facts, "java.util.List", code.required_type(id));
        (is_list() && accepts_list).then_some(Self::List)
    }

    /// Returns the subrange from an index on, and the one before it.
    fn subranges(self, name: &str, index: &str) -> [String; 2] {
        match self {
            Self::Text => {
                [format!("{name}.substring({index})"), format!("{name}.substring(0, {index})")]
            }
            Self::List => [
                format!("{name}.subList({index}, {name}.size())"),
                format!("{name}.subList(0, {index})"),
            ],
        }
    }
}

pub(crate) fn propose(site: &RepairSite<'_>, id: NodeIndex, out: &mut CandidateEdits) {
    let code = &site.code;
    let is_whole_value = matches!(code.role(id), NodeRole::Argument | NodeRole::Value);
    if !code.has_kind(id, NodeKind::Identifier) || !is_whole_value {
        return;
    }
    let Some(sequence) = Sequence::from_name(site, id) else { return };
    let variables = site.inner_variables_for("int").filter(|one| one.ty == "int");
    let variables = variables.take(MAX_INDEX_VARIABLES).map(|one| one.name.as_str());
    for (at, index) in variables.chain(["1"]).enumerate() {
        for subrange in sequence.subranges(code.source_text(id), index) {
            out.replace(
                site,
                id,
                &subrange,
                FixOperator::Value.with_weight(SUBRANGE_WEIGHT * position_weight(at, 0.1)),
            );
        }
    }
}
