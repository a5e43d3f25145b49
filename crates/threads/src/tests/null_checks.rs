//! Values that another thread may have removed.

use super::*;

/// Returns findings with a null dereference and a pattern of accesses to one variable.
fn findings_with_null_access<'a>(
    text: &'a str,
    form: &str,
    steps: &[(&str, &str)],
) -> FindingsBuilder<'a> {
    let mut builder =
        FindingsBuilder::new(text).with_pattern(form, steps).with_failure("exception", None);
    let example = &mut builder.findings.groups.last_mut().unwrap().example;
    example.text = Some("Thread-0: java.lang.NullPointerException".to_owned());
    builder
}

/// Returns the source of a class with a listener field that another thread can clear.
fn class_with_listener(rest: &str) -> String {
    let leave = "\n\nvoid leave() {\n    listener = null;\n}";
    class_with_members(&format!("volatile Runnable listener;{leave}\n\n{rest}"))
}

fn listener_findings(text: &str) -> FindingsBuilder<'_> {
    let field = "p.A.listener";
    findings_with_null_access(text, "RW", &[("listener.", field), ("listener = null", field)])
}

#[test]
fn removed_listener_is_skipped() {
    let before = class_with_listener("void tell() {\n    listener.run();\n}");
    let after = before.replace(
        "        listener.run();\n",
        "        Runnable listener = this.listener;\n        if (listener != null) {\n            listener.run();\n        }\n",
    );
    assert_candidate(&listener_findings(&before), ConcurrencyOperator::SkipMissing, &after);
}

#[test]
fn code_depending_on_missing_value_is_skipped() {
    let before = class_with_listener(
        "void tell() {\n    String name = listener.toString();\n    System.out.println(name);\n}",
    );
    let read = "        Runnable listener = this.listener;\n        if (listener == null) {\n            return;\n        }\n";
    let at = "        String name";
    assert_candidate(
        &listener_findings(&before),
        ConcurrencyOperator::SkipMissing,
        &before.replace(at, &format!("{read}{at}")),
    );
    let before = class_with_listener(
        "int tell() {\n    String name = listener.toString();\n    System.out.println(name);\n    return 1;\n}",
    );
    let after = before.replace(
        "        String name = listener.toString();\n        System.out.println(name);\n",
        "        Runnable listener = this.listener;\n        if (listener != null) {\n            String name = listener.toString();\n            \
         System.out.println(name);\n        }\n",
    );
    assert_candidate(&listener_findings(&before), ConcurrencyOperator::SkipMissing, &after);
}

#[test]
fn raced_field_becomes_volatile_too() {
    let before =
        class_with_listener("void tell() {\n    listener.run();\n}").replace("volatile ", "");
    let mut builder =
        listener_findings(&before).with_race("listener.", "listener = null", "p.A.listener");
    builder.findings.failing = 1;
    let is_volatile = |text: &str| text.contains("volatile") && text.contains("!= null");
    assert!(
        builder
            .candidates()
            .iter()
            .any(|(way, text)| *way == ConcurrencyOperator::SkipMissing && is_volatile(text))
    );
}

#[test]
fn late_initialised_value_is_skipped_only_in_loop() {
    let with = |act: &str| {
        let set = "\n\nvoid set(Runnable one) {\n    listener = one;\n}";
        class_with_members(&format!(
            "volatile Runnable listener;{set}\n\nvoid tell(int n) {{\n    {act}\n}}"
        ))
    };
    let is_left_out = |act: &str| {
        let text = with(act);
        let field = "p.A.listener";
        let builder = findings_with_null_access(
            &text,
            "RW",
            &[("listener.run", field), ("listener = one", field)],
        );
        builder.candidates().iter().any(|(way, _)| *way == ConcurrencyOperator::SkipMissing)
    };
    assert!(!is_left_out("listener.run();"));
    assert!(is_left_out("while (n-- > 0) {\n        listener.run();\n    }"));
    assert!(!is_left_out(
        "while (n-- > 0) {\n        if (listener != null) listener.run();\n    }"
    ));
}

#[test]
fn code_returning_value_is_not_skipped() {
    let text = class_with_listener("int tell() {\n    return listener.hashCode();\n}");
    assert!(
        listener_findings(&text)
            .candidates()
            .iter()
            .all(|(way, _)| *way != ConcurrencyOperator::SkipMissing)
    );
}

#[test]
fn map_check_and_read_become_one_read() {
    let before = class_with_members(
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
    let builder = findings_with_null_access(
        &before,
        "RWR",
        &[steps[0], steps[1], ("names.get", "java.util.Map.get")],
    );
    assert_candidate(&builder, ConcurrencyOperator::LocalCopy, &after);
}

#[test]
fn queue_check_and_removal_become_one_call() {
    let of = |act: &str| {
        let jobs = "final java.util.Queue<Runnable> jobs = new java.util.concurrent.ConcurrentLinkedQueue<>();";
        class_with_members(&format!("{jobs}\n\nvoid work() {{\n    {act}\n}}"))
    };
    let before = of(
        "while (!jobs.isEmpty()) {\n        Runnable job = jobs.remove();\n        job.run();\n    }",
    );
    let after =
        of("Runnable job;\n    while ((job = jobs.poll()) != null) {\n        job.run();\n    }");
    let steps =
        [("jobs.isEmpty", "java.util.Queue.isEmpty"), ("jobs.remove", "java.util.Queue.remove")];
    let of_text = |text| findings_with_null_access(text, "RWW", &[steps[0], steps[1], steps[1]]);
    assert_candidate(&of_text(&before), ConcurrencyOperator::LocalCopy, &after);
    let before = of("Runnable job = jobs.remove();\n    job.run();").replace("isEmpty", "remove");
    let after =
        of("Runnable job = jobs.poll();\n    if (job != null) {\n        job.run();\n    }");
    let taken = findings_with_null_access(&before, "WW", &[steps[1]; 2]);
    assert_candidate(&taken, ConcurrencyOperator::SkipMissing, &after);
}
