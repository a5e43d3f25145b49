//! Grouping of modules into compiler calls, in dependency order.

use super::Module;
use super::unique::unique;
use std::path::{Path, PathBuf};

/// Main sources that one call of the compiler compiles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    /// Their folders, relative to the project's root.
    pub roots: Vec<PathBuf>,
    /// Libraries, as the project's.
    pub class_path: Vec<PathBuf>,
    /// Options for `javac`, as the project's.
    pub javac_options: Vec<String>,
    /// The sources' encoding, where the build names it.
    pub encoding: Option<String>,
}

/// Groups the modules into batches, each after those that it needs. Modules are compiled together
/// unless their compiler options differ or they use two versions of a library.
pub(super) fn of_modules(modules: &[Module]) -> Vec<Batch> {
    let mut batches: Vec<Vec<&Module>> = Vec::new();
    for module in ordered(modules) {
        let is_needed = |other: &&Module| module.needs.contains(&other.name);
        let has_need = |batch: &Vec<&Module>| batch.iter().any(is_needed);
        let first = batches.iter().rposition(has_need).unwrap_or(0);
        let fits = |batch: &&mut Vec<&Module>| batch.iter().all(|other| is_alike(module, other));
        match batches.iter_mut().skip(first).find(fits) {
            Some(batch) => batch.push(module),
            None => batches.push(vec![module]),
        }
    }
    let batches = batches.iter().map(|batch| batch_of(batch, modules));
    batches.filter(|batch| !batch.roots.is_empty()).collect()
}

/// Creates the batch of some modules: their own libraries come before those of their dependencies.
fn batch_of(members: &[&Module], modules: &[Module]) -> Batch {
    let is_member = |module: &Module| members.iter().any(|member| member.name == module.name);
    let own: Vec<&Module> = modules.iter().filter(|module| is_member(module)).collect();
    let mut needed = own.clone();
    for module in &own {
        add_needs(module, modules, &mut needed);
    }
    let first = own.first();
    Batch {
        roots: unique(own.iter().flat_map(|module| module.main_roots.iter().cloned())),
        class_path: unique(needed.iter().flat_map(|module| module.class_path.iter().cloned())),
        javac_options: first.map(|module| module.javac_options.clone()).unwrap_or_default(),
        encoding: first.and_then(|module| module.encoding.clone()),
    }
}

fn add_needs<'a>(module: &Module, modules: &'a [Module], known: &mut Vec<&'a Module>) {
    for need in modules.iter().filter(|other| module.needs.contains(&other.name)) {
        if !known.contains(&need) {
            known.push(need);
            add_needs(need, modules, known);
        }
    }
}

/// The modules, each after those that it needs.
fn ordered(modules: &[Module]) -> Vec<&Module> {
    let mut ordered = Vec::new();
    for module in modules {
        order(module, modules, &mut Vec::new(), &mut ordered);
    }
    ordered
}

fn order<'a>(
    module: &'a Module,
    modules: &'a [Module],
    above: &mut Vec<&'a str>,
    ordered: &mut Vec<&'a Module>,
) {
    if above.contains(&module.name.as_str()) || ordered.contains(&module) {
        return;
    }
    above.push(&module.name);
    for need in modules.iter().filter(|other| module.needs.contains(&other.name)) {
        order(need, modules, above, ordered);
    }
    above.pop();
    ordered.push(module);
}

fn is_alike(one: &Module, other: &Module) -> bool {
    let contradicts = |jar: &PathBuf| {
        let library = library(jar);
        other.class_path.iter().any(|other| {
            let (name, version) = self::library(other);
            name == library.0 && version != library.1
        })
    };
    one.javac_options == other.javac_options
        && one.encoding == other.encoding
        && !one.class_path.iter().any(contradicts)
}

/// Returns the name and version in a jar's file name: `a-b` and `1.2` of `a-b-1.2-tests.jar`.
fn library(jar: &Path) -> (&str, &str) {
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

    fn roots(modules: &[Module]) -> Vec<Vec<String>> {
        let root = |root: &PathBuf| root.display().to_string();
        of_modules(modules).iter().map(|batch| batch.roots.iter().map(root).collect()).collect()
    }

    #[test]
    fn modules_with_equal_options_are_one_batch_in_the_order_that_they_have() {
        let modules = [
            module("app", &["core"], "-g", &["lib/x-1.jar"]),
            module("core", &[], "-g", &["lib/y-1.jar"]),
        ];
        assert_eq!(roots(&modules), [["app", "core"]]);
        let jars = ["lib/x-1.jar", "lib/y-1.jar"].map(PathBuf::from);
        assert_eq!(of_modules(&modules)[0].class_path, jars);
    }

    #[test]
    fn other_options_make_a_batch_that_comes_after_what_it_needs() {
        let modules = [
            module("app", &["middle", "util"], "-a", &[]),
            module("middle", &["core"], "-b", &["m.jar"]),
            module("core", &[], "-a", &["c.jar"]),
            module("util", &[], "-b", &[]),
        ];
        assert_eq!(roots(&modules), [vec!["core"], vec!["middle", "util"], vec!["app"]]);
        let paths: Vec<usize> =
            of_modules(&modules).iter().map(|batch| batch.class_path.len()).collect();
        assert_eq!(paths, [1, 2, 2]);
    }

    #[test]
    fn two_versions_of_a_library_are_kept_apart() {
        let modules = [
            module("a", &[], "", &["r/x/1.0/x-1.0.jar", "r/x/1.0/x-1.0-tests.jar"]),
            module("b", &[], "", &["r/x/1.0/x-1.0.jar"]),
            module("c", &[], "", &["r/x/2.0/x-2.0.jar"]),
        ];
        assert_eq!(roots(&modules), [vec!["a", "b"], vec!["c"]]);
    }

    #[test]
    fn a_circle_has_an_end() {
        let modules = [module("a", &["b"], "1", &[]), module("b", &["a"], "2", &[])];
        assert_eq!(roots(&modules).len(), 2);
    }
}
