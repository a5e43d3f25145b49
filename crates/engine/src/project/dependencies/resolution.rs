//! Dependency resolution: the jars of direct and transitive dependencies.

use super::dependency::Dependency;
use super::local_repositories::LocalArtifact;
use crate::project::maven::pom_model::{PomContext, PomModel};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, VecDeque};
use std::path::{Path, PathBuf};

/// Maximum number of notes on single libraries.
const MAX_SUBSTITUTION_NOTES: usize = 3;

/// Result of dependency resolution.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ResolvedLibraries {
    pub(crate) class_path: Vec<PathBuf>,
    pub(crate) missing: Vec<String>,
    pub(crate) substituted: Vec<Substitution>,
}

/// A library that another version replaces, because the requested one is not on this machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Substitution {
    /// `group:artifact`.
    pub(crate) library: String,
    pub(crate) requested: String,
    pub(crate) used: String,
}

impl Substitution {
    /// Returns the notes for the user: one for each library, or one for many of them.
    pub(crate) fn notes(all: &[Self]) -> Vec<String> {
        let single = |Self { library, requested, used }: &Self| {
            format!(
                "{library} {requested} is not on this machine: {used}, the nearest version here, is used instead"
            )
        };
        if all.len() <= MAX_SUBSTITUTION_NOTES {
            return all.iter().map(single).collect();
        }
        let change =
            |Self { library, requested, used }: &Self| format!("{library} {requested} ({used})");
        let changes: Vec<String> = all.iter().map(change).collect();
        vec![format!(
            "{} libraries are not on this machine, and the nearest versions here are used instead: {}",
            all.len(),
            changes.join(", ")
        )]
    }
}

/// Finds the jars of the direct and transitive dependencies. Of several versions, the one nearest to the project is
/// used; `managed` overrides the versions of transitive ones.
pub(crate) fn resolve(
    context: PomContext<'_>,
    direct: &[Dependency],
    managed: &[Dependency],
) -> ResolvedLibraries {
    let mut resolver = DependencyResolver {
        context,
        managed,
        resolved: ResolvedLibraries::default(),
        visited: BTreeSet::new(),
    };
    resolver.resolve_all(direct.iter().cloned().collect());
    if let Some(engine) = missing_jupiter_engine(&resolver.visited, &resolver.resolved) {
        resolver.resolve_all(VecDeque::from([engine]));
    }
    resolver.resolved
}

/// Returns the dependency on the engine of `JUnit` 5 if the project declares only its API: build tools add it.
fn missing_jupiter_engine(
    visited: &BTreeSet<(String, Option<String>, bool)>,
    resolved: &ResolvedLibraries,
) -> Option<Dependency> {
    let has_artifact = |artifact: &str| {
        let name = format!("org.junit.jupiter:{artifact}");
        visited.iter().any(|(visited_name, _, _)| *visited_name == name)
    };
    if !has_artifact("junit-jupiter-api") || has_artifact("junit-jupiter-engine") {
        return None;
    }
    let version = resolved.class_path.iter().find_map(|jar| {
        jar.file_stem()?.to_str()?.strip_prefix("junit-jupiter-api-").map(str::to_owned)
    });
    Some(Dependency::new("org.junit.jupiter", "junit-jupiter-engine", version.as_deref()))
}

struct DependencyResolver<'a> {
    context: PomContext<'a>,
    managed: &'a [Dependency],
    resolved: ResolvedLibraries,
    visited: BTreeSet<(String, Option<String>, bool)>,
}

