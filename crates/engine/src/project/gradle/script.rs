//! Parser of Gradle build scripts.

use regex::Regex;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Dependency as declared in a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum DeclaredDependency {
    /// `'group:artifact:version'`.
    Library { group: String, artifact: String, version: Option<String>, is_platform: bool },
    /// `project(':path')`.
    Project(String),
    /// `libs.some.name` from the version catalogue.
    Alias(String),
}

/// A build script without comments.
#[derive(Clone, Debug)]
pub(crate) struct GradleScript(String);

fn compile_regex(pattern: &str) -> Regex {
    Regex::new(pattern).unwrap_or_else(|_| unreachable!("a constant pattern"))
}

const DEPENDENCY_CONFIGURATIONS: &str = r"\b(?:api|implementation|compileOnly|compileOnlyApi|runtimeOnly|compile|runtime|provided|annotationProcessor|test(?:Api|Implementation|CompileOnly|RuntimeOnly|Compile|Runtime))";

impl GradleScript {
    pub(crate) fn new(text: &str) -> Self {
        static COMMENT_PATTERN: LazyLock<Regex> =
            LazyLock::new(|| compile_regex(r"(?s)/\*.*?\*/|(?m)(^|\s)//[^\n]*"));
        Self(COMMENT_PATTERN.replace_all(text, "\n").into_owned())
    }

