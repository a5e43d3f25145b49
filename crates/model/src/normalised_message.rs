//! Normalised messages: what differs between two runs of the same version is masked by fixed patterns.

use regex::{Captures, Regex};
use std::sync::LazyLock;

/// Mask of a number, a date, a duration or a hexadecimal number.
const NUMBER: &str = "0";

/// Mask of a text that varies.
const TEXT: &str = "…";

/// Maximum number of passes. A mask can complete another pattern, so the patterns are applied until nothing changes.
const MAX_PASSES: usize = 10;

/// Replacement of one pattern.
enum Replacement {
    /// Text for [`Regex::replace_all`].
    Fixed(&'static str),
    Computed(fn(&Captures<'_>) -> String),
}

/// Pattern of text that varies between runs or versions.
struct VariablePart {
    pattern: Regex,
    replacement: Replacement,
}

/// Normalises a message: masks quoted and bracketed text, temporary paths, identifiers, hash codes, dates, durations,
/// thread names and numbers.
pub fn normalise_message(message: &str) -> String {
    let mut text = mask_variable_parts(message);
    for _ in 1..MAX_PASSES {
        let next = mask_variable_parts(&text);
        if next == text {
            break;
        }
        text = next;
    }
    text
}

fn mask_variable_parts(message: &str) -> String {
    static VARIABLE_PARTS: LazyLock<Vec<VariablePart>> = LazyLock::new(variable_parts);
    let masked = VARIABLE_PARTS.iter().fold(message.to_owned(), |text, part| part.mask(&text));
    masked.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl VariablePart {
    fn mask(&self, text: &str) -> String {
        match &self.replacement {
            Replacement::Fixed(mask) => self.pattern.replace_all(text, *mask),
            Replacement::Computed(mask) => self.pattern.replace_all(text, mask),
        }
        .into_owned()
    }
}

/// Returns the patterns, the longest text first: a path or a date contains numbers.
fn variable_parts() -> Vec<VariablePart> {
    let fixed = [
        // A resident JVM has a class loader for each variant.
        (r"of loader (?:'[^']*'|[\w.$]+ @[0-9a-f]+)", "of loader …"),
        (r"(?s)but was:.*", "but was:…"),
        (r#"(?s)"[^"]*"|'[^']*'|`[^`]*`|<.*>|\[.*\]|\{.*\}"#, TEXT),
        // UUID.
        (r"\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b", TEXT),
        // Date with or without time, as of `java.time` and of `java.util.Date`.
        (
            r"\b\d{4}-\d{2}-\d{2}(?:[T ]\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?)?(?: ?Z\b| ?[+-]\d{2}:?\d{2}\b)?",
            NUMBER,
        ),
        (
            r"\b(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? )?(?:\d{1,2}[ -])?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*[ -]\d{1,4}\b(?:,? \d{4}\b)?(?:,? \d{1,2}:\d{2}(?::\d{2})?(?: ?[AP]M\b)?)?(?: [A-Z]{3,5}\b)?(?: \d{4}\b)?",
            NUMBER,
        ),
        // IP address, with a port.
        (r"\b(?:[0-9a-fA-F]{1,4}:){7}[0-9a-fA-F]{1,4}\b(?:%\w+)?", NUMBER),
        (r"\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b", NUMBER),
        // Time of day.
        (r"\b\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?\b(?: ?[AP]M\b)?", NUMBER),
        // Duration, as of `java.time` and in words.
        (r"\bPT(?:-?\d+(?:\.\d+)?[HMS])+", NUMBER),
        (
            r"\b\d+(?:[.,]\d+)* ?(?:[num]?s|µs|μs|secs?|seconds?|(?:milli|micro|nano)(?:second)?s?|min|minutes?|h|hours?)\b",
            NUMBER,
        ),
        (r"@[0-9a-f]{4,}\b|\b0x[0-9a-fA-F]+", "@"),
        // Class generated at run time.
        (r"(\$(?:ByteBuddy|HibernateProxy|EnhancerBy\w+?|FastClassBy\w+?)\$+)\w+", "${1}0"),
        // Thread names of the JDK; a parallel stream uses the calling thread too.
        (r"\bForkJoinPool(?:\.commonPool|-\d+)-worker-\d+|\bpool-\d+-thread-\d+|\bThread-\d+", "main"),
        (r"(^|[\s(=:,;])-(\d)", "${1}${2}"),
    ]
    .map(|(pattern, mask)| variable_part(pattern, Replacement::Fixed(mask)));
    let path = variable_part(
        r#"(^|[\s(=:,;])((?:/[^\s/:,;()"'!]+)+)"#,
        Replacement::Computed(mask_temporary_path),
    );
    let hash =
        variable_part(r"\b(?:[0-9a-f]{7,}|[0-9A-F]{7,})\b", Replacement::Computed(mask_hash));
    let number = variable_part(r"\d+(?:[.,]\d+)*(?:[eE][-+]?\d+)?", Replacement::Fixed(NUMBER));
    [path].into_iter().chain(fixed).chain([hash, number]).collect()
}

fn variable_part(pattern: &str, replacement: Replacement) -> VariablePart {
    let pattern = Regex::new(pattern).unwrap_or_else(|_| unreachable!("a constant pattern"));
    VariablePart { pattern, replacement }
}

/// Masks a path below a folder for temporary files, up to and including the entry of that folder: its name varies.
fn mask_temporary_path(path: &Captures<'_>) -> String {
    let names: Vec<&str> = path[2].split('/').skip(1).collect();
    let is_temporary =
        |at: &usize| is_temporary_folder(names[*at], at.checked_sub(3).map(|top| names[top]));
    let Some(folder) = (0..names.len()).rev().find(is_temporary) else { return path[0].to_owned() };
    let below = names.get(folder + 2..).unwrap_or_default();
    let masked = [&[TEXT], below].concat().join("/");
    format!("{}{masked}", &path[1])
}

/// Returns true for the names of folders for temporary files. On macOS, it is `T` in a folder of `folders`.
fn is_temporary_folder(name: &str, third_parent: Option<&str>) -> bool {
    // The engine gives each JVM a folder of its own.
    let is_engine_folder =
        |suffix: &str| suffix.len() == 6 && suffix.bytes().all(|byte| byte.is_ascii_alphanumeric());
    matches!(name, "tmp" | "temp")
        || name.strip_prefix("tmp-").is_some_and(is_engine_folder)
        || name == "T" && third_parent == Some("folders")
}

/// Masks a hash: a hexadecimal number with a digit, which distinguishes it from a word.
fn mask_hash(hash: &Captures<'_>) -> String {
    let has_digit = hash[0].bytes().any(|byte| byte.is_ascii_digit());
    if has_digit { NUMBER.to_owned() } else { hash[0].to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Asserts that both messages are normalised to the same text.
    fn assert_equal(one: &str, other: &str) {
        assert_eq!(normalise_message(one), normalise_message(other));
    }

    #[test]
    fn numbers_quotes_and_addresses_are_masked() {
        assert_eq!(
            normalise_message("Index 3 out of bounds for length 12"),
            "Index 0 out of bounds for length 0"
        );
        assert_eq!(normalise_message("no \"a b\" in Foo@1b2c3d"), "no … in Foo@");
        assert_eq!(normalise_message("expected:<[a]> but was:<[b]>"), "expected:… but was:…");
        assert_equal("no entry in {a=1, b=2}", "no entry in {b=2, a=1}");
        assert_equal("delta -1.5E-7 at x=-3", "delta 20 at x=17");
        assert_equal("bind localhost/127.0.0.1:40123", "bind localhost/10.1.22.3:9");
    }

    #[test]
    fn class_loader_names_are_masked() {
        let cast = |loader: &str| {
            format!(
                "class a.B cannot be cast to class a.C (a.B and a.C are in unnamed module of loader {loader})"
            )
        };
        assert_equal(&cast("'app'"), &cast("gitmend.testserver.VariantClassLoader @1b"));
        assert_equal(&cast("'app'"), &cast("java.net.URLClassLoader @5e91993f"));
    }

    #[test]
    fn temporary_paths_are_masked_up_to_their_varying_folder() {
        assert_eq!(normalise_message("/tmp/junit123abc/sub/x.txt"), "…/sub/x.txt");
        assert_eq!(normalise_message("cannot read /tmp/a.txt: gone"), "cannot read …: gone");
        let warm_jvm =
            "file:/home/u/p/.git/mend/runs/1/work/engine/resident-aB3/tmp-xY9z01/junit5/x";
        assert_equal(warm_jvm, "file:/tmp/junit-77/x");
        assert_equal(warm_jvm, "file:/var/folders/ab/c4d/T/junit8/x");
        assert_eq!(normalise_message("/etc/app/temp.conf"), "/etc/app/temp.conf");
        assert_eq!(normalise_message("GET http://a.b/tmp/c/d"), "GET http://a.b/tmp/c/d");
    }

    #[test]
    fn identifiers_and_hashes_are_masked() {
        assert_equal(
            "no job 123e4567-e89b-12d3-a456-426614174000",
            "no job ffffffff-0000-4aaa-bbbb-cccccccccccc",
        );
        assert_equal("object deadbee1 missing", "object 12345678 missing");
        assert_equal("a.B$ByteBuddy$k3J9xQz2 failed", "a.B$ByteBuddy$UyuCabOb failed");
        assert_ne!(normalise_message("defaced wall"), normalise_message("effaced wall"));
    }

    #[test]
    fn dates_and_durations_are_masked() {
        assert_equal("at 2026-11-26T13:24:05.123Z", "at 2026-01-02T07:00Z");
        assert_equal("at Thu Nov 26 13:24:05 UTC 2026", "at Sun May 3 01:02:03 CEST 2027");
        assert_equal("on 26 Nov 2026, 1:24 PM.", "on Dec 1, 2026 11:24 AM.");
        assert_equal("at 13:24:05", "at 1:24 PM");
        assert_equal("took PT1M2.5S", "took PT0S");
        assert_equal("took 900 ms", "took 1.5 seconds");
    }

    #[test]
    fn thread_names_are_masked() {
        assert_equal("in main", "in ForkJoinPool.commonPool-worker-3");
        assert_equal("in pool-1-thread-2", "in pool-12-thread-1");
    }

    proptest! {
        #[test]
        fn normalisation_is_idempotent(
            message in "([a-fPT0-9:.,@/ '\"<>\\[\\]$-]|tmp|0x|Nov |ms|but was:|Thread-|\u{e9}|\n){0,40}",
        ) {
            let once = normalise_message(&message);
            prop_assert_eq!(normalise_message(&once), once);
        }

        #[test]
        fn words_stay(message in "[g-z]{1,8}( [g-z]{1,8}){0,5}") {
            prop_assert_eq!(normalise_message(&message), message);
        }
    }
}
