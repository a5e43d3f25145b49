//! A part of a list or of a text in place of all of it.

use crate::candidates::candidate::FixOperator;
use crate::fixes::site::{CandidateEdits, RepairSite};
use crate::fixes::text::nearness;
use mend_java::code::types::fits;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole};

/// Maximum number of variables tried as the start or end of a part.
const TRIED: usize = 3;

/// Prior likelihood of a part, relative to any other value.
const LIKELY: f64 = 0.3;

/// Kind of ordered sequence that can be cut.
#[derive(Clone, Copy)]
enum Sequence {
    Text,
    List,
}

impl Sequence {
    /// Returns the sequence kind of a name where a part is allowed.
    fn from_name(site: &RepairSite<'_>, id: NodeIndex) -> Option<Self> {
        let code = &site.code;
        let ty = code.type_of(id);
        let is_list = || {
            let class = code.facts.class_named(ty);
            class.is_some_and(|class| code.facts.is_below(class, "java.util.List"))
        };
        let is_walked = code.is(code.parent(id), NodeKind::EnhancedForLoop);
        if ty == "java.lang.String" {
            return Some(Self::Text);
        }
        let is_wanted = is_walked || fits(code.facts, "java.util.List", code.wanted_for(id));
        (is_list() && is_wanted).then_some(Self::List)
    }

    /// Returns the part from an index on, and the part before it.
    fn parts(self, name: &str, place: &str) -> [String; 2] {
        match self {
            Self::Text => {
                [format!("{name}.substring({place})"), format!("{name}.substring(0, {place})")]
            }
            Self::List => [
                format!("{name}.subList({place}, {name}.size())"),
                format!("{name}.subList(0, {place})"),
            ],
        }
    }
}

pub(crate) fn propose(site: &RepairSite<'_>, id: NodeIndex, out: &mut CandidateEdits) {
    let code = &site.code;
    let is_all_of_it = matches!(code.role(id), NodeRole::Argument | NodeRole::Value);
    if !code.is(id, NodeKind::Identifier) || !is_all_of_it {
        return;
    }
    let Some(sequence) = Sequence::from_name(site, id) else { return };
    let variables = site.inner_variables_for("int").filter(|one| one.ty == "int");
    let variables = variables.take(TRIED).map(|one| one.name.as_str());
    for (at, place) in variables.chain(["1"]).enumerate() {
        for part in sequence.parts(code.written(id), place) {
            out.replace(
                site,
                id,
                &part,
                FixOperator::Value.with_weight(LIKELY * nearness(at, 0.1)),
            );
        }
    }
}
