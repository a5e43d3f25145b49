//! Control flow graph of a routine, by statement.

use crate::code::file::Code;
use crate::facts::{NodeIndex, NodeKind, NodeRole};
use std::collections::{HashMap, HashSet, VecDeque};

/// Node of the control flow graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ControlPoint {
    /// A statement; for a loop or a branch, its condition. A `do` loop evaluates its condition after the body.
    Statement(NodeIndex),
    /// Normal end of the routine, also by `return`.
    NormalExit,
    /// End of the routine by an exception.
    ExceptionalExit,
}

/// Reversed control flow graph of one routine: the predecessors of each node.
#[derive(Debug, Default)]
pub struct ControlFlowGraph {
    /// Nodes from which control reaches each node directly.
    pub predecessors: HashMap<ControlPoint, HashSet<ControlPoint>>,
}

/// Returns the method, constructor, lambda or initialiser that contains a statement.
pub fn enclosing_routine(code: &Code<'_>, id: NodeIndex) -> Option<NodeIndex> {
    code.self_and_ancestors(id).skip(1).find(|holder| {
        code.kind(*holder).is_routine()
            || code.has_kind(*holder, NodeKind::Block) && code.role(*holder) == NodeRole::Member
    })
}

impl ControlFlowGraph {
    /// Builds the graph of a routine. A lambda in it is a separate routine.
    pub fn from_routine(code: &Code<'_>, routine: NodeIndex) -> Self {
        let (graph, enclosing, finally_starts) = (Self::default(), Vec::new(), HashMap::new());
        let mut builder =
            ControlFlowBuilder { code: *code, routine, graph, enclosing, finally_starts };
        builder.build_node(
            code.child(routine, NodeRole::Body).unwrap_or(routine),
            ControlPoint::NormalExit,
        );
        builder.graph
    }

    /// Returns the nearness of each node to the nearest target: 1 at a target, falling to 0 for the farthest node
    /// (`AutoFix`, section 4.2.1: control dependence). Nodes without a path to a target are missing.
    pub fn nearness(&self, targets: &[ControlPoint]) -> HashMap<ControlPoint, f64> {
        let distances = self.distances_to(targets);
        let max_distance = distances.values().copied().max().unwrap_or(0).max(1);
        let share = |steps: u32| 1.0 - f64::from(steps) / f64::from(max_distance);
        distances.into_iter().map(|(stop, steps)| (stop, share(steps))).collect()
    }

    /// Returns the minimum number of steps from each node to the nearest target.
    fn distances_to(&self, targets: &[ControlPoint]) -> HashMap<ControlPoint, u32> {
        let mut steps_by_point: HashMap<ControlPoint, u32> =
            targets.iter().map(|point| (*point, 0)).collect();
        let mut queue: VecDeque<(ControlPoint, u32)> =
            targets.iter().map(|point| (*point, 0)).collect();
        while let Some((point, steps)) = queue.pop_front() {
            for predecessor in self.predecessors.get(&point).into_iter().flatten() {
                if !steps_by_point.contains_key(predecessor) {
                    steps_by_point.insert(*predecessor, steps + 1);
                    queue.push_back((*predecessor, steps + 1));
                }
            }
        }
        steps_by_point
    }
}

/// An enclosing construct that determines the successors of jumps.
enum EnclosingConstruct {
    /// A loop, a switch or a labelled statement, with the targets of `break` and `continue`.
    JumpTarget {
        label: Option<String>,
        break_target: ControlPoint,
        continue_target: Option<ControlPoint>,
    },
    /// A switch expression, with the nodes that use its value.
    SwitchExpression(Vec<ControlPoint>),
    /// Handlers that can catch an exception.
    Handlers(Vec<ControlPoint>),
    /// A `finally` block that runs before control leaves it.
    Finally(NodeIndex),
}

/// Builder of the graph, from the end of a routine to its beginning.
struct ControlFlowBuilder<'a> {
    code: Code<'a>,
    routine: NodeIndex,
    graph: ControlFlowGraph,
    /// Enclosing constructs, the innermost last.
    enclosing: Vec<EnclosingConstruct>,
    /// Start of each `finally` block, by its continuation.
    finally_starts: HashMap<(NodeIndex, ControlPoint), ControlPoint>,
}

