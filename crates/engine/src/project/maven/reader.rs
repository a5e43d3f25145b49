//! Reader of Maven projects: interprets `pom.xml` files without running Maven.

use super::pom_model::{PomCache, PomContext, PomModel};
use crate::Jdk;
use crate::project::dependencies::dependency::Dependency;
use crate::project::dependencies::resolution;
use crate::project::maven::module_settings::{read_settings, select_sources};
use crate::project::maven::resources::unique_folders;
use crate::project::maven::{build_helper, processors};
use crate::project::module::{existing, normalise_path};
use crate::project::parsed_build::ParsedBuild;
use crate::project::{Module, ProjectOptions, ResourceFolder};
use mend_model::{Problem, Result};
use std::path::{Path, PathBuf};

pub(crate) fn read(root: &Path, options: &ProjectOptions, jdk: &Jdk) -> Result<ParsedBuild> {
    let settings = &options.maven.with_project_settings(root);
    let (repositories, cache) = (&options.repositories, &PomCache::default());
    let context = PomContext { repositories, settings, jdk: jdk.version, cache };
    let mut models = Vec::new();
    collect_models(&root.join("pom.xml"), context, &mut models);
    if models.is_empty() {
        return Err(Problem::Usage {
            message: format!("{} cannot be read", root.join("pom.xml").display()),
            remedy: "fix the file, or use `--build javac` with --source and --classpath".to_owned(),
        });
    }
    let names: Vec<String> = models.iter().map(PomModel::name).collect();
    let mut build = ParsedBuild::default();
    for model in &models {
        let reader = MavenReader { root, model, context, jdk, siblings: &names };
        let module = reader.read_module(&mut build.notes);
        build.modules.push(module);
        build.variables.extend(model.environment_variables(settings));
    }
    Ok(build)
}

/// Collects the models of a POM and of its modules.
pub(super) fn collect_models(pom: &Path, context: PomContext<'_>, models: &mut Vec<PomModel>) {
    let Some(model) = PomModel::load(pom, context) else { return };
    if models.iter().any(|known| known.folder == model.folder) {
        return;
    }
    let (folder, modules) = (model.folder.clone(), model.modules());
    models.push(model);
    for module in modules {
        let path = folder.join(normalise_path(Path::new(&module)));
        let pom = if path.is_dir() { path.join("pom.xml") } else { path };
        collect_models(&pom, context, models);
    }
}

struct MavenReader<'a> {
    root: &'a Path,
    model: &'a PomModel,
    context: PomContext<'a>,
    jdk: &'a Jdk,
    siblings: &'a [String],
}

