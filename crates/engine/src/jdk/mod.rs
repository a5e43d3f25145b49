//! JDKs of this machine, and files that are generated once for each.

pub(crate) mod cds_archive;
pub(crate) mod environment;
pub(crate) mod installation;
pub(crate) mod jar;
pub(crate) mod source_level;
pub(crate) mod toolchain;
