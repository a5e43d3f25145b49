//! Each schema on two small versions: the coupling is there, the couplings are enough, and no more than wanted.

mod change_patterns;
mod shapes;

use crate::{Delta, DependencyRule, HunkId, JavaGranularity, LearnedConstraint};
use mend_engine::test_support::{facts, server, sources};
use mend_engine::{AttributionServer, SourceSet};
use mend_java::facts::CompileError;
use mend_model::{FileChange, FileState, RepoPath, TreeId};
use std::collections::BTreeMap;

type Files<'a> = &'a [(&'a str, &'a str)];

fn changes(old: Files<'_>, new: Files<'_>) -> Vec<FileChange> {
    let side = |files: Files<'_>, path: &str| {
        let text = files.iter().find(|(name, _)| *name == path)?.1;
        Some((RepoPath::from(path), FileState::regular(text.as_bytes())))
    };
    let mut paths: Vec<&str> = old.iter().chain(new).map(|(path, _)| *path).collect();
    paths.sort_unstable();
    paths.dedup();
    paths
        .into_iter()
        .map(|path| FileChange { old: side(old, path), new: side(new, path) })
        .filter(|change| change.old != change.new)
        .collect()
}

fn delta(server: &mut AttributionServer, old: Files<'_>, new: Files<'_>) -> Delta {
    let facts = [old, new].map(|files| {
        assert_eq!(server.errors(&sources(files)).unwrap(), []);
        server.facts(&sources(files)).unwrap()
    });
    let [old_facts, new_facts] = facts;
    let known = Some((&old_facts, &new_facts));
    Delta::with_facts(TreeId(String::new()), &changes(old, new), JavaGranularity::Ast, known)
}

fn variant(delta: &Delta, old: Files<'_>, is_on: &dyn Fn(HunkId) -> bool) -> SourceSet {
    let mut files: BTreeMap<RepoPath, _> = sources(old).files.into_iter().collect();
    for (path, state) in delta.render(is_on).changes {
        match state {
            Some(state) => drop(files.insert(path, state.content)),
            None => drop(files.remove(&path)),
        }
    }
    SourceSet { files: files.into_iter().collect(), ..SourceSet::default() }
}

/// Every subset that respects the couplings compiles, and `rule` has made one of them.
fn check(old: Files<'_>, new: Files<'_>, rule: DependencyRule) {
    let mut server = server();
    let delta = delta(&mut server, old, new);
    let rules: Vec<DependencyRule> =
        delta.couplings().iter().map(|coupling| coupling.rule).collect();
    assert!(rules.contains(&rule), "{rules:?}");
    let count = delta.hunks().len();
    assert!(count <= 10, "{count} hunks are too many to try all subsets");
    for subset in (0_u32..1 << count).filter(|subset| is_closed(&delta, *subset)) {
        let files = variant(&delta, old, &|hunk| subset >> hunk & 1 == 1);
        let errors = server.errors(&files).unwrap();
        assert!(errors.is_empty(), "{subset:b} of {:?}: {errors:?}", delta.hunks());
    }
}

/// Returns true if a subset, one bit per hunk, satisfies the dependencies.
fn is_closed(delta: &Delta, subset: u32) -> bool {
    let on = |hunk: HunkId| subset >> hunk & 1 == 1;
    let all = delta.couplings();
    all.iter().all(|one| !on(one.from) || one.to.iter().any(|to| on(*to)))
}

fn check_one(old: &str, new: &str, rule: DependencyRule) {
    check(&[("A.java", old)], &[("A.java", new)], rule);
}

