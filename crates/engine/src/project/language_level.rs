//! Language levels of the modules of a build.

use super::needed_modules::NeededModules;
use super::selected_sources::find_selected_sources;
use super::{LevelOverride, Module, ModuleSources};
use crate::Jdk;
use crate::jdk::source_level::SourceLevel;
use mend_model::Selector;
use std::collections::BTreeSet;
use std::path::Path;

impl Module {
    /// Returns the language level with which a JDK of this version compiles the main or the test sources.
    pub fn language_level(&self, is_for_tests: bool, jdk_version: u32) -> SourceLevel {
        let options = self.options_of(is_for_tests);
        // Without a level, the JDK compiles for its own.
        let own = SourceLevel { version: jdk_version, is_release: false };
        SourceLevel::find_in(options).unwrap_or(own)
    }

    fn options_of(&self, is_for_tests: bool) -> &[String] {
        if is_for_tests { self.javac_options_of_tests() } else { &self.javac_options }
    }

    /// Returns the module with these language levels instead of its own.
    pub(super) fn with_levels(self, levels: &[LevelOverride], jdk: &Jdk) -> Self {
        let options = |is_for_tests: bool| {
            let options = self.options_of(is_for_tests);
            let is_own = |module_sources: &ModuleSources| {
                module_sources.module == self.name && module_sources.is_for_tests == is_for_tests
            };
            let own = levels.iter().find(|one| is_own(&one.module_sources));
            own.map_or_else(|| options.to_vec(), |own| own.level.replace_in(options, jdk))
        };
        let (javac_options, test_options) = (options(false), options(true));
        let test_javac_options = (test_options != javac_options).then_some(test_options);
        Self { javac_options, test_javac_options, ..self }
    }
}

/// Returns the Java versions of the modules that the selected tests need, in the tree of a project.
pub(super) fn java_versions_of_tests(
    modules: &[Module],
    root: &Path,
    tests: &[Selector],
) -> BTreeSet<u32> {
    let needed = NeededModules::find(modules, &find_selected_sources(root, tests));
    java_versions(modules.iter().filter(|module| needed.contains(&module.name)))
}

/// Returns the Java versions of some modules.
pub(super) fn java_versions<'a>(modules: impl IntoIterator<Item = &'a Module>) -> BTreeSet<u32> {
    modules.into_iter().filter_map(|module| module.level).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    #[test]
    fn levels_of_main_and_test_sources_are_replaced_each() {
        let jdk = Jdk { home: "/jdk".into(), version: 17, full_version: "17".into() };
        let module = Module {
            name: "m".to_owned(),
            javac_options: ["--release", "17", "-parameters"].map(str::to_owned).into(),
            ..Module::default()
        };
        let level = SourceLevel { version: 11, is_release: true };
        let changed = |module_name: &str, is_for_tests: bool| {
            let module_sources = ModuleSources { module: module_name.to_owned(), is_for_tests };
            module.clone().with_levels(&[LevelOverride { module_sources, level }], &jdk)
        };
        assert_eq!(changed("other", false), module);
        let main = changed("m", false);
        assert_eq!(main.language_level(false, 17), level);
        assert_eq!(main.language_level(true, 17).version, 17);
        let tests = changed("m", true);
        assert_eq!(tests.language_level(true, 17), level);
        assert_eq!(tests.javac_options, module.javac_options);
        let unknown = Module::default().language_level(false, 21);
        assert_eq!(unknown, SourceLevel { version: 21, is_release: false });
    }

    #[test]
    fn only_modules_of_the_selected_tests_count() {
        let tree = tempfile::tempdir().unwrap();
        let module = |name: &str, level: u32| {
            let test_root = PathBuf::from(name).join("src/test/java");
            std::fs::create_dir_all(tree.path().join(&test_root)).unwrap();
            let test = tree.path().join(&test_root).join(format!("Test{level}.java"));
            std::fs::write(test, "").unwrap();
            let test_roots = vec![test_root];
            Module { name: name.to_owned(), level: Some(level), test_roots, ..Module::default() }
        };
        let modules = [module("core", 17), module("samples", 21)];
        let version_of =
            |tests: &[Selector]| java_versions_of_tests(&modules, tree.path(), tests).pop_last();
        let test = Selector { class: "Test17".to_owned(), method: None };
        assert_eq!(version_of(&[test]), Some(17));
        assert_eq!(version_of(&[]), Some(21));
    }
}
