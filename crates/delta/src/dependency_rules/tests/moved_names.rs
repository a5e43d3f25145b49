//! Statements that move from a rewritten method into new ones, where their names mean other variables.

use super::{delta_with_facts, render_variant};
use crate::Delta;
use mend_engine::test_support::shared_server;
use std::collections::BTreeSet;

const OLD: &str = r#"package p;

class Names {
    String text = "";

    boolean has(String name) {
        final int len = text.length();
        final int wanted = name.length();
        if (len < wanted) {
            return false;
        }
        boolean inside = false;
        int start = 0;
        for (int i = 0; i < len; i++) {
            if (Character.isWhitespace(text.charAt(i))) {
                if (inside) {
                    if (i - start == wanted && text.startsWith(name, start)) {
                        return true;
                    }
                    inside = false;
                }
            } else {
                if (!inside) {
                    inside = true;
                    start = i;
                }
            }
        }
        if (inside && len - start == wanted) {
            return text.startsWith(name, start);
        }
        return false;
    }
}
"#;

const NEW: &str = r#"package p;

class Names {
    String text = "";

    boolean first() {
        int len = text.length();
        for (int i = 0; i < len; ) {
            int start = nextStart(i, len);
            if (start == len) break;
            int end = nextEnd(start, len);
            i = end;
        }
        return len > 0;
    }

    int nextStart(int offset, int len) {
        while (offset < len && Character.isWhitespace(text.charAt(offset))) offset++;
        return offset;
    }

    int nextEnd(int offset, int len) {
        while (offset < len && !Character.isWhitespace(text.charAt(offset))) offset++;
        return offset;
    }

    boolean has(String name) {
        final int len = text.length();
        final int wanted = name.length();
        if (len < wanted) return false;
        for (int i = 0; i < len; ) {
            int start = nextStart(i, len);
            if (start == len) return false;
            int end = nextEnd(start, len);
            if (end - start == wanted && text.startsWith(name, start)) return true;
            i = end;
        }
        return false;
    }
}
"#;

/// Returns a component with the components that it needs.
fn with_needs(delta: &Delta, component: usize) -> BTreeSet<usize> {
    let needs = delta.component_dependencies();
    let mut all = BTreeSet::from([component]);
    loop {
        let missing = needs
            .iter()
            .filter(|(from, to)| all.contains(from) && !to.iter().any(|to| all.contains(to)))
            .map(|(_, to)| to[0]);
        let missing: Vec<usize> = missing.collect();
        if missing.is_empty() {
            return all;
        }
        all.extend(missing);
    }
}

#[test]
fn names_are_declared_in_each_component_with_what_it_needs() {
    let (old, new) = ([("Names.java", OLD)], [("Names.java", NEW)]);
    let mut server = shared_server();
    let delta = delta_with_facts(&mut server, &old, &new);
    for component in 0..delta.components().len() {
        let variant = with_needs(&delta, component);
        let is_enabled = |hunk| delta.component_of(hunk).is_some_and(|one| variant.contains(&one));
        let files = render_variant(&delta, &old, &is_enabled);
        let mut errors = server.compile_errors(&files).unwrap();
        errors.retain(|error| error.code.contains("cant.resolve"));
        assert_eq!(errors, [], "{variant:?}");
    }
}
