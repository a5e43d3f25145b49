//! Test sources without the members that a version cannot compile and that the selected tests do not need.

pub(crate) mod error_location;
pub(crate) mod mentions;
pub(crate) mod reduced_sources;
pub(crate) mod required_code;
pub(crate) mod source_index;
pub(crate) mod test_file;
