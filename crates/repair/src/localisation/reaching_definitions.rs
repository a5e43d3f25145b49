//! Reaching definitions: assignments to the variables that a statement uses, and returns of the methods that it calls.

use mend_java::Code;
use mend_java::facts::{FileNode, NodeIndex, NodeKind, NodeRole, SymbolId, SymbolKind};
use mend_model::RepoPath;
use std::collections::{HashMap, HashSet};

/// Maximum number of steps of a backward slice.
const MAX_SLICE_DEPTH: usize = 3;

/// Suspicion decay per step back.
const STEP_DECAY: f64 = 0.75;

/// Statements that define a symbol's value: assignments to a variable, returns from a method.
pub(crate) struct ReachingDefinitions<'a> {
    main: &'a [(RepoPath, Code<'a>)],
    definitions: HashMap<SymbolId, Vec<FileNode>>,
}

impl<'a> ReachingDefinitions<'a> {
    /// Collects the definitions in all files, limited to statements that failing tests execute.
    pub(crate) fn from_files(
        main: &'a [(RepoPath, Code<'a>)],
        is_executed: impl Fn(FileNode) -> bool,
    ) -> Self {
        let mut definitions: HashMap<SymbolId, Vec<FileNode>> = HashMap::new();
        for (file, (_, code)) in main.iter().enumerate() {
            for statement in code.statements().filter(|id| is_executed((file, *id))) {
                for symbol in assigned_symbols(code, statement) {
                    definitions.entry(symbol).or_default().push((file, statement));
                }
            }
        }
        Self { main, definitions }
    }

    /// Returns the statements that may define a value used by a statement, each with its suspicion from 0 to 1.
    pub(crate) fn backward_slice(&self, statement: FileNode) -> Vec<(FileNode, f64)> {
        let (mut visited, mut found) = (HashSet::from([statement]), Vec::new());
        let (mut last, mut weight) = (vec![statement], 1.0);
        for _ in 0..MAX_SLICE_DEPTH {
            weight *= STEP_DECAY;
            let definitions: Vec<FileNode> =
                last.iter().flat_map(|statement| self.definitions_used_by(*statement)).collect();
            last = definitions.into_iter().filter(|statement| visited.insert(*statement)).collect();
            found.extend(last.iter().map(|statement| (*statement, weight)));
        }
        found
    }

    /// Returns the statements that define a value used by a statement.
    pub(crate) fn definitions_used_by(&self, (file, statement): FileNode) -> Vec<FileNode> {
        let code = &self.main[file].1;
        let used = code.own_nodes(statement).into_iter().filter_map(|id| code.node(id).symbol);
        used.filter_map(|symbol| self.definitions.get(&symbol)).flatten().copied().collect()
    }
}

/// Returns the symbols that a statement assigns.
fn assigned_symbols(code: &Code<'_>, statement: NodeIndex) -> Vec<SymbolId> {
    let mut symbols = Vec::new();
    if code.has_kind(statement, NodeKind::Return) {
        let method = code.enclosing_method(statement).and_then(|method| code.node(method).symbol);
        // A call may refer to the overridden method.
        symbols.extend(method.iter().flat_map(|one| &code.facts.symbol(*one).overridden));
        symbols.extend(method);
    }
    if code.has_kind(statement, NodeKind::Variable) {
        symbols.extend(code.node(statement).symbol);
    }
    for id in code.own_nodes(statement) {
        let is_changed = code.kind(id).is_update();
        let target =
            code.child(id, NodeRole::Target).or_else(|| code.children(id).first().copied());
        let target = target.filter(|_| is_changed).and_then(|target| code.node(target).symbol);
        let is_variable = |symbol: &SymbolId| {
            matches!(code.facts.symbol(*symbol).kind, SymbolKind::Local | SymbolKind::Field)
        };
        symbols.extend(target.filter(is_variable));
    }
    symbols
}
