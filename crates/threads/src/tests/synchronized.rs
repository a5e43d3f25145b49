//! Accesses put under a lock: edited blocks, methods and sections.

use super::*;

#[test]
fn lost_update_is_guarded_by_existing_lock() {
    let before = class_with_members(
        "int sum;\n\nvoid add(int n) {\n    int old = sum;\n    sum = old + n;\n}\n\nsynchronized int sum() {\n    \
         return sum;\n}",
    );
    let sum = "p.A.sum";
    let builder = FindingsBuilder::new(&before)
        .with_pattern("RWW", &[("old = sum", sum), ("sum = old", sum), ("sum = old", sum)]);
    assert_best_candidate(
        &builder,
        ConcurrencyOperator::Synchronized,
        &before.replace("void add", "synchronized void add"),
    );
    let block = before.replace(
        "        int old = sum;\n        sum = old + n;\n",
        "        synchronized (this) {\n            int old = sum;\n            sum = old + n;\n        }\n",
    );
    assert_candidate(&builder, ConcurrencyOperator::Synchronized, &block);
}

#[test]
fn trailing_comment_stays_with_statement() {
    for remark in ["// first", "/* first */"] {
        let before = class_with_members(&format!(
            "int sum;\n\nvoid add(int n) {{\n    int old = sum;\n    sum = old + n; {remark}\n    n++;\n}}\n\n\
             synchronized int sum() {{\n    return sum;\n}}",
        ));
        let sum = "p.A.sum";
        let builder = FindingsBuilder::new(&before)
            .with_pattern("RWW", &[("old = sum", sum), ("sum = old", sum), ("sum = old", sum)]);
        let block = before.replace(
            &format!("        int old = sum;\n        sum = old + n; {remark}\n"),
            &format!(
                "        synchronized (this) {{\n            int old = sum;\n            sum = old + n; {remark}\n        }}\n"
            ),
        );
        assert_candidate(&builder, ConcurrencyOperator::Synchronized, &block);
    }
}

#[test]
fn long_method_is_synchronized_if_mostly_critical() {
    let long = "    n++;\n".repeat(14);
    let text =
        format!("int sum;\n\nvoid add(int n) {{\n    int old = sum;\n{long}    sum = old + n;\n}}");
    let (before, sum) = (class_with_members(&text), "p.A.sum");
    let steps = [("old = sum", sum), ("sum = old", sum), ("sum = old", sum)];
    let builder = FindingsBuilder::new(&before).with_pattern("RWW", &steps);
    assert_best_candidate(
        &builder,
        ConcurrencyOperator::Synchronized,
        &before.replace("void add", "synchronized void add"),
    );
}

#[test]
fn unwrapped_block_keeps_indentation() {
    let before = class_with_members(
        "int a;\nint b;\n\nvoid set(int n) {\n    synchronized (this) {\n    \ta = n;\n    }\n    synchronized (this) {\n    \
         \tb = n;\n    \tb++;\n    }\n}",
    );
    let (a, b) = (("a = n", "p.A.a"), ("b = n", "p.A.b"));
    let builder = FindingsBuilder::new(&before).with_pattern("axbxbyay WWWW", &[a, a, b, b]);
    let after = class_with_members(
        "int a;\nint b;\n\nsynchronized void set(int n) {\n    a = n;\n    b = n;\n    b++;\n}",
    );
    assert_candidate(&builder, ConcurrencyOperator::Synchronized, &after);
}

#[test]
fn redundant_inner_blocks_are_removed() {
    let before = class_with_members(
        "int sold;\n\nboolean book() {\n    if (sold > 2) {\n        return false;\n    }\n    synchronized (this) {\n        \
         sold++;\n    }\n    return true;\n}",
    );
    let sold = "p.A.sold";
    let builder = FindingsBuilder::new(&before)
        .with_pattern("RWW", &[("sold > 2", sold), ("sold++", sold), ("sold++", sold)]);
    let after = before.replace("boolean book", "synchronized boolean book").replace(
        "        synchronized (this) {\n            sold++;\n        }\n",
        "        sold++;\n",
    );
    assert_best_candidate(&builder, ConcurrencyOperator::Synchronized, &after);
}

