//! Checks of the machine, independent of the project: git, a JDK and disk space.

use super::DoctorContext;
use crate::jdk::source_level::min_source_level;
use crate::{Jdk, LaunchSpec};
use mend_model::{DoctorFinding, DoctorStatus};
use mend_model::{Problem, Result, free_bytes};

/// Free disk space in bytes below which a run ends early.
const MIN_FREE_BYTES: u64 = 200 << 20;

/// Free disk space in bytes below which a run of a large project may end early.
const LOW_FREE_BYTES: u64 = 2 << 30;

pub(super) fn check_git(context: &DoctorContext<'_>) -> Result<DoctorFinding> {
    let command = LaunchSpec::new("git", context.root).arg("--version");
    match context.launcher.run(&command) {
        Ok(ended) if ended.is_success() => {
            let version = ended.output.trim().trim_start_matches("git version ");
            Ok(DoctorFinding::new("git", DoctorStatus::Ok, version))
        }
        Ok(ended) => {
            let finding =
                DoctorFinding::new("git", DoctorStatus::Missing, "git does not report its version");
            let version = ended.output.lines().map(str::to_owned).collect();
            Ok(finding.with_items(version).with_help("make sure that `git --version` works"))
        }
        Err(problem @ Problem::ProgramMissing { .. }) => {
            let remedy =
                "install git (on Debian: apt-get install git) and make sure that it is on PATH";
            Ok(DoctorFinding::from_problem("git", &problem).with_help(remedy))
        }
        Err(problem) => Err(problem),
    }
}

/// Returns the JDK that runs would use, and a finding about it.
pub(super) fn check_jdk(context: &DoctorContext<'_>) -> Result<(Option<Jdk>, DoctorFinding)> {
    match Jdk::find(context.environment, &*context.launcher) {
        Ok(jdk) => {
            let (home, oldest) = (jdk.home.display(), min_source_level(jdk.version));
            let message = format!(
                "{} in {home}, compiles Java {oldest} to {}",
                jdk.full_version, jdk.version
            );
            let others = list_other_jdks(context, Some(&jdk));
            let finding = DoctorFinding::new("jdk", DoctorStatus::Ok, message).with_items(others);
            Ok((Some(jdk), finding))
        }
        Err(problem @ Problem::NoJdk { .. }) => Ok((
            None,
            DoctorFinding::from_problem("jdk", &problem).with_items(list_other_jdks(context, None)),
        )),
        Err(problem) => Err(problem),
    }
}

fn list_other_jdks(context: &DoctorContext<'_>, used: Option<&Jdk>) -> Vec<String> {
    let installed = Jdk::installed(context.environment, &*context.launcher).into_iter();
    let others = installed.filter(|jdk| used.is_none_or(|used| used.home != jdk.home));
    others
        .map(|jdk| format!("JAVA_HOME={} is JDK {}", jdk.home.display(), jdk.full_version))
        .collect()
}

/// Checks that git finds a man page for `git mend --help`; `None` without `man`.
pub(super) fn check_manual(context: &DoctorContext<'_>) -> Result<Option<DoctorFinding>> {
    if context.find_on_path("man").is_none() {
        return Ok(None);
    }
    let command = LaunchSpec::new("man", context.root).arg("-w").arg("git-mend");
    let exit = context.launcher.run(&command)?;
    let page = exit.output.lines().next().filter(|_| exit.is_success());
    Ok(Some(match page {
        Some(page) => DoctorFinding::new("manual", DoctorStatus::Ok, page),
        None => {
            DoctorFinding::new("manual", DoctorStatus::Note, "`git mend --help` finds no man page")
                .with_help("git mend generate man")
        }
    }))
}

pub(super) fn check_disk_space(context: &DoctorContext<'_>) -> DoctorFinding {
    let temp_dir = std::env::temp_dir();
    let disks = [context.home, &temp_dir].map(|place| (free_bytes(place), place));
    let known_disks = disks.into_iter().filter_map(|(free, place)| Some((free?, place)));
    let Some((free, place)) = known_disks.min() else {
        return DoctorFinding::new("disk", DoctorStatus::Note, "the free disk space is unknown");
    };
    let status = match free {
        ..MIN_FREE_BYTES => DoctorStatus::Missing,
        MIN_FREE_BYTES..LOW_FREE_BYTES => DoctorStatus::Note,
        LOW_FREE_BYTES.. => DoctorStatus::Ok,
    };
    let amount = if free < LOW_FREE_BYTES {
        format!("{} MiB", free >> 20)
    } else {
        format!("{} GiB", free >> 30)
    };
    let finding =
        DoctorFinding::new("disk", status, format!("{amount} free at {}", place.display()));
    let remedy =
        "free disk space: each version that is tested in parallel needs a tree and its classes";
    if status == DoctorStatus::Ok { finding } else { finding.with_help(remedy) }
}
