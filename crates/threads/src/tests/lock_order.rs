//! Deadlocks: locks acquired in a fixed order, or never two at the same time; locks of other objects; late and early
//! threads.

use super::*;

#[test]
fn nested_monitors_get_fixed_order() {
    let before = class_with_members(
        "int n;\n\nvoid move(A to) {\n    synchronized (this) {\n        synchronized (to) {\n            n--;\n            \
         to.n++;\n        }\n    }\n}",
    );
    let builder = FindingsBuilder::new(&before).with_failure("deadlock", None);
    let after = before.replace(
        "        synchronized (this) {\n            synchronized (to) {",
        "        A first = System.identityHashCode(this) <= System.identityHashCode(to) ? this : to;\n        \
         A second = first == this ? to : this;\n        synchronized (first) {\n            synchronized (second) {",
    );
    assert_candidate(&builder, ConcurrencyOperator::LockOrder, &after);
}

#[test]
fn access_to_other_object_holds_its_lock() {
    let before = class_with_members(
        "int sum;\n\nstatic class Payer extends Thread {\n    final A till = new A();\n\n    @Override\n    public void \
         run() {\n        till.sum += 3;\n    }\n}",
    );
    let builder = FindingsBuilder::new(&before).with_pattern("RWW", &[("till.sum", "p.A.sum"); 3]);
    let after = before.replace(
        "            till.sum += 3;\n",
        "            synchronized (till) {\n                till.sum += 3;\n            }\n",
    );
    assert_candidate(&builder, ConcurrencyOperator::Synchronized, &after);
}

#[test]
fn lock_is_released_before_next_acquisition() {
    let before = class_with_members(
        "int n;\n\nsynchronized void move(A to) {\n    n--;\n    synchronized (to) {\n        to.n++;\n    }\n}",
    );
    let builder = FindingsBuilder::new(&before).with_failure("deadlock", None);
    let after = before.replace(
        "    synchronized void move(A to) {\n        n--;\n",
        "    void move(A to) {\n        synchronized (this) {\n            n--;\n        }\n",
    );
    assert_candidate(&builder, ConcurrencyOperator::LockOrder, &after);
}

#[test]
fn call_on_this_acquires_no_other_lock() {
    let before = class_with_members(
        "int sum;\n\nsynchronized void pay(int n, A to) {\n    this.check();\n    to.add(n);\n}\n\n\
         synchronized void check() {\n}\n\nsynchronized void add(int n) {\n    sum += n;\n}",
    );
    let builder = FindingsBuilder::new(&before).with_failure("deadlock", None);
    let after = before.replace(
        "    synchronized void pay(int n, A to) {\n        this.check();\n        to.add(n);\n",
        "    void pay(int n, A to) {\n        \
         A first = System.identityHashCode(this) <= System.identityHashCode(to) ? this : to;\n        \
         A second = first == this ? to : this;\n        synchronized (first) {\n            \
         synchronized (second) {\n                this.check();\n                to.add(n);\n            }\n        }\n",
    );
    assert_best_candidate(&builder, ConcurrencyOperator::LockOrder, &after);
}

#[test]
fn synchronized_methods_acquire_locks_in_fixed_order() {
    let before = class_with_members(
        "int sum;\n\nsynchronized void pay(int n, A to) {\n    sum -= n;\n    to.add(n);\n}\n\n\
         synchronized void add(int n) {\n    sum += n;\n}",
    );
    let builder = FindingsBuilder::new(&before).with_failure("deadlock", None);
    let after = before.replace(
        "    synchronized void pay(int n, A to) {\n        sum -= n;\n        to.add(n);\n",
        "    void pay(int n, A to) {\n        \
         A first = System.identityHashCode(this) <= System.identityHashCode(to) ? this : to;\n        \
         A second = first == this ? to : this;\n        synchronized (first) {\n            \
         synchronized (second) {\n                sum -= n;\n                to.add(n);\n            }\n        }\n",
    );
    assert_best_candidate(&builder, ConcurrencyOperator::LockOrder, &after);
    let after = before.replace(
        "    synchronized void pay(int n, A to) {\n        sum -= n;\n",
        "    void pay(int n, A to) {\n        synchronized (this) {\n            sum -= n;\n        }\n",
    );
    assert_candidate(&builder, ConcurrencyOperator::LockOrder, &after);
}

