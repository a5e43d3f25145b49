mod compiling;
mod coverage;
mod javac;
mod modules;
mod pollution;
mod reuse;
mod schema;

use super::*;
use crate::ExecutionMode;
use crate::testing::EngineFixture;
use javac::WarmJavacLauncher;

/// A project whose variants both engines test, in the same way as a search.
struct EnginePair {
    fixture: EngineFixture,
    resident: ResidentEngine,
    selector: &'static str,
    /// Launcher for the builds of the process engine.
    launcher: Arc<WarmJavacLauncher>,
}

impl EnginePair {
    /// Creates both engines without cross-checks, so that the results of the workers are visible.
    fn new(selector: &'static str, files: &[(&str, &str)]) -> Self {
        let fixture = EngineFixture::new(files);
        let mut resident =
            ResidentEngine::new(fixture.engine(&[selector]), EngineChoice::Resident, 1);
        resident.cross_check = Mutex::new(CrossCheck::without_sampling());
        let launcher = Arc::new(WarmJavacLauncher::new(fixture.tools()));
        Self { fixture, resident, selector, launcher }
    }

    /// Creates both engines; the resident one has a result cache.
    fn with_result_cache(self) -> Self {
        Self { resident: self.resident.with_result_cache(), ..self }
    }

    /// Returns the outcome of the workers, after asserting that a clean build has the same.
    fn judge_with_both(&self) -> Execution {
        let warm = self.fixture.execute(&self.resident);
        let tools = Toolchain { launcher: self.launcher.clone(), ..self.fixture.tools() };
        let process_engine = self.fixture.engine_with_tools(tools, &[self.selector], &[]);
        let clean = self.fixture.execute(&process_engine);
        assert_eq!(compare_outcomes(&warm.outcome, &clean.outcome), None);
        warm
    }

    fn write_and_judge(&self, file: &str, text: &str) -> Execution {
        self.fixture.write(file, text);
        self.judge_with_both()
    }
}

const TEST_SOURCE: (&str, &str) = (
    "test/a/T.java",
    "package a; class T { public static void main(String[] x) {\n\
     if (Use.number() != 5) throw new IllegalStateException(\"it is \" + Use.number()); } }",
);

fn code(two: &str) -> String {
    format!("package a; class Code {{ {two} }}")
}

#[test]
fn warm_and_clean_tests_of_the_first_version_do_not_overlap() {
    let test = "package a; import java.nio.file.*; class T {\n\
        public static void main(String[] x) throws Exception {\n\
        Path lock = Paths.get(\"lock\"); Files.createFile(lock); Thread.sleep(700);\n\
        Files.delete(lock); } }";
    let fixture = EngineFixture::new(&[("test/a/T.java", test)]);
    let engine = ResidentEngine::new(fixture.engine(&["a.T"]), EngineChoice::Resident, 1);
    for _ in 0..2 {
        let execution = fixture.execute(&engine);
        assert!(execution.outcome.is_pass(), "{execution:?}");
        assert_eq!(execution.notes, Vec::<String>::new());
    }
}

#[test]
fn edits_of_bodies_members_and_constants_reach_dependents() {
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
            TEST_SOURCE,
        ],
    );
    let first = pair.judge_with_both();
    assert!(first.outcome.is_pass());
    assert_eq!(first.mode, ExecutionMode::Loader);
    for (members, passes) in [
        ("static final int THREE = 3; static int two() { return 1; }", false),
        ("static final int THREE = 4; static int two() { return 1; }", true),
        ("static final long THREE = 3; static int two() { return 2; }", false),
        ("static final int THREE = 3; static byte two() { return 2; }", true),
        ("static final int THREE = 3; static int two() { return 2; } abstract void m();", false),
        ("static final int THREE = 3; static int two(int... x) { return 2; }", true),
        ("static final int THREE = 3; static int two() { return 2; }", true),
    ] {
        let execution = pair.write_and_judge("src/a/Code.java", &code(members));
        assert_eq!(execution.outcome.is_pass(), passes, "{members}: {:?}", execution.outcome);
    }
}

