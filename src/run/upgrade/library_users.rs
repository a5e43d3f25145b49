//! Libraries that depend on a library, by their POMs.

use super::build_change::{BuildChange, file_of, identify};
use super::declarations::{child_text, local_name};
use mend_engine::{Coordinates, LocalRepositories};
use roxmltree::{Document, Node};
use std::path::{Path, PathBuf};

impl BuildChange {
    /// Returns the names of those libraries whose POM depends on the library.
    pub(super) fn users_among(&self, libraries: &[PathBuf]) -> Vec<String> {
        let Some(coordinates) = self.coordinates() else { return Vec::new() };
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
        let mut found = vec![(file.to_owned(), identify(file, repositories))];
        let mut at = 0;
        while let Some(used) = found.get(at).map(|(_, coordinates)| coordinates.clone()) {
            let uses = |file: &&PathBuf| read_pom(file).is_some_and(|pom| depends_on(&pom, &used));
            for file in libraries.iter().filter(uses) {
                if found.iter().all(|(known, _)| known != file) {
                    found.push((file.clone(), identify(file, repositories)));
                }
            }
            at += 1;
        }
        found.into_iter().skip(1).map(|(file, _)| file).collect()
    }
}

/// Returns true if a POM has a dependency on a library at run time.
fn depends_on(pom: &str, library: &Coordinates) -> bool {
    let Ok(document) = Document::parse(pom) else { return false };
    let is_of_project = |node: &Node<'_, '_>| {
        let names = node.ancestors().skip(1).map(local_name).take(2);
        names.eq(["dependencies", "project"])
    };
    let is_wanted = |node: &Node<'_, '_>| {
        let group = child_text(*node, "groupId").unwrap_or_default();
        local_name(*node) == "dependency"
            && is_of_project(node)
            && child_text(*node, "artifactId") == Some(&library.artifact)
            && (group == library.group || group.contains("${"))
            && child_text(*node, "scope") != Some("test")
    };
    document.descendants().any(|node| is_wanted(&node))
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

    #[test]
    fn only_dependencies_at_run_time_make_a_user() {
        let entry = |more: &str| {
            format!("<dependency><groupId>g</groupId><artifactId>a</artifactId>{more}</dependency>")
        };
        let library = Coordinates {
            group: "g".into(),
            artifact: "a".into(),
            version: None,
            classifier: None,
        };
        let is_user = |content: &str| {
            let head =
                "<?xml version=\"1.0\"?><project xmlns=\"http://maven.apache.org/POM/4.0.0\">";
            depends_on(&format!("{head}{content}</project>"), &library)
        };
        let list = |entry: &str| format!("<dependencies>{entry}</dependencies>");
        assert!(is_user(&list(&entry(""))));
        assert!(is_user(&list(&entry("<scope> runtime </scope>"))));
        let own = list(&entry("").replace("<groupId>g", "<groupId>${project.groupId}"));
        assert!(is_user(&own));
        assert!(!is_user(&list(&entry("<scope> test </scope>"))));
        assert!(!is_user(&format!("<!-- {} -->", list(&entry("")))));
        let managed = format!("<dependencyManagement>{}</dependencyManagement>", list(&entry("")));
        assert!(!is_user(&managed));
        assert!(!is_user(&format!("<build><plugin>{}</plugin></build>", list(&entry("")))));
    }
}
