//! What a POM says about its module besides sources and libraries.

use super::compiler_settings::CompilerSettings;
use super::pom_model::PomModel;
use super::resources::{ResourceReader, resources_to_copy, unique_folders};
use super::test_settings;
use crate::Jdk;
use crate::compile::javac::join_class_path;
use crate::project::path_patterns::PathPatterns;
use crate::project::placeholders::TREE_PLACEHOLDER;
use crate::project::{Module, ResourceFolder};
use std::path::{Path, PathBuf};

/// Reads a module with these libraries, but without its sources.
/// `is_kept` selects folders of resources; `processor_options` are added to the compiler options.
pub(crate) fn read_settings(
    root: &Path,
    model: &PomModel,
    jdk: &Jdk,
    class_path: &[PathBuf],
    processor_options: &[String],
    is_kept: impl Fn(&ResourceFolder) -> bool,
) -> Module {
    let compiler = CompilerSettings::for_main(model);
    let main_options = compiler.javac_options(jdk);
    let test_options = CompilerSettings::for_tests(model).javac_options(jdk);
    let javac_options = [&main_options, processor_options].concat();
    let test_options = [&test_options, processor_options].concat();
    let resources = ResourceReader { root, model };
    let kept = |folders: Vec<ResourceFolder>| -> Vec<ResourceFolder> {
        folders.into_iter().filter(|folder| is_kept(folder)).collect()
    };
    let (main, tests) = (kept(resources.main()), kept(resources.tests()));
    Module {
        name: model.name(),
        folder: model.folder.strip_prefix(root).unwrap_or(Path::new("")).to_owned(),
        templates: kept(resources.templates()),
        resource_roots: unique_folders(&main),
        test_resource_roots: unique_folders(&tests),
        copied_resources: resources_to_copy(&main),
        copied_test_resources: resources_to_copy(&tests),
        level: compiler.source_level().map(|level| level.version),
        test_javac_options: (test_options != javac_options).then_some(test_options),
        javac_options,
        test_jvm: test_settings::test_jvm(root, model, class_path),
        encoding: compiler.encoding(),
        source_patterns: compiler.source_patterns(),
        ..Module::default()
    }
}

/// Returns the module with the sources that its packaging and its source patterns select. The compiler plugin passes the
/// source folders as source path, so that the compiler finds excluded sources that others need.
pub(crate) fn select_sources(module: Module, model: &PomModel) -> Module {
    if !model.compiles_sources() {
        return module.without_sources();
    }
    if module.source_patterns == PathPatterns::default() {
        return module;
    }
    let folders = module.main_roots.iter().map(|root| Path::new(TREE_PLACEHOLDER).join(root));
    let source_path = join_class_path(&folders.collect::<Vec<_>>());
    let test_options = module.javac_options_of_tests().to_vec();
    let source_path_options = ["-sourcepath".to_owned(), source_path];
    Module {
        javac_options: [&module.javac_options[..], &source_path_options].concat(),
        test_javac_options: Some(test_options),
        ..module
    }
}
