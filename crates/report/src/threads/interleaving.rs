//! Formats a schedule as a text diagram or as sentences: a column for each thread, a row for each relevant step.

use crate::sanitize::sanitise_line;
use mend_model::schedules::{CodeLocation, ScheduleStep, ScheduleTrace};
use mend_model::{format_count, list_first, truncate};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Space between columns.
const COLUMN_GAP: usize = 2;

/// Minimum width of the column of a thread, and the maximum length of a name in notes.
const MIN_COLUMN: usize = 24;

/// Maximum number of columns.
const MAX_THREADS: usize = 4;

/// Maximum number of omitted threads named.
const MAX_NAMED_THREADS: usize = 5;

/// Maximum number of rows.
const MAX_ROWS: usize = 24;

/// Schedule with the steps of its access pattern.
#[derive(Clone, Copy, Debug)]
pub struct Interleaving<'a> {
    /// Schedule.
    pub trace: &'a ScheduleTrace,
    /// Steps of the access pattern.
    pub pattern_steps: &'a [usize],
    /// Description of the end of the schedule.
    pub ending: &'a str,
}

/// Row of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StepRow {
    /// Column of its thread.
    pub(crate) column: usize,
    pub(crate) text: String,
    /// Source location; empty if unknown.
    pub(crate) location: String,
    pub(crate) is_in_pattern: bool,
    /// Locks that its thread holds at this step.
    pub(crate) locks: Vec<String>,
}

