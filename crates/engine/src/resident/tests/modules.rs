//! Batches of sources that are compiled with options of their own, one after the other.

use super::*;

fn pom(artifact: &str, rest: &str) -> String {
    format!(
        "<project><groupId>g</groupId><artifactId>{artifact}</artifactId><version>1</version>{rest}</project>"
    )
}

fn core(members: &str) -> String {
    format!("public class Core {{ {members} }}")
}

/// Three modules, each of which needs the one before it; the middle one's options are others.
fn pair() -> EnginePair {
    let need = |name: &str| {
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
            ("pom.xml", &pom("all", modules)),
            ("core/pom.xml", &pom("core", "")),
            ("mid/pom.xml", &pom("mid", &[level, &need("core")].concat())),
            ("app/pom.xml", &pom("app", &need("mid"))),
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
fn a_change_of_one_batch_reaches_those_that_need_it() {
    let pair = pair();
    let first = pair.judge();
    assert!(first.outcome.is_pass(), "{:?}", first.outcome);
    assert_eq!(first.rung, ExecutionMode::Loader);
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
        let judged = pair.judge_with(file, &text);
        assert_eq!(judged.outcome.is_pass(), passes, "{file} {text}: {:?}", judged.outcome);
    }
}

#[test]
fn modules_that_get_other_options_are_compiled_anew() {
    let pair = pair();
    assert!(pair.judge().outcome.is_pass());
    let text = "public class Mid extends Core { { int yield = 1; } }";
    assert!(pair.judge_with("mid/src/main/java/Mid.java", text).outcome.is_pass());
    let broken = pair.judge_with("mid/pom.xml", &pom("mid", ""));
    assert!(!broken.outcome.is_pass(), "{:?}", broken.outcome);
}

#[test]
fn methods_of_all_batches_are_watched() {
    let pair = pair();
    let text = "public class Mid extends Core { static int two() { return 2; } }";
    pair.bench.write("mid/src/main/java/Mid.java", text);
    let text = "class App extends Mid { int number() { return N + two(); } }";
    pair.bench.write("app/src/main/java/App.java", text);
    let tree = pair.bench.tree.path();
    let execution = pair.resident.measure(tree, &Limits::default()).unwrap().unwrap();
    let coverage = format!("{:?}", execution.coverage);
    assert!(coverage.contains("two") && coverage.contains("number"), "{coverage}");
}

/// A test that passes where it is compiled and run as its own module says.
fn test_of(module: &str, statement: &str) -> String {
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
fn the_tests_of_each_module_are_compiled_and_run_as_that_module_says() {
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
            ("pom.xml", &pom("all", modules)),
            ("A/pom.xml", &pom("A", &argument("A"))),
            ("A/here.txt", "A"),
            ("A/src/main/java/Core.java", &core("?")),
            ("A/src/test/java/TestA.java", &test_of("A", "String text = \"\"\"\n  \"\"\";")),
            ("A/src/test/resources/name.txt", "A"),
            ("B/pom.xml", &pom("B", &[level, &argument("B")].concat())),
            ("B/here.txt", "B"),
            ("B/src/main/java/Other.java", "public class Other { }"),
            ("B/src/test/java/TestB.java", &[&test_of("B", ""), class_of_level_11].concat()),
            ("B/src/test/resources/name.txt", "B"),
        ],
    );
    for judged in [pair.judge(), pair.judge_with("A/src/main/java/Core.java", &core("!"))] {
        assert!(judged.outcome.is_pass(), "{:?}", judged.outcome);
        assert_eq!(judged.rung, ExecutionMode::Loader);
    }
    let again = pair.judge_with(
        "A/src/main/java/Core.java",
        "public class Core { String name() { return \"B\"; } }",
    );
    let Outcome::Tests { results } = again.outcome else { panic!("{:?}", again.outcome) };
    let failed = results.iter().filter(|result| result.failure().is_some());
    assert_eq!(failed.map(|result| result.test.as_str()).collect::<Vec<_>>(), ["TestA#main"]);
}

#[test]
fn the_tests_of_a_module_do_not_see_those_of_one_that_it_does_not_need() {
    let modules =
        "<packaging>pom</packaging><modules><module>A</module><module>B</module></modules>";
    let asks = "public static void main(String[] x) { Help.me(); } }";
    let pair = EnginePair::new(
        "Test*",
        &[
            ("pom.xml", &pom("all", modules)),
            ("A/pom.xml", &pom("A", "")),
            ("A/src/test/java/Help.java", "class Help { static void me() { } }"),
            ("A/src/test/java/TestA.java", &format!("class TestA {{ {asks}")),
            ("B/pom.xml", &pom("B", "")),
            ("B/src/test/java/TestB.java", &format!("class TestB {{ {asks}")),
        ],
    );
    let Outcome::NotBuilt { diagnostics } = pair.judge().outcome else { panic!("it compiles") };
    assert!(diagnostics.contains("B/src/test/java/TestB.java"), "{diagnostics}");
    let helped =
        pair.judge_with("B/src/test/java/Help.java", "class Help { static void me() { } }");
    assert!(helped.outcome.is_pass(), "{:?}", helped.outcome);
}
