mod test_ng;

use super::*;
use crate::testing::{
    EngineFixture, expected_statuses, first_failure, test_results as results_of, test_statuses,
};
use crate::{EngineChoice, LaunchSpec, ResidentEngine, RunMode};
use std::time::Duration;

const CODE_SOURCE: (&str, &str) = (
    "src/a/Code.java",
    "package a;\npublic class Code {\n public static int two() { return 2; }\n}",
);

#[test]
fn frames_of_causes_follow_those_of_the_exception() {
    let fixture = EngineFixture::new(&[
        (
            "src/a/Code.java",
            "package a;\nclass Code {\n static int half(int[] of) { return of[2] / 2; }\n}",
        ),
        (
            "test/a/Bad.java",
            "package a;\nclass Bad {\n static void check() {\n  try {\n   Code.half(new int[1]);\n  } \
             catch (RuntimeException e) {\n   throw new AssertionError(\"not expected\", e);\n  }\n }\n \
             public static void main(String[] x) { check(); }\n}",
        ),
    ]);
    let test_failure = first_failure(fixture.run_selector("a.Bad"));
    assert_eq!(test_failure.exception, "java.lang.AssertionError");
    let own_frames = test_failure.frames.iter().filter(|frame| frame.class.starts_with("a."));
    let lines: Vec<(&str, Option<u32>)> =
        own_frames.map(|frame| (frame.method.as_str(), frame.line)).collect();
    // The frame of `main` is reported once.
    assert_eq!(
        lines,
        [("check", Some(7)), ("main", Some(10)), ("half", Some(3)), ("check", Some(5))]
    );
}

#[test]
fn main_class_passes_on_return_and_fails_on_exception() {
    let fixture = EngineFixture::new(&[
        CODE_SOURCE,
        (
            "test/a/Good.java",
            "package a; class Good { public static void main(String[] x) { assert Code.two() == 2; } }",
        ),
        (
            "test/a/Bad.java",
            "package a;\nclass Bad {\n public static void main(String[] x) throws Exception {\n  \
             System.out.println(\"{\\\"event\\\":\\\"finished\\\"}\");\n  \
             throw new java.io.IOException(\"tab\\there\");\n }\n}",
        ),
        (
            "test/a/Broken.java",
            "package a; class Broken { static int x = 1 / (Code.two() - 2);\n\
             public static void main(String[] y) {} }",
        ),
    ]);
    assert_eq!(
        test_statuses(fixture.run_selector("a.Good")),
        expected_statuses(&[("a.Good#main", "passed")])
    );
    let test_failure = first_failure(fixture.run_selector("a.Bad"));
    assert_eq!(test_failure.exception, "java.io.IOException");
    assert_eq!(test_failure.message.as_deref(), Some("tab\there"));
    assert_eq!(
        (test_failure.frames[0].class.as_str(), test_failure.frames[0].line),
        ("a.Bad", Some(5))
    );
    assert_eq!(
        test_statuses(fixture.run_selector("a.Broken")),
        expected_statuses(&[("a.Broken", "failed")])
    );
    let error = first_failure(fixture.run_selector("a.Broken"));
    assert_eq!(error.exception, "java.lang.ExceptionInInitializerError");
}

