//! Decoder of compiler facts and compile errors, as encoded by the Java package `facts`.

use super::node::{AttributedNode, AttributedTree, NodeRole};
use super::node_kind::NodeKind;
use super::symbol::{Symbol, SymbolFlags, SymbolKind, SymbolPosition};
use crate::facts::compile_error::CompileError;
use crate::facts::semantic_model::{MethodObligation, SemanticModel};
use crate::facts::type_id::TypeId;
use anyhow::{Context as _, anyhow};
use mend_model::{RepoPath, Result};
use std::collections::HashMap;

impl SemanticModel {
    /// Decodes a response with facts.
    ///
    /// # Errors
    ///
    /// [`mend_model::Problem::Internal`] if the bytes are truncated or invalid.
    pub fn read(bytes: &[u8]) -> Result<Self> {
        Ok(Decoder { bytes }.read_model().context("reading the symbols and types of a version")?)
    }
}

impl CompileError {
    /// Decodes a response with errors.
    ///
    /// # Errors
    ///
    /// [`mend_model::Problem::Internal`] if the bytes are truncated or invalid.
    pub fn read_all(bytes: &[u8]) -> Result<Vec<Self>> {
        let errors = Decoder { bytes }.read_list(Decoder::read_compile_error);
        Ok(errors.context("reading the compile errors")?)
    }
}

type DecodeResult<T> = anyhow::Result<T>;

struct Decoder<'a> {
    bytes: &'a [u8],
}

impl Decoder<'_> {
    fn read_number(&mut self) -> DecodeResult<usize> {
        let mut value = 0_usize;
        for shift in (0..63).step_by(7) {
            let (first, rest) =
                self.bytes.split_first().ok_or_else(|| anyhow!("unexpected end of data"))?;
            self.bytes = rest;
            value |= usize::from(first & 0x7f) << shift;
            if first & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(anyhow!("a number has too many bytes"))
    }

    fn read_block(&mut self) -> DecodeResult<&[u8]> {
        let length = self.read_number()?;
        let (block, rest) =
            self.bytes.split_at_checked(length).ok_or_else(|| anyhow!("unexpected end of data"))?;
        self.bytes = rest;
        Ok(block)
    }

    fn read_string(&mut self) -> DecodeResult<String> {
        Ok(String::from_utf8_lossy(self.read_block()?).into_owned())
    }

    fn read_list<T>(
        &mut self,
        mut read_item: impl FnMut(&mut Self) -> DecodeResult<T>,
    ) -> DecodeResult<Vec<T>> {
        let length = self.read_number()?;
        (0..length).map(|_| read_item(self)).collect()
    }

    fn read_optional_id(&mut self) -> DecodeResult<Option<usize>> {
        Ok(self.read_number()?.checked_sub(1))
    }

    fn read_id(&mut self) -> DecodeResult<usize> {
        self.read_optional_id()?.ok_or_else(|| anyhow!("a symbol is missing"))
    }

    fn read_type(&mut self) -> DecodeResult<TypeId> {
        Ok(TypeId { parameterised: self.read_number()?, erased: self.read_number()? })
    }

    fn read_model(mut self) -> DecodeResult<SemanticModel> {
        let compile_errors = self.read_list(Self::read_compile_error)?;
        let texts = self.read_list(Self::read_string)?;
        let mut facts = SemanticModel { compile_errors, texts, ..SemanticModel::default() };
        let length = self.read_number()?;
        for _ in 0..length {
            let symbol = self.read_symbol(&facts)?;
            facts.symbols.push(symbol);
        }
        facts.obligations = self.read_list(|reader| {
            Ok(MethodObligation {
                class: reader.read_id()?,
                abstract_method: reader.read_id()?,
                implementation: reader.read_optional_id()?,
            })
        })?;
        let kinds: Vec<NodeKind> =
            facts.texts.iter().map(|text| NodeKind::from_name(text)).collect();
        facts.trees = self.read_list(|reader| reader.read_tree(&kinds))?;
        facts.validate_and_index()?;
        Ok(facts)
    }

    fn read_compile_error(&mut self) -> DecodeResult<CompileError> {
        Ok(CompileError {
            path: RepoPath::new(self.read_block()?.to_vec()),
            line: self.read_number()?,
            byte: self.read_number()?,
            code: self.read_string()?,
            message: self.read_string()?,
        })
    }

    fn read_symbol(&mut self, facts: &SemanticModel) -> DecodeResult<Symbol> {
        let kind = SymbolKind::from_kind_name(facts.text(self.read_number()?));
        let (name, full_name) = (self.read_number()?, self.read_number()?);
        let owner = self.read_optional_id()?;
        let flags = SymbolFlags(u32::try_from(self.read_number()?)?);
        let (tree, byte) = (self.read_optional_id()?, self.read_number()?);
        let mut symbol = Symbol {
            kind,
            name,
            full_name,
            owner,
            flags,
            position: tree.map(|tree| SymbolPosition { tree, byte }),
            ty: self.read_type()?,
            parameters: self.read_list(Self::read_id)?,
            thrown_types: Vec::new(),
            overridden: Vec::new(),
            supertypes: Vec::new(),
            type_parameters: Vec::new(),
        };
        if kind.is_type() {
            symbol.supertypes =
                self.read_list(Self::read_optional_id)?.into_iter().flatten().collect();
            symbol.type_parameters = self.read_list(Self::read_id)?;
        } else {
            symbol.thrown_types = self.read_list(Self::read_number)?;
            symbol.overridden = self.read_list(Self::read_id)?;
        }
        Ok(symbol)
    }

    fn read_tree(&mut self, kinds: &[NodeKind]) -> DecodeResult<AttributedTree> {
        let path = RepoPath::new(self.read_block()?.to_vec());
        let mut nodes: Vec<AttributedNode> = Vec::new();
        let length = self.read_number()?;
        for at in 0..length {
            let node = self.read_node(at, kinds)?;
            nodes.push(node);
        }
        for at in (1..nodes.len()).rev() {
            let (parent, end) = (nodes[at].parent, nodes[at].subtree_end);
            nodes[parent].subtree_end = nodes[parent].subtree_end.max(end);
        }
        Ok(AttributedTree { path, nodes })
    }

    fn read_node(&mut self, at: usize, kinds: &[NodeKind]) -> DecodeResult<AttributedNode> {
        let kind =
            self.read_optional_id()?.and_then(|text| kinds.get(text).copied()).unwrap_or_default();
        let parent = self.read_optional_id()?.unwrap_or(0);
        if parent > at || (parent == at && at > 0) {
            return Err(anyhow!("a node precedes its parent"));
        }
        let role = NodeRole::from_number(self.read_number()?);
        let start = self.read_number()?;
        let bytes = start..start + self.read_number()?;
        Ok(AttributedNode {
            kind,
            parent,
            subtree_end: at + 1,
            role,
            bytes,
            name: self.read_optional_id()?,
            ty: self.read_type()?,
            symbol: self.read_optional_id()?,
            parameter_type: self.read_type()?,
        })
    }
}

