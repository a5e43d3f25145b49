//! Candidates for whole programs, with real compiler facts.

mod alternation;
mod atomics;
mod early_join;
mod latches;
mod lock_order;
mod move_into_section;
mod null_checks;
mod rejected_candidates;
mod synchronized;

use super::SourceFile;
use crate::candidate::ConcurrencyOperator;
use crate::evidence::bug_context::BugContext;
use crate::remedies;
use mend_engine::test_support::{server, sources};
use mend_java::Code;
use mend_java::edited;
use mend_model::RepoPath;
use mend_model::schedules::Findings;
use mend_model::schedules::{
    CodeLocation, DataRace, FailureGroup, PatternCount, PatternInstance, Schedule, ScheduleStep,
    ScheduleTrace,
};

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

    /// The place of the first line with these words.
    fn site(&self, words: &str, subject: &str) -> CodeLocation {
        let at = self.text.lines().position(|line| line.contains(words)).unwrap();
        let line = u32::try_from(at + 1).unwrap();
        let (class, method, subject) = ("p.A".to_owned(), "m".to_owned(), subject.to_owned());
        CodeLocation { class, method, line, turn: 0, subject }
    }

    fn pattern(mut self, form: &str, steps: &[(&str, &str)]) -> Self {
        let sites = steps.iter().map(|(words, subject)| self.site(words, subject)).collect();
        let (key, form) = (form.to_owned(), form.to_owned());
        self.findings.patterns.push(PatternCount { key, form, sites, failing: 3, passing: 0 });
        self
    }

    fn race(mut self, one: &str, other: &str, variable: &str) -> Self {
        self.findings.failing = 0;
        let sites = vec![self.site(one, variable), self.site(other, variable)];
        let variable = variable.to_owned();
        self.findings.races.push(DataRace { variable, sites, schedules: 1 });
        self
    }

    /// A schedule that failed in some way, with one step.
    fn failed(mut self, kind: &str, step: Option<(&str, &str, &str)>) -> Self {
        let site = step.map(|(_, words, subject)| self.site(words, subject));
        let steps = step.map(|(what, ..)| done(0, what));
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
        };
        self.findings.groups.push(FailureGroup { count: 1, first: 1, example });
        self
    }

    /// The last pattern is seen in the last schedule that failed, its steps made by these threads.
    fn seen_by(mut self, threads: &[usize]) -> Self {
        let key = self.findings.patterns.last().unwrap().key.clone();
        let example = &mut self.findings.groups.last_mut().unwrap().example;
        let first = example.steps.len();
        example.steps.extend(threads.iter().map(|thread| done(*thread, "access")));
        example
            .patterns
            .push(PatternInstance { key, steps: (first..example.steps.len()).collect() });
        self
    }

    /// In the last schedule that failed, a thread came to a place several times.
    fn visited(mut self, thread: usize, words: &str, subject: &str, times: usize) -> Self {
        let place = self.site(words, subject);
        let example = &mut self.findings.groups.last_mut().unwrap().example;
        let site = example.sites.len();
        example.sites.push(place);
        let visit = ScheduleStep { site, ..done(thread, "access") };
        example.steps.extend(std::iter::repeat_n(visit, times));
        self
    }

    /// All that is proposed: its way, and the program with it.
    fn proposed(&self) -> Vec<(ConcurrencyOperator, String)> {
        self.proposed_for(false)
    }

    fn proposed_for(&self, is_test: bool) -> Vec<(ConcurrencyOperator, String)> {
        self.proposed_beside(&[], is_test)
    }

    /// Returns [`Self::proposed`] with further files before it.
    fn proposed_beside(
        &self,
        others: &[(&str, &str)],
        is_test: bool,
    ) -> Vec<(ConcurrencyOperator, String)> {
        let own = (PATH, self.text);
        let all: Vec<(&str, &str)> = others.iter().copied().chain([own]).collect();
        let facts = server().facts(&sources(&all)).unwrap();
        let mut files = Vec::new();
        for (path, text) in &all {
            let path = RepoPath::from(*path);
            let code = Code::new(&facts, &path, text.as_bytes()).unwrap();
            files.push(SourceFile { path, code, is_test });
        }
        let all = remedies(&files, &self.findings).into_iter();
        let path = RepoPath::from(PATH);
        let edits = all.filter_map(|one| Some((one.way, one.edits.get(&path)?.clone())));
        edits.map(|(way, edits)| (way, edited(self.text, &edits).unwrap())).collect()
    }
}

