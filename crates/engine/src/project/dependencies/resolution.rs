//! Dependency resolution: the jars of direct and transitive dependencies.

use super::dependency::Dependency;
use super::local_repositories::LocalArtifact;
use crate::project::maven::pom_model::{PomContext, PomModel};
use std::collections::{BTreeSet, VecDeque};
use std::path::{Path, PathBuf};

/// Result of dependency resolution.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ResolvedLibraries {
    pub(crate) class_path: Vec<PathBuf>,
    pub(crate) missing: Vec<String>,
    pub(crate) notes: Vec<String>,
}

/// Finds the jars of the direct dependencies and of all that they need; of several versions the one
/// nearest to the project is taken, and `managed` has the last word about those that are not direct.
pub(crate) fn resolve(
    context: PomContext<'_>,
    direct: &[Dependency],
    managed: &[Dependency],
) -> ResolvedLibraries {
    let mut search = DependencyResolver {
        context,
        managed,
        resolved: ResolvedLibraries::default(),
        seen: BTreeSet::new(),
    };
    search.run(direct.iter().cloned().collect());
    if let Some(engine) = engine_left_out(&search.seen, &search.resolved) {
        search.run(VecDeque::from([engine]));
    }
    search.resolved
}

/// Build tools bring the engine of `JUnit` 5 along where a project names its API alone.
fn engine_left_out(
    seen: &BTreeSet<(String, Option<String>, bool)>,
    resolved: &ResolvedLibraries,
) -> Option<Dependency> {
    let has = |artifact: &str| {
        let name = format!("org.junit.jupiter:{artifact}");
        seen.iter().any(|(seen, _, _)| *seen == name)
    };
    if !has("junit-jupiter-api") || has("junit-jupiter-engine") {
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
    seen: BTreeSet<(String, Option<String>, bool)>,
}

impl DependencyResolver<'_> {
    fn run(&mut self, mut queue: VecDeque<Dependency>) {
        while let Some(dependency) = queue.pop_front() {
            if self.seen.insert(dependency.key()) {
                queue.extend(self.take(&dependency));
            }
        }
    }

    /// Adds a library's jar, and returns what it needs.
    fn take(&mut self, dependency: &Dependency) -> Vec<Dependency> {
        if let Some(path) = &dependency.system_path {
            self.resolved.class_path.extend(path.is_file().then(|| path.clone()));
            return Vec::new();
        }
        let Some(stored) = self.context.find(&dependency.coordinates) else {
            self.resolved.missing.push(dependency.coordinates.to_string());
            return Vec::new();
        };
        self.note_substitution(dependency, &stored);
        let model = stored.pom.as_deref().and_then(|pom| self.context.model(pom));
        if let Some(moved) = model.as_deref().and_then(PomModel::relocation) {
            return vec![dependency.relocated_to(moved)];
        }
        match stored.jar {
            Some(jar) => self.resolved.class_path.push(jar),
            None if dependency.kind == "pom" => {}
            None => self.resolved.missing.push(dependency.coordinates.to_string()),
        }
        stored.pom.map(|pom| self.needs(dependency, &pom)).unwrap_or_default()
    }

    fn needs(&self, dependency: &Dependency, pom: &Path) -> Vec<Dependency> {
        let needs = self.context.needs(pom);
        let passed = needs.iter().filter(|needed| {
            needed.is_passed_on() && !needed.is_excluded_by(&dependency.exclusions)
        });
        passed
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

    fn note_substitution(&mut self, dependency: &Dependency, stored: &LocalArtifact) {
        if let Some(wanted) = dependency.coordinates.version.as_ref().filter(|_| !stored.is_exact) {
            let name = dependency.name();
            let used = &stored.version;
            self.resolved
                .notes
                .push(format!("{name} {wanted} is not on this machine: {used}, the nearest version here, is used instead"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::maven::pom_model::PomCache;
    use crate::project::{LocalRepositories, MavenSettings};

    /// Puts a library into a repository; `dependencies` is the POM's part of that name.
    fn put(repository: &Path, name: &str, version: &str, dependencies: &str) {
        let folder = repository.join("g").join(name).join(version);
        std::fs::create_dir_all(&folder).unwrap();
        let pom = format!(
            "<project><groupId>g</groupId><artifactId>{name}</artifactId><version>{version}</version>\
             <dependencies>{dependencies}</dependencies></project>"
        );
        std::fs::write(folder.join(format!("{name}-{version}.pom")), pom).unwrap();
        std::fs::write(folder.join(format!("{name}-{version}.jar")), "").unwrap();
    }

    fn needs(name: &str, version: &str, more: &str) -> String {
        format!(
            "<dependency><groupId>g</groupId><artifactId>{name}</artifactId>\
             <version>{version}</version>{more}</dependency>"
        )
    }

    fn resolved(
        repository: &Path,
        direct: &[Dependency],
        managed: &[Dependency],
    ) -> ResolvedLibraries {
        let repositories = LocalRepositories { maven: vec![repository.to_owned()], gradle: vec![] };
        let settings = &MavenSettings::default();
        let memo = &PomCache::default();
        let context = PomContext { repositories: &repositories, settings, jdk: 17, memo };
        resolve(context, direct, managed)
    }

    fn names(resolved: &ResolvedLibraries) -> Vec<String> {
        let name = |path: &PathBuf| path.file_stem().unwrap().to_string_lossy().into_owned();
        resolved.class_path.iter().map(name).collect()
    }

    #[test]
    fn the_version_nearest_to_the_project_wins() {
        let folder = tempfile::tempdir().unwrap();
        put(folder.path(), "a", "1", &needs("b", "1", ""));
        put(folder.path(), "b", "1", &needs("c", "1", ""));
        put(folder.path(), "c", "1", "");
        put(folder.path(), "c", "2", "");
        let direct = [Dependency::new("g", "a", Some("1")), Dependency::new("g", "c", Some("2"))];
        assert_eq!(names(&resolved(folder.path(), &direct, &[])), ["a-1", "c-2", "b-1"]);
    }

    #[test]
    fn excluded_optional_and_test_dependencies_are_not_passed_on() {
        let folder = tempfile::tempdir().unwrap();
        let exclusion = "<exclusions><exclusion><groupId>g</groupId><artifactId>d</artifactId>\
            </exclusion></exclusions>";
        let of_a = [
            needs("b", "1", exclusion),
            needs("x", "1", "<optional>true</optional>"),
            needs("y", "1", "<scope>test</scope>"),
        ];
        put(folder.path(), "a", "1", &of_a.concat());
        put(folder.path(), "b", "1", &needs("d", "1", ""));
        let found = resolved(folder.path(), &[Dependency::new("g", "a", Some("1"))], &[]);
        assert_eq!((names(&found), found.missing.len()), (vec!["a-1".into(), "b-1".into()], 0));
    }

    #[test]
    fn management_rules_what_is_not_direct() {
        let folder = tempfile::tempdir().unwrap();
        put(folder.path(), "a", "1", &needs("b", "1", ""));
        put(folder.path(), "b", "1", "");
        put(folder.path(), "b", "2", "");
        let managed = [Dependency::new("g", "b", Some("2"))];
        let found = resolved(folder.path(), &[Dependency::new("g", "a", Some("1"))], &managed);
        assert_eq!(names(&found), ["a-1", "b-2"]);
    }

    #[test]
    fn what_is_absent_is_missing_and_what_is_near_is_noted() {
        let folder = tempfile::tempdir().unwrap();
        put(folder.path(), "a", "1.2", "");
        let direct = [Dependency::new("g", "a", Some("1.1")), Dependency::new("g", "z", Some("3"))];
        let found = resolved(folder.path(), &direct, &[]);
        assert_eq!(found.missing, ["g:z:3"]);
        assert_eq!(
            found.notes,
            ["g:a 1.1 is not on this machine: 1.2, the nearest version here, is used instead"]
        );
    }
}
