//! Compiler settings of a POM, for its main or its test sources.

use super::pom::XmlElement;
use super::pom_model::{COMPILER_PLUGIN, PomModel};
use crate::Jdk;
use crate::jdk::source_level::SourceLevel;
use crate::project::path_patterns::PathPatterns;
use crate::project::relevant_arguments::relevant_javac_options;

/// Compiler settings of a POM, for its main or its test sources.
#[derive(Clone, Copy)]
pub(crate) struct CompilerSettings<'a> {
    model: &'a PomModel,
    is_for_tests: bool,
}

impl<'a> CompilerSettings<'a> {
    pub(crate) fn for_main(model: &'a PomModel) -> Self {
        Self { model, is_for_tests: false }
    }

    pub(crate) fn for_tests(model: &'a PomModel) -> Self {
        Self { model, is_for_tests: true }
    }

    /// Returns the configurations that apply, by decreasing precedence. An execution with roots of its own compiles other sources.
    fn configurations(&self) -> Vec<&'a XmlElement> {
        let (default_id, goal) = if self.is_for_tests {
            ("default-testCompile", "testCompile")
        } else {
            ("default-compile", "compile")
        };
        let compiles_default_roots = |execution: &&XmlElement| {
            let is_elsewhere = execution.child("configuration").is_some_and(|configuration| {
                configuration.child("compileSourceRoots").is_some()
                    || configuration.text_at(&["multiReleaseOutput"]) == Some("true")
            });
            let goals = execution.find_all(&["goals", "goal"]);
            !is_elsewhere && (goals.is_empty() || goals.iter().any(|one| one.text == goal))
        };
        let executions = self.model.executions(COMPILER_PLUGIN).into_iter();
        let (default, others): (Vec<_>, Vec<_>) = executions
            .filter(compiles_default_roots)
            .partition(|execution| execution.text_at(&["id"]) == Some(default_id));
        let is_active = |execution: &&XmlElement| execution.text_at(&["phase"]) != Some("none");
        let configuration = |execution: &'a XmlElement| execution.child("configuration");
        let default = default.into_iter().filter(is_active).filter_map(configuration);
        let plugin_level = self.model.plugin_configurations(COMPILER_PLUGIN);
        let others = others.into_iter().filter(is_active).filter_map(configuration);
        default.chain(plugin_level).chain(others).collect()
    }

    /// Returns a setting: the plugin's configuration takes precedence over the property. `${…}` counts as unset.
    fn text(&self, name: &str) -> Option<String> {
        let configurations = self.configurations();
        let configured = configurations.iter().find_map(|one| one.text_at(&[name]));
        configured
            .map(|text| self.model.interpolate(text))
            .filter(|text| !text.contains("${"))
            .or_else(|| self.model.property(&format!("maven.compiler.{name}")))
    }

    /// Returns the elements at a path in the first configuration that has any.
    fn texts(&self, path: &[&str]) -> Vec<String> {
        let found = self.configurations().into_iter().map(|one| one.find_all(path));
        let elements = found.into_iter().find(|found| !found.is_empty()).unwrap_or_default();
        elements.into_iter().map(|element| self.model.interpolate(&element.text)).collect()
    }

    fn is_true(&self, name: &str) -> bool {
        self.text(name).as_deref() == Some("true")
    }

    /// Returns the language level.
    pub(crate) fn source_level(&self) -> Option<SourceLevel> {
        let test_name = |name: &str| match name {
            "release" => "testRelease",
            "source" => "testSource",
            _ => "testTarget",
        };
        let level = |name: &str| {
            let own = self.is_for_tests.then(|| self.text(test_name(name))).flatten();
            SourceLevel::parse(&own.or_else(|| self.text(name))?, name == "release")
        };
        level("release").or_else(|| level("source")).or_else(|| level("target"))
    }

    /// Returns the options for `javac` that affect the classes.
    pub(crate) fn javac_options(&self, jdk: &Jdk) -> Vec<String> {
        let level = self.source_level();
        let mut options = level.map(|level| level.javac_options(jdk)).unwrap_or_default();
        if self.is_true("parameters") {
            options.push("-parameters".to_owned());
        }
        if self.is_true("enablePreview") {
            options.push("--enable-preview".to_owned());
        }
        for option in relevant_javac_options(self.arguments()) {
            let is_flag_set = option == "-parameters" || option == "--enable-preview";
            if !(is_flag_set && options.contains(&option)) {
                options.push(option);
            }
        }
        options
    }

    /// Returns the arguments that the POM passes on to the compiler.
    fn arguments(&self) -> Vec<String> {
        let single = |name: &str| self.texts(&[name]);
        let test_argument =
            if self.is_for_tests { single("testCompilerArgument") } else { Vec::new() };
        let single_argument =
            if test_argument.is_empty() { single("compilerArgument") } else { test_argument };
        [self.texts(&["compilerArgs", "*"]), single_argument].concat()
    }

    /// Returns the patterns of the sources that are compiled.
    pub(crate) fn source_patterns(&self) -> PathPatterns {
        PathPatterns {
            includes: self.texts(&["includes", "*"]),
            excludes: self.texts(&["excludes", "*"]),
        }
    }

    /// Returns the encoding of the sources.
    pub(crate) fn encoding(&self) -> Option<String> {
        self.text("encoding").or_else(|| self.model.property("project.build.sourceEncoding"))
    }
}