impl Interleaving<'_> {
    /// Returns the names of the shown threads, and their steps. Each text is one line, whatever names a program uses.
    pub(crate) fn threads_and_rows(&self) -> (Vec<String>, Vec<StepRow>) {
        let threads = self.shown_threads();
        let row = |at: usize| {
            let step = &self.trace.steps[at];
            StepRow {
                column: threads.iter().position(|thread| *thread == step.thread).unwrap_or(0),
                text: sanitise_line(&self.describe_step(step)),
                location: self.trace.sites.get(step.site).map_or_else(String::new, format_location),
                is_in_pattern: self.pattern_steps.contains(&at),
                locks: step.locks.iter().map(|lock| sanitise_line(lock)).collect(),
            }
        };
        let rows = self.shown_steps(&threads).into_iter().map(row).collect();
        (threads.iter().map(|thread| sanitise_line(&self.trace.threads[*thread])).collect(), rows)
    }

    /// Draws the sequence diagram as text.
    pub fn to_diagram(&self) -> String {
        let (threads, rows) = self.threads_and_rows();
        let widths = column_widths(&threads, &rows);
        let mut out = String::from("  ");
        for (thread, width) in threads.iter().zip(&widths) {
            let _ = write!(out, "{thread:width$}");
        }
        out.truncate(out.trim_end().len());
        out.push('\n');
        for row in rows {
            row.write(&widths, &mut out);
        }
        let left_width: usize = widths.iter().take(self.failing_column()).sum();
        for line in self.ending_lines() {
            let _ = writeln!(out, "  {:left_width$}{}", "", sanitise_line(line));
        }
        out.truncate(out.trim_end().len());
        for note in self.omission_notes() {
            let _ = write!(out, "\n  {note}");
        }
        out
    }

    /// Describes each step in a sentence, for screen readers and narrow screens.
    pub fn to_sentences(&self) -> Vec<String> {
        let (threads, rows) = self.threads_and_rows();
        let thread_name = |column: usize| threads.get(column).map_or("?", String::as_str);
        let step = |row: &StepRow| {
            let separator = if row.location.is_empty() { "" } else { " at " };
            let pattern_note = if row.is_in_pattern { " (part of the pattern)" } else { "" };
            format!(
                "{} {}{separator}{}{pattern_note}{}",
                thread_name(row.column),
                row.text,
                row.location,
                row.held_locks_clause()
            )
        };
        let end = format!("{}: {}", thread_name(self.failing_column()), self.ending);
        rows.iter().map(step).chain([end]).chain(self.omission_notes()).collect()
    }

    /// Splits the ending of a schedule with blocked threads into one line for each of them.
    fn ending_lines(&self) -> Vec<&str> {
        if self.trace.is_blocked() { self.ending.split("; ").collect() } else { vec![self.ending] }
    }

    /// Describes the omitted threads and steps.
    fn omission_notes(&self) -> Vec<String> {
        let steps = self.relevant_step_count().saturating_sub(MAX_ROWS);
        let verb = if steps == 1 { "is" } else { "are" };
        let steps =
            (steps > 0).then(|| format!("{} {verb} not shown", format_count(steps, "more step")));
        self.omitted_threads_note().into_iter().chain(steps).collect()
    }

    /// Names the omitted threads that participate.
    pub(crate) fn omitted_threads_note(&self) -> Option<String> {
        let mut omitted: Vec<usize> =
            self.participating_threads().into_iter().skip(MAX_THREADS).collect();
        omitted.sort_unstable();
        let names: Vec<String> = omitted
            .iter()
            .map(|thread| truncate(&sanitise_line(&self.trace.threads[*thread]), MIN_COLUMN))
            .collect();
        let (take, are) = if names.len() == 1 { ("takes", "is") } else { ("take", "are") };
        let threads = format_count(names.len(), "more thread");
        (!names.is_empty()).then(|| {
            format!(
                "{threads} {take} part and {are} not shown: {}",
                list_first(&names, MAX_NAMED_THREADS)
            )
        })
    }

    /// Returns the column of the failing thread.
    pub(crate) fn failing_column(&self) -> usize {
        self.shown_threads().iter().position(|thread| *thread == self.trace.thread).unwrap_or(0)
    }

    /// Returns the shown threads in their order.
    fn shown_threads(&self) -> Vec<usize> {
        let mut threads = self.participating_threads();
        threads.truncate(MAX_THREADS);
        threads.sort_unstable();
        threads
    }

    /// Returns the failing thread, the threads of the pattern, those that use contended locks, and those that wait.
    fn participating_threads(&self) -> Vec<usize> {
        let steps = &self.trace.steps;
        let pattern_threads = self.pattern_steps.iter().map(|step| &steps[*step]);
        let contended = self.contended_locks();
        let lock_steps =
            steps.iter().rev().filter(|step| self.is_relevant_lock_step(step, &contended));
        let relevant_threads = pattern_threads.chain(lock_steps).map(|step| step.thread);
        let is_known = |thread: &usize| *thread < self.trace.threads.len();
        let waiting = self.trace.waiting.iter().copied().filter(is_known);
        let mut seen = BTreeSet::new();
        [self.trace.thread]
            .into_iter()
            .chain(relevant_threads)
            .chain(waiting)
            .filter(|thread| seen.insert(*thread))
            .collect()
    }

    /// Returns the locks that several threads use, or that a thread still holds at the end.
    fn contended_locks(&self) -> BTreeSet<Option<usize>> {
        let mut holders_by_lock: BTreeMap<Option<usize>, (BTreeSet<usize>, isize)> =
            BTreeMap::new();
        for step in &self.trace.steps {
            let change = match step.what.as_str() {
                "lock" | "acquire" => 1,
                "unlock" | "wait" | "release" => -1,
                _ => continue,
            };
            let (threads, held) = holders_by_lock.entry(step.location).or_default();
            threads.insert(step.thread);
            *held += change;
        }
        let is_contended =
            |(_, (threads, held)): &(_, (BTreeSet<usize>, isize))| threads.len() > 1 || *held > 0;
        holders_by_lock.into_iter().filter(is_contended).map(|(lock, _)| lock).collect()
    }

    /// Returns true if a step runs in a class whose objects are shown as locks.
    fn is_in_lock_class(&self, step: &ScheduleStep) -> bool {
        let site = self.trace.sites.get(step.site);
        site.is_some_and(|site| self.trace.lock_classes.contains(&site.class))
    }

    /// Returns true for relevant operations of the project's own locks, and for those of all locks and signals if the
    /// schedule fails because threads are blocked.
    fn is_relevant_lock_step(
        &self,
        step: &ScheduleStep,
        contended: &BTreeSet<Option<usize>>,
    ) -> bool {
        let fails_by_blocking = self.trace.is_blocked();
        let is_relevant_kind = match step.what.as_str() {
            // A lock of the project also shows where other schedules can interleave.
            "acquire" | "release" => return contended.contains(&step.location),
            "lock" | "unlock" => contended.contains(&step.location) && !self.is_in_lock_class(step),
            "notify" if self.is_in_lock_class(step) => false,
            "wait" | "notify" | "park" | "unpark" | "call" => true,
            _ => false,
        };
        fails_by_blocking && is_relevant_kind
    }

    /// Returns the number of relevant steps of the shown threads, including omitted ones.
    pub(crate) fn relevant_step_count(&self) -> usize {
        self.relevant_steps(&self.shown_threads()).len()
    }

    /// Returns the numbers of the relevant steps.
    fn relevant_steps(&self, threads: &[usize]) -> Vec<usize> {
        let steps = &self.trace.steps;
        let pattern_variables: BTreeSet<Option<usize>> =
            self.pattern_steps.iter().map(|step| steps[*step].location).collect();
        let contended = self.contended_locks();
        // Accesses before the first start of another thread cannot be in another order.
        let first_start = steps.iter().position(|step| step.what == "start").unwrap_or(0);
        let first_step = self.pattern_steps.iter().copied().fold(first_start, usize::min);
        let is_relevant = |step: &ScheduleStep| {
            let is_access = ["read", "write", "call"].contains(&step.what.as_str())
                && step.location.is_some()
                && pattern_variables.contains(&step.location)
                && !self.is_in_lock_class(step);
            let is_thread_link = ["start", "join"].contains(&step.what.as_str())
                && step.other.is_some_and(|other| {
                    usize::try_from(other).is_ok_and(|other| threads.contains(&other))
                });
            threads.contains(&step.thread)
                && (is_access || is_thread_link || self.is_relevant_lock_step(step, &contended))
        };
        let is_shown = |at: &usize| self.pattern_steps.contains(at) || is_relevant(&steps[*at]);
        (first_step..steps.len()).filter(is_shown).collect()
    }

    /// Returns the numbers of the shown steps: those nearest to the pattern and to the end if there are too many.
    fn shown_steps(&self, threads: &[usize]) -> Vec<usize> {
        let relevant = self.relevant_steps(threads);
        if relevant.len() <= MAX_ROWS {
            return relevant;
        }
        let last = self.trace.steps.len().checked_sub(1);
        let anchors = self.pattern_steps.iter().copied().chain(last);
        let anchors: Vec<usize> = anchors.collect();
        let distance =
            |row: usize| anchors.iter().map(|end| row.abs_diff(*end)).min().unwrap_or_default();
        let mut nearest = relevant;
        nearest.sort_by_key(|row| (distance(*row), *row));
        nearest.truncate(MAX_ROWS);
        nearest.sort_unstable();
        nearest
    }

    fn describe_step(&self, step: &ScheduleStep) -> String {
        let name = step.name.as_deref().unwrap_or_default();
        let name = name.rsplit_once('.').map_or(name, |(_, own)| own);
        let other_index = step.other.and_then(|other_index| usize::try_from(other_index).ok());
        let other_index = other_index.and_then(|other_index| self.trace.threads.get(other_index));
        let other_index = other_index.map_or("", String::as_str);
        match step.what.as_str() {
            "read" => format!("reads {name}{}", value_suffix(step)),
            "write" => format!("writes {name}{}", value_suffix(step)),
            "lock" | "acquire" => format!("takes {}", step.name.as_deref().unwrap_or_default()),
            "unlock" | "release" => {
                format!("releases {}", step.name.as_deref().unwrap_or_default())
            }
            "call" => self.callee_name(step),
            "wait" => format!("waits on {name}"),
            "notify" if matches!(step.other, None | Some(-2)) => "notifies no thread".to_owned(),
            "notify" if step.other.is_some_and(|other_index| other_index < -2) => {
                format!("notifies all ({})", -2 - step.other.unwrap_or_default())
            }
            "notify" => format!("notifies {other_index}"),
            "start" => format!("starts {other_index}"),
            "join" => format!("joins {other_index}"),
            "unpark" => format!("wakes {other_index}"),
            "park" => "parks".to_owned(),
            what => what.to_owned(),
        }
    }

    fn callee_name(&self, step: &ScheduleStep) -> String {
        let called = self.trace.sites.get(step.site).map_or("", |site| &site.subject);
        let mut parts = called.rsplit('.');
        let (method, class) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        format!("{class}.{method}")
    }
}

