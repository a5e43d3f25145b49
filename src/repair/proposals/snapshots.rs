//! Which conditions may decide in a place: what tests saw of each, and how suspicious that is (`AutoFix`, section 4.1:
//! snapshots).

use super::bearing::Bearing;
use super::compounds::{Part, Spoken, differences, implications};
use super::predicates::{Operand, Predicate, Subject, predicates};
use crate::facts::NodeIndex;
use crate::repair::code::Code;
use crate::repair::observed::{Place, Seen};
use crate::repair::terms::Term;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// What is known of a place.
#[derive(Clone, Copy)]
pub(super) struct Evidence<'a> {
    /// What tests found there.
    pub(super) place: Option<&'a Place>,
    /// What was violated in its routine, and how near it is to that.
    pub(super) violated: &'a [(f64, String)],
    /// What its routine says of two conditions.
    pub(super) spoken: &'a [Spoken],
}

/// A condition, and what tests saw of it.
pub(super) struct Condition {
    pub(super) text: String,
    /// How promising it is to do something where it holds; nothing if no failing test ever saw that.
    pub(super) if_true: Option<f64>,
    /// The same for where it does not hold.
    pub(super) if_false: Option<f64>,
}

/// The conditions over variables that can make a difference in a place, the simpler ones first. Of those that tests
/// never saw apart one stands for all but its like, that compares the same; what was always so, or never, makes none.
pub(super) fn conditions(
    code: &Code<'_>,
    statement: NodeIndex,
    terms: &[Term],
    evidence: Evidence<'_>,
) -> Vec<Condition> {
    let all = predicates(code, statement, terms, evidence.place.is_some());
    let all: Vec<_> = all.into_iter().map(|(one, near)| (one.to_string(), one, near)).collect();
    let bearing = Bearing::of(evidence.violated, terms, &all.iter().map(|(text, ..)| &**text));
    let mut snapshots = Snapshots { bearing, ..Snapshots::default() };
    for (text, predicate, nearness) in all {
        snapshots.add(evidence.place, text, &predicate, nearness);
    }
    if let Some(place) = evidence.place {
        snapshots.compound(place, evidence.spoken);
    }
    snapshots.all
}

/// The conditions of a place on their way.
#[derive(Default)]
struct Snapshots<'a> {
    bearing: Bearing<'a>,
    all: Vec<Condition>,
    /// Those that tests saw to make a difference.
    parts: Vec<Part>,
    /// What stands for those that tests never saw apart.
    known: HashMap<Vec<bool>, Known>,
}

impl Snapshots<'_> {
    fn add(&mut self, place: Option<&Place>, text: String, predicate: &Predicate, nearness: f64) {
        let Some(truths) = place.and_then(|place| place.truths(|row| predicate.holds(row))) else {
            let unseen = Some(self.bearing.weighed(&text, UNSEEN) * nearness);
            self.all.push(Condition { text, if_true: unseen, if_false: unseen });
            return;
        };
        if truths.is_constant() {
            return;
        }
        let part = Part { text, nearness, truths };
        let entry = self.known.entry(part.truths.row_by_row.clone());
        if let Some(share) = share(entry, predicate.subject()) {
            self.all.push(self.weighed(&part, share));
        }
        self.parts.push(part);
    }

    fn weighed(&self, part: &Part, share: f64) -> Condition {
        let weight = |seen| {
            let weighed = self.bearing.weighed(&part.text, promise(seen)?);
            Some(weighed * part.nearness * share)
        };
        let (if_true, if_false) = (weight(part.truths.seen_true), weight(part.truths.seen_false));
        Condition { text: part.text.clone(), if_true, if_false }
    }

    /// Conditions of two parts, that say what no condition alone does.
    fn compound(&mut self, place: &Place, spoken: &[Spoken]) {
        let mut known = std::mem::take(&mut self.known).into_keys().collect();
        let mut all = implications(place, &self.parts, spoken, &mut known);
        all.extend(differences(place, &self.parts, &mut known));
        let all: Vec<Condition> = all.iter().map(|part| self.weighed(part, COMPOUND)).collect();
        self.all.extend(all);
    }
}

/// The first of some conditions that tests never saw apart, and what else is tried of them.
struct Known {
    subject: Subject,
    alike: usize,
    /// Whether one is among them that compares two variables.
    has_pair: bool,
}

/// How promising a condition is that was true when the known ones of an entry were; nothing if these stand for it.
fn share(entry: Entry<'_, Vec<bool>, Known>, subject: Subject) -> Option<f64> {
    let is_pair = matches!(subject.2, Operand::Variable(_));
    match entry {
        Entry::Vacant(entry) => {
            entry.insert(Known { subject, alike: 1, has_pair: is_pair });
            Some(1.0)
        }
        Entry::Occupied(mut entry) => {
            let known = entry.get_mut();
            // What nobody saw apart may still be apart: `n == 0` and `n <= 0`, or `n == 0` and `n < m`.
            if known.subject == subject && known.alike < ALIKE {
                known.alike += 1;
                Some(SIBLING)
            } else if is_pair && !known.has_pair {
                known.has_pair = true;
                Some(PAIR)
            } else {
                None
            }
        }
    }
}

/// The dynamic score of contract repair (`AutoFix`, section 4.3) with its constants, brought to 0 to 1; nothing if no
/// failing test saw it.
fn promise(seen: Seen) -> Option<f64> {
    const ALPHA: f64 = 1.0 / 3.0;
    const BETA: f64 = 2.0 / 3.0;
    let rise = 1.0 - BETA + BETA * ALPHA.powi(seen.passing) - ALPHA.powi(seen.failing);
    (seen.failing > 0).then(|| rise.clamp(LEAST, 1.0))
}

/// So many conditions that compare the same in another way are tried, where no test saw them apart.
const ALIKE: usize = 2;

/// How promising the second of them is against the first.
const SIBLING: f64 = 0.4;

/// How promising the first one is that compares two variables, against one that looks at one of them.
const PAIR: f64 = 0.7;

/// How promising a condition is of which nobody knows whether it held.
const UNSEEN: f64 = 0.3;

/// How promising one is that passing tests see as often as failing ones.
const LEAST: f64 = 0.05;

/// How promising a condition of two parts is against one of one part.
const COMPOUND: f64 = 0.6;
