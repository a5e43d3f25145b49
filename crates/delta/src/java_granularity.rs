//! The granularity of Java files.

/// Granularity at which Java files are split.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JavaGranularity {
    /// Along their syntax trees.
    #[default]
    Ast,
    /// Line by line, as every other file.
    Text,
}
