//! Locks cover all accesses to a variable.

use super::{FindingsBuilder, class_with_members};

/// Returns the findings for a program whose writers race.
fn racing_writers(text: &str) -> FindingsBuilder<'_> {
    FindingsBuilder::new(text).with_race("total += add;", "total += add;", "p.A.total")
}

#[test]
fn lock_covers_readers_that_no_schedule_shows() {
    let text = class_with_members(
        "private int total;\nvoid add(int add) {\n    total += add;\n}\nint total() {\n    return total;\n}",
    );
    let descriptions = racing_writers(&text).descriptions();
    let position = |words: &str| descriptions.iter().position(|one| one.contains(words));
    let complete = position("A.add and A.total hold the object's own lock").unwrap();
    let incomplete = position("A.add holds the object's own lock").unwrap();
    assert!(complete < incomplete, "{descriptions:#?}");
    assert!(descriptions[incomplete].ends_with("; A.total still accesses total without this lock"));
}

#[test]
fn helper_of_locked_methods_needs_no_lock() {
    let text = class_with_members(
        "private int total;\nvoid add(int add) {\n    total += add;\n}\nsynchronized int twice() {\n    return 2 * \
         total();\n}\nprivate int total() {\n    return total;\n}",
    );
    let descriptions = racing_writers(&text).descriptions();
    assert!(
        descriptions.iter().any(|one| one.starts_with("A.add holds the object's own lock")),
        "{descriptions:#?}"
    );
    assert!(!descriptions.iter().any(|one| one.contains("still access")), "{descriptions:#?}");
}

#[test]
fn new_lock_names_the_public_methods_that_wait() {
    let text =
        class_with_members("private int total;\npublic void add(int add) {\n    total += add;\n}");
    let descriptions = racing_writers(&text).descriptions();
    assert!(
        descriptions.iter().any(|one| one.ends_with("; calls of A.add then wait for each other")),
        "{descriptions:#?}"
    );
}
