//! Members that take each other's place.

use super::{check_all, family};

#[test]
fn what_moves_between_classes_is_in_one_of_them() {
    check_all(&[family(
        "members that move to where they are used",
        "class B { } class A { static int x; int f() { return x; } }",
        "class B { static int x; } class A { int f() { return B.x; } }",
        &[],
    )]);
}
