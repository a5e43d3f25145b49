use super::{delta, descriptions, names, notes_of};
use mend_model::{FileChange, FileState, RepoPath, TreeId};

const NO_REFACTORINGS: [&str; 0] = [];

#[test]
fn renamed_field_includes_all_uses() {
    let old = "class A { int x; int m() { return x + this.x; } }";
    let new = "class A { int y; int m() { return y + this.y; } }";
    assert_eq!(descriptions(old, new), ["rename of field x to y, 3 places"]);
}

#[test]
fn renamed_method_includes_calls_in_other_files() {
    let notes = notes_of(&delta(&[
        ("A.java", "class A { int f() { return 1; } }", "class A { int g() { return 1; } }"),
        (
            "B.java",
            "class B { int h(A a) { return a.f(); } }",
            "class B { int h(A a) { return a.g(); } }",
        ),
    ]));
    assert_eq!(notes, [("rename method", "rename of method f to g, 2 places".to_owned())]);
}

#[test]
fn renamed_variable_and_parameter_are_distinguished() {
    let old = "class A { int m(int p) { int v = p; return v + 1; } }";
    let new = "class A { int m(int q) { int w = q; return w + 1; } }";
    let descriptions = descriptions(old, new);
    assert_eq!(
        descriptions,
        ["rename of parameter p to q, 2 places", "rename of variable v to w, 2 places"]
    );
    let old = "class A { int m(int p) { f(); int v = 1; g(); return v + 1; } }";
    let new = "class A { int m(int p) { f(); int w = 1; g(); return w + 1; } }";
    assert_eq!(names(old, new), ["rename variable"]);
}

#[test]
fn renamed_class_includes_constructors_uses_and_file() {
    let side =
        |path: &str, text: &str| Some((RepoPath::from(path), FileState::regular(text.as_bytes())));
    let changes = [
        FileChange {
            old: side("A.java", "public class A { A() {} A me() { return new A(); } int x; }"),
            new: side("B.java", "public class B { B() {} B me() { return new B(); } int x; }"),
        },
        FileChange {
            old: side("C.java", "import p.A; class C { A a; }"),
            new: side("C.java", "import p.B; class C { B a; }"),
        },
    ];
    let delta = crate::Delta::between(TreeId(String::new()), &changes, crate::JavaGranularity::Ast);
    assert_eq!(delta.components().len(), 1);
    let note = delta.refactoring_of(0).unwrap();
    assert_eq!(note.description, "rename of class A to B, 6 places");
}

#[test]
fn part_of_rename_without_declaration_has_no_name() {
    let old = "class A { private E named; A(E named) { this.named = named; }
               void t() { f(named, named != null); } }";
    let new = "class A { private E first; A(E first) { this.first = first; }
               void t(E e) { f(e != null ? e : first, first != null); } }";
    let delta = delta(&[("A.java", old, new)]);
    let field = "private E first".len() + "class A { ".len() - 1;
    let declaration = delta
        .hunks()
        .iter()
        .position(|hunk| hunk.new.as_ref().is_some_and(|bytes| bytes.contains(&field)));
    let home = delta.component_of(declaration.unwrap());
    let notes = (0..delta.components().len()).filter(|at| Some(*at) != home);
    let others: Vec<_> = notes.filter_map(|at| delta.refactoring_of(at)).collect();
    assert!(others.iter().all(|note| !note.description.contains("rename of field")), "{others:?}");
}

#[test]
fn inserted_and_deleted_code_can_use_renamed_variable() {
    let old = "class A { void m() { int a = 1; f(a); g(a); end(); } }";
    let new = "class A { void m() { int b = 1; f(b); g(b); end(); for (;;) { h(b); } } }";
    assert_eq!(descriptions(old, new), ["rename of variable a to b, 3 places"]);
    assert_eq!(descriptions(new, old), ["rename of variable b to a, 3 places"]);
    let other = "class A { void m() { int b = 1; f(b); g(c); end(); for (;;) { h(b); } } }";
    assert_eq!(names(old, other), NO_REFACTORINGS);
}

