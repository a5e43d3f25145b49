//! Reports the progress of an exploration: executed and remaining schedules, and the reason for a slow step.

use mend_engine::ExploreConfig;
use mend_model::{ProgressEvent, ProgressListener, format_count};

/// Reason for a slow start, before the first schedule.
const SLOW_BUILD_REASON: &str = "slow because everything is compiled first";

/// Reason for a slow schedule.
const SLOW_SCHEDULE_REASON: &str = "slow because only one thread runs at a time";

/// Reports the start of an exploration. Returns the listener that reports the numbers of executed and failing
/// schedules.
pub(crate) fn schedule_listener<'a>(
    progress: &'a dyn ProgressListener,
    config: &ExploreConfig,
) -> impl FnMut(usize, usize) + 'a {
    let description = "building the tests".to_owned();
    progress.handle(ProgressEvent::BatchProgress {
        description,
        remaining: None,
        slow_hint: Some(SLOW_BUILD_REASON.to_owned()),
    });
    // A replay runs a single schedule, so it shows no remaining number.
    let max_schedules = config.replay.is_none().then_some(config.schedules as usize);
    move |run: usize, failing: usize| {
        let remaining = max_schedules.map(|max_schedules| max_schedules.saturating_sub(run));
        let description = format!("{} run, {failing} failing", format_count(run, "schedule"));
        progress.handle(ProgressEvent::BatchProgress {
            description,
            remaining,
            slow_hint: Some(SLOW_SCHEDULE_REASON.to_owned()),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[derive(Default)]
    struct EventRecorder(Mutex<Vec<String>>);

    impl ProgressListener for EventRecorder {
        fn handle(&self, event: ProgressEvent) {
            if let ProgressEvent::BatchProgress {
                description: what,
                remaining: left,
                slow_hint: if_slow,
            } = event
            {
                let line = format!("{what} ({left:?}); {}", if_slow.unwrap_or_default());
                self.0.lock().unwrap().push(line);
            }
        }
    }

    #[test]
    fn progress_shows_remaining_schedules_and_slow_reason() {
        let recorder = EventRecorder::default();
        let config = ExploreConfig {
            schedules: 100,
            schedulers: Vec::new(),
            targets: Vec::new(),
            seed: 0,
            replay: None,
            expected_output: None,
            is_fail_fast: false,
        };
        let mut listener = schedule_listener(&recorder, &config);
        listener(1, 0);
        listener(40, 2);
        insta::assert_snapshot!(recorder.0.lock().unwrap().join("\n"), @r"
        building the tests (None); slow because everything is compiled first
        1 schedule run, 0 failing (Some(99)); slow because only one thread runs at a time
        40 schedules run, 2 failing (Some(60)); slow because only one thread runs at a time
        ");
    }
}
