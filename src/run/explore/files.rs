//! Schedules as files in the run folder.

use crate::engine::{Example, Schedule};
use crate::model::{Problem, Result};
use crate::report::Interleaving;
use anyhow::Context as _;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The name of the schema that a file follows.
const SCHEMA: &str = "git-mend/schedule/1";

#[derive(Serialize)]
struct Written<'a> {
    schema: &'a str,
    kind: &'a str,
    schedule: &'a Schedule,
    example: &'a Example,
    marked: &'a [usize],
    ending: &'a str,
}

#[derive(Deserialize)]
struct Read {
    schema: String,
    schedule: Schedule,
}

/// The content of a file: the schedule, the steps of its threads, those of the pattern that it shows, and how it ends.
pub(super) fn write(picture: &Interleaving<'_>) -> Result<Vec<u8>> {
    let Interleaving { example, marked, ending } = *picture;
    let (kind, schedule) = (example.kind.as_str(), &example.schedule);
    let written = Written { schema: SCHEMA, kind, schedule, example, marked, ending };
    let mut text = serde_json::to_vec_pretty(&written).context("writing a schedule")?;
    text.push(b'\n');
    Ok(text)
}

/// The schedule in a file.
///
/// # Errors
/// [`Problem::Usage`] if there is none.
pub(super) fn read(file: &Path) -> Result<Schedule> {
    let usage = |why: String| Problem::Usage {
        message: format!("--replay {}: {why}", file.display()),
        remedy: "name a schedule-N.json from the folder of an earlier `git mend explore`"
            .to_owned(),
    };
    let text = std::fs::read(file).map_err(|error| usage(Problem::reason(&error)))?;
    let read: Read = serde_json::from_slice(&text)
        .map_err(|error| usage(format!("it is no schedule ({error})")))?;
    if read.schema != SCHEMA {
        return Err(usage(format!("it follows {} and not {SCHEMA}", read.schema)));
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
        assert!(said(Some("{}")).contains("it is no schedule"));
        let other = r#"{"schema":"git-mend/schedule/9","schedule":{"wanted":"a\t\talways",
            "strategy":"pos","seed":1,"shared":[],"choices":[1]}}"#;
        assert!(said(Some(other)).contains("git-mend/schedule/9"));
    }
}