    /// Returns the text variables: `ext.x = '1'`, `def x = '1'`, `val x = "1"`, `x=1` in properties.
    pub(crate) fn variables(&self) -> BTreeMap<String, String> {
        static ASSIGNMENT_PATTERN: LazyLock<Regex> = LazyLock::new(|| {
            compile_regex(
                r#"(?m)(\w+)\s*(?:=|:|by extra\()\s*(?:["']([^"'\n]*)["']|([\w.-]+)\s*$)"#,
            )
        });
        let value = |found: regex::Captures<'_>| {
            let text = found.get(2).or_else(|| found.get(3))?;
            Some((found[1].to_owned(), text.as_str().to_owned()))
        };
        ASSIGNMENT_PATTERN.captures_iter(&self.0).filter_map(value).collect()
    }

    /// Returns the dependencies, with variables replaced by these values.
    pub(crate) fn dependencies(
        &self,
        values: &BTreeMap<String, String>,
    ) -> Vec<DeclaredDependency> {
        static DEPENDENCY_PATTERN: LazyLock<Regex> = LazyLock::new(|| {
            compile_regex(&format!(r"{DEPENDENCY_CONFIGURATIONS}\b[ \t(]+([^\n]+)"))
        });
        DEPENDENCY_PATTERN
            .captures_iter(&self.0)
            .flat_map(|line| parse_dependencies(&line[1], values))
            .collect()
    }

    /// Returns the paths of the subprojects that settings include.
    pub(crate) fn included_projects(&self) -> Vec<String> {
        static INCLUDE_PATTERN: LazyLock<Regex> =
            LazyLock::new(|| compile_regex(r#"\binclude\b[\s(]*((?:["'][^"']+["'][\s,)]*)+)"#));
        static QUOTED_PATTERN: LazyLock<Regex> =
            LazyLock::new(|| compile_regex(r#"["']([^"']+)["']"#));
        INCLUDE_PATTERN
            .captures_iter(&self.0)
            .flat_map(|list| {
                let paths =
                    QUOTED_PATTERN.captures_iter(list.get(1).map_or("", |list| list.as_str()));
                paths.map(|path| path[1].trim_start_matches(':').to_owned()).collect::<Vec<_>>()
            })
            .collect()
    }

    /// Returns the language level, and true if it is set as a release. That of a toolchain counts only if there is no other.
    pub(crate) fn source_level(&self) -> Option<(String, bool)> {
        static LEVEL_PATTERN: LazyLock<Regex> = LazyLock::new(|| {
            compile_regex(
                r#"(release|sourceCompatibility|languageVersion)\s*(?:\.set)?[\s=(]*(?:JavaVersion\.|JavaLanguageVersion\.of\()?["']?((?:VERSION_)?\d[\d._]*)"#,
            )
        });
        let levels: Vec<_> = LEVEL_PATTERN.captures_iter(&self.0).collect();
        let level_of = |setting: &str| levels.iter().find(|level| &level[1] == setting);
        let settings = ["release", "sourceCompatibility", "languageVersion"];
        let preferred = settings.into_iter().find_map(level_of)?;
        Some((preferred[2].to_owned(), &preferred[1] == "release"))
    }

    /// Returns the folders of source sets: main and test.
    pub(crate) fn source_folders(&self) -> (Vec<String>, Vec<String>) {
        static SOURCE_SET_PATTERN: LazyLock<Regex> = LazyLock::new(|| {
            compile_regex(
                r"\b(main|test)\b|\bjava\b[^\n]*?\bsrcDirs?\b([^\n}]*)|\bsrcDirs?\b([^\n}]*)",
            )
        });
        static QUOTED_PATTERN: LazyLock<Regex> =
            LazyLock::new(|| compile_regex(r#"["']([^"']+)["']"#));
        let (mut main, mut test) = (Vec::new(), Vec::new());
        let Some(start) = self.0.find("sourceSets") else { return (main, test) };
        let mut is_test = false;
        for captures in SOURCE_SET_PATTERN.captures_iter(&self.0[start..]) {
            if let Some(set) = captures.get(1) {
                is_test = set.as_str() == "test";
            } else if let Some(list) = captures.get(2).or_else(|| captures.get(3)) {
                let folders =
                    QUOTED_PATTERN.captures_iter(list.as_str()).map(|name| name[1].to_owned());
                if is_test { test.extend(folders) } else { main.extend(folders) }
            }
        }
        (main, test)
    }

    /// Returns the folders of test reports that the script sets with a literal path, absolute or relative to the
    /// module. The values contain `buildDir` and `rootDir`.
    pub(crate) fn report_folders(&self, values: &BTreeMap<String, String>) -> Vec<String> {
        static REPORT_FOLDER_PATTERN: LazyLock<Regex> = LazyLock::new(|| {
            compile_regex(
                r#"(?x)
                \b(?:testResultsDir(Name)?
                    | junitXml\s*(?:\.\s*|\{[^{}]*?\b)(?:outputLocation|destination|setDestination))\b
                [\ \t]*(?:=|\.set\b)?[\ \t(]*
                (?:new[\ ])?(?:project\.)?([\w.]*\([\w.,\ ]*)?
                ["']([^"'\n]+)["'][\ \t]*([+/])?"#,
            )
        });
        let folder = |setting: regex::Captures<'_>| {
            let is_in_build_folder = setting.get(1).is_some();
            let base = match setting.get(2).map_or("", |call| call.as_str().trim_end()) {
                "" if is_in_build_folder => "$buildDir/",
                "" | "file(" | "layout.projectDirectory.dir(" | "File(projectDir," => "",
                "layout.buildDirectory.dir(" | "File(buildDir," => "$buildDir/",
                "rootProject.file("
                | "rootProject.layout.projectDirectory.dir("
                | "File(rootDir," => "$rootDir/",
                _ => return None,
            };
            let is_complete = setting.get(4).is_none();
            is_complete.then(|| substitute_variables(&format!("{base}{}", &setting[3]), values))?
        };
        REPORT_FOLDER_PATTERN.captures_iter(&self.0).filter_map(folder).collect()
    }
}

fn parse_dependencies(line: &str, values: &BTreeMap<String, String>) -> Vec<DeclaredDependency> {
    static PROJECT_PATTERN: LazyLock<Regex> =
        LazyLock::new(|| compile_regex(r#"project\s*\(\s*(?:path\s*[:=]\s*)?["']:?([^"']+)["']"#));
    static MAP_ENTRY_PATTERN: LazyLock<Regex> =
        LazyLock::new(|| compile_regex(r#"\b(group|name|version)\s*[:=]\s*["']([^"']+)["']"#));
    static ALIAS_PATTERN: LazyLock<Regex> = LazyLock::new(|| compile_regex(r"\blibs((?:\.\w+)+)"));
    static QUOTED_PATTERN: LazyLock<Regex> =
        LazyLock::new(|| compile_regex(r#"["']([^"'\s]+:[^"'\s]+)["']"#));
    if let Some(project) = PROJECT_PATTERN.captures(line) {
        return vec![DeclaredDependency::Project(project[1].to_owned())];
    }
    let is_platform = line.contains("latform(") || line.contains("latform (");
    let map_entries: BTreeMap<String, String> = MAP_ENTRY_PATTERN
        .captures_iter(line)
        .map(|part| (part[1].to_owned(), part[2].to_owned()))
        .collect();
    if let (Some(group), Some(artifact)) = (map_entries.get("group"), map_entries.get("name")) {
        let version_text = map_entries
            .get("version")
            .and_then(|version_text| substitute_variables(version_text, values));
        let (group, artifact) = (group.clone(), artifact.clone());
        return vec![DeclaredDependency::Library {
            group,
            artifact,
            version: version_text,
            is_platform,
        }];
    }
    if let Some(alias) = ALIAS_PATTERN.captures(line) {
        return vec![DeclaredDependency::Alias(alias[1].trim_start_matches('.').to_owned())];
    }
    let parse_coordinates = |text: &str| {
        let text = text.split('@').next().unwrap_or(text);
        let mut components = text.splitn(4, ':').map(str::to_owned);
        let (group, artifact) = (components.next()?, components.next()?);
        let version_text =
            components.next().and_then(|version_text| substitute_variables(&version_text, values));
        Some(DeclaredDependency::Library { group, artifact, version: version_text, is_platform })
    };
    QUOTED_PATTERN.captures_iter(line).filter_map(|text| parse_coordinates(&text[1])).collect()
}

/// Replaces `$name` and `${name}` in a text; `None` if a name is unknown.
fn substitute_variables(text: &str, values: &BTreeMap<String, String>) -> Option<String> {
    static VARIABLE_PATTERN: LazyLock<Regex> =
        LazyLock::new(|| compile_regex(r"\$\{?(?:[\w.]*\.)?(\w+)\}?"));
    let is_known = VARIABLE_PATTERN.captures_iter(text).all(|name| values.contains_key(&name[1]));
    let text = VARIABLE_PATTERN.replace_all(text, |name: &regex::Captures<'_>| {
        values.get(&name[1]).cloned().unwrap_or_default()
    });
    is_known.then(|| text.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn library(group: &str, artifact: &str, version: Option<&str>) -> DeclaredDependency {
        DeclaredDependency::Library {
            group: group.into(),
            artifact: artifact.into(),
            version: version.map(Into::into),
            is_platform: false,
        }
    }

    #[test]
    fn all_dependency_notations_are_parsed() {
        let script = GradleScript::new(
            "ext.junit = '4.13'\n\
             implementation 'g:a:1' // implementation 'g:z:1'\n\
             api(\"g:b:$junit\")\n\
             testCompile group: 'g', name: 'c', version: '3'\n\
             testImplementation(project(\":core\"))\n\
             testImplementation libs.junit.jupiter\n\
             compileOnly 'g:d:${unknown}'\n\
             testImplementation platform('g:bom:5')\n",
        );
        assert_eq!(
            script.dependencies(&script.variables()),
            [
                library("g", "a", Some("1")),
                library("g", "b", Some("4.13")),
                library("g", "c", Some("3")),
                DeclaredDependency::Project("core".into()),
                DeclaredDependency::Alias("junit.jupiter".into()),
                library("g", "d", None),
                DeclaredDependency::Library {
                    group: "g".into(),
                    artifact: "bom".into(),
                    version: Some("5".into()),
                    is_platform: true
                },
            ]
        );
    }

    #[test]
    fn all_language_level_notations_are_parsed() {
        for (text, level) in [
            ("sourceCompatibility = 1.8", ("1.8", false)),
            ("sourceCompatibility = JavaVersion.VERSION_11", ("VERSION_11", false)),
            ("languageVersion = JavaLanguageVersion.of(17)", ("17", false)),
            ("languageVersion.set(JavaLanguageVersion.of(21))", ("21", false)),
            ("sourceCompatibility = '8'\noptions.release.set(9)", ("9", true)),
            (
                "java { toolchain { languageVersion = JavaLanguageVersion.of(17) } }\nsourceCompatibility = '11'",
                ("11", false),
            ),
        ] {
            let (version, is_release) = GradleScript::new(text).source_level().unwrap();
            assert_eq!((version.as_str(), is_release), level, "{text}");
        }
    }

    #[test]
    fn included_projects_and_source_sets_are_parsed() {
        let settings = GradleScript::new("include ':a', 'b:c'\ninclude(\"d\")\n");
        assert_eq!(settings.included_projects(), ["a", "b:c", "d"]);
        let script = GradleScript::new(
            "sourceSets { main { java { srcDirs = ['src', 'gen'] } }\n test { java.srcDir 'test' } }",
        );
        assert_eq!(
            script.source_folders(),
            (vec!["src".into(), "gen".into()], vec!["test".into()])
        );
    }
}
