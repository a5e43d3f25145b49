//! Change patterns of constructors, and of the final fields that they assign.

use super::{check_all, single_file_pattern};
use mend_engine::test_support::facts;

facts! {
    every_family_is_coupled:
    replaced_constructor_call_keeps_arguments,
    final_field_depends_on_all_constructors,
}

fn replaced_constructor_call_keeps_arguments() {
    check_all(&[single_file_pattern(
        "other call",
        "import java.util.*; class B { B(List<A> x) { } } class A extends B { A(List<String> n) { this(n, new ArrayList<>()); } A(List<String> n, List<A> m) { super(m); for (int i = 1; i < n.size(); i++) { n.get(i); } } }",
        "import java.util.*; class B { B(List<A> x) { } } class A extends B { A(String s, List<A> m) { super(m); s.trim(); } }",
        &[("-this(", "+super(")],
    )]);
}

fn final_field_depends_on_all_constructors() {
    let fewer = "import java.util.*; class A { A(String s, List<A> m) { m.clear(); s.trim(); } }";
    let more = "import java.util.*; class A { final List<String> n; A(List<String> n) { this(n, new ArrayList<>()); } A(List<String> n, List<A> m) { m.clear(); for (int i = 1; i < n.size(); i++) { n.get(i); } this.n = n; } }";
    check_all(&[
        single_file_pattern("removed field", more, fewer, &[]),
        single_file_pattern("added field", fewer, more, &[]),
    ]);
}
