//! Command `git mend delta`: shows the components of a diff, or writes a variant with some of them.

use crate::cli::arguments::{DeltaArguments, Format, Shared};
use crate::cli::output::console::Console;
use crate::cli::settings::Settings;
use crate::run::{ComponentChoice, Context, DeltaRequest, VersionDelta, compare_versions};
use anyhow::Context as _;
use mend_engine::ProjectOptions;
use mend_model::{Exit, Result};
use mend_report::delta::{DeltaView, format_delta, format_dot};
use std::path::Path;

pub(crate) fn run(
    options: &DeltaArguments,
    shared: &Shared,
    context: &Context,
    console: &Console,
) -> Result<Exit> {
    let dir = shared.working_dir()?;
    let settings = Settings::read(&dir)?;
    let downloads = options.downloads.to_options(settings.offline);
    let project = settings.project_options(&dir, None)?;
    let request = DeltaRequest {
        old: options.a.clone(),
        new: options.b.clone(),
        java: options.java.granularity(),
        downloads,
        project: ProjectOptions { is_offline: downloads.is_offline, ..project },
        dir: dir.clone(),
    };
    let comparison = compare_versions(&request, context)?;
    console.clear_progress();
    if let (Some(choice), Some(output)) = (&options.apply, &options.output) {
        return write_variant(&comparison, choice, &dir.join(output), console);
    }
    let (delta, changes) = (&comparison.delta, &comparison.changes);
    let view = DeltaView::new(delta, changes);
    match shared.format {
        Format::Human => {
            let style = console.result_style();
            console.print_human_result(&format_delta(
                &DeltaView::with_style(delta, changes, &style),
                &style,
            )?);
        }
        Format::Json => {
            let text = serde_json::to_string(&view).context("writing JSON")?;
            Console::print_raw_result(&format!("{text}\n"));
        }
        Format::Dot => Console::print_raw_result(&format_dot(&view)),
    }
    Ok(Exit::Found)
}

fn write_variant(
    comparison: &VersionDelta,
    choice: &ComponentChoice,
    output_folder: &Path,
    console: &Console,
) -> Result<Exit> {
    let applied = comparison.apply(choice, output_folder)?;
    let component_count = comparison.delta.components().len();
    console.print_message(&format!(
        "wrote {} of {component_count} components to {}",
        applied.len(),
        output_folder.display()
    ));
    if let ComponentChoice::Ranges(ranges) = choice {
        let is_chosen = |id: &usize| ranges.iter().any(|range| range.contains(id));
        let dependencies: Vec<String> =
            applied.iter().filter(|id| !is_chosen(id)).map(ToString::to_string).collect();
        if !dependencies.is_empty() {
            console.print_message(&format!(
                "added because the chosen components depend on them: {}",
                dependencies.join(", ")
            ));
        }
    }
    Ok(Exit::Found)
}
