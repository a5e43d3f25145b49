use super::{delta, names, notes_of};

const NO_REFACTORINGS: [&str; 0] = [];

const METHOD: &str = "public int area(int w, int h) { log(w); return w * h; }";

#[test]
fn interface_is_extracted_to_file() {
    let notes = notes_of(&delta(&[
        ("I.java", "", "interface I { int area(int w, int h); }"),
        (
            "A.java",
            &format!("class A {{ {METHOD} }}"),
            &format!("class A implements I {{ @Override {METHOD} }}"),
        ),
    ]));
    assert_eq!(notes[0], ("extract interface", "I with 1 members".to_owned()));
}

#[test]
fn interface_with_own_members_is_not_extracted() {
    let old = format!("class A {{ {METHOD} }}");
    let new =
        format!("interface I {{ int other(); }} abstract class A implements I {{ {METHOD} }}");
    assert!(!names(&old, &new).contains(&"extract interface"));
}

#[test]
fn superclass_is_extracted() {
    let old = format!("class A {{ int x; {METHOD} }}");
    let new = format!("class S {{ {METHOD} }} class A extends S {{ int x; }}");
    assert!(names(&old, &new).contains(&"extract superclass"));
}

#[test]
fn class_is_extracted_and_inlined() {
    let old = format!("class A {{ int x; int m() {{ return area(1, 2); }} {METHOD} }}");
    let new = format!(
        "class A {{ int x; Areas areas = new Areas(); int m() {{ return areas.area(1, 2); }} }} class Areas {{ {METHOD} }}"
    );
    assert!(names(&old, &new).contains(&"extract class"));
    assert!(names(&new, &old).contains(&"inline class"));
    let other = new.replace("w * h", "w + h");
    assert_eq!(names(&old, &other), NO_REFACTORINGS);
}