#[test]
fn lock_is_released_before_conditional_acquisition() {
    let before = class_with_members(
        "int n;\n\nsynchronized void move(A to, boolean isDouble) {\n    n--;\n    if (isDouble) {\n        \
         synchronized (to) {\n            to.n += 2;\n        }\n    } else {\n        synchronized (to) {\n            \
         to.n++;\n        }\n    }\n}",
    );
    let builder = FindingsBuilder::new(&before).with_failure("deadlock", None);
    let after = before.replace(
        "    synchronized void move(A to, boolean isDouble) {\n        n--;\n",
        "    void move(A to, boolean isDouble) {\n        synchronized (this) {\n            n--;\n        }\n",
    );
    assert_candidate(&builder, ConcurrencyOperator::LockOrder, &after);
}

#[test]
fn outer_object_lock_guards_its_fields() {
    let before = class_with_members(
        "int sum;\n\nclass Payer extends Thread {\n    @Override\n    public void run() {\n        sum += 3;\n    }\n}",
    );
    let builder = FindingsBuilder::new(&before).with_pattern("RWW", &[("sum += 3", "p.A.sum"); 3]);
    let after = before.replace(
        "            sum += 3;\n",
        "            synchronized (A.this) {\n                sum += 3;\n            }\n",
    );
    assert_candidate(&builder, ConcurrencyOperator::Synchronized, &after);
}

#[test]
fn inherited_field_is_not_outer_field() {
    let before = class_with_members(
        "int sum;\n\nsynchronized void add() {\n    sum++;\n}\n\nstatic class Fee extends A {\n    @Override\n    void add() {\n        \
         sum += 3;\n    }\n}",
    );
    let builder = FindingsBuilder::new(&before).with_pattern("RWW", &[("sum += 3", "p.A.sum"); 3]);
    let after = before.replacen("        void add() {", "        synchronized void add() {", 1);
    assert_candidate(&builder, ConcurrencyOperator::Synchronized, &after);
    assert!(builder.candidates().iter().all(|(_, text)| !text.contains("A.this")));
}

#[test]
fn related_fields_of_other_object_share_its_lock() {
    let before = class_with_members(
        "int low;\nint high;\n\nstatic void set(A of, int n) {\n    of.low = n;\n    of.high = n;\n}",
    );
    let (low, high) = (("of.low", "p.A.low"), ("of.high", "p.A.high"));
    let builder =
        FindingsBuilder::new(&before).with_pattern("axbxbyay WWWW", &[low, low, high, high]);
    let after = before.replace(
        "        of.low = n;\n        of.high = n;\n",
        "        synchronized (of) {\n            of.low = n;\n            of.high = n;\n        }\n",
    );
    assert_candidate(&builder, ConcurrencyOperator::Synchronized, &after);
    assert!(builder.candidates().iter().all(|(_, text)| !text.contains("A.class")));
}

#[test]
fn calls_reaching_outer_fields_hold_outer_lock() {
    let before = class_with_members(
        "int drawn;\n\nclass User extends Thread {\n    @Override\n    public void run() {\n        draw();\n        \
         System.out.println(drawn);\n    }\n\n    void draw() {\n        drawn++;\n    }\n}",
    );
    let (draw, print) = (("drawn++", "p.A.drawn"), ("println(drawn)", "p.A.drawn"));
    let builder = FindingsBuilder::new(&before).with_pattern("WWR", &[draw, draw, print]);
    let wanted = "            synchronized (A.this) {\n                draw();\n                \
         System.out.println(drawn);\n            }\n";
    let is_there = |(way, text): &(ConcurrencyOperator, String)| {
        *way == ConcurrencyOperator::Synchronized && text.contains(wanted)
    };
    assert!(builder.candidates().iter().any(is_there), "{:#?}", builder.candidates());
}

