//! Hunks that determine the type of an expression, and assignability of types.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::node_ref::{HunkSet, NodeRef};
use crate::dependency_rules::context::rule_context::RuleContext;
use mend_java::facts::{NodeKind, NodeRole, SymbolFlags, SymbolId, TypeId, boxed, widens};

/// Deeper than this an expression is generated, and the walk is recursive.
const DEEPEST: usize = 100;

/// A type as one version writes it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VersionedType {
    pub(crate) version: Version,
    pub(crate) ty: TypeId,
}

impl RuleContext<'_> {
    /// Returns the hunks that determine the type of an expression.
    pub(crate) fn causes(&self, at: NodeRef) -> HunkSet {
        if let Some(known) = self.causes.borrow().get(&at) {
            return known.clone();
        }
        // What depends on itself adds nothing.
        self.causes.borrow_mut().insert(at, HunkSet::new());
        let depth = self.depth.get();
        let hunks = if depth < DEEPEST {
            self.depth.set(depth + 1);
            let hunks = self.causes_by_kind(at);
            self.depth.set(depth);
            hunks
        } else {
            self.owners_of(at)
        };
        self.causes.borrow_mut().insert(at, hunks.clone());
        hunks
    }

    fn causes_by_kind(&self, at: NodeRef) -> HunkSet {
        match self.kind(at) {
            NodeKind::Identifier | NodeKind::MemberSelect => self.causes_of_name(at),
            NodeKind::MethodInvocation => self.causes_of_call(at),
            NodeKind::NewClass => self.causes_of_naming(at, NodeRole::Callee),
            NodeKind::TypeCast => self.causes_of_naming(at, NodeRole::Type),
            NodeKind::ConditionalExpression => [NodeRole::Then, NodeRole::Else]
                .into_iter()
                .filter_map(|role| self.child(at, role))
                .flat_map(|branch| self.causes(branch))
                .collect(),
            NodeKind::Assignment => self
                .child(at, NodeRole::Target)
                .map(|target| self.causes(target))
                .unwrap_or_default(),
            NodeKind::ArrayAccess | NodeKind::Parenthesized => {
                self.children(at).first().map(|first| self.causes(*first)).unwrap_or_default()
            }
            NodeKind::LambdaExpression | NodeKind::MemberReference => {
                self.owner_of(at).into_iter().collect()
            }
            // Brackets too.
            NodeKind::NewArray => &self.causes_of_naming(at, NodeRole::Type) | &self.gaps(at),
            // Whatever they compare, a truth comes out.
            kind if kind.is_comparison() || kind.is_logical() => self.gaps(at),
            NodeKind::InstanceOf => self.gaps(at),
            NodeKind::Plus if self.is_text_anyway(at) => HunkSet::new(),
            _ => self.causes_of_parts(at),
        }
    }

    fn causes_of_call(&self, at: NodeRef) -> HunkSet {
        let callee = self.child(at, NodeRole::Callee).map(|callee| self.causes(callee));
        let mut hunks = callee.unwrap_or_default();
        if self.is_generic(at) {
            let arguments = self.children(at).into_iter();
            let arguments = arguments.filter(|one| self.node(*one).role == NodeRole::Argument);
            hunks.extend(arguments.flat_map(|argument| self.causes(argument)));
        }
        hunks
    }

    /// Returns the causes of an expression whose type is that of a name in it.
    fn causes_of_naming(&self, at: NodeRef, role: NodeRole) -> HunkSet {
        let named = self.child(at, role).map(|named| self.meaning(named));
        named.into_iter().flatten().chain(self.owner_of(at)).collect()
    }

    /// Returns true for a sum with a string operand that remains.
    fn is_text_anyway(&self, at: NodeRef) -> bool {
        let mut open = vec![at];
        while let Some(sum) = open.pop() {
            for part in self.children(sum) {
                match self.kind(part) {
                    NodeKind::StringLiteral if self.owner_of(part).is_none() => return true,
                    NodeKind::Plus => open.push(part),
                    _ => {}
                }
            }
        }
        false
    }

    /// Returns the hunks of a node's own tokens.
    pub(crate) fn gaps(&self, at: NodeRef) -> HunkSet {
        let mut hunks = HunkSet::new();
        let mut from = self.node(at).bytes.start;
        for part in self.children(at) {
            let bytes = &self.node(part).bytes;
            hunks.extend(self.owners(at, from..bytes.start));
            from = from.max(bytes.end);
        }
        hunks.extend(self.owners(at, from..self.node(at).bytes.end));
        hunks
    }

    /// Operators and literals: their own tokens and what their operands depend on.
    fn causes_of_parts(&self, at: NodeRef) -> HunkSet {
        let parts = self.children(at).into_iter().flat_map(|part| self.causes(part));
        self.gaps(at).into_iter().chain(parts).collect()
    }

    fn causes_of_name(&self, at: NodeRef) -> HunkSet {
        let mut hunks: HunkSet = self.owner_of(at).into_iter().collect();
        let Some(symbol) = self.node(at).symbol else { return hunks };
        let receiver = || {
            let first = self.children(at).into_iter().next();
            first.map(|receiver| self.causes(receiver)).unwrap_or_default()
        };
        let is_twin = self
            .twin(at)
            .is_none_or(|twin| self.node(twin).symbol == self.twin_symbol(at.version, symbol));
        if !is_twin {
            hunks.extend(self.resolution(at));
        }
        hunks.extend(self.retyping(at.version, symbol));
        if self.facts(at.version).symbol(symbol).flags.has(SymbolFlags::GENERIC) {
            hunks.extend(receiver());
            hunks.extend(self.inheritance(at, symbol));
        }
        hunks
    }

    /// Returns the hunks that make a name qualified in one version and simple in the other.
    pub(crate) fn selection(&self, at: NodeRef, twin: NodeRef) -> HunkSet {
        let of = |at: NodeRef| {
            let receiver = self.children(at).first().map(|receiver| self.node(*receiver).bytes.end);
            receiver.map(|end| self.owners(at, end..self.anchor(at))).unwrap_or_default()
        };
        if self.children(at).is_empty() == self.children(twin).is_empty() {
            return HunkSet::new();
        }
        of(at).into_iter().chain(of(twin)).collect()
    }

    /// Returns the hunks that change the meaning of a kept name.
    pub(crate) fn resolution(&self, at: NodeRef) -> HunkSet {
        let mut hunks = self.twin(at).map(|twin| self.selection(at, twin)).unwrap_or_default();
        for at in [Some(at), self.twin(at)].into_iter().flatten() {
            if let Some(receiver) = self.children(at).first() {
                hunks.extend(self.causes(*receiver));
            }
            if self.node(at).role == NodeRole::Callee {
                let call = self.parent(at);
                let arguments = self.children(call).into_iter();
                for one in arguments.filter(|one| self.node(*one).role == NodeRole::Argument) {
                    hunks.extend(self.causes(one));
                }
            }
            hunks.extend(self.import_hunks(at));
            if let Some(symbol) = self.node(at).symbol {
                hunks.extend(self.makers(at.version, symbol));
                hunks.extend(self.inheritance(at, symbol));
            }
        }
        hunks
    }

    /// Returns the hunks that change inheritance, for a simple name of an inherited member.
    fn inheritance(&self, at: NodeRef, symbol: SymbolId) -> HunkSet {
        let facts = self.facts(at.version);
        let owner = facts.symbol(symbol).owner;
        let class = self.class_of(at);
        let is_inherited = self.kind(at) == NodeKind::Identifier
            && owner.is_some_and(|owner| facts.symbol(owner).kind.is_type())
            && owner != class;
        match class {
            Some(class) if is_inherited => self.supertype_hunks(at.version, class),
            _ => HunkSet::new(),
        }
    }

    fn is_generic(&self, at: NodeRef) -> bool {
        self.node(at).symbol.is_some_and(|symbol| {
            self.facts(at.version).symbol(symbol).flags.has(SymbolFlags::GENERIC)
        })
    }

    /// Returns the type of an expression if its names have the types of the other version; `None` if it is unknown.
    pub(crate) fn other_type(&self, at: NodeRef) -> Option<VersionedType> {
        let is_named = matches!(
            self.kind(at),
            NodeKind::Identifier | NodeKind::MemberSelect | NodeKind::MethodInvocation
        );
        if !is_named || self.is_generic(at) {
            return None;
        }
        let version = at.version.opposite();
        let twin = self.twin_symbol(at.version, self.node(at).symbol?)?;
        Some(VersionedType { version, ty: self.facts(version).symbol(twin).ty })
    }

    pub(crate) fn type_of(&self, at: NodeRef) -> VersionedType {
        VersionedType { version: at.version, ty: self.node(at).ty }
    }

    pub(crate) fn erased(&self, typed: VersionedType) -> &str {
        self.facts(typed.version).text(typed.ty.erased)
    }

    pub(crate) fn written(&self, typed: VersionedType) -> &str {
        self.facts(typed.version).text(typed.ty.written)
    }

    pub(crate) fn is_same_type(&self, one: VersionedType, two: VersionedType) -> bool {
        self.written(one) == self.written(two) && self.erased(one) == self.erased(two)
    }

    /// Returns true if a value of one type is certainly assignable to another type.
    pub(crate) fn fits(&self, from: VersionedType, to: VersionedType) -> bool {
        let (from_erased, to_erased) = (self.erased(from), self.erased(to));
        if from_erased.is_empty() || to_erased.is_empty() {
            return false;
        }
        let is_primitive = |name: &str| boxed(name).is_some() || name == "void";
        if is_primitive(from_erased) || is_primitive(to_erased) {
            return fits_primitive(from_erased, to_erased);
        }
        if self.is_same_type(from, to) || to_erased == "java.lang.Object" {
            return self.written(to) == to_erased || self.is_same_type(from, to);
        }
        if matches!(from_erased, "null" | "<nulltype>" | "<null>") {
            return true;
        }
        self.fits_generically(from, to) && self.is_subtype(from, to)
    }

    fn fits_generically(&self, from: VersionedType, to: VersionedType) -> bool {
        let (from, to_written) = (self.written(from), self.written(to));
        let arguments = |name: &str| name.find('<').map(|at| name[at..].to_owned());
        match (arguments(from), arguments(to_written)) {
            (_, None) => to_written == self.erased(to),
            (None, Some(wanted)) => wanted.chars().all(|c| "<>?, ".contains(c)),
            (Some(given), Some(wanted)) => given == wanted || wanted == "<?>",
        }
    }

    fn is_subtype(&self, from: VersionedType, to: VersionedType) -> bool {
        let (mut from_name, mut to_name) = (self.erased(from), self.erased(to));
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
        let is_below = |version: Version| {
            let facts = self.facts(version);
            facts.class_named(from_name).map(|class| facts.is_below(class, to_name))
        };
        if from_name.starts_with('#') {
            // The number of a class without a name means nothing in the other version.
            return is_below(from.version).unwrap_or(false);
        }
        [Version::Old, Version::New].into_iter().filter_map(is_below).all(|below| below)
            && (is_below(Version::Old).is_some() || is_below(Version::New).is_some())
    }
}

fn fits_primitive(from: &str, to: &str) -> bool {
    if from == to {
        return true;
    }
    match (boxed(from), boxed(to)) {
        (Some(_), Some(_)) => widens(from, to),
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
