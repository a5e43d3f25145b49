//! Control flow of a routine, by statement.

use super::code::Code;
use crate::facts::{NodeIndex, Role};
use std::collections::{HashMap, HashSet, VecDeque};

/// A point of the control flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Stop {
    /// A statement; for a loop or a branch its condition. A `do` loop has its condition after the body.
    At(NodeIndex),
    /// Normal end of the routine, also by `return`.
    End,
    /// End of the routine by an exception.
    Thrown,
}

/// The reversed control-flow graph of one routine: the predecessors of each point.
#[derive(Debug, Default)]
pub(super) struct Flow {
    before: HashMap<Stop, HashSet<Stop>>,
}

/// Returns the method, constructor, lambda or initialiser that contains a statement.
pub(super) fn routine_of(code: &Code<'_>, id: NodeIndex) -> Option<NodeIndex> {
    code.around(id).skip(1).find(|holder| {
        matches!(code.kind(*holder), "METHOD" | "LAMBDA_EXPRESSION")
            || code.is(*holder, "BLOCK") && code.role(*holder) == Role::Member
    })
}

impl Flow {
    /// Builds the control flow of a routine. A lambda in it is a separate routine.
    pub(super) fn of(code: &Code<'_>, routine: NodeIndex) -> Self {
        let (flow, around, known) = (Self::default(), Vec::new(), HashMap::new());
        let mut walk = Walk { code: *code, routine, flow, around, known };
        walk.part(code.child(routine, Role::Body).unwrap_or(routine), Stop::End);
        walk.flow
    }

    /// Returns the nearness of each place to the nearest target: 1 at a target, falling to 0 for the farthest place
    /// (`AutoFix`, section 4.2.1: control dependence). Places without a path to a target are missing.
    pub(super) fn nearness(&self, to: &[Stop]) -> HashMap<Stop, f64> {
        let distances = self.distances(to);
        let most = distances.values().copied().max().unwrap_or(0).max(1);
        let share = |steps: u32| 1.0 - f64::from(steps) / f64::from(most);
        distances.into_iter().map(|(stop, steps)| (stop, share(steps))).collect()
    }

    /// Returns the minimum number of steps from each place to the nearest target.
    fn distances(&self, to: &[Stop]) -> HashMap<Stop, u32> {
        let mut known: HashMap<Stop, u32> = to.iter().map(|stop| (*stop, 0)).collect();
        let mut waiting: VecDeque<(Stop, u32)> = to.iter().map(|stop| (*stop, 0)).collect();
        while let Some((stop, steps)) = waiting.pop_front() {
            for before in self.before.get(&stop).into_iter().flatten() {
                if !known.contains_key(before) {
                    known.insert(*before, steps + 1);
                    waiting.push_back((*before, steps + 1));
                }
            }
        }
        known
    }
}

/// An enclosing construct that determines the successors of jumps.
enum Around {
    /// A loop, a switch or what has a label: where `break` leads, and `continue`.
    Target { label: Option<String>, out: Stop, again: Option<Stop> },
    /// A switch expression, with the points that use its value.
    Value(Vec<Stop>),
    /// Handlers that can catch an exception.
    Catches(Vec<Stop>),
    /// A `finally` block that runs on the way out.
    Finally(NodeIndex),
}

/// On the way through a routine, from its end to its beginning.
struct Walk<'a> {
    code: Code<'a>,
    routine: NodeIndex,
    flow: Flow,
    /// The innermost last.
    around: Vec<Around>,
    /// Start of each `finally` block, by its continuation.
    known: HashMap<(NodeIndex, Stop), Stop>,
}

