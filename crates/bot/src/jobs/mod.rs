//! Work of the job workers. Every step can be dropped or killed at any point: each job first reads the state on GitHub,
//! and looks for an item before it creates it.

mod check;
mod checkout;
mod commands;
mod dispatch;
mod failing_tests;
mod halt;
mod here;
mod mender;
mod own_workflow;
mod premerge;
mod progress;
mod runtime;
mod search;
mod settle;
mod target;
mod watched;
mod workshop;

pub(super) use mender::Mender;
pub(super) use workshop::Workshop;
