//! Cost of an operation: CPU seconds of this process and its descendants (Linux only), and wall seconds.

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike as _;
use nix::time::{clock_getcpuclockid, clock_gettime};
use nix::unistd::Pid;
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// Unit of the CPU times of children in `/proc`.
const TICKS_A_SECOND: f64 = 100.0;

/// CPU and wall time in seconds.
#[derive(Clone, Copy)]
pub(crate) struct Cost {
    pub(crate) wall: f64,
    pub(crate) cpu: f64,
}

/// Runs an operation and returns its result and cost.
pub(crate) fn measured<T>(work: impl FnOnce() -> T) -> (T, Cost) {
    let (begun, before) = (Instant::now(), cpu_seconds());
    let done = work();
    let cost = Cost { wall: begun.elapsed().as_secs_f64(), cpu: cpu_seconds() - before };
    (done, cost)
}

/// Returns the CPU time of this process, of its living and of its ended descendants.
fn cpu_seconds() -> f64 {
    let ended = getrusage(UsageWho::RUSAGE_CHILDREN).unwrap();
    let ended = (ended.user_time() + ended.system_time()).num_microseconds().cast_unsigned();
    let ended = Duration::from_micros(ended).as_secs_f64();
    let descendants = descendants();
    let alive = std::iter::once(std::process::id()).chain(descendants.iter().map(|(pid, _)| *pid));
    let waited: u32 = descendants.iter().map(|(_, waited)| waited).sum();
    ended + alive.map(clock_of).sum::<f64>() + f64::from(waited) / TICKS_A_SECOND
}

/// Returns the CPU time of a process in nanoseconds; `None` if it has just ended.
fn clock_of(pid: u32) -> f64 {
    let clock = clock_getcpuclockid(Pid::from_raw(pid.cast_signed())).and_then(clock_gettime);
    clock.map_or(0.0, |time| Duration::from(time).as_secs_f64())
}

/// Returns the living descendants of this process, each with the ticks of its waited-for children.
fn descendants() -> Vec<(u32, u32)> {
    let mut parents = HashMap::new();
    let mut waited = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Ok(pid) = entry.file_name().to_string_lossy().parse::<u32>() else { continue };
        let Ok(stat) = std::fs::read_to_string(entry.path().join("stat")) else { continue };
        let Some((_, fields)) = stat.rsplit_once(") ") else { continue };
        let fields: Vec<&str> = fields.split(' ').collect();
        let number = |at: usize| fields[at].parse::<u32>().unwrap_or(0);
        parents.insert(pid, number(1));
        waited.push((pid, number(13) + number(14)));
    }
    let own = std::process::id();
    let above = |pid: &u32| parents.get(pid).copied().filter(|parent| *parent > 1);
    waited.retain(|(pid, _)| {
        *pid != own && std::iter::successors(Some(*pid), above).any(|pid| pid == own)
    });
    waited
}

/// Returns the resident memory of the largest descendant of this process, in mebibytes.
pub(crate) fn largest_child() -> f64 {
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
    let at = (values.len() * percent / 100).min(values.len().saturating_sub(1));
    values.get(at).copied().unwrap_or(f64::NAN)
}