impl Walk<'_> {
    /// Returns the start of a block or statement whose successor is `next`.
    fn part(&mut self, id: NodeIndex, next: Stop) -> Stop {
        match self.code.kind(id) {
            "BLOCK" => self.sequence(&self.code.children(id), next),
            _ if self.code.is_statement(id) => self.statement(id, next),
            _ => next,
        }
    }

    fn sequence(&mut self, ids: &[NodeIndex], next: Stop) -> Stop {
        ids.iter().rev().fold(next, |next, id| self.part(*id, next))
    }

    fn statement(&mut self, id: NodeIndex, next: Stop) -> Stop {
        let (here, kind) = (Stop::At(id), self.code.kind(id));
        let mut after = match kind {
            "IF" => [Role::Then, Role::Else].map(|role| self.branch(id, role, next)).to_vec(),
            "WHILE_LOOP" | "FOR_LOOP" | "ENHANCED_FOR_LOOP" | "DO_WHILE_LOOP" => {
                self.repeated(id, next)
            }
            "SWITCH" => {
                let target = Around::Target { label: None, out: next, again: None };
                self.inside(target, |walk| walk.cases(id, next))
            }
            "LABELED_STATEMENT" => vec![self.labelled(id, next)],
            "SYNCHRONIZED" => vec![self.branch(id, Role::Body, next)],
            "TRY" => vec![self.attempt(id, next)],
            "RETURN" => vec![self.leaving(0, Stop::End)],
            "THROW" => Vec::new(),
            "BREAK" | "CONTINUE" | "YIELD" => self.jump(id),
            _ => vec![next],
        };
        let switches = self.switches(id, &after, next);
        after.extend(switches);
        after.extend(self.thrown());
        for stop in after.iter().filter(|stop| **stop != Stop::Thrown) {
            self.flow.before.entry(*stop).or_default().insert(here);
        }
        // A `do` loop evaluates its condition after the body.
        if kind == "DO_WHILE_LOOP" { after[0] } else { here }
    }

    fn branch(&mut self, id: NodeIndex, role: Role, next: Stop) -> Stop {
        self.code.child(id, role).map_or(next, |branch| self.part(branch, next))
    }

    fn inside<T>(&mut self, around: Around, walk: impl FnOnce(&mut Self) -> T) -> T {
        self.around.push(around);
        let found = walk(self);
        self.around.pop();
        found
    }

    /// Returns the successors of a loop's head: its body, and the next statement if the loop ends.
    fn repeated(&mut self, id: NodeIndex, next: Stop) -> Vec<Stop> {
        let here = Stop::At(id);
        let target = Around::Target { label: None, out: next, again: Some(here) };
        let body = self.inside(target, |walk| walk.branch(id, Role::Body, here));
        let condition = self.code.child(id, Role::Condition).map(|one| self.code.written(one));
        let is_endless = match condition {
            Some(condition) => matches!(condition, "true" | "(true)"),
            None => self.code.is(id, "FOR_LOOP"),
        };
        std::iter::once(body).chain((!is_endless).then_some(next)).collect()
    }

    /// Returns the starts of a switch's branches, and the next statement if there is no default branch.
    fn cases(&mut self, id: NodeIndex, next: Stop) -> Vec<Stop> {
        let code = self.code;
        let cases = code.children(id).into_iter().filter(|case| code.is(*case, "CASE"));
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
    fn switches(&mut self, id: NodeIndex, after: &[Stop], next: Stop) -> Vec<Stop> {
        let code = self.code;
        let own = code.own_nodes(id).into_iter().filter(|one| {
            code.is(*one, "SWITCH_EXPRESSION") && routine_of(&code, *one) == Some(self.routine)
        });
        let own: Vec<NodeIndex> = own.collect();
        let of = |one: NodeIndex| {
            self.inside(Around::Value(after.to_vec()), |walk| walk.cases(one, next))
        };
        own.into_iter().flat_map(of).collect()
    }

    fn labelled(&mut self, id: NodeIndex, next: Stop) -> Stop {
        let code = self.code;
        let Some(inner) = code.child(id, Role::Body) else { return next };
        let label = code.written(id).split(':').next().map(|label| label.trim().to_owned());
        let again = code.is_loop(inner).then_some(Stop::At(inner));
        self.inside(Around::Target { label, out: next, again }, |walk| walk.part(inner, next))
    }

    fn attempt(&mut self, id: NodeIndex, next: Stop) -> Stop {
        let code = self.code;
        let finally = code.child(id, Role::Finally);
        let next = finally.map_or(next, |block| self.finally(self.around.len(), block, next));
        let depth = self.around.len();
        self.around.extend(finally.map(Around::Finally));
        let catches = code.children(id).into_iter().filter(|one| code.is(*one, "CATCH"));
        let catches = catches.map(|one| self.branch(one, Role::Body, next)).collect();
        let begin = self.inside(Around::Catches(catches), |walk| walk.branch(id, Role::Body, next));
        self.around.truncate(depth);
        begin
    }

    /// Returns the handlers that can catch an exception thrown here: all enclosing ones, as the analysis ignores
    /// exception types.
    fn thrown(&mut self) -> Vec<Stop> {
        let catches = |(depth, around): (usize, &Around)| match around {
            Around::Catches(stops) => Some((depth + 1, stops.clone())),
            _ => None,
        };
        let all: Vec<_> = self.around.iter().enumerate().filter_map(catches).collect();
        let outside = (0, vec![Stop::Thrown]);
        let mut found = Vec::new();
        for (depth, stops) in all.into_iter().chain([outside]) {
            found.extend(stops.into_iter().map(|stop| self.leaving(depth, stop)));
        }
        found
    }

    /// Returns the target of a `break`, `continue` or `yield`.
    fn jump(&mut self, id: NodeIndex) -> Vec<Stop> {
        let kind = self.code.kind(id);
        let words = self.code.written(id).trim_end_matches(';').split_whitespace();
        let named = words.skip(1).last();
        let stops = |around: &Around| match (kind, around) {
            ("YIELD", Around::Value(stops)) => Some(stops.clone()),
            ("BREAK", Around::Target { label, out, .. }) if label.as_deref() == named => {
                Some(vec![*out])
            }
            ("CONTINUE", Around::Target { label, again: Some(again), .. })
                if label.as_deref() == named =>
            {
                Some(vec![*again])
            }
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
    fn leaving(&mut self, depth: usize, to: Stop) -> Stop {
        let blocks = self.around.iter().enumerate().skip(depth);
        let blocks = blocks.filter_map(|(at, around)| match around {
            Around::Finally(block) => Some((at, *block)),
            _ => None,
        });
        let blocks: Vec<_> = blocks.collect();
        blocks.into_iter().fold(to, |next, (at, block)| self.finally(at, block, next))
    }

    /// Returns the start of a `finally` block at a depth that leads to `next`.
    fn finally(&mut self, depth: usize, block: NodeIndex, next: Stop) -> Stop {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::facts_testing::{facts, server, sources};
    use crate::model::RepoPath;

    facts! {
        control_flows_as_java_says:
        one_statement_follows_another,
        a_branch_is_taken_or_not,
        a_loop_comes_back_to_its_head,
        a_do_loop_asks_behind_its_body,
        a_loop_that_asks_nothing_is_only_left,
        a_label_says_which_loop_is_meant,
        a_case_falls_through_and_an_arrow_does_not,
        a_switch_gives_its_value_to_what_uses_it,
        what_is_thrown_may_be_caught,
        what_leaves_goes_through_finally,
        a_lambda_is_another_routine,
    }

    /// Returns each step of a routine, by the first letters of its statements; `.` is its end. A statement is named
    /// after the method that it calls, others after their first letter.
    fn steps(body: &str) -> String {
        let text = format!(
            "class A {{ boolean p; int i; void a() {{}} void b() {{}} void c() {{}} void d() {{}} void e() {{}} \
             int f() {{ {body} }} }}"
        );
        let facts = server().facts(&sources(&[("A.java", &text)])).unwrap();
        let path = RepoPath::from("A.java");
        let code = Code::new(&facts, &path, text.as_bytes()).unwrap();
        let is_meant =
            |id: &NodeIndex| code.is(*id, "METHOD") && code.written(*id).starts_with("int f()");
        let routine = (0..code.tree.nodes.len()).find(is_meant).unwrap();
        let flow = Flow::of(&code, routine);
        let name = |stop: &Stop| match stop {
            Stop::At(id) => code.written(*id)[..1].to_owned(),
            Stop::End => ".".to_owned(),
            Stop::Thrown => "!".to_owned(),
        };
        let of = |(to, from): (&Stop, &HashSet<Stop>)| {
            from.iter().map(|from| format!("{}{}", name(from), name(to))).collect::<Vec<_>>()
        };
        let mut steps: Vec<String> = flow.before.iter().flat_map(of).collect();
        steps.sort();
        steps.join(" ")
    }

    fn one_statement_follows_another() {
        assert_eq!(steps("a(); { b(); } c(); return i;"), "ab bc cr r.");
    }

    fn a_branch_is_taken_or_not() {
        assert_eq!(steps("if (p) a(); else { b(); } c(); throw null;"), "ac bc ct ia ib");
        assert_eq!(steps("if (p) { return i; } c(); throw null;"), "ct ic ir r.");
    }

    fn a_loop_comes_back_to_its_head() {
        let body = "while (p) { a(); if (p) continue; b(); } d(); throw null;";
        assert_eq!(steps(body), "ai bw cw dt ib ic wa wd");
        let body = "for (int x = 0; x < 9; x++) { a(); if (p) break; } d(); throw null;";
        assert_eq!(steps(body), "ai bd dt fa fd ib if");
        assert_eq!(steps("for (int x : new int[1]) { a(); } throw null;"), "af fa ft");
    }

    fn a_do_loop_asks_behind_its_body() {
        assert_eq!(steps("a(); do { b(); c(); } while (p); throw null;"), "ab bc cd db dt");
    }

    fn a_loop_that_asks_nothing_is_only_left() {
        assert_eq!(steps("while (true) { a(); if (p) return i; }"), "ai ir iw r. wa");
        assert_eq!(steps("for (;;) { a(); if (p) break; } throw null;"), "ai bt fa ib if");
    }

    fn a_label_says_which_loop_is_meant() {
        let body = "x: for (;;) { while (p) { if (p) break x; continue x; } } throw null;";
        assert_eq!(steps(body), "bt cf fw ib ic wf wi xf");
        assert_eq!(steps("x: { a(); if (p) break x; d(); } throw null;"), "ai bt dt ib id xa");
    }

    fn a_case_falls_through_and_an_arrow_does_not() {
        let body = "switch (i) { case 1: a(); case 2: d(); break; case 3: e(); } throw null;";
        assert_eq!(steps(body), "ad bt db et sa sd se st");
        let body =
            "switch (i) { case 1 -> a(); case 2 -> { d(); break; } default -> e(); } throw null;";
        assert_eq!(steps(body), "at bt db et sa sd se");
    }

    fn a_switch_gives_its_value_to_what_uses_it() {
        let body = "i = switch (i) { case 1: a(); yield 2; default: yield 3; }; throw null;";
        assert_eq!(steps(body), "ay ia it iy yt yt");
    }

    fn what_is_thrown_may_be_caught() {
        let body = "try { a(); throw null; } catch (RuntimeException x) { b(); } c(); throw null;";
        assert_eq!(steps(body), "ab at bc ct ta tb");
    }

    fn what_leaves_goes_through_finally() {
        let body = "try { if (p) return i; a(); } finally { b(); } c(); throw null;";
        assert_eq!(steps(body), "ab b. bc ct ia ib ir rb ti");
    }

    fn a_lambda_is_another_routine() {
        assert_eq!(steps("Runnable r = () -> { a(); }; b(); throw null;"), "Rb bt");
    }

    #[test]
    fn nearness_falls_with_each_step_and_ends_at_the_farthest_place() {
        let at = Stop::At;
        let before =
            [(at(2), at(1)), (at(3), at(2)), (at(3), at(1)), (at(4), at(3)), (at(9), at(3))];
        let mut flow = Flow::default();
        for (to, from) in before {
            flow.before.entry(to).or_default().insert(from);
        }
        let near = flow.nearness(&[at(4)]);
        let tenths = |near: &f64| format!("{near:.1}");
        let found = [4, 3, 2, 1].map(|id| tenths(&near[&at(id)]));
        assert_eq!(found, ["1.0", "0.5", "0.0", "0.0"]);
        assert_eq!(near.get(&at(9)), None);
        assert_eq!(tenths(&flow.nearness(&[at(1)])[&at(1)]), "1.0");
    }
}
