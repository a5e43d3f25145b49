//! Modules that the selected tests need.

use crate::project::Module;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// Modules of the selected tests, and those that they need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NeededModules {
    /// Names of the modules; `None` for all modules of the build.
    pub(crate) names: Option<BTreeSet<String>>,
}

impl NeededModules {
    /// Returns the modules with these sources and those that they need; all modules if none has any of the sources.
    pub(crate) fn find(modules: &[Module], sources: &[PathBuf]) -> Self {
        let has_source = |root: &PathBuf| sources.iter().any(|source| source.starts_with(root));
        let owners = modules
            .iter()
            .filter(|module| module.test_roots.iter().chain(&module.main_roots).any(has_source));
        let mut names = BTreeSet::new();
        let mut added: Vec<&Module> = owners.collect();
        while let Some(module) = added.pop() {
            if names.insert(module.name.clone()) {
                added.extend(modules.iter().filter(|other| module.needs.contains(&other.name)));
            }
        }
        let is_part = !names.is_empty() && names.len() < modules.len();
        Self { names: is_part.then_some(names) }
    }

    /// Returns true if a module is one of these.
    pub(crate) fn contains(&self, module: &str) -> bool {
        self.names.as_ref().is_none_or(|names| names.contains(module))
    }

    /// Returns the generators of these modules.
    pub(crate) fn select(&self, generators: &BTreeMap<String, Vec<String>>) -> Vec<String> {
        let selected = generators.iter().filter(|(module, _)| self.contains(module));
        let unique: BTreeSet<&String> = selected.flat_map(|(_, names)| names).collect();
        unique.into_iter().cloned().collect()
    }

    /// Returns the versions of the plugins of these modules, by name.
    pub(crate) fn select_plugins(
        &self,
        plugins: &BTreeMap<String, BTreeMap<String, String>>,
    ) -> BTreeMap<String, String> {
        let selected = plugins.iter().filter(|(module, _)| self.contains(module));
        selected.flat_map(|(_, versions)| versions.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn modules_of_the_tests_and_what_they_need_are_needed() {
        let module = |name: &str, needs: &[&str]| Module {
            name: name.to_owned(),
            test_roots: vec![Path::new(name).join("src/test/java")],
            needs: needs.iter().map(ToString::to_string).collect(),
            ..Module::default()
        };
        let modules = [module("core", &[]), module("app", &["core"]), module("docs", &["app"])];
        let find = |sources: &[&str]| {
            let sources: Vec<PathBuf> = sources.iter().map(PathBuf::from).collect();
            NeededModules::find(&modules, &sources)
        };
        let needed = find(&["app/src/test/java/T.java"]);
        assert_eq!(needed.names, Some(BTreeSet::from(["app", "core"].map(str::to_owned))));
        for all in [find(&["docs/src/test/java/T.java"]), find(&["x/T.java"]), find(&[])] {
            assert_eq!(all.names, None);
        }
        let generators = [("core", "gen:parse"), ("docs", "gen:site")]
            .map(|(module, name)| (module.to_owned(), vec![name.to_owned()]));
        assert_eq!(needed.select(&generators.into()), ["gen:parse"]);
    }
}
