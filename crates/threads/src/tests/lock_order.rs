//! Locks that several threads acquire in sequence: in one order, or never two at the same time.

use super::*;

#[test]
fn two_locks_are_taken_in_one_order() {
    let before = class(
        "int n;\n\nvoid move(A to) {\n    synchronized (this) {\n        synchronized (to) {\n            n--;\n            \
         to.n++;\n        }\n    }\n}",
    );
    let told = FindingsBuilder::new(&before).failed("deadlock", None);
    let after = before.replace(
        "        synchronized (this) {\n            synchronized (to) {",
        "        A first = System.identityHashCode(this) <= System.identityHashCode(to) ? this : to;\n        \
         A second = first == this ? to : this;\n        synchronized (first) {\n            synchronized (second) {",
    );
    holds(&told, ConcurrencyOperator::LockOrder, &after);
}

#[test]
fn the_lock_of_an_object_is_taken_where_others_come_to_its_fields() {
    let before = class(
        "int sum;\n\nstatic class Payer extends Thread {\n    final A till = new A();\n\n    @Override\n    public void \
         run() {\n        till.sum += 3;\n    }\n}",
    );
    let told = FindingsBuilder::new(&before).pattern("RWW", &[("till.sum", "p.A.sum"); 3]);
    let after = before.replace(
        "            till.sum += 3;\n",
        "            synchronized (till) {\n                till.sum += 3;\n            }\n",
    );
    holds(&told, ConcurrencyOperator::Synchronized, &after);
}

#[test]
fn a_lock_is_given_back_before_the_next_one() {
    let before = class(
        "int n;\n\nsynchronized void move(A to) {\n    n--;\n    synchronized (to) {\n        to.n++;\n    }\n}",
    );
    let told = FindingsBuilder::new(&before).failed("deadlock", None);
    let after = before.replace(
        "    synchronized void move(A to) {\n        n--;\n",
        "    void move(A to) {\n        synchronized (this) {\n            n--;\n        }\n",
    );
    holds(&told, ConcurrencyOperator::LockOrder, &after);
}

#[test]
fn a_call_on_itself_takes_no_other_lock() {
    let before = class(
        "int sum;\n\nsynchronized void pay(int n, A to) {\n    this.check();\n    to.add(n);\n}\n\n\
         synchronized void check() {\n}\n\nsynchronized void add(int n) {\n    sum += n;\n}",
    );
    let told = FindingsBuilder::new(&before).failed("deadlock", None);
    let after = before.replace(
        "    synchronized void pay(int n, A to) {\n        this.check();\n        to.add(n);\n",
        "    void pay(int n, A to) {\n        \
         A first = System.identityHashCode(this) <= System.identityHashCode(to) ? this : to;\n        \
         A second = first == this ? to : this;\n        synchronized (first) {\n            \
         synchronized (second) {\n                this.check();\n                to.add(n);\n            }\n        }\n",
    );
    begins(&told, ConcurrencyOperator::LockOrder, &after);
}

#[test]
fn locks_that_two_synchronized_methods_take_are_taken_in_one_order() {
    let before = class(
        "int sum;\n\nsynchronized void pay(int n, A to) {\n    sum -= n;\n    to.add(n);\n}\n\n\
         synchronized void add(int n) {\n    sum += n;\n}",
    );
    let told = FindingsBuilder::new(&before).failed("deadlock", None);
    let after = before.replace(
        "    synchronized void pay(int n, A to) {\n        sum -= n;\n        to.add(n);\n",
        "    void pay(int n, A to) {\n        \
         A first = System.identityHashCode(this) <= System.identityHashCode(to) ? this : to;\n        \
         A second = first == this ? to : this;\n        synchronized (first) {\n            \
         synchronized (second) {\n                sum -= n;\n                to.add(n);\n            }\n        }\n",
    );
    begins(&told, ConcurrencyOperator::LockOrder, &after);
    let after = before.replace(
        "    synchronized void pay(int n, A to) {\n        sum -= n;\n",
        "    void pay(int n, A to) {\n        synchronized (this) {\n            sum -= n;\n        }\n",
    );
    holds(&told, ConcurrencyOperator::LockOrder, &after);
}

