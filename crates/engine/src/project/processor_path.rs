//! Paths of annotation processors in the compiler options of modules.

use super::unique::unique;
use super::{BuildOverrides, Module};
use crate::compile::javac::join_class_path;
use std::path::PathBuf;

/// Options of `javac` before a path of annotation processors.
const PATH_OPTIONS: [&str; 2] = ["-processorpath", "--processor-path"];

impl Module {
    /// Returns the libraries on the paths of annotation processors for main and test sources. Files of the tree are no
    /// libraries.
    pub fn processors(&self) -> Vec<PathBuf> {
        let options = [&self.javac_options[..], self.javac_options_of_tests()];
        let files = options.into_iter().flat_map(|options| {
            let after_option = options.iter().zip(options.iter().skip(1));
            let paths = after_option.filter(|(option, _)| is_path_option(option));
            paths.flat_map(|(_, path)| std::env::split_paths(path)).collect::<Vec<_>>()
        });
        unique(files.filter(|file| file.is_absolute()))
    }

    /// Returns the module with the annotation processors of a variant.
    pub(super) fn with_processors(self, overrides: &BuildOverrides) -> Self {
        let replace = |options: &[String]| replace_processors(options, overrides);
        Self {
            javac_options: replace(&self.javac_options),
            test_javac_options: self.test_javac_options.as_deref().map(replace),
            ..self
        }
    }
}

/// Returns options with the annotation processors of a variant. Without any, the compiler looks for them on the class
/// path.
fn replace_processors(options: &[String], overrides: &BuildOverrides) -> Vec<String> {
    let mut replaced = Vec::new();
    let mut rest = options.iter();
    while let Some(option) = rest.next() {
        match rest.as_slice().first().filter(|_| is_path_option(option)) {
            Some(path) => {
                let files = std::env::split_paths(path).collect();
                let files = overrides.apply_to_processors(files);
                if !files.is_empty() {
                    replaced.extend([option.clone(), join_class_path(&files)]);
                }
                rest.next();
            }
            None => replaced.push(option.clone()),
        }
    }
    replaced
}

fn is_path_option(option: &str) -> bool {
    PATH_OPTIONS.contains(&option)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::PathOverrides;

    #[test]
    fn processors_of_main_and_test_sources_are_replaced() {
        let texts = |all: &[&str]| all.iter().map(ToString::to_string).collect::<Vec<_>>();
        let module = |main: &str, test: &str| Module {
            javac_options: texts(&["-parameters", "-processorpath", main]),
            test_javac_options: Some(texts(&["--processor-path", test, "-Ax=y"])),
            ..Module::default()
        };
        let built = module("/r/a1.jar:${tree}/b.jar", "/r/a1.jar:/r/c.jar");
        assert_eq!(built.processors(), ["/r/a1.jar", "/r/c.jar"].map(PathBuf::from));
        let replacements =
            [("/r/a1.jar".into(), Some("/r/a2.jar".into())), ("/r/c.jar".into(), None)];
        let processors = PathOverrides { replacements: replacements.into(), additions: vec![] };
        let overrides = BuildOverrides { processors, ..BuildOverrides::default() };
        let expected = module("/r/a2.jar:${tree}/b.jar", "/r/a2.jar");
        assert_eq!(built.with_processors(&overrides), expected);
    }

    #[test]
    fn option_without_a_processor_is_removed() {
        let options = ["-processorpath", "/r/a.jar", "-Ax=y"].map(str::to_owned);
        let module = Module { javac_options: options.into(), ..Module::default() };
        let replacements = [("/r/a.jar".into(), None)].into();
        let processors = PathOverrides { replacements, additions: vec![] };
        let overrides = BuildOverrides { processors, ..BuildOverrides::default() };
        assert_eq!(module.with_processors(&overrides).javac_options, ["-Ax=y"]);
    }
}
