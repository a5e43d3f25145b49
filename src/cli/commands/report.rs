//! Command `git mend report`: writes the HTML page of a run.

use crate::cli::arguments::{Format, ReportArguments, Shared};
use crate::cli::output::console::Console;
use crate::cli::output::run_result::output_context;
use crate::run::{newest_run, runs_folder_of};
use mend_model::{Exit, Problem, Result};
use mend_report::{OutputContext, SavedRun, render_page, run_pictures};
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// File name of the page in a run folder.
pub(crate) const REPORT_FILE: &str = "report.html";

pub(crate) fn run(options: &ReportArguments, shared: &Shared, console: &Console) -> Result<Exit> {
    if shared.format != Format::Human {
        return Err(Problem::Usage {
            message: "`git mend report` writes only an HTML page".to_owned(),
            remedy: "omit --format, or read result.json in the run folder".to_owned(),
        });
    }
    let runs = runs_folder_of(&shared.dir);
    let folder = find_run_folder(options, shared, &runs)?;
    let output = match &options.output {
        Some(output) => shared.dir.join(output),
        None => folder.join(REPORT_FILE),
    };
    write_page(&folder, &output, shared)?;
    let pictures = match &options.pictures {
        Some(pictures) => write_pictures(&folder, &shared.dir.join(pictures), shared)?,
        None => Vec::new(),
    };
    console.clear_progress();
    for path in [output].iter().chain(&pictures) {
        Console::print_raw_result(&format!("{}\n", path.display()));
    }
    Ok(Exit::Found)
}

/// Writes the page of a run folder.
pub(crate) fn write_page(folder: &Path, output: &Path, shared: &Shared) -> Result<()> {
    let text = open_run_and(folder, shared, render_page)?;
    replace_file(output, &text).map_err(|error| unwritten(error, output, "--output"))
}

/// Writes each picture of a run to its own file.
fn write_pictures(folder: &Path, output_folder: &Path, shared: &Shared) -> Result<Vec<PathBuf>> {
    let unwritten = |error, path: &Path| unwritten(error, path, "--pictures");
    let pictures = open_run_and(folder, shared, run_pictures)?;
    std::fs::create_dir_all(output_folder).map_err(|error| unwritten(error, output_folder))?;
    let paths = pictures.iter().map(|picture| {
        let path = output_folder.join(picture.name()).with_extension("svg");
        replace_file(&path, &picture.to_svg_file()).map_err(|error| unwritten(error, &path))?;
        Ok(path)
    });
    paths.collect()
}

/// Opens a run folder and applies `action` to it, with paths relative to the current folder.
fn open_run_and<T>(
    folder: &Path,
    shared: &Shared,
    action: impl FnOnce(&SavedRun, &OutputContext<'_>) -> Result<T>,
) -> Result<T> {
    let folder = std::path::absolute(folder).map_err(|error| Problem::io(error, folder))?;
    let run = SavedRun::open(&folder)?;
    action(&run, &output_context(&folder, shared))
}

/// Returns the given run folder, or the newest one.
fn find_run_folder(options: &ReportArguments, shared: &Shared, runs: &Path) -> Result<PathBuf> {
    match &options.run {
        Some(run) if run.as_os_str() != "latest" => Ok(shared.dir.join(run)),
        _ => newest_run(runs).ok_or_else(|| Problem::Usage {
            message: format!("there is no run in {}", runs.display()),
            remedy: "start a run with `git mend bisect`, or give a run folder".to_owned(),
        }),
    }
}

/// Replaces a file atomically.
fn replace_file(path: &Path, text: &str) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or_else(|| Path::new("."));
    let mut file = tempfile::Builder::new().permissions(page_permissions()).tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.persist(path).map(drop).map_err(|error| error.error)
}

/// Permissions of the page. The user's umask restricts them.
fn page_permissions() -> std::fs::Permissions {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::Permissions::from_mode(0o666)
}

fn unwritten(error: std::io::Error, path: &Path, option: &str) -> Problem {
    match Problem::io(error, path) {
        Problem::Internal(error) => Problem::Usage {
            message: format!("cannot write {error:#}"),
            remedy: format!("use another path with {option}"),
        },
        full => full,
    }
}
