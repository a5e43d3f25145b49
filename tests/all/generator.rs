//! Tests of `git mend fix --generator` with the example generators, and of the published schema.

use crate::fix::{SHELF_FILE, broken_repository, shelf_source};
use crate::support::{
    CommandOutput, JUNIT, assert_report_contains, commit, git, is_gone, program, repository,
    run_folder, run_keeping_repository, run_mend, wait_until, write,
};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/generators").join(name)
}

/// Returns the diff that writes a text into a file.
pub(crate) fn diff_of(dir: &Path, path: &str, text: &str) -> String {
    let original = fs::read(dir.join(path)).ok();
    write(dir, path, text);
    git(dir, &["add", "-N", path]);
    let diff = git(dir, &["diff", "--", path]);
    git(dir, &["reset", "-q"]);
    match original {
        Some(original) => fs::write(dir.join(path), original).unwrap(),
        None => fs::remove_file(dir.join(path)).unwrap(),
    }
    // Without the last line end, as generators often write.
    diff
}

fn fix_with(dir: &Path, generator: &str, more: &[&str]) -> CommandOutput {
    let arguments = ["fix", "--test", "shop.*Test", "--generator", generator];
    run_keeping_repository(dir, program(dir).args(arguments).args(more))
}

fn read_result(dir: &Path) -> Value {
    serde_json::from_slice(&fs::read(run_folder(dir).join("result.json")).unwrap()).unwrap()
}

/// Writes patches to a folder: a right one, duplicates, and one for each kind of rejection.
fn write_patches(dir: &Path, folder: &Path) {
    let right = diff_of(dir, SHELF_FILE, &shelf_source("!(age > oldest)"));
    let test_file = "src/test/java/shop/EdgeTest.java";
    let only_tests = diff_of(dir, test_file, "package shop;\n\nclass EdgeTest { }\n");
    let outside = right.replace(SHELF_FILE, "../../outside.java");
    let hidden = "--- /dev/null\n+++ b/.git/hooks/pre-commit\n@@ -0,0 +1 @@\n+x\n";
    for (name, text) in [
        ("1.patch", "this is no diff\n"),
        ("2.patch", &outside),
        ("3.patch", hidden),
        ("4.patch", &only_tests),
        ("5.patch", &diff_of(dir, "logo.bin", "a\0b\n")),
        ("6.patch", &"x".repeat(2 << 20)),
        ("7.patch", &diff_of(dir, SHELF_FILE, &shelf_source("age > oldest"))),
        ("8.patch", &diff_of(dir, SHELF_FILE, &shelf_source("age <<>> oldest"))),
        ("8b.patch", &diff_of(dir, SHELF_FILE, &shelf_source("age > oldest"))),
        ("9.patch", &format!("{right}\n{only_tests}")),
    ] {
        fs::write(folder.join(name), text).unwrap();
    }
}

#[test]
fn patches_of_a_generator_compete_and_are_marked() {
    let (dir, patches) = (broken_repository(), tempfile::tempdir().unwrap());
    write_patches(dir.path(), patches.path());
    let generator =
        format!("python3 {} {}", example("replay.py").display(), patches.path().display());
    let output = fix_with(dir.path(), &generator, &["--candidates", "5", "--top", "9"]);
    assert_eq!(output.code, 0, "{}{}", output.stdout, output.stderr);
    let result = read_result(dir.path());
    let verdicts: Vec<String> = result["generator"]["patches"]
        .as_array()
        .unwrap()
        .iter()
        .map(|patch| {
            let phase = patch["phase"].as_str().unwrap_or("none");
            format!("{} {phase} {}", patch["verdict"].as_str().unwrap(), patch["edits_tests"])
        })
        .collect();
    let rejected = "unresolved rejected false";
    let expected = [
        rejected,
        rejected,
        rejected,
        "unresolved rejected true",
        rejected,
        rejected,
        "fail none false",
        "unresolved not_compiled false",
        "duplicate none false",
        "pass none true",
    ];
    assert_eq!(verdicts, expected, "{result:#}");
    let fixes = result["fixes"].as_array().unwrap();
    let fix = fixes.iter().find(|fix| fix["technique"] == "generator").unwrap();
    assert_eq!(fix["operator"], "candidate-10");
    assert_eq!(fix["files"], json!([SHELF_FILE]));
    assert_eq!(fix["location"], format!("{SHELF_FILE}:17"));
    assert_eq!(result["generator"]["patches"][9]["patch"], fix["patch"]);
    let why = fix["why"].as_str().unwrap();
    assert!(why.starts_with("replays 9.patch (from the generator) (caution: "), "{why}");
    let note = "changes to test code in the patches: the tests of bad were used instead";
    assert!(result["not_checked"].as_array().unwrap().contains(&note.into()), "{result:#}");
    assert!(output.stdout.contains("(generator: candidate-10)"), "{}", output.stdout);
    let counts = "10 candidates from the generator: 1 plausible, 6 rejected, 1 tried before";
    assert!(output.stdout.contains(counts), "{}", output.stdout);
    assert_report_contains(dir.path(), &["generator, candidate-10"]);
    assert!(!dir.path().parent().unwrap().join("outside.java").exists());
}

