//! Compiler facts about one version of the sources: declarations, meanings of names, types, overriding and obligations.
//! Other modules compute them.

mod hierarchy;
mod node;
mod read;
mod refusal;
mod symbol;
mod types;
mod version;

pub use hierarchy::{boxed, widens};
pub use node::{Node, NodeIndex, Role, Tree};
pub use refusal::Refusal;
pub use symbol::{Flags, Place, Symbol, SymbolId, SymbolKind};
pub use types::{TextId, TypeId};
pub use version::{Facts, Obligation};
