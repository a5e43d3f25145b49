//! Watchdog process: kills the programs of a run if the run itself was killed.

use crate::Program;
use crate::process_tag;
use crate::process_tag::kill_tagged;
use mend_model::Result;
use rustix::process::{Pid, Signal, kill_process_group};
use std::collections::BTreeSet;
use std::io::{self, BufRead, Write};
use std::path::Path;
use std::process::{Child, ExitCode, Stdio};
use std::sync::{Mutex, PoisonError};

/// Hidden first argument that makes the program a watchdog.
pub const SUBCOMMAND: &str = "__watchdog";

/// Handle of a watchdog. The watchdog acts when its standard input, which the run holds open, ends.
#[derive(Debug)]
pub(super) struct Watchdog(Mutex<Child>);

impl Watchdog {
    /// Starts a watchdog; the prefix identifies the processes of the run.
    pub(super) fn start(program: &Path, run_tag_prefix: &str) -> Result<Self> {
        let mut watchdog = Program::new(program)
            .args([SUBCOMMAND, run_tag_prefix])
            .env_remove(process_tag::ENVIRONMENT_VARIABLE)
            .cwd(Path::new("/"));
        watchdog.command().stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        Ok(Self(Mutex::new(watchdog.spawn()?)))
    }

    /// Reports that a process group started (`+`) or ended (`-`).
    pub(super) fn report_group(&self, sign: char, group: Pid) {
        let mut child = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(leash) = &mut child.stdin {
            // Without a watchdog, the run continues.
            let _ = leash.write_all(format!("{sign}{group}\n").as_bytes());
        }
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        let child = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        drop(child.stdin.take());
        // If waiting fails, nothing is left to do.
        let _ = child.wait();
    }
}

/// Entry point of the watchdog: records the running process groups until the run ends, then kills them and all
/// processes with the run's tag.
pub fn main() -> ExitCode {
    let Some(run_tag_prefix) = std::env::args().nth(2).filter(|mark| !mark.is_empty()) else {
        return ExitCode::from(2);
    };
    for group in read_live_groups(io::stdin().lock()) {
        // A group may have ended without a report.
        let _ = kill_process_group(group, Signal::KILL);
    }
    kill_tagged(&run_tag_prefix);
    ExitCode::SUCCESS
}

/// Reads reports until the input ends, and returns the groups that started and did not end.
fn read_live_groups(input: impl BufRead) -> Vec<Pid> {
    let mut live_groups = BTreeSet::new();
    for line in input.lines().map_while(io::Result::ok) {
        match (line.get(..1), line.get(1..).and_then(|group| group.parse::<i32>().ok())) {
            (Some("+"), Some(group)) => live_groups.insert(group),
            (Some("-"), Some(group)) => live_groups.remove(&group),
            _ => false,
        };
    }
    live_groups.into_iter().filter(|group| *group > 1).filter_map(Pid::from_raw).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_groups_without_an_end_report_are_live() {
        let input = b"+10\n+11\nnonsense\n-10\n+1\n+-5\n\n+12" as &[u8];
        let live_groups: Vec<_> =
            read_live_groups(input).into_iter().map(Pid::as_raw_pid).collect();
        assert_eq!(live_groups, [11, 12]);
    }
}