/// A step of a thread.
fn done(thread: usize, what: &str) -> ScheduleStep {
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
    }
}

/// A class with members, each on lines of its own.
fn class(members: &str) -> String {
    let members = members.replace('\n', "\n    ");
    format!("package p;\n\nclass A {{\n    {members}\n}}\n")
}

fn holds(told: &FindingsBuilder<'_>, way: ConcurrencyOperator, wanted: &str) {
    let all = told.proposed();
    let is_there = all.iter().any(|(one, text)| *one == way && *text == wanted);
    assert!(is_there, "not among these:\n{all:#?}");
}

/// The first proposal is this one.
fn begins(told: &FindingsBuilder<'_>, way: ConcurrencyOperator, wanted: &str) {
    let all = told.proposed();
    assert_eq!(all.first().map(|(one, text)| (*one, text.as_str())), Some((way, wanted)));
}

#[test]
fn places_in_several_methods_meet_in_the_one_that_calls_them() {
    let before = class(
        "String text;\n\nsynchronized int size() {\n    return text.length();\n}\n\nsynchronized String head(int n) {\n    \
         return text.substring(n);\n}\n\nsynchronized void clear() {\n    text = \"\";\n}\n\nString copy(A other) {\n    \
         int size = other.size();\n    return other.head(size);\n}",
    );
    let text = "p.A.text";
    let told = FindingsBuilder::new(&before)
        .pattern("RWR", &[("text.length", text), ("text = \"", text), ("text.sub", text)]);
    let after = before.replace(
        "        int size = other.size();\n        return other.head(size);\n",
        "        synchronized (other) {\n            int size = other.size();\n            return other.head(size);\n        }\n",
    );
    holds(&told, ConcurrencyOperator::Synchronized, &after);
}

#[test]
fn a_lock_that_is_made_for_each_call_becomes_a_field() {
    let before = class(
        "int sum;\n\nvoid add() {\n    Object lock = new Object();\n    synchronized (lock) {\n        sum = sum + 1;\n    }\n}",
    );
    let steps = [("sum = sum", "p.A.sum"); 3];
    let told = FindingsBuilder::new(&before).pattern("RWW", &steps);
    let after = before
        .replace("        Object lock = new Object();\n", "")
        .replace("    int sum;\n", "    private final Object lock = new Object();\n    int sum;\n");
    begins(&told, ConcurrencyOperator::OtherLock, &after);
}

#[test]
fn static_state_is_guarded_by_its_class() {
    let before = class("static int last;\n\nsynchronized int next() {\n    return ++last;\n}");
    let told = FindingsBuilder::new(&before).pattern("RWW", &[("++last", "p.A.last"); 3]);
    begins(
        &told,
        ConcurrencyOperator::OtherLock,
        &before.replace("synchronized int", "static synchronized int"),
    );
}

#[test]
fn a_flag_that_only_races_becomes_volatile() {
    let before = class(
        "boolean over;\n\nvoid stop() {\n    over = true;\n}\n\nvoid run() {\n    while (!over) { }\n}",
    );
    let told = FindingsBuilder::new(&before).race("over = true", "!over", "p.A.over");
    begins(
        &told,
        ConcurrencyOperator::Volatile,
        &before.replace("boolean over", "volatile boolean over"),
    );
}

#[test]
fn what_is_checked_and_used_is_read_once() {
    let before = class(
        "volatile String name;\n\nvoid drop() {\n    name = null;\n}\n\nint size() {\n    if (name != null) {\n        \
         return name.length();\n    }\n    return 0;\n}",
    );
    let name = "p.A.name";
    let told = FindingsBuilder::new(&before)
        .pattern("RWR", &[("name != null", name), ("name = null", name), ("name.length", name)]);
    let after = before.replace(
        "        if (name != null)",
        "        String name = this.name;\n        if (name != null)",
    );
    begins(&told, ConcurrencyOperator::LocalCopy, &after);
}

