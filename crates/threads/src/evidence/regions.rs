//! Atomic regions: statements of one routine with all steps of one thread in a pattern.

use super::calls::{
    descendants, enclosing_block, enclosing_routine, find_calls, is_constructor, is_write,
    receiver, runs_with,
};
use super::locks::find_sections;
use crate::evidence::bug_context::{BugContext, LocatedPattern, SourceLocation};
use mend_java::Code;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole, SymbolId};

/// Calls that start threads or submit tasks.
const THREAD_START_METHODS: [&str; 7] =
    ["start", "submit", "execute", "invokeAll", "schedule", "runAsync", "supplyAsync"];

/// Statements that must run atomically.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AtomicRegion {
    pub(crate) file: usize,
    /// Method or lambda that contains the region.
    pub(crate) routine: NodeIndex,
    /// Accesses and calls that the region must contain.
    pub(crate) nodes: Vec<NodeIndex>,
    /// Object whose fields are accessed, unless it is the current object.
    pub(crate) object: Option<String>,
    /// Accessed variable.
    pub(crate) variable: Option<SymbolId>,
}

/// Splits a pattern into the steps of each thread.
pub(crate) fn steps_by_thread(located: &LocatedPattern<'_>) -> [Vec<SourceLocation>; 2] {
    let (order, letters) =
        located.pattern.form.split_once(' ').unwrap_or(("", &located.pattern.form));
    let is_second = |at: usize| match order.as_bytes().get(2 * at) {
        Some(who) => *who == b'b',
        None => at == 1,
    };
    let steps_of = |second: bool| {
        let steps = located.locations.iter().enumerate().take(letters.len());
        steps.filter(|(at, _)| is_second(*at) == second).map(|(_, spot)| *spot).collect()
    };
    [steps_of(false), steps_of(true)]
}

impl AtomicRegion {
    /// Returns the statements that contain all given accesses. If these are in several routines, the region is in a
    /// common caller. Tests have no regions.
    pub(crate) fn from_locations(
        context: &BugContext<'_>,
        locations: &[SourceLocation],
    ) -> Option<Self> {
        let first = locations.first()?;
        let variable = locations.iter().find_map(|location| location.variable);
        let routine_of = |location: &SourceLocation| {
            enclosing_routine(context.code(location.file), location.node)
                .map(|at| (location.file, at))
        };
        let first_routine = routine_of(first)?;
        let is_single_routine =
            locations.iter().all(|location| routine_of(location) == Some(first_routine));
        if is_single_routine && !context.files[first_routine.0].is_test {
            let nodes: Vec<NodeIndex> = locations.iter().map(|location| location.node).collect();
            let object = accessed_object(context, locations);
            return Some(Self {
                file: first_routine.0,
                routine: first_routine.1,
                nodes,
                object,
                variable,
            });
        }
        if is_single_routine { None } else { Self::in_caller(context, locations, variable) }
    }

    /// Returns the region in a routine that reaches all steps, directly or by a call.
    fn in_caller(
        context: &BugContext<'_>,
        locations: &[SourceLocation],
        variable: Option<SymbolId>,
    ) -> Option<Self> {
        let found = context.main_files().flat_map(|(file, code)| {
            let methods = code.nodes_of_kind(NodeKind::Method);
            methods.filter_map(move |method| {
                region_in_method(context, file, method, locations, variable)
            })
        });
        found.min_by_key(|region| {
            let code = context.code(region.file);
            code.bytes(region.routine).len()
        })
    }

    /// Returns true if the routine has not started any thread yet when it reaches the region.
    pub(crate) fn precedes_thread_starts(&self, context: &BugContext<'_>) -> bool {
        let code = context.code(self.file);
        let own = |id: &NodeIndex| runs_with(code, *id, self.routine);
        let is_passed = |start: NodeIndex| {
            // A thread started in a loop may already run in the next iteration.
            let enclosing = code.self_and_ancestors(start).take_while(|id| *id != self.routine);
            let start = enclosing.filter(|id| code.is_loop(*id)).last().unwrap_or(start);
            self.nodes.iter().all(|node| *node < start)
        };
        let starts = find_calls(code, self.routine, &THREAD_START_METHODS);
        let first = starts.into_iter().find(own);
        first.is_some_and(is_passed)
    }

    /// Returns true if the region is in a loop of a routine that is a thread's only work. A lock on the whole routine
    /// would block all other threads until it ends.
    pub(crate) fn is_in_thread_loop(&self, context: &BugContext<'_>) -> bool {
        let code = context.code(self.file);
        let is_looped = |node: &NodeIndex| {
            code.self_and_ancestors(*node)
                .take_while(|id| *id != self.routine)
                .any(|id| code.is_loop(id))
        };
        let symbol = code.node(self.routine).symbol;
        self.nodes.iter().any(is_looped) && symbol.is_some_and(|own| is_thread_body(context, own))
    }

