//! Reader of Gradle projects: parses their scripts without running Gradle.

use crate::Jdk;
use crate::jdk::source_level::SourceLevel;
use crate::project::dependencies::dependency::Dependency;
use crate::project::dependencies::resolution;
use crate::project::gradle::build_scripts::{BuildScripts, ModuleScript};
use crate::project::gradle::script::{DeclaredDependency, GradleScript};
use crate::project::maven::pom_model::{PomCache, PomContext};
use crate::project::module::existing;
use crate::project::parsed_build::ParsedBuild;
use crate::project::{Module, ProjectOptions};
use mend_model::{Problem, Result};
use std::path::{Path, PathBuf};

pub(crate) fn read(root: &Path, options: &ProjectOptions, jdk: &Jdk) -> Result<ParsedBuild> {
    let Some(scripts) = BuildScripts::read(root) else {
        return Err(Problem::Usage {
            message: format!("there is no Gradle build in {}", root.display()),
            remedy: "use `--build javac` with --source and --classpath".to_owned(),
        });
    };
    let ProjectOptions { repositories, maven: settings, .. } = options;
    let cache = &PomCache::default();
    let context = PomContext { repositories, settings, jdk: jdk.version, cache };
    let catalogue = VersionCatalogue::read(&root.join("gradle/libs.versions.toml"));
    let reader = GradleReader { root, scripts: &scripts, context, jdk, catalogue };
    let mut build = ParsedBuild::default();
    for path in &scripts.module_paths {
        let module = reader.read_module(path, &mut build.notes);
        build.modules.push(module);
    }
    Ok(build)
}

struct GradleReader<'a> {
    root: &'a Path,
    scripts: &'a BuildScripts<'a>,
    context: PomContext<'a>,
    jdk: &'a Jdk,
    catalogue: VersionCatalogue,
}

impl GradleReader<'_> {
    /// Reads the module with a path such as `a:b`; the empty path is the root.
    fn read_module(&self, path: &str, notes: &mut Vec<String>) -> Module {
        let ModuleScript { folder, script: own_script, variables: values } =
            self.scripts.read_module(path);
        let root_script = &self.scripts.root_script;
        // Settings of the root script for all subprojects are also treated as settings of the root.
        let mut declarations = own_script
            .as_ref()
            .map(|own_script| own_script.dependencies(&values))
            .unwrap_or_default();
        declarations.extend(root_script.dependencies(&values));
        let script = own_script.as_ref().unwrap_or(root_script);
        let mut module = self.new_module(script, folder);
        path.clone_into(&mut module.name);
        self.resolve(declarations, &mut module, notes);
        let level = script.source_level().or_else(|| root_script.source_level());
        if let Some(level) = level.and_then(|(text, release)| SourceLevel::parse(&text, release)) {
            module.level = Some(level.version);
            module.javac_options = level.javac_options(self.jdk);
        }
        module
    }

    fn new_module(&self, script: &GradleScript, folder: PathBuf) -> Module {
        let (main, test) = script.source_folders();
        let source_roots = |named: &[String], usual: &str| {
            let names: Vec<&str> = if named.is_empty() {
                vec![usual]
            } else {
                named.iter().map(String::as_str).collect()
            };
            existing(self.root, &folder, names)
        };
        Module {
            main_roots: source_roots(&main, "src/main/java"),
            test_roots: source_roots(&test, "src/test/java"),
            resource_roots: existing(self.root, &folder, ["src/main/resources"]),
            test_resource_roots: existing(self.root, &folder, ["src/test/resources"]),
            folder,
            ..Module::default()
        }
    }

    fn resolve(
        &self,
        declarations: Vec<DeclaredDependency>,
        module: &mut Module,
        notes: &mut Vec<String>,
    ) {
        let (mut direct, mut managed) = (Vec::new(), Vec::new());
        for declaration in declarations {
            let libraries = match declaration {
                DeclaredDependency::Project(path) => {
                    module.needs.push(path);
                    continue;
                }
                DeclaredDependency::Alias(alias) => self.catalogue.find_libraries(&alias),
                library @ DeclaredDependency::Library { .. } => vec![library],
            };
            if libraries.is_empty() {
                notes.push("a library of the version catalogue cannot be resolved".to_owned());
            }
            for library in libraries {
                self.add_library(library, &mut direct, &mut managed);
            }
        }
        for dependency in &mut direct {
            dependency.apply_managed(&managed);
        }
        let resolved = resolution::resolve(self.context, &direct, &managed);
        module.class_path = resolved.class_path;
        module.missing = resolved.missing;
        module.substituted = resolved.substituted;
    }

    fn add_library(
        &self,
        library: DeclaredDependency,
        direct: &mut Vec<Dependency>,
        managed: &mut Vec<Dependency>,
    ) {
        let DeclaredDependency::Library { group, artifact, version, is_platform } = library else {
            return;
        };
        let dependency = Dependency::new(&group, &artifact, version.as_deref());
        if is_platform {
            let local_artifact = self.context.find(&dependency.coordinates);
            let model = local_artifact
                .and_then(|local_artifact| self.context.load_model(&local_artifact.pom?));
            managed.extend(model.iter().flat_map(|model| model.managed_dependencies(self.context)));
        } else {
            direct.push(dependency);
        }
    }
}