#[test]
fn a_collection_that_no_two_threads_may_use_is_replaced() {
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
        let before = class(&all);
        let told = FindingsBuilder::new(&before)
            .pattern("WW", &[("all.hashCode", "java.util.Set.hashCode"); 2]);
        let proposed = told.proposed();
        let is_there = proposed
            .iter()
            .any(|(way, text)| *way == ConcurrencyOperator::Container && text.contains(now));
        assert!(is_there, "{proposed:#?}");
    }
}

#[test]
fn accesses_on_one_line_are_told_apart_by_when_they_are_made() {
    let text = class(
        "int x;\nA next;\n\nvoid m(A a, A b) {\n    a.x = b.x + 1;\n    a.x += b.x;\n    next.next.next = null;\n}",
    );
    let told = FindingsBuilder::new(&text);
    let facts = server().facts(&sources(&[(PATH, &text)])).unwrap();
    let path = RepoPath::from(PATH);
    let code = Code::new(&facts, &path, text.as_bytes()).unwrap();
    let files = [SourceFile { path: path.clone(), code, is_test: false }];
    let scene = BugContext::new(&files, &told.findings);
    let order = |words: &str, subject: &str, count: u32| {
        let site = |turn| CodeLocation { turn, ..told.site(words, subject) };
        let spots = (0..count).map(|turn| scene.spot(&site(turn)).unwrap().node);
        spots.map(|node| files[0].code.written(node)).collect::<Vec<_>>()
    };
    assert_eq!(order("a.x = b.x", "p.A.x", 2), ["b.x", "a.x"]);
    assert_eq!(order("a.x += b.x", "p.A.x", 3), ["a.x", "b.x", "a.x"]);
    let links = ["next", "next.next", "next.next.next"];
    assert_eq!(order("next.next.next", "p.A.next", 3), links);
}

#[test]
fn a_thread_is_joined_where_nobody_may_be_interrupted_too() {
    let before = class(
        "volatile int sum;\n\nint run() {\n    Thread worker = new Thread(() -> sum = 7);\n    worker.start();\n    \
         return sum;\n}",
    );
    let told = FindingsBuilder::new(&before)
        .pattern("RW", &[("return sum", "p.A.sum"), ("sum = 7", "p.A.sum")])
        .failed("test", Some(("start", "worker.start", "start")));
    let after = before.replace(
        "        return sum;",
        "        try {\n            worker.join();\n        } catch (InterruptedException e) {\n            \
         Thread.currentThread().interrupt();\n            throw new IllegalStateException(e);\n        }\n        return sum;",
    );
    begins(&told, ConcurrencyOperator::Join, &after);
    let open = before.replace("int run()", "int run() throws InterruptedException");
    let told = FindingsBuilder::new(&open)
        .pattern("RW", &[("return sum", "p.A.sum"), ("sum = 7", "p.A.sum")])
        .failed("test", Some(("start", "worker.start", "start")));
    let after = open.replace("        return sum;", "        worker.join();\n        return sum;");
    begins(&told, ConcurrencyOperator::Join, &after);
}

#[test]
fn a_thread_that_another_method_joins_is_not_joined_where_it_starts() {
    let before = class(
        "int sum;\nfinal Thread worker = new Thread(() -> sum = 7);\n\nvoid start() {\n    worker.start();\n    \
         sum++;\n}\n\nvoid stop() throws Exception {\n    worker.join();\n}",
    );
    let told = FindingsBuilder::new(&before)
        .pattern("RW", &[("sum++", "p.A.sum"), ("sum = 7", "p.A.sum")])
        .failed("test", Some(("start", "worker.start", "start")));
    assert!(told.proposed().iter().all(|(way, _)| *way != ConcurrencyOperator::Join));
}

#[test]
fn what_a_flag_tells_of_is_set_before_the_flag() {
    let before = class(
        "int value;\nvolatile boolean ready;\n\nvoid publish(int value) {\n    ready = true;\n    this.value = value;\n}\n\n\
         int read() {\n    return ready ? value : -1;\n}",
    );
    let told = FindingsBuilder::new(&before)
        .pattern("RW", &[("? value", "p.A.value"), ("this.value", "p.A.value")]);
    let after = before.replace(
        "        ready = true;\n        this.value = value;\n",
        "        this.value = value;\n        ready = true;\n",
    );
    begins(&told, ConcurrencyOperator::Move, &after);
}