    /// Returns the first and the last statement of the region, in its innermost common block. The region extends to the
    /// last statement that uses its declared variables or releases its locks.
    pub(crate) fn statement_range(&self, code: &Code<'_>) -> Option<(NodeIndex, NodeIndex)> {
        let holds_all = |block: &NodeIndex| {
            let inside = descendants(code, *block);
            code.has_kind(*block, NodeKind::Block)
                && self.nodes.iter().all(|node| inside.contains(node))
        };
        let block = code.self_and_ancestors(*self.nodes.first()?).skip(1).find(holds_all)?;
        if !runs_with(code, block, self.routine) {
            return None;
        }
        let child = |node: &NodeIndex| {
            code.children(block)
                .into_iter()
                .find(|one| (*one..code.node(*one).subtree_end).contains(node))
        };
        let containing: Vec<NodeIndex> = self.nodes.iter().filter_map(child).collect();
        let mut range = (*containing.iter().min()?, *containing.iter().max()?);
        loop {
            let (first, last) = extend_to_sections(code, range);
            let extended = (first, last_dependent_statement(code, block, first, last));
            if extended == range {
                return Some(range);
            }
            range = extended;
        }
    }
}

/// Returns the object whose fields are accessed, if it is one object other than the current one.
fn accessed_object(context: &BugContext<'_>, locations: &[SourceLocation]) -> Option<String> {
    let object = |location: &SourceLocation| {
        let code = context.code(location.file);
        let access = field_access(context, location)?;
        let on = code.children(access).first().copied();
        let Some(on) = on.filter(|_| code.has_kind(access, NodeKind::MemberSelect)) else {
            return enclosing_object(context, location);
        };
        let text = code.source_text(on);
        (is_stable(context, code, on) && text != "this" && text != "super").then(|| text.to_owned())
    };
    let first = locations.first().and_then(object)?;
    locations.iter().all(|location| object(location).as_ref() == Some(&first)).then_some(first)
}

/// Returns true if an expression denotes the same object until it is assigned again. A lock on changing objects
/// excludes no other thread.
fn is_stable(context: &BugContext<'_>, code: &Code<'_>, object: NodeIndex) -> bool {
    if matches!(code.source_text(object), "this" | "super") {
        return true;
    }
    if !code.kind(object).is_name() {
        return false;
    }
    let holder = code.children(object).first().copied();
    let holder = holder.filter(|_| code.has_kind(object, NodeKind::MemberSelect));
    let Some(symbol) = code.node(object).symbol else { return false };
    let is_changed = context.uses(symbol).into_iter().any(|(file, node)| {
        let code = context.code(file);
        let is_in_constructor =
            enclosing_routine(code, node).is_none_or(|own| is_constructor(code, own));
        is_write(code, node) && !is_in_constructor
    });
    !is_changed && holder.is_none_or(|holder| is_stable(context, code, holder))
}

/// Returns the access to the field of an object.
fn field_access(context: &BugContext<'_>, location: &SourceLocation) -> Option<NodeIndex> {
    let code = context.code(location.file);
    let variable = location.variable.filter(|variable| !context.is_static(*variable))?;
    (location.node..code.node(location.node).subtree_end)
        .find(|id| code.node(*id).symbol == Some(variable))
}

/// Returns the enclosing instance that has the field, as in `Outer.this`.
fn enclosing_object(context: &BugContext<'_>, location: &SourceLocation) -> Option<String> {
    let code = context.code(location.file);
    let access =
        field_access(context, location).filter(|id| code.has_kind(*id, NodeKind::Identifier))?;
    let declared =
        context.declaration(location.variable?).filter(|(home, _)| *home == location.file)?;
    let holder = code.node(code.enclosing_type(declared.1)?).symbol?;
    // A class that inherits the field has its own copy of it.
    let has_field = |class: &NodeIndex| {
        code.is_type_declaration(*class)
            && code
                .node(*class)
                .symbol
                .is_some_and(|one| code.facts.supertypes_with_self(one).contains(&holder))
    };
    let class = code.self_and_ancestors(access).find(has_field)?;
    let name = code.symbol(class).map(|class| code.facts.text(class.name))?;
    let is_outer_class = code.enclosing_type(access) != Some(class);
    (is_outer_class && !name.is_empty()).then(|| format!("{name}.this"))
}