impl DependencyResolver<'_> {
    fn resolve_all(&mut self, mut queue: VecDeque<Dependency>) {
        while let Some(dependency) = queue.pop_front() {
            if self.visited.insert(dependency.key()) {
                queue.extend(self.add_library(&dependency));
            }
        }
    }

    /// Adds a library's jar, and returns its dependencies.
    fn add_library(&mut self, dependency: &Dependency) -> Vec<Dependency> {
        if let Some(path) = &dependency.system_path {
            self.resolved.class_path.extend(path.is_file().then(|| path.clone()));
            return Vec::new();
        }
        let Some(artifact) = self.context.find(&dependency.coordinates) else {
            self.resolved.missing.push(dependency.coordinates.to_string());
            return Vec::new();
        };
        self.note_substitution(dependency, &artifact);
        let model = artifact.pom.as_deref().and_then(|pom| self.context.load_model(pom));
        if let Some(relocation) = model.as_deref().and_then(PomModel::relocation) {
            return vec![dependency.relocated_to(relocation)];
        }
        match artifact.jar {
            Some(jar) => self.resolved.class_path.push(jar),
            None if dependency.kind == "pom" => {}
            None => self.resolved.missing.push(dependency.coordinates.to_string()),
        }
        artifact.pom.map(|pom| self.transitive_dependencies(dependency, &pom)).unwrap_or_default()
    }

    fn transitive_dependencies(&self, dependency: &Dependency, pom: &Path) -> Vec<Dependency> {
        let dependencies = self.context.dependencies_of(pom);
        let transitive = dependencies.iter().filter(|needed| {
            needed.is_transitive() && !needed.is_excluded_by(&dependency.exclusions)
        });
        transitive
            .cloned()
            .map(|mut needed| {
                if let Some(ruled) = self.managed.iter().find(|ruled| ruled.key() == needed.key())
                    && ruled.coordinates.version.is_some()
                {
                    needed.coordinates.version.clone_from(&ruled.coordinates.version);
                }
                needed.exclusions.extend(dependency.exclusions.iter().cloned());
                needed
            })
            .collect()
    }

    fn note_substitution(&mut self, dependency: &Dependency, artifact: &LocalArtifact) {
        if let Some(requested) =
            dependency.coordinates.version.as_ref().filter(|_| !artifact.is_exact)
        {
            self.resolved.substituted.push(Substitution {
                library: dependency.name(),
                requested: requested.clone(),
                used: artifact.version.clone(),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::maven::pom_model::PomCache;
    use crate::project::{LocalRepositories, MavenSettings};

    /// Adds a library to a repository; `dependencies` is that element of its POM.
    fn write_library(repository: &Path, name: &str, version: &str, dependencies: &str) {
        let folder = repository.join("g").join(name).join(version);
        std::fs::create_dir_all(&folder).unwrap();
        let pom = format!(
            "<project><groupId>g</groupId><artifactId>{name}</artifactId><version>{version}</version>\
             <dependencies>{dependencies}</dependencies></project>"
        );
        std::fs::write(folder.join(format!("{name}-{version}.pom")), pom).unwrap();
        std::fs::write(folder.join(format!("{name}-{version}.jar")), "").unwrap();
    }

    fn dependency_xml(name: &str, version: &str, extra_xml: &str) -> String {
        format!(
            "<dependency><groupId>g</groupId><artifactId>{name}</artifactId>\
             <version>{version}</version>{extra_xml}</dependency>"
        )
    }

    fn resolve_in(
        repository: &Path,
        direct: &[Dependency],
        managed: &[Dependency],
    ) -> ResolvedLibraries {
        let repositories = LocalRepositories { maven: vec![repository.to_owned()], gradle: vec![] };
        let settings = &MavenSettings::default();
        let cache = &PomCache::default();
        let context = PomContext { repositories: &repositories, settings, jdk: 17, cache };
        resolve(context, direct, managed)
    }

    fn jar_names(resolved: &ResolvedLibraries) -> Vec<String> {
        let name = |path: &PathBuf| path.file_stem().unwrap().to_string_lossy().into_owned();
        resolved.class_path.iter().map(name).collect()
    }

    #[test]
    fn nearest_declared_version_wins() {
        let folder = tempfile::tempdir().unwrap();
        write_library(folder.path(), "a", "1", &dependency_xml("b", "1", ""));
        write_library(folder.path(), "b", "1", &dependency_xml("c", "1", ""));
        write_library(folder.path(), "c", "1", "");
        write_library(folder.path(), "c", "2", "");
        let direct = [Dependency::new("g", "a", Some("1")), Dependency::new("g", "c", Some("2"))];
        assert_eq!(jar_names(&resolve_in(folder.path(), &direct, &[])), ["a-1", "c-2", "b-1"]);
    }

    #[test]
    fn excluded_optional_and_test_dependencies_are_not_transitive() {
        let folder = tempfile::tempdir().unwrap();
        let exclusion = "<exclusions><exclusion><groupId>g</groupId><artifactId>d</artifactId>\
            </exclusion></exclusions>";
        let dependencies = [
            dependency_xml("b", "1", exclusion),
            dependency_xml("x", "1", "<optional>true</optional>"),
            dependency_xml("y", "1", "<scope>test</scope>"),
        ];
        write_library(folder.path(), "a", "1", &dependencies.concat());
        write_library(folder.path(), "b", "1", &dependency_xml("d", "1", ""));
        let libraries = resolve_in(folder.path(), &[Dependency::new("g", "a", Some("1"))], &[]);
        assert_eq!(
            (jar_names(&libraries), libraries.missing.len()),
            (vec!["a-1".into(), "b-1".into()], 0)
        );
    }

    #[test]
    fn managed_version_applies_to_transitive_dependencies() {
        let folder = tempfile::tempdir().unwrap();
        write_library(folder.path(), "a", "1", &dependency_xml("b", "1", ""));
        write_library(folder.path(), "b", "1", "");
        write_library(folder.path(), "b", "2", "");
        let managed = [Dependency::new("g", "b", Some("2"))];
        let libraries =
            resolve_in(folder.path(), &[Dependency::new("g", "a", Some("1"))], &managed);
        assert_eq!(jar_names(&libraries), ["a-1", "b-2"]);
    }

    #[test]
    fn missing_library_is_reported_and_substitution_is_noted() {
        let folder = tempfile::tempdir().unwrap();
        write_library(folder.path(), "a", "1.2", "");
        let direct = [Dependency::new("g", "a", Some("1.1")), Dependency::new("g", "z", Some("3"))];
        let libraries = resolve_in(folder.path(), &direct, &[]);
        assert_eq!(libraries.missing, ["g:z:3"]);
        assert_eq!(
            Substitution::notes(&libraries.substituted),
            ["g:a 1.1 is not on this machine: 1.2, the nearest version here, is used instead"]
        );
        let many = vec![libraries.substituted[0].clone(); 4];
        let notes = Substitution::notes(&many);
        assert!(notes[0].starts_with("4 libraries are not on this machine"), "{notes:?}");
        assert!(
            notes[0]
                .ends_with("instead: g:a 1.1 (1.2), g:a 1.1 (1.2), g:a 1.1 (1.2), g:a 1.1 (1.2)")
        );
        assert_eq!(notes.len(), 1);
    }
}
