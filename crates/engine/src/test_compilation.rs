//! Compilation of tests that may be newer than the code: what they do not need is left out where it does not compile.

use super::named_test_classes::add_named_classes;
use super::tree_paths::paths_in_tree;
use crate::build_and_test::{BuildAndTest, BuildCompiler, CompiledTests, FailedBuild, Stop};
use crate::compile::javac::Compilation;
use crate::jvm::java_program::create_folder;
use crate::reduced_tests::error_location::ErrorLocation;
use crate::reduced_tests::reduced_sources::{
    REDUCED_SOURCES_FOLDER, ReducedSources, WrittenSources,
};
use crate::reduced_tests::required_code::RequiredClass;
use crate::test_execution::replacement_classes::replacement_classes_dir;
use crate::test_execution::test_adaptation::TestAdaptation;
use crate::test_execution::test_setup::TestSetup;
use crate::test_execution::testbed::Testbed;
use crate::{Framework, Project};
use mend_model::{BuildPart, Outcome, Result};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The compiler's limit of errors, so that one call reports all members that do not compile.
const MAX_ERRORS_OPTION: [&str; 2] = ["-Xmaxerrs", "1000"];

/// Place of the tests of one testbed.
struct TestPlace<'a> {
    testbed: &'a Testbed,
    /// Output folder.
    output: &'a Path,
    /// Folder of the test classes.
    classes: &'a Path,
    /// Main classes and resources.
    class_path: &'a [PathBuf],
}

/// What was left out of the tests of a testbed.
#[derive(Default)]
struct LeftOut {
    members: BTreeSet<String>,
    test_classes: BTreeSet<String>,
}

