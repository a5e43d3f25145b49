//! Java source as text: its grammar, its syntax trees, and the meaning of its names by syntax alone.

pub mod code;
pub mod facts;
mod grammar;
mod grammar_ids;
mod highlight;
mod symbol_index;
mod syntax;

pub use code::edit::{Edit, edited, translate_to_original};
pub use code::file::{Code, closed, is_closed};
pub use grammar::{Arity, Grammar};
pub use grammar_ids::{FieldId, NodeKindId};
pub use highlight::{HighlightClass, painted};
pub use symbol_index::{Definition, DefinitionKind, Reference, ReferenceKind, SymbolIndex};
pub use syntax::{NodeId, ParsedSource, SyntaxNode, Token};
