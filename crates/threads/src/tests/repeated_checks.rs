//! Locks of objects that are passed around, with the check repeated under the lock.

use super::*;

const BOX: &str = "enum State { FULL, EMPTY }\n\nprivate State state;\nint opened;\n\nsynchronized State state() {\n    \
    return state;\n}\n\nsynchronized void set(State to) {\n    state = to;\n}\n\nsynchronized void open() {\n    \
    opened++;\n}\n\nint left() {\n    return --opened;\n}\n\n";

/// Returns a class whose method `use` has the body; its lines begin at the first column.
fn user_of_box(body: &str) -> String {
    let body = body.replace('\n', "\n    ");
    class_with_members(&format!("{BOX}static boolean use(A box, A other) {{\n    {body}\n}}"))
}

/// Asserts that one candidate turns a body into another.
fn assert_repeated_check(body: &str, wanted: &str) {
    let before = user_of_box(body);
    let state = "p.A.state";
    let steps = [("return state", state), ("state = to", state), ("state = to", state)];
    let builder = FindingsBuilder::new(&before).with_pattern("RWW", &steps);
    assert_candidate(&builder, ConcurrencyOperator::Synchronized, &user_of_box(wanted));
}

#[test]
fn exit_is_checked_again_before_the_change() {
    assert_repeated_check(
        "if (box.state() != State.FULL) {\n    return false;\n}\nother.open();\nbox.set(State.EMPTY);\nreturn true;",
        "if (box.state() != State.FULL) {\n    return false;\n}\nother.open();\nsynchronized (box) {\n    \
         if (box.state() != State.FULL) {\n        return false;\n    }\n    box.set(State.EMPTY);\n}\nreturn true;",
    );
}

#[test]
fn copied_state_is_read_again() {
    assert_repeated_check(
        "State was = box.state();\nif (was != State.FULL) {\n    throw new IllegalStateException(\"\" + was);\n}\n\
         other.open();\nbox.set(State.EMPTY);\nreturn true;",
        "State was = box.state();\nif (was != State.FULL) {\n    throw new IllegalStateException(\"\" + was);\n}\n\
         other.open();\nsynchronized (box) {\n    if (box.state() != State.FULL) {\n        \
         throw new IllegalStateException(\"\" + box.state());\n    }\n    box.set(State.EMPTY);\n}\nreturn true;",
    );
}

#[test]
fn branch_is_checked_again_to_its_end() {
    assert_repeated_check(
        "if (box.state() == State.FULL) {\n    other.open();\n    box.set(State.EMPTY);\n    other.open();\n    \
         return true;\n}\nreturn false;",
        "if (box.state() == State.FULL) {\n    other.open();\n    synchronized (box) {\n        \
         if (box.state() == State.FULL) {\n            box.set(State.EMPTY);\n            other.open();\n            \
         return true;\n        }\n    }\n}\nreturn false;",
    );
}

#[test]
fn lock_of_the_change_gets_the_check() {
    assert_repeated_check(
        "if (box.state() != State.FULL) {\n    return false;\n}\nsynchronized (box) {\n    box.set(State.EMPTY);\n    \
         box.open();\n}\nreturn true;",
        "if (box.state() != State.FULL) {\n    return false;\n}\nsynchronized (box) {\n    \
         if (box.state() != State.FULL) {\n        return false;\n    }\n    box.set(State.EMPTY);\n    box.open();\n}\n\
         return true;",
    );
    assert_repeated_check(
        "if (box.state() == State.FULL) {\n    synchronized (box) {\n        box.set(State.EMPTY);\n    }\n}\nreturn true;",
        "if (box.state() == State.FULL) {\n    synchronized (box) {\n        if (box.state() == State.FULL) {\n            \
         box.set(State.EMPTY);\n        }\n    }\n}\nreturn true;",
    );
}

#[test]
fn change_right_after_its_check_is_not_checked_twice() {
    assert_not_repeated(
        "if (box.state() != State.FULL) {\n    return false;\n}\nbox.set(State.EMPTY);\nreturn true;",
    );
}

#[test]
fn check_that_cannot_be_repeated_is_left_alone() {
    for body in [
        "if (box.left() < 0 || box.state() != State.FULL) {\n    return false;\n}\nother.open();\n\
         box.set(State.EMPTY);\nreturn true;",
        "if (box.state() == State.FULL) {\n    other.open();\n    box.set(State.EMPTY);\n} else {\n    \
         other.open();\n}\nreturn true;",
        "synchronized (box) {\n    if (box.state() != State.FULL) {\n        return false;\n    }\n    other.open();\n    \
         box.set(State.EMPTY);\n}\nreturn true;",
    ] {
        assert_not_repeated(body);
    }
}

/// Asserts that no candidate repeats the check of a method.
fn assert_not_repeated(body: &str) {
    let text = user_of_box(body);
    let state = "p.A.state";
    let steps = [("return state", state), ("state = to", state), ("state = to", state)];
    let descriptions = FindingsBuilder::new(&text).with_pattern("RWW", &steps).descriptions();
    assert!(!descriptions.iter().any(|one| one.contains("again")), "{descriptions:#?}");
}
