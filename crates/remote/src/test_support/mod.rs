//! Fake server of the Remote Execution API, for tests: it really runs the actions.

mod blob_services;
mod fake_server;
mod faults;
mod operations;
mod services;
mod storage;
mod worker;

pub use fake_server::FakeServer;
pub use faults::{FakeFault, Faults};
pub use worker::{SimulatedTest, WorkerKind};
