mod compiling;
mod coverage;
mod javac;
mod modules;
mod pollution;
mod reuse;

use super::*;
use crate::ExecutionMode;
use crate::testing::EngineFixture;
use javac::WarmJavacLauncher;

/// A project whose variants are judged by both engines, as a search would have them judged.
struct EnginePair {
    bench: EngineFixture,
    resident: ResidentEngine,
    selector: &'static str,
    /// Starts what builds afresh.
    launcher: Arc<WarmJavacLauncher>,
}

impl EnginePair {
    /// Checks nothing by itself, so that the workers' own verdicts are seen.
    fn new(selector: &'static str, files: &[(&str, &str)]) -> Self {
        let bench = EngineFixture::new(files);
        let mut resident =
            ResidentEngine::new(bench.engine(&[selector]), EngineChoice::Resident, 1);
        resident.trust = Mutex::new(CrossCheck::never_doubting());
        let launcher = Arc::new(WarmJavacLauncher::new(bench.tools()));
        Self { bench, resident, selector, launcher }
    }

    /// A resident engine with a cache of results.
    fn remembering(self) -> Self {
        Self { resident: self.resident.remembering(), ..self }
    }

    /// Returns the outcome of the workers, after asserting that a clean build has the same.
    fn judge(&self) -> Execution {
        let quick = self.bench.execute(&self.resident);
        let tools = Toolchain { launcher: self.launcher.clone(), ..self.bench.tools() };
        let fresh = self.bench.engine_of(tools, &[self.selector], &[]);
        let sure = self.bench.execute(&fresh);
        let difference = CrossCheck::never_doubting().compare(&quick.outcome, &sure.outcome);
        assert_eq!(difference, None);
        quick
    }

    fn judge_with(&self, file: &str, text: &str) -> Execution {
        self.bench.write(file, text);
        self.judge()
    }
}

const TEST: (&str, &str) = (
    "test/a/T.java",
    "package a; class T { public static void main(String[] x) {\n\
     if (Use.number() != 5) throw new IllegalStateException(\"it is \" + Use.number()); } }",
);

fn code(two: &str) -> String {
    format!("package a; class Code {{ {two} }}")
}

#[test]
fn edits_of_bodies_shapes_and_constants_reach_whoever_uses_them() {
    let pair = EnginePair::new(
        "a.T",
        &[
            (
                "src/a/Code.java",
                &code("static final int THREE = 3; static int two() { return 2; }"),
            ),
            (
                "src/a/Use.java",
                "package a; class Use extends Code {\n\
              static int number() { return two() + THREE; } }",
            ),
            ("src/a/Other.java", "package a; class Other { int x; }"),
            TEST,
        ],
    );
    let first = pair.judge();
    assert!(first.outcome.is_pass());
    assert_eq!(first.rung, ExecutionMode::Loader);
    for (members, passes) in [
        ("static final int THREE = 3; static int two() { return 1; }", false),
        ("static final int THREE = 4; static int two() { return 1; }", true),
        ("static final long THREE = 3; static int two() { return 2; }", false),
        ("static final int THREE = 3; static byte two() { return 2; }", true),
        ("static final int THREE = 3; static int two() { return 2; } abstract void m();", false),
        ("static final int THREE = 3; static int two(int... x) { return 2; }", true),
        ("static final int THREE = 3; static int two() { return 2; }", true),
    ] {
        let judged = pair.judge_with("src/a/Code.java", &code(members));
        assert_eq!(judged.outcome.is_pass(), passes, "{members}: {:?}", judged.outcome);
    }
}

#[test]
fn classes_that_come_and_go_reach_whoever_names_them() {
    let code = |inner: &str, beside: &str| format!("package a; class Code {{ {inner} }} {beside}");
    let pair = EnginePair::new(
        "a.T",
        &[
            ("src/a/Code.java", &code("", "")),
            ("src/a/Five.java", "package a; class Five { static final int N = 5; }"),
            (
                "src/a/Use.java",
                "package a; class Use extends Code {\n\
              static int number() { return Math.abs(\\u0046ive.N) * Far.one().length(); } }",
            ),
            ("src/a/Far.java", "package a; class Far { static String one() { return \"1\"; } }"),
            TEST,
        ],
    );
    assert!(pair.judge().outcome.is_pass());
    let six = "static class Five { static final int N = 6; }";
    let math = "class Math { static int abs(int x) { return x + 1; } }";
    for (inner, beside, passes) in
        [(six, "", false), ("", "", true), ("", math, false), (six, math, false), ("", "", true)]
    {
        let judged = pair.judge_with("src/a/Code.java", &code(inner, beside));
        assert_eq!(judged.outcome.is_pass(), passes, "{inner} {beside}: {:?}", judged.outcome);
    }
    // What an edit undoes is not compiled again, and what it concerned is.
    pair.bench.write("src/a/Code.java", &code(six, ""));
    assert!(!pair.judge().outcome.is_pass());
    pair.bench.write("src/a/Code.java", &code("", ""));
    let far = "package a; class Far { static String one() { return \"22\"; } }";
    assert!(!pair.judge_with("src/a/Far.java", far).outcome.is_pass());
}

