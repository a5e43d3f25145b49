//! Numbers as people read them.

/// A number of things, in words.
pub fn counted(count: usize, thing: &str) -> String {
    if count == 1 { format!("1 {thing}") } else { format!("{count} {thing}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thing_is_not_many() {
        assert_eq!((counted(1, "test"), counted(0, "test")), ("1 test".into(), "0 tests".into()));
    }
}