/// Extends statements to whole critical sections: each acquisition keeps its release.
fn extend_to_sections(
    code: &Code<'_>,
    (mut first, mut last): (NodeIndex, NodeIndex),
) -> (NodeIndex, NodeIndex) {
    let all = find_sections(code, code.parent(first));
    let find_cut_section = |first: NodeIndex, last: NodeIndex| {
        let meant = first..=last;
        all.iter().find(|one| meant.contains(&one.acquisition) != meant.contains(&one.release))
    };
    while let Some(cut) = find_cut_section(first, last) {
        (first, last) = (first.min(cut.acquisition), last.max(cut.release));
    }
    (first, last)
}

/// Returns the last statement of a block that uses declarations between `first` and `last`.
pub(crate) fn last_dependent_statement(
    code: &Code<'_>,
    block: NodeIndex,
    first: NodeIndex,
    last: NodeIndex,
) -> NodeIndex {
    let children = code.children(block);
    let mut end = last;
    for child in children.iter().copied().filter(|id| *id >= first) {
        let declared: Vec<SymbolId> = children
            .iter()
            .filter(|id| (first..=end).contains(*id) && code.has_kind(**id, NodeKind::Variable))
            .filter_map(|id| code.node(*id).symbol)
            .collect();
        let is_use =
            |id: NodeIndex| code.node(id).symbol.is_some_and(|one| declared.contains(&one));
        if child > end && (child..code.node(child).subtree_end).any(is_use) {
            end = child;
        }
    }
    end
}

/// Returns the region of a method, if the method reaches all accesses.
fn region_in_method(
    context: &BugContext<'_>,
    file: usize,
    method: NodeIndex,
    locations: &[SourceLocation],
    variable: Option<SymbolId>,
) -> Option<AtomicRegion> {
    let code = context.code(file);
    let (mut nodes, mut receivers) = (Vec::new(), Vec::new());
    for location in locations {
        if location.file == file && enclosing_routine(code, location.node) == Some(method) {
            nodes.push(location.node);
            receivers.push(enclosing_object(context, location));
            continue;
        }
        let own = enclosing_routine(context.code(location.file), location.node)?;
        let target = context.code(location.file).node(own).symbol?;
        let calls = |id: &NodeIndex| {
            let callee = code.child(*id, NodeRole::Callee);
            code.has_kind(*id, NodeKind::MethodInvocation)
                && callee.is_some_and(|callee| code.node(callee).symbol == Some(target))
                && runs_with(code, *id, method)
                && !nodes.contains(id)
        };
        let call = descendants(code, method).find(calls)?;
        nodes.push(call);
        let on = receiver(code, call).map(|on| code.source_text(on).to_owned());
        receivers
            .push(on.filter(|on| on != "this").or_else(|| enclosing_object(context, location)));
    }
    let object = receivers.first()?.clone();
    let is_single_object = receivers.iter().all(|one| *one == object);
    is_single_object.then_some(AtomicRegion { file, routine: method, nodes, object, variable })
}

/// Returns true if a method is the complete work of some thread: a method called `run`, one that a lambda only calls,
/// or a method reference.
fn is_thread_body(context: &BugContext<'_>, own: SymbolId) -> bool {
    let runs = context.main_files().any(|(_, code)| {
        let is_whole_task = |id: NodeIndex| match code.kind(id) {
            NodeKind::MemberReference => code.node(id).symbol == Some(own),
            NodeKind::MethodInvocation => {
                let callee = code.child(id, NodeRole::Callee);
                callee.is_some_and(|callee| code.node(callee).symbol == Some(own))
                    && is_lambda_body(code, id)
            }
            _ => false,
        };
        (0..code.tree.nodes.len()).any(is_whole_task)
    });
    runs || context
        .declaration(own)
        .is_some_and(|(file, _)| context.code(file).facts.name(own) == "run")
}

/// Returns true if a lambda is only a call.
fn is_lambda_body(code: &Code<'_>, call: NodeIndex) -> bool {
    let mut enclosing = code.self_and_ancestors(call).skip(1);
    let mut up = enclosing.next();
    if up.is_some_and(|id| code.has_kind(id, NodeKind::ExpressionStatement)) {
        up = enclosing.next();
        let is_one =
            up.is_some_and(|id| code.has_kind(id, NodeKind::Block) && code.children(id).len() == 1);
        up = enclosing.next().filter(|_| is_one);
    }
    up.is_some_and(|id| code.has_kind(id, NodeKind::LambdaExpression))
}

/// Returns the statement of a block that contains a node.
pub(crate) fn statement_in_block(code: &Code<'_>, node: NodeIndex) -> Option<NodeIndex> {
    enclosing_block(code, node).map(|(_, child)| child)
}
