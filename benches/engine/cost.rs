//! Measures the cost of an operation: CPU seconds of this process and its descendants (Linux only), and wall seconds.

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike as _;
use nix::time::{clock_getcpuclockid, clock_gettime};
use nix::unistd::Pid;
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// Ticks per second of the CPU times of children in `/proc`.
const TICKS_PER_SECOND: f64 = 100.0;

/// CPU and wall time in seconds.
#[derive(Clone, Copy)]
pub(crate) struct Cost {
    pub(crate) wall_seconds: f64,
    pub(crate) cpu_seconds: f64,
}

/// Runs an operation and returns its result and cost.
pub(crate) fn measure<T>(action: impl FnOnce() -> T) -> (T, Cost) {
    let (started, before) = (Instant::now(), cpu_seconds());
    let result = action();
    let cost =
        Cost { wall_seconds: started.elapsed().as_secs_f64(), cpu_seconds: cpu_seconds() - before };
    (result, cost)
}

/// Returns the CPU time of this process, its living descendants and its ended descendants.
fn cpu_seconds() -> f64 {
    let finished_children = getrusage(UsageWho::RUSAGE_CHILDREN).unwrap();
    let finished_children = (finished_children.user_time() + finished_children.system_time())
        .num_microseconds()
        .cast_unsigned();
    let finished_children = Duration::from_micros(finished_children).as_secs_f64();
    let descendants = descendants();
    let alive = std::iter::once(std::process::id()).chain(descendants.iter().map(|(pid, _)| *pid));
    let waited: u32 = descendants.iter().map(|(_, waited)| waited).sum();
    finished_children
        + alive.map(cpu_seconds_of).sum::<f64>()
        + f64::from(waited) / TICKS_PER_SECOND
}

/// Returns the CPU time of a process in seconds, or 0 if it has just ended.
fn cpu_seconds_of(pid: u32) -> f64 {
    let clock = clock_getcpuclockid(Pid::from_raw(pid.cast_signed())).and_then(clock_gettime);
    clock.map_or(0.0, |time| Duration::from(time).as_secs_f64())
}

/// Returns the living descendants of this process, each with the ticks of its waited-for children.
fn descendants() -> Vec<(u32, u32)> {
    let mut parents = HashMap::new();
    let mut processes = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Ok(pid) = entry.file_name().to_string_lossy().parse::<u32>() else { continue };
        let Ok(stat) = std::fs::read_to_string(entry.path().join("stat")) else { continue };
        let Some((_, fields)) = stat.rsplit_once(") ") else { continue };
        let fields: Vec<&str> = fields.split(' ').collect();
        let number = |at: usize| fields[at].parse::<u32>().unwrap_or(0);
        parents.insert(pid, number(1));
        processes.push((pid, number(13) + number(14)));
    }
    let own = std::process::id();
    let parent_of = |pid: &u32| parents.get(pid).copied().filter(|parent| *parent > 1);
    processes.retain(|(pid, _)| {
        *pid != own && std::iter::successors(Some(*pid), parent_of).any(|pid| pid == own)
    });
    processes
}

/// Returns the resident memory of the largest descendant of this process, in mebibytes.
pub(crate) fn largest_child_mebibytes() -> f64 {
    let kibibytes = |pid: u32| {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        line.split_whitespace().next()?.parse::<u32>().ok()
    };
    let all = descendants().into_iter().filter_map(|(pid, _)| kibibytes(pid));
    f64::from(all.max().unwrap_or(0)) / 1024.0
}

/// Returns a percentile, such as the median for 50.
pub(crate) fn percentile(values: impl IntoIterator<Item = f64>, percent: usize) -> f64 {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    let index = (values.len() * percent / 100).min(values.len().saturating_sub(1));
    values.get(index).copied().unwrap_or(f64::NAN)
}