#[test]
fn junit_4_tests_are_reported_individually() {
    let fixture = EngineFixture::new(&[
        CODE_SOURCE,
        (
            "test/a/CodeTest.java",
            "package a; import org.junit.*; import static org.junit.Assert.*; public class CodeTest {\n\
             @Test public void passes() { assertEquals(2, Code.two()); }\n\
             @Test public void fails() { assertEquals(3, Code.two()); }\n\
             @Ignore @Test public void ignored() { fail(); }\n\
             @Test public void assumes() { Assume.assumeTrue(false); }\n\
             }",
        ),
        (
            "test/a/OldTest.java",
            "package a; public class OldTest extends junit.framework.TestCase {\n\
             public void testOld() { assertEquals(2, Code.two()); } public void testNew() { fail(); } }",
        ),
    ]);
    let statuses = [
        ("a.CodeTest#assumes", "skipped"),
        ("a.CodeTest#fails", "failed"),
        ("a.CodeTest#ignored", "skipped"),
        ("a.CodeTest#passes", "passed"),
    ];
    assert_eq!(test_statuses(fixture.run_selector("a.CodeTest")), expected_statuses(&statuses));
    assert_eq!(
        test_statuses(fixture.run_selector("a.CodeTest#pa*")),
        expected_statuses(&[("a.CodeTest#passes", "passed")])
    );
    assert_eq!(
        test_statuses(fixture.run_selector("a.OldTest#testOld")),
        expected_statuses(&[("a.OldTest#testOld", "passed")])
    );
    let test_failure = first_failure(fixture.run_selector("a.CodeTest#fails"));
    assert_eq!(test_failure.exception, "java.lang.AssertionError");
    assert_eq!(test_failure.message.as_deref(), Some("expected:<3> but was:<2>"));
    assert!(
        test_failure
            .frames
            .iter()
            .any(|frame| frame.class == "a.CodeTest" && frame.line == Some(3))
    );
}

#[test]
fn junit_4_reports_parameters_and_class_failures() {
    let fixture = EngineFixture::new(&[
        CODE_SOURCE,
        (
            "test/a/ManyTest.java",
            "package a; import java.util.*; import org.junit.*; import org.junit.runner.RunWith;\n\
             import org.junit.runners.Parameterized; @RunWith(Parameterized.class) public class ManyTest {\n\
             @Parameterized.Parameters public static List<Object[]> data() {\n\
             return Arrays.asList(new Object[][] {{2}, {3}}); }\n\
             final int x; public ManyTest(int x) { this.x = x; }\n\
             @Test public void same() { Assert.assertEquals(x, Code.two()); }\n\
             @Test public void other() {} }",
        ),
        (
            "test/a/SetUpTest.java",
            "package a; import org.junit.*; public class SetUpTest {\n\
             @BeforeClass public static void up() { throw new IllegalStateException(\"no\"); }\n\
             @Test public void t() {} }",
        ),
    ]);
    let both = [("a.ManyTest#same[0]", "passed"), ("a.ManyTest#same[1]", "failed")];
    assert_eq!(test_statuses(fixture.run_selector("a.ManyTest#same")), expected_statuses(&both));
    assert_eq!(
        test_statuses(fixture.run_selector("a.ManyTest#same[0]")),
        expected_statuses(&both[..1])
    );
    assert_eq!(
        test_statuses(fixture.run_selector("a.SetUpTest#t")),
        expected_statuses(&[("a.SetUpTest", "failed")])
    );
}

#[test]
fn junit_5_tests_are_reported_individually() {
    let fixture = EngineFixture::new(&[
        CODE_SOURCE,
        (
            "test/a/CodeTest.java",
            "package a; import java.util.stream.*; import org.junit.jupiter.api.*;\n\
             import org.junit.jupiter.params.*; import org.junit.jupiter.params.provider.*;\n\
             class CodeTest {\n\
             @Test void passes() { Assertions.assertEquals(2, Code.two()); }\n\
             @Test void fails() { Assertions.assertEquals(3, Code.two()); }\n\
             @Disabled @Test void disabled() {}\n\
             @Test void assumes() { Assumptions.assumeTrue(false); }\n\
             @ParameterizedTest @ValueSource(ints = {2, 3}) void many(int x) {\n\
             Assertions.assertEquals(x, Code.two()); }\n\
             @TestFactory Stream<DynamicTest> made() {\n\
             return Stream.of(DynamicTest.dynamicTest(\"x\", () -> {})); }\n\
             @Nested class Inner { @Test void inside() {} }\n}",
        ),
    ]);
    let statuses = [
        ("a.CodeTest#assumes", "skipped"),
        ("a.CodeTest#disabled", "skipped"),
        ("a.CodeTest#fails", "failed"),
        ("a.CodeTest#made[1]", "passed"),
        ("a.CodeTest#many[1]", "passed"),
        ("a.CodeTest#many[2]", "failed"),
        ("a.CodeTest#passes", "passed"),
        ("a.CodeTest$Inner#inside", "passed"),
    ];
    assert_eq!(test_statuses(fixture.run_selector("a.CodeTest")), expected_statuses(&statuses));
    assert_eq!(
        test_statuses(fixture.run_selector("a.CodeTest#many")),
        expected_statuses(&statuses[4..6])
    );
    assert_eq!(
        test_statuses(fixture.run_selector("a.CodeTest$Inner#inside")),
        expected_statuses(&statuses[7..])
    );
    let test_failure = first_failure(fixture.run_selector("a.CodeTest#fails"));
    assert_eq!(test_failure.exception, "org.opentest4j.AssertionFailedError");
}