/// Writes an answer with these patches as a line to a file, and returns a script that sends it once after commands.
pub(crate) fn write_answer(folder: &Path, commands: &str, patches: &[String]) -> String {
    let patches: Vec<Value> = patches.iter().map(|patch| json!({ "patch": patch })).collect();
    fs::write(folder.join("answer.json"), format!("{}\n", json!({ "candidates": patches })))
        .unwrap();
    fs::write(folder.join("answer.sh"), format!("read -r request\n{commands}\ncat \"$1\"\n"))
        .unwrap();
    format!("sh {0}/answer.sh {0}/answer.json", folder.display())
}

#[test]
fn planted_files_of_a_sandboxed_generator_are_never_written() {
    let (dir, folder) = (broken_repository(), tempfile::tempdir().unwrap());
    let target = folder.path().join("target");
    fs::write(&target, "host").unwrap();
    let plant = format!(
        "cd \"$TMPDIR\"; ln -s {} candidate-1.patch; mkfifo candidate-2.patch; mkdir candidate-3.patch",
        target.display()
    );
    let patches = ["age > oldest", "age > oldest + 1", "!(age > oldest)"]
        .map(|condition| diff_of(dir.path(), SHELF_FILE, &shelf_source(condition)));
    let generator = write_answer(folder.path(), &plant, &patches);
    let output = fix_with(dir.path(), &generator, &["--candidates", "1"]);
    assert_eq!(output.code, 0, "{}{}", output.stdout, output.stderr);
    let result = read_result(dir.path());
    let verdicts = [0, 1, 2].map(|at| result["generator"]["patches"][at]["verdict"].clone());
    assert_eq!(verdicts, ["fail", "fail", "pass"], "{result:#}");
    assert_eq!(fs::read_to_string(&target).unwrap(), "host");
}

#[test]
fn overfitting_patch_of_a_generator_is_named_and_ranks_low() {
    let (dir, folder) = (broken_repository(), tempfile::tempdir().unwrap());
    // This test would reject the patch.
    git(dir.path(), &["rm", "-q", "src/test/java/shop/NoneTest.java"]);
    git(dir.path(), &["commit", "-q", "-m", "three"]);
    let constant = shelf_source("age < oldest").replace("return count;", "return 2;");
    let generator = write_answer(folder.path(), "", &[diff_of(dir.path(), SHELF_FILE, &constant)]);
    let more = ["--trust-generator", "--candidates", "1", "--top", "9"];
    let arguments = ["fix", "--test", "shop.EdgeTest", "--generator", &generator];
    let output = run_keeping_repository(dir.path(), program(dir.path()).args(arguments).args(more));
    assert_eq!(output.code, 0, "{}{}", output.stdout, output.stderr);
    let result = read_result(dir.path());
    let fixes = result["fixes"].as_array().unwrap();
    let operators: Vec<&str> = fixes.iter().map(|fix| fix["operator"].as_str().unwrap()).collect();
    assert_eq!(operators, ["operator", "candidate-1"], "{result:#}");
    let why = fixes[1]["why"].as_str().unwrap();
    assert!(why.ends_with("(caution: this only makes the result constant)"), "{why}");
}

