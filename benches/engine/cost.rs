//! What something takes: CPU seconds of this process and of all that it started (Linux only), and seconds.

use std::collections::HashMap;
use std::time::Instant;

/// What `/proc` counts CPU time in.
const TICKS_A_SECOND: f64 = 100.0;

/// Seconds.
#[derive(Clone, Copy)]
pub(crate) struct Cost {
    pub(crate) wall: f64,
    pub(crate) cpu: f64,
}

/// Does something, and tells what it took.
pub(crate) fn measured<T>(work: impl FnOnce() -> T) -> (T, Cost) {
    let (begun, before) = (Instant::now(), cpu_seconds());
    let done = work();
    let cost = Cost { wall: begun.elapsed().as_secs_f64(), cpu: cpu_seconds() - before };
    (done, cost)
}

/// The CPU time of this process, of its living descendants and of those that have ended.
fn cpu_seconds() -> f64 {
    let stats = stats();
    let own = std::process::id();
    let parent = |pid: &u32| stats.get(pid).map(|(parent, _)| *parent).filter(|pid| *pid > 1);
    let is_ours = |pid: &u32| std::iter::successors(Some(*pid), parent).any(|pid| pid == own);
    let ours = stats.iter().filter(|(pid, _)| is_ours(pid));
    f64::from(ours.map(|(_, (_, ticks))| ticks).sum::<u32>()) / TICKS_A_SECOND
}

/// Of each process its parent, and the time of it and of the children that it has waited for, in ticks.
fn stats() -> HashMap<u32, (u32, u32)> {
    let mut stats = HashMap::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Ok(pid) = entry.file_name().to_string_lossy().parse::<u32>() else { continue };
        let Ok(stat) = std::fs::read_to_string(entry.path().join("stat")) else { continue };
        let Some((_, fields)) = stat.rsplit_once(") ") else { continue };
        let fields: Vec<&str> = fields.split(' ').collect();
        let number = |at: usize| fields[at].parse::<u32>().unwrap_or(0);
        stats.insert(pid, (number(1), (11..15).map(number).sum::<u32>()));
    }
    stats
}

/// The resident memory of the largest of the processes that this one started, in mebibytes.
pub(crate) fn largest_child() -> f64 {
    let stats = stats();
    let own = std::process::id();
    let parent = |pid: &u32| stats.get(pid).map(|(parent, _)| *parent).filter(|pid| *pid > 1);
    let is_ours =
        |pid: &u32| *pid != own && std::iter::successors(Some(*pid), parent).any(|pid| pid == own);
    let kibibytes = |pid: &u32| {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        line.split_whitespace().next()?.parse::<u32>().ok()
    };
    f64::from(stats.keys().filter(|pid| is_ours(pid)).filter_map(kibibytes).max().unwrap_or(0))
        / 1024.0
}

/// The median, or what so many of a hundred do not exceed.
pub(crate) fn percentile(values: impl IntoIterator<Item = f64>, percent: usize) -> f64 {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    let at = (values.len() * percent / 100).min(values.len().saturating_sub(1));
    values.get(at).copied().unwrap_or(f64::NAN)
}