#[test]
fn added_and_removed_classes_reach_dependents() {
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
            TEST_SOURCE,
        ],
    );
    assert!(pair.judge_with_both().outcome.is_pass());
    let six = "static class Five { static final int N = 6; }";
    let math = "class Math { static int abs(int x) { return x + 1; } }";
    for (inner, beside, passes) in
        [(six, "", false), ("", "", true), ("", math, false), (six, math, false), ("", "", true)]
    {
        let execution = pair.write_and_judge("src/a/Code.java", &code(inner, beside));
        assert_eq!(
            execution.outcome.is_pass(),
            passes,
            "{inner} {beside}: {:?}",
            execution.outcome
        );
    }
    // A reverted edit is not compiled again, and the files that it affected are.
    pair.fixture.write("src/a/Code.java", &code(six, ""));
    assert!(!pair.judge_with_both().outcome.is_pass());
    pair.fixture.write("src/a/Code.java", &code("", ""));
    let far = "package a; class Far { static String one() { return \"22\"; } }";
    assert!(!pair.write_and_judge("src/a/Far.java", far).outcome.is_pass());
}

#[test]
fn compile_errors_match_javac_and_are_listed_individually() {
    let pair = EnginePair::new(
        "a.T",
        &[
            ("src/a/Use.java", "package a; class Use {\n static int number() { return 5; } }"),
            TEST_SOURCE,
        ],
    );
    assert!(pair.judge_with_both().outcome.is_pass());
    let broken = "package a; class Use {\n /* \u{e9} */ static int number() { return \"\"; } }";
    let execution = pair.write_and_judge("src/a/Use.java", broken);
    let output = execution.outcome.text();
    assert!(output.starts_with("src/a/Use.java:2: error: incompatible types: "), "{output}");
    assert!(output.ends_with("^\n1 error\n"), "{output}");
    let compile_error = &execution.compile_errors[0];
    assert_eq!(
        (compile_error.path.to_string().as_str(), compile_error.line),
        ("src/a/Use.java", 2)
    );
    assert!(broken[compile_error.byte..].starts_with("\"\""));
    assert!(
        pair.write_and_judge(
            "src/a/Use.java",
            "package a; class Use { static int number() { return 5; } }"
        )
        .outcome
        .is_pass()
    );
}

#[test]
fn clean_build_keeps_compile_errors_of_the_worker() {
    let five = "package a; class Use { static int number() { return \"\"; } }";
    let fixture = EngineFixture::new(&[("src/a/Use.java", five), TEST_SOURCE]);
    let resident = ResidentEngine::new(fixture.engine(&["a.T"]), EngineChoice::Resident, 1);
    // The first execution of a run is always cross-checked.
    let execution = fixture.execute(&resident);
    assert_eq!(execution.mode, ExecutionMode::Process);
    assert_eq!(execution.compile_errors.len(), 1);
}

#[test]
fn fail_fast_reports_only_the_first_compile_error() {
    let use_class = "package a; class Use { static int number() { return Five.five(); } }";
    let five = |text: &str| format!("package a; class Five {{ {text} }}");
    let valid_five = five("static int five() { return 5; }");
    let pair = EnginePair::new(
        "a.T",
        &[("src/a/Use.java", use_class), ("src/a/Five.java", &valid_five), TEST_SOURCE],
    );
    let fail_fast_engine =
        pair.fixture.engine(&["a.T"]).with_order(TestOrder::default().with_fail_fast());
    let mut fail_fast_engine = ResidentEngine::new(fail_fast_engine, EngineChoice::Resident, 1);
    fail_fast_engine.cross_check = Mutex::new(CrossCheck::without_sampling());
    let run = || pair.fixture.execute(&fail_fast_engine).outcome;
    assert!(pair.judge_with_both().outcome.is_pass() && run().is_pass());
    pair.fixture.write("src/a/Five.java", &five("static int six() { return \"\"; }"));
    let all_errors = pair.judge_with_both().outcome.text();
    assert!(
        all_errors.contains("src/a/Use.java") && all_errors.ends_with("2 errors\n"),
        "{all_errors}"
    );
    let first_error = run().text();
    assert!(
        first_error.starts_with("src/a/Five.java") && first_error.ends_with("1 error\n"),
        "{first_error}"
    );
    pair.fixture.write("src/a/Five.java", &valid_five);
    assert!(run().is_pass());
}