#[test]
fn search_with_attempts_that_evade_the_failure_recommends_none() {
    let (dir, folder) = (broken_repository(), tempfile::tempdir().unwrap());
    let broken = shelf_source("age + 1 < oldest");
    git(dir.path(), &["rm", "-q", "src/test/java/shop/NoneTest.java"]);
    commit(dir.path(), "three", &[(SHELF_FILE, broken.clone())]);
    let constant = broken.replace("return count;", "return 2;");
    let generator = write_answer(folder.path(), "", &[diff_of(dir.path(), SHELF_FILE, &constant)]);
    // The only candidate of our own does not pass.
    let more = ["--trust-generator", "--candidates", "1"];
    let arguments = ["fix", "--test", "shop.EdgeTest", "--generator", &generator];
    let output = run_keeping_repository(dir.path(), program(dir.path()).args(arguments).args(more));
    assert_eq!(output.code, 1, "{}{}", output.stdout, output.stderr);
    let said = "no fix that we would recommend; the most promising attempts are in the run folder";
    assert!(output.stdout.contains(said), "{}", output.stdout);
    let result = read_result(dir.path());
    assert_eq!(result["fixes"][0]["confidence"], "low", "{result:#}");
    assert!(run_folder(dir.path()).join("fix-1.patch").exists());
}

#[test]
fn part_of_a_patch_that_only_evades_the_failure_is_no_smaller_fix() {
    let (dir, folder) = (repository(), tempfile::tempdir().unwrap());
    let broken = shelf_source("age < oldest");
    // The patch is minimised only if at least a hundred tests can be generated.
    let tests = (0..12).fold(String::new(), |text, n| {
        let puts = [1, 3, n + 7, n + 20].map(|age| format!("        shelf.put({age});\n")).concat();
        format!(
            "{text}\n    @Test\n    public void edge{n}() {{\n        Shelf shelf = new Shelf();\n{puts}        \
             assertEquals(2, shelf.fresh(3 + {n} / 4));\n    }}\n"
        )
    });
    let test = format!(
        "package shop;\n\nimport static org.junit.Assert.assertEquals;\n\nimport org.junit.Test;\n\n\
         public class EdgeTest {{{tests}}}\n"
    );
    let files = [(SHELF_FILE, broken.clone()), ("src/test/java/shop/EdgeTest.java", test)];
    commit(dir.path(), "one", &files);
    // No test has so many items. Without the early return, the result is constant.
    let early_return =
        "if (ages.size() > 99) {\n            return 99;\n        }\n        int count";
    let patched = broken.replace("int count", early_return).replace("return count;", "return 2;");
    let generator = write_answer(folder.path(), "", &[diff_of(dir.path(), SHELF_FILE, &patched)]);
    let more = ["--trust-generator", "--candidates", "1", "--top", "9", "--classpath", JUNIT];
    let output = fix_with(dir.path(), &generator, &more);
    assert_eq!(output.code, 0, "{}{}", output.stdout, output.stderr);
    let result = read_result(dir.path());
    let fixes = result["fixes"].as_array().unwrap();
    let fix = fixes.iter().find(|fix| fix["technique"] == "generator").unwrap();
    let patch = fs::read_to_string(run_folder(dir.path()).join(fix["patch"].as_str().unwrap()));
    assert!(patch.unwrap().contains("return 99;"), "{result:#}");
}

#[test]
fn patch_of_a_generator_that_equals_the_revert_is_shown_once() {
    let (dir, folder) = (broken_repository(), tempfile::tempdir().unwrap());
    let right = shelf_source("age <= oldest");
    // No candidate of our own inserts the missing statement.
    let broken = right.replace("        ages.add(age);\n", "");
    commit(dir.path(), "three", &[(SHELF_FILE, right.clone())]);
    commit(dir.path(), "four", &[(SHELF_FILE, broken)]);
    let generator = write_answer(folder.path(), "", &[diff_of(dir.path(), SHELF_FILE, &right)]);
    let more = ["--trust-generator", "--good", "HEAD~1", "--candidates", "1", "--top", "9"];
    let output = fix_with(dir.path(), &generator, &more);
    assert_eq!(output.code, 0, "{}{}", output.stdout, output.stderr);
    let result = read_result(dir.path());
    let fixes = result["fixes"].as_array().unwrap();
    let operators: Vec<&str> = fixes.iter().map(|fix| fix["operator"].as_str().unwrap()).collect();
    assert_eq!(operators, ["revert"], "{result:#}");
    let patch = &result["generator"]["patches"][0];
    assert_eq!(
        (&patch["verdict"], &patch["reason"]),
        (&"pass".into(), &"it is the same patch as the minimal revert".into())
    );
}

