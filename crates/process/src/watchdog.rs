//! The process that ends what a run left when the run itself was killed.

use crate::Program;
use crate::process_tag;
use crate::process_tag::kill_marked;
use mend_model::Result;
use rustix::process::{Pid, Signal, kill_process_group};
use std::collections::BTreeSet;
use std::io::{self, BufRead, Write};
use std::path::Path;
use std::process::{Child, ExitCode, Stdio};
use std::sync::{Mutex, PoisonError};

/// The hidden first argument that turns the program into a watchdog.
pub const ARGUMENT: &str = "__watchdog";

/// A watchdog as its run sees it. Its standard input is its leash: at the end of file it acts.
#[derive(Debug)]
pub(super) struct Watchdog(Mutex<Child>);

impl Watchdog {
    /// Starts one that knows the run's processes by the beginning of their marks.
    pub(super) fn start(program: &Path, run_mark: &str) -> Result<Self> {
        let mut watchdog = Program::new(program)
            .args([ARGUMENT, run_mark])
            .env_remove(process_tag::VARIABLE)
            .cwd(Path::new("/"));
        watchdog.command().stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        Ok(Self(Mutex::new(watchdog.spawn()?)))
    }

    /// Reports that a process group started (`+`) or ended (`-`).
    pub(super) fn report(&self, sign: char, group: Pid) {
        let mut child = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(leash) = &mut child.stdin {
            // If it is gone, the run goes on without this second net.
            let _ = leash.write_all(format!("{sign}{group}\n").as_bytes());
        }
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        let child = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        drop(child.stdin.take());
        // Nothing can be done about one that cannot be waited for.
        let _ = child.wait();
    }
}

/// The watchdog's own life: keeps the list of living groups until its run ends, then kills them and
/// everything that carries the run's mark.
pub fn main() -> ExitCode {
    let Some(run_mark) = std::env::args().nth(2).filter(|mark| !mark.is_empty()) else {
        return ExitCode::from(2);
    };
    for group in groups_left(io::stdin().lock()) {
        // A group may have ended without word of it.
        let _ = kill_process_group(group, Signal::KILL);
    }
    kill_marked(&run_mark);
    ExitCode::SUCCESS
}

/// Returns the groups that started and did not end, once the input ends.
fn groups_left(told: impl BufRead) -> Vec<Pid> {
    let mut living = BTreeSet::new();
    for line in told.lines().map_while(io::Result::ok) {
        match (line.get(..1), line.get(1..).and_then(|group| group.parse::<i32>().ok())) {
            (Some("+"), Some(group)) => living.insert(group),
            (Some("-"), Some(group)) => living.remove(&group),
            _ => false,
        };
    }
    living.into_iter().filter(|group| *group > 1).filter_map(Pid::from_raw).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_groups_that_did_not_end_are_left() {
        let told = b"+10\n+11\nnonsense\n-10\n+1\n+-5\n\n+12" as &[u8];
        let left: Vec<_> = groups_left(told).into_iter().map(Pid::as_raw_pid).collect();
        assert_eq!(left, [11, 12]);
    }
}
