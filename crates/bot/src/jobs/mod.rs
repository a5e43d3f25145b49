//! Jobs that run on GitHub. A job may be dropped or killed after any step. So each job first reads the state on GitHub,
//! and searches for an item before it creates the item.

mod commands;
mod dispatch_workflow;
mod job_runner;
mod job_stop;
mod local_search;
mod merge_group;
mod own_check_run;
mod progress;
mod search;
mod settle;
mod target;
mod task_dispatch;

pub(super) use crate::jobs::job_runner::JobRunner;
pub(super) use crate::jobs::local_search::config::LocalSearchConfig;
