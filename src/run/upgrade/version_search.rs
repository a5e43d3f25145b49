//! Search for the first version of a library that breaks the tests.

use super::library_change::LibraryChange;
use super::library_variants::LibraryVariants;
use crate::run::bisect::search_setup::SearchSetup;
use crate::run::subject::attribution::Attribution;
use mend_engine::{Coordinates, LibraryRepository};
use mend_model::{ProgressEvent, Result, Verdict};
use std::ops::Range;
use std::path::PathBuf;

/// Parts of the names of versions that are not releases.
const PRE_RELEASE_PARTS: [&str; 10] =
    ["alpha", "beta", "rc", "cr", "milestone", "m", "snapshot", "preview", "ea", "dev"];

/// Versions of a library between which the tests break.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct VersionBoundary {
    pub(super) last_good: String,
    pub(super) first_bad: String,
    /// Number of versions between them that could not be tested.
    pub(super) untested: usize,
    /// Libraries with which they were tested.
    pub(super) others: OtherLibraries,
}

/// Libraries with which the versions of a library are tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OtherLibraries {
    /// Those of bad, but without other culprits.
    OfBad,
    /// Those of good, with the other changes of the culprit as in bad: the libraries of bad need the new version.
    OfGood,
}

/// A culprit and the others.
pub(super) struct CulpritChanges<'a> {
    /// Changes of the culprit, with those that it needs.
    pub(super) changes: &'a [usize],
    /// Changes of other culprits, which keep the version of good.
    pub(super) reverted: &'a [usize],
}

/// Searches the published versions of libraries.
pub(super) struct VersionSearch<'a> {
    pub(super) variants: &'a LibraryVariants<'a>,
    pub(super) attribution: &'a Attribution,
    pub(super) setup: &'a SearchSetup<'a>,
}

/// A library whose versions are searched.
struct SearchedLibrary<'a> {
    /// Number of its change.
    change: usize,
    coordinates: &'a Coordinates,
    culprit: &'a CulpritChanges<'a>,
    others: OtherLibraries,
}

impl SearchedLibrary<'_> {
    /// Returns true if a change other than its own is in the tested variants.
    fn has_upgrade(&self, change: usize) -> bool {
        match self.others {
            OtherLibraries::OfBad => !self.culprit.reverted.contains(&change),
            OtherLibraries::OfGood => self.culprit.changes.contains(&change),
        }
    }
}

impl VersionSearch<'_> {
    /// Finds the last version that passes and the first one that fails, with the other libraries of bad, or, if the
    /// version of good does not pass with these, of good. Returns `None` if the library was added or removed, or if the
    /// version of good passes with neither.
    pub(super) fn find_boundary(
        &self,
        change: usize,
        culprit: &CulpritChanges<'_>,
    ) -> Result<Option<VersionBoundary>> {
        let library = &self.variants.trees.changes[change];
        let (Some(old), Some(new), Some(coordinates)) =
            (library.old_version(), library.new_version(), library.coordinates())
        else {
            return Ok(None);
        };
        let text = format!("searching the versions of {} between {old} and {new}", library.name);
        self.setup.oracle.run_log.emit(ProgressEvent::Stage(text))?;
        let old_file = library.old.as_ref().map(|library| library.file.clone());
        for others in [OtherLibraries::OfBad, OtherLibraries::OfGood] {
            let searched = SearchedLibrary { change, coordinates, culprit, others };
            if self.judge(&searched, old_file.clone(), old)? == Verdict::Pass {
                let search = |repository: &LibraryRepository<'_>| {
                    self.search(&searched, old, new, repository)
                };
                return self.with_repository(search).map(Some);
            }
        }
        Ok(None)
    }

    /// Returns the published releases strictly between the versions of a changed library, from the old to the new one.
    pub(super) fn versions_between(&self, change: &LibraryChange) -> Result<Vec<String>> {
        let (Some(old), Some(new), Some(coordinates)) =
            (change.old_version(), change.new_version(), change.coordinates())
        else {
            return Ok(Vec::new());
        };
        let all = self.with_repository(|repository| repository.versions(coordinates))?;
        Ok(versions_between(&all, old, new))
    }

    fn with_repository<T>(
        &self,
        action: impl FnOnce(&LibraryRepository<'_>) -> Result<T>,
    ) -> Result<T> {
        let (prepared, Attribution { options, tools, .. }) =
            (self.setup.prepared, self.attribution);
        prepared.executor.pool.with_checkout(&prepared.bad.original_tree, None, |scratch| {
            action(&LibraryRepository::find(scratch.path(), options, tools)?)
        })
    }

    fn search(
        &self,
        library: &SearchedLibrary<'_>,
        old: &str,
        new: &str,
        repository: &LibraryRepository<'_>,
    ) -> Result<VersionBoundary> {
        let all = repository.versions(library.coordinates)?;
        let name = library.coordinates.name();
        if let Some(unknown) = [old, new].into_iter().find(|end| !all.iter().any(|one| one == end))
        {
            let note = format!(
                "versions of {name} between {old} and {new}: no repository lists {unknown}"
            );
            self.setup.oracle.run_log.note_unchecked(note)?;
        }
        let between = versions_between(&all, old, new);
        let (mut low, mut high) = (0, between.len());
        let mut untested: Vec<usize> = Vec::new();
        while let Some(middle) = middle_of(low..high, &untested) {
            let version = &between[middle];
            let coordinates =
                Coordinates { version: Some(version.clone()), ..library.coordinates.clone() };
            let file = repository.file(&coordinates)?;
            let verdict = file.map(|file| self.judge(library, Some(file), version)).transpose()?;
            match verdict {
                Some(Verdict::Pass) => low = middle + 1,
                Some(Verdict::Fail) => high = middle,
                // It cannot be had, or has no verdict: its neighbours decide.
                _ => untested.push(middle),
            }
        }
        let version = |at: Option<usize>, end: &str| {
            at.and_then(|at| between.get(at)).map_or_else(|| end.to_owned(), Clone::clone)
        };
        Ok(VersionBoundary {
            last_good: version(low.checked_sub(1), old),
            first_bad: version(Some(high), new),
            untested: high - low,
            others: library.others,
        })
    }

    /// Tests one version of a library.
    fn judge(
        &self,
        library: &SearchedLibrary<'_>,
        file: Option<PathBuf>,
        version: &str,
    ) -> Result<Verdict> {
        let mut files = self.variants.trees.files(|change| library.has_upgrade(change));
        files[library.change] = file;
        let description = format!("with {}:{version}", library.coordinates.name());
        self.variants.judge(&files, &description, None)
    }
}

