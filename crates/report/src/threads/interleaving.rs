//! Sequence diagrams of schedules: a column for each thread, a row for each relevant step.

use mend_model::schedules::{CodeLocation, ScheduleStep, ScheduleTrace};
use mend_model::{counted, cut, first_of};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Width of the column of a thread.
const COLUMN: usize = 24;

/// Maximum number of columns.
const MOST_THREADS: usize = 4;

/// Maximum number of omitted threads named.
const MOST_NAMED: usize = 5;

/// Maximum number of rows.
const MOST_ROWS: usize = 24;

/// Schedule with the steps of its access pattern.
#[derive(Clone, Copy, Debug)]
pub struct Interleaving<'a> {
    /// The schedule.
    pub example: &'a ScheduleTrace,
    /// Steps of the access pattern.
    pub marked: &'a [usize],
    /// Text that describes its end.
    pub ending: &'a str,
}

/// Step as it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StepRow {
    /// Column of its thread.
    pub(crate) column: usize,
    pub(crate) words: String,
    /// Source location; empty if unknown.
    pub(crate) place: String,
    pub(crate) is_marked: bool,
    /// Locks that its thread holds at this step.
    pub(crate) locks: Vec<String>,
}

impl Interleaving<'_> {
    /// Returns the names of the shown threads, and their steps.
    pub(crate) fn scene(&self) -> (Vec<&str>, Vec<StepRow>) {
        let threads = self.threads();
        let row = |at: usize| {
            let step = &self.example.steps[at];
            StepRow {
                column: threads.iter().position(|thread| *thread == step.thread).unwrap_or(0),
                words: self.describe_step(step),
                place: self.example.sites.get(step.site).map_or_else(String::new, place),
                is_marked: self.marked.contains(&at),
                locks: step.locks.clone(),
            }
        };
        let rows = self.rows(&threads).into_iter().map(row).collect();
        (threads.iter().map(|thread| &*self.example.threads[*thread]).collect(), rows)
    }

    /// Draws the sequence diagram as text.
    pub fn picture(&self) -> String {
        let (threads, rows) = self.scene();
        let mut out = String::from("  ");
        for thread in &threads {
            let _ = write!(out, "{:COLUMN$}", cut(thread, COLUMN - 2));
        }
        out.truncate(out.trim_end().len());
        out.push('\n');
        for row in rows {
            row.write(threads.len(), &mut out);
        }
        let _ = write!(out, "  {:1$}{2}", "", self.last_column() * COLUMN, self.ending);
        for what in self.left_out() {
            let _ = write!(out, "\n  {what}");
        }
        out
    }

    /// Describes each step in a sentence, for screen readers and narrow screens.
    pub fn to_sentences(&self) -> Vec<String> {
        let (threads, rows) = self.scene();
        let name = |column: usize| threads.get(column).copied().unwrap_or("?");
        let step = |row: &StepRow| {
            let at = if row.place.is_empty() { "" } else { " at " };
            let mark = if row.is_marked { " (part of the pattern)" } else { "" };
            format!("{} {}{at}{}{mark}{}", name(row.column), row.words, row.place, row.held())
        };
        let end = format!("{}: {}", name(self.last_column()), self.ending);
        rows.iter().map(step).chain([end]).chain(self.left_out()).collect()
    }

    /// Describes the omitted threads and steps.
    fn left_out(&self) -> Vec<String> {
        let steps = self.relevant().saturating_sub(MOST_ROWS);
        let are = if steps == 1 { "is" } else { "are" };
        let steps = (steps > 0).then(|| format!("{} {are} not shown", counted(steps, "more step")));
        self.threads_left_out().into_iter().chain(steps).collect()
    }

    /// Names the omitted threads that take part.
    pub(crate) fn threads_left_out(&self) -> Option<String> {
        let mut left: Vec<usize> = self.taking_part().into_iter().skip(MOST_THREADS).collect();
        left.sort_unstable();
        let names: Vec<String> =
            left.iter().map(|thread| cut(&self.example.threads[*thread], COLUMN)).collect();
        let (take, are) = if names.len() == 1 { ("takes", "is") } else { ("take", "are") };
        let threads = counted(names.len(), "more thread");
        (!names.is_empty()).then(|| {
            format!("{threads} {take} part and {are} not shown: {}", first_of(&names, MOST_NAMED))
        })
    }

    /// Returns the column of the failing thread.
    pub(crate) fn last_column(&self) -> usize {
        self.threads().iter().position(|thread| *thread == self.example.thread).unwrap_or(0)
    }

    /// Returns the shown threads in their order.
    fn threads(&self) -> Vec<usize> {
        let mut threads = self.taking_part();
        threads.truncate(MOST_THREADS);
        threads.sort_unstable();
        threads
    }

    /// Returns the failing thread, the threads of the pattern, those that use contended locks, and those that wait.
    fn taking_part(&self) -> Vec<usize> {
        let steps = &self.example.steps;
        let marked = self.marked.iter().map(|step| &steps[*step]);
        let disputed = self.disputed();
        let locking = steps.iter().rev().filter(|step| self.is_about_locks(step, &disputed));
        let all = marked.chain(locking).map(|step| step.thread);
        let known = |thread: &usize| *thread < self.example.threads.len();
        let waiting = self.example.waiting.iter().copied().filter(known);
        let mut is_seen = BTreeSet::new();
        [self.example.thread]
            .into_iter()
            .chain(all)
            .chain(waiting)
            .filter(|thread| is_seen.insert(*thread))
            .collect()
    }

    /// Returns the locks that several threads use, or that a thread still holds at the end.
    fn disputed(&self) -> BTreeSet<Option<usize>> {
        let mut taken: BTreeMap<Option<usize>, (BTreeSet<usize>, isize)> = BTreeMap::new();
        for step in &self.example.steps {
            let more = match step.what.as_str() {
                "lock" => 1,
                "unlock" | "wait" => -1,
                _ => continue,
            };
            let (threads, held) = taken.entry(step.location).or_default();
            threads.insert(step.thread);
            *held += more;
        }
        let is_disputed =
            |(_, (threads, held)): &(_, (BTreeSet<usize>, isize))| threads.len() > 1 || *held > 0;
        taken.into_iter().filter(is_disputed).map(|(lock, _)| lock).collect()
    }

    /// Returns true if the schedule fails by blocking and the step is a relevant lock or signal operation.
    fn is_about_locks(&self, step: &ScheduleStep, disputed: &BTreeSet<Option<usize>>) -> bool {
        let is_blocked = ["deadlock", "lost_signal"].contains(&self.example.kind.as_str());
        let is_meant = match step.what.as_str() {
            "lock" | "unlock" => disputed.contains(&step.location),
            "wait" | "notify" | "park" | "unpark" | "call" => true,
            _ => false,
        };
        is_blocked && is_meant
    }

    /// Returns the number of relevant steps of the shown threads, including omitted ones.
    pub(crate) fn relevant(&self) -> usize {
        self.all_rows(&self.threads()).len()
    }

    /// Returns the numbers of the relevant steps.
    fn all_rows(&self, threads: &[usize]) -> Vec<usize> {
        let steps = &self.example.steps;
        let places: BTreeSet<Option<usize>> =
            self.marked.iter().map(|step| steps[*step].location).collect();
        let disputed = self.disputed();
        let is_shown = |step: &ScheduleStep| {
            let is_access = ["read", "write", "call"].contains(&step.what.as_str())
                && step.location.is_some()
                && places.contains(&step.location);
            let is_bound = ["start", "join"].contains(&step.what.as_str())
                && step.other.is_some_and(|other| {
                    usize::try_from(other).is_ok_and(|other| threads.contains(&other))
                });
            threads.contains(&step.thread)
                && (is_access || is_bound || self.is_about_locks(step, &disputed))
        };
        (0..steps.len()).filter(|at| is_shown(&steps[*at])).collect()
    }

    /// Returns the numbers of the shown steps: those nearest to the pattern and to the end if there are too many.
    fn rows(&self, threads: &[usize]) -> Vec<usize> {
        let all = self.all_rows(threads);
        if all.len() <= MOST_ROWS {
            return all;
        }
        let last = self.example.steps.len().checked_sub(1);
        let ends = self.marked.iter().copied().chain(last);
        let ends: Vec<usize> = ends.collect();
        let distance =
            |row: usize| ends.iter().map(|end| row.abs_diff(*end)).min().unwrap_or_default();
        let mut near = all;
        near.sort_by_key(|row| (distance(*row), *row));
        near.truncate(MOST_ROWS);
        near.sort_unstable();
        near
    }

    fn describe_step(&self, step: &ScheduleStep) -> String {
        let name = step.name.as_deref().unwrap_or_default();
        let name = name.rsplit_once('.').map_or(name, |(_, own)| own);
        let other = step.other.and_then(|other| usize::try_from(other).ok());
        let other = other.and_then(|other| self.example.threads.get(other));
        let other = other.map_or("", String::as_str);
        match step.what.as_str() {
            "read" => format!("reads {name}"),
            "write" => format!("writes {name}"),
            "lock" => format!("takes {}", step.name.as_deref().unwrap_or_default()),
            "unlock" => format!("releases {}", step.name.as_deref().unwrap_or_default()),
            "call" => self.called(step),
            "wait" => format!("waits on {name}"),
            "notify" if matches!(step.other, None | Some(-2)) => "notifies no thread".to_owned(),
            "notify" if step.other.is_some_and(|other| other < -2) => {
                format!("notifies all ({})", -2 - step.other.unwrap_or_default())
            }
            "notify" => format!("notifies {other}"),
            "start" => format!("starts {other}"),
            "join" => format!("joins {other}"),
            "unpark" => format!("wakes {other}"),
            "park" => "parks".to_owned(),
            what => what.to_owned(),
        }
    }

    fn called(&self, step: &ScheduleStep) -> String {
        let called = self.example.sites.get(step.site).map_or("", |site| &site.subject);
        let mut parts = called.rsplit('.');
        let (method, class) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        format!("{class}.{method}")
    }
}

