//! Suggestions for mistyped revisions.

/// Minimum similarity of a suggested name, between 0 and 1.
const MIN_SIMILARITY: f64 = 0.6;

/// Returns the names most similar to `name`, best first, at most three.
pub(super) fn suggest_names(
    name: &str,
    candidates: impl IntoIterator<Item = String>,
) -> Vec<String> {
    let mut scored: Vec<(f64, String)> = candidates
        .into_iter()
        .map(|candidate| (similarity(name, &candidate), candidate))
        .filter(|(score, _)| *score >= MIN_SIMILARITY)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    scored.dedup();
    scored.truncate(3);
    scored.into_iter().map(|(_, candidate)| candidate).collect()
}

/// Returns the similarity of two names. A remote branch is also compared without the remote's name.
fn similarity(name: &str, candidate: &str) -> f64 {
    let full_similarity = strsim::normalized_damerau_levenshtein(name, candidate);
    let unqualified_similarity = candidate
        .split_once('/')
        .map_or(0.0, |(_, rest)| strsim::normalized_damerau_levenshtein(name, rest) * 0.99);
    full_similarity.max(unqualified_similarity)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_best_names_are_suggested_in_order() {
        let names = ["v1.0", "v1.1", "v1.24", "v1.3", "main"].map(str::to_owned);
        assert_eq!(suggest_names("v1.2", names), ["v1.24", "v1.0", "v1.1"]);
    }

    #[test]
    fn remote_branch_is_suggested_for_its_short_name() {
        assert_eq!(suggest_names("fature", ["origin/feature".to_owned()]), ["origin/feature"]);
    }
}
