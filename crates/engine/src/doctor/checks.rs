//! Runs all checks of `git mend doctor`.

use super::DoctorContext;
use crate::doctor::{machine_checks, project_checks};
use mend_model::DoctorFinding;
use mend_model::Result;

/// Runs all checks, in the order in which problems are best solved.
///
/// # Errors
/// An interrupt, or a project model that cannot be written; missing requirements are findings.
pub fn run_checks(context: &DoctorContext<'_>) -> Result<Vec<DoctorFinding>> {
    let git = machine_checks::check_git(context)?;
    let (jdk, java) = machine_checks::check_jdk(context)?;
    let (disk_space, manual) =
        (machine_checks::check_disk_space(context), machine_checks::check_manual(context)?);
    let project_findings = project_checks::check_project(context, jdk.as_ref())?;
    let remaining = [disk_space].into_iter().chain(manual);
    Ok([git, java].into_iter().chain(project_findings).chain(remaining).collect())
}
