//! Methods that two threads call in rounds.

use super::*;

const HITS: &str = "p.A.hits";

/// Findings with the steps of both threads in all iterations.
fn played(text: &str, rounds: [usize; 2]) -> FindingsBuilder<'_> {
    let told = FindingsBuilder::new(text).failed("test", None);
    told.visited(1, "\"ping\"", HITS, rounds[0]).visited(2, "\"pong\"", HITS, rounds[1])
}

fn has_turns(told: &FindingsBuilder<'_>) -> bool {
    told.proposed().iter().any(|(_, text)| text.contains("IsNext"))
}

#[test]
fn methods_that_two_threads_call_equally_often_take_turns() {
    let before = class(
        "final StringBuilder hits = new StringBuilder();\n\nvoid ping() throws InterruptedException {\n    \
         hits.append(\"ping\");\n}\n\nsynchronized int pong() {\n    hits.append(\"pong\");\n    return hits.length();\n}",
    );
    let after = class(
        "private boolean pongIsNext;\nfinal StringBuilder hits = new StringBuilder();\n\nsynchronized void ping() throws \
         InterruptedException {\n    while (pongIsNext) {\n        wait();\n    }\n    hits.append(\"ping\");\n    \
         pongIsNext = true;\n    notifyAll();\n}\n\nsynchronized int pong() {\n    try {\n        while (!pongIsNext) {\n            \
         wait();\n        }\n    } catch (InterruptedException e) {\n        Thread.currentThread().interrupt();\n        \
         throw new IllegalStateException(e);\n    }\n    hits.append(\"pong\");\n    pongIsNext = false;\n    \
         notifyAll();\n    return hits.length();\n}",
    );
    holds(&played(&before, [3, 3]), ConcurrencyOperator::Signal, &after);
    let pong_first = played(&before, [3, 3]).proposed();
    assert!(pong_first.iter().any(|(_, text)| text.contains("while (!pingIsNext)")));
}

#[test]
fn a_round_is_one_of_the_innermost_loop() {
    let before = class(
        "final StringBuilder hits = new StringBuilder();\n\nvoid ping() throws Exception {\n    for (int i = 0; i < 3; i++) \
         {\n        hits.append(\"ping\");\n    }\n}\n\nvoid pong() throws Exception {\n    for (int i = 0; i < 3; i++) \
         {\n        hits.append(\"pong\");\n    }\n}",
    );
    let text = |text: &str| text.replace("            ", "");
    let wanted = "{\nwhile (pongIsNext) {\n    wait();\n}\nhits.append(\"ping\");\npongIsNext = true;\nnotifyAll();\n        }";
    let all = played(&before, [3, 3]).proposed();
    assert!(all.iter().any(|(_, one)| text(one).contains(wanted)), "{all:#?}");
}

#[test]
fn what_does_not_alternate_takes_no_turns() {
    let of = |ping: &str| {
        class(&format!(
            "final StringBuilder hits = new StringBuilder();\n\nvoid ping() throws Exception {{\n    {ping}\n}}\n\n\
             synchronized void pong() {{\n    hits.append(\"pong\");\n}}"
        ))
    };
    let plain = of("hits.append(\"ping\");");
    assert!(has_turns(&played(&plain, [2, 2])));
    assert!(!has_turns(&played(&plain, [1, 1])), "once is an order and no turn");
    assert!(!has_turns(&played(&plain, [2, 3])), "one of them comes more often");
    let both = played(&plain, [2, 2]).visited(2, "\"ping\"", HITS, 2);
    assert!(!has_turns(&both), "one method is called by both");
    let left = of("if (hits.length() > 9) {\n        return;\n    }\n    hits.append(\"ping\");");
    assert!(!has_turns(&played(&left, [2, 2])), "a round that is left would keep the turn");
    let locked = of(
        "synchronized (hits) {\n        while (true) {\n            hits.append(\"ping\");\n        }\n    }",
    );
    assert!(!has_turns(&played(&locked, [2, 2])), "another lock would be held over the wait");
}

/// Returns the candidates if two threads call one method this often, with these arguments.
fn told_apart(calls: [&str; 2], counts: [usize; 2]) -> Vec<String> {
    let before = class(&format!(
        "final StringBuilder hits = new StringBuilder();\n\nsynchronized void hit(char who) throws InterruptedException \
         {{\n    hits.append(who);\n}}\n\nvoid play() throws InterruptedException {{\n    hit({});\n    hit({});\n}}",
        calls[0], calls[1]
    ));
    let told = FindingsBuilder::new(&before).failed("test", None);
    let told = told.visited(1, "append", HITS, counts[0]).visited(2, "append", HITS, counts[1]);
    let all = told.proposed().into_iter().map(|(_, text)| text);
    all.filter(|text| text.contains("who != next")).collect()
}

#[test]
fn calls_of_one_method_take_turns_by_what_they_are_called_with() {
    let all = told_apart(["'a'", "'b'"], [1, 1]);
    let first = class(
        "private char next = 'a';\nfinal StringBuilder hits = new StringBuilder();\n\nsynchronized void hit(char who) \
         throws InterruptedException {\n    while (who != next) {\n        wait();\n    }\n    hits.append(who);\n    \
         next = who == 'a' ? 'b' : 'a';\n    notifyAll();\n}\n\nvoid play() throws InterruptedException {\n    \
         hit('a');\n    hit('b');\n}",
    );
    assert_eq!(all.first(), Some(&first));
    assert!(
        all.len() == 2 && all[1].contains("next = 'b';"),
        "who begins is for schedules to find"
    );
}

#[test]
fn what_no_constant_tells_apart_takes_no_turns() {
    assert!(told_apart(["'a'", "'a'"], [1, 1]).is_empty());
    assert!(told_apart(["'a'", "(char) 98"], [1, 1]).is_empty());
    assert!(told_apart(["'a'", "'b'"], [2, 1]).is_empty(), "one of them comes more often");
}

#[test]
fn what_objects_were_made_with_tells_their_calls_apart() {
    let made = |first: &str, second: &str| {
        class(&format!(
            "final StringBuilder hits = new StringBuilder();\n\nsynchronized void hit(char who) throws Exception {{\n    \
             hits.append(who);\n}}\n\nvoid play() throws Exception {{\n    new Player('{first}', this).play();\n    \
             new Player('{second}', this).play();\n}}\n\nstatic class Player {{\n    final A game;\n    final char mark;\n\n    \
             Player(char sign, A game) {{\n        this.game = game;\n        mark = sign;\n    }}\n\n    \
             void play() throws Exception {{\n        game.hit(mark);\n    }}\n}}"
        ))
    };
    let has_turns = |text: &str, wanted: &str| {
        let told = FindingsBuilder::new(text).failed("test", None);
        let told = told.visited(1, "append", HITS, 2).visited(2, "append", HITS, 2);
        told.proposed().iter().any(|(_, text)| text.contains(wanted))
    };
    assert!(has_turns(&made("a", "b"), "next = who == 'a' ? 'b' : 'a';"));
    let flags = made("a", "b").replace("'a'", "true").replace("'b'", "false");
    assert!(has_turns(&flags.replace("char ", "boolean "), "next = !who;"));
    assert!(!has_turns(&made("a", "a"), "who != next"));
    let both = made("a", "b").replace("game.hit(mark)", "game.hit(mark);\n        mark = 'c'");
    assert!(!has_turns(&both.replace("final char", "char"), "who != next"), "it does not stay so");
}
