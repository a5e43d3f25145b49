//! Comparison of library versions.

use std::cmp::Reverse;

/// Returns the numbers in a version, in order: 4, 13 and 2 for `4.13.2`.
pub(crate) fn version_numbers(version: &str) -> Vec<u64> {
    version
        .split(|c: char| !c.is_ascii_digit())
        .filter(|part| !part.is_empty())
        .map(|part| part.parse().unwrap_or(u64::MAX))
        .collect()
}

/// Returns the available version nearest to the requested one: among those with the most equal leading numbers, the
/// lowest newer one, otherwise the highest older one.
pub(crate) fn nearest_version<T>(
    requested: Option<&str>,
    available: Vec<(String, T)>,
) -> Option<(String, T)> {
    let Some(requested) = requested.map(version_numbers) else {
        return available.into_iter().max_by_key(|(version, _)| version_numbers(version));
    };
    let rank = |version: &str| {
        let candidate = version_numbers(version);
        let agreeing = candidate.iter().zip(&requested).take_while(|(a, b)| a == b).count();
        let newer = (candidate >= requested).then(|| candidate.clone());
        (Reverse(agreeing), newer.is_none(), newer, Reverse(candidate))
    };
    available.into_iter().min_by_key(|(version, _)| rank(version))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nearest_of(requested: Option<&str>, present: &[&str]) -> String {
        let present = present.iter().map(|version| ((*version).to_owned(), ())).collect();
        nearest_version(requested, present).unwrap().0
    }

    #[test]
    fn next_newer_version_of_the_same_line_is_nearest() {
        assert_eq!(nearest_of(Some("4.12"), &["3.8.1", "4.13.2", "4.13", "5.0"]), "4.13");
        assert_eq!(nearest_of(Some("4.12"), &["3.8.1", "4.10", "4.11"]), "4.11");
        assert_eq!(nearest_of(Some("4.12"), &["3.8.1", "5.1"]), "5.1");
        assert_eq!(nearest_of(Some("3.0.2"), &["0.1"]), "0.1");
    }

    #[test]
    fn newest_version_is_chosen_without_a_request() {
        assert_eq!(nearest_of(None, &["1.9", "1.10", "1.2"]), "1.10");
    }
}