#[test]
fn a_lock_is_given_back_before_one_of_those_that_may_come_next() {
    let before = class(
        "int n;\n\nsynchronized void move(A to, boolean isDouble) {\n    n--;\n    if (isDouble) {\n        \
         synchronized (to) {\n            to.n += 2;\n        }\n    } else {\n        synchronized (to) {\n            \
         to.n++;\n        }\n    }\n}",
    );
    let told = FindingsBuilder::new(&before).failed("deadlock", None);
    let after = before.replace(
        "    synchronized void move(A to, boolean isDouble) {\n        n--;\n",
        "    void move(A to, boolean isDouble) {\n        synchronized (this) {\n            n--;\n        }\n",
    );
    holds(&told, ConcurrencyOperator::LockOrder, &after);
}

#[test]
fn the_lock_of_the_object_around_is_taken_for_its_fields() {
    let before = class(
        "int sum;\n\nclass Payer extends Thread {\n    @Override\n    public void run() {\n        sum += 3;\n    }\n}",
    );
    let told = FindingsBuilder::new(&before).pattern("RWW", &[("sum += 3", "p.A.sum"); 3]);
    let after = before.replace(
        "            sum += 3;\n",
        "            synchronized (A.this) {\n                sum += 3;\n            }\n",
    );
    holds(&told, ConcurrencyOperator::Synchronized, &after);
}

#[test]
fn a_field_that_a_class_inherits_is_not_that_of_the_object_around() {
    let before = class(
        "int sum;\n\nsynchronized void add() {\n    sum++;\n}\n\nstatic class Fee extends A {\n    @Override\n    void add() {\n        \
         sum += 3;\n    }\n}",
    );
    let told = FindingsBuilder::new(&before).pattern("RWW", &[("sum += 3", "p.A.sum"); 3]);
    let after = before.replacen("        void add() {", "        synchronized void add() {", 1);
    holds(&told, ConcurrencyOperator::Synchronized, &after);
    assert!(told.proposed().iter().all(|(_, text)| !text.contains("A.this")));
}

#[test]
fn fields_of_one_other_object_that_belong_together_come_under_its_lock() {
    let before = class(
        "int low;\nint high;\n\nstatic void set(A of, int n) {\n    of.low = n;\n    of.high = n;\n}",
    );
    let (low, high) = (("of.low", "p.A.low"), ("of.high", "p.A.high"));
    let told = FindingsBuilder::new(&before).pattern("axbxbyay WWWW", &[low, low, high, high]);
    let after = before.replace(
        "        of.low = n;\n        of.high = n;\n",
        "        synchronized (of) {\n            of.low = n;\n            of.high = n;\n        }\n",
    );
    holds(&told, ConcurrencyOperator::Synchronized, &after);
    assert!(told.proposed().iter().all(|(_, text)| !text.contains("A.class")));
}

#[test]
fn calls_that_come_to_fields_of_the_object_around_are_made_under_its_lock() {
    let before = class(
        "int drawn;\n\nclass User extends Thread {\n    @Override\n    public void run() {\n        draw();\n        \
         System.out.println(drawn);\n    }\n\n    void draw() {\n        drawn++;\n    }\n}",
    );
    let (draw, print) = (("drawn++", "p.A.drawn"), ("println(drawn)", "p.A.drawn"));
    let told = FindingsBuilder::new(&before).pattern("WWR", &[draw, draw, print]);
    let wanted = "            synchronized (A.this) {\n                draw();\n                \
         System.out.println(drawn);\n            }\n";
    let is_there = |(way, text): &(ConcurrencyOperator, String)| {
        *way == ConcurrencyOperator::Synchronized && text.contains(wanted)
    };
    assert!(told.proposed().iter().any(is_there), "{:#?}", told.proposed());
}

#[test]
fn what_belongs_to_a_class_is_guarded_by_the_class_be_the_lock_of_an_object_held_there() {
    let before = class(
        "static int sum;\n\nsynchronized void add() {\n    sum++;\n}\n\nvoid take() {\n    sum--;\n}",
    );
    let sum = "p.A.sum";
    let told = FindingsBuilder::new(&before)
        .pattern("RWW", &[("sum--", sum), ("sum++", sum), ("sum--", sum)]);
    let after = before
        .replace(
            "        sum++;\n",
            "        synchronized (A.class) {\n            sum++;\n        }\n",
        )
        .replace(
            "        sum--;\n",
            "        synchronized (A.class) {\n            sum--;\n        }\n",
        );
    holds(&told, ConcurrencyOperator::Synchronized, &after);
}