#[test]
fn junit_5_set_up_failure_fails_the_class() {
    let fixture = EngineFixture::new(&[(
        "test/a/SetUpTest.java",
        "package a; import org.junit.jupiter.api.*; class SetUpTest {\n\
         @BeforeAll static void up() { throw new IllegalStateException(\"no\"); }\n\
         @Test void t() {} }",
    )]);
    assert_eq!(
        test_statuses(fixture.run_selector("a.SetUpTest")),
        expected_statuses(&[("a.SetUpTest", "failed")])
    );
}

#[test]
fn several_frameworks_run_in_one_execution() {
    let fixture = EngineFixture::new(&[
        ("test/ATest.java", "public class ATest { @org.junit.Test public void t() {} }"),
        ("test/BTest.java", "import org.junit.jupiter.api.*; class BTest { @Test void t() {} }"),
    ]);
    let execution = fixture.execute(&fixture.engine(&["*Test"]));
    assert_eq!(
        test_statuses(execution.outcome),
        expected_statuses(&[("ATest#t", "passed"), ("BTest#t", "passed")])
    );
}

#[test]
fn compile_errors_have_paths_relative_to_the_tree() {
    let fixture = EngineFixture::new(&[
        CODE_SOURCE,
        ("test/a/T.java", "package a; class T { public static void main(String[] x) {} }"),
        ("test/a/Other.java", "package a; class Other { no.such.Library x; }"),
    ]);
    let engine = fixture.engine(&["a.T"]);
    let run = || fixture.execute(&engine).outcome;
    assert_eq!(test_statuses(run()), expected_statuses(&[("a.T#main", "passed")]));
    fixture.write("src/a/Code.java", "package a; class Code { int x = \"\"; }");
    let Outcome::NotBuilt { diagnostics, .. } = run() else { panic!() };
    assert!(diagnostics.starts_with("src/a/Code.java:1: error:"), "{diagnostics}");
    assert!(
        std::fs::read_dir(fixture.work_dir.path()).unwrap().count() <= 1,
        "build folders are left"
    );
}

#[test]
fn timed_out_test_is_named() {
    let fixture = EngineFixture::new(&[(
        "test/SlowTest.java",
        "public class SlowTest { @org.junit.Test public void hangs() throws Exception {\n\
         System.out.println(\"on it\"); Thread.sleep(600_000); } }",
    )]);
    let limits = Limits { test: Some(Duration::from_secs(5)), ..Limits::default() };
    let outcome = fixture.execute_within(&fixture.engine(&["SlowTest"]), &limits).outcome;
    let Outcome::TimedOut { test, output } = outcome else { panic!("{outcome:?}") };
    assert_eq!(test.as_deref(), Some("SlowTest#hangs"));
    assert!(output.contains("on it"));
}

#[test]
fn only_failed_tests_report_the_end_of_their_output() {
    let fixture = EngineFixture::new(&[(
        "test/LoudTest.java",
        "import org.junit.*; import org.junit.runners.MethodSorters; @FixMethodOrder(MethodSorters.NAME_ASCENDING)\n\
         public class LoudTest {\n\
         @Test public void a() { System.out.println(\"of a\"); }\n\
         @Test public void b() { System.out.print(\"of b, \"); System.err.println(\"and more\"); Assert.fail(); }\n\
         @Test public void c() { for (int i = 0; i < 5000; i++) System.out.println(\"line \" + i); Assert.fail(); }\n\
         @Test public void d() { Assert.fail(); } }",
    )]);
    let test_results = results_of(fixture.run_selector("LoudTest"));
    let printed: Vec<&str> = test_results.iter().map(|result| &*result.printed).collect();
    assert_eq!([printed[0], printed[1], printed[3]], ["", "of b, and more\n", ""]);
    assert!(printed[2].ends_with("line 4998\nline 4999\n"), "{}", printed[2]);
    assert!(printed[2].len() <= 4096 && printed[2].len() > 4000, "{}", printed[2].len());
    assert!(
        Outcome::Tests { results: test_results }
            .text()
            .contains("after it printed:\n    of b, and more\n")
    );
}