/// Version catalogue in `gradle/libs.versions.toml`.
#[derive(Debug, Default)]
struct VersionCatalogue(toml::Table);

impl VersionCatalogue {
    fn read(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        Self(text.parse().unwrap_or_default())
    }

    /// Returns the libraries of an alias (`junit.jupiter`, `bundles.tests`).
    fn find_libraries(&self, alias: &str) -> Vec<DeclaredDependency> {
        let dotted = |name: &str| name.replace(['-', '_'], ".");
        let entry = |table: &str, alias: &str| {
            let table = self.0.get(table)?.as_table()?;
            table.iter().find(|(name, _)| dotted(name) == alias).map(|(_, value)| value)
        };
        if let Some(bundle) = alias.strip_prefix("bundles.") {
            let names = entry("bundles", bundle).and_then(toml::Value::as_array);
            let names = names.into_iter().flatten().filter_map(toml::Value::as_str);
            return names.flat_map(|name| self.find_libraries(&dotted(name))).collect();
        }
        entry("libraries", alias)
            .and_then(|library| self.parse_library(library))
            .into_iter()
            .collect()
    }

    fn parse_library(&self, entry: &toml::Value) -> Option<DeclaredDependency> {
        let text = |name: &str| entry.get(name).and_then(toml::Value::as_str).map(str::to_owned);
        let module = entry.as_str().map(str::to_owned).or_else(|| text("module"));
        let module = module.or_else(|| Some(format!("{}:{}", text("group")?, text("name")?)))?;
        let mut components = module.splitn(3, ':').map(str::to_owned);
        let (group, artifact, inline) = (components.next()?, components.next()?, components.next());
        let reference = entry.get("version").and_then(|version| version.get("ref")?.as_str());
        let referenced_version =
            reference.and_then(|name| self.0.get("versions")?.get(name)?.as_str());
        let version =
            inline.or_else(|| text("version")).or_else(|| referenced_version.map(str::to_owned));
        Some(DeclaredDependency::Library { group, artifact, version, is_platform: false })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LocalRepositories, Project};

    fn write(root: &Path, file: &str, text: &str) {
        let path = root.join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    #[test]
    fn sub_projects_libraries_and_levels_are_parsed() {
        let root = tempfile::tempdir().unwrap();
        let cache = tempfile::tempdir().unwrap();
        write(cache.path(), "g/lib/1/abc/lib-1.jar", "");
        write(cache.path(), "g/tool/2/abc/tool-2.jar", "");
        write(root.path(), "settings.gradle.kts", "include(\":core\", \":app\")");
        write(root.path(), "core/build.gradle.kts", "dependencies { api(\"g:lib:1\") }");
        write(
            root.path(),
            "app/build.gradle",
            "sourceCompatibility = 11\ndependencies {\n implementation project(':core')\n \
             testImplementation libs.the.tool\n testImplementation 'g:gone:3'\n}",
        );
        write(
            root.path(),
            "gradle/libs.versions.toml",
            "[versions]\nt = '2'\n[libraries]\nthe-tool = { module = 'g:tool', version.ref = 't' }",
        );
        write(root.path(), "core/src/main/java/A.java", "");
        write(root.path(), "app/src/test/java/ATest.java", "");
        let repositories =
            LocalRepositories { maven: vec![], gradle: vec![cache.path().to_owned()] };
        let options = ProjectOptions { repositories, ..ProjectOptions::default() };
        let jdk = Jdk { home: "/jdk".into(), version: 17, full_version: "17".into() };
        let project = Project::read_files(root.path(), &options, &jdk).unwrap();
        let project = project.narrow_to(&["app/src/test/java/ATest.java".into()]);
        assert_eq!(project.main_roots, [PathBuf::from("core/src/main/java")]);
        assert_eq!(project.class_path.len(), 2);
        assert_eq!(project.missing, ["g:gone:3"]);
        assert_eq!(project.javac_options, ["-source", "11", "-target", "11"]);
    }
}
