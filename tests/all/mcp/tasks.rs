//! Tests in which an agent solves tasks with the tools alone: a regression, a faulty program with its own patches, and a
//! race.

use super::client::Client;
use crate::support::{RepositorySnapshot, commit, git, program, repository, write};
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

const CART: &str = "src/main/java/shop/Cart.java";

/// Returns the source of a cart. `start_index` is the first price that counts.
fn cart(start_index: u8, count: &str) -> String {
    format!(
        "package shop;\n\nclass Cart {{\n    private int[] prices = new int[0];\n\n    \
         void add(int price) {{\n        prices = java.util.Arrays.copyOf(prices, prices.length + 1);\n        \
         prices[prices.length - 1] = price;\n    }}\n\n    int total() {{\n        int sum = 0;\n        \
         for (int i = {start_index}; i < prices.length; i++) {{\n            sum += prices[i];\n        }}\n        \
         return sum;\n    }}\n\n    int count() {{\n        return {count};\n    }}\n}}\n"
    )
}

fn cart_test(name: &str, check: &str) -> String {
    format!(
        "package shop;\n\nclass {name} {{\n    public static void main(String[] x) {{\n        \
         Cart cart = new Cart();\n        cart.add(2);\n        cart.add(3);\n        \
         if (!({check})) throw new IllegalStateException(\"wrong\");\n    }}\n}}\n"
    )
}

/// Creates a repository in which the total of the cart is right in the first commit and wrong in the last.
fn cart_repository() -> TempDir {
    let dir = repository();
    let files = [
        (CART, cart(0, "prices.length")),
        ("src/test/java/shop/TotalTest.java", cart_test("TotalTest", "cart.total() == 5")),
        ("src/test/java/shop/CountTest.java", cart_test("CountTest", "cart.count() == 2")),
    ];
    commit(dir.path(), "cart", &files);
    commit(dir.path(), "notes", &[("NOTES", "none\n")]);
    commit(dir.path(), "tidy up", &[(CART, cart(1, "prices.length"))]);
    dir
}

/// Returns the diff of a change, created by `git diff`. The change is undone.
fn diff_of(dir: &Path, path: &str, text: &str) -> String {
    let output = tempfile::NamedTempFile::new().unwrap();
    write(dir, path, text);
    // The lines of context at the end may be blank, and must stay.
    git(dir, &["diff", "--output", output.path().to_str().unwrap()]);
    git(dir, &["reset", "-q", "--hard"]);
    fs::read_to_string(output.path()).unwrap()
}

#[test]
fn agent_finds_a_regression() {
    let dir = cart_repository();
    let before = RepositorySnapshot::take(dir.path());
    let client = Client::start(dir.path());
    let tests = json!(["shop.TotalTest"]);
    let failing = client.call("run_test", json!({"tests": tests, "version": "."}));
    let failure = &failing.result()["failures"][0];
    assert_eq!(failing.result()["verdict"], "fail");
    assert_eq!(failure["test"], "shop.TotalTest#main");
    assert_eq!(failure["exception"], "java.lang.IllegalStateException");
    assert!(failure["stack"][0].as_str().unwrap().contains("TotalTest.java:"), "{failure}");
    let old = client.call("run_test", json!({"tests": tests, "version": "HEAD~2", "repeat": 2}));
    assert_eq!((&old.result()["verdict"], &old.result()["runs"]), (&"pass".into(), &2.into()));
    let found = client.call_to_end("find_culprit", json!({"tests": tests, "good": "HEAD~2"}));
    let result = found.result();
    assert_eq!(result["culprit_commit"]["summary"], "tidy up");
    assert_eq!(result["culprit"]["tokens"], 2);
    assert_eq!(result["verified"], true);
    let diff = result["fix"]["diff"].as_str().unwrap();
    assert!(diff.contains("+        for (int i = 0; i < prices.length; i++) {"), "{diff}");
    assert!(found.text.contains("Minimal culprit (2 tokens)"), "{}", found.text);
    assert!(!client.progress_messages().is_empty());
    let change = client.call("explain_change", json!({"old": "HEAD~1", "new": "HEAD"}));
    assert_eq!(change.result()["behaviour_change_count"], 1);
    assert_eq!(change.result()["behaviour_changes"][0]["location"], format!("{CART}:13"));
    let again = client.call("status", json!({"run": found.run()}));
    assert_eq!(again.result(), found.result());
    before.assert_unchanged(dir.path());
}

