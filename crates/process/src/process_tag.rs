//! The mark that every program of a run carries in its environment, so that it is found even if it left
//! its process group.

use rustix::process::{Pid, Signal, kill_process};
use std::thread;
use std::time::{Duration, Instant};

/// The environment variable that holds the mark.
pub(super) const VARIABLE: &str = "GIT_MEND_TRIAL";

/// Time limit for killed processes to end.
const DEADLINE: Duration = Duration::from_secs(2);

/// Kills every process whose mark begins with `prefix`, and what it starts meanwhile.
pub(super) fn kill_marked(prefix: &str) {
    let start = Instant::now();
    loop {
        let living = marked(prefix);
        if living.is_empty() || start.elapsed() > DEADLINE {
            return;
        }
        for pid in living {
            // It may have ended by itself, and what is not ours to kill was not ours to start.
            let _ = kill_process(pid, Signal::KILL);
        }
        thread::sleep(Duration::from_millis(1));
    }
}

#[cfg(target_os = "linux")]
pub(super) fn marked(prefix: &str) -> Vec<Pid> {
    let wanted = format!("{VARIABLE}={prefix}");
    let carries = |environment: Vec<u8>| {
        environment.split(|byte| *byte == 0).any(|variable| variable.starts_with(wanted.as_bytes()))
    };
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let own = rustix::process::getpid();
    entries
        .flatten()
        .filter_map(|entry| Pid::from_raw(entry.file_name().to_str()?.parse().ok()?))
        .filter(|pid| *pid != own)
        .filter(|pid| std::fs::read(format!("/proc/{pid}/environ")).is_ok_and(carries))
        .collect()
}

/// Other systems do not show the environment of a process: there the process group must do.
#[cfg(not(target_os = "linux"))]
pub(super) fn marked(_prefix: &str) -> Vec<Pid> {
    Vec::new()
}
