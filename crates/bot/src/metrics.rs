//! Prometheus metrics of the server.

use super::queue::{JobCounts, JobState};
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};
use std::fmt;
use std::time::Duration;

/// Histogram buckets of webhook response times, in seconds. GitHub waits ten seconds.
const RESPONSE_SECONDS_BUCKETS: [f64; 9] = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 10.0];
/// Histogram buckets of job durations, in seconds.
const JOB_SECONDS_BUCKETS: [f64; 8] = [1.0, 5.0, 15.0, 60.0, 300.0, 900.0, 1800.0, 3600.0];

/// Metrics of the server.
pub(super) struct Metrics {
    registry: Registry,
    webhooks: Family<WebhookLabels, Counter>,
    response_seconds: Histogram,
    jobs: Family<JobStateLabels, Gauge>,
    job_outcomes: Family<JobOutcomeLabels, Counter>,
    job_seconds: Histogram,
}

/// Labels of a webhook: its event and outcome. Both are constants, so that no client can create series.
#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
struct WebhookLabels {
    event: &'static str,
    outcome: &'static str,
}

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
struct JobStateLabels {
    state: &'static str,
}

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
struct JobOutcomeLabels {
    kind: &'static str,
    state: &'static str,
}

impl Metrics {
    pub(super) fn new() -> Self {
        let mut metrics = Self {
            registry: Registry::with_prefix("git_mend"),
            webhooks: Family::default(),
            response_seconds: Histogram::new(RESPONSE_SECONDS_BUCKETS),
            jobs: Family::default(),
            job_outcomes: Family::default(),
            job_seconds: Histogram::new(JOB_SECONDS_BUCKETS),
        };
        metrics.register_all();
        metrics
    }

    fn register_all(&mut self) {
        let Self {
            registry,
            webhooks,
            response_seconds: answers,
            jobs,
            job_outcomes: endings,
            job_seconds,
        } = self;
        registry.register("webhooks", "Webhooks by event and outcome", webhooks.clone());
        let help = "Response time of webhooks";
        registry.register_with_unit("webhook_answer", help, Unit::Seconds, answers.clone());
        registry.register("jobs", "Jobs in the queue by state", jobs.clone());
        let help = "Job runs by kind and resulting state";
        registry.register("job_runs", help, endings.clone());
        registry.register_with_unit(
            "job_run",
            "Duration of job runs",
            Unit::Seconds,
            job_seconds.clone(),
        );
    }

    /// Records an answered webhook.
    pub(super) fn record_webhook(
        &self,
        event: &'static str,
        outcome: &'static str,
        duration: Duration,
    ) {
        self.webhooks.get_or_create(&WebhookLabels { event, outcome }).inc();
        self.response_seconds.observe(duration.as_secs_f64());
    }

    /// Records the end of a job run.
    pub(super) fn record_job(&self, kind: &'static str, state: JobState, duration: Duration) {
        self.job_outcomes.get_or_create(&JobOutcomeLabels { kind, state: state.label() }).inc();
        self.job_seconds.observe(duration.as_secs_f64());
    }

    /// Returns the metrics in the text format of Prometheus.
    pub(super) fn to_text(&self, counts: &JobCounts) -> Result<String, fmt::Error> {
        for state in JobState::ALL {
            let count = i64::try_from(counts.count(state)).unwrap_or(i64::MAX);
            self.jobs.get_or_create(&JobStateLabels { state: state.label() }).set(count);
        }
        let mut text = String::new();
        encode(&mut text, &self.registry)?;
        Ok(text)
    }
}
