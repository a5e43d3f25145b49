//! Decoder of compiler facts.

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
    /// Reads an answer's bytes.
    ///
    /// # Errors
    ///
    /// [`mend_model::Problem::Internal`] if the bytes are truncated or invalid.
    pub fn read(bytes: &[u8]) -> Result<Self> {
        Ok(Decoder { bytes }.facts().context("reading the symbols and types of a version")?)
    }
}

impl CompileError {
    /// Reads an answer's bytes.
    ///
    /// # Errors
    ///
    /// [`mend_model::Problem::Internal`] if the bytes are truncated or invalid.
    pub fn read_all(bytes: &[u8]) -> Result<Vec<Self>> {
        let mut reader = Decoder { bytes };
        let all = reader.list(|reader| {
            Ok(Self {
                path: RepoPath::new(reader.block()?.to_vec()),
                line: reader.number()?,
                byte: reader.number()?,
                code: reader.string()?,
                message: reader.string()?,
            })
        });
        Ok(all.context("reading the compile errors")?)
    }
}

type DecodeResult<T> = anyhow::Result<T>;

struct Decoder<'a> {
    bytes: &'a [u8],
}

impl Decoder<'_> {
    fn number(&mut self) -> DecodeResult<usize> {
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

    fn block(&mut self) -> DecodeResult<&[u8]> {
        let length = self.number()?;
        let (block, rest) =
            self.bytes.split_at_checked(length).ok_or_else(|| anyhow!("unexpected end of data"))?;
        self.bytes = rest;
        Ok(block)
    }

    fn string(&mut self) -> DecodeResult<String> {
        Ok(String::from_utf8_lossy(self.block()?).into_owned())
    }

    fn list<T>(
        &mut self,
        mut one: impl FnMut(&mut Self) -> DecodeResult<T>,
    ) -> DecodeResult<Vec<T>> {
        let length = self.number()?;
        (0..length).map(|_| one(self)).collect()
    }

    fn option(&mut self) -> DecodeResult<Option<usize>> {
        Ok(self.number()?.checked_sub(1))
    }

    fn present(&mut self) -> DecodeResult<usize> {
        self.option()?.ok_or_else(|| anyhow!("a symbol is missing"))
    }

    fn ty(&mut self) -> DecodeResult<TypeId> {
        Ok(TypeId { written: self.number()?, erased: self.number()? })
    }

    fn facts(mut self) -> DecodeResult<SemanticModel> {
        let mut facts =
            SemanticModel { texts: self.list(Self::string)?, ..SemanticModel::default() };
        let length = self.number()?;
        for _ in 0..length {
            let symbol = self.symbol(&facts)?;
            facts.symbols.push(symbol);
        }
        facts.obligations = self.list(|reader| {
            Ok(MethodObligation {
                class: reader.present()?,
                wanted: reader.present()?,
                by: reader.option()?,
            })
        })?;
        let kinds: Vec<NodeKind> =
            facts.texts.iter().map(|text| NodeKind::from_name(text)).collect();
        facts.trees = self.list(|reader| reader.tree(&kinds))?;
        facts.index()?;
        Ok(facts)
    }

    fn symbol(&mut self, facts: &SemanticModel) -> DecodeResult<Symbol> {
        let kind = SymbolKind::from_word(facts.text(self.number()?));
        let (name, full_name) = (self.number()?, self.number()?);
        let owner = self.option()?;
        let flags = SymbolFlags(u32::try_from(self.number()?)?);
        let (tree, byte) = (self.option()?, self.number()?);
        let mut symbol = Symbol {
            kind,
            name,
            full_name,
            owner,
            flags,
            place: tree.map(|tree| SymbolPosition { tree, byte }),
            ty: self.ty()?,
            parameters: self.list(Self::present)?,
            thrown: Vec::new(),
            overridden: Vec::new(),
            supers: Vec::new(),
            type_parameters: Vec::new(),
        };
        if kind.is_type() {
            symbol.supers = self.list(Self::option)?.into_iter().flatten().collect();
            symbol.type_parameters = self.list(Self::present)?;
        } else {
            symbol.thrown = self.list(Self::number)?;
            symbol.overridden = self.list(Self::present)?;
        }
        Ok(symbol)
    }

    fn tree(&mut self, kinds: &[NodeKind]) -> DecodeResult<AttributedTree> {
        let path = RepoPath::new(self.block()?.to_vec());
        let mut nodes: Vec<AttributedNode> = Vec::new();
        let length = self.number()?;
        for at in 0..length {
            let node = self.node(at, kinds)?;
            nodes.push(node);
        }
        for at in (1..nodes.len()).rev() {
            let (parent, end) = (nodes[at].parent, nodes[at].end);
            nodes[parent].end = nodes[parent].end.max(end);
        }
        Ok(AttributedTree { path, nodes })
    }

    fn node(&mut self, at: usize, kinds: &[NodeKind]) -> DecodeResult<AttributedNode> {
        let kind = self.option()?.and_then(|text| kinds.get(text).copied()).unwrap_or_default();
        let parent = self.option()?.unwrap_or(0);
        if parent > at || (parent == at && at > 0) {
            return Err(anyhow!("a node precedes its parent"));
        }
        let role = NodeRole::from_number(self.number()?);
        let start = self.number()?;
        let bytes = start..start + self.number()?;
        Ok(AttributedNode {
            kind,
            parent,
            end: at + 1,
            role,
            bytes,
            name: self.option()?,
            ty: self.ty()?,
            symbol: self.option()?,
            target: self.ty()?,
        })
    }
}

impl SemanticModel {
    /// Checks that every number names something, and makes what is looked up.
    fn index(&mut self) -> DecodeResult<()> {
        let count = self.symbols.len();
        let of_symbols = self.symbols.iter().flat_map(|symbol| {
            let lists =
                [&symbol.parameters, &symbol.overridden, &symbol.supers, &symbol.type_parameters];
            symbol.owner.into_iter().chain(lists.into_iter().flatten().copied())
        });
        let of_nodes =
            self.trees.iter().flat_map(|tree| tree.nodes.iter().filter_map(|node| node.symbol));
        let of_duties =
            self.obligations.iter().flat_map(|one| [Some(one.class), Some(one.wanted), one.by]);
        if of_symbols.chain(of_nodes).chain(of_duties.flatten()).any(|symbol| symbol >= count) {
            return Err(anyhow!("a symbol number is unknown"));
        }
        let mut classes = HashMap::new();
        for (at, symbol) in self.symbols.iter().enumerate().filter(|(_, s)| s.kind.is_type()) {
            classes.insert(self.text(symbol.full_name).to_owned(), at);
        }
        self.classes = classes;
        for (at, tree) in self.trees.iter().enumerate() {
            self.by_path.insert(tree.path.clone(), at);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_cut_off_are_refused() {
        assert!(SemanticModel::read(&[]).is_err());
        assert!(SemanticModel::read(&[5, 3, b'a']).is_err());
        assert!(SemanticModel::read(&[0, 0, 1, 9, 9, 9, 0]).is_err());
    }

    #[test]
    fn no_facts_are_facts() {
        let facts = SemanticModel::read(&[0, 0, 0, 0]).unwrap();
        assert!(facts.symbols().is_empty() && facts.trees().is_empty());
    }
}
