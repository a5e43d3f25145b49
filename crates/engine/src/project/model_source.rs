//! Where a project model comes from.

/// Where a project model comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ModelSource {
    /// The build tool if it works, or else the build files.
    #[default]
    Auto,
    /// The build tool only.
    Tool,
    /// The build files, without running a build tool.
    Files,
}
