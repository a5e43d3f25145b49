//! Bisections whose revert is larger than the culprit.

use crate::support::{commit, git, repository, run_folder, run_mend_keeping_repository};

const PROGRAM_FILE: &str = "src/main/java/shop/Kitchen.java";
const DEMO: &str =
    include_str!("../../fixtures/refactorings/change-signature/common/shop/Demo.java");
const OLD: &str =
    include_str!("../../fixtures/refactorings/change-signature/old/shop/Kitchen.java");
const NEW: &str =
    include_str!("../../fixtures/refactorings/change-signature/new/shop/Kitchen.java");

/// Test without a test framework.
const TEST: &str = "package shop;\n\npublic class DemoTest {\n    \
    public static void main(String[] arguments) {\n        \
    if (!Demo.show().equals(\"51\\n79\\n190\")) throw new AssertionError(Demo.show());\n    }\n}\n";

#[test]
fn repair_that_is_smaller_than_the_revert_is_verified_and_marked() {
    let dir = repository();
    let files = [
        (PROGRAM_FILE, OLD),
        ("src/main/java/shop/Demo.java", DEMO),
        ("src/test/java/shop/DemoTest.java", TEST),
    ];
    commit(dir.path(), "prices", &files);
    let wrong_price = NEW.replace("cost(8, guests", "cost(9, guests");
    commit(dir.path(), "add rebate parameter", &[(PROGRAM_FILE, wrong_price)]);
    let options = ["bisect", "--good", "HEAD~1", "--test", "shop.DemoTest", "--model", "files"];
    let output =
        run_mend_keeping_repository(dir.path(), &[&options[..], &["--format", "json"]].concat());
    output.assert_exit_and_stderr(0, &["the revert is larger than the culprit"]);
    let result = output.json();
    let tokens = |patch: &str| result[patch]["tokens"].as_u64().unwrap();
    assert!(tokens("fix") > tokens("culprit"), "{result}");
    assert_eq!(result["repair"]["tokens"], 2);
    let messages = result["messages"].to_string();
    assert!(messages.contains("Kitchen.java:5 `9` becomes `8` (2 tokens, repair.patch)"));
    assert!(messages.contains("it is new code, not a revert"), "{messages}");
    git(dir.path(), &["apply", run_folder(dir.path()).join("repair.patch").to_str().unwrap()]);
    let repaired = std::fs::read_to_string(dir.path().join(PROGRAM_FILE)).unwrap();
    assert_eq!(repaired, NEW);
}
