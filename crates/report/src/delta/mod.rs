//! Views of a delta: one model, and a rendering for people, for programs and for Graphviz.

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
