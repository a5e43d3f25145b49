//! Encoding of requests to workers: each text is preceded by its length.

use anyhow::Context as _;
use mend_model::Result;
use std::path::{Path, PathBuf};

pub(crate) fn write_paths(request: &mut Vec<u8>, paths: &[PathBuf]) -> Result<()> {
    write_length(request, paths.len())?;
    paths.iter().try_for_each(|one| write_path(request, one))
}

pub(crate) fn write_path(request: &mut Vec<u8>, path: &Path) -> Result<()> {
    write_text(request, &path.to_string_lossy())
}

pub(crate) fn write_text(request: &mut Vec<u8>, text: &str) -> Result<()> {
    write_bytes(request, text.as_bytes())
}

pub(crate) fn write_bytes(request: &mut Vec<u8>, bytes: &[u8]) -> Result<()> {
    write_length(request, bytes.len())?;
    request.extend(bytes);
    Ok(())
}

pub(crate) fn write_length(request: &mut Vec<u8>, length: usize) -> Result<()> {
    let length = i32::try_from(length).context("the request is too large")?;
    request.extend(length.to_be_bytes());
    Ok(())
}