#[test]
fn what_does_not_compile_is_told_as_javac_prints_it_and_piece_by_piece() {
    let pair = EnginePair::new(
        "a.T",
        &[("src/a/Use.java", "package a; class Use {\n static int number() { return 5; } }"), TEST],
    );
    assert!(pair.judge().outcome.is_pass());
    let broken = "package a; class Use {\n /* \u{e9} */ static int number() { return \"\"; } }";
    let judged = pair.judge_with("src/a/Use.java", broken);
    let said = judged.outcome.text();
    assert!(said.starts_with("src/a/Use.java:2: error: incompatible types: "), "{said}");
    assert!(said.ends_with("^\n1 error\n"), "{said}");
    let refusal = &judged.refusals[0];
    assert_eq!((refusal.path.to_string().as_str(), refusal.line), ("src/a/Use.java", 2));
    assert!(broken[refusal.byte..].starts_with("\"\""));
    assert!(
        pair.judge_with(
            "src/a/Use.java",
            "package a; class Use { static int number() { return 5; } }"
        )
        .outcome
        .is_pass()
    );
}

#[test]
fn what_is_refused_is_told_where_a_fresh_build_was_asked_too() {
    let five = "package a; class Use { static int number() { return \"\"; } }";
    let bench = EngineFixture::new(&[("src/a/Use.java", five), TEST]);
    let resident = ResidentEngine::new(bench.engine(&["a.T"]), EngineChoice::Resident, 1);
    // The first execution of a run is always checked.
    let judged = bench.execute(&resident);
    assert_eq!(judged.rung, ExecutionMode::Process);
    assert_eq!(judged.refusals.len(), 1);
}

#[test]
fn all_that_is_refused_is_told_but_where_a_run_ends_at_the_first_failure() {
    let uses = "package a; class Use { static int number() { return Five.five(); } }";
    let five = |text: &str| format!("package a; class Five {{ {text} }}");
    let right = five("static int five() { return 5; }");
    let pair =
        EnginePair::new("a.T", &[("src/a/Use.java", uses), ("src/a/Five.java", &right), TEST]);
    let hasty = pair.bench.engine(&["a.T"]).with_order(TestOrder::default().failing_fast());
    let mut hasty = ResidentEngine::new(hasty, EngineChoice::Resident, 1);
    hasty.trust = Mutex::new(CrossCheck::never_doubting());
    let run = || pair.bench.execute(&hasty).outcome;
    assert!(pair.judge().outcome.is_pass() && run().is_pass());
    pair.bench.write("src/a/Five.java", &five("static int six() { return \"\"; }"));
    let all = pair.judge().outcome.text();
    assert!(all.contains("src/a/Use.java") && all.ends_with("2 errors\n"), "{all}");
    let first = run().text();
    assert!(first.starts_with("src/a/Five.java") && first.ends_with("1 error\n"), "{first}");
    pair.bench.write("src/a/Five.java", &right);
    assert!(run().is_pass());
}

#[test]
fn files_and_classes_that_come_and_go_leave_nothing_behind() {
    let pair = EnginePair::new(
        "a.T",
        &[("src/a/Use.java", "package a; class Use { static int number() { return 5; } }"), TEST],
    );
    assert!(pair.judge().outcome.is_pass());
    let by_name = "package a; class Use { static int number() { try { Class.forName(\"a.Extra\"); return 5; }\n\
                   catch (ClassNotFoundException e) { return 0; } } }";
    assert!(!pair.judge_with("src/a/Use.java", by_name).outcome.is_pass());
    assert!(pair.judge_with("src/a/Extra.java", "package a; class Extra {}").outcome.is_pass());
    std::fs::remove_file(pair.bench.tree.path().join("src/a/Extra.java")).unwrap();
    assert!(!pair.judge().outcome.is_pass());
    let nested = format!("{by_name} class Extra {{}}");
    assert!(pair.judge_with("src/a/Use.java", &nested).outcome.is_pass());
    assert!(!pair.judge_with("src/a/Use.java", by_name).outcome.is_pass());
}

