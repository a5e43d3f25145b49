//! `git mend delta`: shows the components of a diff, or writes a variant with some of them.

use crate::cli::arguments::{DeltaArguments, Format, Shared};
use crate::cli::output::console::Console;
use crate::cli::settings::Settings;
use crate::run::{ComponentChoice, Context, DeltaRequest, VersionDelta, compare};
use anyhow::Context as _;
use mend_model::{Exit, Problem, Result};
use mend_report::delta::{DeltaView, format_delta, format_dot};
use std::path::Path;

pub(crate) fn run(
    options: &DeltaArguments,
    shared: &Shared,
    context: &Context,
    console: &Console,
) -> Result<Exit> {
    let dir = std::path::absolute(&shared.dir).map_err(|error| Problem::io(error, &shared.dir))?;
    let request = DeltaRequest {
        old: options.a.clone(),
        new: options.b.clone(),
        java: options.java.mode(),
        project: Settings::read(&dir)?.project(&dir, None)?,
        dir: dir.clone(),
    };
    let comparison = compare(&request, context)?;
    console.finish();
    if let (Some(choice), Some(output)) = (&options.apply, &options.output) {
        return apply(&comparison, choice, &dir.join(output), console);
    }
    let (delta, changes) = (&comparison.delta, &comparison.changes);
    let view = DeltaView::new(delta, changes);
    match shared.format {
        Format::Human => {
            let style = console.answer_style();
            console.show(&format_delta(&DeltaView::with_style(delta, changes, &style), &style)?);
        }
        Format::Json => {
            let text = serde_json::to_string(&view).context("writing JSON")?;
            Console::answer(&format!("{text}\n"));
        }
        Format::Dot => Console::answer(&format_dot(&view)),
    }
    Ok(Exit::Found)
}

fn apply(
    comparison: &VersionDelta,
    choice: &ComponentChoice,
    to: &Path,
    console: &Console,
) -> Result<Exit> {
    let on = comparison.apply(choice, to)?;
    let all = comparison.delta.components().len();
    console.say(&format!("wrote {} of {all} components to {}", on.len(), to.display()));
    if let ComponentChoice::Ranges(ranges) = choice {
        let is_asked = |id: &usize| ranges.iter().any(|range| range.contains(id));
        let needed: Vec<String> =
            on.iter().filter(|id| !is_asked(id)).map(ToString::to_string).collect();
        if !needed.is_empty() {
            console.say(&format!(
                "added because the chosen components depend on them: {}",
                needed.join(", ")
            ));
        }
    }
    Ok(Exit::Found)
}