#[test]
fn test_that_exits_the_jvm_is_a_crash() {
    let fixture = EngineFixture::new(&[(
        "test/ExitTest.java",
        "public class ExitTest { @org.junit.Test public void t() { System.exit(0); } }",
    )]);
    assert!(matches!(fixture.run_selector("ExitTest"), Outcome::Crashed { .. }));
}

#[test]
fn tests_have_resources_work_dir_and_assertions() {
    let fixture = EngineFixture::new(&[
        ("src/a/words.txt", "x"),
        ("src/a/A.java", "package a; class A {}"),
        ("data.txt", "y"),
        (
            "test/a/T.java",
            "package a; class T { public static void main(String[] x) throws Exception {\n\
             if (T.class.getResource(\"words.txt\") == null) throw new Exception(\"resource\");\n\
             if (!new java.io.File(\"data.txt\").exists()) throw new Exception(\"folder\");\n\
             if (!T.class.desiredAssertionStatus()) throw new Exception(\"assertions\"); } }",
        ),
    ]);
    assert_eq!(
        test_statuses(fixture.run_selector("a.T")),
        expected_statuses(&[("a.T#main", "passed")])
    );
}

#[test]
fn temporary_files_do_not_survive_a_run() {
    let fixture = EngineFixture::new(&[(
        "test/T.java",
        "class T { public static void main(String[] x) throws Exception {\n\
         java.io.File left = new java.io.File(System.getProperty(\"java.io.tmpdir\"), \"left-by-a-test\");\n\
         if (!left.createNewFile()) throw new IllegalStateException(\"it is there\"); } }",
    )]);
    for _ in 0..2 {
        assert_eq!(
            test_statuses(fixture.run_selector("T")),
            expected_statuses(&[("T#main", "passed")])
        );
    }
}

#[test]
fn tree_with_other_folders_gets_its_own_model() {
    let fixture = EngineFixture::new(&[
        ("src/main/java/a/Code.java", CODE_SOURCE.1),
        (
            "src/test/java/a/T.java",
            "package a; class T { public static void main(String[] x) { assert Code.two() == 2; } }",
        ),
    ]);
    let engine = fixture.engine(&["a.T"]);
    let older_tree = EngineFixture::new(&[("source/a/Code.java", CODE_SOURCE.1)]);
    std::fs::create_dir_all(older_tree.tree.path().join("src/test/java/a")).unwrap();
    let test = "src/test/java/a/T.java";
    std::fs::copy(fixture.tree.path().join(test), older_tree.tree.path().join(test)).unwrap();
    for tree in [&fixture.tree, &older_tree.tree] {
        let outcome = engine.run_clean(tree.path(), &Limits::default()).unwrap().outcome;
        assert_eq!(test_statuses(outcome), expected_statuses(&[("a.T#main", "passed")]));
    }
}

#[test]
fn broken_build_file_means_not_built() {
    let pom = "<project><groupId>g</groupId><artifactId>a</artifactId></project>";
    let fixture = EngineFixture::new(&[
        ("pom.xml", pom),
        ("src/test/java/T.java", "class T { public static void main(String[] x) {} }"),
    ]);
    let engine = fixture.engine(&["T"]);
    let run = || fixture.execute(&engine).outcome;
    assert_eq!(test_statuses(run()), expected_statuses(&[("T#main", "passed")]));
    fixture.write("pom.xml", "<project>");
    assert!(matches!(run(), Outcome::NotBuilt { .. }));
}