#[test]
fn patches_after_the_end_of_the_budget_are_untested() {
    let (dir, folder) = (broken_repository(), tempfile::tempdir().unwrap());
    let patch = diff_of(dir.path(), SHELF_FILE, &shelf_source("age > oldest + 0"));
    let patches: Vec<String> = (1..=200)
        .map(|number| patch.replace("oldest + 0", &format!("oldest + {number}")))
        .collect();
    let generator = write_answer(folder.path(), "", &patches);
    let more = ["--candidates", "1", "--budget", "2s", "--generator-candidates", "200"];
    let output = fix_with(dir.path(), &generator, &[&more[..], &["--trust-generator"]].concat());
    let result = read_result(dir.path());
    let patches = result["generator"]["patches"].as_array().unwrap();
    assert_eq!(patches.len(), 200, "{}{}", output.stdout, output.stderr);
    assert_eq!(patches[199]["verdict"], "untested", "{result:#}");
    let note = "further patches of the generator: the time of --budget was used up";
    assert!(result["not_checked"].as_array().unwrap().contains(&note.into()), "{result:#}");
}

#[test]
fn generator_that_cannot_start_does_not_stop_our_own_search() {
    let dir = broken_repository();
    let file = dir.path().join(".git/generator");
    fs::write(&file, "#!/no/such/interpreter\n").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    let more = ["--trust-generator", "--candidates", "60", "--top", "1"];
    let output = fix_with(dir.path(), "./.git/generator", &more);
    assert_eq!(output.code, 0, "{}{}", output.stdout, output.stderr);
    let result = read_result(dir.path());
    assert_eq!(result["fixes"][0]["technique"], "contract");
    let unchecked = result["not_checked"].to_string();
    assert!(unchecked.contains("patches of the generator: "), "{unchecked}");
}

#[test]
fn culprit_is_found_without_time_for_the_generator() {
    let dir = broken_repository();
    let more =
        ["--good", "HEAD~1", "--technique", "regression", "--goal", "both", "--budget", "1s"];
    let output = fix_with(dir.path(), "sh -c 'sleep 1000'", &more);
    assert_eq!(output.code, 0, "{}{}", output.stdout, output.stderr);
    let result = read_result(dir.path());
    assert_eq!(result["culprit_commit"], git(dir.path(), &["rev-parse", "HEAD"]).trim());
    let note =
        "patches of the generator: the search for the culprit left too little time of --budget";
    assert!(result["not_checked"].as_array().unwrap().contains(&note.into()), "{result:#}");
}

#[test]
fn failing_generator_does_not_stop_our_own_search() {
    let dir = broken_repository();
    let more = ["--trust-generator", "--candidates", "60", "--top", "1", "--format", "json"];
    let output = fix_with(dir.path(), "sh -c 'echo garbage; sleep 1000'", &more);
    assert_eq!(output.code, 0, "{}", output.stderr);
    let result = output.json();
    assert_eq!(result["fixes"][0]["technique"], "contract");
    assert_eq!(result["generator"]["patches"], json!([]));
    let unchecked = result["not_checked"].to_string();
    assert!(
        unchecked.contains("further patches of the generator: its answer is not a line of"),
        "{unchecked}"
    );
}

#[test]
fn unusable_generator_is_one_clear_error() {
    let dir = broken_repository();
    for (generator, code, words) in [
        ("", 2, ["error: --generator: the command is empty", "help: give a program"]),
        ("./nothing.py", 2, ["error: --generator: there is no program", "help: give a path"]),
        ("no-such-program", 4, ["error: cannot run `no-such-program`", "help: install"]),
    ] {
        fix_with(dir.path(), generator, &[]).assert_exit_and_stderr(code, &words);
    }
    run_mend(dir.path(), &["fix", "--test", "a.B", "--trust-generator"])
        .assert_exit_and_stderr(2, &["error: --trust-generator needs a generator"]);
    run_mend(dir.path(), &["fix", "--test", "a.B", "--generator-timeout", "1m"])
        .assert_exit_and_stderr(2, &["error: --generator-timeout needs a generator"]);
}

