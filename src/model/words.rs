//! Numbers as people read them, and names as they write them.

/// A number of things, in words.
pub fn counted(count: usize, thing: &str) -> String {
    if count == 1 { format!("1 {thing}") } else { format!("{count} {thing}s") }
}

/// A text, or its beginning where it has more than so many characters.
pub fn cut(text: &str, width: usize) -> String {
    match text.char_indices().nth(width) {
        None => text.to_owned(),
        Some(_) => text.chars().take(width.saturating_sub(1)).chain(['…']).collect(),
    }
}

/// The known name that is most like another, if one is like it.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let nearest = known.into_iter().min_by_key(|known| strsim::damerau_levenshtein(known, name))?;
    (strsim::normalized_damerau_levenshtein(nearest, name) > 0.3).then_some(nearest)
}

/// A command line without some of its options and their values.
pub fn without(command_line: &[String], options: &[&str]) -> Vec<String> {
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
    fn counts_and_beginnings_read_well() {
        assert_eq!((cut("till", 4), cut("tills", 4)), ("till".into(), "til…".into()));
        assert_eq!((counted(1, "test"), counted(0, "test")), ("1 test".into(), "0 tests".into()));
    }
}