/// Returns a program with two locks, two numbers and a routine that uses them.
fn program_with_locks(act: &str) -> String {
    let lock = "java.util.concurrent.locks.Lock";
    let made = "new java.util.concurrent.locks.ReentrantLock()";
    let act = act.replace('\n', "\n    ");
    class_with_members(&format!(
        "final {lock} one = {made};\nfinal {lock} two = {made};\nint a;\nint b;\n\nvoid set(int n) {{\n    {act}\n}}\n\n\
         int a() {{\n    one.lock();\n    try {{\n        return a;\n    }} finally {{\n        one.unlock();\n    }}\n}}"
    ))
}

#[test]
fn two_sections_merge_under_first_lock() {
    let try_of = |lock: &str, act: &str| {
        format!("{lock}.lock();\ntry {{\n    {act}\n}} finally {{\n    {lock}.unlock();\n}}")
    };
    let first = try_of("one", "a = n;");
    let second = try_of("two", "b = a + 1;");
    let before = program_with_locks(&format!("{first}\n{second}"));
    let (a, b) = (("a = n", "p.A.a"), ("b = a", "p.A.b"));
    let builder = FindingsBuilder::new(&before).with_pattern("axbxbyay WWWW", &[a, a, b, b]);
    let inner = second.replace('\n', "\n    ");
    let after = program_with_locks(&try_of("one", &format!("a = n;\n    {inner}")));
    assert_candidate(&builder, ConcurrencyOperator::Synchronized, &after);
}

/// Asserts that two writes, between which another thread can run, are put under one lock.
fn assert_guarded_by_one_lock(act: &str, after: &str) {
    let before = program_with_locks(act);
    let (a, b) = (("a = n", "p.A.a"), ("b = n", "p.A.b"));
    let builder = FindingsBuilder::new(&before).with_pattern("axbxbyay WWWW", &[a, a, b, b]);
    let inner = after.replace('\n', "\n    ");
    let after = format!("one.lock();\ntry {{\n    {inner}\n}} finally {{\n    one.unlock();\n}}");
    assert_candidate(&builder, ConcurrencyOperator::Synchronized, &program_with_locks(&after));
}

#[test]
fn section_without_try_is_recognised() {
    assert_guarded_by_one_lock("one.lock();\na = n;\none.unlock();\nb = n;", "a = n;\nb = n;");
}

#[test]
fn lock_acquired_in_try_moves_before_it() {
    let within = "try {\n    one.lock();\n    a = n;\n} finally {\n    one.unlock();\n}\nb = n;";
    assert_guarded_by_one_lock(within, "a = n;\nb = n;");
}

#[test]
fn early_released_lock_is_nested() {
    let early = "one.lock();\nif (n < 0) {\n    one.unlock();\n    return;\n}\na = n;\none.unlock();\nb = n;";
    assert_guarded_by_one_lock(early, early);
}

#[test]
fn code_before_thread_start_needs_no_lock() {
    let before = class_with_members(
        "static int sum;\n\nstatic synchronized void add() {\n    sum++;\n}\n\nstatic int get() {\n    return sum;\n}\n\n\
         static void run() {\n    sum = 0;\n    new Thread(A::add).start();\n    get();\n}",
    );
    let steps = [("sum = 0", "p.A.sum"), ("sum++", "p.A.sum"), ("return sum", "p.A.sum")];
    let builder = FindingsBuilder::new(&before).with_pattern("WWR", &steps);
    let all = builder.candidates();
    let after = before.replace("static int get", "static synchronized int get");
    let at = |wanted: &dyn Fn(&String) -> bool| all.iter().position(|(_, text)| wanted(text));
    let guarded = at(&|text| text.contains("synchronized (A.class) {\n            sum = 0;"));
    assert!(at(&|text| *text == after) < guarded, "{all:#?}");
}

#[test]
fn looping_thread_body_is_not_synchronized() {
    let text = |run: &str| {
        class_with_members(&format!(
            "static int sum;\n\nstatic void add() {{\n    for (int i = 0; i < 9; i++) {{\n        sum++;\n    }}\n}}\n\n\
             static void run() {{\n    new Thread({run}).start();\n}}"
        ))
    };
    for (run, is_locked) in
        [("A::add", false), ("() -> add()", false), ("() -> { add(); run(); }", true)]
    {
        let before = text(run);
        let builder = FindingsBuilder::new(&before).with_pattern("RWW", &[("sum++", "p.A.sum"); 3]);
        let method = before.replace("static void add", "static synchronized void add");
        assert_eq!(
            builder.candidates().iter().any(|(_, text)| *text == method),
            is_locked,
            "{run}"
        );
    }
}

