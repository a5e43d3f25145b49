//! Part of a build that differs between good and bad: a library, a plugin or the language level.

use super::build_reader::BuildParts;
use mend_engine::{Coordinates, LocalRepositories, ModuleSources, SourceLevel};
use mend_report::UpgradeKind;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Name of the language level among the parts of a build.
const LEVEL_NAME: &str = "Java";

/// A part of a build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BuildPart {
    pub(super) kind: PartKind,
    pub(super) coordinates: Coordinates,
}

/// Kind of a part of a build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PartKind {
    /// Library by its file: absolute, or relative to the root of the project.
    Library(PathBuf),
    /// Maven plugin that generates sources or resources.
    Plugin,
    /// Language level of some sources.
    Level { level: SourceLevel, sources: Vec<ModuleSources> },
}

/// Part of a build whose version differs between good and bad, or that only one of them has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BuildChange {
    /// `group:artifact`, the name of a file that is in no repository, or `Java`.
    pub(super) name: String,
    pub(super) old: Option<BuildPart>,
    pub(super) new: Option<BuildPart>,
}

impl BuildPart {
    /// Returns the same plugin in another version.
    pub(super) fn plugin(coordinates: Coordinates) -> Self {
        Self { kind: PartKind::Plugin, coordinates }
    }

    /// Returns the library with this file.
    pub(super) fn library(file: PathBuf, coordinates: Coordinates) -> Self {
        Self { kind: PartKind::Library(file), coordinates }
    }

    /// Returns the language level of some sources; `version` is that of the build file.
    pub(super) fn level(level: SourceLevel, sources: Vec<ModuleSources>, version: String) -> Self {
        let coordinates = Coordinates {
            group: String::new(),
            artifact: LEVEL_NAME.to_owned(),
            version: Some(version),
            classifier: None,
        };
        Self { kind: PartKind::Level { level, sources }, coordinates }
    }
}

/// Returns the file of a library.
pub(super) fn file_of(part: Option<&BuildPart>) -> Option<&Path> {
    match &part?.kind {
        PartKind::Library(file) => Some(file),
        PartKind::Plugin | PartKind::Level { .. } => None,
    }
}

impl BuildChange {
    pub(super) fn old_version(&self) -> Option<&str> {
        self.old.as_ref().and_then(|part| part.coordinates.version.as_deref())
    }

    pub(super) fn new_version(&self) -> Option<&str> {
        self.new.as_ref().and_then(|part| part.coordinates.version.as_deref())
    }

    /// Returns the part of bad, or that of good if bad lacks it.
    fn newest_part(&self) -> Option<&BuildPart> {
        self.new.as_ref().or(self.old.as_ref())
    }

    /// Returns the coordinates, with the version of bad if it has the part.
    pub(super) fn coordinates(&self) -> Option<&Coordinates> {
        self.newest_part().map(|part| &part.coordinates)
    }

    pub(super) fn is_library(&self) -> bool {
        self.newest_part().is_some_and(|part| matches!(part.kind, PartKind::Library(_)))
    }

    /// Returns the kind for the report.
    pub(super) fn kind(&self) -> UpgradeKind {
        match self.newest_part().map(|part| &part.kind) {
            Some(PartKind::Plugin) => UpgradeKind::Plugin,
            Some(PartKind::Level { .. }) => UpgradeKind::Java,
            Some(PartKind::Library(_)) | None => UpgradeKind::Library,
        }
    }

    /// Returns the sources whose language level changes.
    pub(super) fn level_sources(&self) -> &[ModuleSources] {
        match self.newest_part().map(|part| &part.kind) {
            Some(PartKind::Level { sources, .. }) => sources,
            _ => &[],
        }
    }

    /// Returns true if this is a change of the same part, at least of all its sources.
    pub(super) fn covers(&self, other: &Self) -> bool {
        let sources = self.level_sources();
        self.has_same_name(other) && other.level_sources().iter().all(|one| sources.contains(one))
    }

    /// Returns true if this is a change of the same part, or of some of its sources.
    pub(super) fn overlaps(&self, other: &Self) -> bool {
        let sources = other.level_sources();
        let is_level = !sources.is_empty();
        let has_same_sources =
            self.level_sources().iter().any(|module_sources| sources.contains(module_sources));
        self.has_same_name(other) && (!is_level || has_same_sources)
    }

    fn has_same_name(&self, other: &Self) -> bool {
        let classifier = |change: &Self| change.coordinates()?.classifier.clone();
        self.name == other.name && classifier(self) == classifier(other)
    }

    /// Describes the change as in `g:a 1.0 → 2.0`.
    pub(super) fn describe(&self) -> String {
        let Self { name, .. } = self;
        match (self.old_version(), self.new_version()) {
            (Some(old), Some(new)) => format!("{name} {old} → {new}"),
            (None, Some(new)) => format!("{name} {new} (added)"),
            (Some(old), None) => format!("{name} {old} (removed)"),
            (None, None) => name.clone(),
        }
    }
}

/// Returns the parts that differ between two builds: libraries in the order of their names, then plugins and language
/// levels.
pub(super) fn changes_between(
    old: &BuildParts,
    new: &BuildParts,
    repositories: &LocalRepositories,
) -> Vec<BuildChange> {
    let libraries = changed_libraries(&old.libraries, &new.libraries, repositories);
    libraries.into_iter().chain(changed_plugins(old, new)).chain(changed_levels(old, new)).collect()
}

