//! Versions of a part of the build between those of good and of bad.

use super::build_change::{BuildChange, BuildPart, PartKind, plugin_id};
use crate::run::bisect::search_setup::SearchSetup;
use crate::run::subject::attribution::Attribution;
use mend_engine::{Coordinates, LibraryRepository, ModuleSources, RepositoryKind, SourceLevel};
use mend_model::Result;

/// Parts of the names of versions that are not releases.
const PRE_RELEASE_PARTS: [&str; 10] =
    ["alpha", "beta", "rc", "cr", "milestone", "m", "snapshot", "preview", "ea", "dev"];

/// Versions of a changed part of the build.
pub(super) enum VersionSource<'a> {
    /// Published versions of a library, an annotation processor or a plugin.
    Published { part: &'a BuildPart, repository: LibraryRepository<'a> },
    /// Versions of Java.
    Levels { ends: [SourceLevel; 2], sources: &'a [ModuleSources] },
}

impl VersionSource<'_> {
    /// Calls a function with the versions of a part. Returns `None` if good or bad has no version of it.
    pub(super) fn open_for<T>(
        change: &BuildChange,
        attribution: &Attribution,
        setup: &SearchSetup<'_>,
        action: impl FnOnce(&VersionSource<'_>) -> Result<T>,
    ) -> Result<Option<T>> {
        let (Some(old), Some(new)) = (&change.old, &change.new) else { return Ok(None) };
        if let (PartKind::Level { level: from, .. }, PartKind::Level { level: to, sources }) =
            (&old.kind, &new.kind)
        {
            return action(&VersionSource::Levels { ends: [*from, *to], sources }).map(Some);
        }
        let Attribution { options, tools, .. } = attribution;
        let (prepared, part) = (setup.prepared, new);
        let kind = match new.kind {
            PartKind::Plugin => RepositoryKind::Plugins,
            _ => RepositoryKind::Libraries,
        };
        prepared.executor.pool.with_checkout(&prepared.bad.original_tree, None, |scratch| {
            let repository = LibraryRepository::find(scratch.path(), kind, options, tools)?;
            action(&VersionSource::Published { part, repository }).map(Some)
        })
    }

    /// Returns the releases strictly between two versions, from the first to the second, and a note if one of the two is
    /// unknown.
    pub(super) fn versions_between(
        &self,
        from: &str,
        to: &str,
    ) -> Result<(Vec<String>, Option<String>)> {
        match self {
            Self::Published { part: BuildPart { coordinates, .. }, repository } => {
                let all = repository.versions(coordinates)?;
                let is_unknown = |end: &&str| !all.iter().any(|one| one == end);
                let note = [from, to].into_iter().find(is_unknown).map(|unknown| {
                    let name = coordinates.name();
                    format!(
                        "versions of {name} between {from} and {to}: no repository lists {unknown}"
                    )
                });
                Ok((versions_between(&all, from, to), note))
            }
            Self::Levels { ends, .. } => Ok((levels_between(*ends), None)),
        }
    }

    /// Returns the part in a version, which is downloaded if necessary; `None` if it cannot be had.
    pub(super) fn fetch_part(&self, version: &str) -> Result<Option<BuildPart>> {
        match self {
            Self::Published { part: BuildPart { kind, coordinates }, repository } => {
                let version = Some(version.to_owned());
                let coordinates = Coordinates { version, ..coordinates.clone() };
                if plugin_id(&coordinates).is_some() {
                    // It has no file of its own. Gradle fetches what it refers to.
                    return Ok(Some(BuildPart { kind: kind.clone(), coordinates }));
                }
                let file = repository.file(&coordinates)?;
                let kind = |file| match kind {
                    PartKind::Library(_) => PartKind::Library(file),
                    PartKind::Processor(_) => PartKind::Processor(file),
                    PartKind::Plugin | PartKind::Level { .. } => kind.clone(),
                };
                Ok(file.map(|file| BuildPart { kind: kind(file), coordinates }))
            }
            Self::Levels { ends: [_, new], sources } => {
                let level = |number| SourceLevel { version: number, is_release: new.is_release };
                let part =
                    |number| BuildPart::level(level(number), sources.to_vec(), version.to_owned());
                Ok(version.parse().ok().map(part))
            }
        }
    }
}

/// Returns the versions of Java strictly between two, from the first to the second.
fn levels_between([from, to]: [SourceLevel; 2]) -> Vec<String> {
    let (low, high) = (from.version.min(to.version), from.version.max(to.version));
    let mut between: Vec<String> = (low + 1..high).map(|version| version.to_string()).collect();
    if from.version > to.version {
        between.reverse();
    }
    between
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
    fn versions_of_java_between_two_are_searched() {
        let level = |version: u32| SourceLevel { version, is_release: true };
        assert_eq!(levels_between([level(8), level(11)]), ["9", "10"]);
        assert_eq!(levels_between([level(11), level(8)]), ["10", "9"]);
        assert!(levels_between([level(8), level(8)]).is_empty());
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
