//! Client of the Remote Execution API.

pub(crate) mod cancellation;
pub(crate) mod connection;
pub(crate) mod execution;
pub(crate) mod fault;
pub(crate) mod open_operations;
pub(crate) mod upload;
