//! Library that differs between two class paths.

use mend_engine::{Coordinates, LocalRepositories};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A library of a class path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Library {
    /// Absolute, or relative to the root of the project.
    pub(super) file: PathBuf,
    pub(super) coordinates: Coordinates,
}

/// Library whose version differs between two class paths, or that only one of them has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LibraryChange {
    /// `group:artifact`, or the name of a file that is in no repository.
    pub(super) name: String,
    pub(super) old: Option<Library>,
    pub(super) new: Option<Library>,
}

impl LibraryChange {
    pub(super) fn old_version(&self) -> Option<&str> {
        self.old.as_ref().and_then(|library| library.coordinates.version.as_deref())
    }

    pub(super) fn new_version(&self) -> Option<&str> {
        self.new.as_ref().and_then(|library| library.coordinates.version.as_deref())
    }

    /// Returns the coordinates without a version.
    pub(super) fn coordinates(&self) -> Option<&Coordinates> {
        self.new.as_ref().or(self.old.as_ref()).map(|library| &library.coordinates)
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

    /// Returns the names of those libraries whose POM depends on the library.
    pub(super) fn users_among(&self, libraries: &[PathBuf]) -> Vec<String> {
        let Some(coordinates) = self.coordinates() else { return Vec::new() };
        let uses = |library: &&PathBuf| {
            let is_itself = self.new.as_ref().is_some_and(|new| new.file == **library);
            !is_itself && read_pom(library).is_some_and(|pom| depends_on(&pom, coordinates))
        };
        let name = |library: &PathBuf| Some(library.file_stem()?.to_string_lossy().into_owned());
        libraries.iter().filter(uses).filter_map(name).collect()
    }

    /// Returns the files of the libraries that depend on the library, directly or through others.
    pub(super) fn all_users_among(
        &self,
        libraries: &[PathBuf],
        repositories: &LocalRepositories,
    ) -> Vec<PathBuf> {
        let Some(own) = &self.new else { return Vec::new() };
        let mut found = vec![own.clone()];
        let mut at = 0;
        while let Some(used) = found.get(at).map(|library| library.coordinates.clone()) {
            let uses = |file: &&PathBuf| read_pom(file).is_some_and(|pom| depends_on(&pom, &used));
            for file in libraries.iter().filter(uses) {
                if found.iter().all(|known| known.file != *file) {
                    found.push(identify(file, repositories));
                }
            }
            at += 1;
        }
        found.into_iter().skip(1).map(|library| library.file).collect()
    }
}

/// Returns true if a POM has a dependency on a library at run time.
fn depends_on(pom: &str, library: &Coordinates) -> bool {
    let (before, after) = pom.split_once("<dependencyManagement>").unwrap_or((pom, ""));
    let after = after.split_once("</dependencyManagement>").map_or("", |(_, after)| after);
    let declarations =
        [before, after].into_iter().flat_map(|text| text.split("<dependency>").skip(1));
    let artifact = format!("<artifactId>{}</artifactId>", library.artifact);
    let group = format!("<groupId>{}</groupId>", library.group);
    declarations.into_iter().any(|text| {
        let text = text.split("</dependency>").next().unwrap_or(text);
        let text = text.split("<exclusions>").next().unwrap_or(text);
        let has_group = text.contains(&group) || text.contains("<groupId>${");
        text.contains(&artifact) && has_group && !text.contains("<scope>test</scope>")
    })
}

fn read_pom(jar: &Path) -> Option<String> {
    let beside = jar.with_extension("pom");
    let name = beside.file_name()?;
    // In Gradle's cache, each file of a version has a folder of its own.
    let folders = std::fs::read_dir(jar.parent()?.parent()?).into_iter().flatten().flatten();
    let mut files = std::iter::once(beside.clone()).chain(folders.map(|one| one.path().join(name)));
    files.find_map(|file| std::fs::read_to_string(file).ok())
}

/// Returns the libraries that differ between two class paths, in the order of their names.
pub(super) fn changes_between(
    old: &[PathBuf],
    new: &[PathBuf],
    repositories: &LocalRepositories,
) -> Vec<LibraryChange> {
    let mut libraries: BTreeMap<(String, Option<String>), [Option<Library>; 2]> = BTreeMap::new();
    for (side, files) in [old, new].into_iter().enumerate() {
        for file in files {
            let library = identify(file, repositories);
            let key = (name_of(&library), library.coordinates.classifier.clone());
            libraries.entry(key).or_default()[side].get_or_insert(library);
        }
    }
    let change = |((name, _), [old, new]): ((String, _), [Option<Library>; 2])| LibraryChange {
        name,
        old,
        new,
    };
    let is_changed = |change: &LibraryChange| {
        let file = |library: &Option<Library>| library.as_ref().map(|one| one.file.clone());
        file(&change.old) != file(&change.new)
    };
    libraries.into_iter().map(change).filter(is_changed).collect()
}

fn identify(file: &Path, repositories: &LocalRepositories) -> Library {
    let unknown = || Coordinates {
        group: String::new(),
        artifact: file.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        version: None,
        classifier: None,
    };
    let coordinates = repositories.identify(file).unwrap_or_else(unknown);
    Library { file: file.to_owned(), coordinates }
}

fn name_of(library: &Library) -> String {
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
        let changes = changes_between(&old, &new, &repositories);
        let texts: Vec<String> = changes.iter().map(LibraryChange::describe).collect();
        assert_eq!(texts, ["org.x:a 1 → 2", "org.x:c 1 (removed)", "org.x:e 3 (added)"]);
    }

    #[test]
    fn users_of_a_library_are_those_whose_pom_depends_on_it() {
        let folder = tempfile::tempdir().unwrap();
        let library = |artifact: &str, dependency: &str| {
            let file = folder.path().join(jar(artifact, "1").strip_prefix("/").unwrap());
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            let pom = format!(
                "<project><artifactId>{artifact}</artifactId><dependencies><dependency><groupId>org.x</groupId>\
                 <artifactId>{dependency}</artifactId></dependency></dependencies></project>"
            );
            std::fs::write(file.with_extension("pom"), pom).unwrap();
            file
        };
        let libraries = [library("a", "none"), library("b", "a"), library("c", "b")];
        let repositories =
            LocalRepositories { maven: vec![folder.path().join("r")], gradle: vec![] };
        let changes = changes_between(&[], &libraries[..1], &repositories);
        assert_eq!(changes[0].users_among(&libraries), ["b-1"]);
        assert_eq!(changes[0].all_users_among(&libraries, &repositories), libraries[1..]);
    }
}