#[test]
fn fingerprint_depends_on_tests_but_not_on_location() {
    let files = [(
        "T.java",
        "class T { public static void main(String[] x) {} }\n\
         class U { public static void main(String[] x) {} }",
    )];
    let (here, there) = (EngineFixture::new(&files), EngineFixture::new(&files));
    assert_eq!(here.engine(&["T"]).fingerprint(), there.engine(&["T"]).fingerprint());
    assert_ne!(here.engine(&["T"]).fingerprint(), here.engine(&["T", "T#main"]).fingerprint());
}

#[test]
fn fingerprint_covers_only_libraries_outside_the_tree() {
    let pom = "<project><groupId>g</groupId><artifactId>a</artifactId><build><plugins><plugin>\n\
               <artifactId>maven-surefire-plugin</artifactId><configuration>\n\
               <argLine>-Dplace=${project.basedir}/x</argLine>\n\
               </configuration></plugin></plugins></build></project>";
    let test = "class T { public static void main(String[] x) {} }";
    for files in [
        &[("T.java", test), ("lib/own.jar", "")][..],
        &[("pom.xml", pom), ("src/test/java/T.java", test)],
    ] {
        let [here, there] = [(); 2].map(|()| EngineFixture::new(files).with_libraries(&["junit4"]));
        let fingerprint = |fixture: &EngineFixture| fixture.engine(&["T"]).fingerprint();
        assert_eq!(fingerprint(&here), fingerprint(&there));
    }
    let fixture = EngineFixture::new(&[("T.java", test)]).with_libraries(&["junit4"]);
    let fingerprint_before = fixture.engine(&["T"]).fingerprint();
    let link = fixture.tree.path().join("lib/junit4.jar");
    std::fs::remove_file(&link).unwrap();
    std::os::unix::fs::symlink("/usr/share/java/hamcrest-core.jar", link).unwrap();
    assert_ne!(fixture.engine(&["T"]).fingerprint(), fingerprint_before);
}

#[test]
fn fail_fast_stops_and_failed_tests_run_first() {
    let test = |name: &str, body: &str| {
        format!("package a; class {name} {{ public static void main(String[] x) {{ {body} }} }}")
    };
    let throw_statement = "throw new IllegalStateException();";
    let fixture = EngineFixture::new(&[
        CODE_SOURCE,
        ("test/a/One.java", &test("One", "")),
        ("test/a/Two.java", &test("Two", throw_statement)),
        ("test/a/Three.java", &test("Three", "")),
    ]);
    let run = |order: TestOrder| {
        let engine = fixture.engine(&["a.One", "a.Two", "a.Three"]).with_order(order);
        let results = fixture.execute(&engine).outcome;
        results_of(results).into_iter().map(|result| result.test).collect::<Vec<_>>()
    };
    assert_eq!(run(TestOrder::default().with_fail_fast()), ["a.One#main", "a.Two#main"]);
    let results = results_of(fixture.run_selector("a.Two"));
    let order = TestOrder::from_results(&results);
    assert_eq!(run(order.clone()), ["a.Two#main", "a.One#main", "a.Three#main"]);
    assert_eq!(run(order.with_fail_fast()), ["a.Two#main"]);
}

#[test]
fn recording_run_executes_all_tests_although_one_fails() {
    let test = |name: &str, body: &str| {
        format!("package a; class {name} {{ public static void main(String[] x) {{ {body} }} }}")
    };
    let fixture = EngineFixture::new(&[
        CODE_SOURCE,
        ("test/a/One.java", &test("One", "throw new IllegalStateException();")),
        ("test/a/Two.java", &test("Two", "")),
    ]);
    let engine = fixture.engine(&["a.One", "a.Two"]);
    let engine = engine.with_order(TestOrder::default().with_fail_fast());
    let (tree, limits) = (fixture.tree.path(), &Limits::default());
    for resident in [false, true] {
        let engine: Box<dyn Engine> = if resident {
            Box::new(ResidentEngine::new(engine.clone(), EngineChoice::Resident, 1))
        } else {
            Box::new(engine.clone())
        };
        let run = |mode| {
            let execution = engine.run(&RunRequest { tree, limits, mode }).unwrap();
            results_of(execution.outcome).len()
        };
        assert_eq!([run(RunMode::Recording), run(RunMode::Quick)], [2, 1], "{resident}");
    }
}