impl MavenReader<'_> {
    fn read_module(&self, notes: &mut Vec<String>) -> Module {
        let dependencies = self.model.dependencies(self.context);
        let (siblings, external): (Vec<_>, Vec<_>) =
            dependencies.into_iter().partition(|d| self.siblings.contains(&d.name()));
        let managed = self.model.managed_dependencies(self.context);
        let resolved = resolution::resolve(self.context, &external, &managed);
        let processors = processors::read_processors(self.model, self.context, &managed);
        notes.extend(self.model.notes.iter().cloned());
        notes.extend(self.generator_notes());
        let exists = |one: &ResourceFolder| self.root.join(&one.folder).is_dir();
        let (libraries, options) = (&resolved.class_path, &processors.options);
        let settings = read_settings(self.root, self.model, self.jdk, libraries, options, exists);
        let sources = self.source_roots("sourceDirectory", "src/main/java", "add-source");
        let module = Module {
            main_roots: [sources, unique_folders(&settings.templates)].concat(),
            test_roots: self.source_roots(
                "testSourceDirectory",
                "src/test/java",
                "add-test-source",
            ),
            class_path: resolved.class_path,
            needs: siblings.iter().map(Dependency::name).collect(),
            missing: [resolved.missing, processors.resolved.missing].concat(),
            substituted: [resolved.substituted, processors.resolved.substituted].concat(),
            ..settings
        };
        select_sources(module, self.model)
    }

    /// Returns the module's folder, relative to the project's root.
    fn folder(&self) -> &Path {
        self.model.folder.strip_prefix(self.root).unwrap_or(Path::new(""))
    }

    /// Returns the source folders: the declared or default one, those that a goal of build-helper adds, and existing
    /// folders of generated sources.
    fn source_roots(&self, declared: &str, default_folder: &str, goal: &str) -> Vec<PathBuf> {
        let declared = self.model.text_at(&["build", declared]);
        let primary = declared.unwrap_or_else(|| default_folder.to_owned());
        let additional =
            [build_helper::source_folders(self.model, goal), self.generated_roots(goal)].concat();
        let names =
            std::iter::once(primary).chain(additional).map(|name| self.relative_to_module(&name));
        let names: Vec<String> = names.collect();
        existing(self.root, self.folder(), names.iter().map(String::as_str))
    }

    /// Returns a folder's name relative to the module.
    fn relative_to_module(&self, name: &str) -> String {
        let path = Path::new(name);
        let relative_path = path.strip_prefix(&self.model.folder).unwrap_or(path);
        relative_path.to_string_lossy().into_owned()
    }

    /// Returns the folders of generated sources in this tree, except those of annotation processors, which run again.
    fn generated_roots(&self, goal: &str) -> Vec<String> {
        let (generated_folder, processor_folder) = match goal {
            "add-source" => ("target/generated-sources", "annotations"),
            _ => ("target/generated-test-sources", "test-annotations"),
        };
        let entries = std::fs::read_dir(self.model.folder.join(generated_folder))
            .into_iter()
            .flatten()
            .flatten();
        let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        let mut names: Vec<_> = names.filter(|name| name != processor_folder).collect();
        names.sort();
        names.into_iter().map(|name| format!("{generated_folder}/{name}")).collect()
    }

    /// Says so where sources come from a generator, which is not run.
    fn generator_notes(&self) -> Vec<String> {
        let known_generators =
            ["antlr", "javacc", "protobuf", "jaxb", "jflex", "modello", "avro", "cxf"];
        let generates = |plugin: &&str| known_generators.iter().any(|name| plugin.contains(name));
        let generated_folder = self.model.folder.join("target/generated-sources");
        let state = if generated_folder.is_dir() {
            "its generated sources are used as they are in target/generated-sources"
        } else {
            "its generated sources are missing"
        };
        let plugins = self.model.plugins().filter(generates);
        plugins.map(|plugin| format!("{plugin} does not run: {state}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BuildKind, Project};

    fn jdk() -> Jdk {
        Jdk { home: "/jdk".into(), version: 17, full_version: "17".into() }
    }

    fn write_file(root: &Path, file: &str, text: &str) {
        let path = root.join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn discover(root: &Path) -> Project {
        Project::read_files(root, &ProjectOptions::default(), &jdk()).unwrap()
    }

    fn pom_xml(artifact: &str, rest: &str) -> String {
        format!(
            "<project><groupId>g</groupId><artifactId>{artifact}</artifactId><version>1</version>\
             {rest}</project>"
        )
    }

    #[test]
    fn minimal_pom_uses_default_folders() {
        let root = tempfile::tempdir().unwrap();
        let rest = "<properties><maven.compiler.release>11</maven.compiler.release>\
            <project.build.sourceEncoding>ISO-8859-1</project.build.sourceEncoding></properties>\
            <dependencies><dependency><groupId>x</groupId><artifactId>y</artifactId>\
            <version>2</version></dependency></dependencies>";
        write_file(root.path(), "pom.xml", &pom_xml("a", rest));
        write_file(root.path(), "src/main/java/A.java", "");
        write_file(root.path(), "src/test/resources/r.txt", "");
        let project = discover(root.path());
        assert_eq!(project.build, BuildKind::Maven);
        assert_eq!(project.main_roots, [PathBuf::from("src/main/java")]);
        assert_eq!(project.test_roots, Vec::<PathBuf>::new());
        assert_eq!(project.test_resource_roots, [PathBuf::from("src/test/resources")]);
        assert_eq!(project.javac_options, ["--release", "11"]);
        assert_eq!(project.encoding.as_deref(), Some("ISO-8859-1"));
        assert_eq!(project.missing, ["x:y:2"]);
    }

    #[test]
    fn modules_that_the_jdk_lacks_are_not_added() {
        let root = tempfile::tempdir().unwrap();
        let rest =
            "<properties><argLine>-ea --add-modules jakarta.mail,java.sql</argLine></properties>";
        write_file(root.path(), "pom.xml", &pom_xml("a", rest));
        write_file(root.path(), "src/main/java/A.java", "");
        write_file(root.path(), "jdk/release", "MODULES=\"java.base java.sql\"\n");
        let jdk = Jdk { home: root.path().join("jdk"), ..jdk() };
        let project = Project::read_files(root.path(), &ProjectOptions::default(), &jdk).unwrap();
        assert_eq!(project.test_jvm.options, ["-ea", "--add-modules=java.sql"]);
    }

    #[test]
    fn declared_folders_and_plugin_settings_are_used() {
        let root = tempfile::tempdir().unwrap();
        let rest = "<build><sourceDirectory>${basedir}/source</sourceDirectory>\
            <testSourceDirectory>check</testSourceDirectory>\
            <resources><resource><directory>./</directory></resource></resources><plugins>\
            <plugin><artifactId>maven-compiler-plugin</artifactId><configuration>\
            <source>1.5</source><compilerArgs><arg>-parameters</arg><arg>-Werror</arg></compilerArgs>\
            </configuration></plugin><plugin><artifactId>maven-surefire-plugin</artifactId>\
            <configuration><argLine>${agent} -Xss256k</argLine><systemPropertyVariables>\
            <data>${basedir}/d</data></systemPropertyVariables>\
            <environmentVariables><PLACE>${basedir}/e</PLACE><NONE/><LATER>${later}</LATER></environmentVariables>\
            <workingDirectory>${project.build.directory}/run</workingDirectory></configuration></plugin>\
            </plugins></build>";
        write_file(root.path(), "pom.xml", &pom_xml("a", rest));
        write_file(root.path(), "source/A.java", "");
        write_file(root.path(), "check/ATest.java", "");
        let project = discover(root.path());
        assert_eq!(project.main_roots, [PathBuf::from("source")]);
        assert_eq!(project.test_roots, [PathBuf::from("check")]);
        assert_eq!(project.resource_roots, [PathBuf::new()]);
        assert_eq!(project.javac_options, ["-source", "1.7", "-target", "1.7", "-parameters"]);
        let jvm = project.test_jvm;
        assert_eq!(jvm.options, ["-Xss256k", "-Ddata=${tree}/d"]);
        let variables =
            [("NONE", ""), ("PLACE", "${tree}/e")].map(|(name, value)| (name.into(), value.into()));
        assert_eq!(jvm.variables, variables.into());
        assert_eq!(jvm.working_directory, Some(PathBuf::from("target/run")));
        assert_eq!(project.notes, ["JDK 17 cannot compile for Java 5; Java 7 is used"]);
    }

    #[test]
    fn module_includes_only_its_dependencies() {
        let root = tempfile::tempdir().unwrap();
        let modules = "<packaging>pom</packaging><modules><module>core</module><module>app</module>\
            <module>other</module></modules>";
        let core_dependency = "<dependencies><dependency><groupId>g</groupId><artifactId>core</artifactId>\
            <version>1</version></dependency></dependencies>";
        write_file(root.path(), "pom.xml", &pom_xml("all", modules));
        for (module, rest) in [("core", ""), ("app", core_dependency), ("other", "")] {
            write_file(root.path(), &format!("{module}/pom.xml"), &pom_xml(module, rest));
            write_file(root.path(), &format!("{module}/src/main/java/{module}/A.java"), "");
        }
        write_file(root.path(), "app/src/test/java/ATest.java", "");
        let project = discover(root.path());
        assert_eq!(project.main_roots.len(), 3);
        assert_eq!(project.missing, Vec::<String>::new());
        let test = PathBuf::from("app/src/test/java/ATest.java");
        let narrowed = project.narrow_to(std::slice::from_ref(&test));
        assert_eq!(
            narrowed.main_roots,
            [PathBuf::from("app/src/main/java"), PathBuf::from("core/src/main/java")]
        );
        assert_eq!(project.test_folder(&test), PathBuf::from("app"));
    }

    #[test]
    fn generated_sources_in_the_tree_are_used() {
        let root = tempfile::tempdir().unwrap();
        let rest = "<build><plugins><plugin><artifactId>antlr4-maven-plugin</artifactId></plugin>\
            </plugins></build>";
        write_file(root.path(), "pom.xml", &pom_xml("a", rest));
        write_file(root.path(), "src/main/java/A.java", "");
        let notes = |project: &Project| project.notes.join("\n");
        let without_generated = discover(root.path());
        assert!(
            notes(&without_generated).contains("sources are missing"),
            "{}",
            notes(&without_generated)
        );
        write_file(root.path(), "target/generated-sources/antlr4/P.java", "");
        write_file(root.path(), "target/generated-sources/annotations/Q.java", "");
        let with_generated = discover(root.path());
        assert!(notes(&with_generated).contains("used as they are"), "{}", notes(&with_generated));
        let roots = ["src/main/java", "target/generated-sources/antlr4"].map(PathBuf::from);
        assert_eq!(with_generated.main_roots, roots);
    }

    #[test]
    fn only_filtered_or_partial_resources_are_copied() {
        let root = tempfile::tempdir().unwrap();
        let rest = "<build><resources><resource><directory>plain</directory></resource>\
            <resource><directory>both</directory><filtering>true</filtering>\
            <includes><include>a</include></includes></resource><resource>\
            <directory>both</directory><excludes><exclude>a</exclude></excludes></resource>\
            </resources></build>";
        write_file(root.path(), "pom.xml", &pom_xml("a", rest));
        for file in ["plain/x", "both/a", "both/b", "src/main/java/A.java"] {
            write_file(root.path(), file, "");
        }
        let project = discover(root.path());
        assert_eq!(project.resource_roots, ["plain", "both"].map(PathBuf::from));
        let copied = &project.copied_resources;
        assert_eq!(
            copied.iter().map(|one| one.values.is_some()).collect::<Vec<_>>(),
            [true, false]
        );
        let values = copied[0].values.as_ref().unwrap();
        assert_eq!(values.texts["project.build.directory"], "${tree}/target");
    }

    #[test]
    fn command_line_profile_adds_source_roots() {
        let root = tempfile::tempdir().unwrap();
        let rest = "<profiles><profile><id>more</id><build><plugins><plugin>\
            <artifactId>build-helper-maven-plugin</artifactId><executions><execution><goals>\
            <goal>add-source</goal></goals><configuration><sources><source>extra</source></sources>\
            </configuration></execution></executions></plugin></plugins></build></profile></profiles>";
        write_file(root.path(), "pom.xml", &pom_xml("a", rest));
        write_file(root.path(), "src/main/java/A.java", "");
        write_file(root.path(), "extra/B.java", "");
        assert_eq!(discover(root.path()).main_roots.len(), 1);
        write_file(root.path(), ".mvn/maven.config", "-Pmore");
        assert_eq!(discover(root.path()).main_roots.len(), 2);
    }

    #[test]
    fn malformed_pom_is_a_usage_problem() {
        let root = tempfile::tempdir().unwrap();
        write_file(root.path(), "pom.xml", "<project>");
        let problem = Project::read_files(root.path(), &ProjectOptions::default(), &jdk());
        assert!(matches!(problem, Err(Problem::Usage { .. })));
    }
}