#[test]
fn check_then_act_before_join_becomes_atomic() {
    let lane = "private int free = 2;\n\nsynchronized boolean isFree() {\n    return free > 0;\n}\n\n\
                synchronized void take() {\n    free--;\n}\n\n";
    let drive = |before: &str, asked: &str, taken: &str| {
        class_with_members(&format!(
            "{lane}static void drive(A lane, Thread car) throws InterruptedException {{\n    {before}if ({asked}) {{\n        \
             {taken}car.start();\n        car.join();\n    }} else {{\n        car.run();\n    }}\n}}"
        ))
    };
    let text = drive("", "lane.isFree()", "lane.take();\n        ");
    let (asked, taken) = (("return free", "p.A.free"), ("free--", "p.A.free"));
    let builder = FindingsBuilder::new(&text).with_pattern("RWW", &[asked, taken, taken]);
    let step = "boolean isFree;\n    synchronized (lane) {\n        isFree = lane.isFree();\n        if (isFree) {\n            \
                lane.take();\n        }\n    }\n    ";
    assert_candidate(&builder, ConcurrencyOperator::Synchronized, &drive(step, "isFree", ""));
}

#[test]
fn static_check_then_act_holds_class_lock() {
    let text = class_with_members(
        "private static int free = 2;\n\nstatic synchronized boolean isFree() {\n    return free > 0;\n}\n\n\
         static synchronized void take() {\n    free--;\n}\n\nvoid drive() {\n    if (isFree()) {\n        \
         take();\n    }\n}",
    );
    let (asked, taken) = (("return free", "p.A.free"), ("free--", "p.A.free"));
    let builder = FindingsBuilder::new(&text).with_pattern("RWW", &[asked, taken, taken]);
    let after = text.replace(
        "        if (isFree()) {\n            take();\n        }\n",
        "        synchronized (A.class) {\n            if (isFree()) {\n                take();\n            }\n        }\n",
    );
    assert_candidate(&builder, ConcurrencyOperator::Synchronized, &after);
}

#[test]
fn static_method_with_a_shared_argument_holds_class_lock() {
    let before = class_with_members(
        "static int add(java.util.List<String> all) {\n    int size = all.size();\n    all.add(\"\");\n    \
         return size;\n}",
    );
    let steps = [("all.size()", "java.util.List.size"), ("all.add", "java.util.List.add")];
    let builder =
        FindingsBuilder::new(&before).with_pattern("RWW", &[steps[0], steps[1], steps[1]]);
    let after = before.replace("static int add", "static synchronized int add");
    assert_candidate(&builder, ConcurrencyOperator::Synchronized, &after);
    assert!(!builder.candidates().iter().any(|(_, text)| text.contains("synchronized (this)")));
    let says_what_is_left = |text: &String| text.ends_with("may still access it without this lock");
    assert!(builder.descriptions().iter().all(says_what_is_left));
}

#[test]
fn all_calls_on_the_object_of_a_private_getter_hold_the_lock() {
    let class = |getter: &str| {
        class_with_members(&format!(
            "{getter} java.util.List<String> all() {{\n    return java.util.Collections.emptyList();\n}}\n\nstatic \
             int add() {{\n    all().add(\"\");\n    return all().size();\n}}\n\nstatic void clear() {{\n    \
             all().clear();\n}}"
        ))
    };
    let steps = [("all().add", "java.util.List.add"), ("all().size", "java.util.List.size")];
    let before = class("private static");
    let builder =
        FindingsBuilder::new(&before).with_pattern("WWR", &[steps[0], steps[0], steps[1]]);
    let after = before
        .replace("static int add", "static synchronized int add")
        .replace("static void clear", "static synchronized void clear");
    assert_candidate(&builder, ConcurrencyOperator::Synchronized, &after);
    let before = class("static");
    let builder =
        FindingsBuilder::new(&before).with_pattern("WWR", &[steps[0], steps[0], steps[1]]);
    let after = before.replace("static int add", "static synchronized int add");
    assert_candidate(&builder, ConcurrencyOperator::Synchronized, &after);
    assert!(builder.descriptions().iter().any(|why| why.contains("may still access it")));
}

