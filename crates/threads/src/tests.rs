//! Candidates for whole programs, with real compiler facts.

mod alternation;
mod atomics;
mod early_join;
mod latches;
mod lock_order;
mod move_into_section;
mod null_checks;
mod policy;
mod publication;
mod rejected_candidates;
mod repeated_checks;
mod synchronized;

use super::SourceFile;
use crate::evidence::bug_context::BugContext;
use crate::generate_candidates;
use crate::operator::{ConcurrencyCandidate, ConcurrencyOperator};
use mend_engine::test_support::{shared_server, source_set};
use mend_java::Code;
use mend_java::apply_edits;
use mend_model::RepoPath;
use mend_model::schedules::Findings;
use mend_model::schedules::{
    CodeLocation, DataRace, FailureGroup, PatternCount, PatternInstance, Schedule, ScheduleStep,
    ScheduleTrace,
};
use std::collections::BTreeSet;

const PATH: &str = "p/A.java";

/// Findings of a schedule search for a program.
struct FindingsBuilder<'a> {
    text: &'a str,
    findings: Findings,
}

impl<'a> FindingsBuilder<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, findings: Findings { failing: 1, run: 2, ..Findings::default() } }
    }

    /// Returns the location of the first line that contains a text.
    fn site(&self, line_part: &str, subject: &str) -> CodeLocation {
        let at = self.text.lines().position(|line| line.contains(line_part)).unwrap();
        let line = u32::try_from(at + 1).unwrap();
        let (class, method, subject) = ("p.A".to_owned(), "m".to_owned(), subject.to_owned());
        CodeLocation { class, method, line, turn: 0, subject }
    }

    fn with_pattern(mut self, form: &str, steps: &[(&str, &str)]) -> Self {
        let sites = steps.iter().map(|(words, subject)| self.site(words, subject)).collect();
        let (key, form) = (form.to_owned(), form.to_owned());
        self.findings.patterns.push(PatternCount { key, form, sites, failing: 3, passing: 0 });
        self
    }

    fn with_race(mut self, one: &str, other: &str, variable: &str) -> Self {
        self.findings.failing = 0;
        let sites = vec![self.site(one, variable), self.site(other, variable)];
        let variable = variable.to_owned();
        self.findings.races.push(DataRace { variable, sites, schedules: 1 });
        self
    }

    /// Adds a failed schedule of a kind, with at most one step.
    fn with_failure(mut self, kind: &str, step: Option<(&str, &str, &str)>) -> Self {
        let site = step.map(|(_, words, subject)| self.site(words, subject));
        let steps = step.map(|(what, ..)| schedule_step(0, what));
        let schedule = Schedule {
            test: "p.ATest\t\talways".to_owned(),
            scheduler: "pos".to_owned(),
            seed: 0,
            shared: Vec::new(),
            choices: Vec::new(),
        };
        let example = ScheduleTrace {
            kind: kind.to_owned(),
            text: None,
            thread: 0,
            waiting: Vec::new(),
            result: None,
            schedule,
            threads: Vec::new(),
            steps: steps.into_iter().collect(),
            sites: site.into_iter().collect(),
            stacks: Vec::new(),
            patterns: Vec::new(),
            cut_short: false,
            decisive_pairs: Vec::new(),
            lock_classes: BTreeSet::new(),
        };
        self.findings.groups.push(FailureGroup { count: 1, first: 1, example });
        self
    }

    /// Adds an instance of the last pattern to the last failed schedule, with one step for each of these threads.
    fn with_instance(mut self, threads: &[usize]) -> Self {
        let key = self.findings.patterns.last().unwrap().key.clone();
        let example = &mut self.findings.groups.last_mut().unwrap().example;
        let first = example.steps.len();
        example.steps.extend(threads.iter().map(|thread| schedule_step(*thread, "access")));
        example
            .patterns
            .push(PatternInstance { key, steps: (first..example.steps.len()).collect() });
        self
    }

    /// Adds repeated steps of a thread at one location to the last failed schedule.
    fn with_visits(mut self, thread: usize, words: &str, subject: &str, times: usize) -> Self {
        let place = self.site(words, subject);
        let example = &mut self.findings.groups.last_mut().unwrap().example;
        let site = example.sites.len();
        example.sites.push(place);
        let visit = ScheduleStep { site, ..schedule_step(thread, "access") };
        example.steps.extend(std::iter::repeat_n(visit, times));
        self
    }

    /// Returns the operators and resulting programs of all candidates.
    fn candidates(&self) -> Vec<(ConcurrencyOperator, String)> {
        self.candidates_in(false)
    }

    fn candidates_in(&self, is_test: bool) -> Vec<(ConcurrencyOperator, String)> {
        self.candidates_with_files(&[], is_test)
    }

    /// Returns [`Self::candidates`] with further files before this one.
    fn candidates_with_files(
        &self,
        others: &[(&str, &str)],
        is_test: bool,
    ) -> Vec<(ConcurrencyOperator, String)> {
        let own = (PATH, self.text);
        let all: Vec<(&str, &str)> = others.iter().copied().chain([own]).collect();
        let all = self.generate(&all, is_test).into_iter();
        let path = RepoPath::from(PATH);
        let edits = all.filter_map(|one| Some((one.operator, one.edits.get(&path)?.clone())));
        edits.map(|(way, edits)| (way, apply_edits(self.text, &edits).unwrap())).collect()
    }

    /// Returns the descriptions of all candidates, best first.
    fn descriptions(&self) -> Vec<String> {
        let all = self.generate(&[(PATH, self.text)], false);
        all.into_iter().map(|one| one.description).collect()
    }

    /// Returns the candidates for these files, best first.
    fn generate(&self, all: &[(&str, &str)], is_test: bool) -> Vec<ConcurrencyCandidate> {
        let facts = shared_server().analyse(&source_set(all)).unwrap();
        let mut files = Vec::new();
        for (path, text) in all {
            let path = RepoPath::from(*path);
            let code = Code::new(&facts, &path, text.as_bytes()).unwrap();
            files.push(SourceFile { path, code, is_test });
        }
        generate_candidates(&files, &self.findings)
    }
}

