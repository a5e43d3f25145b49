//! Waits that come too late.

use super::*;

const START: &str = "Thread worker = new Thread(() -> sum = 7);\n    worker.start();";

fn program(acts: &str) -> String {
    class(&format!(
        "int sum;\n\nvoid print() {{\n}}\n\nint run(Thread[] all) throws InterruptedException {{\n    {START}\n    {acts}\n    \
         return due;\n}}"
    ))
}

/// Returns the moved statements if a thread's results are needed at these words.
fn moved(acts: &str) -> Vec<String> {
    let text = program(acts);
    let told = FindingsBuilder::new(&text)
        .pattern("RW", &[("due = sum", "p.A.sum"), ("sum = 7", "p.A.sum")])
        .failed("test", Some(("start", "worker.start", "start")));
    let moves = told.proposed().into_iter().filter(|(way, _)| *way == ConcurrencyOperator::Move);
    moves.map(|(_, text)| text).collect()
}

#[test]
fn who_needs_what_a_thread_does_comes_after_the_wait_for_it() {
    let acts = "int due = sum;\n    print();\n    worker.join();";
    let first = program("worker.join();\n    int due = sum;\n    print();");
    let then = program("print();\n    worker.join();\n    int due = sum;");
    assert_eq!(moved(acts)[..2], [first, then]);
}

#[test]
fn a_loop_that_waits_moves_as_a_whole() {
    let wait = "for (Thread one : all) {\n        one.join();\n    }";
    let handled = "try {\n        worker.join();\n    } catch (InterruptedException e) {\n        throw e;\n    }";
    for wait in [wait, handled] {
        let best = moved(&format!("int due = sum;\n    {wait}")).remove(0);
        assert_eq!(best, program(&format!("{wait}\n    int due = sum;")));
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

/// Returns the candidates if the younger of two threads overtakes the older one, with these statements after both are
/// created.
fn started_later(acts: &str, threads: &[usize]) -> Vec<String> {
    let text = class(&format!(
        "String log;\n\nvoid run(Thread one, Thread two) throws InterruptedException {{\n    one = new Thread(() -> log = \
         \"1\");\n    two = new Thread(() -> log = \"2\");\n    {acts}\n}}"
    ));
    let told = FindingsBuilder::new(&text)
        .failed("output", Some(("start", "one.start", "start")))
        .pattern("WW", &[("\"2\"", "p.A.log"), ("\"1\"", "p.A.log")])
        .seen_by(threads);
    let all = told.proposed().into_iter();
    let is_move = |(way, text): &(ConcurrencyOperator, String)| {
        *way == ConcurrencyOperator::Move && text.contains("join")
    };
    all.filter(is_move).map(|(_, text)| text).collect()
}

#[test]
fn a_thread_that_overtakes_another_one_is_started_once_that_is_done() {
    let acts = "one.start();\n    two.start();\n    one.join();\n    two.join();";
    let all = started_later(acts, &[2, 1]);
    let wanted = "one.start();\n        one.join();\n        two.start();\n        two.join();";
    assert!(all.len() == 1 && all[0].contains(wanted), "{all:#?}");
    assert!(started_later(acts, &[2, 0]).is_empty(), "nobody waits for the first thread");
    let ended = "one.start();\n    if (log == null) {\n        return;\n    }\n    two.start();\n    one.join();";
    assert_eq!(started_later(ended, &[2, 1]).len(), 1, "{ended}");
    let other = "two.start();\n    one.start();\n    one.join();\n    two.join();";
    let all = started_later(other, &[2, 1]);
    let wanted = "two.start();\n        two.join();\n        one.start();";
    assert!(all.iter().any(|text| text.contains(wanted)), "schedules say which of them");
}
