//! Tags in the environment of every program of a run, by which its processes are found even if they left their process
//! group.

use rustix::process::{Pid, Signal, kill_process};
use std::thread;
use std::time::{Duration, Instant};

/// Environment variable of the tag.
pub(super) const ENVIRONMENT_VARIABLE: &str = "GIT_MEND_TRIAL";

/// Time limit for killed processes to end.
const KILL_TIMEOUT: Duration = Duration::from_secs(2);

/// Kills all processes whose tag begins with `prefix`, including those that they start meanwhile.
pub(super) fn kill_tagged(prefix: &str) {
    let start = Instant::now();
    loop {
        let tagged_pids = find_tagged(prefix);
        if tagged_pids.is_empty() || start.elapsed() > KILL_TIMEOUT {
            return;
        }
        for pid in tagged_pids {
            // The process may have ended, and a process of another user cannot be killed.
            let _ = kill_process(pid, Signal::KILL);
        }
        thread::sleep(Duration::from_millis(1));
    }
}

#[cfg(target_os = "linux")]
pub(super) fn find_tagged(prefix: &str) -> Vec<Pid> {
    let tag_setting = format!("{ENVIRONMENT_VARIABLE}={prefix}");
    let has_tag = |environment: Vec<u8>| {
        environment
            .split(|byte| *byte == 0)
            .any(|variable| variable.starts_with(tag_setting.as_bytes()))
    };
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let own_pid = rustix::process::getpid();
    entries
        .flatten()
        .filter_map(|entry| Pid::from_raw(entry.file_name().to_str()?.parse().ok()?))
        .filter(|pid| *pid != own_pid)
        .filter(|pid| std::fs::read(format!("/proc/{pid}/environ")).is_ok_and(has_tag))
        .collect()
}

/// Other systems do not show the environment of a process; only the process group is killed there.
#[cfg(not(target_os = "linux"))]
pub(super) fn find_tagged(_prefix: &str) -> Vec<Pid> {
    Vec::new()
}
