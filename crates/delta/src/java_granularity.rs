//! Granularity of Java files: by syntax or by line.

/// Granularity at which Java files are split.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JavaGranularity {
    /// Along their syntax trees.
    #[default]
    Ast,
    /// Line by line, as all other files.
    Text,
}