#[test]
fn existing_variable_of_new_name_prevents_rename() {
    let old = "class A { int y; int m() { int x = 1; return x + y; } }";
    let new = "class A { int y; int m() { int y = 1; return y + y; } }";
    assert_eq!(names(old, new), [""; 0]);
}

#[test]
fn different_unused_field_is_not_rename() {
    let old = "class A { private int x; int m() { return 1; } }";
    let new = "class A { private int y; int m() { return 2; } }";
    assert_eq!(names(old, new), NO_REFACTORINGS);
    let old = "class A { int x = 3 * 4; int m() { return x; } }";
    let new = "class A { int y = 3 * 4; int m() { return 2; } }";
    assert_eq!(names(old, new), NO_REFACTORINGS);
    let old = "class A { static final String GREETING = \"a b\"; }";
    let new = "class A { static final String WELCOME = \"a b\"; }";
    assert_eq!(names(old, new), ["rename field"]);
}

#[test]
fn different_value_is_not_rename() {
    let old = "class A { int x = 1; int y = 2; int m() { return x; } }";
    let new = "class A { int x = 1; int y = 2; int m() { return y; } }";
    assert_eq!(names(old, new), [""; 0]);
}

#[test]
fn call_with_other_changes_is_excluded() {
    let old =
        "class A { int f(int a) { return a; } int h() { return f(1); } int i() { return f(2); } }";
    let new =
        "class A { int g(int a) { return a; } int h() { return g(7); } int i() { return g(2); } }";
    let delta = delta(&[("A.java", old, new)]);
    assert_eq!(
        notes_of(&delta),
        [("rename method", "rename of method f to g, 3 places".to_owned())]
    );
    assert_eq!(delta.components().len(), 2);
}

#[test]
fn visibility_changes_are_detected() {
    let old = "public class A { public int f() { return 1; } int x; }";
    let new = "class A { private int f() { return 1; } public int x; }";
    let mut descriptions = descriptions(old, new);
    descriptions.sort_unstable();
    assert_eq!(
        descriptions,
        ["class A: public → package", "field x: package → public", "method f: public → private"]
    );
    assert!(names(old, new).contains(&"hide method"));
}

#[test]
fn annotation_is_not_part_of_visibility_change() {
    let old = "class A { public int f() { return 1; } }";
    let new = "class A { @Deprecated private int f() { return 1; } }";
    for description in descriptions(old, new) {
        assert_eq!(description, "method f: public → private");
    }
}

#[test]
fn different_loop_variable_is_not_rename() {
    let old = "class A { void m() { for (T t : all) { f(t); } } }";
    let new = "class A { void m() { for (T i : all) { g(1, 2, 3); } } }";
    assert_eq!(names(old, new), NO_REFACTORINGS);
}

#[test]
fn different_method_is_not_rename() {
    let old = "class A { int x; void open(int a) { f(a); g(a); h(1 + a); i(); } }";
    let new = "class A { int x; void shut(int a) { while (more()) { j(2 * x, x); } k(); } }";
    assert_eq!(names(old, new), NO_REFACTORINGS);
}

#[test]
fn different_getter_is_not_rename() {
    let text = |name: &str, field: &str| {
        format!("class A {{ int a; int b; public int {name}() {{ return {field}; }} }}")
    };
    assert_eq!(names(&text("getA", "a"), &text("getB", "b")), NO_REFACTORINGS);
    assert_eq!(names(&text("getA", "a"), &text("a", "a")), ["rename method"]);
}

#[test]
fn implied_interface_modifier_is_not_visibility_change() {
    assert_eq!(
        names("interface I { public int m(); }", "interface I { int m(); }"),
        NO_REFACTORINGS
    );
}

#[test]
fn replaced_test_is_not_rename() {
    let old = "class A { void handlesText() { D d = parse(\"<div id=1>text</div>\"); E e = d.get(\"1\"); same(\"text\", e.text()); same(0, e.children().size()); same(1, e.nodes()); } }";
    let new = "class A { void keepsFragments() { D d = parse(\"<p>\", \"\"); E e = d.first(\"#1\"); same(\"no\", e.html()); same(0, e.children().size()); same(3, d.errors()); } }";
    let descriptions = descriptions(old, new);
    assert!(!descriptions.iter().any(|what| what.contains("handlesText")), "{descriptions:?}");
}