/// Returns the `json` blocks of the page of generators, line by line.
fn documented_lines() -> Vec<Value> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/generators.md");
    let page = fs::read_to_string(page).unwrap();
    let blocks = page.split("```json\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    blocks.map(|block| serde_json::from_str(block).unwrap()).collect()
}

#[test]
fn documented_lines_follow_the_published_schema() {
    let schema = run_mend(Path::new("."), &["generate", "generator-schema"]);
    let schema: Value = serde_json::from_str(&schema.stdout).unwrap();
    let schema = jsonschema::validator_for(&schema).unwrap();
    let lines = documented_lines();
    assert!(lines.len() >= 3);
    for line in &lines {
        assert!(schema.is_valid(line), "{:?}", schema.iter_errors(line).next().unwrap());
    }
    for wrong in [json!({}), json!({"candidates": [{"diff": ""}]}), json!({"type": "request"})] {
        assert!(!schema.is_valid(&wrong), "{wrong}");
    }
}

/// Answers one request like a language model behind an OpenAI-compatible endpoint, and returns the request.
fn answer_chat_request(mut stream: TcpStream, content: &str) -> (String, Value) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        if line.trim().is_empty() {
            break;
        }
        if let Some(text) = line.to_lowercase().strip_prefix("content-length:") {
            length = text.trim().parse().unwrap();
        }
        head.push_str(&line);
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    let answer = json!({"choices": [{"message": {"content": content}}]}).to_string();
    let length = answer.len();
    write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n{answer}").unwrap();
    (head, serde_json::from_slice(&body).unwrap())
}

/// Runs the generator that asks a model on these lines, without any setting of the caller.
fn run_model_generator(lines: &str, variables: &[(&str, &str)]) -> CommandOutput {
    let mut command = Command::new("python3");
    command.arg(example("openai_compatible.py")).env_clear().env("PATH", "/usr/bin:/bin");
    let mut child = command
        .envs(variables.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The generator may end before it reads.
    drop(child.stdin.take().unwrap().write_all(lines.as_bytes()));
    child.wait_with_output().unwrap().into()
}

#[test]
fn model_generator_sends_the_request_only_to_the_given_endpoint() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let server = std::thread::spawn(move || {
        let content = "The bound is wrong.\n\n```diff\n--- a/A\n+++ b/A\n```\nThat is all.";
        answer_chat_request(listener.accept().unwrap().0, content)
    });
    let request = documented_lines().into_iter().find(|line| line["type"] == "request").unwrap();
    let variables =
        [("GENERATOR_URL", &*url), ("GENERATOR_MODEL", "some-model"), ("GENERATOR_KEY", "k-1")];
    let output = run_model_generator(&format!("{request}\n"), &variables);
    assert_eq!(output.code, 0, "{}", output.stderr);
    let answer: Value = serde_json::from_str(&output.stdout).unwrap();
    let patch = json!({"patch": "--- a/A\n+++ b/A\n", "reason": "The bound is wrong."});
    assert_eq!(answer, json!({"candidates": [patch]}));
    let (head, body) = server.join().unwrap();
    assert!(head.starts_with("POST /v1/chat/completions "), "{head}");
    assert!(head.contains("Authorization: Bearer k-1"), "{head}");
    assert_eq!(body["model"], "some-model");
    let sent: Value =
        serde_json::from_str(body["messages"][1]["content"].as_str().unwrap()).unwrap();
    assert_eq!(sent, request);
}

#[test]
fn model_generator_has_no_default_endpoint() {
    let output = run_model_generator("", &[("GENERATOR_MODEL", "some-model")]);
    output.assert_exit_and_stderr(2, &["set --url or GENERATOR_URL"]);
}

#[test]
fn killed_run_leaves_no_generator() {
    let dir: TempDir = broken_repository();
    let pid_file = dir.path().join(".git/generator-pid");
    let script = format!("sh -c 'echo $$ > {}; sleep 1000'", pid_file.display());
    let arguments = ["fix", "--test", "shop.*Test", "--candidates", "1", "--trust-generator"];
    let mut run = program(dir.path())
        .args(arguments)
        .args(["--generator", &script])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let read_pid = || fs::read_to_string(&pid_file).unwrap_or_default().trim().to_owned();
    assert!(wait_until(|| !read_pid().is_empty()));
    run.kill().unwrap();
    run.wait().unwrap();
    assert!(wait_until(|| is_gone(&read_pid())));
}