/// Creates a step of a thread.
fn schedule_step(thread: usize, what: &str) -> ScheduleStep {
    let (location, name, other, locks) = (None, None, None, Vec::new());
    ScheduleStep {
        thread,
        what: what.to_owned(),
        site: 0,
        location,
        name,
        other,
        time: 1,
        stack: None,
        locks,
        value: None,
    }
}

/// Returns the source of a class with members, each on its own lines.
fn class_with_members(members: &str) -> String {
    let members = members.replace('\n', "\n    ");
    format!("package p;\n\nclass A {{\n    {members}\n}}\n")
}

fn assert_candidate(builder: &FindingsBuilder<'_>, way: ConcurrencyOperator, wanted: &str) {
    let all = builder.candidates();
    let is_there = all.iter().any(|(one, text)| *one == way && *text == wanted);
    assert!(is_there, "not among these:\n{all:#?}");
}

/// Asserts that this is the best candidate.
fn assert_best_candidate(builder: &FindingsBuilder<'_>, way: ConcurrencyOperator, wanted: &str) {
    let all = builder.candidates();
    assert_eq!(all.first().map(|(one, text)| (*one, text.as_str())), Some((way, wanted)));
}

#[test]
fn accesses_in_several_methods_are_guarded_in_common_caller() {
    let before = class_with_members(
        "String text;\n\nsynchronized int size() {\n    return text.length();\n}\n\nsynchronized String head(int n) {\n    \
         return text.substring(n);\n}\n\nsynchronized void clear() {\n    text = \"\";\n}\n\nString copy(A other) {\n    \
         int size = other.size();\n    return other.head(size);\n}",
    );
    let text = "p.A.text";
    let builder = FindingsBuilder::new(&before)
        .with_pattern("RWR", &[("text.length", text), ("text = \"", text), ("text.sub", text)]);
    let after = before.replace(
        "        int size = other.size();\n        return other.head(size);\n",
        "        synchronized (other) {\n            int size = other.size();\n            return other.head(size);\n        }\n",
    );
    assert_candidate(&builder, ConcurrencyOperator::Synchronized, &after);
}

