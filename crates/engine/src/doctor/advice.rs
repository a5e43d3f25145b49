//! Instructions for installing missing libraries, from Maven, Gradle or Debian repositories.

use super::DoctorContext;
use crate::{BuildKind, LaunchSpec, Project};
use mend_model::{DoctorFinding, DoctorStatus};
use mend_model::{Problem, Result};
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

/// Debian packages whose names differ from the artifact; the key may be a prefix of the artifact's name.
const DEBIAN_PACKAGES: [(&str, &str); 11] = [
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
const LOOKUP_TIMEOUT: Duration = Duration::from_secs(10);

/// Returns one line about how to install libraries: as Debian packages, or with the build tool.
pub(super) fn install_advice(
    context: &DoctorContext<'_>,
    build: BuildKind,
    libraries: &[String],
) -> Result<String> {
    let download = match build {
        BuildKind::Maven => {
            format!("download them with `{} dependency:go-offline`", maven_command(context))
        }
        BuildKind::Gradle => {
            format!("download them with `{} testClasses`", gradle_command(context))
        }
        BuildKind::Javac | BuildKind::Auto => "put the jars into lib".to_owned(),
    };
    let packages = available_packages(context, libraries)?;
    let debian = if packages.is_empty() {
        String::new()
    } else {
        format!(", or `apt-get install {}`", packages.join(" "))
    };
    Ok(format!("{download}{debian}, or pass jars with --classpath or in .git-mend.toml"))
}

/// Returns the packages that exist in this machine's Debian repositories.
fn available_packages(context: &DoctorContext<'_>, libraries: &[String]) -> Result<Vec<String>> {
    let names: BTreeSet<String> = libraries.iter().map(|library| debian_package(library)).collect();
    let Some(program) = context.find_on_path("apt-cache") else { return Ok(Vec::new()) };
    // One line for each version: `name | version | origin`.
    let command = LaunchSpec::new(program, context.root).arg("madison").args(&names);
    let output = match context.launcher.run(&command.with_time_limit(Some(LOOKUP_TIMEOUT))) {
        Ok(ended) => ended.output,
        Err(Problem::Interrupted) => return Err(Problem::Interrupted),
        Err(_) => return Ok(Vec::new()),
    };
    let available: BTreeSet<&str> =
        output.lines().filter_map(|line| Some(line.split_once('|')?.0.trim())).collect();
    Ok(names.into_iter().filter(|name| available.contains(name.as_str())).collect())
}

/// Returns the name of the Debian package of a library, by Debian's naming convention.
fn debian_package(library: &str) -> String {
    let listed = DEBIAN_PACKAGES.iter().find(|(start, _)| library.starts_with(start));
    let conventional_name = || format!("lib{}-java", library.split(':').nth(1).unwrap_or(library));
    listed.map_or_else(conventional_name, |(_, package)| (*package).to_owned()).to_lowercase()
}

/// Checks the build tool. Without it git-mend reads the build files itself, and nothing can be downloaded.
pub(super) fn check_build_tool(
    context: &DoctorContext<'_>,
    project: &Project,
) -> Option<DoctorFinding> {
    let (program, wrapper) = match project.build {
        BuildKind::Maven => ("mvn", "mvnw"),
        BuildKind::Gradle => ("gradle", "gradlew"),
        BuildKind::Javac | BuildKind::Auto => return None,
    };
    let has_wrapper = context.root.join(wrapper).is_file();
    let state = match context.find_on_path(program) {
        _ if has_wrapper => format!("{wrapper} is in the project"),
        Some(_) => format!("{program} is on PATH"),
        None => format!("neither {program} nor {wrapper} was found"),
    };
    let is_available = has_wrapper || context.find_on_path(program).is_some();
    let is_needed = !project.missing.is_empty();
    let status = if is_available || !is_needed { DoctorStatus::Ok } else { DoctorStatus::Note };
    let message = match project.tool {
        Some(_) => format!("{state}; it describes the project"),
        None => format!("{state}; the build files are read without it"),
    };
    let finding = DoctorFinding::new("build tool", status, message)
        .with_items(describe_repositories(context));
    if project.build == BuildKind::Maven && is_needed && context.options.maven.is_offline() {
        let remedy = "remove <offline> from ~/.m2/settings.xml for the download";
        let message = format!("{state}; settings.xml sets it offline");
        return Some(
            DoctorFinding { status: DoctorStatus::Note, message, ..finding }.with_help(remedy),
        );
    }
    Some(finding)
}

fn describe_repositories(context: &DoctorContext<'_>) -> Vec<String> {
    let repositories = &context.options.repositories;
    let describe = |place: &Path| format!("libraries are searched in {}", place.display());
    repositories.maven.iter().chain(&repositories.gradle).map(|place| describe(place)).collect()
}

fn maven_command(context: &DoctorContext<'_>) -> &'static str {
    if context.root.join("mvnw").is_file() { "./mvnw" } else { "mvn" }
}

fn gradle_command(context: &DoctorContext<'_>) -> &'static str {
    if context.root.join("gradlew").is_file() { "./gradlew" } else { "gradle" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debian_package_is_named_after_the_artifact() {
        for (library, name) in [
            ("org.assertj:assertj-core:3.24", "libassertj-core-java"),
            ("junit:junit:4.12", "junit4"),
            ("org.junit.jupiter:junit-jupiter-engine", "junit5"),
            ("org.hamcrest:hamcrest-core:1.3", "libhamcrest-java"),
        ] {
            assert_eq!(debian_package(library), name);
        }
    }
}
