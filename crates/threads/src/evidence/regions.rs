//! Atomic regions: the steps of one thread in a pattern, as statements of one routine.

use super::calls::{
    below, calls_below, is_constructor, is_run_with, is_written, listed, receiver, routine,
};
use super::locks::sections;
use crate::evidence::bug_context::{BugContext, LocatedPattern, SourceLocation};
use mend_java::Code;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole, SymbolId};

/// Calls that start threads, or give them tasks.
const STARTING: [&str; 7] =
    ["start", "submit", "execute", "invokeAll", "schedule", "runAsync", "supplyAsync"];

/// Statements that belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AtomicRegion {
    pub(crate) file: usize,
    /// The method or lambda.
    pub(crate) routine: NodeIndex,
    /// The nodes that are meant.
    pub(crate) nodes: Vec<NodeIndex>,
    /// The object that the accesses are made in, where that is not the routine's own.
    pub(crate) of: Option<String>,
    /// The variable that they are about.
    pub(crate) variable: Option<SymbolId>,
}

/// Splits a pattern into the steps of each thread.
pub(crate) fn threads(shown: &LocatedPattern<'_>) -> [Vec<SourceLocation>; 2] {
    let (order, letters) = shown.pattern.form.split_once(' ').unwrap_or(("", &shown.pattern.form));
    let is_second = |at: usize| match order.as_bytes().get(2 * at) {
        Some(who) => *who == b'b',
        None => at == 1,
    };
    let of = |second: bool| {
        let steps = shown.spots.iter().enumerate().take(letters.len());
        steps.filter(|(at, _)| is_second(*at) == second).map(|(_, spot)| *spot).collect()
    };
    [of(false), of(true)]
}

impl AtomicRegion {
    /// Returns the statements that contain all given accesses. If these are in several routines, the region is in a
    /// common caller. Tests have no regions.
    pub(crate) fn from_locations(scene: &BugContext<'_>, spots: &[SourceLocation]) -> Option<Self> {
        let first = spots.first()?;
        let variable = spots.iter().find_map(|spot| spot.variable);
        let own = |spot: &SourceLocation| {
            routine(scene.code(spot.file), spot.node).map(|at| (spot.file, at))
        };
        let home = own(first)?;
        let is_one = spots.iter().all(|spot| own(spot) == Some(home));
        if is_one && !scene.files[home.0].is_test {
            let nodes: Vec<NodeIndex> = spots.iter().map(|spot| spot.node).collect();
            let of = object_of(scene, spots);
            return Some(Self { file: home.0, routine: home.1, nodes, of, variable });
        }
        if is_one { None } else { Self::of_caller(scene, spots, variable) }
    }

    /// Returns the region in a routine that reaches all steps, directly or by a call.
    fn of_caller(
        scene: &BugContext<'_>,
        spots: &[SourceLocation],
        variable: Option<SymbolId>,
    ) -> Option<Self> {
        let found = scene.main().flat_map(|(file, code)| {
            let methods = code.nodes_of_kind(NodeKind::Method);
            methods.filter_map(move |method| caller(scene, file, method, spots, variable))
        });
        found.min_by_key(|region| {
            let code = scene.code(region.file);
            code.bytes(region.routine).len()
        })
    }

    /// Returns true if the routine has not started any thread yet when it reaches the region.
    pub(crate) fn is_before_threads(&self, scene: &BugContext<'_>) -> bool {
        let code = scene.code(self.file);
        let own = |id: &NodeIndex| is_run_with(code, *id, self.routine);
        let is_passed = |start: NodeIndex| {
            // What a loop starts has been started when it comes by again.
            let again = code.self_and_ancestors(start).take_while(|id| *id != self.routine);
            let start = again.filter(|id| code.is_loop(*id)).last().unwrap_or(start);
            self.nodes.iter().all(|node| *node < start)
        };
        let starts = calls_below(code, self.routine, &STARTING);
        let first = starts.into_iter().find(own);
        first.is_some_and(is_passed)
    }

    /// Returns true if the region is in a loop of a routine that is a thread's only work. A lock on the whole routine
    /// would block all other threads until it ends.
    pub(crate) fn is_in_a_threads_loop(&self, scene: &BugContext<'_>) -> bool {
        let code = scene.code(self.file);
        let is_looped = |node: &NodeIndex| {
            code.self_and_ancestors(*node)
                .take_while(|id| *id != self.routine)
                .any(|id| code.is_loop(id))
        };
        let symbol = code.node(self.routine).symbol;
        self.nodes.iter().any(is_looped) && symbol.is_some_and(|own| is_all_of_a_thread(scene, own))
    }

