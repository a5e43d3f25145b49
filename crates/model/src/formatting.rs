//! Formatting of counts, names, durations and command lines for people.

use std::time::Duration;

/// Returns a count with its noun: `1 test`, `2 patches`, `3 dependencies`.
pub fn counted(count: usize, thing: &str) -> String {
    if count == 1 {
        return format!("1 {thing}");
    }
    match thing.strip_suffix('y') {
        Some(stem) => format!("{count} {stem}ies"),
        None if thing.ends_with("ch") || thing.ends_with('x') => format!("{count} {thing}es"),
        None => format!("{count} {thing}s"),
    }
}

/// Joins the first `most` names with commas and counts the others: `a, b and 3 more`.
pub fn first_of(all: &[String], most: usize) -> String {
    let first = all[..all.len().min(most)].join(", ");
    match all.len().saturating_sub(most) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}

/// Formats a duration in words.
pub fn lasting(time: Duration) -> String {
    let whole = |count: u64, thing| counted(usize::try_from(count).unwrap_or(usize::MAX), thing);
    let seconds = time.as_secs();
    match (seconds / 60, seconds % 60) {
        (0, 0) => format!("{} ms", time.as_millis()),
        (0, _) if time.subsec_millis() > 0 => format!("{:.1} seconds", time.as_secs_f64()),
        (0 | 1, 1..) => whole(seconds, "second"),
        (minutes, 0) => whole(minutes, "minute"),
        (minutes, rest) => format!("{} {}", whole(minutes, "minute"), whole(rest, "second")),
    }
}

/// Cuts a text to `width` characters, the last of them `…` if it was longer.
pub fn cut(text: &str, width: usize) -> String {
    match text.char_indices().nth(width) {
        None => text.to_owned(),
        Some(_) => text.chars().take(width.saturating_sub(1)).chain(['…']).collect(),
    }
}

/// Returns the known name most similar to `name`, if any is similar enough.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let nearest = known.into_iter().min_by_key(|known| strsim::damerau_levenshtein(known, name))?;
    (strsim::normalized_damerau_levenshtein(nearest, name) > 0.3).then_some(nearest)
}

/// Returns a command line without the given options and their values.
pub fn without_options(command_line: &[String], options: &[&str]) -> Vec<String> {
    let mut kept = Vec::new();
    let mut words = command_line.iter();
    while let Some(word) = words.next() {
        let name = word.split('=').next().unwrap_or_default();
        if !options.contains(&name) {
            kept.push(word.clone());
        } else if name == word {
            words.next();
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_like_none_has_no_nearest() {
        assert_eq!(nearest("time-out", ["timeout", "seed"]), Some("timeout"));
        assert_eq!(nearest("whatever", ["timeout", "seed"]), None);
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
            assert_eq!(lasting(Duration::from_millis(millis)), words);
        }
    }

    #[test]
    fn counts_and_beginnings_read_well() {
        assert_eq!((cut("till", 4), cut("tills", 4)), ("till".into(), "til…".into()));
        assert_eq!((counted(1, "test"), counted(0, "test")), ("1 test".into(), "0 tests".into()));
        assert_eq!(
            (counted(2, "patch"), counted(2, "fix")),
            ("2 patches".into(), "2 fixes".into())
        );
        assert_eq!(counted(2, "dependency"), "2 dependencies");
    }
}
