//! Checks of the machine, independent of the project: git, a JDK and disk space.

use super::Checkup;
use crate::jdk::source_level::lowest;
use crate::{Jdk, Launched};
use mend_model::{Finding, Health};
use mend_model::{Problem, Result, free_bytes};

/// Free disk space in bytes below which a run ends early.
const LEAST: u64 = 200 << 20;

/// Free disk space in bytes below which a run of a large project may end early.
const FEW: u64 = 2 << 30;

pub(super) fn git(checkup: &Checkup<'_>) -> Result<Finding> {
    let command = Launched::new("git", checkup.root).arg("--version");
    match checkup.launcher.run(&command) {
        Ok(ended) if ended.is_success() => {
            let said = ended.output.trim().trim_start_matches("git version ");
            Ok(Finding::new("git", Health::Ok, said))
        }
        Ok(ended) => {
            let finding = Finding::new("git", Health::Missing, "git does not report its version");
            let said = ended.output.lines().map(str::to_owned).collect();
            Ok(finding.listing(said).remedied("make sure that `git --version` works"))
        }
        Err(problem @ Problem::ProgramMissing { .. }) => {
            let remedy =
                "install git (on Debian: apt-get install git) and make sure that it is on PATH";
            Ok(Finding::of("git", &problem).remedied(remedy))
        }
        Err(problem) => Err(problem),
    }
}

/// The JDK that runs would use, and what there is to say about it.
pub(super) fn jdk(checkup: &Checkup<'_>) -> Result<(Option<Jdk>, Finding)> {
    match Jdk::find(checkup.environment, checkup.launcher) {
        Ok(jdk) => {
            let (home, oldest) = (jdk.home.display(), lowest(jdk.version));
            let message =
                format!("{} in {home}, compiles Java {oldest} to {}", jdk.full, jdk.version);
            let others = others(checkup, Some(&jdk));
            let finding = Finding::new("jdk", Health::Ok, message).listing(others);
            Ok((Some(jdk), finding))
        }
        Err(problem @ Problem::NoJdk { .. }) => {
            Ok((None, Finding::of("jdk", &problem).listing(others(checkup, None))))
        }
        Err(problem) => Err(problem),
    }
}

fn others(checkup: &Checkup<'_>, used: Option<&Jdk>) -> Vec<String> {
    let all = Jdk::installed(checkup.launcher).into_iter();
    let others = all.filter(|jdk| used.is_none_or(|used| used.home != jdk.home));
    others.map(|jdk| format!("JAVA_HOME={} is JDK {}", jdk.home.display(), jdk.full)).collect()
}

/// Checks that `git mend --help`, which git answers with a man page, finds one; `None` without
/// `man`.
pub(super) fn manual(checkup: &Checkup<'_>) -> Result<Option<Finding>> {
    if checkup.on_path("man").is_none() {
        return Ok(None);
    }
    let command = Launched::new("man", checkup.root).arg("-w").arg("git-mend");
    let ended = checkup.launcher.run(&command)?;
    let page = ended.output.lines().next().filter(|_| ended.is_success());
    Ok(Some(match page {
        Some(page) => Finding::new("manual", Health::Ok, page),
        None => Finding::new("manual", Health::Note, "`git mend --help` finds no man page")
            .remedied("git mend generate man"),
    }))
}

pub(super) fn room(checkup: &Checkup<'_>) -> Finding {
    let temporary = std::env::temp_dir();
    let places = [checkup.home, &temporary].map(|place| (free_bytes(place), place));
    let known = places.into_iter().filter_map(|(free, place)| Some((free?, place)));
    let Some((free, place)) = known.min() else {
        return Finding::new("disk", Health::Note, "the free disk space is unknown");
    };
    let status = match free {
        ..LEAST => Health::Missing,
        LEAST..FEW => Health::Note,
        FEW.. => Health::Ok,
    };
    let amount =
        if free < FEW { format!("{} MiB", free >> 20) } else { format!("{} GiB", free >> 30) };
    let finding = Finding::new("disk", status, format!("{amount} free at {}", place.display()));
    let remedy =
        "free disk space: each version that is tested in parallel needs a tree and its classes";
    if status == Health::Ok { finding } else { finding.remedied(remedy) }
}
