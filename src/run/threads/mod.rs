//! Thread schedules: exploration, audit of patches, and repair of concurrency bugs.

mod default_schedulers;
mod explore;
pub(crate) mod explorer;
mod findings_report;
pub(crate) mod fix;
mod printed_output;
mod progress;
pub(crate) mod rejections;
mod schedule_explainer;
mod schedule_files;
pub(crate) mod thread_usage;

pub use crate::run::threads::default_schedulers::DEFAULT_SCHEDULERS;
pub use crate::run::threads::explore::command::{ExploreRequest, explore};
