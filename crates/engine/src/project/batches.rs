//! Batches: groups of modules that are compiled together, in dependency order.

use super::Module;
use super::path_patterns::PathPatterns;
use super::unique::unique;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Main sources that are compiled together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Batch {
    /// Source folders, relative to the project's root.
    pub roots: Vec<PathBuf>,
    /// Sources that are compiled, relative to their folders.
    pub source_patterns: PathPatterns,
    /// Libraries.
    pub class_path: Vec<PathBuf>,
    /// Options for `javac`.
    pub javac_options: Vec<String>,
    /// Source encoding, if the build specifies one.
    pub encoding: Option<String>,
}

/// Groups the modules into batches, each after those that it depends on. Modules are compiled together unless their
/// compiler options or source patterns differ, or they use two versions of a library.
pub(super) fn group_modules(modules: &[Module]) -> Vec<Batch> {
    let mut batches: Vec<Vec<&Module>> = Vec::new();
    for module in sort_by_dependency(modules) {
        let is_dependency = |other: &&Module| module.needs.contains(&other.name);
        let has_dependency = |batch: &Vec<&Module>| batch.iter().any(is_dependency);
        let first = batches.iter().rposition(has_dependency).unwrap_or(0);
        let can_join =
            |batch: &&mut Vec<&Module>| batch.iter().all(|other| can_share_batch(module, other));
        match batches.iter_mut().skip(first).find(can_join) {
            Some(batch) => batch.push(module),
            None => batches.push(vec![module]),
        }
    }
    let batches = batches.iter().map(|batch| create_batch(batch, modules));
    batches.filter(|batch| !batch.roots.is_empty()).collect()
}

/// Creates the batch of some modules: their own libraries come before those of their dependencies.
fn create_batch(members: &[&Module], modules: &[Module]) -> Batch {
    let is_member = |module: &Module| members.iter().any(|member| member.name == module.name);
    let member_modules: Vec<&Module> = modules.iter().filter(|module| is_member(module)).collect();
    let mut with_dependencies = member_modules.clone();
    for module in &member_modules {
        add_dependencies(module, modules, &mut with_dependencies);
    }
    let first = member_modules.first();
    Batch {
        roots: unique(member_modules.iter().flat_map(|module| module.main_roots.iter().cloned())),
        class_path: unique(
            with_dependencies.iter().flat_map(|module| module.class_path.iter().cloned()),
        ),
        source_patterns: first.map(|module| module.source_patterns.clone()).unwrap_or_default(),
        javac_options: first.map(|module| module.javac_options.clone()).unwrap_or_default(),
        encoding: first.and_then(|module| module.encoding.clone()),
    }
}

fn add_dependencies<'a>(module: &Module, modules: &'a [Module], collected: &mut Vec<&'a Module>) {
    for dependency in modules.iter().filter(|other| module.needs.contains(&other.name)) {
        if !collected.contains(&dependency) {
            collected.push(dependency);
            add_dependencies(dependency, modules, collected);
        }
    }
}

/// Sorts the modules, each after those that it depends on.
fn sort_by_dependency(modules: &[Module]) -> Vec<&Module> {
    let mut ordered = Vec::new();
    for module in modules {
        visit_module(module, modules, &mut Vec::new(), &mut ordered);
    }
    ordered
}

fn visit_module<'a>(
    module: &'a Module,
    modules: &'a [Module],
    visiting: &mut Vec<&'a str>,
    ordered: &mut Vec<&'a Module>,
) {
    if visiting.contains(&module.name.as_str()) || ordered.contains(&module) {
        return;
    }
    visiting.push(&module.name);
    for dependency in modules.iter().filter(|other| module.needs.contains(&other.name)) {
        visit_module(dependency, modules, visiting, ordered);
    }
    visiting.pop();
    ordered.push(module);
}

fn can_share_batch(first: &Module, second: &Module) -> bool {
    let has_version_conflict = |jar: &PathBuf| {
        let library = parse_jar_name(jar);
        second.class_path.iter().any(|second| {
            let (name, version) = self::parse_jar_name(second);
            name == library.0 && version != library.1
        })
    };
    first.source_patterns == second.source_patterns
        && first.javac_options == second.javac_options
        && first.encoding == second.encoding
        && !first.class_path.iter().any(has_version_conflict)
}

/// Returns the name and version in a jar's file name: `a-b` and `1.2` for `a-b-1.2-tests.jar`.
pub(crate) fn parse_jar_name(jar: &Path) -> (&str, &str) {
    let name = jar.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
    let is_version = |(at, _): &(usize, &str)| {
        name[at + 1..].chars().next().is_some_and(|first| first.is_ascii_digit())
    };
    match name.match_indices('-').find(is_version) {
        Some((at, _)) => {
            let version = &name[at + 1..];
            (&name[..at], version.split('-').next().unwrap_or(version))
        }
        None => (name, ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(name: &str, needs: &[&str], option: &str, jars: &[&str]) -> Module {
        Module {
            name: name.to_owned(),
            main_roots: vec![name.into()],
            needs: needs.iter().map(ToString::to_string).collect(),
            javac_options: vec![option.to_owned()],
            class_path: jars.iter().map(PathBuf::from).collect(),
            ..Module::default()
        }
    }

    fn batch_roots(modules: &[Module]) -> Vec<Vec<String>> {
        let root = |root: &PathBuf| root.display().to_string();
        group_modules(modules).iter().map(|batch| batch.roots.iter().map(root).collect()).collect()
    }

    #[test]
    fn modules_with_equal_options_share_one_batch() {
        let modules = [
            module("app", &["core"], "-g", &["lib/x-1.jar"]),
            module("core", &[], "-g", &["lib/y-1.jar"]),
        ];
        assert_eq!(batch_roots(&modules), [["app", "core"]]);
        let jars = ["lib/x-1.jar", "lib/y-1.jar"].map(PathBuf::from);
        assert_eq!(group_modules(&modules)[0].class_path, jars);
    }

    #[test]
    fn batch_with_other_options_follows_its_dependencies() {
        let modules = [
            module("app", &["middle", "util"], "-a", &[]),
            module("middle", &["core"], "-b", &["m.jar"]),
            module("core", &[], "-a", &["c.jar"]),
            module("util", &[], "-b", &[]),
        ];
        assert_eq!(batch_roots(&modules), [vec!["core"], vec!["middle", "util"], vec!["app"]]);
        let paths: Vec<usize> =
            group_modules(&modules).iter().map(|batch| batch.class_path.len()).collect();
        assert_eq!(paths, [1, 2, 2]);
    }

    #[test]
    fn conflicting_library_versions_split_batches() {
        let modules = [
            module("a", &[], "", &["r/x/1.0/x-1.0.jar", "r/x/1.0/x-1.0-tests.jar"]),
            module("b", &[], "", &["r/x/1.0/x-1.0.jar"]),
            module("c", &[], "", &["r/x/2.0/x-2.0.jar"]),
        ];
        assert_eq!(batch_roots(&modules), [vec!["a", "b"], vec!["c"]]);
    }

    #[test]
    fn dependency_cycle_terminates() {
        let modules = [module("a", &["b"], "1", &[]), module("b", &["a"], "2", &[])];
        assert_eq!(batch_roots(&modules).len(), 2);
    }
}
