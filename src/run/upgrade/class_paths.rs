//! Class paths of the selected tests.

use crate::run::session::request::OracleRequest;
use crate::run::session::{PreparedRun, Session};
use crate::run::subject::attribution::Attribution;
use mend_engine::{BuildKind, Project, select_tests};
use mend_model::{Problem, Result, TreeId};
use std::path::PathBuf;

/// Reads the class paths of the selected tests.
pub(super) struct ClassPaths<'a> {
    prepared: &'a PreparedRun,
    pub(super) attribution: &'a Attribution,
    oracle: &'a OracleRequest,
}

impl<'a> ClassPaths<'a> {
    pub(super) fn new(session: &'a Session<'_>, prepared: &'a PreparedRun) -> Result<Self> {
        let attribution = prepared.attribution.as_ref().ok_or_else(|| Problem::Usage {
            message: "upgrades cannot be searched with a command".to_owned(),
            remedy: "use --test pkg.Class#method".to_owned(),
        })?;
        Ok(Self { prepared, attribution, oracle: &session.subject.oracle })
    }

    /// Returns the libraries of the tests in a tree.
    pub(super) fn read(&self, tree: &TreeId) -> Result<Vec<PathBuf>> {
        let Attribution { options, tools, .. } = self.attribution;
        let OracleRequest::Tests(selectors) = self.oracle else { return Ok(Vec::new()) };
        self.prepared.executor.pool.with_checkout(tree, None, |scratch| {
            let project = Project::discover(scratch.path(), options, tools)?;
            if let Some(reason) = project.borrowed_model {
                let tool = if project.build == BuildKind::Gradle { "Gradle" } else { "Maven" };
                return Err(Problem::BuildToolFailed { tool, reason });
            }
            let selections = select_tests(&project, scratch.path(), selectors)?;
            let classes = selections.iter().flat_map(|selection| &selection.classes);
            let files: Vec<_> = classes.map(|class| class.source.clone()).collect();
            Ok(project.narrow_to(&files).class_path)
        })
    }
}
