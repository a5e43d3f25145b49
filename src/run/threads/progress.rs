//! Progress of an exploration: schedules run, schedules left, and the reason for a slow step.

use mend_engine::ExploreConfig;
use mend_model::{ProgressEvent, ProgressListener, counted};

/// Reason for a slow start, before the first schedule.
const BUILDING: &str = "slow because everything is compiled first";

/// Reason for a slow schedule.
const RUNNING: &str = "slow because only one thread runs at a time";

/// Reports that an exploration begins, and returns the listener that reports how many schedules
/// were run and how many of them failed.
pub(crate) fn telling<'a>(
    progress: &'a dyn ProgressListener,
    order: &ExploreConfig,
) -> impl FnMut(usize, usize) + 'a {
    let what = "building the tests".to_owned();
    progress.event(ProgressEvent::BatchProgress {
        what,
        left: None,
        if_slow: Some(BUILDING.to_owned()),
    });
    // One that is run again is one.
    let most = order.replay.is_none().then_some(order.schedules as usize);
    move |run: usize, failing: usize| {
        let left = most.map(|most| most.saturating_sub(run));
        let what = format!("{} run, {failing} failing", counted(run, "schedule"));
        progress.event(ProgressEvent::BatchProgress {
            what,
            left,
            if_slow: Some(RUNNING.to_owned()),
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
        fn event(&self, event: ProgressEvent) {
            if let ProgressEvent::BatchProgress { what, left, if_slow } = event {
                let line = format!("{what} ({left:?}); {}", if_slow.unwrap_or_default());
                self.0.lock().unwrap().push(line);
            }
        }
    }

    #[test]
    fn what_is_asked_and_left_is_told_from_the_beginning_and_why_it_may_take_long() {
        let heard = EventRecorder::default();
        let order = ExploreConfig {
            schedules: 100,
            samplers: Vec::new(),
            targets: Vec::new(),
            seed: 0,
            replay: None,
            expected: None,
            is_trial: false,
        };
        let mut told = telling(&heard, &order);
        told(1, 0);
        told(40, 2);
        insta::assert_snapshot!(heard.0.lock().unwrap().join("\n"), @r"
        building the tests (None); slow because everything is compiled first
        1 schedule run, 0 failing (Some(99)); slow because only one thread runs at a time
        40 schedules run, 2 failing (Some(60)); slow because only one thread runs at a time
        ");
    }
}
