//! `git mend report`: writes the HTML page of a run.

use crate::cli::arguments::{Format, ReportArguments, Shared};
use crate::cli::output::console::Console;
use crate::run::{newest, runs_of};
use mend_model::{Exit, Problem, Result};
use mend_report::{OutputContext, SavedRun, render_page, run_pictures};
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// File name of the page in a run folder.
pub(crate) const PAGE: &str = "report.html";

pub(crate) fn run(options: &ReportArguments, shared: &Shared, console: &Console) -> Result<Exit> {
    if shared.format != Format::Human {
        return Err(Problem::Usage {
            message: "`git mend report` writes only an HTML page".to_owned(),
            remedy: "omit --format, or read result.json in the run folder".to_owned(),
        });
    }
    let runs = runs_of(&shared.dir);
    let folder = folder(options, shared, &runs)?;
    let output = match &options.output {
        Some(output) => shared.dir.join(output),
        None => folder.join(PAGE),
    };
    write_page(&folder, &output, shared)?;
    let pictures = match &options.pictures {
        Some(pictures) => write_pictures(&folder, &shared.dir.join(pictures), shared)?,
        None => Vec::new(),
    };
    console.finish();
    for path in [output].iter().chain(&pictures) {
        Console::answer(&format!("{}\n", path.display()));
    }
    Ok(Exit::Found)
}

/// Writes the page of a run folder.
pub(crate) fn write_page(folder: &Path, output: &Path, shared: &Shared) -> Result<()> {
    let text = with_run(folder, shared, render_page)?;
    write(output, &text).map_err(|error| unwritten(error, output, "--output"))
}

/// Writes the pictures of a run folder, each to a file of its name.
fn write_pictures(folder: &Path, to: &Path, shared: &Shared) -> Result<Vec<PathBuf>> {
    let unwritten = |error, path: &Path| unwritten(error, path, "--pictures");
    let pictures = with_run(folder, shared, run_pictures)?;
    std::fs::create_dir_all(to).map_err(|error| unwritten(error, to))?;
    let written = pictures.iter().map(|picture| {
        let path = to.join(picture.name()).with_extension("svg");
        write(&path, &picture.to_svg_file()).map_err(|error| unwritten(error, &path))?;
        Ok(path)
    });
    written.collect()
}

/// Opens a run folder and applies `make` to it, with paths for the current folder.
fn with_run<T>(
    folder: &Path,
    shared: &Shared,
    make: impl FnOnce(&SavedRun, &OutputContext<'_>) -> Result<T>,
) -> Result<T> {
    let folder = std::path::absolute(folder).map_err(|error| Problem::io(error, folder))?;
    let run = SavedRun::open(&folder)?;
    let elsewhere = (shared.dir != Path::new(".")).then_some(shared.dir.as_path());
    let is_found = folder.starts_with(runs_of(&shared.dir));
    make(
        &run,
        &OutputContext {
            folder: &folder,
            is_default_location: is_found,
            project_folder: elsewhere,
            can_read_folder: true,
        },
    )
}

/// Returns the given run folder, or the newest one.
fn folder(options: &ReportArguments, shared: &Shared, runs: &Path) -> Result<PathBuf> {
    match &options.run {
        Some(run) if run.as_os_str() != "latest" => Ok(shared.dir.join(run)),
        _ => newest(runs).ok_or_else(|| Problem::Usage {
            message: format!("there is no run in {}", runs.display()),
            remedy: "start a run with `git mend bisect`, or give a run folder".to_owned(),
        }),
    }
}

/// Replaces a file atomically.
fn write(path: &Path, text: &str) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or_else(|| Path::new("."));
    let mut file = tempfile::Builder::new().permissions(mode()).tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.persist(path).map(drop).map_err(|error| error.error)
}

/// Permissions of the page, which the user's umask restricts.
fn mode() -> std::fs::Permissions {
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
