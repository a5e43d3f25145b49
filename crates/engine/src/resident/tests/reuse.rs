//! Variants whose classes are identical to those of an earlier variant.

use super::*;

const USE_FILE: &str = "src/a/Use.java";

fn use_class(expression: &str) -> String {
    format!("package a; class Use {{ static int number() {{ return {expression}; }} }}")
}

fn new_pair() -> EnginePair {
    let files =
        [(USE_FILE, &*use_class("5")), ("src/a/words.txt", "x"), ("data.txt", "y"), TEST_SOURCE];
    EnginePair::new("a.T", &files).with_result_cache()
}

#[test]
fn identical_classes_and_resources_reuse_results() {
    let pair = new_pair();
    for (expression, mode, passes) in [
        ("5", ExecutionMode::Loader, true),
        ("(2 + 3) /* as it was */", ExecutionMode::Same, true),
        ("6", ExecutionMode::Loader, false),
        ("2 * 3", ExecutionMode::Same, false),
        ("Integer\n.parseInt(\"5\")", ExecutionMode::Loader, true),
    ] {
        let execution = pair.write_and_judge(USE_FILE, &use_class(expression));
        assert_eq!((execution.mode, execution.outcome.is_pass()), (mode, passes), "{expression}");
        assert_eq!(execution.jvms, usize::from(mode == ExecutionMode::Loader && expression == "5"));
    }
    for (file, text) in [("src/a/words.txt", "z"), ("data.txt", "z"), ("lib/more.properties", "")] {
        assert_eq!(pair.write_and_judge(file, text).mode, ExecutionMode::Loader, "{file}");
        assert_eq!(pair.judge_with_both().mode, ExecutionMode::Same, "{file}");
    }
}

#[test]
fn engine_without_result_cache_runs_every_repetition() {
    let pair = EnginePair::new("a.T", &[(USE_FILE, &use_class("5")), TEST_SOURCE]);
    for _ in 0..2 {
        assert_eq!(pair.judge_with_both().mode, ExecutionMode::Loader);
    }
}

#[test]
fn results_of_a_fresh_jvm_are_not_cached() {
    let pair = new_pair();
    for comment in ["/* 1 */", "/* 2 */"] {
        let provider = "new java.security.Provider(\"Left\", 1.0, \"\") {}";
        let body = format!("{comment} 100 + java.security.Security.addProvider({provider})");
        let execution = pair.write_and_judge(USE_FILE, &use_class(&body));
        assert_eq!(execution.mode, ExecutionMode::Jvm);
        assert!(!execution.outcome.is_pass());
    }
}

#[test]
fn cached_results_are_cross_checked_too() {
    let reads_its_source = "package a; class T { public static void main(String[] x) throws Exception {\n\
                            byte[] text = java.nio.file.Files.readAllBytes(java.nio.file.Paths.get(\"src/a/Use.java\"));\n\
                            if (new String(text).contains(\"//\")) throw new IllegalStateException(); } }";
    let pair =
        EnginePair::new("a.T", &[(USE_FILE, &use_class("5")), ("test/a/T.java", reads_its_source)]);
    let process = pair.fixture.engine(&["a.T"]);
    let engine = ResidentEngine::new(process, EngineChoice::Auto, 1).with_result_cache();
    let judge = || pair.fixture.execute(&engine);
    assert!(judge().outcome.is_pass());
    pair.fixture.write(USE_FILE, &(use_class("5") + "//"));
    let execution = judge();
    assert_eq!((execution.mode, execution.outcome.is_pass()), (ExecutionMode::Process, false));
    assert!(execution.notes[0].contains("resident: a.T#main passed"), "{:?}", execution.notes);
}
