//! Kinds of repositories of published artifacts.

/// Kind of the repositories that are asked: a project can name others for plugins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RepositoryKind {
    /// Repositories of libraries.
    Libraries,
    /// Repositories of plugins.
    Plugins,
}
