//! Values that another thread may have removed.

use super::*;

/// A program that came to what was not there, with accesses of two threads to one variable.
fn findings<'a>(text: &'a str, form: &str, steps: &[(&str, &str)]) -> FindingsBuilder<'a> {
    let mut told = FindingsBuilder::new(text).pattern(form, steps).failed("exception", None);
    let example = &mut told.findings.groups.last_mut().unwrap().example;
    example.text = Some("Thread-0: java.lang.NullPointerException".to_owned());
    told
}

/// A class with a listener field that another thread can clear.
fn with_listener(rest: &str) -> String {
    let leave = "\n\nvoid leave() {\n    listener = null;\n}";
    class(&format!("volatile Runnable listener;{leave}\n\n{rest}"))
}

fn of_listener(text: &str) -> FindingsBuilder<'_> {
    let field = "p.A.listener";
    findings(text, "RW", &[("listener.", field), ("listener = null", field)])
}

#[test]
fn who_has_gone_is_not_told() {
    let before = with_listener("void tell() {\n    listener.run();\n}");
    let after = before.replace(
        "        listener.run();\n",
        "        Runnable listener = this.listener;\n        if (listener != null) {\n            listener.run();\n        }\n",
    );
    holds(&of_listener(&before), ConcurrencyOperator::SkipMissing, &after);
}

#[test]
fn what_needs_what_is_gone_is_left_out_too() {
    let before = with_listener(
        "void tell() {\n    String name = listener.toString();\n    System.out.println(name);\n}",
    );
    let read = "        Runnable listener = this.listener;\n        if (listener == null) {\n            return;\n        }\n";
    let at = "        String name";
    holds(
        &of_listener(&before),
        ConcurrencyOperator::SkipMissing,
        &before.replace(at, &format!("{read}{at}")),
    );
    let before = with_listener(
        "int tell() {\n    String name = listener.toString();\n    System.out.println(name);\n    return 1;\n}",
    );
    let after = before.replace(
        "        String name = listener.toString();\n        System.out.println(name);\n",
        "        Runnable listener = this.listener;\n        if (listener != null) {\n            String name = listener.toString();\n            \
         System.out.println(name);\n        }\n",
    );
    holds(&of_listener(&before), ConcurrencyOperator::SkipMissing, &after);
}

#[test]
fn what_a_race_is_about_is_volatile_then() {
    let before = with_listener("void tell() {\n    listener.run();\n}").replace("volatile ", "");
    let mut told = of_listener(&before).race("listener.", "listener = null", "p.A.listener");
    told.findings.failing = 1;
    let is_volatile = |text: &str| text.contains("volatile") && text.contains("!= null");
    assert!(
        told.proposed()
            .iter()
            .any(|(way, text)| *way == ConcurrencyOperator::SkipMissing && is_volatile(text))
    );
}

#[test]
fn what_is_set_later_is_not_left_out_but_where_a_loop_comes_again() {
    let with = |act: &str| {
        let set = "\n\nvoid set(Runnable one) {\n    listener = one;\n}";
        class(&format!("volatile Runnable listener;{set}\n\nvoid tell(int n) {{\n    {act}\n}}"))
    };
    let is_left_out = |act: &str| {
        let text = with(act);
        let field = "p.A.listener";
        let told = findings(&text, "RW", &[("listener.run", field), ("listener = one", field)]);
        told.proposed().iter().any(|(way, _)| *way == ConcurrencyOperator::SkipMissing)
    };
    assert!(!is_left_out("listener.run();"));
    assert!(is_left_out("while (n-- > 0) {\n        listener.run();\n    }"));
    assert!(!is_left_out(
        "while (n-- > 0) {\n        if (listener != null) listener.run();\n    }"
    ));
}

#[test]
fn nothing_is_left_out_that_gives_back_a_value() {
    let text = with_listener("int tell() {\n    return listener.hashCode();\n}");
    assert!(
        of_listener(&text)
            .proposed()
            .iter()
            .all(|(way, _)| *way != ConcurrencyOperator::SkipMissing)
    );
}

#[test]
fn a_branch_asks_a_map_once() {
    let before = class(
        "final java.util.Map<String, String> names = new java.util.concurrent.ConcurrentHashMap<>();\n\nvoid drop(String key) \
         {\n    names.remove(key);\n}\n\nint of(String key) {\n    if (names.containsKey(key)) {\n        return \
         names.get(key).length();\n    }\n    return 0;\n}",
    );
    let after = before
        .replace(
            "        if (names.containsKey(key)) {\n",
            "        String name = names.get(key);\n        if (name != null) {\n",
        )
        .replace("names.get(key).length()", "name.length()");
    let steps =
        [("names.contains", "java.util.Map.containsKey"), ("names.remove", "java.util.Map.remove")];
    let told = findings(&before, "RWR", &[steps[0], steps[1], ("names.get", "java.util.Map.get")]);
    holds(&told, ConcurrencyOperator::LocalCopy, &after);
}

#[test]
fn a_loop_that_empties_a_queue_takes_and_asks_in_one_call() {
    let of = |act: &str| {
        let jobs = "final java.util.Queue<Runnable> jobs = new java.util.concurrent.ConcurrentLinkedQueue<>();";
        class(&format!("{jobs}\n\nvoid work() {{\n    {act}\n}}"))
    };
    let before = of(
        "while (!jobs.isEmpty()) {\n        Runnable job = jobs.remove();\n        job.run();\n    }",
    );
    let after =
        of("Runnable job;\n    while ((job = jobs.poll()) != null) {\n        job.run();\n    }");
    let steps =
        [("jobs.isEmpty", "java.util.Queue.isEmpty"), ("jobs.remove", "java.util.Queue.remove")];
    let of_text = |text| findings(text, "RWW", &[steps[0], steps[1], steps[1]]);
    holds(&of_text(&before), ConcurrencyOperator::LocalCopy, &after);
    let before = of("Runnable job = jobs.remove();\n    job.run();").replace("isEmpty", "remove");
    let after =
        of("Runnable job = jobs.poll();\n    if (job != null) {\n        job.run();\n    }");
    let taken = findings(&before, "WW", &[steps[1]; 2]);
    holds(&taken, ConcurrencyOperator::SkipMissing, &after);
}