impl BuildAndTest<'_> {
    /// Compiles the tests of one testbed against the main classes: with the version's own libraries and options, or else
    /// with those of bad that it lacks.
    pub(super) fn build_tests<'t, F, C, E: FailedBuild>(
        &self,
        testbed: &'t Testbed,
        output: &Path,
        main_classes: &[PathBuf],
        compiler: &mut BuildCompiler<F, C>,
    ) -> Result<CompiledTests<'t>, Stop<E>>
    where
        F: FnMut(&Compilation<'_>, &[PathBuf]) -> Result<C, Stop<E>>,
    {
        let project = &testbed.project;
        let classes = create_folder(output.join("classes"))?;
        let (roots, copied) = (&project.resource_roots, &project.copied_resources);
        let resources = self.copies().resource_folders(roots, copied, &output.join("resources"))?;
        let class_path = [main_classes.to_vec(), resources].concat();
        let place = TestPlace { testbed, output, classes: &classes, class_path: &class_path };
        let mut setup = &TestSetup::new(project);
        let mut compiled = self.compile_tests(&place, setup, compiler);
        if let Some(fallback) = &testbed.fallback_setup
            && !self.is_sufficient(setup, &compiled, testbed)?
        {
            setup = fallback;
            compiled = self.compile_tests(&place, setup, compiler);
        }
        let LeftOut { members, test_classes } = compiled?;
        let (roots, copied) = (&project.test_resource_roots, &project.copied_test_resources);
        let resources =
            self.copies().resource_folders(roots, copied, &output.join("test-resources"))?;
        let replacement_dirs = replacement_classes_dir(&self.tree).into_iter().collect();
        let libraries = paths_in_tree(&self.tree, &setup.libraries);
        let class_path =
            [vec![classes], resources, replacement_dirs, class_path, libraries.clone()].concat();
        let of_bad = setup.libraries_of_bad.clone();
        let adaptation = TestAdaptation { left_out: members, libraries: of_bad };
        Ok(CompiledTests {
            testbed,
            class_path,
            libraries,
            left_out_classes: test_classes,
            adaptation,
        })
    }

    /// Returns true if tests were compiled with some libraries and these have their frameworks, or if another problem
    /// ended the build.
    fn is_sufficient<E>(
        &self,
        setup: &TestSetup,
        compiled: &Result<LeftOut, Stop<E>>,
        testbed: &Testbed,
    ) -> Result<bool, Stop<E>> {
        match compiled {
            Err(Stop::Early(_)) => return Ok(false),
            Err(Stop::Problem(_)) => return Ok(true),
            Ok(_) => {}
        }
        let libraries = paths_in_tree(&self.tree, &setup.libraries);
        for framework in self.frameworks(testbed) {
            if self.compile_runner(framework, &libraries)?.is_err() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns the test frameworks of a testbed.
    fn frameworks(&self, testbed: &Testbed) -> BTreeSet<Framework> {
        let classes = self.selections.iter().flat_map(|selection| &selection.classes);
        let of_testbed = classes.filter(|class| testbed.tests.contains(&class.source));
        of_testbed.map(|class| class.framework).collect()
    }

    /// Compiles tests with some libraries. Members and classes with errors are left out, until there are no errors, or
    /// there is one in code that the selected tests need.
    fn compile_tests<F, C, E: FailedBuild>(
        &self,
        place: &TestPlace<'_>,
        setup: &TestSetup,
        compiler: &mut BuildCompiler<F, C>,
    ) -> Result<LeftOut, Stop<E>>
    where
        F: FnMut(&Compilation<'_>, &[PathBuf]) -> Result<C, Stop<E>>,
    {
        let project = &place.testbed.project;
        let roots = paths_in_tree(&self.tree, &project.test_roots);
        let resource_roots = paths_in_tree(&self.tree, &project.test_resource_roots);
        let selected = self.test_files(project, &place.testbed.tests);
        let tests = add_named_classes(selected, &roots, &resource_roots);
        let mut sources = WrittenSources { files: tests.clone(), roots };
        let mut reduced: Option<ReducedSources<'_>> = None;
        while !sources.files.is_empty() {
            match self.compile_test_sources(place, setup, &sources, compiler) {
                Ok(()) => break,
                Err(Stop::Early(mut failure)) => {
                    let reduced =
                        reduced.get_or_insert_with(|| self.reduced_sources(place.testbed, &tests));
                    if !remove_errors(reduced, &mut failure) {
                        return Err(Stop::Early(failure));
                    }
                    sources = reduced.write(&place.output.join(REDUCED_SOURCES_FOLDER))?;
                }
                Err(problem) => return Err(problem),
            }
        }
        Ok(reduced.map(|reduced| self.left_out(&reduced, place.testbed)).unwrap_or_default())
    }

    fn compile_test_sources<F, C, E>(
        &self,
        place: &TestPlace<'_>,
        setup: &TestSetup,
        sources: &WrittenSources,
        compiler: &mut BuildCompiler<F, C>,
    ) -> Result<(), Stop<E>>
    where
        F: FnMut(&Compilation<'_>, &[PathBuf]) -> Result<C, Stop<E>>,
    {
        let libraries = paths_in_tree(&self.tree, &setup.libraries);
        let class_path = [place.class_path, &libraries].concat();
        let mut options = MAX_ERRORS_OPTION.map(str::to_owned).to_vec();
        options.extend(self.expand_tree_placeholder(&setup.javac_options));
        let compilation = Compilation {
            source_path: &sources.roots,
            encoding: place.testbed.project.encoding.as_deref(),
            options,
            ..self.new_compilation(place.classes, &class_path)
        };
        compiler.compile(compilation, &sources.files)
    }

    /// Returns the test files that are not compiled as main sources.
    fn test_files(&self, project: &Project, tests: &[PathBuf]) -> Vec<PathBuf> {
        let is_main = |file: &&PathBuf| {
            let is_below_any = |roots: &[PathBuf]| roots.iter().any(|root| file.starts_with(root));
            !is_below_any(&project.test_roots) && is_below_any(&project.main_roots)
        };
        let mut files: Vec<PathBuf> = tests.iter().filter(|file| !is_main(file)).cloned().collect();
        files.sort();
        files.dedup();
        paths_in_tree(&self.tree, &files)
    }

    fn reduced_sources<'b>(
        &'b self,
        testbed: &'b Testbed,
        tests: &[PathBuf],
    ) -> ReducedSources<'b> {
        let relative_path =
            |file: &PathBuf| file.strip_prefix(&self.tree).unwrap_or(file).to_owned();
        let required = self.selections.iter().filter(|selection| !selection.is_optional);
        let classes = required.flat_map(|selection| {
            let of_testbed =
                selection.classes.iter().filter(|class| testbed.tests.contains(&class.source));
            of_testbed.map(|class| RequiredClass {
                name: class.name.clone(),
                source: class.source.clone(),
                method: selection.method.clone(),
            })
        });
        let (classes, tests): (Vec<_>, _) = (classes.collect(), tests.iter().map(relative_path));
        ReducedSources::new(&self.tree, &testbed.project.test_roots, tests.collect(), &classes)
    }

    fn left_out(&self, reduced: &ReducedSources<'_>, testbed: &Testbed) -> LeftOut {
        let classes = self.selections.iter().flat_map(|selection| &selection.classes);
        let is_left_out = |class: &&crate::TestClass| {
            testbed.tests.contains(&class.source)
                && reduced.is_type_removed(&class.source, &class.name)
        };
        let test_classes = classes.filter(is_left_out).map(|class| class.name.clone()).collect();
        LeftOut { members: reduced.left_out(), test_classes }
    }
}

/// Removes the code with errors from test sources. Returns `false` if the selected tests need it; then these errors are the
/// reason of the failure.
fn remove_errors<E: FailedBuild>(reduced: &mut ReducedSources<'_>, failure: &mut E) -> bool {
    let Some(Outcome::NotBuilt { diagnostics, part }) = failure.outcome_mut() else { return false };
    let errors = ErrorLocation::parse_all(diagnostics);
    if errors.is_empty() {
        return false;
    }
    let Err(reason) = reduced.remove(&errors) else { return true };
    (*diagnostics, *part) = (reason, BuildPart::Tests);
    false
}