facts! {
    every_schema_couples_what_it_knows:
    a_new_use_needs_its_declaration,
    a_declaration_that_goes_takes_its_uses_with_it,
    a_kept_use_of_a_redeclared_name_needs_one_of_the_declarations,
    a_parameter_comes_with_the_arguments_of_all_calls,
    a_type_that_narrows_comes_with_the_values_that_fit_it,
    a_result_comes_with_the_values_that_are_returned,
    an_abstract_method_needs_its_implementations,
    an_override_mark_needs_something_to_override,
    an_override_is_as_accessible_and_fits_in_type,
    what_is_thrown_is_handled,
    what_is_caught_is_thrown,
    a_private_member_that_is_used_outside_is_opened,
    an_abstract_class_is_not_created,
    a_simple_name_needs_its_import,
    the_import_of_a_member_needs_the_member,
    what_is_inside_an_added_file_relies_on_what_it_needs,
    a_method_that_changes_its_file_takes_what_uses_it_along,
    a_superclass_with_a_constructor_needs_calls_of_it,
    a_variable_has_a_value_before_it_is_read,
    a_final_field_gets_its_value_once,
    a_return_that_goes_needs_another_one,
    two_members_of_one_name_exclude_each_other,
    an_operator_comes_with_the_operands_that_it_takes,
    a_call_of_another_constructor_stands_first,
    a_parameter_that_takes_the_place_of_another_one_comes_with_the_arguments,
    a_method_that_comes_above_another_one_needs_a_weaker_one_below_to_go,
    a_modifier_in_another_place_is_the_same_modifier,
    dimensions_after_a_name_fit_the_value,
    a_method_that_goes_takes_the_statement_that_returns_its_result_along,
    a_final_field_is_left_to_the_constructor_that_is_called,
    what_no_schema_knows_is_learnt_from_what_the_compiler_refuses,
    a_class_path_that_lacks_half_of_its_jars_does_no_harm,
    sources_that_the_compiler_does_not_parse_do_no_harm,
    what_a_variant_was_refused_for_is_a_lesson_on_its_components,
}

fn a_new_use_needs_its_declaration() {
    check_one(
        "class A { int f() { return 1; } }",
        "class A { int x = 2; int g() { return 3; } int f() { return x + g(); } }",
        DependencyRule::Definition,
    );
}

fn a_declaration_that_goes_takes_its_uses_with_it() {
    check_one(
        "class A { int x = 2; void f() { int y = x; System.out.println(y); } }",
        "class A { void f() { } }",
        DependencyRule::Use,
    );
}

fn a_kept_use_of_a_redeclared_name_needs_one_of_the_declarations() {
    check_one(
        "class A { int f(int x) { return x; } int g() { return f(1); } }",
        "class A { int g() { return f(1); } int f(int x) { return x; } int f(long x) { return 2; } }",
        DependencyRule::Inside,
    );
}

fn a_parameter_comes_with_the_arguments_of_all_calls() {
    check(
        &[
            ("A.java", "class A { static int f(int x) { return x; } }"),
            ("B.java", "class B { int g() { return A.f(1); } }"),
        ],
        &[
            ("A.java", "class A { static int f(int x, int y) { return x + y; } }"),
            ("B.java", "class B { int g() { return A.f(1, 2); } }"),
        ],
        DependencyRule::Signature,
    );
}

fn a_type_that_narrows_comes_with_the_values_that_fit_it() {
    check_one(
        "class A { Object x; void f() { x = \"\"; Object y = x; } Object g() { return x; } }",
        "class A { Integer x; void f() { x = 1; Integer y = x; } Number g() { return x; } }",
        DependencyRule::Type,
    );
}

fn a_result_comes_with_the_values_that_are_returned() {
    check_one(
        "class A { void f() { return; } int g() { return 1; } }",
        "class A { int f() { return 1; } String g() { return \"\"; } }",
        DependencyRule::Type,
    );
}

fn an_abstract_method_needs_its_implementations() {
    check_one(
        "interface I { } class A implements I { } abstract class B { } class C extends B { }",
        "interface I { void f(); } class A implements I { public void f() { } } \
         abstract class B { abstract int g(); } class C extends B { int g() { return 1; } }",
        DependencyRule::Override,
    );
}

