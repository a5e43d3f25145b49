//! Control flow of a routine, by statement.

use crate::code::file::Code;
use crate::facts::{NodeIndex, NodeKind, NodeRole};
use std::collections::{HashMap, HashSet, VecDeque};

/// A point of the control flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ControlPoint {
    /// A statement; for a loop or a branch its condition. A `do` loop has its condition after the body.
    Statement(NodeIndex),
    /// Normal end of the routine, also by `return`.
    NormalExit,
    /// End of the routine by an exception.
    ExceptionalExit,
}

/// The reversed control-flow graph of one routine: the predecessors of each point.
#[derive(Debug, Default)]
pub struct ControlFlowGraph {
    /// The points from which control reaches each point directly.
    pub predecessors: HashMap<ControlPoint, HashSet<ControlPoint>>,
}

/// Returns the method, constructor, lambda or initialiser that contains a statement.
pub fn routine_of(code: &Code<'_>, id: NodeIndex) -> Option<NodeIndex> {
    code.self_and_ancestors(id).skip(1).find(|holder| {
        code.kind(*holder).is_routine()
            || code.is(*holder, NodeKind::Block) && code.role(*holder) == NodeRole::Member
    })
}

impl ControlFlowGraph {
    /// Builds the control flow of a routine. A lambda in it is a separate routine.
    pub fn from_routine(code: &Code<'_>, routine: NodeIndex) -> Self {
        let (flow, around, known) = (Self::default(), Vec::new(), HashMap::new());
        let mut walk = ControlFlowBuilder { code: *code, routine, flow, around, known };
        walk.part(code.child(routine, NodeRole::Body).unwrap_or(routine), ControlPoint::NormalExit);
        walk.flow
    }

    /// Returns the nearness of each place to the nearest target: 1 at a target, falling to 0 for the farthest place
    /// (`AutoFix`, section 4.2.1: control dependence). Places without a path to a target are missing.
    pub fn nearness(&self, to: &[ControlPoint]) -> HashMap<ControlPoint, f64> {
        let distances = self.distances(to);
        let most = distances.values().copied().max().unwrap_or(0).max(1);
        let share = |steps: u32| 1.0 - f64::from(steps) / f64::from(most);
        distances.into_iter().map(|(stop, steps)| (stop, share(steps))).collect()
    }

    /// Returns the minimum number of steps from each place to the nearest target.
    fn distances(&self, to: &[ControlPoint]) -> HashMap<ControlPoint, u32> {
        let mut known: HashMap<ControlPoint, u32> = to.iter().map(|stop| (*stop, 0)).collect();
        let mut waiting: VecDeque<(ControlPoint, u32)> = to.iter().map(|stop| (*stop, 0)).collect();
        while let Some((stop, steps)) = waiting.pop_front() {
            for predecessor in self.predecessors.get(&stop).into_iter().flatten() {
                if !known.contains_key(predecessor) {
                    known.insert(*predecessor, steps + 1);
                    waiting.push_back((*predecessor, steps + 1));
                }
            }
        }
        known
    }
}

/// An enclosing construct that determines the successors of jumps.
enum EnclosingConstruct {
    /// A loop, a switch or what has a label: where `break` leads, and `continue`.
    JumpTarget { label: Option<String>, out: ControlPoint, again: Option<ControlPoint> },
    /// A switch expression, with the points that use its value.
    SwitchExpression(Vec<ControlPoint>),
    /// Handlers that can catch an exception.
    Handlers(Vec<ControlPoint>),
    /// A `finally` block that runs on the way out.
    Finally(NodeIndex),
}

/// On the way through a routine, from its end to its beginning.
struct ControlFlowBuilder<'a> {
    code: Code<'a>,
    routine: NodeIndex,
    flow: ControlFlowGraph,
    /// The innermost last.
    around: Vec<EnclosingConstruct>,
    /// Start of each `finally` block, by its continuation.
    known: HashMap<(NodeIndex, ControlPoint), ControlPoint>,
}

