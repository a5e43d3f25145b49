//! Search for the first version of a library that breaks the tests.

use super::library_variants::LibraryVariants;
use crate::run::bisect::search_setup::SearchSetup;
use crate::run::subject::attribution::Attribution;
use mend_engine::{Coordinates, LibraryRepository};
use mend_model::{ProgressEvent, Result, Verdict};

/// Parts of the names of versions that are not releases.
const PRE_RELEASE_PARTS: [&str; 10] =
    ["alpha", "beta", "rc", "cr", "milestone", "m", "snapshot", "preview", "ea", "dev"];

/// Neighbouring versions of a library, the tests being the same otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct VersionBoundary {
    pub(super) last_good: String,
    pub(super) first_bad: String,
}

/// Searches the published versions of a library.
pub(super) struct VersionSearch<'a> {
    pub(super) finder: &'a LibraryVariants<'a>,
    pub(super) attribution: &'a Attribution,
    pub(super) setup: &'a SearchSetup<'a>,
}

impl VersionSearch<'_> {
    /// Finds the last version that passes and the first one that fails, with all other libraries of bad. Returns `None`
    /// if the library was added or removed.
    pub(super) fn find_boundary(&self, change: usize) -> Result<Option<VersionBoundary>> {
        let library = &self.finder.changes[change];
        let (Some(old), Some(new), Some(coordinates)) =
            (library.old_version(), library.new_version(), library.coordinates())
        else {
            return Ok(None);
        };
        let text = format!("searching the versions of {} between {old} and {new}", library.name);
        self.setup.oracle.run_log.emit(ProgressEvent::Stage(text))?;
        let all = self.with_repository(|repository| repository.versions(coordinates))?;
        let mut between = versions_between(&all, old, new);
        let mut boundary = VersionBoundary { last_good: old.to_owned(), first_bad: new.to_owned() };
        while !between.is_empty() {
            let middle = between.len() / 2;
            let version = between[middle].clone();
            match self.judge(change, coordinates, &version)? {
                Some(Verdict::Pass) => {
                    boundary.last_good = version;
                    between.drain(..=middle);
                }
                Some(Verdict::Fail) => {
                    boundary.first_bad = version;
                    between.truncate(middle);
                }
                // It cannot be had, or has no verdict: its neighbours decide.
                _ => drop(between.remove(middle)),
            }
        }
        Ok(Some(boundary))
    }

    /// Tests one version; `None` if it cannot be found.
    fn judge(
        &self,
        change: usize,
        coordinates: &Coordinates,
        version: &str,
    ) -> Result<Option<Verdict>> {
        let library = Coordinates { version: Some(version.to_owned()), ..coordinates.clone() };
        let Some(file) = self.with_repository(|repository| repository.file(&library))? else {
            return Ok(None);
        };
        let mut files = self.finder.files(|_| true);
        files[change] = Some(file);
        self.finder.judge(&files, &format!("with {library}"), None).map(Some)
    }

    fn with_repository<T>(
        &self,
        action: impl FnOnce(&LibraryRepository<'_>) -> Result<T>,
    ) -> Result<T> {
        let (prepared, Attribution { options, tools, .. }) =
            (self.setup.prepared, self.attribution);
        prepared.executor.pool.with_checkout(&prepared.bad.original_tree, None, |scratch| {
            action(&LibraryRepository { tree: scratch.path(), options, tools })
        })
    }
}

/// Returns the releases strictly between two versions, from the first to the second. Pre-releases count only if one of
/// the two is a pre-release, and other variants of a release, such as `-android`, if one of the two is such a variant.
fn versions_between(all: &[String], from: &str, to: &str) -> Vec<String> {
    let position = |version: &str| all.iter().position(|one| one == version);
    let (Some(start), Some(end)) = (position(from), position(to)) else { return Vec::new() };
    let with_pre_releases = is_pre_release(from) || is_pre_release(to);
    let is_searched = |version: &&String| match is_pre_release(version) {
        true => with_pre_releases,
        false => [from, to].iter().any(|end| qualifier(end) == qualifier(version)),
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
