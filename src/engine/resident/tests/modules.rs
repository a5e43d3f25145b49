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
fn pair() -> Pair {
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
    Pair::new(
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
    assert_eq!(first.rung, Rung::Loader);
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
    let execution = pair.resident.coverage(tree, &Limits::default()).unwrap().unwrap();
    let coverage = format!("{:?}", execution.coverage);
    assert!(coverage.contains("two") && coverage.contains("number"), "{coverage}");
}