#[test]
fn lock_created_per_call_becomes_field() {
    let before = class_with_members(
        "int sum;\n\nvoid add() {\n    Object lock = new Object();\n    synchronized (lock) {\n        sum = sum + 1;\n    }\n}",
    );
    let steps = [("sum = sum", "p.A.sum"); 3];
    let builder = FindingsBuilder::new(&before).with_pattern("RWW", &steps);
    let after = before
        .replace("        Object lock = new Object();\n", "")
        .replace("    int sum;\n", "    private final Object lock = new Object();\n    int sum;\n");
    assert_best_candidate(&builder, ConcurrencyOperator::OtherLock, &after);
}

#[test]
fn static_state_is_guarded_by_class_lock() {
    let before =
        class_with_members("static int last;\n\nsynchronized int next() {\n    return ++last;\n}");
    let builder = FindingsBuilder::new(&before).with_pattern("RWW", &[("++last", "p.A.last"); 3]);
    assert_best_candidate(
        &builder,
        ConcurrencyOperator::OtherLock,
        &before.replace("synchronized int", "static synchronized int"),
    );
}

#[test]
fn raced_flag_becomes_volatile() {
    let before = class_with_members(
        "boolean over;\n\nvoid stop() {\n    over = true;\n}\n\nvoid run() {\n    while (!over) { }\n}",
    );
    let builder = FindingsBuilder::new(&before).with_race("over = true", "!over", "p.A.over");
    assert_best_candidate(
        &builder,
        ConcurrencyOperator::Volatile,
        &before.replace("boolean over", "volatile boolean over"),
    );
}

#[test]
fn checked_and_used_field_is_read_once() {
    let before = class_with_members(
        "volatile String name;\n\nvoid drop() {\n    name = null;\n}\n\nint size() {\n    if (name != null) {\n        \
         return name.length();\n    }\n    return 0;\n}",
    );
    let name = "p.A.name";
    let builder = FindingsBuilder::new(&before).with_pattern(
        "RWR",
        &[("name != null", name), ("name = null", name), ("name.length", name)],
    );
    let after = before.replace(
        "        if (name != null)",
        "        String name = this.name;\n        if (name != null)",
    );
    assert_best_candidate(&builder, ConcurrencyOperator::LocalCopy, &after);
}

#[test]
fn local_variable_with_the_value_of_a_field_is_used_again() {
    let before = class_with_members(
        "int hash;\n\nint hash() {\n    int result = hash;\n    if (hash == 0) {\n        result = 17;\n        \
         hash = result;\n    }\n    return result;\n}",
    );
    let hash = "p.A.hash";
    let builder = FindingsBuilder::new(&before).with_pattern(
        "RWR",
        &[("result = hash", hash), ("hash = result", hash), ("hash == 0", hash)],
    );
    let after = before.replace("if (hash == 0)", "if (result == 0)");
    assert_candidate(&builder, ConcurrencyOperator::LocalCopy, &after);
    let after = after.replace("int hash;", "volatile int hash;");
    assert_best_candidate(&builder, ConcurrencyOperator::LocalCopy, &after);
}

#[test]
fn thread_unsafe_collection_is_replaced() {
    for (made, now) in [
        ("java.util.LinkedHashMap", "Collections.synchronizedMap(new LinkedHashMap<>())"),
        ("java.util.TreeSet", "new ConcurrentSkipListSet<>()"),
        ("java.util.PriorityQueue", "new PriorityBlockingQueue<>()"),
    ] {
        let all = format!(
            "final Iterable<String> all = new {made}<>();\n\nvoid add() {{\n    all.hashCode();\n}}"
        );
        let all = if made.ends_with("Map") {
            all.replace("Iterable<", "java.util.Map<String, ")
        } else {
            all
        };
        let before = class_with_members(&all);
        let builder = FindingsBuilder::new(&before)
            .with_pattern("WW", &[("all.hashCode", "java.util.Set.hashCode"); 2]);
        let proposed = builder.candidates();
        let is_there = proposed
            .iter()
            .any(|(way, text)| *way == ConcurrencyOperator::Container && text.contains(now));
        assert!(is_there, "{proposed:#?}");
    }
}