/// Returns the untried number next to the middle of a range.
fn middle_of(range: Range<usize>, untested: &[usize]) -> Option<usize> {
    let middle = range.start + range.len() / 2;
    let open = range.filter(|at| !untested.contains(at));
    open.min_by_key(|at| at.abs_diff(middle))
}

/// Returns the releases strictly between two versions, from the first to the second. Pre-releases count only if one of
/// the two is a pre-release, and other variants of a release, such as `-android`, if one of the two is such a variant.
fn versions_between(all: &[String], from: &str, to: &str) -> Vec<String> {
    let position = |version: &str| all.iter().position(|one| one == version);
    let (Some(start), Some(end)) = (position(from), position(to)) else { return Vec::new() };
    let with_pre_releases = is_pre_release(from) || is_pre_release(to);
    let is_searched = |version: &&String| {
        if is_pre_release(version) {
            return with_pre_releases;
        }
        [from, to].iter().any(|end| qualifier(end) == qualifier(version))
    };
    let between = all[start.min(end) + 1..start.max(end)].iter();
    let mut between: Vec<String> = between.filter(is_searched).cloned().collect();
    if start > end {
        between.reverse();
    }
    between
}

/// Returns the words in a version: `jre` in `31.1-jre`.
fn qualifier(version: &str) -> String {
    let words = version.split(|c: char| !c.is_ascii_alphabetic());
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-").to_lowercase()
}

fn is_pre_release(version: &str) -> bool {
    let version = version.to_lowercase();
    let words = version.split(|c: char| !c.is_ascii_alphabetic());
    words.into_iter().any(|word| PRE_RELEASE_PARTS.contains(&word))
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

    #[test]
    fn releases_between_two_versions_are_searched() {
        let all = [
            "1.0",
            "1.1-beta2",
            "1.1",
            "2.0-M1",
            "2.0.RC1",
            "2.0",
            "2.1-android",
            "2.1-jre",
            "2.2-jre",
            "3.0",
        ];
        let all = all.map(str::to_owned);
        assert_eq!(versions_between(&all, "1.0", "3.0"), ["1.1", "2.0"]);
        assert_eq!(versions_between(&all, "3.0", "1.0"), ["2.0", "1.1"]);
        assert_eq!(versions_between(&all, "2.0", "2.2-jre"), ["2.1-jre"]);
        assert_eq!(versions_between(&all, "1.1", "2.0.RC1"), ["2.0-M1"]);
        assert!(versions_between(&all, "0.9", "2.0").is_empty());
    }
}
