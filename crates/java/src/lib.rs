//! Java source as text: its grammar, its syntax trees, and the meaning of its names by syntax alone.

mod code;
pub mod control_flow;
mod edit;
pub mod facts;
mod grammar;
mod kinds;
mod names;
mod paint;
pub mod precedence;
pub mod purity;
pub mod scope;
mod syntax;

pub use code::{Code, closed, is_closed};
pub use edit::{Edit, edited, without};
pub use grammar::{Arity, Grammar};
pub use kinds::{Field, Kind};
pub use names::{Definition, DefinitionKind, Names, Use, UseKind};
pub use paint::{Paint, painted};
pub use syntax::{Node, NodeId, Source, Token};
