//! What Gradle says about the projects of a build, and the modules that it describes.

use super::tool_failure::ToolFailure;
use super::tool_report::{ModuleOutputs, ToolReport, parse_answer};
use crate::Jdk;
use crate::compile::javac::join_class_path;
use crate::jdk::source_level::SourceLevel;
use crate::project::module::{folder_in_tree, normalise_path, relative_path};
use crate::project::parsed_build::ParsedBuild;
use crate::project::path_patterns::PathPatterns;
use crate::project::relevant_arguments::{relevant_javac_options, relevant_jvm_options};
use crate::project::unique::unique;
use crate::project::{BuildKind, Module, TestJvm};
use mend_model::Problem;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// First version of Gradle that looks for annotation processors on their own path only.
const FIRST_VERSION_WITH_PROCESSOR_PATH: u32 = 5;

/// The projects of a build.
pub(super) struct GradleReport {
    projects: Vec<GradleProject>,
}

/// What Gradle says about a project. Paths are absolute.
#[derive(Debug, Deserialize)]
struct GradleProject {
    /// Version of Gradle.
    gradle: String,
    /// Version of Java that runs Gradle.
    java: String,
    /// Path of the project such as `:core`.
    path: String,
    folder: PathBuf,
    build_folder: PathBuf,
    /// Versions of plugins and libraries of the build scripts, by `group:artifact`.
    plugins: BTreeMap<String, String>,
    /// Paths of the tasks that may generate sources or resources.
    generators: Vec<String>,
    source_sets: Vec<SourceSet>,
    test_tasks: Vec<TestTask>,
}

/// A source set. The classes of one are compiled together.
#[derive(Debug, Deserialize)]
struct SourceSet {
    name: String,
    sources: Vec<PathBuf>,
    source_patterns: PathPatterns,
    resources: Vec<PathBuf>,
    class_outputs: Vec<PathBuf>,
    resource_output: Option<PathBuf>,
    /// True if the build filters, renames or expands its resources.
    filters_resources: bool,
    jar: Option<PathBuf>,
    compiler: Option<Compiler>,
    runtime: Vec<PathBuf>,
    compilation: Vec<PathBuf>,
    /// Libraries that were not found.
    missing: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct Compiler {
    source: Option<String>,
    release: Option<u32>,
    encoding: Option<String>,
    arguments: Vec<String>,
    processors: Vec<PathBuf>,
}

#[derive(Debug, Deserialize)]
struct TestTask {
    name: String,
    class_outputs: Vec<PathBuf>,
    jvm_options: Vec<String>,
    /// Environment variables that differ from those of Gradle.
    variables: BTreeMap<String, String>,
    working_directory: Option<PathBuf>,
}

impl GradleReport {
    /// Reads the descriptions of the projects in a folder, one file each; `None` if there are none. `root` is the
    /// folder that Gradle ran in.
    pub(super) fn read(output: &Path, root: &Path) -> Result<Option<Self>, ToolFailure> {
        let entries = std::fs::read_dir(output).map_err(|error| Problem::io(error, output))?;
        let number = |file: &PathBuf| file.file_stem()?.to_str()?.parse::<usize>().ok();
        let mut files: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
        files.sort_by_key(number);
        let projects = files.iter().map(|file| {
            let text = std::fs::read_to_string(file).map_err(|error| Problem::io(error, file))?;
            parse_answer(text, root)
        });
        let projects = projects.collect::<Result<Vec<_>, _>>()?;
        Ok((!projects.is_empty()).then_some(Self { projects }))
    }

    pub(super) fn to_tool_report(
        &self,
        root: &Path,
        jdk: &Jdk,
        problems: Vec<String>,
    ) -> ToolReport {
        let versions =
            self.projects.first().map(|one| format!("Gradle {}, Java {}", one.gradle, one.java));
        let module_of_output = &self.outputs();
        let mut build = ParsedBuild::default();
        let mut outputs = Vec::new();
        let (mut generators, mut plugins) = (BTreeMap::new(), BTreeMap::new());
        for project in &self.projects {
            for group in project.groups() {
                let group = &group;
                let converter =
                    GroupConverter { root, report: self, module_of_output, project, group, jdk };
                build.modules.push(converter.module().relative_to_tree(root));
                outputs.push(converter.outputs());
                generators.insert(project.module_name(group), project.generators.clone());
                plugins.insert(project.module_name(group), project.plugins.clone());
            }
        }
        ToolReport {
            kind: BuildKind::Gradle,
            tool: versions.unwrap_or_default(),
            generators,
            plugins,
            last_phase: None,
            problems,
            build,
            outputs,
        }
    }

