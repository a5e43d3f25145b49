//! Candidates for integers with a lower or upper bound.

use super::*;

#[test]
fn numbers_are_set_or_clamped_to_bounds() {
    let page = "void page(int n) { if (n < 0 || n >= names.size()) { throw new IllegalArgumentException(); } size = n; }";
    let (mut server, mut missing) = (shared_server(), Vec::new());
    for (method, wanted) in [
        ("int f(int i) { return all[i]; }", "return all[all.length - 1];"),
        ("int f(int i) { return all[i]; }", "return all[Math.max(i, 0)];"),
        (
            "int f(int i) { return all[i]; }",
            "if (i >= all.length) { i = all.length - 1; } return all[i];",
        ),
        (
            "int f(int k) { return add(1, k - 2); }",
            "if (k - 2 < 0) { k = 2; } return add(1, k - 2);",
        ),
        ("int f(int k) { return add(1, k - 2); }", "return add(1, Math.max(k - 2, 0));"),
        ("void f() { page(names.size()); }", "page(names.size() - 1);"),
        (
            "void f(int n) { page(n); }",
            "if (n >= names.size()) { n = names.size() - 1; } else { page(n); }",
        ),
        ("void f(int n) { page(n); }", "n = names.size() - 1; page(n);"),
        (
            "String f(String s, int i, int k) { return s.substring(i, k); }",
            "if (i > k) { i = k; } return s.substring(i, k);",
        ),
        ("int[] f(int n) { return new int[n - size]; }", "return new int[Math.max(n - size, 0)];"),
        (
            "void f(int n) { assert 2 * n <= 2 * size + 1; drop(); }",
            "if (2 * n > 2 * size + 1) { n = size; } assert",
        ),
    ] {
        let text = class_with_method(&format!("{page}\n    {method}"));
        let found =
            candidates_with_server(&mut server, &text, "java.lang.IllegalArgumentException");
        let is_there =
            found.iter().any(|(_, text)| without_space(text).contains(&without_space(wanted)));
        missing.extend((!is_there).then_some(wanted));
    }
    assert_eq!(missing, Vec::<&str>::new());
}

#[test]
fn invariants_tighten_bounds() {
    let (mut server, mut missing) = (shared_server(), Vec::new());
    let boxed = "static class Box {\n        int count;\n        int[] all;\n        //@ invariant 0 <= count && count <= all.length;\n        \
        int at(int i) {\n            if (i < 0 || i >= count || i >= all.length) {\n                throw new IllegalStateException();\n            \
        }\n            return all[i];\n        }\n    }\n    ";
    let sized = "//@ invariant size <= names.size() && used.get(size);\n    ";
    let next = "int next(int n) { if (n < 1 || n <= size) { throw new IllegalStateException(); } return n; }\n    ";
    for (before, method, wanted) in [
        (boxed, "int f(Box box, int k) { return box.at(k); }", "return box.at(box.count - 1);"),
        (boxed, "int f(Box box, int k) { return box.at(k); }", "{ k = box.count - 1; }"),
        (sized, "int f() { return all[size]; }", "size = Math.min(all.length - 1, names.size());"),
        (sized, "static int f(A a) { return a.all[a.size]; }", "return a.all[a.all.length - 1];"),
        ("//@ invariant 0 <= size;\n    ", "int f(int n) { return next(n); }", "next(size + 1);"),
    ] {
        let text = class_with_method(&format!("{next}{before}{method}"));
        let found = candidates_with_server(&mut server, &text, "java.lang.IllegalStateException");
        let is_there =
            found.iter().any(|(_, text)| without_space(text).contains(&without_space(wanted)));
        missing.extend((!is_there).then_some(wanted));
    }
    assert_eq!(missing, Vec::<&str>::new());
}

#[test]
fn number_observed_in_range_is_not_set() {
    let text = class_with_method("int f(int i) { size = all[i]; return size; }");
    let wanted = without_space("if (i >= all.length) { i = all.length - 1; }");
    let score = |failing: &str| {
        let row = |i| [("i", i), ("all.length", "I3")];
        let (failing, passing) = (row(failing), row("I2"));
        let tests = [(true, &failing[..]), (false, &passing[..])];
        let found = scores_with_observations(&text, "size = all", &tests);
        found.into_iter().find(|(text, _)| text.contains(&wanted)).map(|(_, score)| score)
    };
    assert!(score("I3").is_some_and(|score| score > 0.3), "{:?}", score("I3"));
    assert_eq!(score("I1"), None);
}

#[test]
fn number_observed_out_of_range_steps_back() {
    let text = class_with_method("int f(int i) { size = all[i]; return size; }");
    let score = |step: &str, failing: [&str; 2]| {
        let row = |i, size| [("i", i), ("all.length", "I3"), ("size", size)];
        let (failing, passing) = (row(failing[0], failing[1]), row("I2", "I2"));
        let tests = [(true, &failing[..]), (false, &passing[..])];
        let found = scores_with_observations(&text, "size = all", &tests);
        let wanted = without_space(&format!("if (i > size) {{ {step} }} size = all"));
        found.into_iter().find(|(text, _)| text.contains(&wanted)).map(|(_, score)| score)
    };
    let back = score("i--;", ["I3", "I1"]);
    assert!(back > score("i++;", ["I3", "I1"]).map(|other| other * 3.0), "{back:?}");
    assert!(back > score("i--;", ["I2", "I1"]).map(|other| other * 3.0), "{back:?}");
}
