//! Schedules as files in the run folder.

use anyhow::Context as _;
use mend_model::schedules::{Schedule, ScheduleTrace};
use mend_model::{Problem, Result};
use mend_report::Interleaving;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Name of the schema of a schedule file.
const SCHEMA: &str = "git-mend/schedule/1";

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
pub(super) fn write(picture: &Interleaving<'_>) -> Result<Vec<u8>> {
    let Interleaving { trace: example, pattern_steps: marked, ending } = *picture;
    let (kind, schedule) = (example.kind.as_str(), &example.schedule);
    let written = ScheduleFileContent {
        schema: SCHEMA,
        kind,
        schedule,
        example,
        pattern_steps: marked,
        ending,
    };
    let mut text = serde_json::to_vec_pretty(&written).context("writing a schedule")?;
    text.push(b'\n');
    Ok(text)
}

/// Reads the schedule from a file.
///
/// # Errors
/// [`Problem::Usage`] if there is none.
pub(super) fn read(file: &Path) -> Result<Schedule> {
    let usage = |why: String| Problem::Usage {
        message: format!("--replay {}: {why}", file.display()),
        remedy: "pass a schedule-N.json from the run folder of an earlier `git mend explore`"
            .to_owned(),
    };
    let text = std::fs::read(file).map_err(|error| usage(Problem::reason(&error)))?;
    let read: StoredSchedule = serde_json::from_slice(&text)
        .map_err(|error| usage(format!("it is not a schedule file ({error})")))?;
    if read.schema != SCHEMA {
        return Err(usage(format!("its schema is {}, expected {SCHEMA}", read.schema)));
    }
    Ok(read.schedule)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_schedule_is_refused_with_a_remedy() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("result.json");
        let said = |content: Option<&str>| {
            if let Some(content) = content {
                std::fs::write(&file, content).unwrap();
            }
            let problem = read(&file).unwrap_err();
            assert!(problem.remedy().contains("schedule-N.json"));
            problem.to_string()
        };
        assert!(said(None).contains("No such file"));
        assert!(said(Some("{}")).contains("it is not a schedule file"));
        let other = r#"{"schema":"git-mend/schedule/9","schedule":{"test":"a\t\talways",
            "scheduler":"pos","seed":1,"shared":[],"choices":[1]}}"#;
        assert!(said(Some(other)).contains("git-mend/schedule/9"));
    }
}
