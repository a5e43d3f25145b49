//! Change patterns of members that move between classes.

use super::{check_all, single_file_pattern};

#[test]
fn moved_member_is_in_one_class() {
    check_all(&[single_file_pattern(
        "members that move to where they are used",
        "class B { } class A { static int x; int f() { return x; } }",
        "class B { static int x; } class A { int f() { return B.x; } }",
        &[],
    )]);
}