#[test]
fn static_field_needs_class_lock_despite_object_lock() {
    let before = class_with_members(
        "static int sum;\n\nsynchronized void add() {\n    sum++;\n}\n\nvoid take() {\n    sum--;\n}",
    );
    let sum = "p.A.sum";
    let builder = FindingsBuilder::new(&before)
        .with_pattern("RWW", &[("sum--", sum), ("sum++", sum), ("sum--", sum)]);
    let after = before
        .replace(
            "        sum++;\n",
            "        synchronized (A.class) {\n            sum++;\n        }\n",
        )
        .replace(
            "        sum--;\n",
            "        synchronized (A.class) {\n            sum--;\n        }\n",
        );
    assert_candidate(&builder, ConcurrencyOperator::Synchronized, &after);
}

#[test]
fn lock_checks_are_swapped_with_lock_order() {
    let lock = "java.util.concurrent.locks.ReentrantLock";
    let before = class_with_members(&format!(
        "final {lock} one = new {lock}();\nfinal {lock} two = new {lock}();\n\nvoid take() {{\n    one.lock();\n    \
         if (two.isLocked()) {{\n        one.unlock();\n        return;\n    }}\n    two.lock();\n    two.unlock();\n    \
         one.unlock();\n}}"
    ));
    let builder = FindingsBuilder::new(&before).with_failure("deadlock", None);
    let after = before.replace("one.", "other.").replace("two.", "one.").replace("other.", "two.");
    assert_candidate(&builder, ConcurrencyOperator::LockOrder, &after);
}

/// Returns a program with a thread that adds to a value which another thread sets and reads.
fn program_with_thread() -> String {
    class_with_members(
        "int sum;\n\nvoid add() {\n    sum++;\n}\n\nint ask() {\n    return sum;\n}\n\nvoid set() {\n    \
         sum = 7;\n}\n\nvoid run() throws InterruptedException {\n    Thread worker = new Thread(() -> add());\n    \
         worker.start();\n    set();\n    ask();\n}",
    )
}

#[test]
fn join_ranks_first_only_for_late_thread() {
    let text = program_with_thread();
    let best = |threads: [usize; 2]| {
        let start = ("start", "worker.start", "start");
        let steps = [("return sum", "p.A.sum"), ("sum++", "p.A.sum")];
        let builder = FindingsBuilder::new(&text)
            .with_pattern("RW", &steps)
            .with_failure("test", Some(start));
        builder.with_instance(&threads).candidates().first().map(|(way, _)| *way)
    };
    assert_eq!(best([0, 1]), Some(ConcurrencyOperator::Join));
    assert_ne!(best([1, 0]), Some(ConcurrencyOperator::Join));
}

#[test]
fn start_moves_only_for_early_thread() {
    let text = program_with_thread();
    let is_moved = |form: &str, threads: [usize; 2]| {
        let start = ("start", "worker.start", "start");
        let steps = [("sum++", "p.A.sum"), ("sum = 7", "p.A.sum")];
        let builder = FindingsBuilder::new(&text)
            .with_pattern(form, &steps)
            .with_failure("test", Some(start));
        builder
            .with_instance(&threads)
            .candidates()
            .iter()
            .any(|(way, _)| *way == ConcurrencyOperator::Move)
    };
    assert!(is_moved("WW", [1, 0]) && is_moved("RW", [1, 0]));
    assert!(!is_moved("WR", [1, 0]) && !is_moved("WW", [0, 1]));
}

#[test]
fn lock_is_released_during_join() {
    let before = class_with_members(
        "boolean over;\nThread worker;\n\nsynchronized void stop() throws Exception {\n    over = true;\n    \
         worker.join();\n    worker = null;\n}",
    );
    let builder = FindingsBuilder::new(&before).with_failure("deadlock", None);
    let after = before.replace(
        "    synchronized void stop() throws Exception {\n        over = true;\n        worker.join();\n        \
         worker = null;\n",
        "    void stop() throws Exception {\n        synchronized (this) {\n            over = true;\n        }\n        \
         worker.join();\n        synchronized (this) {\n            worker = null;\n        }\n",
    );
    assert_candidate(&builder, ConcurrencyOperator::LockOrder, &after);
}