fn an_override_mark_needs_something_to_override() {
    check_one(
        "class B { void f() { } } class A extends B { @Override void f() { } void g() { } }",
        "class B { void h() { } void g() { } } class A extends B { @Override void h() { } @Override void g() { } }",
        DependencyRule::Override,
    );
}

fn an_override_is_as_accessible_and_fits_in_type() {
    check_one(
        "class B { void f() { } Object g() { return 1; } } class A extends B { void f() { } Object g() { return 2; } }",
        "class B { public void f() { } Integer g() { return 1; } } class A extends B { public void f() { } Integer g() { return 2; } }",
        DependencyRule::Override,
    );
}

fn what_is_thrown_is_handled() {
    check_one(
        "class A { void f() { } void g() { f(); } }",
        "class A { void f() throws Exception { } void g() { try { f(); } catch (Exception e) { } } }",
        DependencyRule::Exception,
    );
}

fn what_is_caught_is_thrown() {
    check_one(
        "import java.io.IOException; class A { void f() throws IOException { throw new IOException(); } \
         void g() { try { f(); } catch (IOException e) { } } }",
        "import java.io.IOException; class A { void f() { } void g() { f(); } }",
        DependencyRule::Exception,
    );
}

fn a_private_member_that_is_used_outside_is_opened() {
    check(
        &[
            ("A.java", "class A { private static int x; final static int y; static { y = 1; } }"),
            ("B.java", "class B { int g() { return 1; } }"),
        ],
        &[
            ("A.java", "class A { static int x; static int y; static { y = 1; } }"),
            ("B.java", "class B { int g() { A.y = 2; return A.x; } }"),
        ],
        DependencyRule::Modifier,
    );
}

fn an_abstract_class_is_not_created() {
    check_one(
        "abstract class B { } class A { Object f() { return null; } }",
        "class B { } class A { Object f() { return new B(); } }",
        DependencyRule::Modifier,
    );
}

fn a_simple_name_needs_its_import() {
    check_one(
        "class A { Object f() { return null; } }",
        "import java.util.ArrayList; class A { Object f() { return new ArrayList<String>(); } }",
        DependencyRule::Import,
    );
}

fn the_import_of_a_member_needs_the_member() {
    check(
        &[("a/A.java", "package a; public class A { }")],
        &[
            ("a/A.java", "package a; import static b.B.f; public class A { }"),
            ("b/B.java", "package b; public class B { public static void f() { } }"),
        ],
        DependencyRule::Import,
    );
}

fn what_is_inside_an_added_file_relies_on_what_it_needs() {
    check(
        &[("a/A.java", "package a; public interface A { }")],
        &[
            ("a/A.java", "package a; public interface A { int f(); }"),
            (
                "b/B.java",
                "package b; import a.A; class B implements A { int x = 1; public int f() { return x; } }",
            ),
        ],
        DependencyRule::Override,
    );
}

fn a_method_that_changes_its_file_takes_what_uses_it_along() {
    let method = "static int f(int a, int b) { return a + b; }";
    let with = |class: &str, rest: &str| format!("class {class} {{ {method} {rest} }}");
    check(
        &[("A.java", &with("A", "")), ("B.java", "class B { int x = A.f(1, 2); }")],
        &[("A.java", "class A { }"), ("B.java", &with("B", "int x = f(1, 2);"))],
        DependencyRule::Definition,
    );
}

fn a_superclass_with_a_constructor_needs_calls_of_it() {
    check_one(
        "class B { } class A extends B { A() { } }",
        "class B { B(int x) { } } class A extends B { A() { super(1); } }",
        DependencyRule::Constructor,
    );
}

fn a_variable_has_a_value_before_it_is_read() {
    check_one(
        "class A { int f() { int x; x = 1; return x; } }",
        "class A { int f() { int x = 2; return x; } }",
        DependencyRule::Initialisation,
    );
}

fn a_final_field_gets_its_value_once() {
    check_one(
        "class A { final int x = 1; A() { } }",
        "class A { final int x; A() { x = 2; } }",
        DependencyRule::Initialisation,
    );
}