#[test]
fn accesses_on_one_line_are_ordered_by_evaluation() {
    let text = class_with_members(
        "int x;\nA next;\n\nvoid m(A a, A b) {\n    a.x = b.x + 1;\n    a.x += b.x;\n    next.next.next = null;\n}",
    );
    let builder = FindingsBuilder::new(&text);
    let facts = shared_server().analyse(&source_set(&[(PATH, &text)])).unwrap();
    let path = RepoPath::from(PATH);
    let code = Code::new(&facts, &path, text.as_bytes()).unwrap();
    let files = [SourceFile { path: path.clone(), code, is_test: false }];
    let context = BugContext::new(&files, &builder.findings);
    let order = |words: &str, subject: &str, count: u32| {
        let site = |turn| CodeLocation { turn, ..builder.site(words, subject) };
        let locations = (0..count).map(|turn| context.locate(&site(turn)).unwrap().node);
        locations.map(|node| files[0].code.source_text(node)).collect::<Vec<_>>()
    };
    assert_eq!(order("a.x = b.x", "p.A.x", 2), ["b.x", "a.x"]);
    assert_eq!(order("a.x += b.x", "p.A.x", 3), ["a.x", "b.x", "a.x"]);
    let links = ["next", "next.next", "next.next.next"];
    assert_eq!(order("next.next.next", "p.A.next", 3), links);
}

#[test]
fn join_handles_interrupts() {
    let before = class_with_members(
        "volatile int sum;\n\nint run() {\n    Thread worker = new Thread(() -> sum = 7);\n    worker.start();\n    \
         return sum;\n}",
    );
    let builder = FindingsBuilder::new(&before)
        .with_pattern("RW", &[("return sum", "p.A.sum"), ("sum = 7", "p.A.sum")])
        .with_failure("test", Some(("start", "worker.start", "start")));
    let after = before.replace(
        "        return sum;",
        "        try {\n            worker.join();\n        } catch (InterruptedException e) {\n            \
         Thread.currentThread().interrupt();\n            throw new IllegalStateException(e);\n        }\n        return sum;",
    );
    assert_best_candidate(&builder, ConcurrencyOperator::Join, &after);
    let open = before.replace("int run()", "int run() throws InterruptedException");
    let builder = FindingsBuilder::new(&open)
        .with_pattern("RW", &[("return sum", "p.A.sum"), ("sum = 7", "p.A.sum")])
        .with_failure("test", Some(("start", "worker.start", "start")));
    let after = open.replace("        return sum;", "        worker.join();\n        return sum;");
    assert_best_candidate(&builder, ConcurrencyOperator::Join, &after);
}

#[test]
fn thread_joined_elsewhere_is_not_joined_again() {
    let before = class_with_members(
        "int sum;\nfinal Thread worker = new Thread(() -> sum = 7);\n\nvoid start() {\n    worker.start();\n    \
         sum++;\n}\n\nvoid stop() throws Exception {\n    worker.join();\n}",
    );
    let builder = FindingsBuilder::new(&before)
        .with_pattern("RW", &[("sum++", "p.A.sum"), ("sum = 7", "p.A.sum")])
        .with_failure("test", Some(("start", "worker.start", "start")));
    assert!(builder.candidates().iter().all(|(way, _)| *way != ConcurrencyOperator::Join));
}

#[test]
fn value_is_set_before_its_flag() {
    let before = class_with_members(
        "int value;\nvolatile boolean ready;\n\nvoid publish(int value) {\n    ready = true;\n    this.value = value;\n}\n\n\
         int read() {\n    return ready ? value : -1;\n}",
    );
    let builder = FindingsBuilder::new(&before)
        .with_pattern("RW", &[("? value", "p.A.value"), ("this.value", "p.A.value")]);
    let after = before.replace(
        "        ready = true;\n        this.value = value;\n",
        "        this.value = value;\n        ready = true;\n",
    );
    assert_best_candidate(&builder, ConcurrencyOperator::Move, &after);
}

