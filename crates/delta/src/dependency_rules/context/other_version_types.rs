//! Types that the expressions of one version have with the declarations of the other version.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::node_ref::NodeRef;
use crate::dependency_rules::context::rule_context::RuleContext;
use crate::dependency_rules::context::symbol_matching::is_name_or_call;
use crate::dependency_rules::context::type_causes::VersionedType;
use mend_java::facts::{NodeKind, NodeRole, SymbolId, can_widen};

impl RuleContext<'_> {
    /// Returns the type of an expression with the types of the other version; `None` if it is unknown.
    pub(crate) fn type_in_other_version(&self, node: NodeRef) -> Option<VersionedType> {
        match self.kind(node) {
            NodeKind::NewClass | NodeKind::TypeCast => {
                let twin = self.twin_node(node).filter(|twin| self.kind(*twin) == self.kind(node));
                twin.map(|twin| self.type_of(twin))
            }
            kind if is_name_or_call(kind) && !self.is_generic(node) => {
                self.symbol_type_in_other_version(node, self.node(node).symbol?)
            }
            NodeKind::Plus
            | NodeKind::Minus
            | NodeKind::Multiply
            | NodeKind::Divide
            | NodeKind::Remainder => self.calculation_type_in_other_version(node),
            _ => None,
        }
    }

    fn symbol_type_in_other_version(
        &self,
        node: NodeRef,
        symbol: SymbolId,
    ) -> Option<VersionedType> {
        let version = node.version.opposite();
        let twin = self.twin_symbol(node.version, symbol)?;
        Some(VersionedType { version, ty: self.facts(version).symbol(twin).ty })
    }

    /// Returns the type of a calculation with numbers, by binary numeric promotion (Java Language Specification,
    /// section 5.6.2).
    fn calculation_type_in_other_version(&self, node: NodeRef) -> Option<VersionedType> {
        let operands = self.children(node).into_iter();
        let operands: Vec<VersionedType> =
            operands.map(|one| self.operand_type_in_other_version(one)).collect::<Option<_>>()?;
        let all_widen_to =
            |name: &str| operands.iter().all(|operand| can_widen(self.erased_type(*operand), name));
        // The result of smaller types is an `int` too.
        let mut candidates = operands.iter().copied().chain([self.type_of(node)]);
        candidates.find(|candidate| {
            let name = self.erased_type(*candidate);
            all_widen_to(name) && (name == "int" || !all_widen_to("int"))
        })
    }

    fn operand_type_in_other_version(&self, operand: NodeRef) -> Option<VersionedType> {
        match self.kind(operand) {
            kind if kind.is_literal() => Some(self.type_of(operand)),
            NodeKind::Parenthesized => {
                self.operand_type_in_other_version(*self.children(operand).first()?)
            }
            kind if is_name_or_call(kind) && !self.is_generic(operand) => {
                let symbol = self.node(operand).symbol?;
                if self.is_inserted_with_type(operand.version, symbol) {
                    Some(self.type_of(operand))
                } else {
                    self.symbol_type_in_other_version(operand, symbol)
                }
            }
            _ => self.type_in_other_version(operand),
        }
    }

    /// Returns true if only one version has a variable or method, and no other change gives it its type.
    fn is_inserted_with_type(&self, version: Version, symbol: SymbolId) -> bool {
        self.twin_symbol(version, symbol).is_none()
            && self
                .changed_part_hunks(version, symbol, &[NodeRole::Type])
                .is_subset(&self.presence_hunks(version, symbol))
    }
}
