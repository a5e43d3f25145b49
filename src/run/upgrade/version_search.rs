//! Search for the first version of a library, a plugin or Java that breaks the tests.

use super::build_change::{BuildChange, BuildPart};
use super::build_variants::{BuildVariants, VariantVerdict};
use super::version_source::VersionSource;
use crate::run::bisect::search_setup::SearchSetup;
use crate::run::subject::attribution::Attribution;
use mend_model::{ProgressEvent, Result, Verdict};
use std::ops::Range;

/// Versions of a part of the build between which the tests break.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct VersionBoundary {
    pub(super) last_good: String,
    pub(super) first_bad: String,
    /// Version before it from which on the tests fail in the same place, but with another message.
    pub(super) first_similar: Option<String>,
    /// Number of versions between them that could not be tested.
    pub(super) untested: usize,
    /// The rest of the build with which they were tested.
    pub(super) others: OtherParts,
    /// Other changes that the tested variants had, by number.
    pub(super) upgraded: Vec<usize>,
}

impl VersionBoundary {
    /// Returns the first version that fails in the place of bad, with whatever message.
    pub(super) fn first_failing(&self) -> &str {
        self.first_similar.as_ref().unwrap_or(&self.first_bad)
    }
}

/// Rest of the build with which the versions of a part are tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OtherParts {
    /// That of bad, but without other culprits.
    OfBad,
    /// That of good, with the other changes of the culprit as in bad: the libraries of bad need the new version.
    OfGood,
}

/// A culprit and the others.
pub(super) struct CulpritChanges<'a> {
    /// Changes of the culprit, with those that it needs.
    pub(super) changes: &'a [usize],
    /// Changes of other culprits, which keep the version of good.
    pub(super) reverted: &'a [usize],
}

/// Searches the versions between good and bad.
pub(super) struct VersionSearch<'a> {
    pub(super) variants: &'a BuildVariants<'a>,
    pub(super) attribution: &'a Attribution,
    pub(super) setup: &'a SearchSetup<'a>,
}

/// A part of the build whose versions are searched.
struct SearchedPart<'a> {
    /// Number of its change.
    number: usize,
    change: &'a BuildChange,
    old: &'a str,
    new: &'a str,
    others: OtherParts,
    /// Other changes that the tested variants have.
    upgraded: Vec<usize>,
}

impl VersionSearch<'_> {
    /// Finds the last version that passes and the first one that fails, with the rest of the build of bad, or, if the
    /// version of good does not pass with it, of good. Returns `None` if the part was added or removed, or if the version
    /// of good passes with neither.
    pub(super) fn find_boundary(
        &self,
        number: usize,
        culprit: &CulpritChanges<'_>,
    ) -> Result<Option<VersionBoundary>> {
        let change = &self.variants.trees.changes[number];
        let (Some(old), Some(new)) = (change.old_version(), change.new_version()) else {
            return Ok(None);
        };
        let text = format!("searching the versions of {} between {old} and {new}", change.name);
        self.setup.oracle.run_log.emit(ProgressEvent::Stage(text))?;
        for others in [OtherParts::OfBad, OtherParts::OfGood] {
            let upgraded = self.upgraded(culprit, others);
            let searched = SearchedPart { number, change, old, new, others, upgraded };
            if self.judge(&searched, change.old.clone(), old)?.verdict == Verdict::Pass {
                let search = |source: &VersionSource<'_>| self.search(searched, source);
                return VersionSource::open_for(change, self.attribution, self.setup, search);
            }
        }
        Ok(None)
    }

    /// Returns the numbers of the changes that variants have while the versions of a member of a culprit are tested.
    fn upgraded(&self, culprit: &CulpritChanges<'_>, others: OtherParts) -> Vec<usize> {
        match others {
            OtherParts::OfBad => {
                let all = 0..self.variants.trees.changes.len();
                all.filter(|change| !culprit.reverted.contains(change)).collect()
            }
            OtherParts::OfGood => culprit.changes.to_vec(),
        }
    }

    /// Returns the releases strictly between the versions of a change, from the old to the new one.
    pub(super) fn versions_between(&self, change: &BuildChange) -> Result<Vec<String>> {
        let (Some(old), Some(new)) = (change.old_version(), change.new_version()) else {
            return Ok(Vec::new());
        };
        let list = |source: &VersionSource<'_>| source.versions_between(old, new);
        let listed = VersionSource::open_for(change, self.attribution, self.setup, list)?;
        Ok(listed.map(|(versions, _)| versions).unwrap_or_default())
    }

    fn search(
        &self,
        searched: SearchedPart<'_>,
        source: &VersionSource<'_>,
    ) -> Result<VersionBoundary> {
        let (old, new) = (searched.old, searched.new);
        let (between, note) = source.versions_between(old, new)?;
        note.map_or(Ok(()), |note| self.setup.oracle.run_log.note_unchecked(note))?;
        let (mut low, mut high) = (0, between.len());
        let (mut untested, mut similar): (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::new());
        while let Some(middle) = middle_of(low..high, &untested) {
            let version = &between[middle];
            let part = source.fetch_part(version)?;
            let judge = |part| self.judge(&searched, Some(part), version);
            let tested = part.map(judge).transpose()?;
            match tested.map(|tested| tested.verdict) {
                Some(Verdict::Pass) => low = middle + 1,
                Some(Verdict::Fail) => high = middle,
                // It cannot be had, or has no verdict: its neighbours decide.
                _ => {
                    untested.push(middle);
                    if tested.is_some_and(|tested| tested.has_other_message) {
                        similar.push(middle);
                    }
                }
            }
        }
        let mut first_similar = high;
        while first_similar > low && similar.contains(&(first_similar - 1)) {
            first_similar -= 1;
        }
        let version = |at: Option<usize>, end: &str| {
            at.and_then(|at| between.get(at)).map_or_else(|| end.to_owned(), Clone::clone)
        };
        Ok(VersionBoundary {
            last_good: version(low.checked_sub(1), old),
            first_bad: version(Some(high), new),
            first_similar: (first_similar < high).then(|| between[first_similar].clone()),
            untested: first_similar - low,
            others: searched.others,
            upgraded: searched.upgraded,
        })
    }

    /// Tests one version of a part.
    fn judge(
        &self,
        searched: &SearchedPart<'_>,
        part: Option<BuildPart>,
        version: &str,
    ) -> Result<VariantVerdict> {
        let mut parts =
            self.variants.trees.select_parts(|change| searched.upgraded.contains(&change));
        parts[searched.number] = part;
        let description = format!("with {}:{version}", searched.change.name);
        self.variants.judge_with_message(&parts, &description, None)
    }
}

/// Returns the untried number next to the middle of a range.
fn middle_of(range: Range<usize>, untested: &[usize]) -> Option<usize> {
    let middle = range.start + range.len() / 2;
    let open = range.filter(|at| !untested.contains(at));
    open.min_by_key(|at| at.abs_diff(middle))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn untested_versions_are_passed_over() {
        assert_eq!(middle_of(0..5, &[]), Some(2));
        assert_eq!(middle_of(0..5, &[2]), Some(1));
        assert_eq!(middle_of(1..4, &[2, 1]), Some(3));
        assert_eq!(middle_of(1..3, &[2, 1]), None);
        assert_eq!(middle_of(2..2, &[]), None);
    }
}
