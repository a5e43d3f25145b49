//! Folders of the test reports that build files set.

use super::build_kind::detect_build_kind;
use super::module::normalise_path;
use super::{BuildKind, gradle, maven};
use crate::Environment;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Returns the folders of test reports that the build files of a project set with a plain path, in order. They are
/// relative to the module, or to the project if they are outside the module. Folders outside the project are left out.
pub fn find_report_folders(root: &Path, environment: &Environment) -> Vec<PathBuf> {
    let Ok(root) = std::path::absolute(root).map(|root| normalise_path(&root)) else {
        return Vec::new();
    };
    let declared_folders = match detect_build_kind(&root) {
        BuildKind::Maven => maven::report_folders::read(&root, environment),
        BuildKind::Gradle => gradle::report_folders::read(&root),
        BuildKind::Javac | BuildKind::Auto => Vec::new(),
    };
    let folders: BTreeSet<PathBuf> =
        declared_folders.iter().filter_map(|declared| declared.relative_to(&root)).collect();
    folders.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(files: &[(&str, &str)]) -> Vec<String> {
        let root = tempfile::tempdir().unwrap();
        for (file, text) in files {
            let path = root.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let folders = find_report_folders(root.path(), &Environment::default());
        folders.iter().map(|folder| folder.display().to_string()).collect()
    }

    fn plugin(name: &str, folder: &str) -> String {
        format!(
            "<plugin><artifactId>maven-{name}-plugin</artifactId><configuration><reportsDirectory>{folder}\
             </reportsDirectory></configuration></plugin>"
        )
    }

    #[test]
    fn folders_of_maven_are_relative_to_their_modules() {
        let parent = format!(
            "<project><groupId>g</groupId><artifactId>all</artifactId><version>1</version>\
             <packaging>pom</packaging><modules><module>a</module><module>b</module></modules>\
             <properties><junit.folder>${{project.build.directory}}/junit</junit.folder></properties>\
             <build><pluginManagement><plugins>{}</plugins></pluginManagement></build></project>",
            plugin("surefire", "${junit.folder}")
        );
        let child = |name: &str, plugins: &str| {
            format!(
                "<project><parent><groupId>g</groupId><artifactId>all</artifactId><version>1</version></parent>\
                 <artifactId>{name}</artifactId><build><plugins>{plugins}</plugins></build></project>"
            )
        };
        let shared = plugin("failsafe", "${project.basedir}/../out/it");
        let unusable =
            ["/tmp/x", "${unknown}/x", "../../x"].map(|path| plugin("surefire", path)).concat();
        let files = [
            ("pom.xml", parent.as_str()),
            ("a/pom.xml", &child("a", &shared)),
            ("b/pom.xml", &child("b", &unusable)),
        ];
        assert_eq!(find(&files), ["out/it", "target/junit"]);
    }

    #[test]
    fn folder_of_an_execution_is_found() {
        let pom = "<project><artifactId>a</artifactId><build><plugins><plugin>\
            <artifactId>maven-failsafe-plugin</artifactId><executions><execution><configuration>\
            <reportsDirectory>reports</reportsDirectory></configuration></execution></executions>\
            </plugin></plugins></build></project>";
        assert_eq!(find(&[("pom.xml", pom)]), ["reports"]);
    }

    #[test]
    fn gradle_settings_with_a_literal_path_are_found() {
        for (setting, folder) in [
            ("testResultsDirName = 'junit'", "build/junit"),
            ("java { testResultsDir = layout.buildDirectory.dir('junit') }", "build/junit"),
            ("java.testResultsDir.set(layout.projectDirectory.dir(\"junit\"))", "junit"),
            ("testResultsDir = file('out/junit')", "out/junit"),
            ("reports.junitXml.outputLocation = layout.buildDirectory.dir('x')", "build/x"),
            (
                "reports.junitXml.outputLocation.set(project.layout.buildDirectory.dir(\"x\"))",
                "build/x",
            ),
            ("reports { junitXml {\n required = true\n outputLocation.set(file(\"x\"))\n} }", "x"),
            ("reports.junitXml.destination = file(\"$buildDir/x\")", "build/x"),
            ("reports.junitXml.destination file(\"${project.buildDir}/x\")", "build/x"),
            ("junitXml.destination = new File(buildDir, 'x')", "build/x"),
            ("junitXml.setDestination(file('x'))", "x"),
            ("def y = 'z'\njunitXml.destination = file(\"x/${y}\")", "x/z"),
        ] {
            assert_eq!(find(&[("build.gradle", setting)]), [folder], "{setting}");
        }
    }

    #[test]
    fn other_gradle_settings_are_left_out() {
        for setting in [
            "reports.html.outputLocation = file('x')",
            "reports { junitXml { required = true }\n html { outputLocation = file('x') } }",
            "junitXml.outputLocation = layout.buildDirectory.dir(folder)",
            "junitXml.destination = file(\"$buildDir/\" + name)",
            "junitXml.destination = file(\"$buildDir/$name\")",
            "junitXml.outputLocation = other.folder('x')",
            "// testResultsDirName = 'junit'",
            "println testResultsDir\ndef x = 'y'",
        ] {
            assert_eq!(find(&[("build.gradle", setting)]), Vec::<String>::new(), "{setting}");
        }
    }

    #[test]
    fn gradle_root_script_applies_to_every_module() {
        let files = [
            ("settings.gradle.kts", "include(\":a\", \":b\")"),
            (
                "build.gradle.kts",
                "subprojects { java.testResultsDir = rootProject.file(\"out/junit\") }",
            ),
            ("b/build.gradle.kts", "testResultsDir = layout.buildDirectory.dir(\"junit\")"),
        ];
        assert_eq!(find(&files), ["build/junit", "out/junit"]);
    }
}
