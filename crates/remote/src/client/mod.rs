//! Client of the Remote Execution API.

pub(crate) mod connection;
pub(crate) mod execution;
pub(crate) mod fault;
pub(crate) mod upload;
