//! Progress of a search in a sandbox.

use mend_report::SavedRun;
use mend_report::github::ProgressSummary;
use std::path::PathBuf;
use std::time::Duration;

/// The longest list of trials that is read, in bytes.
const MOST_TRIALS: u64 = 4 << 20;

/// Polling of a search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PollingConfig {
    /// Polling interval.
    pub(crate) pace: Duration,
    /// Time limit of one poll.
    pub(crate) patience: Duration,
}

/// Waits for a search and shows its progress at intervals, if it changed. After a poll that times out, polling ends:
/// its thread may be blocked as long as the search runs, and the next one would be too.
pub(crate) async fn watched<T, Look, Show>(
    search: impl Future<Output = T>,
    watch: PollingConfig,
    look: impl Fn() -> Look,
    show: impl Fn(Option<ProgressSummary>) -> Show,
) -> T
where
    Look: Future<Output = Option<ProgressSummary>>,
    Show: Future<Output = ()>,
{
    let mut search = std::pin::pin!(search);
    let mut shown = None;
    loop {
        if let Ok(found) = tokio::time::timeout(watch.pace, &mut search).await {
            return found;
        }
        let Ok(seen) = tokio::time::timeout(watch.patience, look()).await else {
            return search.await;
        };
        if seen.is_some() && seen != shown {
            show(seen).await;
            shown = seen;
        }
    }
}

/// Returns the progress of a search from its run folder. Untrusted code may have created the folder.
pub(crate) async fn whereabouts(run: PathBuf) -> Option<ProgressSummary> {
    let read = move || {
        let run = SavedRun::open_no_link(&run).ok()?;
        let trials = run.file("trials.jsonl", MOST_TRIALS).ok()??;
        Some(ProgressSummary::from_trials(&String::from_utf8_lossy(&trials)))
    };
    tokio::task::spawn_blocking(read).await.ok()?
}

#[cfg(test)]
mod tests {
    use super::*;
    use mend_report::{EnvironmentInfo, RunResult, TrialLine};
    use std::fs;
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[tokio::test]
    async fn where_a_search_is_is_shown_when_it_has_changed_and_not_before() {
        let dir = tempfile::tempdir().unwrap();
        let run = dir.path().join("run");
        fs::create_dir(&run).unwrap();
        RunResult::unsearched(&run, EnvironmentInfo::default(), String::new()).unwrap();
        let (looks, shown) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
        let is_over = tokio::sync::Notify::new();
        let look = || {
            let look = looks.fetch_add(1, Ordering::SeqCst);
            if look == 2 {
                fs::write(run.join("trials.jsonl"), "").unwrap();
            } else if look == 4 {
                let line = serde_json::to_string(&TrialLine::default()).unwrap();
                fs::write(run.join("trials.jsonl"), format!("{line}\n")).unwrap();
            } else if look == 6 {
                is_over.notify_one();
            }
            whereabouts(run.clone())
        };
        let show = |at: Option<ProgressSummary>| {
            shown.lock().unwrap().push(at);
            std::future::ready(())
        };
        let watch = PollingConfig { pace: Duration::from_millis(1), patience: Duration::MAX };
        watched(is_over.notified(), watch, look, show).await;
        let line = serde_json::to_string(&TrialLine::default()).unwrap();
        let told =
            [Some(ProgressSummary::from_trials("")), Some(ProgressSummary::from_trials(&line))];
        assert_eq!(*shown.lock().unwrap(), told);
        fs::remove_file(run.join("trials.jsonl")).unwrap();
        std::os::unix::fs::symlink("/etc/passwd", run.join("trials.jsonl")).unwrap();
        assert_eq!(whereabouts(run).await, None);
    }

    #[tokio::test]
    async fn a_look_that_does_not_end_holds_no_search_up_and_is_the_last_one() {
        let (looks, has_looked) = (AtomicUsize::new(0), tokio::sync::Notify::new());
        let look = || {
            looks.fetch_add(1, Ordering::SeqCst);
            has_looked.notify_one();
            std::future::pending()
        };
        let moment = Duration::from_millis(1);
        let watch = PollingConfig { pace: moment, patience: moment };
        let search = async {
            has_looked.notified().await;
            tokio::time::sleep(moment * 20).await;
        };
        watched(search, watch, look, |_| std::future::ready(())).await;
        assert_eq!(looks.load(Ordering::SeqCst), 1);
    }
}
