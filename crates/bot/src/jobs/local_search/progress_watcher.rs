//! Watches a search in the sandbox and shows its progress.

use mend_report::SavedRun;
use mend_report::github::ProgressSummary;
use std::path::PathBuf;
use std::time::Duration;

/// Maximum size of the list of trials, in bytes.
const MAX_TRIALS_BYTES: u64 = 4 << 20;

/// Polling of a search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PollingConfig {
    /// Polling interval.
    pub(crate) interval: Duration,
    /// Time limit of one poll.
    pub(crate) timeout: Duration,
}

/// Waits for a search and shows its progress at intervals, if it changed. After a poll that times out, polling ends:
/// its thread may be blocked as long as the search runs, and the next one would be too.
pub(crate) async fn watch_search<T, Look, Show>(
    search: impl Future<Output = T>,
    polling: PollingConfig,
    poll: impl Fn() -> Look,
    show: impl Fn(Option<ProgressSummary>) -> Show,
) -> T
where
    Look: Future<Output = Option<ProgressSummary>>,
    Show: Future<Output = ()>,
{
    let mut search = std::pin::pin!(search);
    let mut last_shown = None;
    loop {
        if let Ok(found) = tokio::time::timeout(polling.interval, &mut search).await {
            return found;
        }
        let Ok(progress) = tokio::time::timeout(polling.timeout, poll()).await else {
            return search.await;
        };
        if progress.is_some() && progress != last_shown {
            show(progress).await;
            last_shown = progress;
        }
    }
}

/// Returns the progress of a search from its run folder. Untrusted code may have created the folder.
pub(crate) async fn read_progress(run: PathBuf) -> Option<ProgressSummary> {
    let read = move || {
        let run = SavedRun::open_no_link(&run).ok()?;
        let trials = run.read_file("trials.jsonl", MAX_TRIALS_BYTES).ok()??;
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
    async fn progress_is_shown_only_when_it_has_changed() {
        let dir = tempfile::tempdir().unwrap();
        let run = dir.path().join("run");
        fs::create_dir(&run).unwrap();
        RunResult::write_failed_search(&run, EnvironmentInfo::default(), String::new()).unwrap();
        let (poll_count, shown) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
        let is_over = tokio::sync::Notify::new();
        let poll = || {
            let poll = poll_count.fetch_add(1, Ordering::SeqCst);
            if poll == 2 {
                fs::write(run.join("trials.jsonl"), "").unwrap();
            } else if poll == 4 {
                let line = serde_json::to_string(&TrialLine::default()).unwrap();
                fs::write(run.join("trials.jsonl"), format!("{line}\n")).unwrap();
            } else if poll == 6 {
                is_over.notify_one();
            }
            read_progress(run.clone())
        };
        let show = |progress: Option<ProgressSummary>| {
            shown.lock().unwrap().push(progress);
            std::future::ready(())
        };
        let watch = PollingConfig { interval: Duration::from_millis(1), timeout: Duration::MAX };
        watch_search(is_over.notified(), watch, poll, show).await;
        let line = serde_json::to_string(&TrialLine::default()).unwrap();
        let expected =
            [Some(ProgressSummary::from_trials("")), Some(ProgressSummary::from_trials(&line))];
        assert_eq!(*shown.lock().unwrap(), expected);
        fs::remove_file(run.join("trials.jsonl")).unwrap();
        std::os::unix::fs::symlink("/etc/passwd", run.join("trials.jsonl")).unwrap();
        assert_eq!(read_progress(run).await, None);
    }

    #[tokio::test]
    async fn hanging_poll_does_not_delay_the_search() {
        let (poll_count, has_looked) = (AtomicUsize::new(0), tokio::sync::Notify::new());
        let poll = || {
            poll_count.fetch_add(1, Ordering::SeqCst);
            has_looked.notify_one();
            std::future::pending()
        };
        let moment = Duration::from_millis(1);
        let watch = PollingConfig { interval: moment, timeout: moment };
        let search = async {
            has_looked.notified().await;
            tokio::time::sleep(moment * 20).await;
        };
        watch_search(search, watch, poll, |_| std::future::ready(())).await;
        assert_eq!(poll_count.load(Ordering::SeqCst), 1);
    }
}
