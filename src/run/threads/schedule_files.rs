//! Formats and reads schedule files of the run folder.

use anyhow::Context as _;
use mend_model::schedules::{Schedule, ScheduleTrace};
use mend_model::{Problem, Result};
use mend_report::Interleaving;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Name of the schema of a schedule file.
const SCHEDULE_FILE_SCHEMA: &str = "git-mend/schedule/1";

#[derive(Serialize)]
struct ScheduleFileContent<'a> {
    schema: &'a str,
    kind: &'a str,
    schedule: &'a Schedule,
    example: &'a ScheduleTrace,
    pattern_steps: &'a [usize],
    ending: &'a str,
}

#[derive(Deserialize)]
struct StoredSchedule {
    schema: String,
    schedule: Schedule,
}

/// Formats a schedule file: the schedule, its steps, the steps of the shown pattern, and the failure.
pub(super) fn format_schedule_file(interleaving: &Interleaving<'_>) -> Result<Vec<u8>> {
    let Interleaving { trace: example, pattern_steps: marked, ending } = *interleaving;
    let (kind, schedule) = (example.kind.as_str(), &example.schedule);
    let content = ScheduleFileContent {
        schema: SCHEDULE_FILE_SCHEMA,
        kind,
        schedule,
        example,
        pattern_steps: marked,
        ending,
    };
    let mut text = serde_json::to_vec_pretty(&content).context("writing a schedule")?;
    text.push(b'\n');
    Ok(text)
}

/// Reads the schedule from a file.
///
/// # Errors
/// [`Problem::Usage`] if the file contains no schedule.
pub(super) fn read_schedule(file: &Path) -> Result<Schedule> {
    let usage = |why: String| Problem::Usage {
        message: format!("--replay {}: {why}", file.display()),
        remedy: "pass a schedule-N.json from the run folder of an earlier `git mend explore`"
            .to_owned(),
    };
    let text = std::fs::read(file).map_err(|error| usage(Problem::io_error_reason(&error)))?;
    let stored: StoredSchedule = serde_json::from_slice(&text)
        .map_err(|error| usage(format!("it is not a schedule file ({error})")))?;
    if stored.schema != SCHEDULE_FILE_SCHEMA {
        return Err(usage(format!(
            "its schema is {}, expected {SCHEDULE_FILE_SCHEMA}",
            stored.schema
        )));
    }
    Ok(stored.schedule)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_schedule_file_is_rejected() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("result.json");
        let error_of = |content: Option<&str>| {
            if let Some(content) = content {
                std::fs::write(&file, content).unwrap();
            }
            let problem = read_schedule(&file).unwrap_err();
            assert!(problem.remedy().contains("schedule-N.json"));
            problem.to_string()
        };
        assert!(error_of(None).contains("No such file"));
        assert!(error_of(Some("{}")).contains("it is not a schedule file"));
        let unknown_schema = r#"{"schema":"git-mend/schedule/9","schedule":{"test":"a\t\talways",
            "scheduler":"pos","seed":1,"shared":[],"choices":[1]}}"#;
        assert!(error_of(Some(unknown_schema)).contains("git-mend/schedule/9"));
    }
}
