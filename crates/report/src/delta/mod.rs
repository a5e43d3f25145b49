//! Views of a delta: one model, and a rendering for people, for programs and for Graphviz.

mod dot;
mod human;
#[cfg(test)]
mod tests;
mod view;
mod words;

pub use dot::dot;
pub use human::human;
pub(super) use view::SCHEMA;
pub use view::{ComponentView, CouplingKind, CouplingView, DeltaView, HunkView};