#[test]
fn wait_and_dependent_code_stay_together() {
    let before = class_with_members(
        "java.util.List<String> all;\nfinal Object signal = new Object();\n\nsynchronized String take() throws Exception \
         {\n    synchronized (signal) {\n        while (all.isEmpty()) {\n            signal.wait();\n        }\n    }\n    \
         return all.remove(0);\n}",
    );
    let builder = FindingsBuilder::new(&before).with_failure("deadlock", None);
    assert!(
        builder.candidates().iter().all(|(_, text)| text.contains("synchronized String take()"))
    );
}

#[test]
fn locks_of_two_classes_follow_existing_order() {
    let before = class_with_members(
        "static class Hub {\n    synchronized int size() {\n        return 1;\n    }\n}\n\nfinal Hub hub = new \
         Hub();\n\nsynchronized int render() {\n    return hub.size();\n}",
    );
    let builder = FindingsBuilder::new(&before).with_failure("deadlock", None);
    let after = before.replace(
        "    synchronized int render() {\n        return hub.size();\n",
        "    int render() {\n        synchronized (hub) {\n            synchronized (this) {\n                return \
         hub.size();\n            }\n        }\n",
    );
    assert_candidate(&builder, ConcurrencyOperator::LockOrder, &after);
    assert!(!builder.candidates().iter().any(|(_, text)| text.contains("identityHashCode")));
}

#[test]
fn lock_is_released_in_finally() {
    let lock = "java.util.concurrent.locks.Lock";
    let before = class_with_members(&format!(
        "{lock} lock;\nint n;\n\nint read(String text) {{\n    lock.lock();\n    int read = \
         Integer.parseInt(text);\n    n += read;\n    lock.unlock();\n    return read;\n}}\n\nvoid \
         add(String text) {{\n    lock.lock();\n    n += Integer.parseInt(text);\n    lock.unlock();\n}}"
    ));
    let builder = FindingsBuilder::new(&before).with_failure("deadlock", None);
    let after = before.replace(
        "        int read = Integer.parseInt(text);\n        n += read;\n        lock.unlock();\n        return read;\n",
        "        try {\n            int read = Integer.parseInt(text);\n            n += read;\n            return read;\n        \
         } finally {\n            lock.unlock();\n        }\n",
    );
    assert_candidate(&builder, ConcurrencyOperator::OtherLock, &after);
    let after = before.replace(
        "        n += Integer.parseInt(text);\n        lock.unlock();\n",
        "        try {\n            n += Integer.parseInt(text);\n        } finally {\n            lock.unlock();\n        \
         }\n",
    );
    assert_candidate(&builder, ConcurrencyOperator::OtherLock, &after);
}

#[test]
fn lock_is_released_before_wait_on_other_lock() {
    let gate = "static class Gate {\n    boolean open;\n\n    synchronized void pass() throws Exception {\n        \
                while (!open) {\n            wait();\n        }\n    }\n}";
    let before = class_with_members(&format!(
        "int n;\nfinal Gate gate = new Gate();\n\nvoid enter() throws Exception {{\n    synchronized (this) {{\n        \
         gate.pass();\n        n++;\n    }}\n}}\n\n{gate}"
    ));
    let builder = FindingsBuilder::new(&before).with_failure("deadlock", None);
    let after = before.replace(
        "        synchronized (this) {\n            gate.pass();\n            n++;\n",
        "        gate.pass();\n        synchronized (this) {\n            n++;\n",
    );
    assert_candidate(&builder, ConcurrencyOperator::LockOrder, &after);
    // A thread that waits for a signal on its own lock releases that lock.
    let is_split =
        |(_, text): &(ConcurrencyOperator, String)| !text.contains("synchronized void pass()");
    assert!(!builder.candidates().iter().any(is_split));
}

