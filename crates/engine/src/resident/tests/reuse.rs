//! Variants whose classes are identical to those of an earlier variant.

use super::*;

const USE: &str = "src/a/Use.java";

fn using(expression: &str) -> String {
    format!("package a; class Use {{ static int number() {{ return {expression}; }} }}")
}

fn pair() -> EnginePair {
    let files = [(USE, &*using("5")), ("src/a/words.txt", "x"), ("data.txt", "y"), TEST];
    EnginePair::new("a.T", &files).remembering()
}

#[test]
fn equal_classes_in_equal_surroundings_are_not_run_again() {
    let pair = pair();
    for (expression, rung, passes) in [
        ("5", ExecutionMode::Loader, true),
        ("(2 + 3) /* as it was */", ExecutionMode::Same, true),
        ("6", ExecutionMode::Loader, false),
        ("2 * 3", ExecutionMode::Same, false),
        ("Integer\n.parseInt(\"5\")", ExecutionMode::Loader, true),
    ] {
        let judged = pair.judge_with(USE, &using(expression));
        assert_eq!((judged.rung, judged.outcome.is_pass()), (rung, passes), "{expression}");
        assert_eq!(judged.jvms, usize::from(rung == ExecutionMode::Loader && expression == "5"));
    }
    for (file, text) in [("src/a/words.txt", "z"), ("data.txt", "z"), ("lib/more.properties", "")] {
        assert_eq!(pair.judge_with(file, text).rung, ExecutionMode::Loader, "{file}");
        assert_eq!(pair.judge().rung, ExecutionMode::Same, "{file}");
    }
}

#[test]
fn whoever_repeats_runs_to_see_whether_they_agree_has_every_one_of_them_run() {
    let pair = EnginePair::new("a.T", &[(USE, &using("5")), TEST]);
    for _ in 0..2 {
        assert_eq!(pair.judge().rung, ExecutionMode::Loader);
    }
}

#[test]
fn what_needed_a_fresh_jvm_is_not_remembered() {
    let pair = pair();
    for comment in ["/* 1 */", "/* 2 */"] {
        let provider = "new java.security.Provider(\"Left\", 1.0, \"\") {}";
        let body = format!("{comment} 100 + java.security.Security.addProvider({provider})");
        let judged = pair.judge_with(USE, &using(&body));
        assert_eq!(judged.rung, ExecutionMode::Jvm);
        assert!(!judged.outcome.is_pass());
    }
}

#[test]
fn what_is_remembered_is_checked_as_what_is_run() {
    let reads_its_source = "package a; class T { public static void main(String[] x) throws Exception {\n\
                            byte[] text = java.nio.file.Files.readAllBytes(java.nio.file.Paths.get(\"src/a/Use.java\"));\n\
                            if (new String(text).contains(\"//\")) throw new IllegalStateException(); } }";
    let pair = EnginePair::new("a.T", &[(USE, &using("5")), ("test/a/T.java", reads_its_source)]);
    let process = pair.bench.engine(&["a.T"]);
    let engine = ResidentEngine::new(process, EngineChoice::Auto, 1).remembering();
    let judge = || pair.bench.execute(&engine);
    assert!(judge().outcome.is_pass());
    pair.bench.write(USE, &(using("5") + "//"));
    let judged = judge();
    assert_eq!((judged.rung, judged.outcome.is_pass()), (ExecutionMode::Process, false));
    assert!(judged.notes[0].contains("resident: a.T#main passed"), "{:?}", judged.notes);
}