    /// Returns the module of each file that is made from a source set.
    fn outputs(&self) -> BTreeMap<&Path, String> {
        let mut outputs = BTreeMap::new();
        for project in &self.projects {
            for group in project.groups() {
                for file in
                    group.main.iter().copied().chain(group.test).flat_map(SourceSet::outputs)
                {
                    outputs.insert(file.as_path(), project.module_name(&group));
                }
            }
        }
        outputs
    }

    /// Returns the first module of the project in whose build folder a file is. Archives that are made in special ways
    /// are no outputs of a source set.
    fn owner(&self, file: &Path) -> Option<String> {
        let is_below = |project: &&GradleProject| file.starts_with(&project.build_folder);
        let owner = self.projects.iter().filter(is_below);
        let owner = owner.max_by_key(|project| project.build_folder.as_os_str().len())?;
        Some(owner.module_name(owner.groups().first()?))
    }
}

/// Source sets that make a module: those of main code, and one of tests.
struct SourceSetGroup<'a> {
    main: Vec<&'a SourceSet>,
    test: Option<&'a SourceSet>,
}

impl GradleProject {
    /// Returns the source sets of each module. The first one has the tests of the set `test` and what they use; each other
    /// set that a test task runs is a module of its own.
    fn groups(&self) -> Vec<SourceSetGroup<'_>> {
        let named = |name: &str| self.source_sets.iter().find(|set| set.name == name);
        let (main, test) = (named("main"), named("test"));
        let is_other = |set: &&SourceSet| set.name != "main" && set.name != "test";
        let others = || self.source_sets.iter().filter(is_other);
        let is_used = |set: &&SourceSet| {
            test.is_some_and(|test| test.class_path().any(|file| set.has_output(file)))
        };
        let helpers = others().filter(is_used);
        let first = SourceSetGroup { main: main.into_iter().chain(helpers).collect(), test };
        let is_tested =
            |set: &&SourceSet| !is_used(set) && self.test_tasks.iter().any(|task| task.runs(set));
        let tested = others().filter(is_tested);
        let more = tested.map(|set| SourceSetGroup { main: Vec::new(), test: Some(set) });
        let has_sets = |group: &SourceSetGroup<'_>| group.test.is_some() || !group.main.is_empty();
        std::iter::once(first).chain(more).filter(has_sets).collect()
    }

    /// Returns the name of a module: the project's path, with the source set if there are several modules.
    fn module_name(&self, group: &SourceSetGroup<'_>) -> String {
        let path = self.path.trim_start_matches(':');
        match group.test {
            Some(set) if group.main.is_empty() && set.name != "test" => {
                format!("{path} ({})", set.name).trim_start().to_owned()
            }
            _ => path.to_owned(),
        }
    }
}

impl SourceSet {
    /// Returns the files of class paths that are made from the source set.
    fn outputs(&self) -> impl Iterator<Item = &PathBuf> {
        self.class_outputs.iter().chain(&self.resource_output).chain(&self.jar)
    }

    /// Returns true if a file of a class path is made from the source set.
    fn has_output(&self, file: &Path) -> bool {
        self.outputs().any(|one| one == file)
    }

    fn class_path(&self) -> impl Iterator<Item = &PathBuf> {
        self.runtime.iter().chain(&self.compilation)
    }
}

impl TestTask {
    fn runs(&self, set: &SourceSet) -> bool {
        self.class_outputs.iter().any(|output| set.class_outputs.contains(output))
    }
}

/// What the class paths of a module consist of.
#[derive(Default)]
struct Libraries {
    class_path: Vec<PathBuf>,
    /// Names of the modules that the module depends on.
    needs: Vec<String>,
    missing: Vec<String>,
}

/// Makes a module of a group of source sets.
struct GroupConverter<'a> {
    root: &'a Path,
    report: &'a GradleReport,
    module_of_output: &'a BTreeMap<&'a Path, String>,
    project: &'a GradleProject,
    group: &'a SourceSetGroup<'a>,
    jdk: &'a Jdk,
}