impl ControlFlowBuilder<'_> {
    /// Returns the start of a block or statement whose successor is `next`.
    fn build_node(&mut self, id: NodeIndex, next: ControlPoint) -> ControlPoint {
        match self.code.kind(id) {
            NodeKind::Block => self.build_sequence(&self.code.children(id), next),
            _ if self.code.is_statement(id) => self.build_statement(id, next),
            _ => next,
        }
    }

    fn build_sequence(&mut self, ids: &[NodeIndex], next: ControlPoint) -> ControlPoint {
        ids.iter().rev().fold(next, |next, id| self.build_node(*id, next))
    }

    fn build_statement(&mut self, id: NodeIndex, next: ControlPoint) -> ControlPoint {
        let (point, kind) = (ControlPoint::Statement(id), self.code.kind(id));
        let mut successors = match kind {
            NodeKind::If => [NodeRole::Then, NodeRole::Else]
                .map(|role| self.build_branch(id, role, next))
                .to_vec(),
            kind if kind.is_loop() => self.build_loop(id, next),
            NodeKind::Switch => {
                let target = EnclosingConstruct::JumpTarget {
                    label: None,
                    break_target: next,
                    continue_target: None,
                };
                self.with_enclosing(target, |walk| walk.build_switch_cases(id, next))
            }
            NodeKind::LabeledStatement => vec![self.build_labelled_statement(id, next)],
            NodeKind::Synchronized => vec![self.build_branch(id, NodeRole::Body, next)],
            NodeKind::Try => vec![self.build_try(id, next)],
            NodeKind::Return => vec![self.route_through_finally(0, ControlPoint::NormalExit)],
            NodeKind::Throw => Vec::new(),
            NodeKind::Break | NodeKind::Continue | NodeKind::Yield => self.jump_targets(id),
            _ => vec![next],
        };
        let switches = self.build_switch_expressions(id, &successors, next);
        successors.extend(switches);
        successors.extend(self.exception_targets());
        for successor in
            successors.iter().filter(|successor| **successor != ControlPoint::ExceptionalExit)
        {
            self.graph.predecessors.entry(*successor).or_default().insert(point);
        }
        // A `do` loop evaluates its condition after the body.
        if kind == NodeKind::DoWhileLoop { successors[0] } else { point }
    }

    fn build_branch(&mut self, id: NodeIndex, role: NodeRole, next: ControlPoint) -> ControlPoint {
        self.code.child(id, role).map_or(next, |branch| self.build_node(branch, next))
    }

    fn with_enclosing<T>(
        &mut self,
        construct: EnclosingConstruct,
        build: impl FnOnce(&mut Self) -> T,
    ) -> T {
        self.enclosing.push(construct);
        let result = build(self);
        self.enclosing.pop();
        result
    }

    /// Returns the successors of a loop's head: its body, and the next statement if the loop ends.
    fn build_loop(&mut self, id: NodeIndex, next: ControlPoint) -> Vec<ControlPoint> {
        let loop_head = ControlPoint::Statement(id);
        let target = EnclosingConstruct::JumpTarget {
            label: None,
            break_target: next,
            continue_target: Some(loop_head),
        };
        let body =
            self.with_enclosing(target, |walk| walk.build_branch(id, NodeRole::Body, loop_head));
        let condition =
            self.code.child(id, NodeRole::Condition).map(|one| self.code.source_text(one));
        let is_endless = match condition {
            Some(condition) => matches!(condition, "true" | "(true)"),
            None => self.code.has_kind(id, NodeKind::ForLoop),
        };
        std::iter::once(body).chain((!is_endless).then_some(next)).collect()
    }

    /// Returns the starts of a switch's branches, and the next statement if there is no default branch.
    fn build_switch_cases(&mut self, id: NodeIndex, next: ControlPoint) -> Vec<ControlPoint> {
        let code = self.code;
        let cases =
            code.children(id).into_iter().filter(|case| code.has_kind(*case, NodeKind::Case));
        let (mut following_case, mut case_starts) = (next, Vec::new());
        for case in cases.rev() {
            let case_children = code.children(case);
            let is_arrow = case_children.iter().any(|part| code.is_arrow_body(*part));
            following_case =
                self.build_sequence(&case_children, if is_arrow { next } else { following_case });
            case_starts.push(following_case);
        }
        let is_default = |case: NodeIndex| code.source_text(case).starts_with("default");
        let has_default = code.children(id).into_iter().any(is_default);
        case_starts.extend((!has_default).then_some(next));
        case_starts
    }

    /// Returns the starts of the switch expressions that a statement evaluates.
    fn build_switch_expressions(
        &mut self,
        id: NodeIndex,
        successors: &[ControlPoint],
        next: ControlPoint,
    ) -> Vec<ControlPoint> {
        let code = self.code;
        let switch_expressions = code.own_nodes(id).into_iter().filter(|one| {
            code.has_kind(*one, NodeKind::SwitchExpression)
                && enclosing_routine(&code, *one) == Some(self.routine)
        });
        let switch_expressions: Vec<NodeIndex> = switch_expressions.collect();
        let build = |one: NodeIndex| {
            self.with_enclosing(EnclosingConstruct::SwitchExpression(successors.to_vec()), |walk| {
                walk.build_switch_cases(one, next)
            })
        };
        switch_expressions.into_iter().flat_map(build).collect()
    }

    fn build_labelled_statement(&mut self, id: NodeIndex, next: ControlPoint) -> ControlPoint {
        let code = self.code;
        let Some(inner) = code.child(id, NodeRole::Body) else { return next };
        let label = code.source_text(id).split(':').next().map(|label| label.trim().to_owned());
        let continue_target = code.is_loop(inner).then_some(ControlPoint::Statement(inner));
        self.with_enclosing(
            EnclosingConstruct::JumpTarget { label, break_target: next, continue_target },
            |walk| walk.build_node(inner, next),
        )
    }

    fn build_try(&mut self, id: NodeIndex, next: ControlPoint) -> ControlPoint {
        let code = self.code;
        let finally = code.child(id, NodeRole::Finally);
        let next =
            finally.map_or(next, |block| self.build_finally(self.enclosing.len(), block, next));
        let depth = self.enclosing.len();
        self.enclosing.extend(finally.map(EnclosingConstruct::Finally));
        let catches =
            code.children(id).into_iter().filter(|one| code.has_kind(*one, NodeKind::Catch));
        let catches = catches.map(|one| self.build_branch(one, NodeRole::Body, next)).collect();
        let start = self.with_enclosing(EnclosingConstruct::Handlers(catches), |walk| {
            walk.build_branch(id, NodeRole::Body, next)
        });
        self.enclosing.truncate(depth);
        start
    }

    /// Returns the handlers that can catch an exception thrown here: all enclosing ones, as the analysis ignores
    /// exception types.
    fn exception_targets(&mut self) -> Vec<ControlPoint> {
        let catches = |(depth, around): (usize, &EnclosingConstruct)| match around {
            EnclosingConstruct::Handlers(targets_at_depth) => {
                Some((depth + 1, targets_at_depth.clone()))
            }
            _ => None,
        };
        let enclosing_handlers: Vec<_> =
            self.enclosing.iter().enumerate().filter_map(catches).collect();
        let exceptional_exit = (0, vec![ControlPoint::ExceptionalExit]);
        let mut targets = Vec::new();
        for (depth, targets_at_depth) in enclosing_handlers.into_iter().chain([exceptional_exit]) {
            targets.extend(
                targets_at_depth.into_iter().map(|stop| self.route_through_finally(depth, stop)),
            );
        }
        targets
    }

    /// Returns the target of a `break`, `continue` or `yield`.
    fn jump_targets(&mut self, id: NodeIndex) -> Vec<ControlPoint> {
        let kind = self.code.kind(id);
        let tokens = self.code.source_text(id).trim_end_matches(';').split_whitespace();
        let jump_label = tokens.skip(1).last();
        let targets_of = |construct: &EnclosingConstruct| match (kind, construct) {
            (NodeKind::Yield, EnclosingConstruct::SwitchExpression(targets)) => {
                Some(targets.clone())
            }
            (NodeKind::Break, EnclosingConstruct::JumpTarget { label, break_target: out, .. })
                if label.as_deref() == jump_label =>
            {
                Some(vec![*out])
            }
            (
                NodeKind::Continue,
                EnclosingConstruct::JumpTarget { label, continue_target: Some(again), .. },
            ) if label.as_deref() == jump_label => Some(vec![*again]),
            _ => None,
        };
        let enclosing_constructs = self.enclosing.iter().enumerate().rev();
        let Some((depth, targets)) = enclosing_constructs
            .into_iter()
            .find_map(|(depth, construct)| Some((depth, targets_of(construct)?)))
        else {
            return Vec::new();
        };
        targets.into_iter().map(|stop| self.route_through_finally(depth, stop)).collect()
    }

    /// Returns the first node of a jump that leaves all constructs from a depth on: the `finally` blocks run first.
    fn route_through_finally(&mut self, depth: usize, target: ControlPoint) -> ControlPoint {
        let blocks = self.enclosing.iter().enumerate().skip(depth);
        let blocks = blocks.filter_map(|(at, around)| match around {
            EnclosingConstruct::Finally(block) => Some((at, *block)),
            _ => None,
        });
        let blocks: Vec<_> = blocks.collect();
        blocks.into_iter().fold(target, |next, (at, block)| self.build_finally(at, block, next))
    }

    /// Returns the start of a `finally` block at a depth that leads to `next`.
    fn build_finally(
        &mut self,
        depth: usize,
        block: NodeIndex,
        next: ControlPoint,
    ) -> ControlPoint {
        if let Some(start) = self.finally_starts.get(&(block, next)) {
            return *start;
        }
        let inner_constructs = self.enclosing.split_off(depth);
        let begin = self.build_node(block, next);
        self.enclosing.extend(inner_constructs);
        self.finally_starts.insert((block, next), begin);
        begin
    }
}
