//! Tests of each dependency rule on two small versions: the dependency is found, all closed subsets compile, and no
//! hunks are coupled without need.

mod change_patterns;
mod library_changes;
mod moved_names;

use crate::{Delta, DependencyRule, HunkId, JavaGranularity, LearnedConstraint};
use mend_engine::test_support::{facts, shared_server, source_set};
use mend_engine::{AttributionServer, SourceSet};
use mend_java::facts::CompileError;
use mend_model::{FileChange, FileState, RepoPath, TreeId};
use std::collections::BTreeMap;

type Files<'a> = &'a [(&'a str, &'a str)];

fn file_changes(old: Files<'_>, new: Files<'_>) -> Vec<FileChange> {
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

fn delta_with_facts(server: &mut AttributionServer, old: Files<'_>, new: Files<'_>) -> Delta {
    let facts = [old, new].map(|files| {
        assert_eq!(server.compile_errors(&source_set(files)).unwrap(), []);
        server.analyse(&source_set(files)).unwrap()
    });
    let [old_facts, new_facts] = facts;
    let facts_of_versions = Some((&old_facts, &new_facts));
    Delta::with_facts(
        TreeId(String::new()),
        &file_changes(old, new),
        JavaGranularity::Ast,
        facts_of_versions,
    )
}

fn render_variant(delta: &Delta, old: Files<'_>, is_enabled: &dyn Fn(HunkId) -> bool) -> SourceSet {
    let mut files: BTreeMap<RepoPath, _> = source_set(old).files.into_iter().collect();
    for (path, state) in delta.render(is_enabled).changes {
        match state {
            Some(state) => drop(files.insert(path, state.content)),
            None => drop(files.remove(&path)),
        }
    }
    SourceSet { files: files.into_iter().collect(), ..SourceSet::default() }
}

/// Asserts that every closed subset compiles, and that `rule` found a dependency.
fn check_all_subsets(old: Files<'_>, new: Files<'_>, rule: DependencyRule) {
    let mut server = shared_server();
    let delta = delta_with_facts(&mut server, old, new);
    let rules: Vec<DependencyRule> =
        delta.dependencies().iter().map(|coupling| coupling.rule).collect();
    assert!(rules.contains(&rule), "{rules:?}");
    let count = delta.hunks().len();
    assert!(count <= 10, "{count} hunks are too many to try all subsets");
    for subset in (0_u32..1 << count).filter(|subset| is_closed(&delta, *subset)) {
        let files = render_variant(&delta, old, &|hunk| subset >> hunk & 1 == 1);
        let errors = server.compile_errors(&files).unwrap();
        assert!(errors.is_empty(), "{subset:b} of {:?}: {errors:?}", delta.hunks());
    }
}

/// Returns true if a subset, one bit per hunk, satisfies the dependencies.
fn is_closed(delta: &Delta, subset: u32) -> bool {
    let is_enabled = |hunk: HunkId| subset >> hunk & 1 == 1;
    let all = delta.dependencies();
    all.iter().all(|one| !is_enabled(one.from) || one.to.iter().any(|to| is_enabled(*to)))
}

fn check_single_file(old: &str, new: &str, rule: DependencyRule) {
    check_all_subsets(&[("A.java", old)], &[("A.java", new)], rule);
}

facts! {
    every_rule_couples_the_hunks_that_need_each_other:
    new_use_needs_declaration,
    removed_declaration_needs_removal_of_uses,
    kept_use_of_redeclared_name_needs_a_declaration,
    parameter_needs_arguments_of_all_calls,
    narrowed_type_needs_fitting_values,
    return_type_needs_returned_values,
    abstract_method_needs_implementations,
    override_annotation_needs_overridden_method,
    override_needs_compatible_access_and_type,
    thrown_exception_needs_handler,
    catch_needs_thrown_exception,
    outside_use_needs_wider_access,
    abstract_class_excludes_instance_creation,
    simple_name_needs_import,
    static_import_needs_member,
    code_in_added_file_needs_its_dependencies,
    method_moved_to_other_file_needs_its_uses,
    superclass_constructor_needs_calls,
    read_needs_initialisation,
    final_field_is_assigned_once,
    removed_return_needs_another_return,
    members_of_same_name_are_exclusive,
    operator_needs_matching_operands,
    constructor_call_must_be_first,
    replaced_parameter_needs_its_arguments,
    new_superclass_method_excludes_weaker_override,
    reordered_modifier_is_same_modifier,
    array_dimensions_after_name_fit_value,
    removed_method_needs_removal_of_its_return,
    final_field_is_assigned_by_delegated_constructor,
    unknown_dependency_is_learned_from_compile_errors,
    incomplete_class_path_is_tolerated,
    unparsable_sources_are_tolerated,
    compile_error_teaches_component_constraint,
}

fn new_use_needs_declaration() {
    check_single_file(
        "class A { int f() { return 1; } }",
        "class A { int x = 2; int g() { return 3; } int f() { return x + g(); } }",
        DependencyRule::Definition,
    );
}

fn removed_declaration_needs_removal_of_uses() {
    check_single_file(
        "class A { int x = 2; void f() { int y = x; System.out.println(y); } }",
        "class A { void f() { } }",
        DependencyRule::Use,
    );
}

fn kept_use_of_redeclared_name_needs_a_declaration() {
    check_single_file(
        "class A { int f(int x) { return x; } int g() { return f(1); } }",
        "class A { int g() { return f(1); } int f(int x) { return x; } int f(long x) { return 2; } }",
        DependencyRule::Inside,
    );
}

fn parameter_needs_arguments_of_all_calls() {
    check_all_subsets(
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

fn narrowed_type_needs_fitting_values() {
    check_single_file(
        "class A { Object x; void f() { x = \"\"; Object y = x; } Object g() { return x; } }",
        "class A { Integer x; void f() { x = 1; Integer y = x; } Number g() { return x; } }",
        DependencyRule::Type,
    );
}

fn return_type_needs_returned_values() {
    check_single_file(
        "class A { void f() { return; } int g() { return 1; } }",
        "class A { int f() { return 1; } String g() { return \"\"; } }",
        DependencyRule::Type,
    );
}

fn abstract_method_needs_implementations() {
    check_single_file(
        "interface I { } class A implements I { } abstract class B { } class C extends B { }",
        "interface I { void f(); } class A implements I { public void f() { } } \
         abstract class B { abstract int g(); } class C extends B { int g() { return 1; } }",
        DependencyRule::Override,
    );
}

fn override_annotation_needs_overridden_method() {
    check_single_file(
        "class B { void f() { } } class A extends B { @Override void f() { } void g() { } }",
        "class B { void h() { } void g() { } } class A extends B { @Override void h() { } @Override void g() { } }",
        DependencyRule::Override,
    );
}

fn override_needs_compatible_access_and_type() {
    check_single_file(
        "class B { void f() { } Object g() { return 1; } } class A extends B { void f() { } Object g() { return 2; } }",
        "class B { public void f() { } Integer g() { return 1; } } class A extends B { public void f() { } Integer g() { return 2; } }",
        DependencyRule::Override,
    );
}

fn thrown_exception_needs_handler() {
    check_single_file(
        "class A { void f() { } void g() { f(); } }",
        "class A { void f() throws Exception { } void g() { try { f(); } catch (Exception e) { } } }",
        DependencyRule::Exception,
    );
}

fn catch_needs_thrown_exception() {
    check_single_file(
        "import java.io.IOException; class A { void f() throws IOException { throw new IOException(); } \
         void g() { try { f(); } catch (IOException e) { } } }",
        "import java.io.IOException; class A { void f() { } void g() { f(); } }",
        DependencyRule::Exception,
    );
}

fn outside_use_needs_wider_access() {
    check_all_subsets(
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

fn abstract_class_excludes_instance_creation() {
    check_single_file(
        "abstract class B { } class A { Object f() { return null; } }",
        "class B { } class A { Object f() { return new B(); } }",
        DependencyRule::Modifier,
    );
}

fn simple_name_needs_import() {
    check_single_file(
        "class A { Object f() { return null; } }",
        "import java.util.ArrayList; class A { Object f() { return new ArrayList<String>(); } }",
        DependencyRule::Import,
    );
}

fn static_import_needs_member() {
    check_all_subsets(
        &[("a/A.java", "package a; public class A { }")],
        &[
            ("a/A.java", "package a; import static b.B.f; public class A { }"),
            ("b/B.java", "package b; public class B { public static void f() { } }"),
        ],
        DependencyRule::Import,
    );
}

fn code_in_added_file_needs_its_dependencies() {
    check_all_subsets(
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

fn method_moved_to_other_file_needs_its_uses() {
    let method = "static int f(int a, int b) { return a + b; }";
    let with = |class: &str, rest: &str| format!("class {class} {{ {method} {rest} }}");
    check_all_subsets(
        &[("A.java", &with("A", "")), ("B.java", "class B { int x = A.f(1, 2); }")],
        &[("A.java", "class A { }"), ("B.java", &with("B", "int x = f(1, 2);"))],
        DependencyRule::Definition,
    );
}

fn superclass_constructor_needs_calls() {
    check_single_file(
        "class B { } class A extends B { A() { } }",
        "class B { B(int x) { } } class A extends B { A() { super(1); } }",
        DependencyRule::Constructor,
    );
}

fn read_needs_initialisation() {
    check_single_file(
        "class A { int f() { int x; x = 1; return x; } }",
        "class A { int f() { int x = 2; return x; } }",
        DependencyRule::Initialisation,
    );
}

fn final_field_is_assigned_once() {
    check_single_file(
        "class A { final int x = 1; A() { } }",
        "class A { final int x; A() { x = 2; } }",
        DependencyRule::Initialisation,
    );
}

fn removed_return_needs_another_return() {
    check_single_file(
        "class A { int f(boolean b) { if (b) { return 1; } else { return 2; } } }",
        "class A { int f(boolean b) { System.out.println(b); return 3; } }",
        DependencyRule::Reach,
    );
}

fn members_of_same_name_are_exclusive() {
    check_single_file(
        "class A { class C { } void f() { } }",
        "class A { void f() { } interface C { void m(); } }",
        DependencyRule::Duplicate,
    );
}

fn operator_needs_matching_operands() {
    check_single_file(
        "class A { boolean f(double x, double y) { return Math.abs(x) < y; } }",
        "class A { boolean f(double x, double y) { return x > -y && x < y; } }",
        DependencyRule::Operand,
    );
}

fn constructor_call_must_be_first() {
    check_single_file(
        "class A { int x; A(int y) { x = y; System.out.println(y); } }",
        "class A { int x; A(int y) { this(y, 1); } A(int y, int z) { x = y; } }",
        DependencyRule::Constructor,
    );
}

fn replaced_parameter_needs_its_arguments() {
    check_single_file(
        "class A { void f(String s, int i) { } void g() { f(\"\", 1); } }",
        "class A { void f(int i, boolean b) { } void g() { f(1, true); } }",
        DependencyRule::Signature,
    );
}

fn new_superclass_method_excludes_weaker_override() {
    check_single_file(
        "class B { } class A extends B { private void f() { } void g() { f(); } }",
        "class B { protected void f() { } } class A extends B { void g() { f(); } }",
        DependencyRule::Override,
    );
}

fn reordered_modifier_is_same_modifier() {
    check_single_file(
        "class A { synchronized static void f() { } static void g() { f(); } }",
        "class A { static synchronized void f() { } static void g() { f(); } }",
        DependencyRule::Duplicate,
    );
}

fn array_dimensions_after_name_fit_value() {
    check_single_file(
        "class A { int f(int m) { int t[][] = new int[m][m]; return t.length; } }",
        "class A { int f(int m) { int t[] = new int[m]; return t.length; } }",
        DependencyRule::Type,
    );
}

fn removed_method_needs_removal_of_its_return() {
    check_single_file(
        "class A { int f() { System.out.println(); return 1; } void g() { } }",
        "class A { void g() { } }",
        DependencyRule::Reach,
    );
}

fn final_field_is_assigned_by_delegated_constructor() {
    check_single_file(
        "class A { A(int y) { } }",
        "class A { final int z; A(int y) { this(y, 1); } A(int y, int z) { this.z = z; } }",
        DependencyRule::Initialisation,
    );
}

fn unknown_dependency_is_learned_from_compile_errors() {
    // The constant's length decides whether its cast is implicit.
    let old: Files<'_> =
        &[("A.java", "class A { static final int X = 1; byte f() { return 2; } }")];
    let new: Files<'_> = &[(
        "A.java",
        "class A { static final int X = 1000; byte f() { return (byte) X; } byte g = 3; }",
    )];
    let mut server = shared_server();
    let facts = [old, new].map(|files| server.analyse(&source_set(files)).unwrap());
    let tree = || TreeId(String::new());
    let changes = file_changes(old, new);
    let delta = Delta::with_learned_dependencies(
        tree(),
        &changes,
        (&facts[0], &facts[1]),
        20,
        &mut |edit| {
            // An artificial requirement: the constant must not change without the field.
            let state = edit.changes.values().next().cloned().flatten();
            let text =
                state.map_or(String::new(), |s| String::from_utf8_lossy(&s.content).into_owned());
            let is_rejected = text.contains("1000") && !text.contains("(byte)");
            let byte = text.find("1000").unwrap_or(0);
            let path = RepoPath::from("A.java");
            let error =
                CompileError { path, line: 1, byte, code: String::new(), message: "no".to_owned() };
            Some(if is_rejected { vec![error] } else { Vec::new() })
        },
    );
    assert!(delta.dependencies().iter().any(|coupling| coupling.rule == DependencyRule::Refused));
}

/// Splits two versions that need not compile; the empty and the full subset are still the versions.
fn check_tolerates(old: Files<'_>, new: Files<'_>) {
    let mut server = shared_server();
    let facts = [old, new].map(|files| server.analyse(&source_set(files)).unwrap());
    let tree = TreeId(String::new());
    let facts_of_versions = Some((&facts[0], &facts[1]));
    let delta =
        Delta::with_facts(tree, &file_changes(old, new), JavaGranularity::Ast, facts_of_versions);
    for (is_on, files) in [(false, old), (true, new)] {
        let mut expected = source_set(files).files;
        expected.sort();
        assert!(render_variant(&delta, old, &|_| is_on).files == expected);
    }
}

fn incomplete_class_path_is_tolerated() {
    check_tolerates(
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

fn unparsable_sources_are_tolerated() {
    let good = ("A.java", "class A { int f() { return B.x; } }");
    let bad = ("B.java", "class B { static int x = ; int g( { }");
    check_tolerates(&[good, ("B.java", "class B { static int x = 1; }")], &[good, bad]);
    check_tolerates(&[good, bad], &[("A.java", "class A { int f() { return 2; } }")]);
}

#[test]
fn deeply_nested_code_is_split_with_facts() {
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
    check_tolerates(&[("A.java", &nested(1))], &[("A.java", &nested(2))]);
}

fn compile_error_teaches_component_constraint() {
    let old =
        [("A.java", "class A { void m() { int x = 1; int y = 2; } void n() { int z = 3; } }")];
    let new =
        [("A.java", "class A { void m() { int x = 4; int y = 5; } void n() { int z = 6; } }")];
    let mut server = shared_server();
    let facts = [&old, &new].map(|files| server.analyse(&source_set(files)).unwrap());
    let changes = file_changes(&old, &new);
    let facts_of_versions = (&facts[0], &facts[1]);
    let tree = TreeId(String::new());
    let delta = Delta::with_facts(tree, &changes, JavaGranularity::Ast, Some(facts_of_versions));
    assert_eq!(delta.components().len(), 3);
    let byte = old[0].1.find("int x").unwrap();
    let error = CompileError {
        path: RepoPath::from("A.java"),
        line: 1,
        byte,
        code: "compiler.err.unreachable.stmt".to_owned(),
        message: "unreachable statement".to_owned(),
    };
    let constraints =
        delta.learn_constraints(&changes, facts_of_versions, &[error], &|unit| unit == 1, false);
    assert_eq!(constraints, [LearnedConstraint { premises: vec![1], alternatives: vec![0] }]);
}
