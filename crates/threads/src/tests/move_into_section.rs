//! Statements that move into a critical section.

use super::*;

const SLEEP_STATEMENT: &str = "Thread.sleep(1);";

fn program_with_body(act: &str) -> String {
    class_with_members(&format!(
        "int sum;\nint count;\n\nint add(int n) throws InterruptedException {{\n    {act}\n}}"
    ))
}

/// Returns true if moving an access turns the first program into the second one.
fn is_move_proposed(words: &str, before: &str, after: &str) -> bool {
    let (before, after) = (program_with_body(before), program_with_body(after));
    let sum = (words, "p.A.sum");
    let all = FindingsBuilder::new(&before).with_pattern("RWW", &[sum; 3]).candidates();
    all.contains(&(ConcurrencyOperator::Move, after))
}

#[test]
fn preceding_statement_moves_into_section() {
    let section = "synchronized (this) {\n        count++;\n    }\n    return n;";
    assert!(is_move_proposed(
        "sum += n",
        &format!("sum += n;\n    {SLEEP_STATEMENT}\n    {section}"),
        &format!(
            "{SLEEP_STATEMENT}\n    {}",
            section.replace("count++;", "sum += n;\n        count++;")
        ),
    ));
}

#[test]
fn following_statement_moves_into_section() {
    let section = "synchronized (this) {\n        count++;\n    }";
    let into = |more: &str| section.replace("count++;", &format!("count++;\n        {more}"));
    assert!(is_move_proposed(
        "sum += n",
        &format!("{section}\n    {SLEEP_STATEMENT}\n    sum += n;\n    return n;"),
        &format!("{}\n    {SLEEP_STATEMENT}\n    return n;", into("sum += n;")),
    ));
    assert!(is_move_proposed(
        "int all = sum",
        &format!("{section}\n    {SLEEP_STATEMENT}\n    int all = sum;\n    return all;"),
        &format!("int all;\n    {}\n    {SLEEP_STATEMENT}\n    return all;", into("all = sum;")),
    ));
}

#[test]
fn statement_does_not_pass_dependencies() {
    for passed in ["n = 2 * n;", "sum = 0;", "if (n < 0) {\n        return 0;\n    }"] {
        let text = program_with_body(&format!(
            "sum += n;\n    {passed}\n    {SLEEP_STATEMENT}\n    synchronized (this) {{\n        count++;\n    }}\n    return n;"
        ));
        let builder =
            FindingsBuilder::new(&text).with_pattern("RWW", &[("sum += n", "p.A.sum"); 3]);
        assert!(
            builder.candidates().iter().all(|(way, _)| *way != ConcurrencyOperator::Move),
            "{passed}"
        );
    }
}
