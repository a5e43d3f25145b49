//! Statements that move into a critical section.

use super::*;

const SLEEP: &str = "Thread.sleep(1);";

fn program(act: &str) -> String {
    class(&format!(
        "int sum;\nint count;\n\nint add(int n) throws InterruptedException {{\n    {act}\n}}"
    ))
}

/// Returns true if moving an access turns the first program into the second one.
fn moves(words: &str, before: &str, after: &str) -> bool {
    let (before, after) = (program(before), program(after));
    let sum = (words, "p.A.sum");
    let all = FindingsBuilder::new(&before).pattern("RWW", &[sum; 3]).proposed();
    all.contains(&(ConcurrencyOperator::Move, after))
}

#[test]
fn what_stands_before_a_section_moves_down_into_it() {
    let section = "synchronized (this) {\n        count++;\n    }\n    return n;";
    assert!(moves(
        "sum += n",
        &format!("sum += n;\n    {SLEEP}\n    {section}"),
        &format!("{SLEEP}\n    {}", section.replace("count++;", "sum += n;\n        count++;")),
    ));
}

#[test]
fn what_stands_behind_a_section_moves_up_into_it() {
    let section = "synchronized (this) {\n        count++;\n    }";
    let into = |more: &str| section.replace("count++;", &format!("count++;\n        {more}"));
    assert!(moves(
        "sum += n",
        &format!("{section}\n    {SLEEP}\n    sum += n;\n    return n;"),
        &format!("{}\n    {SLEEP}\n    return n;", into("sum += n;")),
    ));
    assert!(moves(
        "int all = sum",
        &format!("{section}\n    {SLEEP}\n    int all = sum;\n    return all;"),
        &format!("int all;\n    {}\n    {SLEEP}\n    return all;", into("all = sum;")),
    ));
}

#[test]
fn nothing_moves_past_what_it_has_to_do_with() {
    for passed in ["n = 2 * n;", "sum = 0;", "if (n < 0) {\n        return 0;\n    }"] {
        let text = program(&format!(
            "sum += n;\n    {passed}\n    {SLEEP}\n    synchronized (this) {{\n        count++;\n    }}\n    return n;"
        ));
        let told = FindingsBuilder::new(&text).pattern("RWW", &[("sum += n", "p.A.sum"); 3]);
        assert!(
            told.proposed().iter().all(|(way, _)| *way != ConcurrencyOperator::Move),
            "{passed}"
        );
    }
}