#[test]
fn section_widens_over_accesses_of_locked_object() {
    let before = class_with_members(
        "int value;\nA one;\nA two;\n\nvoid set() {\n    synchronized (one) {\n        one.value = 1;\n    }\n    \
         synchronized (two) {\n        two.value = one.value + 1;\n    }\n}\n\nint ask() {\n    synchronized (one) {\n        \
         return one.value;\n    }\n}",
    );
    let value = "p.A.value";
    let builder = FindingsBuilder::new(&before)
        .with_pattern("WR", &[("one.value = 1", value), ("return one.value", value)]);
    let after = before.replace(
        "            one.value = 1;\n        }\n        synchronized (two) {\n            two.value = one.value + 1;\n        }\n",
        "            one.value = 1;\n            synchronized (two) {\n                two.value = one.value + 1;\n            \
         }\n        }\n",
    );
    assert_candidate(&builder, ConcurrencyOperator::Synchronized, &after);
}

#[test]
fn reassigned_variable_is_not_locked() {
    let before = class_with_members(
        "A next;\n\nvoid add(A last) {\n    A at = this;\n    while (at.next != null) {\n        at = at.next;\n    }\n    \
         at.next = last;\n}",
    );
    let next = "p.A.next";
    let builder = FindingsBuilder::new(&before).with_pattern(
        "RWW",
        &[("at.next != null", next), ("at.next = last", next), ("at.next = last", next)],
    );
    assert!(!builder.candidates().iter().any(|(_, text)| text.contains("synchronized (at)")));
    assert_candidate(
        &builder,
        ConcurrencyOperator::Synchronized,
        &before.replace("    void add", "    synchronized void add"),
    );
}

#[test]
fn iteration_of_synchronized_list_holds_its_lock() {
    let before = class_with_members(
        "final java.util.List<String> all = java.util.Collections.synchronizedList(new java.util.ArrayList<>());\n\nvoid \
         add(String one) {\n    all.add(one);\n}\n\nvoid tell() {\n    for (String one : all) {\n        \
         System.out.println(one);\n    }\n}",
    );
    let steps = [("all.add", "java.util.List.add"), ("for (", "java.util.Iterator.hasNext")];
    let after = before
        .replace(
            "        for (String one : all) {\n",
            "        synchronized (all) {\n            for (String one : all) {\n",
        )
        .replace("            System", "                System")
        .replace("        }\n    }\n}", "            }\n        }\n    }\n}");
    assert_best_candidate(
        &FindingsBuilder::new(&before).with_pattern("WR", &steps),
        ConcurrencyOperator::Synchronized,
        &after,
    );
}

#[test]
fn caller_of_field_methods_locks_once() {
    let before = class_with_members(
        "int ticket;\n\nclass Guest {\n    int told;\n    int noted;\n\n    void serve() {\n        draw();\n        \
         tell();\n        note();\n    }\n\n    synchronized void draw() {\n        ticket++;\n    }\n\n    \
         synchronized void tell() {\n        told = ticket;\n    }\n\n    synchronized void note() {\n        \
         noted = ticket;\n    }\n}",
    );
    let ticket = "p.A.ticket";
    let [draw, tell, note] = [("ticket++", ticket), ("told = t", ticket), ("noted = t", ticket)];
    let builder = FindingsBuilder::new(&before).with_pattern("RWR", &[tell, draw, note]);
    let calls = "draw();\n            tell();\n            note();\n";
    let block = format!(
        "synchronized (A.this) {{\n                {}            }}\n",
        calls.replace("\n            ", "\n                ")
    );
    assert_candidate(&builder, ConcurrencyOperator::Synchronized, &before.replace(calls, &block));
    let is_nested = |(_, text): &(ConcurrencyOperator, String)| {
        text.contains(&block) && text.matches("synchronized (A.this)").count() > 1
    };
    assert!(!builder.candidates().iter().any(is_nested), "what is called holds the lock already");
}

#[test]
fn caller_in_other_file_needs_no_lock() {
    let before = class_with_members(
        "String name = \"a\".trim().trim().trim().trim();\nint sum;\n\nvoid add() {\n    sum = sum + 1;\n}\n\nint sum() {\n    return sum;\n}",
    );
    let sum = "p.A.sum";
    let builder = FindingsBuilder::new(&before)
        .with_pattern("RWR", &[("sum + 1", sum), ("sum + 1", sum), ("return", sum)]);
    let other = "package p;\n\nclass B extends A {\n    int twice() {\n        return 2 * sum();\n    }\n}\n";
    let all = builder.candidates_with_files(&[("p/B.java", other)], false);
    let wanted = before
        .replace("void add", "synchronized void add")
        .replace("int sum()", "synchronized int sum()");
    assert!(all.contains(&(ConcurrencyOperator::Synchronized, wanted)), "{all:#?}");
}
