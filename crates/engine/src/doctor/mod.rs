//! What a run would need on this machine, and whether it is there.

mod advice;
mod build;
mod checks;
mod checkup;
mod machine;

pub use checks::run_checks;
pub use checkup::Checkup;