    /// Returns the first and the last statement of the region, in its innermost common block. The region extends to the
    /// last statement that uses its declared variables or releases its locks.
    pub(crate) fn statements(&self, code: &Code<'_>) -> Option<(NodeIndex, NodeIndex)> {
        let holds_all = |block: &NodeIndex| {
            let inside = below(code, *block);
            code.is(*block, NodeKind::Block) && self.nodes.iter().all(|node| inside.contains(node))
        };
        let block = code.self_and_ancestors(*self.nodes.first()?).skip(1).find(holds_all)?;
        if !is_run_with(code, block, self.routine) {
            return None;
        }
        let child = |node: &NodeIndex| {
            code.children(block).into_iter().find(|one| (*one..code.node(*one).end).contains(node))
        };
        let held: Vec<NodeIndex> = self.nodes.iter().filter_map(child).collect();
        let mut range = (*held.iter().min()?, *held.iter().max()?);
        loop {
            let (first, last) = whole_sections(code, range);
            let wider = (first, needed(code, block, first, last));
            if wider == range {
                return Some(range);
            }
            range = wider;
        }
    }
}

/// Returns the object whose fields are accessed, if it is one object other than the routine's own.
fn object_of(scene: &BugContext<'_>, spots: &[SourceLocation]) -> Option<String> {
    let object = |spot: &SourceLocation| {
        let code = scene.code(spot.file);
        let access = access(scene, spot)?;
        let on = code.children(access).first().copied();
        let Some(on) = on.filter(|_| code.is(access, NodeKind::MemberSelect)) else {
            return enclosing_object(scene, spot);
        };
        let text = code.written(on);
        (is_steady(scene, code, on) && text != "this" && text != "super").then(|| text.to_owned())
    };
    let first = spots.first().and_then(object)?;
    spots.iter().all(|spot| object(spot).as_ref() == Some(&first)).then_some(first)
}

/// Returns true if an expression always names the same object until it is assigned again. A lock on changing objects
/// excludes no other thread.
fn is_steady(scene: &BugContext<'_>, code: &Code<'_>, object: NodeIndex) -> bool {
    if matches!(code.written(object), "this" | "super") {
        return true;
    }
    if !code.kind(object).is_name() {
        return false;
    }
    let holder = code.children(object).first().copied();
    let holder = holder.filter(|_| code.is(object, NodeKind::MemberSelect));
    let Some(symbol) = code.node(object).symbol else { return false };
    let is_changed = scene.uses(symbol).into_iter().any(|(file, node)| {
        let code = scene.code(file);
        let is_made = routine(code, node).is_none_or(|own| is_constructor(code, own));
        is_written(code, node) && !is_made
    });
    !is_changed && holder.is_none_or(|holder| is_steady(scene, code, holder))
}

/// Returns the access to the field of an object.
fn access(scene: &BugContext<'_>, spot: &SourceLocation) -> Option<NodeIndex> {
    let code = scene.code(spot.file);
    let variable = spot.variable.filter(|variable| !scene.is_static(*variable))?;
    (spot.node..code.node(spot.node).end).find(|id| code.node(*id).symbol == Some(variable))
}

/// Returns the outer object of the routine's own, if that has the field.
fn enclosing_object(scene: &BugContext<'_>, spot: &SourceLocation) -> Option<String> {
    let code = scene.code(spot.file);
    let access = access(scene, spot).filter(|id| code.is(*id, NodeKind::Identifier))?;
    let declared = scene.declaration(spot.variable?).filter(|(home, _)| *home == spot.file)?;
    let holder = code.node(code.class_of(declared.1)?).symbol?;
    // A class that inherits the field has one of its own, wherever it stands.
    let has_field = |class: &NodeIndex| {
        code.is_type(*class)
            && code
                .node(*class)
                .symbol
                .is_some_and(|one| code.facts.supertypes_with_self(one).contains(&holder))
    };
    let class = code.self_and_ancestors(access).find(has_field)?;
    let name = code.symbol(class).map(|class| code.facts.text(class.name))?;
    let is_around = code.class_of(access) != Some(class);
    (is_around && !name.is_empty()).then(|| format!("{name}.this"))
}

