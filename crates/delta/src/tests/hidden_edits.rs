//! Edits inside refactorings are components of their own: each is asserted by the old version with the edit alone.

use super::component_texts;
use super::cross_file_moves::{delta_of_files, rendered_texts};

/// Asserts that a version with one token replaced is a variant with one component.
fn assert_edit_is_separate(old: &str, new: &str, replaced: [&str; 2]) {
    let [from, to] = replaced;
    let edited = old.replacen(from, to, 1);
    assert_ne!(edited, old);
    let texts = component_texts(old, new);
    assert!(texts.contains(&edited), "{texts:#?}");
}

#[test]
fn edit_in_extracted_method_is_separate() {
    assert_edit_is_separate(
        "class A { int m(int a, int b) { log(a); int x = a * 2; if (x > b) { x = x - b; } return x; } }",
        "class A { int m(int a, int b) { log(a); return cut(a, b); } \
         int cut(int a, int b) { int x = a * 2; if (x >= b) { x = x - b; } return x; } }",
        ["x > b", "x >= b"],
    );
}

#[test]
fn edit_in_inlined_method_is_separate() {
    assert_edit_is_separate(
        "class A { void m(int a) { log(a); send(a); } void send(int a) { if (a > 2) { put(a, a + 1); } } }",
        "class A { void m(int a) { log(a); if (a > 2) { put(a, a + 3); } } }",
        ["a + 1", "a + 3"],
    );
}

#[test]
fn edit_in_extracted_expression_is_separate() {
    assert_edit_is_separate(
        "class A { int m(int a, int b) { return f(a * b + 7, b); } }",
        "class A { int m(int a, int b) { int x = a * b + 8; return f(x, b); } }",
        ["7", "8"],
    );
}

#[test]
fn edit_in_branch_of_new_switch_is_separate() {
    assert_edit_is_separate(
        "class A { void m(int a) { if (a == 1) { put(a, 10); } else if (a == 2) { put(7, a + 20); } } }",
        "class A { void m(int a) { switch (a) { case 1: put(a, 10); break; case 2: put(7, a + 21); } } }",
        ["20", "21"],
    );
}

#[test]
fn edit_in_new_lambda_is_separate() {
    assert_edit_is_separate(
        "class A { F f = new F() { public int m(int a) { int b = a + 1; return b * a; } }; }",
        "class A { F f = a -> { int b = a - 1; return b * a; }; }",
        ["a + 1", "a - 1"],
    );
}

#[test]
fn other_variable_in_renamed_code_is_separate() {
    assert_edit_is_separate(
        "class A { int m(int a, int b) { log(a, b); return a * 3 + b; } }",
        "class A { int m(int x, int y) { log(x, y); return y * 3 + y; } }",
        ["a * 3", "b * 3"],
    );
}

#[test]
fn other_variable_in_extracted_method_is_separate() {
    assert_edit_is_separate(
        "class A { int m(int a, int b) { log(a); int x = a * 2; if (x > b) { x = x - b; } return x; } }",
        "class A { int m(int a, int b) { log(a); return cut(a, b); } \
         int cut(int c, int d) { int x = c * 2; if (x > d) { x = x - c; } return x; } }",
        ["x - b", "x - a"],
    );
}

#[test]
fn inverted_condition_of_early_return_is_not_an_edit() {
    let texts = component_texts(
        "class A { int m(int a, int b) { if (a >= b) { int c = a * b; return c + 1; } return 0; } }",
        "class A { int m(int a, int b) { if (a < b) { return 0; } int c = a * b; return c + 1; } }",
    );
    let inverted = |text: &String| text.contains("a < b) { int c");
    assert!(!texts.iter().any(inverted), "{texts:#?}");
}

#[test]
fn edit_in_body_that_moves_to_superclass_is_separate() {
    let body = |text: &str| format!("{{ log(a); int b = a * 2; {text} }}");
    let (old_body, new_body) = (body("return b - 1;"), body("return b - 3;"));
    let delta = delta_of_files(&[
        (
            "A.java",
            Some("abstract class A { abstract int m(int a); }"),
            Some(&format!("abstract class A {{ int m(int a) {new_body} }}")),
        ),
        (
            "B.java",
            Some(&format!("class B extends A {{ int m(int a) {old_body} int x; }}")),
            Some("class B extends A { int x; }"),
        ),
    ]);
    let edit =
        delta.hunks().iter().position(|hunk| hunk.node_kind == "decimal_integer_literal").unwrap();
    let component = delta.component_of(edit).unwrap();
    assert_eq!(delta.components()[component].hunks, [edit]);
    let expected = format!("class B extends A {{ int m(int a) {new_body} int x; }}");
    assert_eq!(
        rendered_texts(&delta, &|hunk| hunk == edit),
        [("B.java".to_owned(), Some(expected))]
    );
}

#[test]
fn operator_that_regroups_an_extracted_expression_is_separate() {
    assert_edit_is_separate(
        "class A { int m(int a, int b) { log(a); int x = a + b * 2; if (x > b) { x = x - b; } return x; } }",
        "class A { int m(int a, int b) { log(a); return cut(a, b); } \
         int cut(int a, int b) { int x = a + b + 2; if (x > b) { x = x - b; } return x; } }",
        ["b * 2", "b + 2"],
    );
}

#[test]
fn operator_that_regroups_a_moved_expression_is_separate() {
    let method = |operator: &str| {
        format!(
            "int cut(int a, int b) {{ int x = a + b {operator} 2; if (x > b) {{ x = x - b; }} log(a, x); return x; }}"
        )
    };
    assert_edit_is_separate(
        &format!(
            "class A {{ int one() {{ return 1; }} {} int two() {{ return 2; }} }}",
            method("*")
        ),
        &format!(
            "class A {{ {} int two() {{ return 2; }} int one() {{ return 1; }} }}",
            method("-")
        ),
        ["b * 2", "b - 2"],
    );
}

#[test]
fn operator_in_argument_instead_of_concatenated_part_is_separate() {
    assert_edit_is_separate(
        "class A { String m(int a, int b) { log(a); return text + (a - b); } }",
        "class A { String m(int a, int b) { log(a); return text.append(a + b).toString(); } }",
        ["a - b", "a + b"],
    );
}

#[test]
fn edit_in_returned_value_beside_extracted_variables_is_separate() {
    assert_edit_is_separate(
        "class A { int m(int a, int b) { log(a); return a * b * 3 / 10 + b * 7; } }",
        "class A { int m(int a, int b) { log(a); int v = a * b * 3; int w = b * 7; return v / 11 + w; } }",
        ["/ 10", "/ 11"],
    );
}
