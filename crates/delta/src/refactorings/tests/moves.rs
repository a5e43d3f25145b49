use super::{delta, names, notes_of, whats};
use crate::{Delta, JavaGranularity};
use mend_model::{FileChange, FileState, RepoPath, TreeId};

const NOTHING: [&str; 0] = [];

const METHOD: &str = "int area(int w, int h) { log(w); return w * h; }";

#[test]
fn a_method_in_another_class_is_moved() {
    let old = format!("class A {{ {METHOD} }} class B {{ int x; }}");
    let new = format!("class A {{ }} class B {{ int x; {METHOD} }}");
    assert_eq!(whats(&old, &new), ["method area from A to B"]);
}

#[test]
fn the_callers_of_a_moved_static_method_follow() {
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
fn a_method_with_another_body_is_not_moved() {
    let old = format!("class A {{ {METHOD} }} class B {{ int x; }}");
    let new = format!("class A {{ }} class B {{ int x; {} }}", METHOD.replace('*', "+"));
    assert_eq!(names(&old, &new), NOTHING);
}

#[test]
fn members_move_up_and_down_between_relatives() {
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
fn what_all_subclasses_have_moves_up_as_one() {
    let text = |up: &str, down: &str| {
        format!(
            "class A {{ int z; {up} }} class B extends A {{ int x; {down} }} class C extends A {{ int y; {down} }}"
        )
    };
    assert_eq!(
        whats(&text("", METHOD), &text(METHOD, "")),
        ["method area moved between A and 2 subclasses"]
    );
    assert_eq!(names(&text(METHOD, ""), &text("", METHOD)), ["push down method"]);
}

#[test]
fn a_field_moves_if_it_is_told_apart_from_others() {
    let text = |a: &str, b: &str| format!("class A {{ int k; {a} }} class B {{ long l; {b} }}");
    let field = "int[] primes = { 2, 3, 5, 7 };";
    assert_eq!(names(&text(field, ""), &text("", field)), ["move field"]);
    assert_eq!(names(&text("int n;", ""), &text("", "int n;")), NOTHING);
}

#[test]
fn a_class_in_another_package_is_moved_with_its_imports() {
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
fn a_class_in_another_file_is_moved() {
    let class = "class In { int area(int w, int h) { return w * h; } }";
    let found = notes_of(&delta(&[
        ("A.java", &format!("class A {{ }} {class}"), "class A { }"),
        ("In.java", "", class),
    ]));
    assert_eq!(found, [("move class", "class In from In to In".to_owned())]);
}

#[test]
fn what_changes_inside_a_moved_method_stays_apart() {
    let text = |a: &str, b: &str| {
        format!("class A {{ static int q() {{ return 1; }} {a} }} class B {{ int x; {b} }}")
    };
    let other = METHOD.replace("log(w)", "log(A.q())");
    let old = METHOD.replace("log(w)", "log(q())");
    let whats = whats(&text(&old, ""), &text("", &other));
    assert_eq!(whats, ["method area from A to B"]);
}
