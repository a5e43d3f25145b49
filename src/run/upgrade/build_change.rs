//! Part of a build that differs between good and bad: a library, an annotation processor, a plugin or the language
//! level.

use super::build_reader::BuildParts;
use mend_engine::{Coordinates, LocalRepositories, ModuleSources, SourceLevel};
use mend_report::UpgradeKind;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// End of the names of artifacts that Gradle looks for by the id of a plugin.
const GRADLE_PLUGIN_SUFFIX: &str = ".gradle.plugin";

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
    /// Library on the path of annotation processors, by its absolute file.
    Processor(PathBuf),
    /// Plugin of Maven that generates sources or resources, or of Gradle.
    Plugin,
    /// Language level of some sources.
    Level { level: SourceLevel, sources: Vec<ModuleSources> },
}

/// Part of a build whose version differs between good and bad, or that only one of them has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BuildChange {
    /// `group:artifact`, the id of a Gradle plugin, the name of a file that is in no repository, or `Java`.
    pub(super) name: String,
    pub(super) old: Option<BuildPart>,
    pub(super) new: Option<BuildPart>,
}

impl BuildPart {
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

/// Returns the file of a library or of an annotation processor.
pub(super) fn file_of(part: Option<&BuildPart>) -> Option<&Path> {
    match &part?.kind {
        PartKind::Library(file) | PartKind::Processor(file) => Some(file),
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

    /// Returns the path of a build that the library or annotation processor is on.
    pub(super) fn path_in<'a>(&self, build: &'a BuildParts) -> &'a [PathBuf] {
        match self.kind() {
            UpgradeKind::Library => &build.libraries,
            UpgradeKind::Processor => &build.processors,
            UpgradeKind::Plugin | UpgradeKind::Java => &[],
        }
    }