#[test]
fn removed_files_and_classes_leave_no_class_files() {
    let pair = EnginePair::new(
        "a.T",
        &[
            ("src/a/Use.java", "package a; class Use { static int number() { return 5; } }"),
            TEST_SOURCE,
        ],
    );
    assert!(pair.judge_with_both().outcome.is_pass());
    let loads_by_name = "package a; class Use { static int number() { try { Class.forName(\"a.Extra\"); return 5; }\n\
                   catch (ClassNotFoundException e) { return 0; } } }";
    assert!(!pair.write_and_judge("src/a/Use.java", loads_by_name).outcome.is_pass());
    assert!(
        pair.write_and_judge("src/a/Extra.java", "package a; class Extra {}").outcome.is_pass()
    );
    std::fs::remove_file(pair.fixture.tree.path().join("src/a/Extra.java")).unwrap();
    assert!(!pair.judge_with_both().outcome.is_pass());
    let nested = format!("{loads_by_name} class Extra {{}}");
    assert!(pair.write_and_judge("src/a/Use.java", &nested).outcome.is_pass());
    assert!(!pair.write_and_judge("src/a/Use.java", loads_by_name).outcome.is_pass());
}

#[test]
fn test_helpers_are_recompiled_with_the_code_they_use() {
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
    assert!(pair.judge_with_both().outcome.is_pass());
    assert!(
        !pair
            .write_and_judge("src/a/Use.java", "package a; class Use { static final int N = 6; }")
            .outcome
            .is_pass()
    );
    let helper = "package a; class Helper { static int number() { return Use.N - 1; } }";
    assert!(pair.write_and_judge("test/a/Helper.java", helper).outcome.is_pass());
}

#[test]
fn deleted_class_file_is_restored_for_the_next_run() {
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
        assert!(pair.judge_with_both().outcome.is_pass());
    }
}

#[test]
fn unsupported_compiler_option_falls_back_or_is_refused() {
    let files = [
        ("src/a/Use.java", "package a; class Use { static int number() { return 5; } }"),
        TEST_SOURCE,
    ];
    let fixture = EngineFixture::new(&files);
    let engine = |choice| {
        let process = fixture.engine_with_javac_options(&["a.T"], &["-Werror"]);
        ResidentEngine::new(process, choice, 1)
    };
    let limits = Limits::default();
    let request = RunRequest::quick(fixture.tree.path(), &limits);
    let result = engine(EngineChoice::Resident).run(&request);
    assert!(result.unwrap_err().to_string().contains("compiler option -Werror"));
    let auto = engine(EngineChoice::Auto);
    let execution = fixture.execute(&auto);
    assert!(execution.outcome.is_pass());
    assert_eq!(execution.mode, ExecutionMode::Process);
    assert!(execution.notes[0].contains("-Werror"));
}

#[test]
fn disagreement_is_noted_and_the_clean_build_decides() {
    // The test passes in the first JVM that runs it and fails in all others.
    let pair = EnginePair::new(
        "a.T",
        &[(
            "test/a/T.java",
            "package a; class T { public static void main(String[] x) throws Exception {\n\
            if (!new java.io.File(\"ran\").createNewFile()) throw new IllegalStateException(); } }",
        )],
    );
    let engine = ResidentEngine::new(pair.fixture.engine(&["a.T"]), EngineChoice::Auto, 1);
    let execution = pair.fixture.execute(&engine);
    assert!(!execution.outcome.is_pass());
    assert!(execution.notes[0].contains("resident: a.T#main passed"), "{:?}", execution.notes);
    assert!(!lock(&engine.cross_check).is_trusted());
    assert!(matches!(execution.outcome, Outcome::Tests { .. }));
}

