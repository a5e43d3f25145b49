//! Java sources: grammar, syntax trees, compiler facts, name index and source edits.

mod candidate;
pub mod code;
pub mod facts;
mod grammar;
mod grammar_ids;
mod highlight;
mod symbol_index;
mod syntax;

pub use candidate::{Candidate, describe_candidates};
pub use code::edit::{Edit, apply_edits, translate_to_original};
pub use code::file::{Code, is_self_contained, parenthesise};
pub use grammar::{Arity, Grammar};
pub use grammar_ids::{FieldId, NodeKindId};
pub use highlight::{HighlightClass, highlight_java};
pub use symbol_index::{Definition, DefinitionKind, Reference, ReferenceKind, SymbolIndex};
pub use syntax::{NodeId, ParsedSource, SyntaxNode, Token};