#[test]
fn unpublished_array_is_not_moved() {
    let before = class_with_members(
        "int[] low;\nint[] high;\n\nvoid init() {\n    low = new int[2];\n    high = new int[2];\n}\n\nvoid set() {\n    high[1] = 3;\n}",
    );
    let step = ("high[1] = 3", "[]");
    let builder = FindingsBuilder::new(&before).with_pattern("WW", &[step, step]);
    assert!(
        builder.candidates().iter().all(|(way, _)| *way != ConcurrencyOperator::Move),
        "{:?}",
        builder.candidates()
    );
}

#[test]
fn thread_starts_after_calls_it_needs() {
    let before = class_with_members(
        "int value;\n\nvoid init() {\n    value = 7;\n}\n\nvoid run() throws InterruptedException {\n    \
         Thread worker = new Thread(() -> System.out.println(value));\n    worker.start();\n    init();\n    \
         worker.join();\n}",
    );
    let builder = FindingsBuilder::new(&before)
        .with_failure("test", Some(("start", "worker.start", "start")));
    let after = before.replace(
        "        worker.start();\n        init();\n",
        "        init();\n        worker.start();\n",
    );
    assert_candidate(&builder, ConcurrencyOperator::Move, &after);
    let passed = before.replace("        init();\n", "        worker.setName(\"w\");\n");
    let builder = FindingsBuilder::new(&passed)
        .with_failure("test", Some(("start", "worker.start", "start")));
    assert!(
        builder.candidates().iter().all(|(_, text)| text.find("start()") < text.find("join()"))
    );
}

#[test]
fn dependent_statement_is_not_moved() {
    let before = class_with_members(
        "int value;\nvolatile boolean ready;\n\nvoid publish(int n) {\n    ready = n > 0;\n    value = ready ? n : 0;\n}",
    );
    let steps = [("value = ready", "p.A.value"), ("value = ready", "p.A.value")];
    let builder = FindingsBuilder::new(&before).with_pattern("RW", &steps);
    assert!(builder.candidates().iter().all(|(way, _)| *way != ConcurrencyOperator::Move));
}

#[test]
fn wait_is_in_loop_under_lock() {
    let class_with = |body: &str| {
        class_with_members(&format!(
            "Object thing;\n\nsynchronized void put(Object one) {{\n    thing = one;\n    notifyAll();\n}}\n\n{body}"
        ))
    };
    let signature = "synchronized Object take() throws InterruptedException";
    let bare = class_with(&format!("{signature} {{\n    wait();\n    return thing;\n}}"));
    let builder = FindingsBuilder::new(&bare).with_failure("lost_signal", None);
    let after = bare.replace(
        "        wait();\n",
        "        while (thing == null) {\n            wait();\n        }\n",
    );
    assert_best_candidate(&builder, ConcurrencyOperator::Signal, &after);
    let once = class_with(&format!(
        "{signature} {{\n    if (thing == null) {{\n        wait();\n    }}\n    return thing;\n}}"
    ));
    let builder = FindingsBuilder::new(&once).with_failure("exception", None);
    assert_best_candidate(
        &builder,
        ConcurrencyOperator::Signal,
        &once.replace("if (thing", "while (thing"),
    );
    let outside = class_with(
        "void rest() throws InterruptedException {\n    if (thing == null) {\n        synchronized (this) {\n            \
         wait();\n        }\n    }\n}",
    );
    let builder = FindingsBuilder::new(&outside).with_failure("lost_signal", None);
    let after = outside.replace(
        "        if (thing == null) {\n            synchronized (this) {\n                wait();\n            }\n        }\n",
        "        synchronized (this) {\n            while (thing == null) {\n                wait();\n            }\n        }\n",
    );
    assert_best_candidate(&builder, ConcurrencyOperator::Signal, &after);
}

#[test]
fn local_copy_does_not_hide_concurrent_writes() {
    let before = class_with_members(
        "int sold;\n\nint sell() throws InterruptedException {\n    for (int i = 0; i < 3; i++) {\n        sold--;\n    }\n    \
         Thread one = new Thread(() -> sold++);\n    one.start();\n    one.join();\n    return sold;\n}",
    );
    let builder = FindingsBuilder::new(&before).with_pattern("RWR", &[("sold--", "p.A.sold"); 3]);
    assert!(builder.candidates().iter().all(|(way, _)| *way != ConcurrencyOperator::LocalCopy));
}

