//! Libraries of a project: local repositories, dependency resolution and versions.

pub(crate) mod dependency;
pub(crate) mod local_repositories;
pub(crate) mod resolution;
pub(crate) mod version;
