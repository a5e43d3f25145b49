//! Build model of Maven, read from POM files.

pub(crate) mod build_helper;
pub(crate) mod compiler_settings;
pub(crate) mod inherited_properties;
pub(crate) mod module_settings;
pub(crate) mod pom;
pub(crate) mod pom_model;
pub(crate) mod processors;
pub(crate) mod profiles;
pub(crate) mod reader;
pub(crate) mod report_folders;
pub(crate) mod resources;
pub(crate) mod settings;
pub(crate) mod test_settings;
