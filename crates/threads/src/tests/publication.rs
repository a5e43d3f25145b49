//! Publication of complete results only.

use super::*;

/// Returns a program that creates linked values recursively; `flag` is the condition of the cleanup.
fn recursive_program(flag: &str) -> String {
    class_with_members(&format!(
        "static class Link {{\n    Object target;\n}}\n\nfinal java.util.Map<String, Link> cache = new \
         java.util.concurrent.ConcurrentHashMap<>();\nfinal ThreadLocal<Object> calls = new ThreadLocal<>();\n\nLink \
         get(String name, boolean isLoud) {{\n    boolean isFirst = calls.get() == null;\n    calls.set(name);\n    Link \
         link = new Link();\n    link.target = name.isEmpty() ? null : get(name.substring(1), isLoud);\n    \
         cache.put(name, link);\n    if ({flag}) {{\n        calls.remove();\n    }}\n    return link;\n}}\n\nObject \
         read(Link link) {{\n    return link.target;\n}}"
    ))
}

#[test]
fn result_is_published_by_the_call_that_cleans_up() {
    let before = recursive_program("isFirst");
    let builder = FindingsBuilder::new(&before).with_race(
        "link.target = name",
        "return link.target",
        "p.A$Link.target",
    );
    let published = "        if (isFirst) {\n            cache.put(name, link);\n        }\n";
    let after = before.replace("        cache.put(name, link);\n", published);
    assert_candidate(&builder, ConcurrencyOperator::Move, &after);
    let is_loud = builder.candidates().iter().any(|(_, text)| text.contains("if (isLoud) {"));
    assert!(!is_loud);
}

#[test]
fn flag_without_cleanup_does_not_prevent_publication() {
    let before = recursive_program("cache.size() > 9");
    let builder = FindingsBuilder::new(&before).with_race(
        "link.target = name",
        "return link.target",
        "p.A$Link.target",
    );
    let all = builder.candidates();
    assert!(!all.iter().any(|(_, text)| text.contains("if (isFirst) {")), "{all:#?}");
}