/// Formats the value of an access; empty if it is unknown.
fn value_suffix(step: &ScheduleStep) -> String {
    step.value.as_ref().map_or_else(String::new, |value| format!(": {value}"))
}

impl StepRow {
    /// Formats the held locks as a clause; empty if there are none.
    pub(crate) fn held_locks_clause(&self) -> String {
        match &self.locks[..] {
            [] => String::new(),
            held => format!("; holds {}", held.join(", ")),
        }
    }

    fn write(&self, widths: &[usize], out: &mut String) {
        let mark = if self.is_in_pattern { '>' } else { ' ' };
        let left_width: usize = widths.iter().take(self.column).sum();
        let right_width: usize = widths.iter().skip(self.column).sum();
        let Self { text, location, .. } = self;
        let _ = write!(out, "{mark} {:left_width$}{text:right_width$}{location}", "");
        out.truncate(out.trim_end().len());
        out.push('\n');
    }
}

/// Returns the width of each thread's column, so that names are whole.
fn column_widths(threads: &[String], rows: &[StepRow]) -> Vec<usize> {
    let width = |(column, thread): (usize, &String)| {
        let own = rows.iter().filter(|row| row.column == column).map(|row| &row.text);
        let longest = own.chain([thread]).map(|text| text.chars().count()).max();
        (longest.unwrap_or(0) + COLUMN_GAP).max(MIN_COLUMN)
    };
    threads.iter().enumerate().map(width).collect()
}