impl ControlFlowBuilder<'_> {
    /// Returns the start of a block or statement whose successor is `next`.
    fn part(&mut self, id: NodeIndex, next: ControlPoint) -> ControlPoint {
        match self.code.kind(id) {
            NodeKind::Block => self.sequence(&self.code.children(id), next),
            _ if self.code.is_statement(id) => self.statement(id, next),
            _ => next,
        }
    }

    fn sequence(&mut self, ids: &[NodeIndex], next: ControlPoint) -> ControlPoint {
        ids.iter().rev().fold(next, |next, id| self.part(*id, next))
    }

    fn statement(&mut self, id: NodeIndex, next: ControlPoint) -> ControlPoint {
        let (here, kind) = (ControlPoint::Statement(id), self.code.kind(id));
        let mut after = match kind {
            NodeKind::If => {
                [NodeRole::Then, NodeRole::Else].map(|role| self.branch(id, role, next)).to_vec()
            }
            kind if kind.is_loop() => self.repeated(id, next),
            NodeKind::Switch => {
                let target = EnclosingConstruct::JumpTarget { label: None, out: next, again: None };
                self.inside(target, |walk| walk.cases(id, next))
            }
            NodeKind::LabeledStatement => vec![self.labelled(id, next)],
            NodeKind::Synchronized => vec![self.branch(id, NodeRole::Body, next)],
            NodeKind::Try => vec![self.attempt(id, next)],
            NodeKind::Return => vec![self.leaving(0, ControlPoint::NormalExit)],
            NodeKind::Throw => Vec::new(),
            NodeKind::Break | NodeKind::Continue | NodeKind::Yield => self.jump(id),
            _ => vec![next],
        };
        let switches = self.switches(id, &after, next);
        after.extend(switches);
        after.extend(self.thrown());
        for stop in after.iter().filter(|stop| **stop != ControlPoint::ExceptionalExit) {
            self.flow.predecessors.entry(*stop).or_default().insert(here);
        }
        // A `do` loop evaluates its condition after the body.
        if kind == NodeKind::DoWhileLoop { after[0] } else { here }
    }

    fn branch(&mut self, id: NodeIndex, role: NodeRole, next: ControlPoint) -> ControlPoint {
        self.code.child(id, role).map_or(next, |branch| self.part(branch, next))
    }

    fn inside<T>(&mut self, around: EnclosingConstruct, walk: impl FnOnce(&mut Self) -> T) -> T {
        self.around.push(around);
        let found = walk(self);
        self.around.pop();
        found
    }

    /// Returns the successors of a loop's head: its body, and the next statement if the loop ends.
    fn repeated(&mut self, id: NodeIndex, next: ControlPoint) -> Vec<ControlPoint> {
        let here = ControlPoint::Statement(id);
        let target = EnclosingConstruct::JumpTarget { label: None, out: next, again: Some(here) };
        let body = self.inside(target, |walk| walk.branch(id, NodeRole::Body, here));
        let condition = self.code.child(id, NodeRole::Condition).map(|one| self.code.written(one));
        let is_endless = match condition {
            Some(condition) => matches!(condition, "true" | "(true)"),
            None => self.code.is(id, NodeKind::ForLoop),
        };
        std::iter::once(body).chain((!is_endless).then_some(next)).collect()
    }

    /// Returns the starts of a switch's branches, and the next statement if there is no default branch.
    fn cases(&mut self, id: NodeIndex, next: ControlPoint) -> Vec<ControlPoint> {
        let code = self.code;
        let cases = code.children(id).into_iter().filter(|case| code.is(*case, NodeKind::Case));
        let (mut below, mut after) = (next, Vec::new());
        for case in cases.rev() {
            let parts = code.children(case);
            let leaves = parts.iter().any(|part| code.is_arrow_body(*part));
            below = self.sequence(&parts, if leaves { next } else { below });
            after.push(below);
        }
        let is_rest = |case: NodeIndex| code.written(case).starts_with("default");
        let has_rest = code.children(id).into_iter().any(is_rest);
        after.extend((!has_rest).then_some(next));
        after
    }

    /// Returns the starts of the switch expressions that a statement evaluates.
    fn switches(
        &mut self,
        id: NodeIndex,
        after: &[ControlPoint],
        next: ControlPoint,
    ) -> Vec<ControlPoint> {
        let code = self.code;
        let own = code.own_nodes(id).into_iter().filter(|one| {
            code.is(*one, NodeKind::SwitchExpression)
                && routine_of(&code, *one) == Some(self.routine)
        });
        let own: Vec<NodeIndex> = own.collect();
        let of = |one: NodeIndex| {
            self.inside(EnclosingConstruct::SwitchExpression(after.to_vec()), |walk| {
                walk.cases(one, next)
            })
        };
        own.into_iter().flat_map(of).collect()
    }

    fn labelled(&mut self, id: NodeIndex, next: ControlPoint) -> ControlPoint {
        let code = self.code;
        let Some(inner) = code.child(id, NodeRole::Body) else { return next };
        let label = code.written(id).split(':').next().map(|label| label.trim().to_owned());
        let again = code.is_loop(inner).then_some(ControlPoint::Statement(inner));
        self.inside(EnclosingConstruct::JumpTarget { label, out: next, again }, |walk| {
            walk.part(inner, next)
        })
    }

    fn attempt(&mut self, id: NodeIndex, next: ControlPoint) -> ControlPoint {
        let code = self.code;
        let finally = code.child(id, NodeRole::Finally);
        let next = finally.map_or(next, |block| self.finally(self.around.len(), block, next));
        let depth = self.around.len();
        self.around.extend(finally.map(EnclosingConstruct::Finally));
        let catches = code.children(id).into_iter().filter(|one| code.is(*one, NodeKind::Catch));
        let catches = catches.map(|one| self.branch(one, NodeRole::Body, next)).collect();
        let begin = self.inside(EnclosingConstruct::Handlers(catches), |walk| {
            walk.branch(id, NodeRole::Body, next)
        });
        self.around.truncate(depth);
        begin
    }

    /// Returns the handlers that can catch an exception thrown here: all enclosing ones, as the analysis ignores
    /// exception types.
    fn thrown(&mut self) -> Vec<ControlPoint> {
        let catches = |(depth, around): (usize, &EnclosingConstruct)| match around {
            EnclosingConstruct::Handlers(stops) => Some((depth + 1, stops.clone())),
            _ => None,
        };
        let all: Vec<_> = self.around.iter().enumerate().filter_map(catches).collect();
        let outside = (0, vec![ControlPoint::ExceptionalExit]);
        let mut found = Vec::new();
        for (depth, stops) in all.into_iter().chain([outside]) {
            found.extend(stops.into_iter().map(|stop| self.leaving(depth, stop)));
        }
        found
    }

    /// Returns the target of a `break`, `continue` or `yield`.
    fn jump(&mut self, id: NodeIndex) -> Vec<ControlPoint> {
        let kind = self.code.kind(id);
        let words = self.code.written(id).trim_end_matches(';').split_whitespace();
        let named = words.skip(1).last();
        let stops = |around: &EnclosingConstruct| match (kind, around) {
            (NodeKind::Yield, EnclosingConstruct::SwitchExpression(stops)) => Some(stops.clone()),
            (NodeKind::Break, EnclosingConstruct::JumpTarget { label, out, .. })
                if label.as_deref() == named =>
            {
                Some(vec![*out])
            }
            (
                NodeKind::Continue,
                EnclosingConstruct::JumpTarget { label, again: Some(again), .. },
            ) if label.as_deref() == named => Some(vec![*again]),
            _ => None,
        };
        let around = self.around.iter().enumerate().rev();
        let Some((depth, stops)) =
            around.into_iter().find_map(|(depth, around)| Some((depth, stops(around)?)))
        else {
            return Vec::new();
        };
        stops.into_iter().map(|stop| self.leaving(depth, stop)).collect()
    }

    /// Returns the first stop of a jump out of all constructs from a depth on: the `finally` blocks on the way come
    /// first.
    fn leaving(&mut self, depth: usize, to: ControlPoint) -> ControlPoint {
        let blocks = self.around.iter().enumerate().skip(depth);
        let blocks = blocks.filter_map(|(at, around)| match around {
            EnclosingConstruct::Finally(block) => Some((at, *block)),
            _ => None,
        });
        let blocks: Vec<_> = blocks.collect();
        blocks.into_iter().fold(to, |next, (at, block)| self.finally(at, block, next))
    }

    /// Returns the start of a `finally` block at a depth that leads to `next`.
    fn finally(&mut self, depth: usize, block: NodeIndex, next: ControlPoint) -> ControlPoint {
        if let Some(known) = self.known.get(&(block, next)) {
            return *known;
        }
        let inner = self.around.split_off(depth);
        let begin = self.part(block, next);
        self.around.extend(inner);
        self.known.insert((block, next), begin);
        begin
    }
}