#[test]
fn an_array_that_nobody_waits_for_is_not_made_earlier() {
    let before = class(
        "int[] low;\nint[] high;\n\nvoid init() {\n    low = new int[2];\n    high = new int[2];\n}\n\nvoid set() {\n    high[1] = 3;\n}",
    );
    let step = ("high[1] = 3", "[]");
    let told = FindingsBuilder::new(&before).pattern("WW", &[step, step]);
    assert!(
        told.proposed().iter().all(|(way, _)| *way != ConcurrencyOperator::Move),
        "{:?}",
        told.proposed()
    );
}

#[test]
fn a_thread_is_started_after_the_calls_that_it_needs() {
    let before = class(
        "int value;\n\nvoid init() {\n    value = 7;\n}\n\nvoid run() throws InterruptedException {\n    \
         Thread worker = new Thread(() -> System.out.println(value));\n    worker.start();\n    init();\n    \
         worker.join();\n}",
    );
    let told =
        FindingsBuilder::new(&before).failed("test", Some(("start", "worker.start", "start")));
    let after = before.replace(
        "        worker.start();\n        init();\n",
        "        init();\n        worker.start();\n",
    );
    holds(&told, ConcurrencyOperator::Move, &after);
    let passed = before.replace("        init();\n", "        worker.setName(\"w\");\n");
    let told =
        FindingsBuilder::new(&passed).failed("test", Some(("start", "worker.start", "start")));
    assert!(told.proposed().iter().all(|(_, text)| text.find("start()") < text.find("join()")));
}

#[test]
fn a_statement_that_needs_what_comes_before_it_stays() {
    let before = class(
        "int value;\nvolatile boolean ready;\n\nvoid publish(int n) {\n    ready = n > 0;\n    value = ready ? n : 0;\n}",
    );
    let steps = [("value = ready", "p.A.value"), ("value = ready", "p.A.value")];
    let told = FindingsBuilder::new(&before).pattern("RW", &steps);
    assert!(told.proposed().iter().all(|(way, _)| *way != ConcurrencyOperator::Move));
}

#[test]
fn a_wait_is_in_a_loop_under_the_lock() {
    let class_with = |body: &str| {
        class(&format!(
            "Object thing;\n\nsynchronized void put(Object one) {{\n    thing = one;\n    notifyAll();\n}}\n\n{body}"
        ))
    };
    let signature = "synchronized Object take() throws InterruptedException";
    let bare = class_with(&format!("{signature} {{\n    wait();\n    return thing;\n}}"));
    let told = FindingsBuilder::new(&bare).failed("lost_signal", None);
    let after = bare.replace(
        "        wait();\n",
        "        while (thing == null) {\n            wait();\n        }\n",
    );
    begins(&told, ConcurrencyOperator::Signal, &after);
    let once = class_with(&format!(
        "{signature} {{\n    if (thing == null) {{\n        wait();\n    }}\n    return thing;\n}}"
    ));
    let told = FindingsBuilder::new(&once).failed("exception", None);
    begins(&told, ConcurrencyOperator::Signal, &once.replace("if (thing", "while (thing"));
    let outside = class_with(
        "void rest() throws InterruptedException {\n    if (thing == null) {\n        synchronized (this) {\n            \
         wait();\n        }\n    }\n}",
    );
    let told = FindingsBuilder::new(&outside).failed("lost_signal", None);
    let after = outside.replace(
        "        if (thing == null) {\n            synchronized (this) {\n                wait();\n            }\n        }\n",
        "        synchronized (this) {\n            while (thing == null) {\n                wait();\n            }\n        }\n",
    );
    begins(&told, ConcurrencyOperator::Signal, &after);
}

