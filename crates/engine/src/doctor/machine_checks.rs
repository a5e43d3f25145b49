//! Checks of the machine, independent of the project: git, a JDK and disk space.

use super::DoctorContext;
use crate::jdk::source_level::lowest;
use crate::{Jdk, LaunchSpec};
use mend_model::{DoctorFinding, DoctorStatus};
use mend_model::{Problem, Result, free_bytes};

/// Free disk space in bytes below which a run ends early.
const LEAST: u64 = 200 << 20;

/// Free disk space in bytes below which a run of a large project may end early.
const FEW: u64 = 2 << 30;

pub(super) fn git(checkup: &DoctorContext<'_>) -> Result<DoctorFinding> {
    let command = LaunchSpec::new("git", checkup.root).arg("--version");
    match checkup.launcher.run(&command) {
        Ok(ended) if ended.is_success() => {
            let said = ended.output.trim().trim_start_matches("git version ");
            Ok(DoctorFinding::new("git", DoctorStatus::Ok, said))
        }
        Ok(ended) => {
            let finding =
                DoctorFinding::new("git", DoctorStatus::Missing, "git does not report its version");
            let said = ended.output.lines().map(str::to_owned).collect();
            Ok(finding.listing(said).remedied("make sure that `git --version` works"))
        }
        Err(problem @ Problem::ProgramMissing { .. }) => {
            let remedy =
                "install git (on Debian: apt-get install git) and make sure that it is on PATH";
            Ok(DoctorFinding::from_problem("git", &problem).remedied(remedy))
        }
        Err(problem) => Err(problem),
    }
}

/// The JDK that runs would use, and what there is to say about it.
pub(super) fn jdk(checkup: &DoctorContext<'_>) -> Result<(Option<Jdk>, DoctorFinding)> {
    match Jdk::find(checkup.environment, checkup.launcher) {
        Ok(jdk) => {
            let (home, oldest) = (jdk.home.display(), lowest(jdk.version));
            let message =
                format!("{} in {home}, compiles Java {oldest} to {}", jdk.full, jdk.version);
            let others = other_jdks(checkup, Some(&jdk));
            let finding = DoctorFinding::new("jdk", DoctorStatus::Ok, message).listing(others);
            Ok((Some(jdk), finding))
        }
        Err(problem @ Problem::NoJdk { .. }) => Ok((
            None,
            DoctorFinding::from_problem("jdk", &problem).listing(other_jdks(checkup, None)),
        )),
        Err(problem) => Err(problem),
    }
}

fn other_jdks(checkup: &DoctorContext<'_>, used: Option<&Jdk>) -> Vec<String> {
    let all = Jdk::installed(checkup.launcher).into_iter();
    let others = all.filter(|jdk| used.is_none_or(|used| used.home != jdk.home));
    others.map(|jdk| format!("JAVA_HOME={} is JDK {}", jdk.home.display(), jdk.full)).collect()
}

/// Checks that `git mend --help`, which git answers with a man page, finds one; `None` without
/// `man`.
pub(super) fn manual(checkup: &DoctorContext<'_>) -> Result<Option<DoctorFinding>> {
    if checkup.on_path("man").is_none() {
        return Ok(None);
    }
    let command = LaunchSpec::new("man", checkup.root).arg("-w").arg("git-mend");
    let ended = checkup.launcher.run(&command)?;
    let page = ended.output.lines().next().filter(|_| ended.is_success());
    Ok(Some(match page {
        Some(page) => DoctorFinding::new("manual", DoctorStatus::Ok, page),
        None => {
            DoctorFinding::new("manual", DoctorStatus::Note, "`git mend --help` finds no man page")
                .remedied("git mend generate man")
        }
    }))
}

pub(super) fn room(checkup: &DoctorContext<'_>) -> DoctorFinding {
    let temporary = std::env::temp_dir();
    let places = [checkup.home, &temporary].map(|place| (free_bytes(place), place));
    let known = places.into_iter().filter_map(|(free, place)| Some((free?, place)));
    let Some((free, place)) = known.min() else {
        return DoctorFinding::new("disk", DoctorStatus::Note, "the free disk space is unknown");
    };
    let status = match free {
        ..LEAST => DoctorStatus::Missing,
        LEAST..FEW => DoctorStatus::Note,
        FEW.. => DoctorStatus::Ok,
    };
    let amount =
        if free < FEW { format!("{} MiB", free >> 20) } else { format!("{} GiB", free >> 30) };
    let finding =
        DoctorFinding::new("disk", status, format!("{amount} free at {}", place.display()));
    let remedy =
        "free disk space: each version that is tested in parallel needs a tree and its classes";
    if status == DoctorStatus::Ok { finding } else { finding.remedied(remedy) }
}
