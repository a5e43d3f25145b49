//! Requests to workers, piece by piece: each text after its length.

use anyhow::Context as _;
use mend_model::Result;
use std::path::{Path, PathBuf};

pub(crate) fn paths(out: &mut Vec<u8>, paths: &[PathBuf]) -> Result<()> {
    length(out, paths.len())?;
    paths.iter().try_for_each(|one| path(out, one))
}

pub(crate) fn path(out: &mut Vec<u8>, path: &Path) -> Result<()> {
    text(out, &path.to_string_lossy())
}

pub(crate) fn text(out: &mut Vec<u8>, text: &str) -> Result<()> {
    length(out, text.len())?;
    out.extend(text.as_bytes());
    Ok(())
}

pub(crate) fn length(out: &mut Vec<u8>, length: usize) -> Result<()> {
    let length = i32::try_from(length).context("too much for one request")?;
    out.extend(length.to_be_bytes());
    Ok(())
}
