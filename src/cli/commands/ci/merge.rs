//! Command `git mend ci merge`: adds the outcomes of shards to the cache of this repository.

use crate::cli::arguments::{CiMergeArguments, Shared};
use crate::cli::output::console::Console;
use crate::run::merge_outcomes;
use mend_model::{Exit, Result, format_count};

pub(super) fn run(options: &CiMergeArguments, shared: &Shared, console: &Console) -> Result<Exit> {
    let folder = shared.dir.join(&options.folder);
    let merged = merge_outcomes(&shared.dir, &folder)?;
    for file in &merged.unusable_files {
        let file = file.display();
        console.print_message(&format!("skipped {file}: not of this version of git-mend"));
    }
    let outcomes = format_count(merged.outcome_count, "outcome");
    let files = format_count(merged.file_count, "file");
    console.print_human_result(&format!("merged {outcomes} from {files}\n"));
    Ok(Exit::Found)
}
