//! Which conditions may decide in a place: what tests saw of each, and how suspicious that is (`AutoFix`, section 4.1:
//! snapshots).

use super::bearing::Bearing;
use super::compounds::{Part, Spoken, differences, implications};
use super::predicates::{Operand, Predicate, Subject, predicates};
use super::sameness::Whole;
use crate::facts::NodeIndex;
use crate::repair::code::Code;
use crate::repair::linear::{Compared, Compares};
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
    /// What is demanded or an invariant, and still holds.
    pub(super) standing: &'a [String],
}

/// A condition, and what tests saw of it.
pub(super) struct Condition {
    pub(super) text: String,
    /// How promising it is to do something where it holds; nothing if no failing test ever saw that.
    pub(super) if_true: Option<f64>,
    /// The same for where it does not hold.
    pub(super) if_false: Option<f64>,
}

/// The conditions over variables that can make a difference in a place, the simpler ones first. Of those that say the
/// same of whole numbers there is the simplest; of those that tests never saw apart one stands for all but its like,
/// that compares the same; what was always so, or never, or can be nothing else, makes none.
pub(super) fn conditions(
    code: &Code<'_>,
    statement: NodeIndex,
    terms: &[Term],
    evidence: Evidence<'_>,
) -> Vec<Condition> {
    let all = predicates(code, statement, terms, evidence.place.is_some());
    let all: Vec<_> = all.into_iter().map(|(one, near)| (one.to_string(), one, near)).collect();
    let bearing = Bearing::of(evidence.violated, terms, &all.iter().map(|(text, ..)| &**text));
    let whole = Whole::of(code, terms, evidence.standing);
    let mut snapshots = Snapshots { bearing, whole, ..Snapshots::default() };
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
    whole: Whole,
    all: Vec<Condition>,
    /// The comparisons among those of which nobody knows when they held, by what they compare.
    unseen: HashMap<Compares, Vec<Kept>>,
    /// Those that tests saw to make a difference.
    parts: Vec<Part>,
    /// What stands for those that tests never saw apart.
    known: HashMap<Vec<bool>, Known>,
}

impl Snapshots<'_> {
    fn add(&mut self, place: Option<&Place>, text: String, predicate: &Predicate, nearness: f64) {
        let compared = predicate.compared(&self.whole);
        let Some(truths) = place.and_then(|place| place.truths(|row| predicate.holds(row))) else {
            return self.add_unseen(text, compared, nearness);
        };
        if truths.is_constant() {
            return;
        }
        let part = Part { text, nearness, truths };
        let known = self.known.get(&part.truths.row_by_row);
        let kept = known.map_or(&[][..], |known| &known.kept);
        if let Some(same) = self.same_among(kept, compared.as_ref()) {
            self.all[same].or_said_as(&part.text);
        } else {
            let entry = self.known.entry(part.truths.row_by_row.clone());
            let kept = compared.map(|compared| Kept { at: self.all.len(), compared });
            if let Some(share) = share(entry, predicate.subject(), kept) {
                self.all.push(self.weighed(&part, share));
            }
        }
        self.parts.push(part);
    }

    /// Adds a condition of which nobody knows when it held.
    fn add_unseen(&mut self, text: String, compared: Option<Compared>, nearness: f64) {
        if let Some(compared) = compared {
            if self.whole.is_settled(&compared) {
                return;
            }
            let compares = compared.compares();
            let kept = self.unseen.get(&compares).map_or(&[][..], |kept| kept);
            if let Some(same) = self.same_among(kept, Some(&compared)) {
                return self.all[same].or_said_as(&text);
            }
            let kept = Kept { at: self.all.len(), compared };
            self.unseen.entry(compares).or_default().push(kept);
        }
        let unseen = Some(self.bearing.weighed(&text, UNSEEN) * nearness);
        self.all.push(Condition { text, if_true: unseen, if_false: unseen });
    }

    /// The place of the one among some conditions that says the same as a comparison.
    fn same_among(&self, kept: &[Kept], compared: Option<&Compared>) -> Option<usize> {
        let compared = compared?;
        let same = kept.iter().find(|kept| self.whole.are_same(&kept.compared, compared));
        same.map(|kept| kept.at)
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

impl Condition {
    /// Is said in other words that say the same, if these are fewer.
    fn or_said_as(&mut self, text: &str) {
        let words = |text: &str| text.split_whitespace().count();
        if words(text) < words(&self.text) {
            text.clone_into(&mut self.text);
        }
    }
}

/// A comparison that is tried, and its place among the conditions.
struct Kept {
    at: usize,
    compared: Compared,
}

/// The first of some conditions that tests never saw apart, and what else is tried of them.
struct Known {
    subject: Subject,
    alike: usize,
    kept: Vec<Kept>,
    /// Whether one is among them that compares two variables.
    has_pair: bool,
}

/// How promising a condition is that was true when the known ones of an entry were; nothing if these stand for it.
/// `kept` is the condition, if that is a comparison and is tried.
fn share(entry: Entry<'_, Vec<bool>, Known>, subject: Subject, kept: Option<Kept>) -> Option<f64> {
    let is_pair = matches!(subject.2, Operand::Variable(_));
    match entry {
        Entry::Vacant(entry) => {
            let kept = kept.into_iter().collect();
            entry.insert(Known { subject, alike: 1, kept, has_pair: is_pair });
            Some(1.0)
        }
        Entry::Occupied(mut entry) => {
            let known = entry.get_mut();
            // What nobody saw apart may still be apart: `n == 0` and `n <= 0`, or `n == 0` and `n < m`.
            let share = if known.subject == subject && known.alike < ALIKE {
                known.alike += 1;
                SIBLING
            } else if is_pair && !known.has_pair {
                known.has_pair = true;
                PAIR
            } else {
                return None;
            };
            known.kept.extend(kept);
            Some(share)
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
