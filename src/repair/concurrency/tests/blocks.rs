//! How blocks and methods that hold a lock are written.

use super::*;

#[test]
fn a_lost_update_is_done_under_the_lock_that_others_take() {
    let before = class(
        "int sum;\n\nvoid add(int n) {\n    int old = sum;\n    sum = old + n;\n}\n\nsynchronized int sum() {\n    \
         return sum;\n}",
    );
    let sum = "p.A.sum";
    let told = Told::of(&before)
        .pattern("RWW", &[("old = sum", sum), ("sum = old", sum), ("sum = old", sum)]);
    begins(&told, Way::Synchronized, &before.replace("void add", "synchronized void add"));
    let block = before.replace(
        "        int old = sum;\n        sum = old + n;\n",
        "        synchronized (this) {\n            int old = sum;\n            sum = old + n;\n        }\n",
    );
    holds(&told, Way::Synchronized, &block);
}

#[test]
fn a_remark_at_the_end_of_a_statement_stays_with_it() {
    for remark in ["// first", "/* first */"] {
        let before = class(&format!(
            "int sum;\n\nvoid add(int n) {{\n    int old = sum;\n    sum = old + n; {remark}\n    n++;\n}}\n\n\
             synchronized int sum() {{\n    return sum;\n}}",
        ));
        let sum = "p.A.sum";
        let told = Told::of(&before)
            .pattern("RWW", &[("old = sum", sum), ("sum = old", sum), ("sum = old", sum)]);
        let block = before.replace(
            &format!("        int old = sum;\n        sum = old + n; {remark}\n"),
            &format!(
                "        synchronized (this) {{\n            int old = sum;\n            sum = old + n; {remark}\n        }}\n"
            ),
        );
        holds(&told, Way::Synchronized, &block);
    }
}

#[test]
fn a_method_of_which_nearly_all_is_meant_is_synchronized_be_it_long() {
    let long = "    n++;\n".repeat(14);
    let text =
        format!("int sum;\n\nvoid add(int n) {{\n    int old = sum;\n{long}    sum = old + n;\n}}");
    let (before, sum) = (class(&text), "p.A.sum");
    let steps = [("old = sum", sum), ("sum = old", sum), ("sum = old", sum)];
    let told = Told::of(&before).pattern("RWW", &steps);
    begins(&told, Way::Synchronized, &before.replace("void add", "synchronized void add"));
}

#[test]
fn what_stood_in_a_needless_block_stands_as_the_block_did() {
    let before = class(
        "int a;\nint b;\n\nvoid set(int n) {\n    synchronized (this) {\n    \ta = n;\n    }\n    synchronized (this) {\n    \
         \tb = n;\n    \tb++;\n    }\n}",
    );
    let (a, b) = (("a = n", "p.A.a"), ("b = n", "p.A.b"));
    let told = Told::of(&before).pattern("axbxbyay WWWW", &[a, a, b, b]);
    let after = class(
        "int a;\nint b;\n\nsynchronized void set(int n) {\n    a = n;\n    b = n;\n    b++;\n}",
    );
    holds(&told, Way::Synchronized, &after);
}

#[test]
fn blocks_that_a_wider_lock_makes_needless_go() {
    let before = class(
        "int sold;\n\nboolean book() {\n    if (sold > 2) {\n        return false;\n    }\n    synchronized (this) {\n        \
         sold++;\n    }\n    return true;\n}",
    );
    let sold = "p.A.sold";
    let told =
        Told::of(&before).pattern("RWW", &[("sold > 2", sold), ("sold++", sold), ("sold++", sold)]);
    let after = before.replace("boolean book", "synchronized boolean book").replace(
        "        synchronized (this) {\n            sold++;\n        }\n",
        "        sold++;\n",
    );
    begins(&told, Way::Synchronized, &after);
}