#[test]
fn what_is_asked_of_a_lock_is_asked_of_the_other_one_where_they_change_places() {
    let lock = "java.util.concurrent.locks.ReentrantLock";
    let before = class(&format!(
        "final {lock} one = new {lock}();\nfinal {lock} two = new {lock}();\n\nvoid take() {{\n    one.lock();\n    \
         if (two.isLocked()) {{\n        one.unlock();\n        return;\n    }}\n    two.lock();\n    two.unlock();\n    \
         one.unlock();\n}}"
    ));
    let told = FindingsBuilder::new(&before).failed("deadlock", None);
    let after = before.replace("one.", "other.").replace("two.", "one.").replace("other.", "two.");
    holds(&told, ConcurrencyOperator::LockOrder, &after);
}

/// A thread that adds to a value that another thread sets and reads.
fn with_thread() -> String {
    class(
        "int sum;\n\nvoid add() {\n    sum++;\n}\n\nint ask() {\n    return sum;\n}\n\nvoid set() {\n    \
         sum = 7;\n}\n\nvoid run() throws InterruptedException {\n    Thread worker = new Thread(() -> add());\n    \
         worker.start();\n    set();\n    ask();\n}",
    )
}

#[test]
fn a_thread_is_joined_first_where_it_came_too_late_and_not_where_it_came_too_early() {
    let text = with_thread();
    let best = |threads: [usize; 2]| {
        let start = ("start", "worker.start", "start");
        let steps = [("return sum", "p.A.sum"), ("sum++", "p.A.sum")];
        let told = FindingsBuilder::new(&text).pattern("RW", &steps).failed("test", Some(start));
        told.seen_by(&threads).proposed().first().map(|(way, _)| *way)
    };
    assert_eq!(best([0, 1]), Some(ConcurrencyOperator::Join));
    assert_ne!(best([1, 0]), Some(ConcurrencyOperator::Join));
}

#[test]
fn a_thread_is_started_later_only_where_it_came_before_what_an_older_one_writes() {
    let text = with_thread();
    let is_moved = |form: &str, threads: [usize; 2]| {
        let start = ("start", "worker.start", "start");
        let steps = [("sum++", "p.A.sum"), ("sum = 7", "p.A.sum")];
        let told = FindingsBuilder::new(&text).pattern(form, &steps).failed("test", Some(start));
        told.seen_by(&threads).proposed().iter().any(|(way, _)| *way == ConcurrencyOperator::Move)
    };
    assert!(is_moved("WW", [1, 0]) && is_moved("RW", [1, 0]));
    assert!(!is_moved("WR", [1, 0]) && !is_moved("WW", [0, 1]));
}

#[test]
fn a_lock_is_given_back_by_whoever_waits_for_others() {
    let before = class(
        "boolean over;\nThread worker;\n\nsynchronized void stop() throws Exception {\n    over = true;\n    \
         worker.join();\n    worker = null;\n}",
    );
    let told = FindingsBuilder::new(&before).failed("deadlock", None);
    let after = before.replace(
        "    synchronized void stop() throws Exception {\n        over = true;\n        worker.join();\n        \
         worker = null;\n",
        "    void stop() throws Exception {\n        synchronized (this) {\n            over = true;\n        }\n        \
         worker.join();\n        synchronized (this) {\n            worker = null;\n        }\n",
    );
    holds(&told, ConcurrencyOperator::LockOrder, &after);
}

#[test]
fn what_is_waited_for_and_what_is_done_then_are_not_set_apart() {
    let before = class(
        "java.util.List<String> all;\nfinal Object signal = new Object();\n\nsynchronized String take() throws Exception \
         {\n    synchronized (signal) {\n        while (all.isEmpty()) {\n            signal.wait();\n        }\n    }\n    \
         return all.remove(0);\n}",
    );
    let told = FindingsBuilder::new(&before).failed("deadlock", None);
    assert!(told.proposed().iter().all(|(_, text)| text.contains("synchronized String take()")));
}