#[test]
fn test_copy_runs_once_with_its_original() {
    let test = "package a; import org.junit.Test; public class T {\n\
                @Test public void m() { throw new IllegalStateException(); } @Test public void n() { }\n\
                @Test public void testGitMend0_m() { } @Test public void testGitMend1_n() { } }\n";
    let fixture = EngineFixture::new(&[CODE_SOURCE, ("test/a/T.java", test)])
        .with_libraries(&["junit4", "hamcrest"]);
    let run = |test: &str, order: TestOrder| {
        let engine = fixture.engine(&[test]).with_order(order);
        let outcome = fixture.execute(&engine).outcome;
        results_of(outcome).into_iter().map(|result| result.test).collect::<Vec<_>>()
    };
    let sorted = |mut tests: Vec<String>| {
        tests.sort();
        tests.join(" ")
    };
    let m_and_its_copy = "a.T#m a.T#testGitMend0_m";
    assert_eq!(sorted(run("a.T#m", TestOrder::default())), m_and_its_copy);
    let order = TestOrder::from_results(&results_of(fixture.run_selector("a.T#m")));
    let tests_in_order = run("a.T", order);
    assert_eq!(sorted(tests_in_order[..2].to_vec()), m_and_its_copy);
    assert_eq!(sorted(tests_in_order[2..].to_vec()), "a.T#m a.T#n a.T#testGitMend1_n");
}

#[test]
fn fail_fast_stops_within_a_class() {
    let fixture = EngineFixture::new(&[
        (
            "test/a/FourTest.java",
            "package a; import org.junit.*; @FixMethodOrder(org.junit.runners.MethodSorters.NAME_ASCENDING)\n\
             public class FourTest { @Test public void a() {} @Test public void b() { Assert.fail(); }\n\
             @Ignore @Test public void c() {} @Test public void d() {} @Test public void e() { Assert.fail(); }\n\
             @AfterClass public static void down() { throw new IllegalStateException(); } }",
        ),
        (
            "test/a/ThreeTest.java",
            "package a; public class ThreeTest extends junit.framework.TestCase {\n\
             public void testA() { fail(); } public void testB() { fail(); } }",
        ),
        (
            "test/a/FiveTest.java",
            "package a; import org.junit.jupiter.api.*; import org.junit.jupiter.params.*;\n\
             import org.junit.jupiter.params.provider.*;\n\
             @TestMethodOrder(MethodOrderer.OrderAnnotation.class) class FiveTest {\n\
             @Order(1) @ParameterizedTest @ValueSource(ints = {1, 2, 3}) void a(int x) {\n\
             Assertions.assertEquals(1, x); }\n\
             @Order(2) @Disabled @Test void b() {} @Order(3) @Test void c() {} }",
        ),
    ]);
    let run = |test: &str| {
        let engine = fixture.engine(&[test]).with_order(TestOrder::default().with_fail_fast());
        test_statuses(fixture.execute(&engine).outcome)
    };
    let expected_four = [("a.FourTest#a", "passed"), ("a.FourTest#b", "failed")];
    assert_eq!(run("a.FourTest"), expected_statuses(&expected_four));
    assert_eq!(run("a.ThreeTest").len(), 1);
    let expected_five = [("a.FiveTest#a[1]", "passed"), ("a.FiveTest#a[2]", "failed")];
    assert_eq!(run("a.FiveTest"), expected_statuses(&expected_five));
}

const FILTERED_RESOURCE_FILES: [(&str, &str); 3] = [
    ("src/main/resources/app.properties", "version=${project.version}\nlevel=@level@\n"),
    ("src/main/resources/logo.png", "${project.version}"),
    (
        "src/test/java/T.java",
        "class T { public static void main(String[] x) throws Exception {\n\
         java.util.Properties p = new java.util.Properties();\n\
         p.load(T.class.getResourceAsStream(\"/app.properties\"));\n\
         int first = T.class.getResourceAsStream(\"/logo.png\").read();\n\
         if (first != '$' || !p.toString().contains(\"version=7\") || !p.toString().contains(\"level=high\"))\n\
         throw new IllegalStateException(p.toString()); } }",
    ),
];