impl GroupConverter<'_> {
    fn module(&self) -> Module {
        let SourceSetGroup { main, test } = self.group;
        let first = main.first().copied().or(*test);
        let compiler = |set: Option<&SourceSet>| {
            let compiler = set.and_then(|set| set.compiler.as_ref());
            compiler
                .map(|one| one.javac_options(self.gradle_version(), self.jdk))
                .unwrap_or_default()
        };
        let javac_options = compiler(first);
        let test_options = compiler(test.or(first));
        let Libraries { class_path, needs, missing } = self.libraries();
        let settings = first.and_then(|set| set.compiler.as_ref());
        Module {
            name: self.project.module_name(self.group),
            folder: self.relative(&self.project.folder),
            main_roots: self.folders(main.iter().flat_map(|set| &set.sources)),
            test_roots: self.folders(test.iter().flat_map(|set| &set.sources)),
            source_patterns: main
                .first()
                .map(|set| set.source_patterns.clone())
                .unwrap_or_default(),
            resource_roots: self.folders(main.iter().flat_map(|set| &set.resources)),
            test_resource_roots: self.folders(test.iter().flat_map(|set| &set.resources)),
            class_path,
            needs,
            level: settings.and_then(Compiler::level).map(|level| level.version),
            test_javac_options: (test_options != javac_options).then_some(test_options),
            javac_options,
            test_jvm: self.test_jvm(),
            encoding: settings.and_then(|compiler| compiler.encoding.clone()),
            missing,
            ..Module::default()
        }
    }

    fn outputs(&self) -> ModuleOutputs {
        let resources = |set: Option<&SourceSet>| {
            set.and_then(|set| set.resource_output.as_deref()).map(|one| self.relative(one))
        };
        let main = self.group.main.first().copied();
        ModuleOutputs {
            build_folder: self.project.build_folder.file_name().unwrap_or_default().into(),
            main: resources(main).unwrap_or_default(),
            test: resources(self.group.test).unwrap_or_default(),
            has_changed_resources: main.is_some_and(|set| set.filters_resources),
        }
    }

    /// Returns the source sets of the module, tests first: what they run with takes precedence.
    fn sets(&self) -> impl Iterator<Item = &SourceSet> {
        self.group.test.into_iter().chain(self.group.main.iter().copied())
    }

    /// Returns the libraries, the modules that the module depends on, and what is missing.
    fn libraries(&self) -> Libraries {
        let own_name = self.project.module_name(self.group);
        let missing = self.sets().flat_map(|set| set.missing.iter().cloned());
        let mut libraries = Libraries { missing: missing.collect(), ..Libraries::default() };
        let mut artifacts = BTreeMap::new();
        for file in self.sets().flat_map(SourceSet::class_path) {
            let module = self.module_of_output.get(file.as_path()).cloned();
            match module.or_else(|| self.report.owner(file)) {
                Some(module) if module == own_name => {}
                Some(module) => libraries.needs.push(module),
                None if file.exists() => {
                    // Of two versions in the class paths of compilation and tests, the first one counts.
                    let is_first_version = artifact_folder(file)
                        .is_none_or(|artifact| *artifacts.entry(artifact).or_insert(file) == file);
                    if is_first_version {
                        libraries.class_path.push(file.clone());
                    }
                }
                None if file.extension().is_some_and(|extension| extension == "jar") => {
                    let name = file.file_name().unwrap_or_default().to_string_lossy();
                    libraries.missing.push(format!("{name} (made by another build)"));
                }
                None => {}
            }
        }
        Libraries {
            class_path: unique(libraries.class_path),
            needs: unique(libraries.needs),
            missing: unique(libraries.missing),
        }
    }

    /// Returns the JVM of the test task that runs the tests.
    fn test_jvm(&self) -> TestJvm {
        let runs_tests = |task: &&TestTask| self.group.test.is_some_and(|test| task.runs(test));
        let tasks = || self.project.test_tasks.iter().filter(runs_tests);
        let name = self.group.test.map(|test| &test.name);
        let task = tasks().find(|task| Some(&task.name) == name).or_else(|| tasks().next());
        let Some(task) = task else { return TestJvm::default() };
        let directory = task.working_directory.as_deref();
        let directory = directory.filter(|directory| *directory != self.project.folder);
        TestJvm {
            options: relevant_jvm_options(task.jvm_options.iter().cloned()),
            variables: task.variables.clone(),
            working_directory: directory.and_then(|path| folder_in_tree(self.root, path)),
            ..TestJvm::default()
        }
    }

    fn gradle_version(&self) -> u32 {
        let major = self.project.gradle.split('.').next().unwrap_or_default();
        major.parse().unwrap_or_default()
    }

    fn folders<'b>(&self, folders: impl Iterator<Item = &'b PathBuf>) -> Vec<PathBuf> {
        unique(folders.map(|folder| self.relative(folder)))
    }

    fn relative(&self, path: &Path) -> PathBuf {
        relative_path(self.root, normalise_path(path))
    }
}

