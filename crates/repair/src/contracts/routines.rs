//! Preconditions and postconditions of all routines of a version.

use super::parameters::parameters;
use super::{annotations, written};
use crate::contracts::call_translation::{CallTranslation, names, renamed};
use crate::contracts::check_methods::checks_only;
use crate::contracts::postconditions::Postcondition;
use mend_java::Code;
use mend_java::code::condition::Condition;
use mend_java::code::purity::only_asks;
use mend_java::code::scope::visible;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole, Symbol, SymbolFlags, SymbolId};
use mend_model::RepoPath;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

/// Contract of a routine: its preconditions and postconditions.
#[derive(Clone, Debug, Default)]
struct RoutineContract {
    parameters: Vec<String>,
    /// Conditions over its parameters and the members of its class.
    demands: Vec<String>,
    assurances: Vec<Postcondition>,
}

/// The contracts of all routines of a version.
#[derive(Debug, Default)]
pub struct Contracts {
    routines: HashMap<SymbolId, RoutineContract>,
    /// Invariants of each class.
    invariants: HashMap<SymbolId, Vec<Postcondition>>,
    /// Routines that only check their arguments.
    pub(super) checkers: HashSet<SymbolId>,
}

impl Contracts {
    /// Reads the contracts of all files.
    pub fn from_files(main: &[(RepoPath, Code<'_>)]) -> Self {
        let mut contracts = Self::default();
        let marked = [annotations::OF_PARAMETERS, annotations::OF_RESULTS].map(|scopes| {
            let folders = main.iter().filter_map(|(path, code)| marked_folder(path, code, &scopes));
            folders.collect::<HashSet<PathBuf>>()
        });
        // What only checks is read first: it says what those demand that call it.
        for is_checker in [true, false] {
            for (path, code) in main {
                let folder = folder(path);
                let is_marked = marked
                    .each_ref()
                    .map(|marked| folder.as_ref().is_some_and(|folder| marked.contains(folder)));
                for (method, symbol) in methods(code) {
                    if checks_only(code, method) == is_checker {
                        contracts.read(code, method, symbol, is_marked);
                        contracts.checkers.extend(is_checker.then_some(symbol));
                    }
                }
            }
        }
        for (_, code) in main {
            let types = (0..code.tree.nodes.len()).filter(|id| code.is_type(*id));
            let said = types.filter_map(|id| {
                let invariants = written::invariants(code, id);
                code.node(id).symbol.filter(|_| !invariants.is_empty()).map(|own| (own, invariants))
            });
            contracts.invariants.extend(said);
        }
        contracts
    }

    /// Reads a routine's contract. `is_marked` tells whether its package excludes null for parameters, and for results.
    fn read(&mut self, code: &Code<'_>, method: NodeIndex, symbol: SymbolId, is_marked: [bool; 2]) {
        let mut demands = self.guarded(code, method);
        demands.extend(annotations::demands(code, method, is_marked[0]));
        demands.extend(written::demands(code, method));
        let mut known = HashSet::new();
        demands.retain(|demand| known.insert(demand.clone()));
        let of_result = annotations::assurances(code, method, is_marked[1]).into_iter();
        let mut assurances: Vec<Postcondition> = of_result.map(Postcondition::of_result).collect();
        assurances.extend(written::assurances(code, method));
        if !demands.is_empty() || !assurances.is_empty() {
            let parameters = parameters(code, method);
            self.routines.insert(symbol, RoutineContract { parameters, demands, assurances });
        }
    }

    /// Returns the preconditions and postconditions of a method, in terms of its own names. They come from the method,
    /// from overridden methods and from class invariants, and have no side effects.
    pub(crate) fn of_method(
        &self,
        code: &Code<'_>,
        method: NodeIndex,
    ) -> (Vec<String>, Vec<Postcondition>) {
        let (mut demands, mut assurances) = (Vec::new(), Vec::new());
        let Some(id) = code.node(method).symbol else { return (demands, assurances) };
        let (own, symbol) = (parameters(code, method), code.facts.symbol(id));
        for routine in self.routines_of(code, id) {
            let in_own_words = |name: &str| {
                let at = routine.parameters.iter().position(|known| known == name);
                Some(at.and_then(|at| own.get(at)).map_or(name, |name| name).to_owned())
            };
            demands.extend(routine.demands.iter().filter_map(|one| renamed(one, in_own_words)));
            assurances
                .extend(routine.assurances.iter().filter_map(|one| one.renamed(in_own_words)));
        }
        let is_visible = symbol.flags.access() > 0 && !symbol.flags.has(SymbolFlags::STATIC);
        if let Some(class) = symbol.owner.filter(|_| is_visible) {
            assurances.extend(self.of_class(code, class, &own));
        }
        let mut known = HashSet::new();
        let is_new = |one: &Postcondition| known.insert((one.condition.clone(), one.kept.clone()));
        assurances.retain(|one| one.only_asks(code.facts));
        assurances.retain(is_new);
        demands.retain(|demand| only_asks(code.facts, demand));
        (demands, assurances)
    }

    /// Returns the invariants of a class that do not use hidden names.
    fn of_class(&self, code: &Code<'_>, class: SymbolId, hidden: &[String]) -> Vec<Postcondition> {
        let of_object = |name: &str| {
            let is_hidden = hidden.iter().any(|known| known == name);
            Some(if is_hidden { format!("this.{name}") } else { name.to_owned() })
        };
        let classes = code.facts.supertypes_with_self(class).into_iter();
        let invariants = classes.filter_map(|class| self.invariants.get(&class)).flatten();
        invariants.filter_map(|one| one.renamed(of_object)).collect()
    }

    /// Returns the conditions that hold at the entry of a method called from outside: its preconditions, and the
    /// invariants of its object that do not use hidden names.
    pub(crate) fn at_begin(
        &self,
        code: &Code<'_>,
        method: NodeIndex,
        hidden: &[String],
    ) -> (Vec<String>, Vec<String>) {
        let (demands, _) = self.of_method(code, method);
        let symbol = code.symbol(method).filter(|symbol| symbol.flags.access() > 0);
        let is_constructor = code.child(method, NodeRole::Type).is_none();
        let symbol = symbol.filter(|one| !one.flags.has(SymbolFlags::STATIC) && !is_constructor);
        let class = symbol.and_then(|symbol| symbol.owner);
        let of_object = class.map_or_else(Vec::new, |class| self.of_class(code, class, hidden));
        let mut invariants: Vec<String> = of_object.into_iter().map(|one| one.condition).collect();
        invariants.retain(|condition| only_asks(code.facts, condition));
        (demands, invariants)
    }

    /// Returns the invariants that hold at a statement, in its terms: those of its own object, and of the objects whose
    /// methods it calls.
    pub(crate) fn invariants_at(&self, code: &Code<'_>, statement: NodeIndex) -> Vec<String> {
        let is_instance = |symbol: &Symbol| !symbol.flags.has(SymbolFlags::STATIC);
        let method = code.method_of(statement).and_then(|method| code.symbol(method));
        let own = method.filter(|method| is_instance(method)).and_then(|method| method.owner);
        let known = visible(code, statement).into_iter().filter(|one| !one.is_field);
        let hidden: Vec<String> = known.map(|one| one.name).collect();
        let of_own = own.map_or_else(Vec::new, |class| self.of_class(code, class, &hidden));
        let of_called = code.own_nodes(statement).into_iter().flat_map(|id| {
            let called = code.symbol(id).filter(|_| code.is(id, NodeKind::MethodInvocation));
            let class = called.filter(|called| is_instance(called)).and_then(|one| one.owner);
            let said = class.and_then(|class| {
                let call = CallTranslation::of_object(code, id)?;
                let all = self.invariants.get(&class)?.iter();
                Some(all.filter_map(|one| call.translated(&one.condition)).collect::<Vec<_>>())
            });
            said.unwrap_or_default()
        });
        let mut all: Vec<String> =
            of_own.into_iter().map(|one| one.condition).chain(of_called).collect();
        all.retain(|condition| only_asks(code.facts, condition));
        all
    }

    /// Returns the conditions under which a call violates the routine's preconditions, in terms of the call.
    /// Preconditions that cannot be expressed there, or only by evaluating something twice, are left out.
    pub(crate) fn broken_by(&self, code: &Code<'_>, call: NodeIndex) -> Vec<String> {
        let demands = self.demands_of(code, call).into_iter();
        demands.map(|demand| Condition::parse(&demand).negation().to_string()).collect()
    }

    /// Returns the preconditions of a called routine, in terms of the call.
    pub(super) fn demands_of<'a>(&'a self, code: &Code<'a>, call: NodeIndex) -> Vec<String> {
        let Some(symbol) = code.node(call).symbol else { return Vec::new() };
        let demands = self.routines_of(code, symbol).flat_map(|routine| {
            let said = CallTranslation::new(code, call, &routine.parameters);
            let said = said.into_iter();
            said.flat_map(|said| routine.demands.iter().filter_map(move |one| said.translated(one)))
        });
        let mut known = HashSet::new();
        demands.filter(|demand| known.insert(demand.clone())).collect()
    }

    /// Returns the preconditions of a called routine by argument, in terms of the call. The argument itself is called
    /// `own`.
    pub(crate) fn demands_on(
        &self,
        code: &Code<'_>,
        call: NodeIndex,
        own: &str,
    ) -> Vec<(NodeIndex, Vec<String>)> {
        let Some(symbol) = code.node(call).symbol else { return Vec::new() };
        let children = code.children(call).into_iter();
        let arguments = children.filter(|id| code.role(*id) == NodeRole::Argument).enumerate();
        let of = |at: usize| {
            let routines = self.routines_of(code, symbol);
            let said = routines.filter_map(|routine| {
                let said = CallTranslation::new(code, call, &routine.parameters)?;
                let parameter = routine.parameters.get(at)?;
                let is_about = |demand: &&String| {
                    names(demand).is_some_and(|names| names.contains(&&**parameter))
                };
                let demands = routine.demands.iter().filter(is_about);
                let said = demands.filter_map(|one| said.translated_but(one, parameter, own));
                Some(said.collect::<Vec<_>>())
            });
            said.flatten().collect::<Vec<_>>()
        };
        arguments.map(|(at, argument)| (argument, of(at))).collect()
    }

    /// Returns the contracts of a method and of all methods that it overrides.
    fn routines_of<'a>(
        &'a self,
        code: &Code<'a>,
        method: SymbolId,
    ) -> impl Iterator<Item = &'a RoutineContract> {
        let overridden = code.facts.symbol(method).overridden.iter().copied();
        std::iter::once(method).chain(overridden).filter_map(|one| self.routines.get(&one))
    }

    /// Returns true if a variable must not be null at a method's entry.
    pub(crate) fn excludes_null(&self, code: &Code<'_>, method: NodeIndex, variable: &str) -> bool {
        let Some(symbol) = code.node(method).symbol else { return false };
        let at = parameters(code, method).iter().position(|name| name == variable);
        let mut routines = self.routines_of(code, symbol);
        routines.any(|routine| {
            let name = at.and_then(|at| routine.parameters.get(at)).map_or(variable, |name| name);
            let demand = format!("{name} != null");
            let is_said = |said: &String| said.split(" && ").any(|part| part == demand);
            routine.demands.iter().any(is_said)
        })
    }
}

/// Returns the folder of a package that excludes null by default in one of some scopes.
fn marked_folder(path: &RepoPath, code: &Code<'_>, scopes: &[&str]) -> Option<PathBuf> {
    let is_said = path.as_bytes().ends_with(b"package-info.java")
        && (0..code.tree.nodes.len()).any(|id| annotations::is_package_scope(code, id, scopes));
    folder(path).filter(|_| is_said)
}

fn folder(path: &RepoPath) -> Option<PathBuf> {
    path.to_fs_path().parent().map(Path::to_path_buf)
}

/// Returns the methods and constructors of a file.
fn methods(code: &Code<'_>) -> Vec<(NodeIndex, SymbolId)> {
    let nodes = code.nodes_of_kind(NodeKind::Method);
    nodes.filter_map(|id| Some((id, code.node(id).symbol?))).collect()
}