#[test]
fn a_copy_hides_nothing_that_others_write_meanwhile() {
    let before = class(
        "int sold;\n\nint sell() throws InterruptedException {\n    for (int i = 0; i < 3; i++) {\n        sold--;\n    }\n    \
         Thread one = new Thread(() -> sold++);\n    one.start();\n    one.join();\n    return sold;\n}",
    );
    let told = FindingsBuilder::new(&before).pattern("RWR", &[("sold--", "p.A.sold"); 3]);
    assert!(told.proposed().iter().all(|(way, _)| *way != ConcurrencyOperator::LocalCopy));
}

#[test]
fn threads_that_run_at_a_time_are_not_joined_one_by_one() {
    let before = class(
        "volatile int sum;\n\nint run() throws InterruptedException {\n    Thread one = new Thread(() -> sum = 1);\n    \
         Thread two = new Thread(() -> sum = 2);\n    one.start();\n    two.start();\n    return sum;\n}",
    );
    let told = FindingsBuilder::new(&before).failed("test", Some(("start", "one.start", "start")));
    let all = told.proposed();
    assert!(all.iter().any(|(way, _)| *way == ConcurrencyOperator::Join));
    assert!(all.iter().all(|(_, text)| !text.contains("one.join();\n        two.start();")));
}

#[test]
fn nothing_is_put_around_a_constructor() {
    let before = class("static int made;\n\nA() {\n    made++;\n}");
    let told = FindingsBuilder::new(&before).pattern("RWW", &[("made++", "p.A.made"); 3]);
    assert!(told.proposed().iter().all(|(way, _)| *way != ConcurrencyOperator::Synchronized));
}

#[test]
fn a_test_is_changed_only_so_that_it_waits() {
    let text = class(
        "int hits;\n\nint run() {\n    new Thread(() -> hits++).start();\n    \
         hits++;\n    return hits;\n}",
    );
    let told = FindingsBuilder::new(&text)
        .pattern("RWW", &[("        hits++", "p.A.hits"); 3])
        .race("        hits++", "return hits", "p.A.hits")
        .failed("test", Some(("start", "new Thread", "start")));
    assert!(told.proposed().iter().any(|(way, _)| *way != ConcurrencyOperator::Join));
    let of_test = told.proposed_for(true);
    assert!(of_test.iter().all(|(way, _)| *way == ConcurrencyOperator::Join), "{of_test:#?}");
}

#[test]
fn a_final_lock_of_each_call_becomes_a_field_of_its_type() {
    for declared in ["final Object lock", "var lock", "final var lock"] {
        let before = class(&format!(
            "int sum;\n\nvoid add() {{\n    {declared} = new Object();\n    synchronized (lock) {{\n        sum = sum + \
             1;\n    }}\n}}"
        ));
        let told = FindingsBuilder::new(&before).pattern("RWW", &[("sum = sum", "p.A.sum"); 3]);
        let after = before.replace(&format!("        {declared} = new Object();\n"), "").replace(
            "    int sum;\n",
            "    private final Object lock = new Object();\n    int sum;\n",
        );
        begins(&told, ConcurrencyOperator::OtherLock, &after);
    }
}

#[test]
fn of_two_locks_that_are_given_to_a_method_all_take_one() {
    let lock = "java.util.concurrent.locks.Lock";
    let before = class(&format!(
        "static {lock} one;\nstatic {lock} two;\nstatic int sum;\n\nstatic void add() {{\n    take(one);\n    sum++;\n    \
         one.unlock();\n}}\n\nstatic void drop() {{\n    take(two);\n    sum--;\n    two.unlock();\n}}\n\n\
         static void take({lock} lock) {{\n    lock.lock();\n}}"
    ));
    let sum = "p.A.sum";
    let told = FindingsBuilder::new(&before)
        .pattern("RWW", &[("sum++", sum), ("sum--", sum), ("sum++", sum)]);
    let after = before.replace("take(two)", "take(one)").replace("two.unlock", "one.unlock");
    begins(&told, ConcurrencyOperator::OtherLock, &after);
    // One that is held elsewhere too is there for something else.
    let both = before.replace("static void take", "static void rest() {\n        take(one);\n        take(two);\n    }\n\n    static void take");
    let told = FindingsBuilder::new(&both)
        .pattern("RWW", &[("sum++", sum), ("sum--", sum), ("sum++", sum)]);
    assert!(told.proposed().iter().all(|(way, _)| *way != ConcurrencyOperator::OtherLock));
}
