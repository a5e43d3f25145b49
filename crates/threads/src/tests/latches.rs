//! Waits on a latch, and the counts of latches.

use super::*;

const DECLARED: &str = "private final CountDownLatch done = new CountDownLatch(1);";

/// The program with the import of what latches are.
fn with_import(text: &str) -> String {
    text.replace("package p;\n", "package p;\n\nimport java.util.concurrent.CountDownLatch;\n")
}

#[test]
fn who_needs_what_a_thread_does_that_goes_on_waits_for_a_latch() {
    let before = class(
        "volatile int heat;\n\nvoid light() {\n    new Thread(() -> {\n        heat = 180;\n        burn();\n    }).start();\n}\n\n\
         void burn() {}\n\nint heat() throws InterruptedException {\n    return heat;\n}",
    );
    let told = FindingsBuilder::new(&before)
        .pattern("RW", &[("return heat", "p.A.heat"), ("heat = 180", "p.A.heat")]);
    let after = with_import(&before)
        .replace("    volatile int", &format!("    {DECLARED}\n    volatile int"))
        .replace("heat = 180;\n", "heat = 180;\n            done.countDown();\n")
        .replace("        return heat;", "        done.await();\n        return heat;");
    holds(&told, ConcurrencyOperator::Latch, &after);
}

#[test]
fn the_lambda_of_a_pool_counts_a_latch_down_for_who_gave_it() {
    let before = class(
        "final java.util.concurrent.Executor pool = null;\nint sum;\n\nint run(int[] all) throws Exception {\n    for (int one \
         : all) {\n        pool.execute(() -> add(one));\n    }\n    return sum;\n}\n\nsynchronized void add(int one) {\n    \
         sum += one;\n}",
    );
    let told = FindingsBuilder::new(&before)
        .pattern("RW", &[("return sum", "p.A.sum"), ("sum += one", "p.A.sum")]);
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
    holds(&told, ConcurrencyOperator::Latch, &after);
}

#[test]
fn nobody_waits_for_a_latch_with_a_lock() {
    let before = class(
        "int sum;\n\nsynchronized int sum() {\n    return sum;\n}\n\nint other() {\n    synchronized (this) {\n        return \
         -sum;\n    }\n}\n\nsynchronized void set() {\n    sum = 1;\n}",
    );
    let of = |words: &str| {
        let told = FindingsBuilder::new(&before)
            .pattern("RW", &[(words, "p.A.sum"), ("sum = 1", "p.A.sum")]);
        told.proposed().into_iter().find(|(way, _)| *way == ConcurrencyOperator::Latch)
    };
    assert_eq!(of("return sum"), None);
    let (_, text) = of("-sum").unwrap();
    assert!(text.find("done.await") < text.find("synchronized (this)"), "{text}");
}

#[test]
fn a_latch_opens_when_all_have_counted_it_down() {
    let latch = "final java.util.concurrent.CountDownLatch done = new java.util.concurrent.CountDownLatch(1);";
    let of = |starts: &str| {
        let rest =
            "\n\nvoid one() {\n    done.countDown();\n}\n\nvoid two() {\n    done.countDown();\n}";
        class(&format!("{latch}\n\nvoid start(int n) {{\n    {starts}\n}}{rest}"))
    };
    let opened = |starts: &str, by: &str| {
        let before = of(starts);
        let told = FindingsBuilder::new(&before).failed("test", None);
        let after = before.replace("Latch(1)", &format!("Latch({by})"));
        told.proposed().contains(&(ConcurrencyOperator::Latch, after))
    };
    let [one, two] = ["one", "two"].map(|name| format!("new Thread(this::{name}).start();"));
    assert!(opened(&format!("{one}\n    {two}"), "2"));
    assert!(opened(&format!("{one}\n    {one}\n    {two}"), "3"));
    let round = format!("for (int i = 0; i < 4; i++) {{\n        {one}\n    }}");
    assert!(opened(&round, "4"));
    assert!(!opened(&one, "1"));
}
