//! Reads and writes the files of the run folder.

pub(crate) mod artifacts;
pub(crate) mod result;
pub(crate) mod saved_run;
pub(crate) mod trial;
pub(crate) mod values;
