//! Thread schedules: exploration, audit of patches, and repair of concurrency bugs.

mod default_schedulers;
mod explore;
mod explorer;
mod findings_report;
pub(crate) mod fix;
mod printed_output;
mod progress;
mod rejections;
mod schedule_explainer;
mod schedule_files;

pub use crate::run::threads::default_schedulers::DEFAULT_SCHEDULERS;
pub use crate::run::threads::explore::command::{ExploreRequest, explore};
