//! Reaching definitions of a wrong value: the assignments to the variables of a statement, and the returns of the
//! methods that it calls.

use mend_java::Code;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole, SymbolId, SymbolKind};
use mend_model::RepoPath;
use std::collections::{HashMap, HashSet};

/// A statement, with the index of its file.
pub(crate) type StatementLocation = (usize, NodeIndex);

/// So often a value is followed back.
const DEPTH: usize = 3;

/// Suspicion decay per step back.
const FADING: f64 = 0.75;

/// Statements that define a symbol's value: assignments to a variable, returns from a method.
pub(crate) struct ReachingDefinitions<'a> {
    main: &'a [(RepoPath, Code<'a>)],
    givers: HashMap<SymbolId, Vec<StatementLocation>>,
}

impl<'a> ReachingDefinitions<'a> {
    /// Collects the definitions in all files, limited to statements that failing tests execute.
    pub(crate) fn from_files(
        main: &'a [(RepoPath, Code<'a>)],
        is_visited: impl Fn(StatementLocation) -> bool,
    ) -> Self {
        let mut givers: HashMap<SymbolId, Vec<StatementLocation>> = HashMap::new();
        for (file, (_, code)) in main.iter().enumerate() {
            for statement in code.statements().filter(|id| is_visited((file, *id))) {
                for symbol in assigned_symbols(code, statement) {
                    givers.entry(symbol).or_default().push((file, statement));
                }
            }
        }
        Self { main, givers }
    }

    /// Returns the statements that may define a value used by a statement, each with its suspicion from 0 to 1.
    pub(crate) fn backward_slice(&self, place: StatementLocation) -> Vec<(StatementLocation, f64)> {
        let (mut known, mut found) = (HashSet::from([place]), Vec::new());
        let (mut last, mut weight) = (vec![place], 1.0);
        for _ in 0..DEPTH {
            weight *= FADING;
            let before: Vec<StatementLocation> =
                last.iter().flat_map(|place| self.givers_of(*place)).collect();
            last = before.into_iter().filter(|place| known.insert(*place)).collect();
            found.extend(last.iter().map(|place| (*place, weight)));
        }
        found
    }

    fn givers_of(&self, (file, statement): StatementLocation) -> Vec<StatementLocation> {
        let code = &self.main[file].1;
        let used = code.own_nodes(statement).into_iter().filter_map(|id| code.node(id).symbol);
        used.filter_map(|symbol| self.givers.get(&symbol)).flatten().copied().collect()
    }
}

/// Returns the symbols that a statement assigns.
fn assigned_symbols(code: &Code<'_>, statement: NodeIndex) -> Vec<SymbolId> {
    let mut symbols = Vec::new();
    if code.is(statement, NodeKind::Return) {
        let method = code.method_of(statement).and_then(|method| code.node(method).symbol);
        // A call may name what the method overrides.
        symbols.extend(method.iter().flat_map(|one| &code.facts.symbol(*one).overridden));
        symbols.extend(method);
    }
    if code.is(statement, NodeKind::Variable) {
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
