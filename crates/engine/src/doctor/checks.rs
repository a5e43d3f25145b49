//! All checks, one after the other.

use super::DoctorContext;
use crate::doctor::{machine_checks, project_checks};
use mend_model::DoctorFinding;
use mend_model::Result;

/// Checks everything, in the order in which problems are best fixed.
///
/// # Errors
/// An interruption, or a model that cannot be recorded; whatever is missing is a finding.
pub fn run_checks(checkup: &DoctorContext<'_>) -> Result<Vec<DoctorFinding>> {
    let git = machine_checks::git(checkup)?;
    let (jdk, java) = machine_checks::jdk(checkup)?;
    let (rooms, manual) = (machine_checks::room(checkup), machine_checks::manual(checkup)?);
    let of_project = project_checks::findings(checkup, jdk.as_ref())?;
    let others = [rooms].into_iter().chain(manual);
    Ok([git, java].into_iter().chain(of_project).chain(others).collect())
}
