//! What a run would need on this machine, and whether it is there.

mod advice;
mod checks;
mod context;
mod machine_checks;
mod project_checks;

pub use crate::doctor::context::Checkup;
pub use checks::run_checks;