fn a_return_that_goes_needs_another_one() {
    check_one(
        "class A { int f(boolean b) { if (b) { return 1; } else { return 2; } } }",
        "class A { int f(boolean b) { System.out.println(b); return 3; } }",
        DependencyRule::Reach,
    );
}

fn two_members_of_one_name_exclude_each_other() {
    check_one(
        "class A { class C { } void f() { } }",
        "class A { void f() { } interface C { void m(); } }",
        DependencyRule::Duplicate,
    );
}

fn an_operator_comes_with_the_operands_that_it_takes() {
    check_one(
        "class A { boolean f(double x, double y) { return Math.abs(x) < y; } }",
        "class A { boolean f(double x, double y) { return x > -y && x < y; } }",
        DependencyRule::Operand,
    );
}

fn a_call_of_another_constructor_stands_first() {
    check_one(
        "class A { int x; A(int y) { x = y; System.out.println(y); } }",
        "class A { int x; A(int y) { this(y, 1); } A(int y, int z) { x = y; } }",
        DependencyRule::Constructor,
    );
}

fn a_parameter_that_takes_the_place_of_another_one_comes_with_the_arguments() {
    check_one(
        "class A { void f(String s, int i) { } void g() { f(\"\", 1); } }",
        "class A { void f(int i, boolean b) { } void g() { f(1, true); } }",
        DependencyRule::Signature,
    );
}

fn a_method_that_comes_above_another_one_needs_a_weaker_one_below_to_go() {
    check_one(
        "class B { } class A extends B { private void f() { } void g() { f(); } }",
        "class B { protected void f() { } } class A extends B { void g() { f(); } }",
        DependencyRule::Override,
    );
}

fn a_modifier_in_another_place_is_the_same_modifier() {
    check_one(
        "class A { synchronized static void f() { } static void g() { f(); } }",
        "class A { static synchronized void f() { } static void g() { f(); } }",
        DependencyRule::Duplicate,
    );
}

fn dimensions_after_a_name_fit_the_value() {
    check_one(
        "class A { int f(int m) { int t[][] = new int[m][m]; return t.length; } }",
        "class A { int f(int m) { int t[] = new int[m]; return t.length; } }",
        DependencyRule::Type,
    );
}

fn a_method_that_goes_takes_the_statement_that_returns_its_result_along() {
    check_one(
        "class A { int f() { System.out.println(); return 1; } void g() { } }",
        "class A { void g() { } }",
        DependencyRule::Reach,
    );
}

fn a_final_field_is_left_to_the_constructor_that_is_called() {
    check_one(
        "class A { A(int y) { } }",
        "class A { final int z; A(int y) { this(y, 1); } A(int y, int z) { this.z = z; } }",
        DependencyRule::Initialisation,
    );
}

fn what_no_schema_knows_is_learnt_from_what_the_compiler_refuses() {
    // The length of a constant decides whether the cast of it is implied.
    let old: Files<'_> =
        &[("A.java", "class A { static final int X = 1; byte f() { return 2; } }")];
    let new: Files<'_> = &[(
        "A.java",
        "class A { static final int X = 1000; byte f() { return (byte) X; } byte g = 3; }",
    )];
    let mut server = server();
    let facts = [old, new].map(|files| server.facts(&sources(files)).unwrap());
    let tree = || TreeId(String::new());
    let changes = changes(old, new);
    let delta = Delta::proved(tree(), &changes, (&facts[0], &facts[1]), 20, &mut |edit| {
        // A law that no language has: the constant does not change without the field.
        let state = edit.changes.values().next().cloned().flatten();
        let text =
            state.map_or(String::new(), |s| String::from_utf8_lossy(&s.content).into_owned());
        let is_bad = text.contains("1000") && !text.contains("(byte)");
        let byte = text.find("1000").unwrap_or(0);
        let path = RepoPath::from("A.java");
        let refusal =
            CompileError { path, line: 1, byte, code: String::new(), message: "no".to_owned() };
        Some(if is_bad { vec![refusal] } else { Vec::new() })
    });
    assert!(delta.couplings().iter().any(|coupling| coupling.rule == DependencyRule::Refused));
}

