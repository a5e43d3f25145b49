//! Semantic model: the compiler facts of one version.

use super::node::AttributedTree;
use super::symbol::{Symbol, SymbolId};
use crate::facts::compile_error::CompileError;
use crate::facts::type_id::TextId;
use mend_model::RepoPath;
use std::collections::HashMap;

/// An abstract method that a class must implement before it may have instances.
#[derive(Clone, Copy, Debug)]
pub struct MethodObligation {
    /// The class.
    pub class: SymbolId,
    /// The abstract method.
    pub abstract_method: SymbolId,
    /// The implementation; always present if the class can have instances.
    pub implementation: Option<SymbolId>,
}

/// Compiler facts of one version.
#[derive(Debug, Default)]
pub struct SemanticModel {
    pub(super) compile_errors: Vec<CompileError>,
    pub(super) texts: Vec<String>,
    pub(super) symbols: Vec<Symbol>,
    pub(super) obligations: Vec<MethodObligation>,
    pub(super) trees: Vec<AttributedTree>,
    pub(super) tree_by_path: HashMap<RepoPath, usize>,
    pub(super) class_by_name: HashMap<String, SymbolId>,
}

impl SemanticModel {
    /// Returns a text of the table; empty for index 0.
    pub fn text(&self, id: TextId) -> &str {
        id.checked_sub(1).and_then(|at| self.texts.get(at)).map_or("", String::as_str)
    }

    /// Returns the compile errors of the version; none if it compiles.
    pub fn compile_errors(&self) -> &[CompileError] {
        &self.compile_errors
    }

    /// Returns all symbols. A [`SymbolId`] is an index into them.
    pub fn symbols(&self) -> &[Symbol] {
        &self.symbols
    }

    /// Returns one symbol.
    pub fn symbol(&self, id: SymbolId) -> &Symbol {
        &self.symbols[id]
    }

    /// Returns a symbol's simple name.
    pub fn name(&self, id: SymbolId) -> &str {
        self.text(self.symbols[id].name)
    }

    /// Returns the class of a type that is neither primitive nor an array.
    pub fn class_of_type(&self, erased: TextId) -> Option<SymbolId> {
        self.find_class(self.text(erased))
    }

    /// Returns a class by its full name, which may come from the facts of another version.
    pub fn find_class(&self, full_name: &str) -> Option<SymbolId> {
        self.class_by_name.get(full_name).copied()
    }

    /// Returns the methods that classes must implement, including abstract classes.
    pub fn obligations(&self) -> &[MethodObligation] {
        &self.obligations
    }

    /// Returns the attributed files.
    pub fn trees(&self) -> &[AttributedTree] {
        &self.trees
    }

    /// Returns one file.
    pub fn tree(&self, path: &RepoPath) -> Option<&AttributedTree> {
        self.tree_by_path.get(path).map(|at| &self.trees[*at])
    }

    /// Returns the class that contains a symbol, and its outer classes, innermost first.
    pub fn enclosing_symbols(&self, id: SymbolId) -> impl Iterator<Item = SymbolId> + '_ {
        std::iter::successors(self.symbols[id].owner, |owner| self.symbols[*owner].owner)
    }
}
