//! The workers of one tree, and their folder.

use super::super::attempt::Hands;
use super::super::compiler::{Compilation, Compiled};
use super::super::process_engine::ProcessEngine;
use super::super::result_lines::Told;
use super::super::test_run::TestRun;
use super::super::{Ended, Execution, Limits, Rung};
use super::compile_worker::{Answer, CompileWorker};
use crate::facts::Refusal;
use crate::model::Result;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Workers that judge the variants of one tree, one after the other.
pub(super) struct Slot {
    folder: TempDir,
    compiler: CompileWorker,
    refusals: Vec<Refusal>,
    /// Why the last execution means nothing, if it does not.
    pub(super) obstacle: Option<String>,
}

impl Slot {
    pub(super) fn new(folder: TempDir) -> Self {
        let (compiler, refusals) = (CompileWorker::default(), Vec::new());
        Self { folder, compiler, refusals, obstacle: None }
    }

    /// Builds and tests the variant in a tree.
    pub(super) fn run(
        &mut self,
        process: &ProcessEngine,
        tree: &Path,
        limits: &Limits,
    ) -> Result<Execution> {
        let output = self.folder.path().to_owned();
        self.refusals.clear();
        let execution = process.run_with(tree, &output, limits, self)?;
        let refusals = std::mem::take(&mut self.refusals);
        Ok(Execution { rung: Rung::Jvm, refusals, ..execution })
    }
}

impl Hands for Slot {
    fn compile(&mut self, compilation: &Compilation<'_>, files: &[PathBuf]) -> Result<Compiled> {
        let work = self.folder.path().parent().unwrap_or(self.folder.path()).to_owned();
        Ok(match self.compiler.compile(compilation, files, &work)? {
            Answer::Ok => Compiled::Ok,
            Answer::TimedOut => Compiled::TimedOut(String::new()),
            Answer::Failed(said, refusals) => {
                self.refusals = refusals;
                Compiled::Failed(said)
            }
            Answer::Unfit(reason) => {
                self.obstacle = Some(reason);
                Compiled::Failed(String::new())
            }
        })
    }

    fn test(&mut self, run: &TestRun<'_>) -> Result<(Told, Ended)> {
        run.run()
    }
}