impl StepRow {
    /// Formats the held locks as a clause; empty if there are none.
    pub(crate) fn held(&self) -> String {
        match &self.locks[..] {
            [] => String::new(),
            held => format!("; holds {}", held.join(", ")),
        }
    }

    fn write(&self, threads: usize, out: &mut String) {
        let mark = if self.is_marked { '>' } else { ' ' };
        let before = self.column * COLUMN;
        let after = (threads - self.column) * COLUMN;
        let words = cut(&self.words, COLUMN - 2);
        let _ = write!(out, "{mark} {:before$}{words:after$}{}", "", self.place);
        out.truncate(out.trim_end().len());
        out.push('\n');
    }
}

/// Formats a location as `Class.method:line`, without packages.
fn place(site: &CodeLocation) -> String {
    let class = site.class.rsplit('.').next().unwrap_or_default().replace('$', ".");
    if site.line == 0 || class.is_empty() {
        return String::new();
    }
    format!("{class}.{}:{}", site.method, site.line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mend_model::schedules::Schedule;

    fn step(thread: usize, what: &str, location: Option<usize>) -> ScheduleStep {
        let name = location.map(|_| "Till.sum".to_owned());
        let (site, other, time) = (0, (what == "start").then_some(1), 1);
        let (what, stack, locks) = (what.to_owned(), None, Vec::new());
        ScheduleStep { thread, what, site, location, name, other, time, stack, locks }
    }

    fn example(kind: &str, steps: Vec<ScheduleStep>) -> ScheduleTrace {
        let schedule = Schedule {
            test: String::new(),
            scheduler: "pos".to_owned(),
            seed: 1,
            shared: Vec::new(),
            choices: Vec::new(),
        };
        let site = CodeLocation {
            class: "shop.Till".to_owned(),
            method: "add".to_owned(),
            line: 7,
            turn: 0,
            subject: "shop.Till.sum".to_owned(),
        };
        ScheduleTrace {
            kind: kind.to_owned(),
            text: None,
            thread: 0,
            waiting: Vec::new(),
            result: None,
            schedule,
            threads: vec!["main".to_owned(), "Thread-0".to_owned()],
            steps,
            sites: vec![site],
            stacks: Vec::new(),
            patterns: Vec::new(),
            cut_short: false,
        }
    }

    #[test]
    fn each_thread_has_a_column_and_each_step_of_the_pattern_a_mark() {
        let steps = vec![
            step(0, "start", None),
            step(0, "read", Some(4)),
            step(1, "write", Some(4)),
            step(1, "write", Some(5)),
            step(0, "write", Some(4)),
        ];
        let example = example("test", steps);
        let shown =
            Interleaving { example: &example, marked: &[1, 2, 4], ending: "fails" }.picture();
        let expected = "  main                    Thread-0\n  \
             starts Thread-0                                 Till.add:7\n\
             > reads sum                                       Till.add:7\n\
             >                         writes sum              Till.add:7\n\
             > writes sum                                      Till.add:7\n  fails";
        assert_eq!(shown, expected);
    }

    #[test]
    fn steps_are_described_one_by_one() {
        let steps =
            vec![step(0, "start", None), step(0, "read", Some(4)), step(1, "write", Some(4))];
        let example = example("test", steps);
        let steps =
            Interleaving { example: &example, marked: &[1, 2], ending: "fails" }.to_sentences();
        insta::assert_snapshot!(steps.join("\n"), @r"
        main starts Thread-0 at Till.add:7
        main reads sum at Till.add:7 (part of the pattern)
        Thread-0 writes sum at Till.add:7 (part of the pattern)
        main: fails
        ");
    }

    #[test]
    fn a_step_names_the_held_locks() {
        let locks = vec!["Till.lock".to_owned(), "Shop.class".to_owned()];
        let example = example("test", vec![ScheduleStep { locks, ..step(1, "write", Some(4)) }]);
        let steps =
            Interleaving { example: &example, marked: &[0], ending: "fails" }.to_sentences();
        let expected =
            "Thread-0 writes sum at Till.add:7 (part of the pattern); holds Till.lock, Shop.class";
        assert_eq!(steps[0], expected);
    }

    #[test]
    fn a_lost_signal_is_described() {
        let shown = |other: Option<i32>| {
            let notify = ScheduleStep { other, ..step(0, "notify", Some(1)) };
            let example = example("lost_signal", vec![notify]);
            let shown =
                Interleaving { example: &example, marked: &[], ending: "lost" }.to_sentences();
            shown.join("\n")
        };
        assert!(shown(None).starts_with("main notifies no thread"), "{}", shown(None));
        assert!(shown(Some(-2)).starts_with("main notifies no thread"));
        assert!(shown(Some(-4)).starts_with("main notifies all (2)"));
        assert!(shown(Some(1)).starts_with("main notifies Thread-0"));
    }

    #[test]
    fn the_thread_that_fails_has_a_column_however_many_take_part() {
        let steps = (0..7).map(|thread| step(thread, "read", Some(4))).collect();
        let threads = (0..7).map(|number| format!("Thread-{number}")).collect();
        let example = ScheduleTrace { thread: 6, threads, ..example("test", steps) };
        let marked = [0, 1, 2, 3, 4, 5];
        let shown = Interleaving { example: &example, marked: &marked, ending: "fails" };
        let steps = shown.to_sentences();
        let [.., end, left] = &steps[..] else { panic!("{steps:?}") };
        assert_eq!(end, "Thread-6: fails");
        assert_eq!(
            left,
            "3 more threads take part and are not shown: Thread-3, Thread-4, Thread-5"
        );
        assert!(shown.picture().ends_with(&format!("fails\n  {left}")), "{}", shown.picture());
    }

    #[test]
    fn a_picture_says_how_many_steps_and_threads_it_leaves_out() {
        let steps = (0..120).map(|at| step(at % 12, "lock", Some(1))).collect();
        let threads = (0..12).map(|number| format!("Thread-{number}")).collect();
        let example = ScheduleTrace { threads, ..example("deadlock", steps) };
        let shown = Interleaving { example: &example, marked: &[], ending: "blocked" };
        let left = shown.left_out();
        insta::assert_snapshot!(left.join("\n"), @r"
        8 more threads take part and are not shown: Thread-1, Thread-2, Thread-3, Thread-4, Thread-5 and 3 more
        16 more steps are not shown
        ");
        assert!(shown.to_sentences().ends_with(&left), "{:?}", shown.to_sentences());
        let long = (0..25).map(|_| step(0, "lock", Some(1))).collect();
        let long = self::example("deadlock", long);
        let shown = Interleaving { example: &long, marked: &[], ending: "blocked" };
        assert_eq!(shown.left_out(), ["1 more step is not shown"]);
        assert!(shown.picture().ends_with("blocked\n  1 more step is not shown"));
    }

    #[test]
    fn a_lock_of_only_one_thread_is_no_part_of_a_deadlock() {
        let named = |what: &str, lock: usize| {
            let name = Some(format!("lock {lock}"));
            ScheduleStep { name, ..step(0, what, Some(lock)) }
        };
        let steps = vec![named("lock", 7), named("unlock", 7), named("lock", 1)];
        let example = example("deadlock", steps);
        let shown = Interleaving { example: &example, marked: &[], ending: "blocked" }.picture();
        assert!(shown.contains("takes lock 1") && !shown.contains("lock 7"), "{shown}");
    }

    #[test]
    fn a_thread_that_is_blocked_has_a_column_whatever_it_did() {
        let steps = vec![step(0, "lock", Some(1))];
        let example = ScheduleTrace { waiting: vec![0, 1], ..example("deadlock", steps) };
        let shown = Interleaving { example: &example, marked: &[], ending: "blocked" }.picture();
        assert!(shown.starts_with("  main                    Thread-0\n"), "{shown}");
    }

    #[test]
    fn a_deadlock_is_a_picture_of_its_locks() {
        let steps = vec![step(0, "lock", Some(1)), step(1, "lock", Some(2))];
        let example = example("deadlock", steps);
        let shown = Interleaving { example: &example, marked: &[], ending: "blocked" }.picture();
        assert!(shown.contains("takes Till.sum"), "{shown}");
        assert_eq!(shown.lines().count(), 4);
    }
}
