//! Independent forms of candidates that were applied on top of each other.

use mend_java::{Edit, translate_to_original};
use mend_model::RepoPath;
use mend_threads::ConcurrencyCandidate;

/// Converts candidates that were applied on top of each other to independent ones. Returns `None` if one changes the
/// edits of another.
pub(super) fn make_independent(
    candidates: &[ConcurrencyCandidate],
) -> Option<Vec<ConcurrencyCandidate>> {
    let to_independent = |(at, remedy): (usize, &ConcurrencyCandidate)| {
        let earlier_candidates = &candidates[..at];
        let translate_edits = |(path, edits): (&RepoPath, &Vec<Edit>)| {
            let mut earlier_edits =
                earlier_candidates.iter().rev().filter_map(|one| one.edits.get(path));
            let edits: Option<Vec<Edit>> =
                earlier_edits.try_fold(edits.clone(), |edits, earlier_edits| {
                    edits.iter().map(|edit| translate_to_original(edit, earlier_edits)).collect()
                });
            Some((path.clone(), edits?))
        };
        let edits = remedy.edits.iter().map(translate_edits).collect::<Option<_>>()?;
        Some(ConcurrencyCandidate { edits, ..remedy.clone() })
    };
    candidates.iter().enumerate().map(to_independent).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use mend_java::apply_edits;
    use mend_threads::ConcurrencyOperator;

    fn candidate(
        operator: ConcurrencyOperator,
        edits: &[((usize, usize), &str)],
    ) -> ConcurrencyCandidate {
        let edits =
            edits.iter().map(|(bytes, text)| Edit { bytes: *bytes, text: (*text).to_owned() });
        let edits = [(RepoPath::from("A.java"), edits.collect())].into();
        ConcurrencyCandidate {
            edits,
            operator,
            description: operator.name().to_owned(),
            score: 1.0,
        }
    }

    #[test]
    fn stacked_candidates_become_independent_unless_they_overlap() {
        let earlier = candidate(ConcurrencyOperator::OtherLock, &[((0, 0), "lock ")]);
        let top = candidate(ConcurrencyOperator::Join, &[((8, 8), " join")]);
        let apart = make_independent(&[earlier.clone(), top]).unwrap();
        let alone = &apart[1].edits[&RepoPath::from("A.java")];
        assert_eq!(apply_edits("add", alone).unwrap(), "add join");
        let changes = candidate(ConcurrencyOperator::Join, &[((0, 4), "try")]);
        assert!(make_independent(&[earlier, changes]).is_none());
    }
}
