//! Libraries that depend on a library, by their POMs.

use super::build_change::{BuildChange, file_of, identify};
use mend_engine::{Coordinates, LocalRepositories};
use std::path::{Path, PathBuf};

impl BuildChange {
    /// Returns the names of those libraries whose POM depends on the library.
    pub(super) fn users_among(&self, libraries: &[PathBuf]) -> Vec<String> {
        let Some(coordinates) = self.coordinates().filter(|_| self.is_library()) else {
            return Vec::new();
        };
        let uses = |library: &&PathBuf| {
            let is_itself = file_of(self.new.as_ref()) == Some(library.as_path());
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
        let Some(file) = file_of(self.new.as_ref()) else { return Vec::new() };
        let mut found = vec![(file.to_owned(), identify(file, repositories).coordinates)];
        let mut at = 0;
        while let Some(used) = found.get(at).map(|(_, coordinates)| coordinates.clone()) {
            let uses = |file: &&PathBuf| read_pom(file).is_some_and(|pom| depends_on(&pom, &used));
            for file in libraries.iter().filter(uses) {
                if found.iter().all(|(known, _)| known != file) {
                    found.push((file.clone(), identify(file, repositories).coordinates));
                }
            }
            at += 1;
        }
        found.into_iter().skip(1).map(|(file, _)| file).collect()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::upgrade::build_change::changes_between;
    use crate::run::upgrade::build_reader::BuildParts;

    fn jar(artifact: &str, version: &str) -> PathBuf {
        format!("/r/org/x/{artifact}/{version}/{artifact}-{version}.jar").into()
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
        let changes = changes_between(
            &BuildParts::default(),
            &BuildParts::of_libraries(&libraries[..1]),
            &repositories,
        );
        assert_eq!(changes[0].users_among(&libraries), ["b-1"]);
        assert_eq!(changes[0].all_users_among(&libraries, &repositories), libraries[1..]);
    }
}
