//! Projects with several modules: batches with different options, and tests with the settings of their module.

use super::*;

fn pom_xml(artifact: &str, rest: &str) -> String {
    format!(
        "<project><groupId>g</groupId><artifactId>{artifact}</artifactId><version>1</version>{rest}</project>"
    )
}

fn core(members: &str) -> String {
    format!("public class Core {{ {members} }}")
}

/// Creates both engines for three modules, each depending on the previous one; the middle one has other options.
fn new_pair() -> EnginePair {
    let dependency = |name: &str| {
        format!(
            "<dependencies><dependency><groupId>g</groupId><artifactId>{name}</artifactId>\
             <version>1</version></dependency></dependencies>"
        )
    };
    let level = "<properties><maven.compiler.source>8</maven.compiler.source></properties>";
    let modules = "<packaging>pom</packaging><modules><module>core</module><module>mid</module>\
                   <module>app</module></modules>";
    let test = "class T { public static void main(String[] x) {\n\
                if (new App().number() != 5) throw new IllegalStateException(); } }";
    EnginePair::new(
        "T",
        &[
            ("pom.xml", &pom_xml("all", modules)),
            ("core/pom.xml", &pom_xml("core", "")),
            ("mid/pom.xml", &pom_xml("mid", &[level, &dependency("core")].concat())),
            ("app/pom.xml", &pom_xml("app", &dependency("mid"))),
            ("core/src/main/java/Core.java", &core("public static final int N = 3;")),
            ("mid/src/main/java/Mid.java", "public class Mid extends Core { }"),
            ("mid/src/main/java/Other.java", "public class Other { }"),
            (
                "app/src/main/java/App.java",
                "class App extends Mid { int number() { return N + 2; } }",
            ),
            ("app/src/main/java/Aside.java", "class Aside { }"),
            ("app/src/test/java/T.java", test),
        ],
    )
}

#[test]
fn change_in_one_batch_reaches_dependent_batches() {
    let pair = new_pair();
    let first = pair.judge_with_both();
    assert!(first.outcome.is_pass(), "{:?}", first.outcome);
    assert_eq!(first.mode, ExecutionMode::Loader);
    for (file, text, passes) in [
        ("core/src/main/java/Core.java", core("public static final int N = 4;"), false),
        (
            "app/src/main/java/App.java",
            "class App extends Mid { int number() { return N + 1; } }".to_owned(),
            true,
        ),
        (
            "mid/src/main/java/Mid.java",
            "public class Mid extends Core { public static final int N = 1; }".to_owned(),
            false,
        ),
        ("mid/src/main/java/Mid.java", "public class Mid { }".to_owned(), false),
        ("core/src/main/java/Core.java", core(""), false),
        (
            "mid/src/main/java/Mid.java",
            "public class Mid extends Core { public static final int N = 4; }".to_owned(),
            true,
        ),
        ("mid/src/main/java/Mid.java", "public class Mid extends Core { }".to_owned(), false),
        ("core/src/main/java/Core.java", core("public static int N = 4;"), true),
    ] {
        let execution = pair.write_and_judge(file, &text);
        assert_eq!(execution.outcome.is_pass(), passes, "{file} {text}: {:?}", execution.outcome);
    }
}

#[test]
fn changed_module_options_recompile_the_module() {
    let pair = new_pair();
    assert!(pair.judge_with_both().outcome.is_pass());
    let text = "public class Mid extends Core { { int yield = 1; } }";
    assert!(pair.write_and_judge("mid/src/main/java/Mid.java", text).outcome.is_pass());
    let broken = pair.write_and_judge("mid/pom.xml", &pom_xml("mid", ""));
    assert!(!broken.outcome.is_pass(), "{:?}", broken.outcome);
}

#[test]
fn coverage_includes_methods_of_all_batches() {
    let pair = new_pair();
    let text = "public class Mid extends Core { static int two() { return 2; } }";
    pair.fixture.write("mid/src/main/java/Mid.java", text);
    let text = "class App extends Mid { int number() { return N + two(); } }";
    pair.fixture.write("app/src/main/java/App.java", text);
    let tree = pair.fixture.tree.path();
    let execution = pair.resident.measure(tree, &Limits::default()).unwrap().unwrap();
    let coverage = format!("{:?}", execution.coverage);
    assert!(coverage.contains("two") && coverage.contains("number"), "{coverage}");
}

/// Returns the source of a test that passes only with the options and the folder of its own module.
fn module_test_class(module: &str, statement: &str) -> String {
    format!(
        "import java.nio.file.*; class Test{module} {{ static void is(Object seen) {{\n\
           if (!seen.equals(\"{module}\")) throw new IllegalStateException(\"{module}: \" + seen); }}\n\
         public static void main(String[] x) throws Exception {{ {statement}\n\
           is(System.getProperty(\"module\")); is(Paths.get(\"\").toAbsolutePath().getFileName().toString());\n\
           is(Files.readAllLines(Paths.get(\"here.txt\")).get(0)); is(new Core().name());\n\
           try (var in = Core.class.getResourceAsStream(\"/name.txt\")) {{ is((char) in.read() + \"\"); }} }} }}"
    )
}

