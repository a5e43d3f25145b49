use super::{delta, descriptions, names, notes_of};
use crate::{Delta, JavaGranularity};
use mend_model::{FileChange, FileState, RepoPath, TreeId};

const NO_REFACTORINGS: [&str; 0] = [];

const METHOD: &str = "int area(int w, int h) { log(w); return w * h; }";

#[test]
fn method_is_moved_to_other_class() {
    let old = format!("class A {{ {METHOD} }} class B {{ int x; }}");
    let new = format!("class A {{ }} class B {{ int x; {METHOD} }}");
    assert_eq!(descriptions(&old, &new), ["method area from A to B"]);
}

#[test]
fn callers_follow_moved_static_method() {
    let text = |a: &str, b: &str, call: &str| {
        format!(
            "class A {{ {a} }} class B {{ int x; {b} }} class C {{ int m() {{ return {call}.area(1, 2); }} }}"
        )
    };
    let method = format!("static {METHOD}");
    let delta = delta(&[("A.java", &text(&method, "", "A"), &text("", &method, "B"))]);
    assert_eq!(notes_of(&delta), [("move method", "method area from A to B".to_owned())]);
    assert_eq!(delta.components().len(), 1);
}

#[test]
fn method_with_different_body_is_not_moved() {
    let old = format!("class A {{ {METHOD} }} class B {{ int x; }}");
    let new = format!("class A {{ }} class B {{ int x; {} }}", METHOD.replace('*', "+"));
    assert_eq!(names(&old, &new), NO_REFACTORINGS);
}

#[test]
fn members_are_pulled_up_and_pushed_down() {
    let text = |up: &str, down: &str| {
        format!("class A {{ int z; {up} }} class B extends A {{ int x; {down} }}")
    };
    let field = "int size;";
    assert_eq!(names(&text("", METHOD), &text(METHOD, "")), ["pull up method"]);
    assert_eq!(names(&text(METHOD, ""), &text("", METHOD)), ["push down method"]);
    assert_eq!(names(&text("", field), &text(field, "")), ["pull up field"]);
    assert_eq!(names(&text(field, ""), &text("", field)), ["push down field"]);
}

#[test]
fn shared_subclass_member_is_pulled_up() {
    let text = |up: &str, down: &str| {
        format!(
            "class A {{ int z; {up} }} class B extends A {{ int x; {down} }} class C extends A {{ int y; {down} }}"
        )
    };
    assert_eq!(
        descriptions(&text("", METHOD), &text(METHOD, "")),
        ["method area moved between A and 2 subclasses"]
    );
    assert_eq!(names(&text(METHOD, ""), &text("", METHOD)), ["push down method"]);
}

#[test]
fn distinguishable_field_is_moved() {
    let text = |a: &str, b: &str| format!("class A {{ int k; {a} }} class B {{ long l; {b} }}");
    let field = "int[] primes = { 2, 3, 5, 7 };";
    assert_eq!(names(&text(field, ""), &text("", field)), ["move field"]);
    assert_eq!(names(&text("int n;", ""), &text("", "int n;")), NO_REFACTORINGS);
}

#[test]
fn class_is_moved_to_package_with_imports() {
    let side =
        |path: &str, text: &str| Some((RepoPath::from(path), FileState::regular(text.as_bytes())));
    let changes = [
        FileChange {
            old: side("p/A.java", "package p; public class A { int x; }"),
            new: side("q/A.java", "package q; public class A { int x; }"),
        },
        FileChange {
            old: side("C.java", "import p.A; class C { A a; }"),
            new: side("C.java", "import q.A; class C { A a; }"),
        },
    ];
    let delta = Delta::between(TreeId(String::new()), &changes, JavaGranularity::Ast);
    assert_eq!(notes_of(&delta), [("move class", "class A from p.A to q.A".to_owned())]);
    assert_eq!(delta.components().len(), 1);
}

#[test]
fn class_is_moved_to_other_file() {
    let class = "class In { int area(int w, int h) { return w * h; } }";
    let notes = notes_of(&delta(&[
        ("A.java", &format!("class A {{ }} {class}"), "class A { }"),
        ("In.java", "", class),
    ]));
    assert_eq!(notes, [("move class", "class In from In to In".to_owned())]);
}

#[test]
fn edit_inside_moved_method_is_separate() {
    let text = |a: &str, b: &str| {
        format!("class A {{ static int q() {{ return 1; }} {a} }} class B {{ int x; {b} }}")
    };
    let other = METHOD.replace("log(w)", "log(A.q())");
    let old = METHOD.replace("log(w)", "log(q())");
    let whats = descriptions(&text(&old, ""), &text("", &other));
    assert_eq!(whats, ["method area from A to B"]);
}