/// Extends statements to whole critical sections: each acquisition keeps its release.
fn whole_sections(
    code: &Code<'_>,
    (mut first, mut last): (NodeIndex, NodeIndex),
) -> (NodeIndex, NodeIndex) {
    let all = sections(code, code.parent(first));
    let is_cut = |first: NodeIndex, last: NodeIndex| {
        let meant = first..=last;
        all.iter().find(|one| meant.contains(&one.taken) != meant.contains(&one.given))
    };
    while let Some(cut) = is_cut(first, last) {
        (first, last) = (first.min(cut.taken), last.max(cut.given));
    }
    (first, last)
}

/// Returns the last statement of a block that uses declarations between `first` and `last`.
pub(crate) fn needed(
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
            .filter(|id| (first..=end).contains(*id) && code.is(**id, NodeKind::Variable))
            .filter_map(|id| code.node(*id).symbol)
            .collect();
        let is_use =
            |id: NodeIndex| code.node(id).symbol.is_some_and(|one| declared.contains(&one));
        if child > end && (child..code.node(child).end).any(is_use) {
            end = child;
        }
    }
    end
}

/// Returns the region of a method, if the method reaches all accesses.
fn caller(
    scene: &BugContext<'_>,
    file: usize,
    method: NodeIndex,
    spots: &[SourceLocation],
    variable: Option<SymbolId>,
) -> Option<AtomicRegion> {
    let code = scene.code(file);
    let (mut nodes, mut receivers) = (Vec::new(), Vec::new());
    for spot in spots {
        if spot.file == file && routine(code, spot.node) == Some(method) {
            nodes.push(spot.node);
            receivers.push(enclosing_object(scene, spot));
            continue;
        }
        let own = routine(scene.code(spot.file), spot.node)?;
        let target = scene.code(spot.file).node(own).symbol?;
        let calls = |id: &NodeIndex| {
            let callee = code.child(*id, NodeRole::Callee);
            code.is(*id, NodeKind::MethodInvocation)
                && callee.is_some_and(|callee| code.node(callee).symbol == Some(target))
                && is_run_with(code, *id, method)
                && !nodes.contains(id)
        };
        let call = below(code, method).find(calls)?;
        nodes.push(call);
        let on = receiver(code, call).map(|on| code.written(on).to_owned());
        receivers.push(on.filter(|on| on != "this").or_else(|| enclosing_object(scene, spot)));
    }
    let of = receivers.first()?.clone();
    let is_one = receivers.iter().all(|one| *one == of);
    is_one.then_some(AtomicRegion { file, routine: method, nodes, of, variable })
}

/// Returns true if a method is the complete work of some thread: a method called `run`, one that a lambda only calls,
/// or a method reference.
fn is_all_of_a_thread(scene: &BugContext<'_>, own: SymbolId) -> bool {
    let runs = scene.main().any(|(_, code)| {
        let is_whole = |id: NodeIndex| match code.kind(id) {
            NodeKind::MemberReference => code.node(id).symbol == Some(own),
            NodeKind::MethodInvocation => {
                let callee = code.child(id, NodeRole::Callee);
                callee.is_some_and(|callee| code.node(callee).symbol == Some(own))
                    && is_all_of_a_lambda(code, id)
            }
            _ => false,
        };
        (0..code.tree.nodes.len()).any(is_whole)
    });
    runs || scene
        .declaration(own)
        .is_some_and(|(file, _)| scene.code(file).facts.name(own) == "run")
}

/// Returns true if a lambda is only a call.
fn is_all_of_a_lambda(code: &Code<'_>, call: NodeIndex) -> bool {
    let mut around = code.self_and_ancestors(call).skip(1);
    let mut up = around.next();
    if up.is_some_and(|id| code.is(id, NodeKind::ExpressionStatement)) {
        up = around.next();
        let is_one =
            up.is_some_and(|id| code.is(id, NodeKind::Block) && code.children(id).len() == 1);
        up = around.next().filter(|_| is_one);
    }
    up.is_some_and(|id| code.is(id, NodeKind::LambdaExpression))
}

/// Returns the statement of a block that contains a node.
pub(crate) fn in_list(code: &Code<'_>, node: NodeIndex) -> Option<NodeIndex> {
    listed(code, node).map(|(_, child)| child)
}
