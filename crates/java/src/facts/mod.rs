//! Compiler facts about one version of the sources: declarations, references, types, overriding and obligations. Other
//! modules compute them.

mod compile_error;
mod decode;
mod node;
mod node_kind;
mod semantic_model;
mod subtyping;
mod symbol;
mod type_id;

pub use crate::facts::compile_error::CompileError;
pub use crate::facts::semantic_model::{MethodObligation, SemanticModel};
pub use crate::facts::subtyping::{can_widen, wrapper_class};
pub use crate::facts::type_id::{TextId, TypeId};
pub use node::{AttributedNode, AttributedTree, FileNode, NodeIndex, NodeRole};
pub use node_kind::NodeKind;
pub use symbol::{Symbol, SymbolFlags, SymbolId, SymbolKind, SymbolPosition};