#[test]
fn module_tests_use_the_settings_of_their_module() {
    let argument = |module: &str| {
        format!(
            "<build><plugins><plugin><artifactId>maven-surefire-plugin</artifactId><configuration>\
             <argLine>-Dmodule={module}</argLine></configuration></plugin></plugins></build>"
        )
    };
    let modules =
        "<packaging>pom</packaging><modules><module>A</module><module>B</module></modules>";
    let level = "<properties><maven.compiler.release>11</maven.compiler.release></properties>";
    let class_of_level_11 = "class record { }";
    let core = |name: &str| {
        format!(
            "public class Core {{ String name() {{ return System.getProperty(\"module\", \"{name}\"); }} }}"
        )
    };
    let pair = EnginePair::new(
        "Test*",
        &[
            ("pom.xml", &pom_xml("all", modules)),
            ("A/pom.xml", &pom_xml("A", &argument("A"))),
            ("A/here.txt", "A"),
            ("A/src/main/java/Core.java", &core("?")),
            (
                "A/src/test/java/TestA.java",
                &module_test_class("A", "String text = \"\"\"\n  \"\"\";"),
            ),
            ("A/src/test/resources/name.txt", "A"),
            ("B/pom.xml", &pom_xml("B", &[level, &argument("B")].concat())),
            ("B/here.txt", "B"),
            ("B/src/main/java/Other.java", "public class Other { }"),
            (
                "B/src/test/java/TestB.java",
                &[&module_test_class("B", ""), class_of_level_11].concat(),
            ),
            ("B/src/test/resources/name.txt", "B"),
        ],
    );
    for execution in
        [pair.judge_with_both(), pair.write_and_judge("A/src/main/java/Core.java", &core("!"))]
    {
        assert!(execution.outcome.is_pass(), "{:?}", execution.outcome);
        assert_eq!(execution.mode, ExecutionMode::Loader);
    }
    let second_execution = pair.write_and_judge(
        "A/src/main/java/Core.java",
        "public class Core { String name() { return \"B\"; } }",
    );
    let Outcome::Tests { results } = second_execution.outcome else {
        panic!("{:?}", second_execution.outcome)
    };
    let failed = results.iter().filter(|result| result.failure().is_some());
    assert_eq!(failed.map(|result| result.test.as_str()).collect::<Vec<_>>(), ["TestA#main"]);
}

#[test]
fn module_tests_do_not_see_unrelated_test_classes() {
    let modules =
        "<packaging>pom</packaging><modules><module>A</module><module>B</module></modules>";
    let main_method = "public static void main(String[] x) { Help.me(); } }";
    let pair = EnginePair::new(
        "Test*",
        &[
            ("pom.xml", &pom_xml("all", modules)),
            ("A/pom.xml", &pom_xml("A", "")),
            ("A/src/test/java/Help.java", "class Help { static void me() { } }"),
            ("A/src/test/java/TestA.java", &format!("class TestA {{ {main_method}")),
            ("B/pom.xml", &pom_xml("B", "")),
            ("B/src/test/java/TestB.java", &format!("class TestB {{ {main_method}")),
        ],
    );
    let Outcome::NotBuilt { diagnostics, .. } = pair.judge_with_both().outcome else {
        panic!("it compiles")
    };
    assert!(diagnostics.contains("B/src/test/java/TestB.java"), "{diagnostics}");
    let execution =
        pair.write_and_judge("B/src/test/java/Help.java", "class Help { static void me() { } }");
    assert!(execution.outcome.is_pass(), "{:?}", execution.outcome);
}

#[test]
fn environment_variables_and_working_directory_of_the_build_apply() {
    let settings = "<build><plugins><plugin><artifactId>maven-surefire-plugin</artifactId><configuration>\
        <environmentVariables><PLACE>${project.basedir}/place</PLACE></environmentVariables>\
        <workingDirectory>${project.build.directory}/run</workingDirectory>\
        <additionalClasspathElements><element>config</element></additionalClasspathElements>\
        </configuration></plugin></plugins></build>";
    let test = "import java.nio.file.*; class TestA {\n\
        static void is(Path seen, String end) { if (!seen.endsWith(end)) throw new IllegalStateException(seen + \"\"); }\n\
        public static void main(String[] x) { is(Paths.get(\"\").toAbsolutePath(), \"target/run\");\n\
          if (TestA.class.getResource(\"/server.txt\") == null) throw new IllegalStateException(\"no file\");\n\
          Path base = Paths.get(System.getProperty(\"basedir\"));\n\
          is(base.relativize(Paths.get(System.getenv(\"PLACE\"))), \"place\"); new A(); } }";
    let pair = EnginePair::new(
        "TestA",
        &[
            ("pom.xml", &pom_xml("a", settings)),
            ("config/server.txt", ""),
            ("src/main/java/A.java", "class A { }"),
            ("src/test/java/TestA.java", test),
        ],
    );
    for execution in
        [pair.judge_with_both(), pair.write_and_judge("src/main/java/A.java", "class A { int a; }")]
    {
        assert!(execution.outcome.is_pass(), "{:?}", execution.outcome);
        assert_eq!(execution.mode, ExecutionMode::Loader);
    }
}