#[test]
fn objects_of_two_kinds_are_locked_in_the_order_that_others_have() {
    let before = class(
        "static class Hub {\n    synchronized int size() {\n        return 1;\n    }\n}\n\nfinal Hub hub = new \
         Hub();\n\nsynchronized int render() {\n    return hub.size();\n}",
    );
    let told = FindingsBuilder::new(&before).failed("deadlock", None);
    let after = before.replace(
        "    synchronized int render() {\n        return hub.size();\n",
        "    int render() {\n        synchronized (hub) {\n            synchronized (this) {\n                return \
         hub.size();\n            }\n        }\n",
    );
    holds(&told, ConcurrencyOperator::LockOrder, &after);
    assert!(!told.proposed().iter().any(|(_, text)| text.contains("identityHashCode")));
}

#[test]
fn a_lock_is_given_back_whatever_happens() {
    let lock = "java.util.concurrent.locks.Lock";
    let before = class(&format!(
        "{lock} lock;\nint n;\n\nint read(String text) {{\n    lock.lock();\n    int read = \
         Integer.parseInt(text);\n    n += read;\n    lock.unlock();\n    return read;\n}}\n\nvoid \
         add(String text) {{\n    lock.lock();\n    n += Integer.parseInt(text);\n    lock.unlock();\n}}"
    ));
    let told = FindingsBuilder::new(&before).failed("deadlock", None);
    let after = before.replace(
        "        int read = Integer.parseInt(text);\n        n += read;\n        lock.unlock();\n        return read;\n",
        "        try {\n            int read = Integer.parseInt(text);\n            n += read;\n            return read;\n        \
         } finally {\n            lock.unlock();\n        }\n",
    );
    holds(&told, ConcurrencyOperator::OtherLock, &after);
    let after = before.replace(
        "        n += Integer.parseInt(text);\n        lock.unlock();\n",
        "        try {\n            n += Integer.parseInt(text);\n        } finally {\n            lock.unlock();\n        \
         }\n",
    );
    holds(&told, ConcurrencyOperator::OtherLock, &after);
}

#[test]
fn a_lock_is_given_back_before_a_signal_is_waited_for_under_another_one() {
    let gate = "static class Gate {\n    boolean open;\n\n    synchronized void pass() throws Exception {\n        \
                while (!open) {\n            wait();\n        }\n    }\n}";
    let before = class(&format!(
        "int n;\nfinal Gate gate = new Gate();\n\nvoid enter() throws Exception {{\n    synchronized (this) {{\n        \
         gate.pass();\n        n++;\n    }}\n}}\n\n{gate}"
    ));
    let told = FindingsBuilder::new(&before).failed("deadlock", None);
    let after = before.replace(
        "        synchronized (this) {\n            gate.pass();\n            n++;\n",
        "        gate.pass();\n        synchronized (this) {\n            n++;\n",
    );
    holds(&told, ConcurrencyOperator::LockOrder, &after);
    // A thread that waits for a signal on its own lock releases that lock.
    let is_split =
        |(_, text): &(ConcurrencyOperator, String)| !text.contains("synchronized void pass()");
    assert!(!told.proposed().iter().any(is_split));
}

#[test]
fn a_permit_is_given_back_after_what_it_is_for() {
    let of = |end: &str| {
        class(&format!(
            "final java.util.concurrent.Semaphore seat = new java.util.concurrent.Semaphore(1);\nint aboard;\n\nvoid cross() \
             throws Exception {{\n    seat.acquire();\n    try {{\n        aboard++;\n    }} finally {{\n        {end}\n    \
             }}\n}}\n\nvoid leave() {{\n    aboard--;\n}}\n\nvoid rest() {{}}"
        ))
    };
    let aboard = "p.A.aboard";
    let steps = [("aboard++", aboard), ("aboard++", aboard), ("aboard--", aboard)];
    let before = of("seat.release();\n        leave();\n        rest();");
    let after = of("leave();\n        seat.release();\n        rest();");
    holds(&FindingsBuilder::new(&before).pattern("WRW", &steps), ConcurrencyOperator::Move, &after);
    let apart = of("seat.release();\n        rest();");
    let told = FindingsBuilder::new(&apart).pattern("WRW", &steps);
    assert!(told.proposed().iter().all(|(way, _)| *way != ConcurrencyOperator::Move));
}

