//! Implementation of the commands, one file each.

pub(crate) mod bisect;
pub(crate) mod ci;
pub(crate) mod delta;
pub(crate) mod demo;
pub(crate) mod doctor;
pub(crate) mod explore;
pub(crate) mod fix;
pub(crate) mod generate;
pub(crate) mod hook;
pub(crate) mod mcp;
pub(crate) mod pr;
pub(crate) mod report;
pub(crate) mod serve;
pub(crate) mod setup;
pub(crate) mod test;
pub(crate) mod upgrade;
pub(crate) mod validate;
