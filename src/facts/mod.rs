//! What a compiler knows about one version of the sources: its declarations, what every name means, types,
//! overriding and obligations. Who finds it out is not this module's business.

mod hierarchy;
mod node;
mod read;
mod refusal;
mod symbol;
mod types;
mod version;

pub(crate) use hierarchy::{boxed, widens};
pub use node::{Node, NodeIndex, Role, Tree};
pub use refusal::Refusal;
pub use symbol::{Flags, Place, Symbol, SymbolId, SymbolKind};
pub use types::{TextId, TypeId};
pub use version::{Facts, Obligation};
