//! Writes the man pages, one for each command.

use anyhow::Context as _;
use mend_model::{Problem, Result};
use std::path::{Path, PathBuf};

/// Writes the pages into the subfolder `man1` of a folder of man pages, and returns its path.
pub(super) fn write(command: clap::Command, folder: Option<&Path>) -> Result<PathBuf> {
    let pages = match folder {
        Some(folder) => folder.join("man1"),
        None => man_folder_of_program()?.join("man1"),
    };
    let generated =
        std::fs::create_dir_all(&pages).and_then(|()| clap_mangen::generate_to(command, &pages));
    match generated {
        Ok(()) => Ok(pages),
        Err(error) => Err(Problem::Usage {
            message: format!("cannot write the man pages to {}: {error}", pages.display()),
            remedy: "use --output with a folder that you can write, such as ~/.local/share/man"
                .to_owned(),
        }),
    }
}

/// Returns the folder in which `man` searches the pages of a program on the `PATH`.
fn man_folder_of_program() -> Result<PathBuf> {
    let program = std::env::current_exe().context("finding this program")?;
    let prefix =
        program.parent().and_then(Path::parent).context("finding this program's folder")?;
    Ok(prefix.join("share/man"))
}
