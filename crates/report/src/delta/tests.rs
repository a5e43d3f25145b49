use super::{DeltaView, DependencyKind, format_dot};
use crate::TerminalStyle;
use crate::delta::format_delta;
use mend_delta::{Delta, JavaGranularity};
use mend_model::{FileChange, FileState, RepoPath, TreeId};

fn delta_of_texts(old: &str, new: &str) -> (Delta, [FileChange; 1]) {
    let side =
        |text: &str| Some((RepoPath::from("Till.java"), FileState::regular(text.as_bytes())));
    let changes = [FileChange { old: side(old), new: side(new) }];
    let delta = Delta::between(TreeId(String::new()), &changes, JavaGranularity::Ast);
    (delta, changes)
}

fn view_of_texts(old: &str, new: &str) -> DeltaView {
    let (delta, changes) = delta_of_texts(old, new);
    DeltaView::new(&delta, &changes)
}

fn sample_view() -> DeltaView {
    view_of_texts(
        "class Till {\n  int sum() { return 1; }\n}\n",
        "class Till {\n  int vat = 7;\n  int sum() { return 1 + vat; }\n}\n",
    )
}

#[test]
fn use_of_new_field_needs_its_declaration() {
    let view = sample_view();
    assert_eq!(view.components.len(), 2);
    let needs: Vec<_> =
        view.couplings.iter().filter(|one| one.kind == DependencyKind::Needs).collect();
    let definition = view.components.iter().find(|one| one.what.contains("vat = 7")).unwrap();
    assert_eq!(needs.len(), 1);
    assert_eq!(needs[0].to, [definition.id]);
}

#[test]
fn terminal_view_shows_changes_lines_and_dependencies() {
    let narrow =
        format_delta(&sample_view(), &TerminalStyle::plain().with_width(Some(40))).unwrap();
    insta::assert_snapshot!(narrow, @r"
    2 components in 1 file: 2 hunks, 7 tokens

    behaviour: 2 components
      Till.java
          1 line 2     insert field
                       declaration: int vat
                       = 7; (5 tokens)
          2 line 3     insert binary
                       expression: 1 + vat
                       (2 tokens) needs 1
    ");
    let text = format_delta(&sample_view(), &TerminalStyle::plain()).unwrap();
    assert_eq!(
        text,
        "2 components in 1 file: 2 hunks, 7 tokens\n\n\
         behaviour: 2 components\n  Till.java\n      \
         1 line 2     insert field declaration: int vat = 7; (5 tokens)\n      \
         2 line 3     insert binary expression: 1 + vat (2 tokens) needs 1\n"
    );
}

#[test]
fn screen_reader_gets_words_for_arrows() {
    let views = |old: &str, new: &str| {
        let (delta, changes) = delta_of_texts(old, new);
        let render = |style: &TerminalStyle| {
            format_delta(&DeltaView::with_style(&delta, &changes, style), style).unwrap()
        };
        [render(&TerminalStyle::plain()), render(&TerminalStyle::spoken())]
    };
    let [seen, heard] = views("class T { int a = 1; }\n", "class T { int a = 2; }\n");
    assert!(seen.contains("1 → 2 (2 tokens)"), "{seen}");
    assert!(heard.contains("1 becomes 2 (2 tokens)"), "{heard}");
    let [seen, heard] = views("class T { public int a; }\n", "class T { private int a; }\n");
    assert!(seen.contains("field a: public → private"), "{seen}");
    assert!(heard.contains("field a: public becomes private"), "{heard}");
}

#[test]
fn dot_has_a_node_per_component_and_an_edge_per_need() {
    let text = format_dot(&sample_view());
    assert!(text.starts_with("digraph {"), "{text}");
    assert_eq!(text.matches("shape = box").count(), 2);
    assert!(text.contains("1 -> 0 [ label = \"definition\" style = solid]"), "{text}");
}

#[test]
fn json_view_follows_the_schema() {
    let json = serde_json::to_value(sample_view()).unwrap();
    assert_eq!(json["schema"], "git-mend/delta/1");
    assert_eq!(json["components"][0]["hunks"][0]["kind"], "insert");
    assert!(json["components"][0]["refactoring"].is_null());
    assert_eq!(json["couplings"][0]["kind"], "needs");
}

#[test]
fn delta_is_shown_in_colour_and_in_words() {
    let old = "class Till {\n  int sum() { return 1; }\n  int vat = 7;\n}\n";
    let new = "class Till {\n  int sum() { return 2 + tax; }\n  int tax = 7;\n  int net = 0;\n}\n";
    let (delta, changes) = delta_of_texts(old, new);
    let render = |style: &TerminalStyle| {
        let text = format_delta(&DeltaView::with_style(&delta, &changes, style), style).unwrap();
        text.replace('\u{1b}', "^")
    };
    insta::assert_snapshot!(render(&TerminalStyle::coloured()), @r"
    ^[1m3 components^[0m in 1 file: 3 hunks, 11 tokens

    ^[1mbehaviour: 3 components^[0m
      ^[36mTill.java^[0m
          1 ^[2mline 2    ^[0m 1 → 2 + tax ^[2m(4 tokens)^[0m ^[2mneeds 2^[0m
          2 ^[2mline 3    ^[0m vat → tax ^[2m(2 tokens)^[0m
          3 ^[2mline 4    ^[0m insert field declaration: int net = 0; ^[2m(5 tokens)^[0m
    ");
    insta::assert_snapshot!(render(&TerminalStyle::spoken()), @r"
    3 components in 1 file: 3 hunks, 11 tokens

    behaviour: 3 components
      Till.java
          1 line 2     1 becomes 2 + tax (4 tokens) needs 2
          2 line 3     vat becomes tax (2 tokens)
          3 line 4     insert field declaration: int net = 0; (5 tokens)
    ");
}
