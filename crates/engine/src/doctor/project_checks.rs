//! Checks of the project: sources, language level, libraries, test frameworks and build tool.

use super::DoctorContext;
use super::advice::{build_tool, how_to_get};
use crate::jdk::jar::contains_entry;
use crate::select::declarations::JavaSource;
use crate::{BuildKind, Framework, Jdk, Project, ProjectModelFile};
use mend_model::{DoctorFinding, DoctorStatus};
use mend_model::{Problem, Result, counted};
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;

/// Assumed JDK version if there is no JDK.
const USUAL_JDK: u32 = 17;

pub(super) fn findings(
    checkup: &DoctorContext<'_>,
    jdk: Option<&Jdk>,
) -> Result<Vec<DoctorFinding>> {
    let usual = Jdk { home: "/".into(), version: USUAL_JDK, full: USUAL_JDK.to_string() };
    let project = Project::discover(checkup.root, checkup.options, jdk.unwrap_or(&usual));
    let project = match project {
        Ok(project) => project,
        Err(problem) if checkup.record.is_some() => return Err(problem),
        Err(problem @ Problem::NoSources { .. }) => {
            let finding = DoctorFinding::new("project", DoctorStatus::Note, problem.to_string());
            return Ok(vec![finding.remedied(
                "run doctor in a Java project; a test command after `--` needs no sources",
            )]);
        }
        Err(problem @ Problem::Usage { .. }) => {
            return Ok(vec![DoctorFinding::from_problem("project", &problem)]);
        }
        Err(problem) => return Err(problem),
    };
    let mut findings = vec![shape(&project)];
    if let Some(file) = checkup.record {
        findings.push(recorded(checkup, &project, file)?);
    }
    findings.extend(jdk.and_then(|jdk| level(checkup, &project, jdk)));
    findings.push(libraries(checkup, &project)?);
    findings.push(tests(checkup, &project)?);
    findings.extend(build_tool(checkup, &project));
    Ok(findings)
}

fn shape(project: &Project) -> DoctorFinding {
    let kind = match project.build {
        _ if project.options.recorded.is_some() => "recorded project model",
        BuildKind::Maven => "Maven",
        BuildKind::Gradle => "Gradle",
        BuildKind::Javac | BuildKind::Auto => "plain folders",
    };
    let message = format!(
        "{kind}, {}, {}, {}",
        counted(project.modules.len(), "module"),
        counted(project.main_files(&project.root).len(), "source"),
        counted(project.test_files(&project.root).len(), "test source"),
    );
    let status = if project.notes.is_empty() { DoctorStatus::Ok } else { DoctorStatus::Note };
    DoctorFinding::new("project", status, message).listing(project.notes.clone())
}

fn recorded(checkup: &DoctorContext<'_>, project: &Project, file: &Path) -> Result<DoctorFinding> {
    let text = ProjectModelFile::new(project.build, project.modules.clone())
        .written(checkup.environment)?;
    std::fs::write(file, text).map_err(|error| unwritten(&error, file))?;
    Ok(DoctorFinding::new(
        "record",
        DoctorStatus::Ok,
        format!("the project model is written to {}", file.display()),
    ))
}

fn unwritten(error: &std::io::Error, file: &Path) -> Problem {
    match error.kind() {
        ErrorKind::StorageFull => Problem::DiskFull { path: file.to_owned() },
        _ => Problem::Usage {
            message: format!("cannot write {}: {error}", file.display()),
            remedy: "choose another file with --record".to_owned(),
        },
    }
}

/// A language level that the JDK is too old for.
fn level(checkup: &DoctorContext<'_>, project: &Project, jdk: &Jdk) -> Option<DoctorFinding> {
    let level = project.modules.iter().filter_map(|module| module.level).max()?;
    if level <= jdk.version {
        return Some(DoctorFinding::new("level", DoctorStatus::Ok, format!("up to Java {level}")));
    }
    let newer = Jdk::installed(checkup.launcher).into_iter().find(|jdk| jdk.version >= level);
    let remedy = newer.map_or_else(
        || format!("install JDK {level} or newer (on Debian: apt-get install openjdk-{level}-jdk-headless)"),
        |jdk| format!("set JAVA_HOME={}", jdk.home.display()),
    );
    let message = format!("the build needs Java {level}, but JDK {} is older", jdk.full);
    Some(DoctorFinding::new("level", DoctorStatus::Missing, message).remedied(remedy))
}

fn libraries(checkup: &DoctorContext<'_>, project: &Project) -> Result<DoctorFinding> {
    let found = project.class_path.len();
    if project.missing.is_empty() {
        return Ok(DoctorFinding::new("libraries", DoctorStatus::Ok, format!("all {found} found")));
    }
    let message = format!("{found} found, {} missing on this machine", project.missing.len());
    let remedy = how_to_get(checkup, project.build, &project.missing)?;
    let finding = DoctorFinding::new("libraries", DoctorStatus::Missing, message);
    Ok(finding.listing(project.missing.clone()).remedied(remedy))
}

/// Class that must be on the class path to run the tests of a framework, and the library that contains it.
const NEEDED: [(Framework, &str, &str); 3] = [
    (Framework::JUnit4, "org/junit/runner/JUnitCore.class", "junit:junit"),
    (Framework::TestNg, "org/testng/TestNG.class", "org.testng:testng"),
    (
        Framework::JUnitPlatform,
        "org/junit/jupiter/engine/JupiterTestEngine.class",
        "org.junit.jupiter:junit-jupiter-engine",
    ),
];

/// Checks the test frameworks that the test sources use, and their jars.
fn tests(checkup: &DoctorContext<'_>, project: &Project) -> Result<DoctorFinding> {
    let mut counts: BTreeMap<Framework, usize> = BTreeMap::new();
    for file in project.test_files(&project.root) {
        let source = JavaSource::parse(&std::fs::read(file).unwrap_or_default());
        if let Some(framework) = source.evidence() {
            *counts.entry(framework).or_default() += 1;
        }
    }
    let found = counts
        .iter()
        .map(|(framework, files)| format!("{framework} in {}", counted(*files, "file")));
    let found: Vec<String> = found.collect();
    let has = |entry: &str| {
        project.class_path.iter().any(|jar| contains_entry(&project.root.join(jar), entry))
    };
    let lacking =
        NEEDED.iter().filter(|(framework, entry, _)| counts.contains_key(framework) && !has(entry));
    let lacking: Vec<String> = lacking.map(|(_, _, library)| (*library).to_owned()).collect();
    let message =
        if found.is_empty() { "no test framework is used".to_owned() } else { found.join(", ") };
    if !lacking.is_empty() {
        let message = format!("{message}, but {} is not on the class path", lacking.join(" and "));
        let remedy = how_to_get(checkup, project.build, &lacking)?;
        return Ok(DoctorFinding::new("tests", DoctorStatus::Missing, message).remedied(remedy));
    }
    Ok(DoctorFinding::new("tests", DoctorStatus::Ok, message))
}