#[test]
fn a_lock_is_given_back_before_another_object_is_called_by_an_answer() {
    let of = |write: &str| {
        class(&format!(
            "final java.util.Set<A> all = new java.util.HashSet<>();\nint sum;\n\n{write}\n\nsynchronized void answer(A other) \
             {{\n    all.add(other);\n}}"
        ))
    };
    let before = of(
        "synchronized void write(A other) {\n    sum++;\n    if (all.add(other)) {\n        other.answer(this);\n    }\n}",
    );
    let after = of(
        "void write(A other) {\n    boolean added;\n    synchronized (this) {\n        sum++;\n        added = \
         all.add(other);\n    }\n    if (added) {\n        other.answer(this);\n    }\n}",
    );
    begins(
        &FindingsBuilder::new(&before).failed("deadlock", None),
        ConcurrencyOperator::LockOrder,
        &after,
    );
    let is_other = |line: &&str| line.trim() != "sum++;";
    let alone = |text: &str| text.split('\n').filter(is_other).collect::<Vec<_>>().join("\n");
    let (before, after) = (alone(&before), alone(&after));
    begins(
        &FindingsBuilder::new(&before).failed("deadlock", None),
        ConcurrencyOperator::LockOrder,
        &after,
    );
    let looking = before.replace("other.answer(this);", "sum--;\n            other.answer(this);");
    let told = FindingsBuilder::new(&looking).failed("deadlock", None);
    assert!(told.proposed().iter().all(|(_, text)| !text.contains("boolean added")));
}

/// A class that gives its pool away, and a routine that sleeps while that works.
fn with_pool(rest: &str) -> String {
    let pool = "private final ExecutorService pool = Executors.newCachedThreadPool();";
    let text = class(&format!(
        "{pool}\n\nExecutorService pool() {{\n    return pool;\n}}\n\nvoid go() throws Exception {{\n    A one = new A();\n    \
         {rest}\n}}"
    ));
    text.replace("package p;\n", "package p;\n\nimport java.util.concurrent.*;\n")
}

#[test]
fn a_test_waits_for_the_end_of_a_pool_that_it_can_ask_for() {
    let sleeps = with_pool("Thread.sleep(5);\n    one.hashCode();\n    one.pool().shutdown();");
    let waits = with_pool(
        "one.pool().shutdown();\n    one.pool().awaitTermination(1, TimeUnit.MINUTES);\n    one.hashCode();",
    );
    let of_test = |text: &str| {
        let told =
            FindingsBuilder::new(text).failed("test", Some(("sleep", "Thread.sleep", "sleep")));
        told.proposed_for(true)
    };
    assert!(
        of_test(&sleeps).contains(&(ConcurrencyOperator::Join, waits)),
        "{:#?}",
        of_test(&sleeps)
    );
}

#[test]
fn who_shuts_a_pool_down_waits_for_its_tasks() {
    let shut = "\n\nvoid stop() {\n    pool.shutdown();\n}";
    let pool = "final ExecutorService pool = Executors.newCachedThreadPool();\nint sum;";
    let act = "\n\nvoid go() {\n    pool.execute(() -> sum++);\n}";
    let caught = "\n\nvoid rest() {\n    try {\n        wait();\n    } catch (InterruptedException gone) {\n        throw new \
                  RuntimeException(gone);\n    }\n}";
    let text = class(&format!("{pool}{act}{shut}{caught}"))
        .replace("package p;\n", "package p;\n\nimport java.util.concurrent.*;\n");
    let after = text.replace(
        "        pool.shutdown();\n",
        "        pool.shutdown();\n        try {\n            pool.awaitTermination(1, TimeUnit.MINUTES);\n        } catch \
         (InterruptedException gone) {\n            throw new RuntimeException(gone);\n        }\n",
    );
    let told =
        FindingsBuilder::new(&text).failed("test", Some(("start", "pool.execute", "execute")));
    holds(&told, ConcurrencyOperator::Join, &after);
}
