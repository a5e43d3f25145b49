//! Numbers as people read them, and names as they write them.

/// A number of things, in words.
pub fn counted(count: usize, thing: &str) -> String {
    if count == 1 { format!("1 {thing}") } else { format!("{count} {thing}s") }
}

/// The known name that is most like another.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known.into_iter().min_by_key(|known| strsim::damerau_levenshtein(known, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thing_is_not_many() {
        assert_eq!((counted(1, "test"), counted(0, "test")), ("1 test".into(), "0 tests".into()));
    }
}
