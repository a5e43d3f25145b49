//! What is waited for too late.

use super::*;

const START: &str = "Thread worker = new Thread(() -> sum = 7);\n    worker.start();";

fn of(acts: &str) -> String {
    class(&format!(
        "int sum;\n\nvoid print() {{\n}}\n\nint run(Thread[] all) throws InterruptedException {{\n    {START}\n    {acts}\n    \
         return due;\n}}"
    ))
}

/// What is moved of a thread whose work is needed where these words stand.
fn moved(acts: &str) -> Vec<String> {
    let text = of(acts);
    let told = Told::of(&text)
        .pattern("RW", &[("due = sum", "p.A.sum"), ("sum = 7", "p.A.sum")])
        .failed("test", Some(("start", "worker.start", "start")));
    let moves = told.proposed().into_iter().filter(|(way, _)| *way == Way::Move);
    moves.map(|(_, text)| text).collect()
}

#[test]
fn who_needs_what_a_thread_does_comes_after_the_wait_for_it() {
    let acts = "int due = sum;\n    print();\n    worker.join();";
    let first = of("worker.join();\n    int due = sum;\n    print();");
    let then = of("print();\n    worker.join();\n    int due = sum;");
    assert_eq!(moved(acts)[..2], [first, then]);
}

#[test]
fn a_loop_that_waits_moves_as_a_whole() {
    let wait = "for (Thread one : all) {\n        one.join();\n    }";
    let handled = "try {\n        worker.join();\n    } catch (InterruptedException e) {\n        throw e;\n    }";
    for wait in [wait, handled] {
        let best = moved(&format!("int due = sum;\n    {wait}")).remove(0);
        assert_eq!(best, of(&format!("{wait}\n    int due = sum;")));
    }
}

#[test]
fn nothing_is_waited_for_before_others_are_started_nor_where_the_wait_may_not_come() {
    assert!(moved("int due = sum;\n    all[0].start();\n    worker.join();").is_empty());
    assert!(
        moved("int due = sum;\n    if (due > 9) {\n        return 0;\n    }\n    worker.join();")
            .is_empty()
    );
    assert!(moved("int due = sum;\n    worker = all[0];\n    worker.join();").is_empty());
}