/// Returns the folder with all versions of a library in Gradle's cache, `…/files-2.1/GROUP/ARTIFACT`, with the
/// classifier of the file.
fn artifact_folder(file: &Path) -> Option<(PathBuf, String)> {
    let version = file.parent()?.parent()?;
    let artifact = version.parent()?;
    let is_cache = artifact.parent()?.parent()?.file_name()?.to_str()?.starts_with("files-");
    let name = file.file_name()?.to_str()?.replace(version.file_name()?.to_str()?, "");
    is_cache.then(|| (artifact.to_owned(), name))
}

impl Compiler {
    fn level(&self) -> Option<SourceLevel> {
        let mut arguments = self.arguments.iter();
        let argument = arguments.find(|one| *one == "--release").and_then(|_| arguments.next());
        let release = self.release.map(|release| release.to_string());
        match release.as_ref().or(argument) {
            Some(release) => SourceLevel::parse(release, true),
            None => SourceLevel::parse(self.source.as_deref()?, false),
        }
    }

    /// Returns the options for `javac` that affect the classes.
    fn javac_options(&self, gradle: u32, jdk: &Jdk) -> Vec<String> {
        let level = self.level().map(|level| level.javac_options(jdk));
        let mut options = level.unwrap_or_default();
        options.extend(relevant_javac_options(self.arguments.iter().cloned()));
        let processors: Vec<_> =
            self.processors.iter().filter(|file| file.exists()).cloned().collect();
        if !processors.is_empty() {
            options.extend(["-processorpath".to_owned(), join_class_path(&processors)]);
        } else if gradle >= FIRST_VERSION_WITH_PROCESSOR_PATH
            && !options.iter().any(|option| option.starts_with("-proc"))
        {
            options.push("-proc:none".to_owned());
        }
        options
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn source_set(name: &str, runtime: &[&str], more: &Value) -> Value {
        let mut set = json!({
            "name": name, "sources": [format!("/p/a/src/{name}/java")], "resources": [],
            "source_patterns": {"includes": [], "excludes": ["b/**"]},
            "class_outputs": [format!("/p/a/build/classes/java/{name}")],
            "resource_output": format!("/p/a/build/resources/{name}"), "filters_resources": false,
            "jar": null, "compiler": null, "runtime": runtime, "compilation": [], "missing": [],
        });
        let values = more.as_object().unwrap().clone();
        set.as_object_mut().unwrap().extend(values);
        set
    }

    fn project(path: &str, source_sets: &[Value], test_tasks: &Value) -> GradleProject {
        let folder = format!("/p{}", path.replace(':', "/"));
        let project = json!({
            "gradle": "8.5", "java": "17", "path": path, "folder": folder,
            "build_folder": format!("{folder}/build"), "plugins": {"g:p": "1"}, "generators": [],
            "source_sets": source_sets, "test_tasks": test_tasks,
        });
        parse_answer(project.to_string(), Path::new("/p")).unwrap()
    }

    fn modules(projects: Vec<GradleProject>) -> Vec<Module> {
        let jdk = Jdk { home: "/jdk".into(), version: 17, full_version: "17".into() };
        let report = GradleReport { projects }.to_tool_report(Path::new("/p"), &jdk, Vec::new());
        assert_eq!(report.outputs.len(), report.build.modules.len());
        report.build.modules
    }

    fn path(folder: &str) -> PathBuf {
        folder.into()
    }

    #[test]
    fn helpers_of_tests_belong_to_the_module_and_other_tests_are_one() {
        let output = |name: &str| format!("/p/a/build/classes/java/{name}");
        let none = json!({});
        let sets = [
            source_set("main", &[], &none),
            source_set("testFixtures", &[&output("main")], &none),
            source_set("test", &[&output("main"), &output("testFixtures")], &none),
            source_set("slowTest", &[&output("main")], &none),
            source_set("jmh", &[&output("main")], &none),
        ];
        let task = |name: &str, set: &str, option: &str| {
            json!({"name": name, "class_outputs": [output(set)], "jvm_options": [option], "variables": {"SET": set},
                "working_directory": if set == "test" { "/p/a" } else { "/p/run" }})
        };
        let tasks = json!([
            task("testOnOtherJdk", "test", "-Da=other"),
            task("test", "test", "-Da=usual"),
            task("slowTests", "slowTest", "-Da=slow"),
        ]);
        let modules = modules(vec![project(":a", &sets, &tasks)]);
        let names: Vec<_> = modules.iter().map(|module| &module.name[..]).collect();
        assert_eq!(names, ["a", "a (slowTest)"]);
        let [first, slow] = &modules[..] else { panic!("{modules:?}") };
        assert_eq!(first.main_roots, ["a/src/main/java", "a/src/testFixtures/java"].map(path));
        assert_eq!(first.test_roots, [path("a/src/test/java")]);
        assert_eq!(first.test_jvm.options, ["-Da=usual"]);
        assert_eq!(first.test_jvm.variables["SET"], "test");
        assert_eq!(first.test_jvm.working_directory, None);
        assert!(first.needs.is_empty());
        assert_eq!(slow.test_roots, [path("a/src/slowTest/java")]);
        assert_eq!(slow.test_jvm.options, ["-Da=slow"]);
        assert_eq!(slow.test_jvm.working_directory, Some(path("run")));
        assert_eq!(slow.needs, ["a"]);
    }

    #[test]
    fn archives_of_other_projects_are_modules_and_one_version_of_a_library_counts() {
        let cache = tempfile::tempdir().unwrap();
        let library = |version: &str| {
            let file = format!("files-2.1/g/lib/{version}/hash/lib-{version}.jar");
            let file = cache.path().join(file);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(&file, "").unwrap();
            file.to_string_lossy().into_owned()
        };
        let (new, old) = (library("2"), library("1"));
        let libraries =
            ["/p/a/build/libs/a-1.jar", "/p/b/build/libs/b-all.jar", "/q/lib.jar", &new];
        let compilation = json!({"compilation": [old, new]});
        let test = source_set("test", &libraries, &compilation);
        let none = json!([]);
        let modules = modules(vec![
            project(
                ":a",
                &[source_set("main", &[], &json!({"jar": "/p/a/build/libs/a-1.jar"}))],
                &none,
            ),
            project(":b", &[source_set("main", &[], &json!({"class_outputs": []}))], &none),
            project(":c", &[test], &none),
        ]);
        assert_eq!(modules[2].needs, ["a", "b"]);
        assert_eq!(modules[2].class_path, [PathBuf::from(new)]);
        assert_eq!(modules[2].missing, ["lib.jar (made by another build)"]);
    }

    #[test]
    fn compiler_settings_are_those_of_the_tasks() {
        let compiler = |release: Option<u32>, arguments: &[&str]| {
            json!({"compiler": {
                "source": "1.8", "release": release, "encoding": "UTF-8", "arguments": arguments, "processors": [],
            }})
        };
        let main = source_set("main", &[], &compiler(Some(11), &["-Xlint", "-parameters"]));
        let test = source_set("test", &[], &compiler(None, &["--release", "9", "-Ax=y"]));
        let modules = modules(vec![project(":a", &[main, test], &json!([]))]);
        assert_eq!(modules[0].javac_options, ["--release", "11", "-parameters", "-proc:none"]);
        assert_eq!(modules[0].javac_options_of_tests(), ["--release", "9", "-Ax=y", "-proc:none"]);
        assert_eq!(modules[0].encoding.as_deref(), Some("UTF-8"));
        assert_eq!(modules[0].level, Some(11));
        assert_eq!(modules[0].source_patterns.excludes, ["b/**"]);
    }
}
