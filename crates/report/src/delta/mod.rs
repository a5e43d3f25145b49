//! Views of a delta: one model, formatted for people, as JSON, and as a Graphviz graph.

mod description;
mod dot;
mod terminal;
#[cfg(test)]
mod tests;
mod view;

pub use crate::delta::terminal::format_delta;
pub use dot::format_dot;
pub(super) use view::SCHEMA;
pub use view::{ComponentView, DeltaView, DependencyKind, DependencyView, HunkView};
