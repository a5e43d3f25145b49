//! Methods that two threads call alternately.

use super::*;

const HITS_FIELD: &str = "p.A.hits";

/// Returns findings in which two threads execute their iterations several times.
fn findings_with_visits(text: &str, rounds: [usize; 2]) -> FindingsBuilder<'_> {
    let builder = FindingsBuilder::new(text).with_failure("test", None);
    builder
        .with_visits(1, "\"ping\"", HITS_FIELD, rounds[0])
        .with_visits(2, "\"pong\"", HITS_FIELD, rounds[1])
}

fn has_alternation(builder: &FindingsBuilder<'_>) -> bool {
    builder.candidates().iter().any(|(_, text)| text.contains("IsNext"))
}

#[test]
fn equally_called_methods_alternate() {
    let before = class_with_members(
        "final StringBuilder hits = new StringBuilder();\n\nvoid ping() throws InterruptedException {\n    \
         hits.append(\"ping\");\n}\n\nsynchronized int pong() {\n    hits.append(\"pong\");\n    return hits.length();\n}",
    );
    let after = class_with_members(
        "private boolean pongIsNext;\nfinal StringBuilder hits = new StringBuilder();\n\nsynchronized void ping() throws \
         InterruptedException {\n    while (pongIsNext) {\n        wait();\n    }\n    hits.append(\"ping\");\n    \
         pongIsNext = true;\n    notifyAll();\n}\n\nsynchronized int pong() {\n    try {\n        while (!pongIsNext) {\n            \
         wait();\n        }\n    } catch (InterruptedException e) {\n        Thread.currentThread().interrupt();\n        \
         throw new IllegalStateException(e);\n    }\n    hits.append(\"pong\");\n    pongIsNext = false;\n    \
         notifyAll();\n    return hits.length();\n}",
    );
    assert_candidate(&findings_with_visits(&before, [3, 3]), ConcurrencyOperator::Signal, &after);
    let pong_first = findings_with_visits(&before, [3, 3]).candidates();
    assert!(pong_first.iter().any(|(_, text)| text.contains("while (!pingIsNext)")));
}

#[test]
fn iteration_is_that_of_innermost_loop() {
    let before = class_with_members(
        "final StringBuilder hits = new StringBuilder();\n\nvoid ping() throws Exception {\n    for (int i = 0; i < 3; i++) \
         {\n        hits.append(\"ping\");\n    }\n}\n\nvoid pong() throws Exception {\n    for (int i = 0; i < 3; i++) \
         {\n        hits.append(\"pong\");\n    }\n}",
    );
    let text = |text: &str| text.replace("            ", "");
    let wanted = "{\nwhile (pongIsNext) {\n    wait();\n}\nhits.append(\"ping\");\npongIsNext = true;\nnotifyAll();\n        }";
    let all = findings_with_visits(&before, [3, 3]).candidates();
    assert!(all.iter().any(|(_, one)| text(one).contains(wanted)), "{all:#?}");
}

#[test]
fn non_alternating_methods_are_unchanged() {
    let of = |ping: &str| {
        class_with_members(&format!(
            "final StringBuilder hits = new StringBuilder();\n\nvoid ping() throws Exception {{\n    {ping}\n}}\n\n\
             synchronized void pong() {{\n    hits.append(\"pong\");\n}}"
        ))
    };
    let plain = of("hits.append(\"ping\");");
    assert!(has_alternation(&findings_with_visits(&plain, [2, 2])));
    assert!(
        !has_alternation(&findings_with_visits(&plain, [1, 1])),
        "once is an order and no turn"
    );
    assert!(
        !has_alternation(&findings_with_visits(&plain, [2, 3])),
        "one of them comes more often"
    );
    let both = findings_with_visits(&plain, [2, 2]).with_visits(2, "\"ping\"", HITS_FIELD, 2);
    assert!(!has_alternation(&both), "one method is called by both");
    let left = of("if (hits.length() > 9) {\n        return;\n    }\n    hits.append(\"ping\");");
    assert!(
        !has_alternation(&findings_with_visits(&left, [2, 2])),
        "a round that is left would keep the turn"
    );
    let locked = of(
        "synchronized (hits) {\n        while (true) {\n            hits.append(\"ping\");\n        }\n    }",
    );
    assert!(
        !has_alternation(&findings_with_visits(&locked, [2, 2])),
        "another lock would be held over the wait"
    );
}

/// Returns the candidates if two threads call one method this often, with these arguments.
fn candidates_for_calls(calls: [&str; 2], counts: [usize; 2]) -> Vec<String> {
    let before = class_with_members(&format!(
        "final StringBuilder hits = new StringBuilder();\n\nsynchronized void hit(char who) throws InterruptedException \
         {{\n    hits.append(who);\n}}\n\nvoid play() throws InterruptedException {{\n    hit({});\n    hit({});\n}}",
        calls[0], calls[1]
    ));
    let builder = FindingsBuilder::new(&before).with_failure("test", None);
    let builder = builder
        .with_visits(1, "append", HITS_FIELD, counts[0])
        .with_visits(2, "append", HITS_FIELD, counts[1]);
    let all = builder.candidates().into_iter().map(|(_, text)| text);
    all.filter(|text| text.contains("who != next")).collect()
}

#[test]
fn calls_alternate_by_constant_argument() {
    let all = candidates_for_calls(["'a'", "'b'"], [1, 1]);
    let first = class_with_members(
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
fn calls_without_distinct_constants_are_unchanged() {
    assert!(candidates_for_calls(["'a'", "'a'"], [1, 1]).is_empty());
    assert!(candidates_for_calls(["'a'", "(char) 98"], [1, 1]).is_empty());
    assert!(
        candidates_for_calls(["'a'", "'b'"], [2, 1]).is_empty(),
        "one of them comes more often"
    );
}

#[test]
fn calls_alternate_by_constructor_argument() {
    let made = |first: &str, second: &str| {
        class_with_members(&format!(
            "final StringBuilder hits = new StringBuilder();\n\nsynchronized void hit(char who) throws Exception {{\n    \
             hits.append(who);\n}}\n\nvoid play() throws Exception {{\n    new Player('{first}', this).play();\n    \
             new Player('{second}', this).play();\n}}\n\nstatic class Player {{\n    final A game;\n    final char mark;\n\n    \
             Player(char sign, A game) {{\n        this.game = game;\n        mark = sign;\n    }}\n\n    \
             void play() throws Exception {{\n        game.hit(mark);\n    }}\n}}"
        ))
    };
    let has_turns = |text: &str, wanted: &str| {
        let builder = FindingsBuilder::new(text).with_failure("test", None);
        let builder =
            builder.with_visits(1, "append", HITS_FIELD, 2).with_visits(2, "append", HITS_FIELD, 2);
        builder.candidates().iter().any(|(_, text)| text.contains(wanted))
    };
    assert!(has_turns(&made("a", "b"), "next = who == 'a' ? 'b' : 'a';"));
    let flags = made("a", "b").replace("'a'", "true").replace("'b'", "false");
    assert!(has_turns(&flags.replace("char ", "boolean "), "next = !who;"));
    assert!(!has_turns(&made("a", "a"), "who != next"));
    let both = made("a", "b").replace("game.hit(mark)", "game.hit(mark);\n        mark = 'c'");
    assert!(!has_turns(&both.replace("final char", "char"), "who != next"), "it does not stay so");
}
