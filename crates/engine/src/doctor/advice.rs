//! Instructions for installing missing libraries, from Maven, Gradle or Debian repositories.

use super::DoctorContext;
use crate::{BuildKind, LaunchSpec, Project};
use mend_model::{DoctorFinding, DoctorStatus};
use mend_model::{Problem, Result};
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

/// Debian's packages that are not called after the artifact; an artifact's name may be its beginning.
const PACKAGES: [(&str, &str); 11] = [
    ("junit:junit", "junit4"),
    ("org.junit.", "junit5"),
    ("org.hamcrest:", "libhamcrest-java"),
    ("org.mockito:", "libmockito-java"),
    ("org.testng:", "testng"),
    ("org.slf4j:", "libslf4j-java"),
    ("org.easymock:", "libeasymock-java"),
    ("com.google.code.gson:", "libgoogle-gson-java"),
    ("io.netty:", "libnetty-java"),
    ("com.google.guava:", "libguava-java"),
    ("com.fasterxml.jackson.core:", "libjackson2-core-java"),
];

/// Time limit of a package lookup.
const PATIENCE: Duration = Duration::from_secs(10);

/// One line about getting libraries: from Debian where it has packages of them, or by the build tool.
pub(super) fn how_to_get(
    checkup: &DoctorContext<'_>,
    build: BuildKind,
    libraries: &[String],
) -> Result<String> {
    let download = match build {
        BuildKind::Maven => {
            format!("download them with `{} dependency:go-offline`", maven(checkup))
        }
        BuildKind::Gradle => format!("download them with `{} testClasses`", gradle(checkup)),
        BuildKind::Javac | BuildKind::Auto => "put the jars into lib".to_owned(),
    };
    let packages = available(checkup, libraries)?;
    let debian = if packages.is_empty() {
        String::new()
    } else {
        format!(", or `apt-get install {}`", packages.join(" "))
    };
    Ok(format!("{download}{debian}, or pass jars with --classpath or in .git-mend.toml"))
}

/// Returns the packages that exist in this machine's Debian repositories.
fn available(checkup: &DoctorContext<'_>, libraries: &[String]) -> Result<Vec<String>> {
    let names: BTreeSet<String> = libraries.iter().map(|library| package(library)).collect();
    let Some(program) = checkup.on_path("apt-cache") else { return Ok(Vec::new()) };
    // One line a version: `name | version | origin`.
    let command = LaunchSpec::new(program, checkup.root).arg("madison").args(&names);
    let said = match checkup.launcher.run(&command.limit(Some(PATIENCE))) {
        Ok(ended) => ended.output,
        Err(Problem::Interrupted) => return Err(Problem::Interrupted),
        Err(_) => return Ok(Vec::new()),
    };
    let known: BTreeSet<&str> =
        said.lines().filter_map(|line| Some(line.split_once('|')?.0.trim())).collect();
    Ok(names.into_iter().filter(|name| known.contains(name.as_str())).collect())
}

/// Returns the name of the Debian package of a library, by Debian's naming convention.
fn package(library: &str) -> String {
    let known = PACKAGES.iter().find(|(start, _)| library.starts_with(start));
    let by_custom = || format!("lib{}-java", library.split(':').nth(1).unwrap_or(library));
    known.map_or_else(by_custom, |(_, package)| (*package).to_owned()).to_lowercase()
}

/// Checks the build tool. git-mend reads build files itself and needs the tool only for downloads.
pub(super) fn build_tool(checkup: &DoctorContext<'_>, project: &Project) -> Option<DoctorFinding> {
    let (program, wrapper) = match project.build {
        BuildKind::Maven => ("mvn", "mvnw"),
        BuildKind::Gradle => ("gradle", "gradlew"),
        BuildKind::Javac | BuildKind::Auto => return None,
    };
    let has_wrapper = checkup.root.join(wrapper).is_file();
    let state = match checkup.on_path(program) {
        _ if has_wrapper => format!("{wrapper} is in the project"),
        Some(_) => format!("{program} is on PATH"),
        None => format!("neither {program} nor {wrapper} was found"),
    };
    let is_here = has_wrapper || checkup.on_path(program).is_some();
    let is_needed = !project.missing.is_empty();
    let status = if is_here || !is_needed { DoctorStatus::Ok } else { DoctorStatus::Note };
    let message = format!("{state}; it is needed only for downloads");
    let finding = DoctorFinding::new("build tool", status, message).listing(repositories(checkup));
    if project.build == BuildKind::Maven && is_needed && checkup.options.maven.is_offline() {
        let remedy = "remove <offline> from ~/.m2/settings.xml for the download";
        let message = format!("{state}; settings.xml sets it offline");
        return Some(
            DoctorFinding { status: DoctorStatus::Note, message, ..finding }.remedied(remedy),
        );
    }
    Some(finding)
}

fn repositories(checkup: &DoctorContext<'_>) -> Vec<String> {
    let all = &checkup.options.repositories;
    let shown = |place: &Path| format!("libraries are searched in {}", place.display());
    all.maven.iter().chain(&all.gradle).map(|place| shown(place)).collect()
}

fn maven(checkup: &DoctorContext<'_>) -> &'static str {
    if checkup.root.join("mvnw").is_file() { "./mvnw" } else { "mvn" }
}

fn gradle(checkup: &DoctorContext<'_>) -> &'static str {
    if checkup.root.join("gradlew").is_file() { "./gradlew" } else { "gradle" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debian_calls_most_libraries_after_their_artifact() {
        for (library, name) in [
            ("org.assertj:assertj-core:3.24", "libassertj-core-java"),
            ("junit:junit:4.12", "junit4"),
            ("org.junit.jupiter:junit-jupiter-engine", "junit5"),
            ("org.hamcrest:hamcrest-core:1.3", "libhamcrest-java"),
        ] {
            assert_eq!(package(library), name);
        }
    }
}