#[test]
fn typescript_client_finds_a_regression() {
    let dir = cart_repository();
    let tests = json!(["shop.TotalTest"]);
    let calls = json!([
        {"name": "run_test", "arguments": {"tests": tests, "version": "."}},
        {"name": "find_culprit", "arguments": {"tests": tests, "good": "HEAD~2"}},
    ]);
    let server = program(dir.path());
    let variables = server.get_envs().filter_map(|(name, value)| value.map(|value| (name, value)));
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/npm/mcp.mjs");
    let output = Command::new("node")
        .arg(script)
        .args([OsStr::new(&calls.to_string()), server.get_program(), OsStr::new("mcp")])
        .current_dir(dir.path())
        .envs(variables)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(result["tools"].as_array().unwrap().contains(&"validate_patches".into()), "{result}");
    assert_eq!(result["answers"][0]["result"]["verdict"], "fail");
    let found = &result["answers"][1]["result"];
    assert_eq!((&found["culprit"]["tokens"], &found["verified"]), (&2.into(), &true.into()));
    assert!(result["progress"].as_u64() > Some(0), "{result}");
}

/// Returns the verdict on a patch in an answer of `validate_patches`.
fn verdict<'a>(result: &'a Value, name: &str) -> &'a Value {
    let patches = result["patches"].as_array().unwrap();
    patches.iter().find(|patch| patch["name"] == name).unwrap()
}

const LABEL: &str = "src/main/java/shop/Label.java";

/// Returns the source of labels. `check` is the contract of a name, and `name` what a label without one passes.
fn label(check: &str, name: &str) -> String {
    format!(
        "package shop;\n\nimport java.util.Objects;\n\nclass Label {{\n    static String of(String name, int count) {{\n        \
         {check}\n        if (count < 1) {{\n            throw new IllegalArgumentException(\"count\");\n        }}\n        \
         return name + \" x\" + count;\n    }}\n\n    static String ofOne(String name) {{\n        \
         return of({name}, 1);\n    }}\n}}\n"
    )
}

fn label_test(name: &str, body: &str) -> String {
    format!(
        "package shop;\n\nclass {name} {{\n    public static void main(String[] x) {{\n        {body}\n    }}\n}}\n"
    )
}

const CONTRACT: &str = "Objects.requireNonNull(name, \"name\");";

/// Creates a repository in which a method violates the contract of another one. A test demands the contract.
fn label_repository() -> TempDir {
    let dir = repository();
    let expects =
        "if (!Label.ofOne(null).equals(\"? x1\")) throw new IllegalStateException(\"wrong\");";
    let demands = "try {\n            Label.of(null, 1);\n        } catch (NullPointerException expected) {\n            \
                   return;\n        }\n        throw new IllegalStateException(\"no contract\");";
    let test = |name: &str, body: &str| {
        (format!("src/test/java/shop/{name}.java"), label_test(name, body))
    };
    let tests = [test("OneTest", expects), test("ContractTest", demands)];
    let files = [(LABEL, label(CONTRACT, "name"))];
    let tests = tests.iter().map(|(path, text)| (path.as_str(), text.clone()));
    let files: Vec<_> = files.into_iter().chain(tests).collect();
    commit(dir.path(), "labels", &files);
    dir
}