/// Takes two versions apart that need not compile; nothing and everything are still the versions.
fn check_bytes(old: Files<'_>, new: Files<'_>) {
    let mut server = server();
    let facts = [old, new].map(|files| server.facts(&sources(files)).unwrap());
    let tree = TreeId(String::new());
    let known = Some((&facts[0], &facts[1]));
    let delta = Delta::with_facts(tree, &changes(old, new), JavaGranularity::Ast, known);
    for (is_on, files) in [(false, old), (true, new)] {
        let mut expected = sources(files).files;
        expected.sort();
        assert!(variant(&delta, old, &|_| is_on).files == expected);
    }
}

fn a_class_path_that_lacks_half_of_its_jars_does_no_harm() {
    check_bytes(
        &[(
            "A.java",
            "import q.Gone; class A extends Gone { Gone g = new Gone(f(1)); int f(int i) { return g.h(i); } }",
        )],
        &[(
            "A.java",
            "import q.Gone; import r.*; @Lost class A extends Gone implements Missing<A> { Gone g = new Gone(f(1, 2)); \
           int f(int i, int j) throws Absent { try (Gone h = g.open()) { return switch (g.h(i)) { case ONE -> 1; }; } } }",
        )],
    );
}

fn sources_that_the_compiler_does_not_parse_do_no_harm() {
    let good = ("A.java", "class A { int f() { return B.x; } }");
    let bad = ("B.java", "class B { static int x = ; int g( { }");
    check_bytes(&[good, ("B.java", "class B { static int x = 1; }")], &[good, bad]);
    check_bytes(&[good, bad], &[("A.java", "class A { int f() { return 2; } }")]);
}

#[test]
fn ten_thousand_levels_are_taken_apart_with_facts() {
    let nested = |value: u8| {
        let (open, close) = ("(".repeat(10_000), ")".repeat(10_000));
        let (blocks, ends) = ("{ ".repeat(10_000), "}".repeat(10_000));
        let (ifs, ifs_end) = ("{ if (b) { ".repeat(2_000), "} }".repeat(2_000));
        let calls = format!("{}{value}{}", "f(".repeat(3_000), ")".repeat(3_000));
        format!(
            "class A {{ int x = {open}{value}{close}; int f(int y) {{ return {calls}; }}\n\
             int g() {{ {blocks} return {value}; {ends} }}\n\
             void h(boolean b) {{ {ifs} b = x > {value}; {ifs_end} }} }}"
        )
    };
    check_bytes(&[("A.java", &nested(1))], &[("A.java", &nested(2))]);
}

fn what_a_variant_was_refused_for_is_a_lesson_on_its_components() {
    let old =
        [("A.java", "class A { void m() { int x = 1; int y = 2; } void n() { int z = 3; } }")];
    let new =
        [("A.java", "class A { void m() { int x = 4; int y = 5; } void n() { int z = 6; } }")];
    let mut server = server();
    let facts = [&old, &new].map(|files| server.facts(&sources(files)).unwrap());
    let changes = changes(&old, &new);
    let known = (&facts[0], &facts[1]);
    let tree = TreeId(String::new());
    let delta = Delta::with_facts(tree, &changes, JavaGranularity::Ast, Some(known));
    assert_eq!(delta.components().len(), 3);
    let byte = old[0].1.find("int x").unwrap();
    let refusal = CompileError {
        path: RepoPath::from("A.java"),
        line: 1,
        byte,
        code: "compiler.err.unreachable.stmt".to_owned(),
        message: "unreachable statement".to_owned(),
    };
    let lessons = delta.lessons(&changes, known, &[refusal], &|unit| unit == 1, false);
    assert_eq!(lessons, [LearnedConstraint { all: vec![1], any: vec![0] }]);
}