#[test]
fn messages_that_differ_in_each_run_are_no_disagreement() {
    for message in ["\"no user \" + name", "name"] {
        let source = format!(
            "package a; class T {{ public static void main(String[] x) {{\n\
             StringBuilder name = new StringBuilder();\n\
             for (char c : Long.toString(System.nanoTime()).toCharArray()) name.append((char) (c + 50));\n\
             throw new IllegalStateException({message}); }} }}"
        );
        let pair = EnginePair::new("a.T", &[("test/a/T.java", &source)]);
        let engine = ResidentEngine::new(pair.fixture.engine(&["a.T"]), EngineChoice::Auto, 1);
        let execution = pair.fixture.execute(&engine);
        assert!(execution.notes.is_empty(), "{:?}", execution.notes);
        assert!(lock(&engine.cross_check).is_trusted());
    }
}

#[test]
fn slow_clean_build_is_repeated_before_comparison() {
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
    let engine = ResidentEngine::new(pair.fixture.engine(&["a.T"]), EngineChoice::Auto, 1);
    let limits = Limits { test: Some(std::time::Duration::from_secs(10)), ..Limits::default() };
    let execution = pair.fixture.execute_within(&engine, &limits);
    assert!(execution.outcome.is_pass(), "{:?}", execution.outcome);
    assert!(lock(&engine.cross_check).is_trusted());
    let runs = std::fs::read_to_string(pair.fixture.tree.path().join("ran")).unwrap();
    assert_eq!(runs, "...");
}

#[test]
fn changed_filter_values_reach_warm_tests() {
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
    let has_passed = |execution: &Execution| format!("{:?}", execution.outcome).contains("Passed");
    assert!(has_passed(&pair.judge_with_both()));
    let changed = pair.write_and_judge("pom.xml", &pom("4"));
    assert!(!has_passed(&changed));
    assert_eq!(changed.mode, ExecutionMode::Loader);
}

#[test]
fn filtered_sources_are_compiled_with_their_values() {
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
    assert!(pair.judge_with_both().outcome.is_pass());
    assert!(pair.write_and_judge(file, &facts("int more;")).outcome.is_pass());
    assert!(!pair.write_and_judge("pom.xml", &pom("4")).outcome.is_pass());
    let broken = pair.write_and_judge(file, &facts("int x = y;")).outcome;
    let Outcome::NotBuilt { diagnostics, .. } = broken else { panic!("{broken:?}") };
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

fn use_class_returning(number: &str) -> String {
    format!("package a; class Use {{ static int number() {{ return {number}; }} }}")
}

#[test]
fn variants_share_only_the_test_framework() {
    let pair =
        EnginePair::new("a.JTest", &[("src/a/Use.java", &use_class_returning("5")), JUNIT4_TEST]);
    for round in 0..25 {
        pair.fixture.write("src/a/Use.java", &use_class_returning(&format!("{round} % 4 + 2")));
        let warm = pair.fixture.execute(&pair.resident);
        assert_eq!((warm.outcome.is_pass(), warm.mode), (round % 4 == 3, ExecutionMode::Loader));
    }
    assert!(pair.write_and_judge("src/a/Use.java", &use_class_returning("5")).outcome.is_pass());
}

#[test]
fn project_class_in_a_framework_package_has_package_access() {
    let own_class = "package org.junit.runner; public class Own { public static int five() {\n\
               return FilterFactories.class.isInterface() ? 4 : 5; } }";
    let pair = EnginePair::new(
        "a.JTest",
        &[
            ("src/org/junit/runner/Own.java", own_class),
            ("src/a/Use.java", &use_class_returning("5")),
            JUNIT4_TEST,
        ],
    );
    let execution =
        pair.write_and_judge("src/a/Use.java", &use_class_returning("org.junit.runner.Own.five()"));
    assert!(execution.outcome.is_pass());
    assert_eq!(execution.mode, ExecutionMode::Loader);
}
