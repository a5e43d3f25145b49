//! Checks that libraries replaced by another version cannot change a comparison of two versions.

use super::{Project, Substitution};
use mend_model::{Problem, Result};
use std::path::Path;

/// Checks two projects whose tests are compared: where one uses another version of a library than it asks for, the
/// other must ask for the same version, so that both use the same one.
///
/// # Errors
/// [`Problem::LibraryReplaced`] with the library.
pub(crate) fn check_substitutions(first: &Project, second: &Project) -> Result<()> {
    for (one, other) in [(first, second), (second, first)] {
        for substitution in &one.substituted {
            if requests_other_version(other, substitution) {
                let Substitution { library, requested, used } = substitution.clone();
                let library = format!("{library}:{requested}");
                return Err(Problem::LibraryReplaced { library, used });
            }
        }
    }
    Ok(())
}

/// Returns true if a project asks for the library of a substitution in another version.
fn requests_other_version(project: &Project, substitution: &Substitution) -> bool {
    let same_library = |other: &&Substitution| other.library == substitution.library;
    match project.substituted.iter().find(same_library) {
        Some(other) => other.requested != substitution.requested,
        None => project.class_path.iter().any(|jar| is_version_of(jar, &substitution.library)),
    }
}

/// Returns true if a jar is named `artifact-version`.
fn is_version_of(jar: &Path, library: &str) -> bool {
    let artifact = library.rsplit(':').next().unwrap_or(library);
    let name = jar.file_stem().unwrap_or_default().to_string_lossy();
    let version = name.strip_prefix(artifact).and_then(|rest| rest.strip_prefix('-'));
    version.is_some_and(|version| version.starts_with(|first: char| first.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BuildKind;
    use crate::project::ProjectModelFile;
    use crate::{Jdk, Module, ProjectOptions};
    use std::sync::Arc;

    fn project(requested: Option<&str>, jar: &str) -> Project {
        let tree = tempfile::tempdir().unwrap();
        std::fs::create_dir(tree.path().join("src")).unwrap();
        let substituted = requested.map(|requested| Substitution {
            library: "g:lib".to_owned(),
            requested: requested.to_owned(),
            used: "2".to_owned(),
        });
        let module = Module {
            main_roots: vec!["src".into()],
            class_path: vec![jar.into()],
            substituted: substituted.into_iter().collect(),
            ..Module::default()
        };
        let model = ProjectModelFile::new(BuildKind::Maven, vec![module]);
        let options =
            ProjectOptions { model_file: Some(Arc::new(model)), ..ProjectOptions::default() };
        let jdk = Jdk { home: "/".into(), version: 17, full_version: "17".into() };
        Project::read_files(tree.path(), &options, &jdk).unwrap()
    }

    #[test]
    fn replaced_library_must_be_the_same_in_both_versions() {
        let replaced = project(Some("3"), "r/lib-2.jar");
        for (other, is_allowed) in [
            (project(Some("3"), "r/lib-2.jar"), true),
            (project(None, "r/lib-extra-2.jar"), true),
            (project(Some("1"), "r/lib-2.jar"), false),
            (project(None, "r/lib-2.jar"), false),
        ] {
            assert_eq!(check_substitutions(&replaced, &other).is_ok(), is_allowed);
            assert_eq!(check_substitutions(&other, &replaced).is_ok(), is_allowed);
        }
    }
}
