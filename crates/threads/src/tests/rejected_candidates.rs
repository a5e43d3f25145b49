//! Similar code that the fix operators must not change.

use super::*;

/// Returns a program with a concurrent map and a routine that uses it.
fn program_with_map(act: &str) -> String {
    let map = "final java.util.Map<String, Integer> all = new java.util.concurrent.ConcurrentHashMap<>();";
    let act = act.replace('\n', "\n    ");
    class_with_members(&format!(
        "{map}\n\nInteger step(String key, boolean isMeant) {{\n    {act}\n}}"
    ))
}

#[test]
fn only_pure_absence_checks_are_merged() {
    let now = |act: &str| {
        let text = program_with_map(&format!("{act}\nreturn null;"));
        let all = FindingsBuilder::new(&text).candidates();
        all.first().map(|(_, text)| text.lines().nth(6).unwrap_or_default().trim().to_owned())
    };
    let put = Some("all.putIfAbsent(key, 1);".to_owned());
    assert_eq!(now("if (!all.containsKey(key)) all.put(key, 1);"), put);
    assert_eq!(now("if ((null == all.get(key))) { all.put(key, 1); }"), put);
    for other in [
        "if (!all.containsKey(key) && isMeant) all.put(key, 1);",
        "if (isMeant || all.get(key) == null) all.put(key, 1);",
        "if (!(all.containsKey(key) && isMeant)) all.put(key, 1);",
        "if (!all.containsKey(key)) all.put(key, all.put(key, 2));",
        "Integer old = all.get(key); if (old == null && isMeant) { old = 1; all.put(key, old); }",
        "Integer old = all.put(key, all.getOrDefault(key, 0) + 1);",
    ] {
        assert_eq!(now(other), None, "{other}");
    }
    let computed =
        now("Integer old = all.get(key); if (old == null) { old = 1; all.put(key, old); }");
    assert!(computed.is_some_and(|line| line.contains("computeIfAbsent")));
    assert!(now("all.put(key, all.getOrDefault(key, 0) + 1);").is_some());
}

#[test]
fn negated_comparison_is_not_replaced() {
    let best = "final java.util.concurrent.atomic.AtomicInteger best = new java.util.concurrent.atomic.AtomicInteger();";
    let of = |condition: &str| {
        let act = format!("if ({condition}) {{\n        best.set(n);\n    }}");
        FindingsBuilder::new(&class_with_members(&format!(
            "{best}\n\nvoid offer(int n) {{\n    {act}\n}}"
        )))
        .candidates()
    };
    assert_eq!(of("!(n <= best.get())"), []);
    assert_eq!(of("n > 0 && n > best.get()"), []);
    assert!(of("(n > best.get())")[0].1.contains("best.accumulateAndGet(n, Math::max);"));
}

#[test]
fn timed_wait_is_unchanged() {
    let text = class_with_members(
        "boolean ready;\n\nsynchronized void rest() throws InterruptedException {\n    if (!ready) {\n        \
         wait(100);\n    }\n}",
    );
    assert_eq!(FindingsBuilder::new(&text).with_failure("lost_signal", None).candidates(), []);
}

#[test]
fn growing_pool_keeps_thread_factory() {
    let pool = |made: &str| {
        class_with_members(&format!(
            "final java.util.concurrent.ExecutorService pool = java.util.concurrent.Executors.{made};"
        ))
    };
    for (made, grows) in [
        ("newFixedThreadPool(2)", "newCachedThreadPool()"),
        ("newFixedThreadPool(2, Thread::new)", "newCachedThreadPool(Thread::new)"),
        ("newSingleThreadExecutor(Thread::new)", "newCachedThreadPool(Thread::new)"),
    ] {
        let before = pool(made);
        assert_best_candidate(
            &FindingsBuilder::new(&before).with_failure("deadlock", None),
            ConcurrencyOperator::Pool,
            &pool(grows),
        );
    }
}

#[test]
fn configured_format_is_not_replaced() {
    let format = |rest: &str| {
        let field = "private final java.text.SimpleDateFormat format = new java.text.SimpleDateFormat(\"yyyy\");";
        class_with_members(&format!(
            "{field}\n\nString year(java.util.Date date) {{\n    return format.format(date);\n}}{rest}"
        ))
    };
    let is_replaced = |text: &str| {
        let builder =
            FindingsBuilder::new(text).with_race("return format", "return format", "p.A.format");
        builder.candidates().iter().any(|(way, _)| *way == ConcurrencyOperator::Container)
    };
    assert!(is_replaced(&format("")));
    assert!(!is_replaced(&format("\n\nA() {\n    format.setLenient(false);\n}")));
}

#[test]
fn no_local_copy_if_field_is_used_elsewhere() {
    let text = |act: &str, other: &str| {
        class_with_members(&format!(
            "int sum;\n\nint of(int[] all) {{\n    for (int one : all) {{\n        {act}\n    }}\n    \
             return 1;\n}}{other}"
        ))
    };
    let is_local = |text: &str| {
        let builder = FindingsBuilder::new(text).with_pattern("WRW", &[("sum +=", "p.A.sum"); 3]);
        builder.candidates().iter().any(|(way, _)| *way == ConcurrencyOperator::LocalCopy)
    };
    assert!(is_local(&text("sum += one; sum += 1;", "")));
    assert!(!is_local(&text("if (one < 0) return 0;\n            sum += one; sum += 1;", "")));
    assert!(!is_local(&text("sum += one; sum += seen();", "\n\nint seen() {\n    return sum;\n}")));
}