    /// Returns the kind for the report.
    pub(super) fn kind(&self) -> UpgradeKind {
        match self.newest_part().map(|part| &part.kind) {
            Some(PartKind::Processor(_)) => UpgradeKind::Processor,
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
        let has_same_kind = self.kind() == other.kind();
        has_same_kind && self.name == other.name && classifier(self) == classifier(other)
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

/// Returns the parts that differ between two builds: libraries in the order of their names, then annotation processors,
/// plugins and language levels.
pub(super) fn changes_between(
    old: &BuildParts,
    new: &BuildParts,
    repositories: &LocalRepositories,
) -> Vec<BuildChange> {
    let paths = [&old.libraries[..], &new.libraries];
    let mut changes = changed_files(paths, PartKind::Library, repositories);
    let processors = changed_processors(&changes, old, new, repositories);
    changes.extend(processors);
    changes.extend(changed_plugins(old, new));
    changes.extend(changed_levels(old, new));
    changes
}

/// Returns the annotation processors that change other than on the class path. Without a path of processors on both
/// sides, there are none.
fn changed_processors(
    libraries: &[BuildChange],
    old: &BuildParts,
    new: &BuildParts,
    repositories: &LocalRepositories,
) -> Vec<BuildChange> {
    let paths = [&old.processors[..], &new.processors];
    if paths.iter().any(|path| path.is_empty()) {
        return Vec::new();
    }
    let has_same_files = |one: &BuildChange, other: &BuildChange| {
        let is_same = |[one, other]: [&Option<BuildPart>; 2]| {
            file_of(one.as_ref()) == file_of(other.as_ref())
        };
        is_same([&one.old, &other.old]) && is_same([&one.new, &other.new])
    };
    let is_of_class_path =
        |change: &BuildChange| libraries.iter().any(|library| has_same_files(library, change));
    let mut changes = changed_files(paths, PartKind::Processor, repositories);
    changes.retain(|change| !is_of_class_path(change));
    changes
}

/// Returns the plugins that both builds have in different versions.
fn changed_plugins(old: &BuildParts, new: &BuildParts) -> Vec<BuildChange> {
    let plugin = |name: &str, version: &String| {
        let (group, artifact) = name.split_once(':')?;
        let (group, artifact) = (group.to_owned(), artifact.to_owned());
        let version = Some(version.clone());
        let coordinates = Coordinates { group, artifact, version, classifier: None };
        Some(BuildPart { kind: PartKind::Plugin, coordinates })
    };
    let change = |(name, old): (&String, &String)| {
        let new = new.plugins.get(name).filter(|new| *new != old)?;
        let (old, new) = (plugin(name, old)?, plugin(name, new)?);
        let name = plugin_id(&new.coordinates).map_or_else(|| name.clone(), str::to_owned);
        Some(BuildChange { name, old: Some(old), new: Some(new) })
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

/// Returns the libraries that differ between two paths, in the order of their names.
fn changed_files(
    paths: [&[PathBuf]; 2],
    kind: fn(PathBuf) -> PartKind,
    repositories: &LocalRepositories,
) -> Vec<BuildChange> {
    let mut libraries: BTreeMap<(String, Option<String>), [Option<BuildPart>; 2]> = BTreeMap::new();
    for (side, files) in paths.into_iter().enumerate() {
        for file in files {
            let coordinates = identify(file, repositories);
            let key = (name_of(&coordinates), coordinates.classifier.clone());
            let library = BuildPart { kind: kind(file.clone()), coordinates };
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

/// Returns the coordinates of a file.
pub(super) fn identify(file: &Path, repositories: &LocalRepositories) -> Coordinates {
    let unknown = || Coordinates {
        group: String::new(),
        artifact: file.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        version: None,
        classifier: None,
    };
    repositories.identify(file).unwrap_or_else(unknown)
}

fn name_of(coordinates: &Coordinates) -> String {
    let Coordinates { group, artifact, .. } = coordinates;
    if group.is_empty() { artifact.clone() } else { format!("{group}:{artifact}") }
}

/// Returns the id of a plugin of Gradle, by which scripts name it. Its artifact refers to the plugin's library.
pub(super) fn plugin_id(plugin: &Coordinates) -> Option<&str> {
    let id = plugin.artifact.strip_suffix(GRADLE_PLUGIN_SUFFIX)?;
    (id == plugin.group).then_some(id)
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
    fn processors_that_change_alone_are_parts_of_their_own() {
        let repositories = LocalRepositories { maven: vec!["/r".into()], gradle: vec![] };
        let build = |library: &str, processors: &[PathBuf]| BuildParts {
            processors: processors.to_owned(),
            ..BuildParts::of_libraries(&[jar("shared", library), jar("fixed", "1")])
        };
        let old = build("1", &[jar("shared", "1"), jar("fixed", "1"), jar("p", "1")]);
        let new = build("2", &[jar("shared", "2"), jar("fixed", "2"), jar("p", "2")]);
        let changes = changes_between(&old, &new, &repositories);
        let texts: Vec<_> = changes.iter().map(|one| (one.kind(), one.describe())).collect();
        let expected = [
            (UpgradeKind::Library, "org.x:shared 1 → 2"),
            (UpgradeKind::Processor, "org.x:fixed 1 → 2"),
            (UpgradeKind::Processor, "org.x:p 1 → 2"),
        ];
        assert_eq!(texts, expected.map(|(kind, text)| (kind, text.to_owned())));
        assert_eq!(changes_between(&build("1", &[]), &new, &repositories).len(), 1);
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
                plugins: ["g:p", "g.q:g.q.gradle.plugin"]
                    .map(|name| (name.to_owned(), plugin.to_owned()))
                    .into(),
                levels: sources.into_iter().zip(levels).collect(),
                ..BuildParts::default()
            }
        };
        let old = build("1", [level(8, true), level(8, true), level(8, false)]);
        let new = build("2", [level(17, true), level(17, true), level(8, true)]);
        let changes = changes_between(&old, &new, &LocalRepositories::default());
        let texts: Vec<String> = changes.iter().map(BuildChange::describe).collect();
        assert_eq!(texts, ["g.q 1 → 2", "g:p 1 → 2", "Java 8 → 8 (--release)", "Java 8 → 17"]);
        assert_eq!(changes[3].level_sources().len(), 2);
        assert!(!changes[2].covers(&changes[3]));
    }
}
