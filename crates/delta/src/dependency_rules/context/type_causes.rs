//! Hunks that determine the type of an expression, and assignability of types between versions.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::node_ref::{HunkSet, NodeRef};
use crate::dependency_rules::context::rule_context::RuleContext;
use mend_java::facts::{
    NodeKind, NodeRole, SymbolFlags, SymbolId, TypeId, can_widen, wrapper_class,
};

/// Maximum recursion depth: deeper expressions are generated.
const MAX_RECURSION_DEPTH: usize = 100;

/// A type of one version.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VersionedType {
    pub(crate) version: Version,
    pub(crate) ty: TypeId,
}

impl RuleContext<'_> {
    /// Returns the hunks that determine the type of an expression.
    pub(crate) fn type_causes(&self, node: NodeRef) -> HunkSet {
        if let Some(cached) = self.type_cause_cache.borrow().get(&node) {
            return cached.clone();
        }
        // A cyclic dependency adds no causes.
        self.type_cause_cache.borrow_mut().insert(node, HunkSet::new());
        let depth = self.recursion_depth.get();
        let hunks = if depth < MAX_RECURSION_DEPTH {
            self.recursion_depth.set(depth + 1);
            let hunks = self.compute_type_causes(node);
            self.recursion_depth.set(depth);
            hunks
        } else {
            self.node_owners(node)
        };
        self.type_cause_cache.borrow_mut().insert(node, hunks.clone());
        hunks
    }

    fn compute_type_causes(&self, node: NodeRef) -> HunkSet {
        if let Some(moved) = self.move_of_node(node)
            && let Some(twin) = self.twin_node(node)
            && self.move_of_node(twin) == Some(moved)
            && self.is_same_type(self.type_of(node), self.type_of(twin))
        {
            // Edits inside the moved expression leave its type as it is.
            return HunkSet::from([moved]);
        }
        match self.kind(node) {
            NodeKind::Identifier | NodeKind::MemberSelect => self.causes_of_name(node),
            NodeKind::MethodInvocation => self.causes_of_call(node),
            NodeKind::NewClass if self.has_inferred_type_arguments(node) => {
                &self.causes_of_named_type(node, NodeRole::Callee) | &self.causes_of_inference(node)
            }
            NodeKind::NewClass => self.causes_of_named_type(node, NodeRole::Callee),
            NodeKind::TypeCast => self.causes_of_named_type(node, NodeRole::Type),
            NodeKind::ConditionalExpression => [NodeRole::Then, NodeRole::Else]
                .into_iter()
                .filter_map(|role| self.child(node, role))
                .flat_map(|branch| self.type_causes(branch))
                .collect(),
            NodeKind::Assignment => self
                .child(node, NodeRole::Target)
                .map(|target| self.type_causes(target))
                .unwrap_or_default(),
            NodeKind::ArrayAccess | NodeKind::Parenthesized => self
                .children(node)
                .first()
                .map(|first| self.type_causes(*first))
                .unwrap_or_default(),
            NodeKind::LambdaExpression | NodeKind::MemberReference => {
                self.node_owner(node).into_iter().collect()
            }
            // The brackets of its own matter too.
            NodeKind::NewArray => {
                &self.causes_of_named_type(node, NodeRole::Type) | &self.own_token_hunks(node)
            }
            // The result is always boolean.
            kind if kind.is_comparison() || kind.is_logical() => self.typed_token_hunks(node),
            NodeKind::InstanceOf => self.own_token_hunks(node),
            NodeKind::Plus if self.has_kept_string_operand(node) => HunkSet::new(),
            _ => self.causes_of_operands(node),
        }
    }

    fn causes_of_call(&self, node: NodeRef) -> HunkSet {
        let callee = self.child(node, NodeRole::Callee).map(|callee| self.type_causes(callee));
        let mut hunks = callee.unwrap_or_default();
        if self.is_generic(node) {
            hunks.extend(self.causes_of_inference(node));
        }
        hunks
    }

    /// Returns the hunks that determine the type arguments that the compiler infers for a call.
    fn causes_of_inference(&self, call: NodeRef) -> HunkSet {
        let arguments = self.children(call).into_iter();
        let arguments = arguments.filter(|one| self.node(*one).role == NodeRole::Argument);
        let results = |argument: NodeRef| match self.child(argument, NodeRole::Body) {
            Some(body) if self.kind(argument) == NodeKind::LambdaExpression => {
                self.lambda_results(body)
            }
            _ => Vec::new(),
        };
        arguments
            .flat_map(|argument| results(argument).into_iter().chain([argument]))
            .flat_map(|value| self.type_causes(value))
            .collect()
    }

    /// Returns the values that a lambda with this body returns.
    fn lambda_results(&self, body: NodeRef) -> Vec<NodeRef> {
        if self.kind(body) != NodeKind::Block {
            return vec![body];
        }
        let (mut results, mut worklist) = (Vec::new(), self.children(body));
        while let Some(node) = worklist.pop() {
            match self.kind(node) {
                NodeKind::Return => results.extend(self.child(node, NodeRole::Value)),
                kind if kind == NodeKind::LambdaExpression || kind.is_type_declaration() => {}
                _ => worklist.extend(self.children(node)),
            }
        }
        results
    }

    /// Returns true for the creation of an object with `<>`.
    fn has_inferred_type_arguments(&self, creation: NodeRef) -> bool {
        self.child(creation, NodeRole::Callee).is_some_and(|class| {
            self.kind(class) == NodeKind::ParameterizedType && self.children(class).len() == 1
        })
    }

    /// Returns the causes of an expression whose type is that of a name in it.
    fn causes_of_named_type(&self, node: NodeRef, role: NodeRole) -> HunkSet {
        let named_type = self.child(node, role).map(|named_type| self.meaning_hunks(named_type));
        named_type.into_iter().flatten().chain(self.node_owner(node)).collect()
    }

    /// Returns true for a sum with a string operand that remains.
    pub(crate) fn has_kept_string_operand(&self, node: NodeRef) -> bool {
        let mut worklist = vec![node];
        while let Some(sum) = worklist.pop() {
            for part in self.children(sum) {
                match self.kind(part) {
                    NodeKind::StringLiteral if self.node_owner(part).is_none() => return true,
                    NodeKind::Plus => worklist.push(part),
                    _ => {}
                }
            }
        }
        false
    }

    /// Returns the hunks of a node's own tokens.
    pub(crate) fn own_token_hunks(&self, node: NodeRef) -> HunkSet {
        let mut hunks = HunkSet::new();
        let mut from = self.node(node).bytes.start;
        for part in self.children(node) {
            let bytes = &self.node(part).bytes;
            hunks.extend(self.owners_in_range(node, from..bytes.start));
            from = from.max(bytes.end);
        }
        hunks.extend(self.owners_in_range(node, from..self.node(node).bytes.end));
        hunks
    }

    /// Returns the hunks of a node's own tokens that may change its type.
    fn typed_token_hunks(&self, node: NodeRef) -> HunkSet {
        let hunks = self.own_token_hunks(node).into_iter();
        hunks.filter(|hunk| !self.is_type_neutral(*hunk)).collect()
    }

    /// Returns the causes of an operator expression or literal: its own tokens, and the causes of its operands.
    fn causes_of_operands(&self, node: NodeRef) -> HunkSet {
        let parts = self.children(node).into_iter().flat_map(|part| self.type_causes(part));
        self.typed_token_hunks(node).into_iter().chain(parts).collect()
    }

    fn causes_of_name(&self, node: NodeRef) -> HunkSet {
        let owner = self.node_owner(node).filter(|owner| !self.is_type_neutral(*owner));
        let mut hunks: HunkSet = owner.into_iter().collect();
        let Some(symbol) = self.node(node).symbol else { return hunks };
        let receiver = || {
            let first = self.children(node).into_iter().next();
            first.map(|receiver| self.type_causes(receiver)).unwrap_or_default()
        };
        let is_twin = self
            .twin_node(node)
            .is_none_or(|twin| self.node(twin).symbol == self.twin_symbol(node.version, symbol));
        if !is_twin {
            hunks.extend(self.resolution_hunks(node));
        }
        hunks.extend(self.type_change_hunks(node.version, symbol));
        if self.facts(node.version).symbol(symbol).flags.has(SymbolFlags::GENERIC) {
            hunks.extend(receiver());
            hunks.extend(self.inheritance_hunks(node, symbol));
        }
        hunks
    }

    /// Returns the hunks that make a name qualified in one version and simple in the other.
    pub(crate) fn qualification_hunks(&self, node: NodeRef, twin: NodeRef) -> HunkSet {
        let qualifier_hunks = |node: NodeRef| {
            let receiver =
                self.children(node).first().map(|receiver| self.node(*receiver).bytes.end);
            receiver
                .map(|end| self.owners_in_range(node, end..self.anchor(node)))
                .unwrap_or_default()
        };
        if self.children(node).is_empty() == self.children(twin).is_empty() {
            return HunkSet::new();
        }
        qualifier_hunks(node).into_iter().chain(qualifier_hunks(twin)).collect()
    }

    /// Returns the hunks that change the meaning of a kept name.
    pub(crate) fn resolution_hunks(&self, node: NodeRef) -> HunkSet {
        let mut hunks = self
            .twin_node(node)
            .map(|twin| self.qualification_hunks(node, twin))
            .unwrap_or_default();
        for node in [Some(node), self.twin_node(node)].into_iter().flatten() {
            if let Some(receiver) = self.children(node).first() {
                hunks.extend(self.type_causes(*receiver));
            }
            if self.node(node).role == NodeRole::Callee {
                let call = self.parent(node);
                let arguments = self.children(call).into_iter();
                for one in arguments.filter(|one| self.node(*one).role == NodeRole::Argument) {
                    hunks.extend(self.type_causes(one));
                }
            }
            hunks.extend(self.import_hunks(node));
            if let Some(symbol) = self.node(node).symbol {
                hunks.extend(self.presence_hunks(node.version, symbol));
                hunks.extend(self.inheritance_hunks(node, symbol));
            }
        }
        hunks
    }

    /// Returns the hunks that change inheritance, for a simple name of an inherited member.
    fn inheritance_hunks(&self, node: NodeRef, symbol: SymbolId) -> HunkSet {
        let facts = self.facts(node.version);
        let owner = facts.symbol(symbol).owner;
        let class = self.enclosing_class(node);
        let is_inherited = self.kind(node) == NodeKind::Identifier
            && owner.is_some_and(|owner| facts.symbol(owner).kind.is_type())
            && owner != class;
        match class {
            Some(class) if is_inherited => self.supertype_hunks(node.version, class),
            _ => HunkSet::new(),
        }
    }

    pub(super) fn is_generic(&self, node: NodeRef) -> bool {
        self.node(node).symbol.is_some_and(|symbol| {
            self.facts(node.version).symbol(symbol).flags.has(SymbolFlags::GENERIC)
        })
    }

    pub(crate) fn type_of(&self, node: NodeRef) -> VersionedType {
        VersionedType { version: node.version, ty: self.node(node).ty }
    }

    pub(crate) fn erased_type(&self, typed: VersionedType) -> &str {
        self.facts(typed.version).text(typed.ty.erased)
    }

    pub(crate) fn parameterised_type(&self, typed: VersionedType) -> &str {
        self.facts(typed.version).text(typed.ty.parameterised)
    }

    pub(crate) fn is_same_type(&self, one: VersionedType, two: VersionedType) -> bool {
        self.parameterised_type(one) == self.parameterised_type(two)
            && self.erased_type(one) == self.erased_type(two)
    }

    /// Returns true if a value of one type is certainly assignable to another type.
    pub(crate) fn is_assignable(&self, from: VersionedType, to: VersionedType) -> bool {
        let (from_erased, to_erased) = (self.erased_type(from), self.erased_type(to));
        if from_erased.is_empty() || to_erased.is_empty() {
            return false;
        }
        let is_primitive = |name: &str| wrapper_class(name).is_some() || name == "void";
        if is_primitive(from_erased) || is_primitive(to_erased) {
            return is_primitive_assignable(from_erased, to_erased);
        }
        if self.is_same_type(from, to) || to_erased == "java.lang.Object" {
            return self.parameterised_type(to) == to_erased || self.is_same_type(from, to);
        }
        if matches!(from_erased, "null" | "<nulltype>" | "<null>") {
            return true;
        }
        self.are_type_arguments_assignable(from, to) && self.is_subtype(from, to)
    }

    fn are_type_arguments_assignable(&self, from: VersionedType, to: VersionedType) -> bool {
        let (from, to_written) = (self.parameterised_type(from), self.parameterised_type(to));
        let arguments = |name: &str| name.find('<').map(|at| name[at..].to_owned());
        match (arguments(from), arguments(to_written)) {
            (_, None) => to_written == self.erased_type(to),
            (None, Some(wanted)) => wanted.chars().all(|c| "<>?, ".contains(c)),
            (Some(given), Some(wanted)) => given == wanted || wanted == "<?>",
        }
    }

    fn is_subtype(&self, from: VersionedType, to: VersionedType) -> bool {
        let (mut from_name, mut to_name) = (self.erased_type(from), self.erased_type(to));
        while let (Some(from), Some(to)) =
            (from_name.strip_suffix("[]"), to_name.strip_suffix("[]"))
        {
            (from_name, to_name) = (from, to);
        }
        if from_name == to_name {
            return true;
        }
        if from_name.ends_with("[]") || to_name.ends_with("[]") {
            return to_name == "java.lang.Object";
        }
        let is_subtype_in = |version: Version| {
            let facts = self.facts(version);
            facts.find_class(from_name).map(|class| facts.is_subtype_of(class, to_name))
        };
        if from_name.starts_with('#') {
            // The number in an anonymous class's name has no meaning in the other version.
            return is_subtype_in(from.version).unwrap_or(false);
        }
        [Version::Old, Version::New].into_iter().filter_map(is_subtype_in).all(|below| below)
            && (is_subtype_in(Version::Old).is_some() || is_subtype_in(Version::New).is_some())
    }
}

fn is_primitive_assignable(from: &str, to: &str) -> bool {
    if from == to {
        return true;
    }
    match (wrapper_class(from), wrapper_class(to)) {
        (Some(_), Some(_)) => can_widen(from, to),
        (Some(boxed), None) => {
            boxed == to
                || matches!(
                    to,
                    "java.lang.Object" | "java.lang.Comparable" | "java.io.Serializable"
                )
                || to == "java.lang.Number" && from != "boolean" && from != "char"
        }
        (None, Some(boxed)) => boxed == from,
        (None, None) => false,
    }
}
