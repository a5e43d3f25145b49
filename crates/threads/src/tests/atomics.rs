//! Several steps that become one.

use super::*;

#[test]
fn a_counter_in_a_class_without_locks_becomes_atomic() {
    let before =
        class("int hits;\n\nvoid hit() {\n    hits++;\n}\n\nint hits() {\n    return hits;\n}");
    let told = FindingsBuilder::new(&before).pattern("RWW", &[("hits++", "p.A.hits"); 3]);
    let after = before
        .replace(
            "package p;\n",
            "package p;\n\nimport java.util.concurrent.atomic.AtomicInteger;\n",
        )
        .replace("int hits;", "final AtomicInteger hits = new AtomicInteger();")
        .replace("hits++", "hits.incrementAndGet()")
        .replace("return hits;", "return hits.get();");
    begins(&told, ConcurrencyOperator::Atomic, &after);
}

#[test]
fn what_is_taken_away_from_a_counter_is_added_to_an_atomic_one() {
    let before = class(
        "int left;\n\nvoid sell(int n) {\n    left -= n;\n}\n\nvoid waste(int n) {\n    left = left - (n + 1);\n}",
    );
    let told = FindingsBuilder::new(&before).pattern("RWW", &[("left -= n", "p.A.left"); 3]);
    let after = before
        .replace(
            "package p;\n",
            "package p;\n\nimport java.util.concurrent.atomic.AtomicInteger;\n",
        )
        .replace("int left;", "final AtomicInteger left = new AtomicInteger();")
        .replace("left -= n", "left.addAndGet(-n)")
        .replace("left = left - (n + 1)", "left.addAndGet(-(n + 1))");
    begins(&told, ConcurrencyOperator::Atomic, &after);
}

#[test]
fn asking_a_concurrent_map_and_changing_it_is_one_call() {
    let before = class(
        "final java.util.Map<String, Integer> all = new java.util.concurrent.ConcurrentHashMap<>();\n\nvoid count(String \
         key) {\n    Integer old = all.get(key);\n    all.put(key, old == null ? 1 : old + 1);\n}",
    );
    let (get, put) = ("java.util.Map.get", "java.util.Map.put");
    let told = FindingsBuilder::new(&before)
        .pattern("RWW", &[("all.get", get), ("all.put", put), ("all.put", put)]);
    let after = before.replace(
        "Integer old = all.get(key);\n        all.put(key, old == null ? 1 : old + 1);",
        "all.merge(key, 1, Integer::sum);",
    );
    begins(&told, ConcurrencyOperator::Atomic, &after);
}

#[test]
fn a_count_with_a_call_in_each_branch_is_one_call() {
    for act in [
        "if (old == null) {\n        all.put(key, 1);\n    } else {\n        all.put(key, old + 1);\n    }",
        "if (old != null) all.put(key, old + 1); else all.put(key, 1);",
    ] {
        let map = "final java.util.Map<String, Integer> all = new java.util.concurrent.ConcurrentHashMap<>();";
        let get = "Integer old = all.get(key);\n    ";
        let before = class(&format!("{map}\n\nvoid count(String key) {{\n    {get}{act}\n}}"));
        let after = class(&format!(
            "{map}\n\nvoid count(String key) {{\n    all.merge(key, 1, Integer::sum);\n}}"
        ));
        holds(&FindingsBuilder::new(&before), ConcurrencyOperator::Atomic, &after);
    }
}

#[test]
fn a_number_that_is_taken_and_set_is_so_in_one_step() {
    let before = class(
        "final java.util.concurrent.atomic.AtomicInteger next = new java.util.concurrent.atomic.AtomicInteger();\n\nint \
         pick(int size) {\n    int i = next.get();\n    next.set((i + 1) % size);\n    return i;\n}",
    );
    let after = before.replace(
        "int i = next.get();\n        next.set((i + 1) % size);\n",
        "int i = next.getAndUpdate(value -> (value + 1) % size);\n",
    );
    holds(&FindingsBuilder::new(&before), ConcurrencyOperator::Atomic, &after);
}

#[test]
fn what_a_synchronized_map_lacks_is_made_under_its_lock() {
    let map = "final java.util.Map<String, Object> all = java.util.Collections.synchronizedMap(new java.util.HashMap<>());";
    let of = |act: &str| class(&format!("{map}\n\nvoid step(String name) {{\n    {act}\n}}"));
    let before = of("if (!all.containsKey(name)) {\n        all.put(name, new Object());\n    }");
    let after = of("all.computeIfAbsent(name, key -> new Object());");
    holds(&FindingsBuilder::new(&before), ConcurrencyOperator::Atomic, &after);
}

#[test]
fn a_sum_becomes_atomic() {
    let before =
        class("int all;\nint more;\n\nvoid hit() {\n    all = all + 1;\n    more += all;\n}");
    let told = FindingsBuilder::new(&before).pattern("RWW", &[("all = all", "p.A.all"); 3]);
    let after = before
        .replace(
            "package p;\n",
            "package p;\n\nimport java.util.concurrent.atomic.AtomicInteger;\n",
        )
        .replace("int all;", "final AtomicInteger all = new AtomicInteger();")
        .replace("int more;", "final AtomicInteger more = new AtomicInteger();")
        .replace("all = all + 1;", "all.addAndGet(1);")
        .replace("more += all;", "more.addAndGet(all.get());");
    holds(&told, ConcurrencyOperator::Atomic, &after);
}
