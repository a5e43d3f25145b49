//! Waits on a latch, and the counts of latches.

use super::*;

const LATCH_FIELD: &str = "private final CountDownLatch done = new CountDownLatch(1);";

/// Returns a program with the import of the latch class.
fn with_import(text: &str) -> String {
    text.replace("package p;\n", "package p;\n\nimport java.util.concurrent.CountDownLatch;\n")
}

#[test]
fn latch_awaits_step_of_running_thread() {
    let before = class_with_members(
        "volatile int heat;\n\nvoid light() {\n    new Thread(() -> {\n        heat = 180;\n        burn();\n    }).start();\n}\n\n\
         void burn() {}\n\nint heat() throws InterruptedException {\n    return heat;\n}",
    );
    let builder = FindingsBuilder::new(&before)
        .with_pattern("RW", &[("return heat", "p.A.heat"), ("heat = 180", "p.A.heat")]);
    let after = with_import(&before)
        .replace("    volatile int", &format!("    {LATCH_FIELD}\n    volatile int"))
        .replace("heat = 180;\n", "heat = 180;\n            done.countDown();\n")
        .replace("        return heat;", "        done.await();\n        return heat;");
    assert_candidate(&builder, ConcurrencyOperator::Latch, &after);
}

#[test]
fn pool_task_counts_down_latch() {
    let before = class_with_members(
        "final java.util.concurrent.Executor pool = null;\nint sum;\n\nint run(int[] all) throws Exception {\n    for (int one \
         : all) {\n        pool.execute(() -> add(one));\n    }\n    return sum;\n}\n\nsynchronized void add(int one) {\n    \
         sum += one;\n}",
    );
    let builder = FindingsBuilder::new(&before)
        .with_pattern("RW", &[("return sum", "p.A.sum"), ("sum += one", "p.A.sum")]);
    let after = with_import(&before)
        .replace(
            "        for (int",
            "        CountDownLatch done = new CountDownLatch(all.length);\n        for (int",
        )
        .replace(
            "() -> add(one));",
            "() -> {\n                add(one);\n                done.countDown();\n            });",
        )
        .replace("        return sum;", "        done.await();\n        return sum;");
    assert_candidate(&builder, ConcurrencyOperator::Latch, &after);
}

#[test]
fn latch_is_not_awaited_under_lock() {
    let before = class_with_members(
        "int sum;\n\nsynchronized int sum() {\n    return sum;\n}\n\nint other() {\n    synchronized (this) {\n        return \
         -sum;\n    }\n}\n\nsynchronized void set() {\n    sum = 1;\n}",
    );
    let of = |words: &str| {
        let builder = FindingsBuilder::new(&before)
            .with_pattern("RW", &[(words, "p.A.sum"), ("sum = 1", "p.A.sum")]);
        builder.candidates().into_iter().find(|(way, _)| *way == ConcurrencyOperator::Latch)
    };
    assert_eq!(of("return sum"), None);
    let (_, text) = of("-sum").unwrap();
    assert!(text.find("done.await") < text.find("synchronized (this)"), "{text}");
}

#[test]
fn latch_count_matches_countdowns() {
    let latch = "final java.util.concurrent.CountDownLatch done = new java.util.concurrent.CountDownLatch(1);";
    let of = |starts: &str| {
        let rest =
            "\n\nvoid one() {\n    done.countDown();\n}\n\nvoid two() {\n    done.countDown();\n}";
        class_with_members(&format!("{latch}\n\nvoid start(int n) {{\n    {starts}\n}}{rest}"))
    };
    let opened = |starts: &str, by: &str| {
        let before = of(starts);
        let builder = FindingsBuilder::new(&before).with_failure("test", None);
        let after = before.replace("Latch(1)", &format!("Latch({by})"));
        builder.candidates().contains(&(ConcurrencyOperator::Latch, after))
    };
    let [one, two] = ["one", "two"].map(|name| format!("new Thread(this::{name}).start();"));
    assert!(opened(&format!("{one}\n    {two}"), "2"));
    assert!(opened(&format!("{one}\n    {one}\n    {two}"), "3"));
    let round = format!("for (int i = 0; i < 4; i++) {{\n        {one}\n    }}");
    assert!(opened(&round, "4"));
    assert!(!opened(&one, "1"));
}