#[test]
fn agent_compares_its_own_patches_of_a_violated_contract() {
    let dir = label_repository();
    let right = "name == null ? \"?\" : name";
    let long_fix =
        label(CONTRACT, right).replace("static String of(", "static synchronized String of(");
    // It makes the failing test pass by giving up the contract.
    let wrong = label("if (name == null) return \"? x\" + count;", "name");
    let one_test = "src/test/java/shop/OneTest.java";
    let patches = json!([
        {"name": "right", "diff": diff_of(dir.path(), LABEL, &long_fix)},
        {"name": "wrong", "diff": diff_of(dir.path(), LABEL, &wrong)},
        {"name": "broken", "diff": diff_of(dir.path(), LABEL, &label(CONTRACT, "7"))},
        {"diff": diff_of(dir.path(), one_test, &label_test("OneTest", "Label.ofOne(\"\");"))},
    ]);
    let before = RepositorySnapshot::take(dir.path());
    let client = Client::start(dir.path());
    let failing = client.call("run_test", json!({"tests": ["shop.*Test"], "version": "HEAD"}));
    let [failure] = &failing.result()["failures"].as_array().unwrap()[..] else {
        panic!("{failing:?}")
    };
    assert_eq!(failure["exception"], "java.lang.NullPointerException");
    let stack = failure["stack"].to_string();
    assert!(stack.contains("requireNonNull") && stack.contains("Label.ofOne"), "{stack}");
    let answer = client
        .call_to_end("validate_patches", json!({"tests": ["shop.*Test"], "patches": patches}));
    let result = answer.result();
    assert_eq!(result["plausible"], 1);
    assert!(result["notes"].to_string().contains("explore_schedules"), "{result:#}");
    let right = verdict(result, "right");
    assert_eq!((&right["verdict"], &right["support"]), (&"plausible".into(), &"verified".into()));
    assert_eq!((&right["fixes"], &right["breaks"]), (&json!(["shop.OneTest#main"]), &json!([])));
    assert_eq!(right["minimal"], false);
    let superfluous = right["superfluous"].to_string();
    assert!(superfluous.contains("static synchronized String of"), "{superfluous}");
    let minimised = fs::read_to_string(right["patch_file"].as_str().unwrap()).unwrap();
    assert!(!minimised.contains("synchronized"), "{minimised}");
    let wrong = verdict(result, "wrong");
    assert_eq!((&wrong["verdict"], &wrong["support"]), (&"fails".into(), &"tested".into()));
    assert_eq!(wrong["fixes"], json!(["shop.OneTest#main"]));
    assert_eq!(wrong["breaks"], json!(["shop.ContractTest#main"]));
    let broken = verdict(result, "broken");
    assert_eq!((&broken["builds"], &broken["fixes"]), (&false.into(), &Value::Null));
    let cheat = verdict(result, "patch-4");
    assert_eq!((&cheat["verdict"], &cheat["edits_tests"]), (&"rejected".into(), &true.into()));
    assert_eq!(cheat["support"], "not_tested");
    let small = client.call_to_end(
        "minimise_patch",
        json!({"tests": ["shop.*Test"], "patch": patches[0]["diff"], "version": "HEAD"}),
    );
    assert_eq!(
        (&small.result()["tokens_after"], &small.result()["was_minimal"]),
        (&6.into(), &false.into())
    );
    before.assert_unchanged(dir.path());
}

const COUNTER: &str = "src/main/java/shop/Counter.java";

/// Returns the source of a counter. `modifier` stands before its method.
fn counter(modifier: &str) -> String {
    format!(
        "package shop;\n\nclass Counter {{\n    private int value;\n\n    {modifier}void increment() {{\n        \
         value++;\n    }}\n\n    synchronized int value() {{\n        return value;\n    }}\n}}\n"
    )
}

#[test]
fn agent_finds_a_race_and_checks_its_patch() {
    let dir = repository();
    let test = "package shop;\n\nclass CounterTest {\n    public static void main(String[] x) throws Exception {\n        \
        Counter counter = new Counter();\n        Thread other = new Thread(counter::increment);\n        \
        other.start();\n        counter.increment();\n        other.join();\n        \
        if (counter.value() != 2) throw new IllegalStateException(\"lost\");\n    }\n}\n";
    let files = [(COUNTER, counter("")), ("src/test/java/shop/CounterTest.java", test.to_owned())];
    commit(dir.path(), "one", &files);
    let patch = diff_of(dir.path(), COUNTER, &counter("synchronized "));
    let useless = diff_of(dir.path(), COUNTER, &counter("final "));
    let client = Client::start(dir.path());
    let tests = json!(["shop.CounterTest"]);
    let explored =
        client.call_to_end("explore_schedules", json!({"tests": tests, "schedules": 200}));
    let result = explored.result();
    assert!(result["failing"].as_u64().unwrap() > 0, "{result:#}");
    assert_eq!(result["failures"][0]["kind"], "test");
    assert!(Path::new(result["failures"][0]["schedule_file"].as_str().unwrap()).is_file());
    assert_eq!(result["patch_passes"], Value::Null);
    let check = |patch: &str| {
        let arguments = json!({"tests": tests, "schedules": 200, "patch": patch});
        client.call_to_end("explore_schedules", arguments)
    };
    let checked = check(&patch);
    assert_eq!(checked.result()["patch_passes"], true, "{}", checked.text);
    let guarantee = checked.result()["guarantee"].as_str().unwrap();
    assert!(guarantee.starts_with("exhaustive under sequential consistency"), "{guarantee}");
    assert_eq!(check(&useless).result()["patch_passes"], false);
}
