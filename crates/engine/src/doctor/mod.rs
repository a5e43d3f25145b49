//! Checks of the requirements of a run, on this machine and in the project.

mod advice;
mod checks;
mod context;
mod machine_checks;
mod project_checks;

pub use crate::doctor::context::DoctorContext;
pub use checks::run_checks;