/// Returns the plugins that both builds have in different versions.
fn changed_plugins(old: &BuildParts, new: &BuildParts) -> Vec<BuildChange> {
    let plugin = |name: &str, version: &String| {
        let (group, artifact) = name.split_once(':')?;
        let (group, artifact) = (group.to_owned(), artifact.to_owned());
        let version = Some(version.clone());
        Some(BuildPart::plugin(Coordinates { group, artifact, version, classifier: None }))
    };
    let change = |(name, old): (&String, &String)| {
        let new = new.plugins.get(name).filter(|new| *new != old)?;
        Some(BuildChange {
            name: name.clone(),
            old: Some(plugin(name, old)?),
            new: Some(plugin(name, new)?),
        })
    };
    old.plugins.iter().filter_map(change).collect()
}

/// Returns the changed language levels. Sources with the same levels before and after are one part.
fn changed_levels(old: &BuildParts, new: &BuildParts) -> Vec<BuildChange> {
    let mut sources_by_levels: BTreeMap<[SourceLevel; 2], Vec<ModuleSources>> = BTreeMap::new();
    for (module_sources, old_level) in &old.levels {
        if let Some(new_level) = new.levels.get(module_sources).filter(|new| *new != old_level) {
            sources_by_levels
                .entry([*old_level, *new_level])
                .or_default()
                .push(module_sources.clone());
        }
    }
    let change = |(levels, sources): ([SourceLevel; 2], Vec<ModuleSources>)| {
        let [old_text, new_text] = [old, new].map(|parts| parts.declared_version(&sources));
        let is_same = old_text == new_text;
        let text = |level: SourceLevel, text: String| {
            if is_same && level.is_release { format!("{text} (--release)") } else { text }
        };
        let part = |level, version| BuildPart::level(level, sources.clone(), text(level, version));
        BuildChange {
            name: LEVEL_NAME.to_owned(),
            old: Some(part(levels[0], old_text)),
            new: Some(part(levels[1], new_text)),
        }
    };
    sources_by_levels.into_iter().map(change).collect()
}

/// Returns the libraries that differ between two class paths, in the order of their names.
fn changed_libraries(
    old: &[PathBuf],
    new: &[PathBuf],
    repositories: &LocalRepositories,
) -> Vec<BuildChange> {
    let mut libraries: BTreeMap<(String, Option<String>), [Option<BuildPart>; 2]> = BTreeMap::new();
    for (side, files) in [old, new].into_iter().enumerate() {
        for file in files {
            let library = identify(file, repositories);
            let key = (name_of(&library), library.coordinates.classifier.clone());
            libraries.entry(key).or_default()[side].get_or_insert(library);
        }
    }
    let change = |((name, _), [old, new]): ((String, _), [Option<BuildPart>; 2])| BuildChange {
        name,
        old,
        new,
    };
    let is_changed =
        |change: &BuildChange| file_of(change.old.as_ref()) != file_of(change.new.as_ref());
    libraries.into_iter().map(change).filter(is_changed).collect()
}

/// Returns the library with a file.
pub(super) fn identify(file: &Path, repositories: &LocalRepositories) -> BuildPart {
    let unknown = || Coordinates {
        group: String::new(),
        artifact: file.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        version: None,
        classifier: None,
    };
    let coordinates = repositories.identify(file).unwrap_or_else(unknown);
    BuildPart::library(file.to_owned(), coordinates)
}

fn name_of(library: &BuildPart) -> String {
    let Coordinates { group, artifact, .. } = &library.coordinates;
    if group.is_empty() { artifact.clone() } else { format!("{group}:{artifact}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn jar(artifact: &str, version: &str) -> PathBuf {
        format!("/r/org/x/{artifact}/{version}/{artifact}-{version}.jar").into()
    }

    #[test]
    fn changed_added_and_removed_libraries_are_found() {
        let repositories = LocalRepositories { maven: vec!["/r".into()], gradle: vec![] };
        let old = [jar("a", "1"), jar("b", "1"), jar("c", "1"), "lib/d.jar".into()];
        let new = [jar("a", "2"), jar("b", "1"), jar("e", "3"), "lib/d.jar".into()];
        let changes = changes_between(
            &BuildParts::of_libraries(&old),
            &BuildParts::of_libraries(&new),
            &repositories,
        );
        let texts: Vec<String> = changes.iter().map(BuildChange::describe).collect();
        assert_eq!(texts, ["org.x:a 1 → 2", "org.x:c 1 (removed)", "org.x:e 3 (added)"]);
    }

    #[test]
    fn changed_plugins_and_language_levels_are_found() {
        let level = |version: u32, is_release: bool| SourceLevel { version, is_release };
        let build = |plugin: &str, levels: [SourceLevel; 3]| {
            let module_sources = |module: &str, is_for_tests: bool| ModuleSources {
                module: module.to_owned(),
                is_for_tests,
            };
            let sources =
                [module_sources("a", false), module_sources("a", true), module_sources("b", false)];
            BuildParts {
                plugins: [("g:p".to_owned(), plugin.to_owned())].into(),
                levels: sources.into_iter().zip(levels).collect(),
                ..BuildParts::default()
            }
        };
        let old = build("1", [level(8, true), level(8, true), level(8, false)]);
        let new = build("2", [level(17, true), level(17, true), level(8, true)]);
        let changes = changes_between(&old, &new, &LocalRepositories::default());
        let texts: Vec<String> = changes.iter().map(BuildChange::describe).collect();
        assert_eq!(texts, ["g:p 1 → 2", "Java 8 → 8 (--release)", "Java 8 → 17"]);
        assert_eq!(changes[2].level_sources().len(), 2);
        assert!(!changes[1].covers(&changes[2]));
    }
}
