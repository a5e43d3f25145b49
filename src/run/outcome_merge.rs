//! Merges the outcomes that other machines stored.

use crate::run::session::{CACHE_FILE, home_of};
use mend_engine::{Environment, OutcomeCache};
use mend_git::Repository;
use mend_model::{Problem, Result};
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// Number of outcomes that were merged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MergedOutcomes {
    /// Number of files with outcomes.
    pub file_count: usize,
    /// Number of outcomes that were unknown before.
    pub outcome_count: usize,
    /// Files that have another format, such as those of another version.
    pub unusable_files: Vec<PathBuf>,
}

/// Adds the outcomes of all cache files below a folder to the cache of the repository of `dir`. The folder may be
/// missing.
///
/// # Errors
/// [`Problem::NotARepository`]; problems of reading and writing files.
pub fn merge_outcomes(dir: &Path, folder: &Path) -> Result<MergedOutcomes> {
    let repository = Repository::open(dir)?;
    let own = home_of(Some(&repository), dir).join(CACHE_FILE);
    let mut merged = MergedOutcomes::default();
    let files = find_cache_files(folder)?;
    if files.is_empty() {
        return Ok(merged);
    }
    let cache = OutcomeCache::open(&own, Environment::from_process())?;
    for file in files {
        match cache.merge(&file)? {
            Some(count) => {
                merged.file_count += 1;
                merged.outcome_count += count;
            }
            None => merged.unusable_files.push(file),
        }
    }
    Ok(merged)
}

/// Returns the cache files below a folder, in a fixed order.
fn find_cache_files(folder: &Path) -> Result<Vec<PathBuf>> {
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let mut files = Vec::new();
    for entry in WalkDir::new(folder).sort_by_file_name() {
        let entry = entry.map_err(|error| Problem::io(error.into(), folder))?;
        if entry.file_type().is_file() && entry.file_name() == CACHE_FILE {
            files.push(entry.into_path());
        }
    }
    Ok(files)
}
