//! What the project needs: its sources, language level, libraries, test frameworks, and what build tools do.

use super::Checkup;
use super::advice::{build_tool, how_to_get};
use crate::jdk::jar::holds;
use crate::select::declarations::JavaSource;
use crate::{Build, Framework, Jdk, Project, Recorded};
use mend_model::{Finding, Health};
use mend_model::{Problem, Result, counted};
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;

/// What is not known of the JDK is taken from a recent one.
const USUAL_JDK: u32 = 17;

pub(super) fn findings(checkup: &Checkup<'_>, jdk: Option<&Jdk>) -> Result<Vec<Finding>> {
    let usual = Jdk { home: "/".into(), version: USUAL_JDK, full: USUAL_JDK.to_string() };
    let project = Project::discover(checkup.root, checkup.options, jdk.unwrap_or(&usual));
    let project = match project {
        Ok(project) => project,
        Err(problem) if checkup.record.is_some() => return Err(problem),
        Err(problem @ Problem::NoSources { .. }) => {
            let finding = Finding::new("project", Health::Note, problem.to_string());
            return Ok(vec![finding.remedied(
                "run doctor in a Java project; a test command after `--` needs no sources",
            )]);
        }
        Err(problem @ Problem::Usage { .. }) => return Ok(vec![Finding::of("project", &problem)]),
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

fn shape(project: &Project) -> Finding {
    let kind = match project.build {
        _ if project.options.recorded.is_some() => "recorded project model",
        Build::Maven => "Maven",
        Build::Gradle => "Gradle",
        Build::Javac | Build::Auto => "plain folders",
    };
    let message = format!(
        "{kind}, {}, {}, {}",
        counted(project.modules.len(), "module"),
        counted(project.main_files(&project.root).len(), "source"),
        counted(project.test_files(&project.root).len(), "test source"),
    );
    let status = if project.notes.is_empty() { Health::Ok } else { Health::Note };
    Finding::new("project", status, message).listing(project.notes.clone())
}

fn recorded(checkup: &Checkup<'_>, project: &Project, file: &Path) -> Result<Finding> {
    let text =
        Recorded::new(project.build, project.modules.clone()).written(checkup.environment)?;
    std::fs::write(file, text).map_err(|error| unwritten(&error, file))?;
    Ok(Finding::new(
        "record",
        Health::Ok,
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
fn level(checkup: &Checkup<'_>, project: &Project, jdk: &Jdk) -> Option<Finding> {
    let level = project.modules.iter().filter_map(|module| module.level).max()?;
    if level <= jdk.version {
        return Some(Finding::new("level", Health::Ok, format!("up to Java {level}")));
    }
    let newer = Jdk::installed(checkup.launcher).into_iter().find(|jdk| jdk.version >= level);
    let remedy = newer.map_or_else(
        || format!("install JDK {level} or newer (on Debian: apt-get install openjdk-{level}-jdk-headless)"),
        |jdk| format!("set JAVA_HOME={}", jdk.home.display()),
    );
    let message = format!("the build needs Java {level}, but JDK {} is older", jdk.full);
    Some(Finding::new("level", Health::Missing, message).remedied(remedy))
}

fn libraries(checkup: &Checkup<'_>, project: &Project) -> Result<Finding> {
    let found = project.class_path.len();
    if project.missing.is_empty() {
        return Ok(Finding::new("libraries", Health::Ok, format!("all {found} found")));
    }
    let message = format!("{found} found, {} missing on this machine", project.missing.len());
    let remedy = how_to_get(checkup, project.build, &project.missing)?;
    let finding = Finding::new("libraries", Health::Missing, message);
    Ok(finding.listing(project.missing.clone()).remedied(remedy))
}

/// What a class path must hold to run a framework's tests, and the library that brings it.
const NEEDED: [(Framework, &str, &str); 3] = [
    (Framework::JUnit4, "org/junit/runner/JUnitCore.class", "junit:junit"),
    (Framework::TestNg, "org/testng/TestNG.class", "org.testng:testng"),
    (
        Framework::JUnitPlatform,
        "org/junit/jupiter/engine/JupiterTestEngine.class",
        "org.junit.jupiter:junit-jupiter-engine",
    ),
];

/// Which frameworks the test sources use, and whether their jars are there.
fn tests(checkup: &Checkup<'_>, project: &Project) -> Result<Finding> {
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
    let has =
        |entry: &str| project.class_path.iter().any(|jar| holds(&project.root.join(jar), entry));
    let lacking =
        NEEDED.iter().filter(|(framework, entry, _)| counts.contains_key(framework) && !has(entry));
    let lacking: Vec<String> = lacking.map(|(_, _, library)| (*library).to_owned()).collect();
    let message =
        if found.is_empty() { "no test framework is used".to_owned() } else { found.join(", ") };
    if !lacking.is_empty() {
        let message = format!("{message}, but {} is not on the class path", lacking.join(" and "));
        let remedy = how_to_get(checkup, project.build, &lacking)?;
        return Ok(Finding::new("tests", Health::Missing, message).remedied(remedy));
    }
    Ok(Finding::new("tests", Health::Ok, message))
}
