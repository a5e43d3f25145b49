mod test_ng;

use super::*;
use crate::LaunchSpec;
use crate::testing::{EngineFixture, expected, failure, results as results_of, test_statuses};
use std::time::Duration;

const CODE: (&str, &str) = (
    "src/a/Code.java",
    "package a;\npublic class Code {\n public static int two() { return 2; }\n}",
);

#[test]
fn a_main_class_passes_when_it_returns_and_fails_when_it_throws() {
    let bench = EngineFixture::new(&[
        CODE,
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
    assert_eq!(test_statuses(bench.run("a.Good")), expected(&[("a.Good#main", "passed")]));
    let thrown = failure(bench.run("a.Bad"));
    assert_eq!(thrown.exception, "java.io.IOException");
    assert_eq!(thrown.message.as_deref(), Some("tab\there"));
    assert_eq!((thrown.frames[0].class.as_str(), thrown.frames[0].line), ("a.Bad", Some(5)));
    assert_eq!(test_statuses(bench.run("a.Broken")), expected(&[("a.Broken", "failed")]));
    let error = failure(bench.run("a.Broken"));
    assert_eq!(error.exception, "java.lang.ExceptionInInitializerError");
}

#[test]
fn junit_4_tests_are_told_one_by_one() {
    let bench = EngineFixture::new(&[
        CODE,
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
    let all = [
        ("a.CodeTest#assumes", "skipped"),
        ("a.CodeTest#fails", "failed"),
        ("a.CodeTest#ignored", "skipped"),
        ("a.CodeTest#passes", "passed"),
    ];
    assert_eq!(test_statuses(bench.run("a.CodeTest")), expected(&all));
    assert_eq!(
        test_statuses(bench.run("a.CodeTest#pa*")),
        expected(&[("a.CodeTest#passes", "passed")])
    );
    assert_eq!(
        test_statuses(bench.run("a.OldTest#testOld")),
        expected(&[("a.OldTest#testOld", "passed")])
    );
    let thrown = failure(bench.run("a.CodeTest#fails"));
    assert_eq!(thrown.exception, "java.lang.AssertionError");
    assert_eq!(thrown.message.as_deref(), Some("expected:<3> but was:<2>"));
    assert!(thrown.frames.iter().any(|frame| frame.class == "a.CodeTest" && frame.line == Some(3)));
}

#[test]
fn junit_4_parameters_count_as_their_method_and_class_failures_as_the_class() {
    let bench = EngineFixture::new(&[
        CODE,
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
    assert_eq!(test_statuses(bench.run("a.ManyTest#same")), expected(&both));
    assert_eq!(test_statuses(bench.run("a.ManyTest#same[0]")), expected(&both[..1]));
    assert_eq!(test_statuses(bench.run("a.SetUpTest#t")), expected(&[("a.SetUpTest", "failed")]));
}

#[test]
fn junit_5_tests_are_told_one_by_one() {
    let bench = EngineFixture::new(&[
        CODE,
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
    let all = [
        ("a.CodeTest#assumes", "skipped"),
        ("a.CodeTest#disabled", "skipped"),
        ("a.CodeTest#fails", "failed"),
        ("a.CodeTest#made[1]", "passed"),
        ("a.CodeTest#many[1]", "passed"),
        ("a.CodeTest#many[2]", "failed"),
        ("a.CodeTest#passes", "passed"),
        ("a.CodeTest$Inner#inside", "passed"),
    ];
    assert_eq!(test_statuses(bench.run("a.CodeTest")), expected(&all));
    assert_eq!(test_statuses(bench.run("a.CodeTest#many")), expected(&all[4..6]));
    assert_eq!(test_statuses(bench.run("a.CodeTest$Inner#inside")), expected(&all[7..]));
    let thrown = failure(bench.run("a.CodeTest#fails"));
    assert_eq!(thrown.exception, "org.opentest4j.AssertionFailedError");
}

#[test]
fn a_junit_5_class_that_cannot_be_set_up_fails_as_a_class() {
    let bench = EngineFixture::new(&[(
        "test/a/SetUpTest.java",
        "package a; import org.junit.jupiter.api.*; class SetUpTest {\n\
         @BeforeAll static void up() { throw new IllegalStateException(\"no\"); }\n\
         @Test void t() {} }",
    )]);
    assert_eq!(test_statuses(bench.run("a.SetUpTest")), expected(&[("a.SetUpTest", "failed")]));
}

#[test]
fn several_frameworks_run_side_by_side() {
    let bench = EngineFixture::new(&[
        ("test/ATest.java", "public class ATest { @org.junit.Test public void t() {} }"),
        ("test/BTest.java", "import org.junit.jupiter.api.*; class BTest { @Test void t() {} }"),
    ]);
    let ran = bench.execute(&bench.engine(&["*Test"]));
    assert_eq!(
        test_statuses(ran.outcome),
        expected(&[("ATest#t", "passed"), ("BTest#t", "passed")])
    );
}

#[test]
fn what_does_not_compile_is_told_with_paths_relative_to_the_tree() {
    let bench = EngineFixture::new(&[
        CODE,
        ("test/a/T.java", "package a; class T { public static void main(String[] x) {} }"),
        ("test/a/Other.java", "package a; class Other { no.such.Library x; }"),
    ]);
    let engine = bench.engine(&["a.T"]);
    let run = || bench.execute(&engine).outcome;
    assert_eq!(test_statuses(run()), expected(&[("a.T#main", "passed")]));
    bench.write("src/a/Code.java", "package a; class Code { int x = \"\"; }");
    let Outcome::NotBuilt { diagnostics } = run() else { panic!() };
    assert!(diagnostics.starts_with("src/a/Code.java:1: error:"), "{diagnostics}");
    assert!(std::fs::read_dir(bench.work.path()).unwrap().count() <= 1, "build folders are left");
}

#[test]
fn a_test_beyond_its_limit_is_named() {
    let bench = EngineFixture::new(&[(
        "test/SlowTest.java",
        "public class SlowTest { @org.junit.Test public void hangs() throws Exception {\n\
         System.out.println(\"on it\"); Thread.sleep(600_000); } }",
    )]);
    let limits = Limits { test: Some(Duration::from_secs(5)), ..Limits::default() };
    let outcome = bench.execute_within(&bench.engine(&["SlowTest"]), &limits).outcome;
    let Outcome::TimedOut { test, output } = outcome else { panic!("{outcome:?}") };
    assert_eq!(test.as_deref(), Some("SlowTest#hangs"));
    assert!(output.contains("on it"));
}

#[test]
fn of_a_test_that_fails_the_end_of_what_it_printed_is_told_and_of_no_other_one() {
    let bench = EngineFixture::new(&[(
        "test/LoudTest.java",
        "import org.junit.*; import org.junit.runners.MethodSorters; @FixMethodOrder(MethodSorters.NAME_ASCENDING)\n\
         public class LoudTest {\n\
         @Test public void a() { System.out.println(\"of a\"); }\n\
         @Test public void b() { System.out.print(\"of b, \"); System.err.println(\"and more\"); Assert.fail(); }\n\
         @Test public void c() { for (int i = 0; i < 5000; i++) System.out.println(\"line \" + i); Assert.fail(); }\n\
         @Test public void d() { Assert.fail(); } }",
    )]);
    let all = results_of(bench.run("LoudTest"));
    let printed: Vec<&str> = all.iter().map(|result| &*result.printed).collect();
    assert_eq!([printed[0], printed[1], printed[3]], ["", "of b, and more\n", ""]);
    assert!(printed[2].ends_with("line 4998\nline 4999\n"), "{}", printed[2]);
    assert!(printed[2].len() <= 4096 && printed[2].len() > 4000, "{}", printed[2].len());
    assert!(
        Outcome::Tests { results: all }.text().contains("after it printed:\n    of b, and more\n")
    );
}

#[test]
fn a_test_that_ends_the_jvm_is_a_crash() {
    let bench = EngineFixture::new(&[(
        "test/ExitTest.java",
        "public class ExitTest { @org.junit.Test public void t() { System.exit(0); } }",
    )]);
    assert!(matches!(bench.run("ExitTest"), Outcome::Crashed { .. }));
}

#[test]
fn tests_see_resources_their_folder_and_assertions() {
    let bench = EngineFixture::new(&[
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
    assert_eq!(test_statuses(bench.run("a.T")), expected(&[("a.T#main", "passed")]));
}

#[test]
fn what_tests_leave_among_temporary_files_the_next_run_does_not_find() {
    let bench = EngineFixture::new(&[(
        "test/T.java",
        "class T { public static void main(String[] x) throws Exception {\n\
         java.io.File left = new java.io.File(System.getProperty(\"java.io.tmpdir\"), \"left-by-a-test\");\n\
         if (!left.createNewFile()) throw new IllegalStateException(\"it is there\"); } }",
    )]);
    for _ in 0..2 {
        assert_eq!(test_statuses(bench.run("T")), expected(&[("T#main", "passed")]));
    }
}

#[test]
fn an_older_tree_with_other_folders_is_modelled_anew() {
    let bench = EngineFixture::new(&[
        ("src/main/java/a/Code.java", CODE.1),
        (
            "src/test/java/a/T.java",
            "package a; class T { public static void main(String[] x) { assert Code.two() == 2; } }",
        ),
    ]);
    let engine = bench.engine(&["a.T"]);
    let old = EngineFixture::new(&[("source/a/Code.java", CODE.1)]);
    std::fs::create_dir_all(old.tree.path().join("src/test/java/a")).unwrap();
    let test = "src/test/java/a/T.java";
    std::fs::copy(bench.tree.path().join(test), old.tree.path().join(test)).unwrap();
    for tree in [&bench.tree, &old.tree] {
        let outcome = engine.run_clean(tree.path(), &Limits::default()).unwrap().outcome;
        assert_eq!(test_statuses(outcome), expected(&[("a.T#main", "passed")]));
    }
}

#[test]
fn a_variant_whose_build_file_is_broken_does_not_build() {
    let pom = "<project><groupId>g</groupId><artifactId>a</artifactId></project>";
    let bench = EngineFixture::new(&[
        ("pom.xml", pom),
        ("src/test/java/T.java", "class T { public static void main(String[] x) {} }"),
    ]);
    let engine = bench.engine(&["T"]);
    let run = || bench.execute(&engine).outcome;
    assert_eq!(test_statuses(run()), expected(&[("T#main", "passed")]));
    bench.write("pom.xml", "<project>");
    assert!(matches!(run(), Outcome::NotBuilt { .. }));
}

#[test]
fn the_fingerprint_covers_the_tests_and_not_the_place() {
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
fn the_fingerprint_covers_libraries_outside_of_the_tree_and_not_those_in_it() {
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
        let fingerprint = |bench: &EngineFixture| bench.engine(&["T"]).fingerprint();
        assert_eq!(fingerprint(&here), fingerprint(&there));
    }
    let bench = EngineFixture::new(&[("T.java", test)]).with_libraries(&["junit4"]);
    let before = bench.engine(&["T"]).fingerprint();
    let link = bench.tree.path().join("lib/junit4.jar");
    std::fs::remove_file(&link).unwrap();
    std::os::unix::fs::symlink("/usr/share/java/hamcrest-core.jar", link).unwrap();
    assert_ne!(bench.engine(&["T"]).fingerprint(), before);
}

#[test]
fn a_failure_ends_the_run_where_that_is_wished_and_what_failed_comes_first() {
    let test = |name: &str, body: &str| {
        format!("package a; class {name} {{ public static void main(String[] x) {{ {body} }} }}")
    };
    let throws = "throw new IllegalStateException();";
    let bench = EngineFixture::new(&[
        CODE,
        ("test/a/One.java", &test("One", "")),
        ("test/a/Two.java", &test("Two", throws)),
        ("test/a/Three.java", &test("Three", "")),
    ]);
    let run = |order: TestOrder| {
        let engine = bench.engine(&["a.One", "a.Two", "a.Three"]).with_order(order);
        let results = bench.execute(&engine).outcome;
        results_of(results).into_iter().map(|result| result.test).collect::<Vec<_>>()
    };
    assert_eq!(run(TestOrder::default().failing_fast()), ["a.One#main", "a.Two#main"]);
    let results = results_of(bench.run("a.Two"));
    let order = TestOrder::learnt(&results);
    assert_eq!(run(order.clone()), ["a.Two#main", "a.One#main", "a.Three#main"]);
    assert_eq!(run(order.failing_fast()), ["a.Two#main"]);
}

#[test]
fn a_copy_of_a_test_is_run_once_with_the_first_that_asks_for_its_test() {
    let test = "package a; import org.junit.Test; public class T {\n\
                @Test public void m() { throw new IllegalStateException(); } @Test public void n() { }\n\
                @Test public void testGitMend0_m() { } @Test public void testGitMend1_n() { } }\n";
    let bench = EngineFixture::new(&[CODE, ("test/a/T.java", test)])
        .with_libraries(&["junit4", "hamcrest"]);
    let run = |test: &str, order: TestOrder| {
        let engine = bench.engine(&[test]).with_order(order);
        let outcome = bench.execute(&engine).outcome;
        results_of(outcome).into_iter().map(|result| result.test).collect::<Vec<_>>()
    };
    let sorted = |mut tests: Vec<String>| {
        tests.sort();
        tests.join(" ")
    };
    let of_m = "a.T#m a.T#testGitMend0_m";
    assert_eq!(sorted(run("a.T#m", TestOrder::default())), of_m);
    let order = TestOrder::learnt(&results_of(bench.run("a.T#m")));
    let all = run("a.T", order);
    assert_eq!(sorted(all[..2].to_vec()), of_m);
    assert_eq!(sorted(all[2..].to_vec()), "a.T#m a.T#n a.T#testGitMend1_n");
}

#[test]
fn a_failure_ends_the_run_in_the_middle_of_its_class_and_what_did_not_run_is_not_told() {
    let bench = EngineFixture::new(&[
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
        let engine = bench.engine(&[test]).with_order(TestOrder::default().failing_fast());
        test_statuses(bench.execute(&engine).outcome)
    };
    let four = [("a.FourTest#a", "passed"), ("a.FourTest#b", "failed")];
    assert_eq!(run("a.FourTest"), expected(&four));
    assert_eq!(run("a.ThreeTest").len(), 1);
    let five = [("a.FiveTest#a[1]", "passed"), ("a.FiveTest#a[2]", "failed")];
    assert_eq!(run("a.FiveTest"), expected(&five));
}

const FILTERED: [(&str, &str); 3] = [
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
fn filtered_resources_reach_the_tests_with_their_values() {
    let bench = EngineFixture::new(&FILTERED);
    bench.write("pom.xml", &filtering_pom("high"));
    assert_eq!(test_statuses(bench.run("T")), expected(&[("T#main", "passed")]));
    bench.write("pom.xml", &filtering_pom("low"));
    let thrown = failure(bench.run("T"));
    assert!(thrown.message.unwrap().contains("level=low"));
}

#[test]
fn a_compiler_that_hangs_is_ended_with_its_limit_and_leaves_nothing() {
    let sleeper = "import java.util.*; import javax.annotation.processing.*; import javax.lang.model.element.*;\n\
        @SupportedAnnotationTypes(\"*\") public class Sleeper extends AbstractProcessor {\n\
        public boolean process(Set<? extends TypeElement> types, RoundEnvironment round) {\n\
        while (true) try { Thread.sleep(100000); } catch (InterruptedException e) { } } }";
    let test = "package a; class T { public static void main(String[] x) { } }";
    let bench = EngineFixture::new(&[CODE, ("test/a/T.java", test)]);
    let place = tempfile::tempdir().unwrap();
    let source = place.path().join("Sleeper.java");
    std::fs::write(&source, sleeper).unwrap();
    let process = bench.engine(&["a.T"]);
    let command =
        LaunchSpec::new(process.tools.jdk.javac(), place.path()).arg("-proc:none").arg(&source);
    assert!(process.tools.launcher.run(&command).unwrap().is_success());
    let path = place.path().to_str().unwrap();
    let engine = bench.engine_with(&["a.T"], &["-processorpath", path, "-processor", "Sleeper"]);
    let limits = Limits { build: Some(Duration::from_secs(5)), ..Limits::default() };
    let outcome = bench.execute_within(&engine, &limits).outcome;
    let Outcome::NotBuilt { diagnostics } = outcome else { panic!("{outcome:?}") };
    assert!(diagnostics.ends_with("the compiler timed out"), "{diagnostics}");
}

#[test]
fn a_runner_is_kept_from_run_to_run_unless_its_libraries_lie_in_the_tree() {
    let test = "package a; public class T { @org.junit.Test public void t() {} }";
    let bench = EngineFixture::new(&[CODE, ("test/a/T.java", test)])
        .with_libraries(&["junit4", "hamcrest"]);
    let home = tempfile::tempdir().unwrap();
    let run = || {
        let mut engine = bench.engine(&["a.T"]);
        engine.tools.kept = home.path().to_owned();
        test_statuses(bench.execute(&engine).outcome)
    };
    let kept = || std::fs::read_dir(home.path()).unwrap().map(|entry| entry.unwrap().file_name());
    assert_eq!(run(), expected(&[("a.T#t", "passed")]));
    let once: Vec<_> = kept().collect();
    bench.write("src/a/Code.java", "package a; public class Code {}");
    assert_eq!(run(), expected(&[("a.T#t", "passed")]));
    assert_eq!(kept().collect::<Vec<_>>(), once);
    let of_this_run = bench.work.path().join("runtime");
    assert!(!of_this_run.exists());
    let library = bench.tree.path().join("lib/junit4.jar");
    let bytes = std::fs::read(&library).unwrap();
    std::fs::remove_file(&library).unwrap();
    std::fs::write(&library, bytes).unwrap();
    assert_eq!(run(), expected(&[("a.T#t", "passed")]));
    assert_eq!(std::fs::read_dir(of_this_run).unwrap().count(), 1);
}
