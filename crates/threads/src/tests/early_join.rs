//! Waits that move before the code that needs them.

use super::*;

const THREAD_START: &str = "Thread worker = new Thread(() -> sum = 7);\n    worker.start();";

fn program_with_statements(acts: &str) -> String {
    class_with_members(&format!(
        "int sum;\n\nvoid print() {{\n}}\n\nint run(Thread[] all) throws InterruptedException {{\n    {THREAD_START}\n    {acts}\n    \
         return due;\n}}"
    ))
}

/// Returns the moved statements if the code with this text needs a thread's results.
fn moved_statements(acts: &str) -> Vec<String> {
    let text = program_with_statements(acts);
    let builder = FindingsBuilder::new(&text)
        .with_pattern("RW", &[("due = sum", "p.A.sum"), ("sum = 7", "p.A.sum")])
        .with_failure("test", Some(("start", "worker.start", "start")));
    let moves =
        builder.candidates().into_iter().filter(|(way, _)| *way == ConcurrencyOperator::Move);
    moves.map(|(_, text)| text).collect()
}

#[test]
fn join_moves_before_use_of_results() {
    let acts = "int due = sum;\n    print();\n    worker.join();";
    let first = program_with_statements("worker.join();\n    int due = sum;\n    print();");
    let then = program_with_statements("print();\n    worker.join();\n    int due = sum;");
    assert_eq!(moved_statements(acts)[..2], [first, then]);
}

#[test]
fn waiting_loop_moves_as_a_whole() {
    let wait = "for (Thread one : all) {\n        one.join();\n    }";
    let handled = "try {\n        worker.join();\n    } catch (InterruptedException e) {\n        throw e;\n    }";
    for wait in [wait, handled] {
        let best = moved_statements(&format!("int due = sum;\n    {wait}")).remove(0);
        assert_eq!(best, program_with_statements(&format!("{wait}\n    int due = sum;")));
    }
}

#[test]
fn join_does_not_move_past_starts_or_jumps() {
    assert!(moved_statements("int due = sum;\n    all[0].start();\n    worker.join();").is_empty());
    assert!(
        moved_statements(
            "int due = sum;\n    if (due > 9) {\n        return 0;\n    }\n    worker.join();"
        )
        .is_empty()
    );
    assert!(
        moved_statements("int due = sum;\n    worker = all[0];\n    worker.join();").is_empty()
    );
}

/// Returns the candidates if the younger of two threads overtakes the older one, with these statements after both are
/// created.
fn candidates_for_overtaking(acts: &str, threads: &[usize]) -> Vec<String> {
    let text = class_with_members(&format!(
        "String log;\n\nvoid run(Thread one, Thread two) throws InterruptedException {{\n    one = new Thread(() -> log = \
         \"1\");\n    two = new Thread(() -> log = \"2\");\n    {acts}\n}}"
    ));
    let builder = FindingsBuilder::new(&text)
        .with_failure("output", Some(("start", "one.start", "start")))
        .with_pattern("WW", &[("\"2\"", "p.A.log"), ("\"1\"", "p.A.log")])
        .with_instance(threads);
    let all = builder.candidates().into_iter();
    let is_move = |(way, text): &(ConcurrencyOperator, String)| {
        *way == ConcurrencyOperator::Move && text.contains("join")
    };
    all.filter(is_move).map(|(_, text)| text).collect()
}

#[test]
fn overtaking_thread_starts_after_join() {
    let acts = "one.start();\n    two.start();\n    one.join();\n    two.join();";
    let all = candidates_for_overtaking(acts, &[2, 1]);
    let wanted = "one.start();\n        one.join();\n        two.start();\n        two.join();";
    assert!(all.len() == 1 && all[0].contains(wanted), "{all:#?}");
    assert!(
        candidates_for_overtaking(acts, &[2, 0]).is_empty(),
        "nobody waits for the first thread"
    );
    let ended = "one.start();\n    if (log == null) {\n        return;\n    }\n    two.start();\n    one.join();";
    assert_eq!(candidates_for_overtaking(ended, &[2, 1]).len(), 1, "{ended}");
    let other = "two.start();\n    one.start();\n    one.join();\n    two.join();";
    let all = candidates_for_overtaking(other, &[2, 1]);
    let wanted = "two.start();\n        two.join();\n        one.start();";
    assert!(all.iter().any(|text| text.contains(wanted)), "schedules say which of them");
}
