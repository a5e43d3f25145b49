//! Two methods that two threads call in rounds take turns: whose turn it is becomes a field of their class.

use super::calls::{below, body, called, is_run_with, is_wait, may_be_interrupted, routine};
use super::guards::title;
use super::joins::caught;
use super::layout::{
    field_at_top, free_name, has_modifier, line_after, line_before, with_modifier,
};
use super::locks::{Lock, held};
use super::scene::Scene;
use super::{Remedies, Way};
use crate::engine::Example;
use crate::facts::{NodeIndex, Role};
use crate::repair::code::Code;
use crate::repair::edit::Edit;
use std::collections::{BTreeMap, BTreeSet};

/// What is done in one round, and by which method.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Round {
    file: usize,
    method: NodeIndex,
    /// The body of the method, or of the innermost loop in it.
    block: NodeIndex,
}

/// How often a place was come to, and by whom.
#[derive(Default)]
struct Visits {
    threads: BTreeSet<usize>,
    count: usize,
}

pub(super) fn propose(scene: &Scene<'_>, out: &mut Remedies<'_>) {
    let mut known = BTreeSet::new();
    for example in scene.examples().filter(|example| !example.cut_short) {
        known.extend(pairs(scene, example));
    }
    for (one, other) in known {
        // Which of the two comes first is for schedules to find out.
        for (first, second) in [(one, other), (other, one)] {
            let code = scene.code(first.file);
            let Some(edits) = in_turns(code, first, second) else { continue };
            let [leader, follower] = [first, second].map(|round| title(code, round.method));
            let why = format!("{leader} and {follower} take turns, and {leader} comes first");
            // The program has no word for turns, so everything else that mends it says more.
            out.add_in(first.file, Way::Signal, 0.38, edits, why);
        }
    }
}

/// Methods of one class that two threads came to several times, each to one of them, and equally often.
fn pairs(scene: &Scene<'_>, example: &Example) -> Vec<(Round, Round)> {
    let mut visits: BTreeMap<usize, Visits> = BTreeMap::new();
    for step in &example.steps {
        let at = visits.entry(step.site).or_default();
        at.threads.insert(step.thread);
        at.count += 1;
    }
    let mut rounds: BTreeMap<Round, Visits> = BTreeMap::new();
    for (site, own) in visits {
        let spot = example.sites.get(site).and_then(|site| scene.spot(site));
        let spot = spot.filter(|spot| spot.variable.is_some() && !scene.files[spot.file].is_test);
        let Some(spot) = spot else { continue };
        let Some(round) = round(scene.code(spot.file), spot.file, spot.node) else { continue };
        let all = rounds.entry(round).or_default();
        all.threads.extend(own.threads);
        all.count = all.count.max(own.count);
    }
    rounds.retain(|_, all| all.threads.len() == 1 && all.count > 1);
    let mut found = Vec::new();
    for (one, visits) in &rounds {
        for (other, others) in rounds.range(one..).skip(1) {
            let code = scene.code(one.file);
            let is_one_class =
                one.file == other.file && code.parent(one.method) == code.parent(other.method);
            let is_even = visits.count == others.count && visits.threads != others.threads;
            if is_one_class && one.method != other.method && is_even {
                found.push((*one, *other));
            }
        }
    }
    found
}

/// The round that a place is in.
fn round(code: &Code<'_>, file: usize, node: NodeIndex) -> Option<Round> {
    let method = routine(code, node).filter(|id| code.is(*id, "METHOD"))?;
    let inside = code.around(node).take_while(|id| *id != method);
    let repeated = inside.into_iter().find(|id| code.is_loop(*id));
    let block = match repeated {
        Some(repeated) => code.child(repeated, Role::Body).filter(|id| code.is(*id, "BLOCK"))?,
        None => body(code, method)?,
    };
    Some(Round { file, method, block })
}

/// Both rounds wait until it is their turn, and pass it on when they are done.
fn in_turns(code: &Code<'_>, first: Round, second: Round) -> Option<Vec<Edit>> {
    let name = code.facts.text(code.symbol(second.method)?.name);
    let flag = free_name(code, &format!("{name}IsNext"));
    let class = code.parent(first.method);
    let mut edits = vec![field_at_top(code, class, &format!("private boolean {flag};"))?];
    edits.extend(in_turn(code, first, &flag, &format!("{flag} = true;"))?);
    edits.extend(in_turn(code, second, &format!("!{flag}"), &format!("{flag} = false;"))?);
    Some(edits)
}

/// A round that waits while another one is due, and then passes the turn on. Nothing where a round may end elsewhere, or
/// would wait with another lock than the object's own.
fn in_turn(code: &Code<'_>, round: Round, is_other: &str, pass: &str) -> Option<Vec<Edit>> {
    let all = code.children(round.block);
    let (start, end) = (*all.first()?, *all.last()?);
    let leaves = |id: &NodeIndex| matches!(code.kind(*id), "RETURN" | "BREAK" | "CONTINUE");
    let mut inside = below(code, round.block).filter(|id| is_run_with(code, *id, round.block));
    let is_left = inside.any(|id| leaves(&id) && id != end);
    let waits = below(code, round.method).any(|id| {
        code.is(id, "METHOD_INVOCATION") && (called(code, id) == "wait" || is_wait(code, id))
    });
    let is_own = held(code, start).iter().all(|held| held.lock == Lock::This);
    if is_left || waits || !is_own || has_modifier(code, round.method, "static") {
        return None;
    }
    let wait = format!("while ({is_other}) {{\n    wait();\n}}");
    let is_told = may_be_interrupted(code, start);
    let wait = if is_told { wait } else { caught(code, &wait) };
    let pass = format!("{pass}\nnotifyAll();");
    let passed =
        if leaves(&end) { line_before(code, end, &pass) } else { line_after(code, end, &pass) };
    let mut edits = vec![line_before(code, start, &wait), passed];
    if !has_modifier(code, round.method, "synchronized") {
        edits.push(with_modifier(code, round.method, "synchronized")?);
    }
    Some(edits)
}
