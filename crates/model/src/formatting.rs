//! Formatting of counts, names, durations and command lines for people.

use regex::Regex;
use std::sync::LazyLock;
use std::time::Duration;

/// Returns a count with its noun: `1 test`, `2 patches`, `3 dependencies`.
pub fn format_count(count: usize, noun: &str) -> String {
    if count == 1 {
        return format!("1 {noun}");
    }
    match noun.strip_suffix('y') {
        Some(stem) => format!("{count} {stem}ies"),
        None if noun.ends_with("ch") || noun.ends_with("ss") || noun.ends_with('x') => {
            format!("{count} {noun}es")
        }
        None => format!("{count} {noun}s"),
    }
}

/// Joins the first `limit` names with commas and counts the others: `a, b and 3 more`.
pub fn list_first(names: &[String], limit: usize) -> String {
    let first = names[..names.len().min(limit)].join(", ");
    match names.len().saturating_sub(limit) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}

/// Joins names as in a sentence: `a`, `a and b`, `a, b and c`.
pub fn join_with_and(names: &[impl AsRef<str>]) -> String {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    match names.split_last() {
        Some((last, first)) if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        _ => names.concat(),
    }
}

/// Removes the packages of the class names in a text: `shop.till.Till.add:7` becomes `Till.add:7`.
pub fn without_packages(text: &str) -> String {
    static PACKAGE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"\b(?:[a-z_][\w$]*\.)+([A-Z])")
            .unwrap_or_else(|_| unreachable!("a constant pattern"))
    });
    PACKAGE.replace_all(text, "$1").into_owned()
}

/// Formats a duration in words.
pub fn format_duration(time: Duration) -> String {
    let count_unit =
        |count: u64, thing| format_count(usize::try_from(count).unwrap_or(usize::MAX), thing);
    let seconds = time.as_secs();
    match (seconds / 60, seconds % 60) {
        (0, 0) => format!("{} ms", time.as_millis()),
        (0, _) if time.subsec_millis() > 0 => format!("{:.1} seconds", time.as_secs_f64()),
        (0 | 1, 1..) => count_unit(seconds, "second"),
        (minutes, 0) => count_unit(minutes, "minute"),
        (minutes, rest) => {
            format!("{} {}", count_unit(minutes, "minute"), count_unit(rest, "second"))
        }
    }
}

/// Cuts a text to `width` characters, the last of them `…` if it was longer.
pub fn truncate(text: &str, width: usize) -> String {
    match text.char_indices().nth(width) {
        None => text.to_owned(),
        Some(_) => text.chars().take(width.saturating_sub(1)).chain(['…']).collect(),
    }
}

/// Returns the known name most similar to `name`, if any is similar enough.
pub fn suggest_name<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let nearest = candidates
        .into_iter()
        .min_by_key(|candidate| strsim::damerau_levenshtein(candidate, name))?;
    (strsim::normalized_damerau_levenshtein(nearest, name) > 0.3).then_some(nearest)
}

/// Returns a command line without the given options and their values.
pub fn without_options(command_line: &[String], options: &[&str]) -> Vec<String> {
    let mut remaining = Vec::new();
    let mut words = command_line.iter();
    while let Some(word) = words.next() {
        let name = word.split('=').next().unwrap_or_default();
        if !options.contains(&name) {
            remaining.push(word.clone());
        } else if name == word {
            words.next();
        }
    }
    remaining
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_similar_names_are_suggested() {
        assert_eq!(suggest_name("time-out", ["timeout", "seed"]), Some("timeout"));
        assert_eq!(suggest_name("whatever", ["timeout", "seed"]), None);
    }

    #[test]
    fn last_name_of_a_list_follows_and() {
        let joined = |names: &[&str]| join_with_and(names);
        assert_eq!(joined(&[]), "");
        assert_eq!(joined(&["add"]), "add");
        assert_eq!(joined(&["add", "sum"]), "add and sum");
        assert_eq!(joined(&["add", "sum", "clear"]), "add, sum and clear");
    }

    #[test]
    fn packages_are_removed_from_class_names_only() {
        for (text, short) in [
            ("shop.till.Till.add:7", "Till.add:7"),
            ("elements of shop.Till$Item.prices", "elements of Till$Item.prices"),
            ("Till.sum", "Till.sum"),
            ("till.sum", "till.sum"),
        ] {
            assert_eq!(without_packages(text), short);
        }
    }

    #[test]
    fn a_duration_is_formatted_in_minutes_and_seconds() {
        for (millis, words) in [
            (60, "60 ms"),
            (1_000, "1 second"),
            (1_520, "1.5 seconds"),
            (90_000, "90 seconds"),
            (60_000, "1 minute"),
            (1_200_000, "20 minutes"),
            (1_830_000, "30 minutes 30 seconds"),
        ] {
            assert_eq!(format_duration(Duration::from_millis(millis)), words);
        }
    }

    #[test]
    fn counts_are_pluralised_and_text_is_truncated() {
        assert_eq!((truncate("till", 4), truncate("tills", 4)), ("till".into(), "til…".into()));
        assert_eq!(
            (format_count(1, "test"), format_count(0, "test")),
            ("1 test".into(), "0 tests".into())
        );
        assert_eq!(
            (format_count(2, "patch"), format_count(2, "fix")),
            ("2 patches".into(), "2 fixes".into())
        );
        assert_eq!(format_count(2, "dependency"), "2 dependencies");
    }
}