#[test]
fn concurrent_threads_are_not_serialised() {
    let before = class_with_members(
        "volatile int sum;\n\nint run() throws InterruptedException {\n    Thread one = new Thread(() -> sum = 1);\n    \
         Thread two = new Thread(() -> sum = 2);\n    one.start();\n    two.start();\n    return sum;\n}",
    );
    let builder =
        FindingsBuilder::new(&before).with_failure("test", Some(("start", "one.start", "start")));
    let all = builder.candidates();
    assert!(all.iter().any(|(way, _)| *way == ConcurrencyOperator::Join));
    assert!(all.iter().all(|(_, text)| !text.contains("one.join();\n        two.start();")));
}

#[test]
fn constructors_are_not_guarded() {
    let before = class_with_members("static int made;\n\nA() {\n    made++;\n}");
    let builder = FindingsBuilder::new(&before).with_pattern("RWW", &[("made++", "p.A.made"); 3]);
    assert!(builder.candidates().iter().all(|(way, _)| *way != ConcurrencyOperator::Synchronized));
}

#[test]
fn tests_are_edited_only_to_wait() {
    let text = class_with_members(
        "int hits;\n\nint run() {\n    new Thread(() -> hits++).start();\n    \
         hits++;\n    return hits;\n}",
    );
    let builder = FindingsBuilder::new(&text)
        .with_pattern("RWW", &[("        hits++", "p.A.hits"); 3])
        .with_race("        hits++", "return hits", "p.A.hits")
        .with_failure("test", Some(("start", "new Thread", "start")));
    assert!(builder.candidates().iter().any(|(way, _)| *way != ConcurrencyOperator::Join));
    let of_test = builder.candidates_in(true);
    assert!(of_test.iter().all(|(way, _)| *way == ConcurrencyOperator::Join), "{of_test:#?}");
}

#[test]
fn final_local_lock_becomes_typed_field() {
    for declared in ["final Object lock", "var lock", "final var lock"] {
        let before = class_with_members(&format!(
            "int sum;\n\nvoid add() {{\n    {declared} = new Object();\n    synchronized (lock) {{\n        sum = sum + \
             1;\n    }}\n}}"
        ));
        let builder =
            FindingsBuilder::new(&before).with_pattern("RWW", &[("sum = sum", "p.A.sum"); 3]);
        let after = before.replace(&format!("        {declared} = new Object();\n"), "").replace(
            "    int sum;\n",
            "    private final Object lock = new Object();\n    int sum;\n",
        );
        assert_best_candidate(&builder, ConcurrencyOperator::OtherLock, &after);
    }
}

#[test]
fn two_locks_passed_to_method_become_one() {
    let lock = "java.util.concurrent.locks.Lock";
    let before = class_with_members(&format!(
        "static {lock} one;\nstatic {lock} two;\nstatic int sum;\n\nstatic void add() {{\n    take(one);\n    sum++;\n    \
         one.unlock();\n}}\n\nstatic void drop() {{\n    take(two);\n    sum--;\n    two.unlock();\n}}\n\n\
         static void take({lock} lock) {{\n    lock.lock();\n}}"
    ));
    let sum = "p.A.sum";
    let builder = FindingsBuilder::new(&before)
        .with_pattern("RWW", &[("sum++", sum), ("sum--", sum), ("sum++", sum)]);
    let after = before.replace("take(two)", "take(one)").replace("two.unlock", "one.unlock");
    assert_best_candidate(&builder, ConcurrencyOperator::OtherLock, &after);
    // A lock that other code also uses has another purpose.
    let both = before.replace("static void take", "static void rest() {\n        take(one);\n        take(two);\n    }\n\n    static void take");
    let builder = FindingsBuilder::new(&both)
        .with_pattern("RWW", &[("sum++", sum), ("sum--", sum), ("sum++", sum)]);
    assert!(builder.candidates().iter().all(|(way, _)| *way != ConcurrencyOperator::OtherLock));
}