impl SemanticModel {
    /// Checks that all indexes are valid, and builds the lookup tables.
    fn validate_and_index(&mut self) -> DecodeResult<()> {
        let count = self.symbols.len();
        let symbol_references = self.symbols.iter().flat_map(|symbol| {
            let lists = [
                &symbol.parameters,
                &symbol.overridden,
                &symbol.supertypes,
                &symbol.type_parameters,
            ];
            symbol.owner.into_iter().chain(lists.into_iter().flatten().copied())
        });
        let node_symbols =
            self.trees.iter().flat_map(|tree| tree.nodes.iter().filter_map(|node| node.symbol));
        let obligation_symbols = self
            .obligations
            .iter()
            .flat_map(|one| [Some(one.class), Some(one.abstract_method), one.implementation]);
        if symbol_references
            .chain(node_symbols)
            .chain(obligation_symbols.flatten())
            .any(|symbol| symbol >= count)
        {
            return Err(anyhow!("a symbol number is unknown"));
        }
        let mut classes = HashMap::new();
        for (at, symbol) in self.symbols.iter().enumerate().filter(|(_, s)| s.kind.is_type()) {
            classes.insert(self.text(symbol.full_name).to_owned(), at);
        }
        self.class_by_name = classes;
        for (at, tree) in self.trees.iter().enumerate() {
            self.tree_by_path.insert(tree.path.clone(), at);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn truncated_data_is_rejected() {
        assert!(SemanticModel::read(&[]).is_err());
        assert!(SemanticModel::read(&[0, 5, 3, b'a']).is_err());
        assert!(SemanticModel::read(&[0, 0, 0, 1, 9, 9, 9, 0]).is_err());
    }

    #[test]
    fn empty_model_is_valid() {
        let facts = SemanticModel::read(&[0, 0, 0, 0, 0]).unwrap();
        assert!(facts.symbols().is_empty() && facts.trees().is_empty());
    }
}
