//! The granularity of Java files.

/// How Java files are taken apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JavaMode {
    /// Along their syntax trees.
    #[default]
    Ast,
    /// Line by line, as every other file.
    Text,
}
