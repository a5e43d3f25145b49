//! Checks of the project: sources, language level, libraries, test frameworks and build tool.

use super::DoctorContext;
use super::advice::{check_build_tool, install_advice};
use crate::jdk::jar::contains_entry;
use crate::select::declarations::JavaSource;
use crate::{BuildKind, Framework, Jdk, Project, ProjectModelFile, Toolchain};
use mend_model::{DoctorFinding, DoctorStatus};
use mend_model::{Problem, Result, format_count, join_with_and};
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

/// Assumed JDK version if there is no JDK.
const DEFAULT_JDK_VERSION: u32 = 17;

pub(super) fn check_project(
    context: &DoctorContext<'_>,
    jdk: Option<&Jdk>,
) -> Result<Vec<DoctorFinding>> {
    let default_jdk = Jdk {
        home: "/".into(),
        version: DEFAULT_JDK_VERSION,
        full_version: DEFAULT_JDK_VERSION.to_string(),
    };
    let discovered = match jdk {
        Some(jdk) => {
            let tools = Toolchain::new(jdk.clone(), Arc::clone(&context.launcher), context.home);
            let tools = tools.with_progress(Arc::clone(&context.progress));
            Project::discover_with_suitable_jdk(context.root, context.options, tools)
                .map(|(project, tools)| (project, Some(tools.jdk)))
        }
        None => Project::read_files(context.root, context.options, &default_jdk)
            .map(|project| (project, None)),
    };
    let (project, jdk) = match discovered {
        Ok(discovered) => discovered,
        Err(problem) if context.model_file.is_some() => return Err(problem),
        Err(problem @ Problem::NoSources { .. }) => {
            let finding = DoctorFinding::new("project", DoctorStatus::Note, problem.to_string());
            return Ok(vec![finding.with_help(
                "run doctor in a Java project; a test command after `--` needs no sources",
            )]);
        }
        Err(problem @ Problem::Usage { .. }) => {
            return Ok(vec![DoctorFinding::from_problem("project", &problem)]);
        }
        Err(problem) => return Err(problem),
    };
    let mut findings = vec![describe_project(&project)];
    if let Some(file) = context.model_file {
        findings.push(record_model(context, &project, file)?);
    }
    findings.extend(jdk.and_then(|jdk| check_java_version(&project, &jdk)));
    findings.push(check_libraries(context, &project)?);
    findings.push(check_test_frameworks(context, &project)?);
    findings.extend(check_build_tool(context, &project));
    Ok(findings)
}

fn describe_project(project: &Project) -> DoctorFinding {
    let kind = match project.build {
        _ if project.options.model_file.is_some() => "recorded project model",
        _ if project.tool.is_some() => project.tool.as_deref().unwrap_or_default(),
        BuildKind::Maven => "Maven",
        BuildKind::Gradle => "Gradle",
        BuildKind::Javac | BuildKind::Auto => "plain folders",
    };
    let message = format!(
        "{kind}, {}, {}, {}",
        format_count(project.modules.len(), "module"),
        format_count(project.main_files(&project.root).len(), "source"),
        format_count(project.test_files(&project.root).len(), "test source"),
    );
    let status = if project.notes.is_empty() { DoctorStatus::Ok } else { DoctorStatus::Note };
    DoctorFinding::new("project", status, message).with_items(project.notes.clone())
}

fn record_model(
    context: &DoctorContext<'_>,
    project: &Project,
    file: &Path,
) -> Result<DoctorFinding> {
    let text = ProjectModelFile::new(project.build, project.modules.clone())
        .with_tool(project.tool.clone())
        .to_json(context.environment)?;
    std::fs::write(file, text).map_err(|error| write_problem(&error, file))?;
    Ok(DoctorFinding::new(
        "record",
        DoctorStatus::Ok,
        format!("the project model is written to {}", file.display()),
    ))
}

fn write_problem(error: &std::io::Error, file: &Path) -> Problem {
    match error.kind() {
        ErrorKind::StorageFull => Problem::DiskFull { path: file.to_owned() },
        _ => Problem::Usage {
            message: format!("cannot write {}: {error}", file.display()),
            remedy: "choose another file with --record".to_owned(),
        },
    }
}

/// Checks that the JDK that runs would use supports the project's Java version.
fn check_java_version(project: &Project, jdk: &Jdk) -> Option<DoctorFinding> {
    let version = project.java_version?;
    if version <= jdk.version {
        return Some(DoctorFinding::new(
            "level",
            DoctorStatus::Ok,
            format!("up to Java {version}"),
        ));
    }
    let message = format!("the build needs Java {version}, but JDK {} is older", jdk.full_version);
    let remedy = format!(
        "install JDK {version} or newer (on Debian: apt-get install openjdk-{version}-jdk-headless)"
    );
    Some(DoctorFinding::new("level", DoctorStatus::Missing, message).with_help(remedy))
}

fn check_libraries(context: &DoctorContext<'_>, project: &Project) -> Result<DoctorFinding> {
    let found_count = project.class_path.len();
    if project.missing.is_empty() {
        return Ok(DoctorFinding::new(
            "libraries",
            DoctorStatus::Ok,
            format!("all {found_count} found"),
        ));
    }
    let message = format!("{found_count} found, {} missing on this machine", project.missing.len());
    let remedy = install_advice(context, project.build, &project.missing)?;
    let finding = DoctorFinding::new("libraries", DoctorStatus::Missing, message);
    Ok(finding.with_items(project.missing.clone()).with_help(remedy))
}

/// Class that must be on the class path to run the tests of a framework, and the library that contains it.
const REQUIRED_CLASSES: [(Framework, &str, &str); 3] = [
    (Framework::JUnit4, "org/junit/runner/JUnitCore.class", "junit:junit"),
    (Framework::TestNg, "org/testng/TestNG.class", "org.testng:testng"),
    (
        Framework::JUnitPlatform,
        "org/junit/jupiter/engine/JupiterTestEngine.class",
        "org.junit.jupiter:junit-jupiter-engine",
    ),
];

/// Checks the test frameworks that the test sources use, and their jars.
fn check_test_frameworks(context: &DoctorContext<'_>, project: &Project) -> Result<DoctorFinding> {
    let mut counts: BTreeMap<Framework, usize> = BTreeMap::new();
    for file in project.test_files(&project.root) {
        let source = JavaSource::parse(&std::fs::read(file).unwrap_or_default());
        if let Some(framework) = source.detect_framework() {
            *counts.entry(framework).or_default() += 1;
        }
    }
    let frameworks = counts
        .iter()
        .map(|(framework, files)| format!("{framework} in {}", format_count(*files, "file")));
    let frameworks: Vec<String> = frameworks.collect();
    let has_entry = |entry: &str| {
        project.class_path.iter().any(|jar| contains_entry(&project.root.join(jar), entry))
    };
    let missing = REQUIRED_CLASSES
        .iter()
        .filter(|(framework, entry, _)| counts.contains_key(framework) && !has_entry(entry));
    let missing: Vec<String> = missing.map(|(_, _, library)| (*library).to_owned()).collect();
    let message = if frameworks.is_empty() {
        "no test framework is used".to_owned()
    } else {
        frameworks.join(", ")
    };
    if !missing.is_empty() {
        let message =
            format!("{message}, but {} is not on the class path", join_with_and(&missing));
        let remedy = install_advice(context, project.build, &missing)?;
        return Ok(DoctorFinding::new("tests", DoctorStatus::Missing, message).with_help(remedy));
    }
    Ok(DoctorFinding::new("tests", DoctorStatus::Ok, message))
}