/// Formats a location as `Class.method:line`, without packages.
fn format_location(site: &CodeLocation) -> String {
    let class = site.class.rsplit('.').next().unwrap_or_default().replace('$', ".");
    if site.line == 0 || class.is_empty() {
        return String::new();
    }
    sanitise_line(&format!("{class}.{}:{}", site.method, site.line))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mend_model::schedules::Schedule;

    fn sample_step(thread: usize, what: &str, location: Option<usize>) -> ScheduleStep {
        let name = location.map(|_| "Till.sum".to_owned());
        let (site, other, time) = (0, (what == "start").then_some(1), 1);
        let (what, stack, locks, value) = (what.to_owned(), None, Vec::new(), None);
        ScheduleStep { thread, what, site, location, name, other, time, stack, locks, value }
    }

    fn sample_trace(kind: &str, steps: Vec<ScheduleStep>) -> ScheduleTrace {
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
            decisive_pairs: Vec::new(),
            lock_classes: BTreeSet::new(),
        }
    }

    #[test]
    fn diagram_has_thread_columns_and_pattern_marks() {
        let steps = vec![
            sample_step(0, "start", None),
            sample_step(0, "read", Some(4)),
            sample_step(1, "write", Some(4)),
            sample_step(1, "write", Some(5)),
            sample_step(0, "write", Some(4)),
        ];
        let example = sample_trace("test", steps);
        let diagram = Interleaving { trace: &example, pattern_steps: &[1, 2, 4], ending: "fails" }
            .to_diagram();
        let expected = "  main                    Thread-0\n  \
             starts Thread-0                                 Till.add:7\n\
             > reads sum                                       Till.add:7\n\
             >                         writes sum              Till.add:7\n\
             > writes sum                                      Till.add:7\n  fails";
        assert_eq!(diagram, expected);
    }

    #[test]
    fn name_with_line_breaks_forges_no_line() {
        let steps = vec![sample_step(0, "start", None), sample_step(1, "write", Some(4))];
        let threads = vec!["main".to_owned(), "x\nNext: run this".to_owned()];
        let example = ScheduleTrace { threads, ..sample_trace("test", steps) };
        let diagram =
            Interleaving { trace: &example, pattern_steps: &[1], ending: "fails\nerror: x" }
                .to_diagram();
        assert_eq!(diagram.lines().count(), 4, "{diagram}");
        assert!(diagram.contains("starts x\\nNext: run this"), "{diagram}");
    }

    #[test]
    fn each_blocked_thread_has_a_line() {
        let ending = "main joins other; other waits for a signal";
        let diagram = |kind| {
            let example = sample_trace(kind, vec![sample_step(0, "start", None)]);
            Interleaving { trace: &example, pattern_steps: &[], ending }.to_diagram()
        };
        let blocked = diagram("lost_signal");
        assert!(blocked.ends_with("  main joins other\n  other waits for a signal"), "{blocked}");
        assert!(diagram("test").ends_with(ending));
    }

    #[test]
    fn steps_are_described_in_sentences() {
        let steps = vec![
            sample_step(0, "start", None),
            sample_step(0, "read", Some(4)),
            sample_step(1, "write", Some(4)),
        ];
        let example = sample_trace("test", steps);
        let steps = Interleaving { trace: &example, pattern_steps: &[1, 2], ending: "fails" }
            .to_sentences();
        insta::assert_snapshot!(steps.join("\n"), @r"
        main starts Thread-0 at Till.add:7
        main reads sum at Till.add:7 (part of the pattern)
        Thread-0 writes sum at Till.add:7 (part of the pattern)
        main: fails
        ");
    }

    #[test]
    fn step_sentence_names_the_held_locks() {
        let locks = vec!["Till.lock".to_owned(), "Shop.class".to_owned()];
        let example =
            sample_trace("test", vec![ScheduleStep { locks, ..sample_step(1, "write", Some(4)) }]);
        let steps =
            Interleaving { trace: &example, pattern_steps: &[0], ending: "fails" }.to_sentences();
        let expected =
            "Thread-0 writes sum at Till.add:7 (part of the pattern); holds Till.lock, Shop.class";
        assert_eq!(steps[0], expected);
    }

    #[test]
    fn lost_signal_is_described() {
        let sentences_of = |other: Option<i32>| {
            let notify = ScheduleStep { other, ..sample_step(0, "notify", Some(1)) };
            let example = sample_trace("lost_signal", vec![notify]);
            let sentences_of =
                Interleaving { trace: &example, pattern_steps: &[], ending: "lost" }.to_sentences();
            sentences_of.join("\n")
        };
        assert!(
            sentences_of(None).starts_with("main notifies no thread"),
            "{}",
            sentences_of(None)
        );
        assert!(sentences_of(Some(-2)).starts_with("main notifies no thread"));
        assert!(sentences_of(Some(-4)).starts_with("main notifies all (2)"));
        assert!(sentences_of(Some(1)).starts_with("main notifies Thread-0"));
    }

    #[test]
    fn failing_thread_always_has_a_column() {
        let steps = (0..7).map(|thread| sample_step(thread, "read", Some(4))).collect();
        let threads = (0..7).map(|number| format!("Thread-{number}")).collect();
        let example = ScheduleTrace { thread: 6, threads, ..sample_trace("test", steps) };
        let marked = [0, 1, 2, 3, 4, 5];
        let interleaving =
            Interleaving { trace: &example, pattern_steps: &marked, ending: "fails" };
        let steps = interleaving.to_sentences();
        let [.., end, left] = &steps[..] else { panic!("{steps:?}") };
        assert_eq!(end, "Thread-6: fails");
        assert_eq!(
            left,
            "3 more threads take part and are not shown: Thread-3, Thread-4, Thread-5"
        );
        assert!(
            interleaving.to_diagram().ends_with(&format!("fails\n  {left}")),
            "{}",
            interleaving.to_diagram()
        );
    }

    #[test]
    fn diagram_counts_omitted_steps_and_threads() {
        let steps = (0..120).map(|at| sample_step(at % 12, "lock", Some(1))).collect();
        let threads = (0..12).map(|number| format!("Thread-{number}")).collect();
        let example = ScheduleTrace { threads, ..sample_trace("deadlock", steps) };
        let interleaving = Interleaving { trace: &example, pattern_steps: &[], ending: "blocked" };
        let notes = interleaving.omission_notes();
        insta::assert_snapshot!(notes.join("\n"), @r"
        8 more threads take part and are not shown: Thread-1, Thread-2, Thread-3, Thread-4, Thread-5 and 3 more
        16 more steps are not shown
        ");
        assert!(interleaving.to_sentences().ends_with(&notes), "{:?}", interleaving.to_sentences());
        let long = (0..25).map(|_| sample_step(0, "lock", Some(1))).collect();
        let long = self::sample_trace("deadlock", long);
        let interleaving = Interleaving { trace: &long, pattern_steps: &[], ending: "blocked" };
        assert_eq!(interleaving.omission_notes(), ["1 more step is not shown"]);
        assert!(interleaving.to_diagram().ends_with("blocked\n  1 more step is not shown"));
    }

    #[test]
    fn uncontended_lock_is_not_shown() {
        let lock_step = |what: &str, lock: usize| {
            let name = Some(format!("lock {lock}"));
            ScheduleStep { name, ..sample_step(0, what, Some(lock)) }
        };
        let steps = vec![lock_step("lock", 7), lock_step("unlock", 7), lock_step("lock", 1)];
        let example = sample_trace("deadlock", steps);
        let diagram =
            Interleaving { trace: &example, pattern_steps: &[], ending: "blocked" }.to_diagram();
        assert!(diagram.contains("takes lock 1") && !diagram.contains("lock 7"), "{diagram}");
    }

    #[test]
    fn class_of_the_project_is_shown_as_a_lock() {
        let gate_step = |thread: usize, what: &str| {
            let name = Some("Till.gate".to_owned());
            ScheduleStep { name, ..sample_step(thread, what, Some(9)) }
        };
        let inside = |step: ScheduleStep| ScheduleStep { site: 1, ..step };
        let steps = vec![
            inside(sample_step(0, "write", Some(5))),
            inside(gate_step(0, "lock")),
            gate_step(0, "acquire"),
            sample_step(0, "write", Some(4)),
            gate_step(0, "release"),
            inside(sample_step(1, "write", Some(5))),
            gate_step(1, "acquire"),
            sample_step(1, "write", Some(4)),
        ];
        let mut example = sample_trace("test", steps);
        let gate = CodeLocation { class: "shop.Gate".to_owned(), ..example.sites[0].clone() };
        example.sites.push(gate);
        example.lock_classes.insert("shop.Gate".to_owned());
        let diagram =
            Interleaving { trace: &example, pattern_steps: &[3, 7], ending: "fails" }.to_diagram();
        let expected = "  main                    Thread-0\n  \
             takes Till.gate                                 Till.add:7\n\
             > writes sum                                      Till.add:7\n  \
             releases Till.gate                              Till.add:7\n                          \
             takes Till.gate         Till.add:7\n\
             >                         writes sum              Till.add:7\n  fails";
        assert_eq!(diagram, expected);
        let on_inside = Interleaving { trace: &example, pattern_steps: &[0, 5], ending: "fails" };
        let marked = on_inside.to_diagram().lines().filter(|line| line.starts_with('>')).count();
        assert_eq!(marked, 2, "a pattern in the lock itself is shown");
    }

    #[test]
    fn waiting_thread_has_a_column() {
        let steps = vec![sample_step(0, "lock", Some(1))];
        let example = ScheduleTrace { waiting: vec![0, 1], ..sample_trace("deadlock", steps) };
        let diagram =
            Interleaving { trace: &example, pattern_steps: &[], ending: "blocked" }.to_diagram();
        assert!(diagram.starts_with("  main                    Thread-0\n"), "{diagram}");
    }

    #[test]
    fn deadlock_diagram_shows_its_locks() {
        let steps = vec![sample_step(0, "lock", Some(1)), sample_step(1, "lock", Some(2))];
        let example = sample_trace("deadlock", steps);
        let diagram =
            Interleaving { trace: &example, pattern_steps: &[], ending: "blocked" }.to_diagram();
        assert!(diagram.contains("takes Till.sum"), "{diagram}");
        assert_eq!(diagram.lines().count(), 4);
    }
}
