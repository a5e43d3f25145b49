//! Sequences of steps that become one atomic step.

use super::*;

#[test]
fn unlocked_counter_becomes_atomic() {
    let before = class_with_members(
        "int hits;\n\nvoid hit() {\n    hits++;\n}\n\nint hits() {\n    return hits;\n}",
    );
    let builder = FindingsBuilder::new(&before).with_pattern("RWW", &[("hits++", "p.A.hits"); 3]);
    let after = before
        .replace(
            "package p;\n",
            "package p;\n\nimport java.util.concurrent.atomic.AtomicInteger;\n",
        )
        .replace("int hits;", "final AtomicInteger hits = new AtomicInteger();")
        .replace("hits++", "hits.incrementAndGet()")
        .replace("return hits;", "return hits.get();");
    assert_best_candidate(&builder, ConcurrencyOperator::Atomic, &after);
}

#[test]
fn subtraction_becomes_atomic_addition() {
    let before = class_with_members(
        "int left;\n\nvoid sell(int n) {\n    left -= n;\n}\n\nvoid waste(int n) {\n    left = left - (n + 1);\n}",
    );
    let builder =
        FindingsBuilder::new(&before).with_pattern("RWW", &[("left -= n", "p.A.left"); 3]);
    let after = before
        .replace(
            "package p;\n",
            "package p;\n\nimport java.util.concurrent.atomic.AtomicInteger;\n",
        )
        .replace("int left;", "final AtomicInteger left = new AtomicInteger();")
        .replace("left -= n", "left.addAndGet(-n)")
        .replace("left = left - (n + 1)", "left.addAndGet(-(n + 1))");
    assert_best_candidate(&builder, ConcurrencyOperator::Atomic, &after);
}

#[test]
fn map_check_and_update_become_one_call() {
    let before = class_with_members(
        "final java.util.Map<String, Integer> all = new java.util.concurrent.ConcurrentHashMap<>();\n\nvoid count(String \
         key) {\n    Integer old = all.get(key);\n    all.put(key, old == null ? 1 : old + 1);\n}",
    );
    let (get, put) = ("java.util.Map.get", "java.util.Map.put");
    let builder = FindingsBuilder::new(&before)
        .with_pattern("RWW", &[("all.get", get), ("all.put", put), ("all.put", put)]);
    let after = before.replace(
        "Integer old = all.get(key);\n        all.put(key, old == null ? 1 : old + 1);",
        "all.merge(key, 1, Integer::sum);",
    );
    assert_best_candidate(&builder, ConcurrencyOperator::Atomic, &after);
}

#[test]
fn branched_map_counting_becomes_merge() {
    for act in [
        "if (old == null) {\n        all.put(key, 1);\n    } else {\n        all.put(key, old + 1);\n    }",
        "if (old != null) all.put(key, old + 1); else all.put(key, 1);",
    ] {
        let map = "final java.util.Map<String, Integer> all = new java.util.concurrent.ConcurrentHashMap<>();";
        let get = "Integer old = all.get(key);\n    ";
        let before =
            class_with_members(&format!("{map}\n\nvoid count(String key) {{\n    {get}{act}\n}}"));
        let after = class_with_members(&format!(
            "{map}\n\nvoid count(String key) {{\n    all.merge(key, 1, Integer::sum);\n}}"
        ));
        assert_candidate(&FindingsBuilder::new(&before), ConcurrencyOperator::Atomic, &after);
    }
}

#[test]
fn get_then_set_becomes_get_and_update() {
    let before = class_with_members(
        "final java.util.concurrent.atomic.AtomicInteger next = new java.util.concurrent.atomic.AtomicInteger();\n\nint \
         pick(int size) {\n    int i = next.get();\n    next.set((i + 1) % size);\n    return i;\n}",
    );
    let after = before.replace(
        "int i = next.get();\n        next.set((i + 1) % size);\n",
        "int i = next.getAndUpdate(value -> (value + 1) % size);\n",
    );
    assert_candidate(&FindingsBuilder::new(&before), ConcurrencyOperator::Atomic, &after);
}

#[test]
fn synchronized_map_uses_compute_if_absent() {
    let map = "final java.util.Map<String, Object> all = java.util.Collections.synchronizedMap(new java.util.HashMap<>());";
    let of = |act: &str| {
        class_with_members(&format!("{map}\n\nvoid step(String name) {{\n    {act}\n}}"))
    };
    let before = of("if (!all.containsKey(name)) {\n        all.put(name, new Object());\n    }");
    let after = of("all.computeIfAbsent(name, key -> new Object());");
    assert_candidate(&FindingsBuilder::new(&before), ConcurrencyOperator::Atomic, &after);
}

#[test]
fn sum_becomes_atomic() {
    let before = class_with_members(
        "int all;\nint more;\n\nvoid hit() {\n    all = all + 1;\n    more += all;\n}",
    );
    let builder = FindingsBuilder::new(&before).with_pattern("RWW", &[("all = all", "p.A.all"); 3]);
    let after = before
        .replace(
            "package p;\n",
            "package p;\n\nimport java.util.concurrent.atomic.AtomicInteger;\n",
        )
        .replace("int all;", "final AtomicInteger all = new AtomicInteger();")
        .replace("int more;", "final AtomicInteger more = new AtomicInteger();")
        .replace("all = all + 1;", "all.addAndGet(1);")
        .replace("more += all;", "more.addAndGet(all.get());");
    assert_candidate(&builder, ConcurrencyOperator::Atomic, &after);
}