#[test]
fn helpers_of_tests_follow_the_code_that_they_use() {
    let pair = EnginePair::new(
        "a.T",
        &[
            ("src/a/Use.java", "package a; class Use { static final int N = 5; }"),
            (
                "test/a/T.java",
                "package a; class T { public static void main(String[] x) {\n\
              if (Helper.number() != 5) throw new IllegalStateException(); } }",
            ),
            (
                "test/a/Helper.java",
                "package a; class Helper { static int number() { return Use.N; } }",
            ),
        ],
    );
    assert!(pair.judge().outcome.is_pass());
    assert!(
        !pair
            .judge_with("src/a/Use.java", "package a; class Use { static final int N = 6; }")
            .outcome
            .is_pass()
    );
    let helper = "package a; class Helper { static int number() { return Use.N - 1; } }";
    assert!(pair.judge_with("test/a/Helper.java", helper).outcome.is_pass());
}

#[test]
fn a_class_path_that_a_test_destroys_is_whole_again_for_the_next() {
    let pair = EnginePair::new(
        "a.T",
        &[
            ("src/a/Use.java", "package a; class Use { static int number() { return 5; } }"),
            (
                "test/a/T.java",
                "package a; class T { public static void main(String[] x) throws Exception {\n\
              if (Use.number() != 5) throw new IllegalStateException();\n\
              java.net.URL here = Use.class.getResource(\"Use.class\");\n\
              if (!new java.io.File(here.toURI()).delete()) throw new Exception(\"still there\"); } }",
            ),
        ],
    );
    for _ in 0..3 {
        assert!(pair.judge().outcome.is_pass());
    }
}

#[test]
fn what_the_resident_compiler_is_not_for_is_refused_or_left_to_fresh_processes() {
    let files =
        [("src/a/Use.java", "package a; class Use { static int number() { return 5; } }"), TEST];
    let bench = EngineFixture::new(&files);
    let engine = |choice| {
        let process = bench.engine_with(&["a.T"], &["-Werror"]);
        ResidentEngine::new(process, choice, 1)
    };
    let limits = Limits::default();
    let request = RunRequest::quick(bench.tree.path(), &limits);
    let refused = engine(EngineChoice::Resident).run(&request);
    assert!(refused.unwrap_err().to_string().contains("compiler option -Werror"));
    let auto = engine(EngineChoice::Auto);
    let judged = bench.execute(&auto);
    assert!(judged.outcome.is_pass());
    assert_eq!(judged.rung, ExecutionMode::Process);
    assert!(judged.notes[0].contains("-Werror"));
}

#[test]
fn a_disagreement_is_told_and_the_fresh_build_has_the_last_word() {
    // Passes in the first JVM that runs it and fails in any other.
    let pair = EnginePair::new(
        "a.T",
        &[(
            "test/a/T.java",
            "package a; class T { public static void main(String[] x) throws Exception {\n\
            if (!new java.io.File(\"ran\").createNewFile()) throw new IllegalStateException(); } }",
        )],
    );
    let engine = ResidentEngine::new(pair.bench.engine(&["a.T"]), EngineChoice::Auto, 1);
    let judged = pair.bench.execute(&engine);
    assert!(!judged.outcome.is_pass());
    assert!(judged.notes[0].contains("resident: a.T#main passed"), "{:?}", judged.notes);
    assert!(!lock(&engine.trust).is_trusted());
    assert!(matches!(judged.outcome, Outcome::Tests { .. }));
}

#[test]
fn a_fresh_jvm_that_was_slow_once_is_no_disagreement() {
    let pair = EnginePair::new(
        "a.T",
        &[(
            "test/a/T.java",
            "package a; class T { public static void main(String[] x) throws Exception {\n\
            java.io.File ran = new java.io.File(\"ran\"); long runs = ran.length();\n\
            try (java.io.FileWriter out = new java.io.FileWriter(ran, true)) { out.write('.'); }\n\
            if (runs == 1) Thread.sleep(60_000); } }",
        )],
    );
    let engine = ResidentEngine::new(pair.bench.engine(&["a.T"]), EngineChoice::Auto, 1);
    let limits = Limits { test: Some(std::time::Duration::from_secs(10)), ..Limits::default() };
    let judged = pair.bench.execute_within(&engine, &limits);
    assert!(judged.outcome.is_pass(), "{:?}", judged.outcome);
    assert!(lock(&engine.trust).is_trusted());
    let runs = std::fs::read_to_string(pair.bench.tree.path().join("ran")).unwrap();
    assert_eq!(runs, "...");
}