#[test]
fn permit_is_released_after_last_use() {
    let of = |end: &str| {
        class_with_members(&format!(
            "final java.util.concurrent.Semaphore seat = new java.util.concurrent.Semaphore(1);\nint aboard;\n\nvoid cross() \
             throws Exception {{\n    seat.acquire();\n    try {{\n        aboard++;\n    }} finally {{\n        {end}\n    \
             }}\n}}\n\nvoid leave() {{\n    aboard--;\n}}\n\nvoid rest() {{}}"
        ))
    };
    let aboard = "p.A.aboard";
    let steps = [("aboard++", aboard), ("aboard++", aboard), ("aboard--", aboard)];
    let before = of("seat.release();\n        leave();\n        rest();");
    let after = of("leave();\n        seat.release();\n        rest();");
    assert_candidate(
        &FindingsBuilder::new(&before).with_pattern("WRW", &steps),
        ConcurrencyOperator::Move,
        &after,
    );
    let apart = of("seat.release();\n        rest();");
    let builder = FindingsBuilder::new(&apart).with_pattern("WRW", &steps);
    assert!(builder.candidates().iter().all(|(way, _)| *way != ConcurrencyOperator::Move));
}

#[test]
fn lock_is_released_between_check_and_call() {
    let of = |write: &str| {
        class_with_members(&format!(
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
    assert_best_candidate(
        &FindingsBuilder::new(&before).with_failure("deadlock", None),
        ConcurrencyOperator::LockOrder,
        &after,
    );
    let is_other = |line: &&str| line.trim() != "sum++;";
    let alone = |text: &str| text.split('\n').filter(is_other).collect::<Vec<_>>().join("\n");
    let (before, after) = (alone(&before), alone(&after));
    assert_best_candidate(
        &FindingsBuilder::new(&before).with_failure("deadlock", None),
        ConcurrencyOperator::LockOrder,
        &after,
    );
    let looking = before.replace("other.answer(this);", "sum--;\n            other.answer(this);");
    let builder = FindingsBuilder::new(&looking).with_failure("deadlock", None);
    assert!(builder.candidates().iter().all(|(_, text)| !text.contains("boolean added")));
}

/// Returns a program with a class that exposes its pool, and a routine that sleeps while the pool works.
fn program_with_pool(rest: &str) -> String {
    let pool = "private final ExecutorService pool = Executors.newCachedThreadPool();";
    let text = class_with_members(&format!(
        "{pool}\n\nExecutorService pool() {{\n    return pool;\n}}\n\nvoid go() throws Exception {{\n    A one = new A();\n    \
         {rest}\n}}"
    ));
    text.replace("package p;\n", "package p;\n\nimport java.util.concurrent.*;\n")
}

#[test]
fn test_awaits_reachable_pool() {
    let sleeps =
        program_with_pool("Thread.sleep(5);\n    one.hashCode();\n    one.pool().shutdown();");
    let waits = program_with_pool(
        "one.pool().shutdown();\n    one.pool().awaitTermination(1, TimeUnit.MINUTES);\n    one.hashCode();",
    );
    let of_test = |text: &str| {
        let builder = FindingsBuilder::new(text)
            .with_failure("test", Some(("sleep", "Thread.sleep", "sleep")));
        builder.candidates_in(true)
    };
    assert!(
        of_test(&sleeps).contains(&(ConcurrencyOperator::Join, waits)),
        "{:#?}",
        of_test(&sleeps)
    );
}

#[test]
fn pool_shutdown_awaits_tasks() {
    let shut = "\n\nvoid stop() {\n    pool.shutdown();\n}";
    let pool = "final ExecutorService pool = Executors.newCachedThreadPool();\nint sum;";
    let act = "\n\nvoid go() {\n    pool.execute(() -> sum++);\n}";
    let caught = "\n\nvoid rest() {\n    try {\n        wait();\n    } catch (InterruptedException gone) {\n        throw new \
                  RuntimeException(gone);\n    }\n}";
    let text = class_with_members(&format!("{pool}{act}{shut}{caught}"))
        .replace("package p;\n", "package p;\n\nimport java.util.concurrent.*;\n");
    let after = text.replace(
        "        pool.shutdown();\n",
        "        pool.shutdown();\n        try {\n            pool.awaitTermination(1, TimeUnit.MINUTES);\n        } catch \
         (InterruptedException gone) {\n            throw new RuntimeException(gone);\n        }\n",
    );
    let builder = FindingsBuilder::new(&text)
        .with_failure("test", Some(("start", "pool.execute", "execute")));
    assert_candidate(&builder, ConcurrencyOperator::Join, &after);
}
