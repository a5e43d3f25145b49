//! Effects of calls on a field of an object that is passed around: which calls read it, and which write it.

use super::calls::{arguments, descendants, enclosing_routine, is_write, receiver, runs_with};
use crate::evidence::bug_context::BugContext;
use mend_java::Code;
use mend_java::facts::{FileNode, NodeIndex, NodeKind, NodeRole, SymbolId};
use std::collections::BTreeMap;

/// Maximum depth of followed calls.
const MAX_CALL_DEPTH: usize = 3;

/// Maximum number of methods that access a field, directly or by calls.
const MAX_METHODS: usize = 60;

/// Effect of code on a field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FieldEffect {
    pub(crate) has_read: bool,
    pub(crate) has_write: bool,
}

/// Object whose field is accessed, as code denotes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ObjectName {
    /// The current object.
    This,
    /// Value of a local variable or parameter.
    Local(SymbolId),
}

/// Access to a field of an object, directly or by a call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FieldAccess {
    pub(crate) node: NodeIndex,
    pub(crate) effect: FieldEffect,
}

/// Methods that call each method.
pub(crate) type MethodCallers = BTreeMap<SymbolId, Vec<FileNode>>;

/// Returns the callers of all methods in main code.
pub(crate) fn method_callers(context: &BugContext<'_>) -> MethodCallers {
    let mut callers = MethodCallers::new();
    for (file, code) in context.main_files() {
        for call in code.nodes_of_kind(NodeKind::MethodInvocation) {
            let callee = code.child(call, NodeRole::Callee).and_then(|id| code.node(id).symbol);
            let caller = enclosing_method(context, file, call);
            if let (Some(callee), Some(caller)) = (callee, caller) {
                callers.entry(callee).or_default().push(caller);
            }
        }
    }
    callers
}

/// Returns the method that a node runs in; `None` in a lambda.
fn enclosing_method(context: &BugContext<'_>, file: usize, node: NodeIndex) -> Option<FileNode> {
    let code = context.code(file);
    let routine = enclosing_routine(code, node)?;
    code.has_kind(routine, NodeKind::Method).then_some((file, routine))
}

/// Field, and the methods that access it directly or by calls.
pub(crate) struct FieldUsers<'a> {
    context: &'a BugContext<'a>,
    variable: SymbolId,
    methods: BTreeMap<SymbolId, FileNode>,
}

impl<'a> FieldUsers<'a> {
    /// Finds the methods from those that use the field to their callers.
    pub(crate) fn new(
        context: &'a BugContext<'a>,
        callers: &MethodCallers,
        variable: SymbolId,
    ) -> Self {
        let mut methods = BTreeMap::new();
        let uses = context.uses(variable).into_iter();
        let mut found: Vec<FileNode> =
            uses.filter_map(|(file, node)| enclosing_method(context, file, node)).collect();
        for _ in 0..=MAX_CALL_DEPTH {
            let mut next = Vec::new();
            for (file, method) in found {
                let Some(own) = context.code(file).node(method).symbol else { continue };
                if methods.len() < MAX_METHODS && methods.insert(own, (file, method)).is_none() {
                    next.extend(callers.get(&own).into_iter().flatten());
                }
            }
            found = next;
        }
        Self { context, variable, methods }
    }

    /// Returns the methods in the order of the files.
    pub(crate) fn methods(&self) -> Vec<FileNode> {
        let mut methods: Vec<FileNode> = self.methods.values().copied().collect();
        methods.sort_unstable();
        methods
    }

    /// Returns the accesses of a routine to the field of an object, in the order of the source text.
    pub(crate) fn accesses(&self, routine: FileNode, object: ObjectName) -> Vec<FieldAccess> {
        self.accesses_within_depth(routine, object, MAX_CALL_DEPTH)
    }

    fn accesses_within_depth(
        &self,
        (file, routine): FileNode,
        object: ObjectName,
        depth: usize,
    ) -> Vec<FieldAccess> {
        let code = self.context.code(file);
        let own = descendants(code, routine).filter(|id| runs_with(code, *id, routine));
        let access = |node: NodeIndex| {
            let effect = direct_effect(code, node, object, self.variable)
                .or_else(|| self.call_effect(code, node, object, depth))?;
            (effect != FieldEffect::default()).then_some(FieldAccess { node, effect })
        };
        own.filter_map(access).collect()
    }

    /// Returns the effect of a call that receives the object, as its receiver or as an argument.
    fn call_effect(
        &self,
        code: &Code<'_>,
        call: NodeIndex,
        object: ObjectName,
        depth: usize,
    ) -> Option<FieldEffect> {
        let callee = code
            .child(call, NodeRole::Callee)
            .filter(|_| depth > 0 && code.has_kind(call, NodeKind::MethodInvocation))?;
        let method = code.node(callee).symbol?;
        let declared = *self.methods.get(&method)?;
        let mut names = Vec::new();
        if denotes(code, receiver(code, call), object) {
            names.push(ObjectName::This);
        }
        let parameters = &code.facts.symbol(method).parameters;
        for (argument, parameter) in arguments(code, call).into_iter().zip(parameters) {
            if denotes(code, Some(argument), object) {
                names.push(ObjectName::Local(*parameter));
            }
        }
        let accesses = names
            .into_iter()
            .flat_map(|name| self.accesses_within_depth(declared, name, depth - 1));
        Some(accesses.fold(FieldEffect::default(), |all, one| FieldEffect {
            has_read: all.has_read || one.effect.has_read,
            has_write: all.has_write || one.effect.has_write,
        }))
    }
}

/// Returns the effect of a node that denotes the field of the object.
fn direct_effect(
    code: &Code<'_>,
    node: NodeIndex,
    object: ObjectName,
    variable: SymbolId,
) -> Option<FieldEffect> {
    if code.node(node).symbol != Some(variable) || !code.kind(node).is_name() {
        return None;
    }
    let holder = code.children(node).first().copied();
    let holder = holder.filter(|_| code.has_kind(node, NodeKind::MemberSelect));
    let has_write = is_write(code, node);
    let parent = code.parent(node);
    let is_update = code.kind(parent).is_step() || code.kind(parent).is_compound_assignment();
    let effect = FieldEffect { has_read: !has_write || is_update, has_write };
    denotes(code, holder, object).then_some(effect)
}

/// Returns true if an expression, or the current object if there is none, denotes the object.
fn denotes(code: &Code<'_>, expression: Option<NodeIndex>, object: ObjectName) -> bool {
    match (object, expression) {
        (ObjectName::This, None) => true,
        (ObjectName::This, Some(id)) => code.source_text(id) == "this",
        (ObjectName::Local(symbol), Some(id)) => {
            code.has_kind(id, NodeKind::Identifier) && code.node(id).symbol == Some(symbol)
        }
        (ObjectName::Local(_), None) => false,
    }
}