#[test]
fn changed_values_of_filtered_resources_reach_resident_tests() {
    let pom = |number: &str| {
        format!(
            "<project><groupId>g</groupId><artifactId>a</artifactId><version>1</version>\
             <properties><number>{number}</number></properties><build><resources><resource>\
             <directory>src/main/resources</directory><filtering>true</filtering></resource>\
             </resources></build></project>"
        )
    };
    let test = "class T { public static void main(String[] x) throws Exception {\n\
                if (T.class.getResourceAsStream(\"/n.txt\").read() != '5')\n\
                throw new IllegalStateException(\"another\"); } }";
    let pair = EnginePair::new(
        "T",
        &[
            ("pom.xml", &pom("5")),
            ("src/test/java/T.java", test),
            ("src/main/resources/n.txt", "@number@"),
        ],
    );
    let ended = |execution: &Execution| format!("{:?}", execution.outcome).contains("Passed");
    assert!(ended(&pair.judge()));
    let changed = pair.judge_with("pom.xml", &pom("4"));
    assert!(!ended(&changed));
    assert_eq!(changed.rung, ExecutionMode::Loader);
}

#[test]
fn sources_that_the_build_fills_in_are_compiled_with_their_values() {
    let pom = |number: &str| {
        format!(
            "<project><groupId>g</groupId><artifactId>a</artifactId><version>{number}</version><build><plugins>\
             <plugin><artifactId>templating-maven-plugin</artifactId><executions><execution><goals>\
             <goal>filter-sources</goal></goals></execution></executions></plugin></plugins></build></project>"
        )
    };
    let test = "class T { public static void main(String[] x) {\n\
                if (!Facts.VERSION.equals(\"5\")) throw new IllegalStateException(); } }";
    let facts = |members: &str| {
        format!(
            "class Facts {{ static final String VERSION = \"${{project.version}}\"; {members} }}"
        )
    };
    let file = "src/main/java-templates/Facts.java";
    let files = [("pom.xml", &*pom("5")), ("src/test/java/T.java", test), (file, &*facts(""))];
    let pair = EnginePair::new("T", &files);
    assert!(pair.judge().outcome.is_pass());
    assert!(pair.judge_with(file, &facts("int more;")).outcome.is_pass());
    assert!(!pair.judge_with("pom.xml", &pom("4")).outcome.is_pass());
    let broken = pair.judge_with(file, &facts("int x = y;")).outcome;
    let Outcome::NotBuilt { diagnostics } = broken else { panic!("{broken:?}") };
    assert!(
        diagnostics.starts_with("src/main/java-templates/Facts.java:1: error"),
        "{diagnostics}"
    );
}

const JUNIT4_TEST: (&str, &str) = (
    "test/a/JTest.java",
    "package a; import org.junit.*; import static org.hamcrest.CoreMatchers.*; public class JTest {\n\
     static int times; @Test public void t() { Assert.assertEquals(0, times++); \n\
     Assert.assertThat(Use.number(), is(5)); } }",
);

fn number(number: &str) -> String {
    format!("package a; class Use {{ static int number() {{ return {number}; }} }}")
}

#[test]
fn variants_share_the_test_framework_for_a_while_and_nothing_else() {
    let pair = EnginePair::new("a.JTest", &[("src/a/Use.java", &number("5")), JUNIT4_TEST]);
    for round in 0..25 {
        pair.bench.write("src/a/Use.java", &number(&format!("{round} % 4 + 2")));
        let quick = pair.bench.execute(&pair.resident);
        assert_eq!((quick.outcome.is_pass(), quick.rung), (round % 4 == 3, ExecutionMode::Loader));
    }
    assert!(pair.judge_with("src/a/Use.java", &number("5")).outcome.is_pass());
}

#[test]
fn a_class_of_the_project_in_the_package_of_a_framework_sees_what_is_private_to_that() {
    let own = "package org.junit.runner; public class Own { public static int five() {\n\
               return FilterFactories.class.isInterface() ? 4 : 5; } }";
    let pair = EnginePair::new(
        "a.JTest",
        &[("src/org/junit/runner/Own.java", own), ("src/a/Use.java", &number("5")), JUNIT4_TEST],
    );
    let judged = pair.judge_with("src/a/Use.java", &number("org.junit.runner.Own.five()"));
    assert!(judged.outcome.is_pass());
    assert_eq!(judged.rung, ExecutionMode::Loader);
}