fn filtering_pom(level: &str) -> String {
    format!(
        "<project><groupId>g</groupId><artifactId>a</artifactId><version>7</version>\
         <properties><level>{level}</level></properties><build><resources><resource>\
         <directory>src/main/resources</directory><filtering>true</filtering></resource></resources>\
         </build></project>"
    )
}

#[test]
fn tests_see_filtered_resource_values() {
    let fixture = EngineFixture::new(&FILTERED_RESOURCE_FILES);
    fixture.write("pom.xml", &filtering_pom("high"));
    assert_eq!(
        test_statuses(fixture.run_selector("T")),
        expected_statuses(&[("T#main", "passed")])
    );
    fixture.write("pom.xml", &filtering_pom("low"));
    let test_failure = first_failure(fixture.run_selector("T"));
    assert!(test_failure.message.unwrap().contains("level=low"));
}

#[test]
fn hanging_compiler_is_killed_at_the_build_limit() {
    let sleeper = "import java.util.*; import javax.annotation.processing.*; import javax.lang.model.element.*;\n\
        @SupportedAnnotationTypes(\"*\") public class Sleeper extends AbstractProcessor {\n\
        public boolean process(Set<? extends TypeElement> types, RoundEnvironment round) {\n\
        while (true) try { Thread.sleep(100000); } catch (InterruptedException e) { } } }";
    let test = "package a; class T { public static void main(String[] x) { } }";
    let fixture = EngineFixture::new(&[CODE_SOURCE, ("test/a/T.java", test)]);
    let processor_dir = tempfile::tempdir().unwrap();
    let source = processor_dir.path().join("Sleeper.java");
    std::fs::write(&source, sleeper).unwrap();
    let process = fixture.engine(&["a.T"]);
    let command = LaunchSpec::new(process.tools.jdk.javac(), processor_dir.path())
        .arg("-proc:none")
        .arg(&source);
    assert!(process.tools.launcher.run(&command).unwrap().is_success());
    let path = processor_dir.path().to_str().unwrap();
    let engine = fixture
        .engine_with_javac_options(&["a.T"], &["-processorpath", path, "-processor", "Sleeper"]);
    let limits = Limits { build: Some(Duration::from_secs(5)), ..Limits::default() };
    let outcome = fixture.execute_within(&engine, &limits).outcome;
    let Outcome::NotBuilt { diagnostics, .. } = outcome else { panic!("{outcome:?}") };
    assert!(diagnostics.ends_with("the compiler timed out"), "{diagnostics}");
}

#[test]
fn runner_is_cached_unless_its_libraries_are_in_the_tree() {
    let test = "package a; public class T { @org.junit.Test public void t() {} }";
    let fixture = EngineFixture::new(&[CODE_SOURCE, ("test/a/T.java", test)])
        .with_libraries(&["junit4", "hamcrest"]);
    let home = tempfile::tempdir().unwrap();
    let run = || {
        let mut engine = fixture.engine(&["a.T"]);
        engine.tools.program_cache = home.path().to_owned();
        test_statuses(fixture.execute(&engine).outcome)
    };
    let cached_programs =
        || std::fs::read_dir(home.path()).unwrap().map(|entry| entry.unwrap().file_name());
    assert_eq!(run(), expected_statuses(&[("a.T#t", "passed")]));
    let first_cached: Vec<_> = cached_programs().collect();
    fixture.write("src/a/Code.java", "package a; public class Code {}");
    assert_eq!(run(), expected_statuses(&[("a.T#t", "passed")]));
    assert_eq!(cached_programs().collect::<Vec<_>>(), first_cached);
    let run_cache = fixture.work_dir.path().join("runtime");
    assert!(!run_cache.exists());
    let library = fixture.tree.path().join("lib/junit4.jar");
    let bytes = std::fs::read(&library).unwrap();
    std::fs::remove_file(&library).unwrap();
    std::fs::write(&library, bytes).unwrap();
    assert_eq!(run(), expected_statuses(&[("a.T#t", "passed")]));
    assert_eq!(std::fs::read_dir(run_cache).unwrap().count(), 1);
}
