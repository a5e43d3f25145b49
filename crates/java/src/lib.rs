//! Java source as text: its grammar, its syntax trees, and the meaning of its names by syntax alone.

pub mod code;
pub mod facts;
mod grammar;
mod grammar_ids;
mod highlight;
mod symbol_index;
mod syntax;

pub use code::edit::{Edit, edited, without};
pub use code::file::{Code, closed, is_closed};
pub use grammar::{Arity, Grammar};
pub use grammar_ids::{Field, Kind};
pub use highlight::{Paint, painted};
pub use symbol_index::{Definition, DefinitionKind, Names, Use, UseKind};
pub use syntax::{Node, NodeId, Source, Token};
