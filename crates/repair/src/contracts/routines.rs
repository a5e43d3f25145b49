//! Contracts of all routines of a version: preconditions, postconditions and class invariants.

use super::javadoc::{DocumentedParameter, DocumentedThrow, JavadocContract};
use super::parameters::{parameter_names, parameter_nodes};
use super::{annotations, written};
use crate::contracts::call_translation::{CallTranslation, replace_names, unqualified_names};
use crate::contracts::check_methods::only_checks_arguments;
use crate::contracts::postconditions::Postcondition;
use mend_java::Code;
use mend_java::code::condition::Condition;
use mend_java::code::purity::is_pure_text;
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
    preconditions: Vec<String>,
    postconditions: Vec<Postcondition>,
    /// Exceptions in its Javadoc that its leading guards do not throw.
    unchecked_throws: Vec<DocumentedThrow>,
}

/// The contracts of all routines of a version.
#[derive(Debug, Default)]
pub struct Contracts {
    by_routine: HashMap<SymbolId, RoutineContract>,
    /// Invariants of each class.
    invariants: HashMap<SymbolId, Vec<Postcondition>>,
    /// Routines that only check their arguments.
    pub(super) check_methods: HashSet<SymbolId>,
}

impl Contracts {
    /// Reads the contracts of all files.
    pub fn from_files(main: &[(RepoPath, Code<'_>)]) -> Self {
        let mut contracts = Self::default();
        let non_null_folders =
            [annotations::NON_NULL_PARAMETER_SCOPES, annotations::NON_NULL_RESULT_SCOPES].map(
                |scopes| {
                    let folders = main
                        .iter()
                        .filter_map(|(path, code)| non_null_package_folder(path, code, &scopes));
                    folders.collect::<HashSet<PathBuf>>()
                },
            );
        // Check methods are read first: their preconditions become those of their callers.
        for is_checker in [true, false] {
            for (path, code) in main {
                let folder = parent_folder(path);
                let is_marked = non_null_folders
                    .each_ref()
                    .map(|folders| folder.as_ref().is_some_and(|folder| folders.contains(folder)));
                for (method, symbol) in find_methods(code) {
                    if only_checks_arguments(code, method) == is_checker {
                        contracts.read_contract(code, method, symbol, is_marked);
                        contracts.check_methods.extend(is_checker.then_some(symbol));
                    }
                }
            }
        }
        for (_, code) in main {
            let types = (0..code.tree.nodes.len()).filter(|id| code.is_type_declaration(*id));
            let class_invariants = types.filter_map(|id| {
                let invariants = written::written_invariants(code, id);
                code.node(id).symbol.filter(|_| !invariants.is_empty()).map(|own| (own, invariants))
            });
            contracts.invariants.extend(class_invariants);
        }
        contracts
    }

    /// Reads a routine's contract. `is_marked` states whether its package excludes null, for parameters and for
    /// results.
    fn read_contract(
        &mut self,
        code: &Code<'_>,
        method: NodeIndex,
        symbol: SymbolId,
        is_marked: [bool; 2],
    ) {
        let mut preconditions = self.guard_preconditions(code, method);
        let javadoc = read_javadoc(code, method);
        let is_unchecked = |one: &DocumentedThrow| !preconditions.contains(&precondition(one));
        let unchecked_throws: Vec<_> =
            javadoc.throws.iter().filter(|one| is_unchecked(one)).cloned().collect();
        preconditions.extend(annotations::parameter_preconditions(code, method, is_marked[0]));
        preconditions.extend(written::written_preconditions(code, method));
        preconditions.extend(javadoc.throws.iter().map(precondition));
        preconditions.extend(javadoc.parameter_conditions);
        let mut distinct = HashSet::new();
        preconditions.retain(|demand| distinct.insert(demand.clone()));
        let result_conditions = annotations::result_postconditions(code, method, is_marked[1])
            .into_iter()
            .chain(javadoc.result_conditions);
        let mut postconditions: Vec<Postcondition> =
            result_conditions.map(Postcondition::from_result_condition).collect();
        postconditions.extend(written::written_postconditions(code, method));
        if !preconditions.is_empty() || !postconditions.is_empty() {
            let parameters = parameter_names(code, method);
            let contract =
                RoutineContract { parameters, preconditions, postconditions, unchecked_throws };
            self.by_routine.insert(symbol, contract);
        }
    }

    /// Returns the exceptions in the Javadoc of a method that its leading guards do not throw.
    pub(crate) fn unchecked_throws(
        &self,
        code: &Code<'_>,
        method: NodeIndex,
    ) -> &[DocumentedThrow] {
        let contract = code.node(method).symbol.and_then(|symbol| self.by_routine.get(&symbol));
        contract.map_or(&[], |contract| &contract.unchecked_throws)
    }

    /// Returns the preconditions and postconditions of a method, in terms of its own names. They come from the method,
    /// from overridden methods and from class invariants, and have no side effects.
    pub(crate) fn method_contract(
        &self,
        code: &Code<'_>,
        method: NodeIndex,
    ) -> (Vec<String>, Vec<Postcondition>) {
        let (mut preconditions, mut postconditions) = (Vec::new(), Vec::new());
        let Some(id) = code.node(method).symbol else { return (preconditions, postconditions) };
        let (own_parameters, symbol) = (parameter_names(code, method), code.facts.symbol(id));
        for routine in self.contracts_with_overridden(code, id) {
            let own_name = |name: &str| {
                let at = routine.parameters.iter().position(|parameter| parameter == name);
                Some(at.and_then(|at| own_parameters.get(at)).map_or(name, |name| name).to_owned())
            };
            preconditions.extend(
                routine.preconditions.iter().filter_map(|one| replace_names(one, own_name)),
            );
            postconditions.extend(
                routine.postconditions.iter().filter_map(|one| one.replace_names(own_name)),
            );
        }
        let is_visible = symbol.flags.access_level() > 0 && !symbol.flags.has(SymbolFlags::STATIC);
        if let Some(class) = symbol.owner.filter(|_| is_visible) {
            postconditions.extend(self.class_invariants(code, class, &own_parameters));
        }
        let mut distinct = HashSet::new();
        let is_new = |one: &Postcondition| {
            distinct.insert((one.condition.clone(), one.saved_expressions.clone()))
        };
        postconditions.retain(|one| one.is_pure(code.facts));
        postconditions.retain(is_new);
        preconditions.retain(|demand| is_pure_text(code.facts, demand));
        (preconditions, postconditions)
    }

    /// Returns the invariants of a class that do not use hidden names.
    fn class_invariants(
        &self,
        code: &Code<'_>,
        class: SymbolId,
        hidden: &[String],
    ) -> Vec<Postcondition> {
        let qualify_hidden = |name: &str| {
            let is_hidden = hidden.iter().any(|known| known == name);
            Some(if is_hidden { format!("this.{name}") } else { name.to_owned() })
        };
        let classes = code.facts.supertypes_with_self(class).into_iter();
        let invariants = classes.filter_map(|class| self.invariants.get(&class)).flatten();
        invariants.filter_map(|one| one.replace_names(qualify_hidden)).collect()
    }

    /// Returns the conditions that hold at the entry of a method called from outside: its preconditions, and the
    /// invariants of its object that do not use hidden names.
    pub(crate) fn conditions_at_entry(
        &self,
        code: &Code<'_>,
        method: NodeIndex,
        hidden: &[String],
    ) -> (Vec<String>, Vec<String>) {
        let (preconditions, _) = self.method_contract(code, method);
        let symbol = code.symbol(method).filter(|symbol| symbol.flags.access_level() > 0);
        let is_constructor = code.child(method, NodeRole::Type).is_none();
        let symbol = symbol.filter(|one| !one.flags.has(SymbolFlags::STATIC) && !is_constructor);
        let class = symbol.and_then(|symbol| symbol.owner);
        let class_invariants =
            class.map_or_else(Vec::new, |class| self.class_invariants(code, class, hidden));
        let mut invariants: Vec<String> =
            class_invariants.into_iter().map(|one| one.condition).collect();
        invariants.retain(|condition| is_pure_text(code.facts, condition));
        (preconditions, invariants)
    }

    /// Returns the invariants that hold at a statement, in its terms: those of its own object, and of the objects whose
    /// methods it calls.
    pub(crate) fn invariants_at(&self, code: &Code<'_>, statement: NodeIndex) -> Vec<String> {
        let is_instance = |symbol: &Symbol| !symbol.flags.has(SymbolFlags::STATIC);
        let method = code.enclosing_method(statement).and_then(|method| code.symbol(method));
        let own = method.filter(|method| is_instance(method)).and_then(|method| method.owner);
        let known = visible(code, statement).into_iter().filter(|one| !one.is_field);
        let hidden: Vec<String> = known.map(|one| one.name).collect();
        let own_invariants =
            own.map_or_else(Vec::new, |class| self.class_invariants(code, class, &hidden));
        let callee_invariants = code.own_nodes(statement).into_iter().flat_map(|id| {
            let called = code.symbol(id).filter(|_| code.has_kind(id, NodeKind::MethodInvocation));
            let class = called.filter(|called| is_instance(called)).and_then(|one| one.owner);
            let translated = class.and_then(|class| {
                let call = CallTranslation::without_arguments(code, id)?;
                let all = self.invariants.get(&class)?.iter();
                Some(all.filter_map(|one| call.translate(&one.condition)).collect::<Vec<_>>())
            });
            translated.unwrap_or_default()
        });
        let mut all: Vec<String> =
            own_invariants.into_iter().map(|one| one.condition).chain(callee_invariants).collect();
        all.retain(|condition| is_pure_text(code.facts, condition));
        all
    }

    /// Returns the conditions under which a call violates the routine's preconditions, in terms of the call.
    /// Preconditions that cannot be expressed there, or only by evaluating something twice, are left out.
    pub(crate) fn violation_conditions(&self, code: &Code<'_>, call: NodeIndex) -> Vec<String> {
        let preconditions = self.callee_preconditions(code, call).into_iter();
        preconditions.map(|demand| Condition::parse(&demand).negation().to_string()).collect()
    }

    /// Returns the preconditions of a called routine, in terms of the call.
    pub(super) fn callee_preconditions<'a>(
        &'a self,
        code: &Code<'a>,
        call: NodeIndex,
    ) -> Vec<String> {
        let Some(symbol) = code.node(call).symbol else { return Vec::new() };
        let preconditions = self.contracts_with_overridden(code, symbol).flat_map(|routine| {
            let translation = CallTranslation::new(code, call, &routine.parameters);
            let translation = translation.into_iter();
            translation.flat_map(|translation| {
                routine.preconditions.iter().filter_map(move |one| translation.translate(one))
            })
        });
        let mut distinct = HashSet::new();
        preconditions.filter(|demand| distinct.insert(demand.clone())).collect()
    }

    /// Returns the preconditions of a called routine by argument, in terms of the call. The argument itself is called
    /// `own`.
    pub(crate) fn preconditions_by_argument(
        &self,
        code: &Code<'_>,
        call: NodeIndex,
        argument_name: &str,
    ) -> Vec<(NodeIndex, Vec<String>)> {
        let Some(symbol) = code.node(call).symbol else { return Vec::new() };
        let children = code.children(call).into_iter();
        let arguments = children.filter(|id| code.role(*id) == NodeRole::Argument).enumerate();
        let preconditions_on = |at: usize| {
            let routines = self.contracts_with_overridden(code, symbol);
            let conditions = routines.filter_map(|routine| {
                let conditions = CallTranslation::new(code, call, &routine.parameters)?;
                let parameter = routine.parameters.get(at)?;
                let mentions_parameter = |demand: &&String| {
                    unqualified_names(demand).is_some_and(|names| names.contains(&&**parameter))
                };
                let preconditions = routine.preconditions.iter().filter(mentions_parameter);
                let conditions = preconditions.filter_map(|one| {
                    conditions.translate_naming_parameter(one, parameter, argument_name)
                });
                Some(conditions.collect::<Vec<_>>())
            });
            conditions.flatten().collect::<Vec<_>>()
        };
        arguments.map(|(at, argument)| (argument, preconditions_on(at))).collect()
    }

    /// Returns the contracts of a method and of all methods that it overrides.
    fn contracts_with_overridden<'a>(
        &'a self,
        code: &Code<'a>,
        method: SymbolId,
    ) -> impl Iterator<Item = &'a RoutineContract> {
        let overridden = code.facts.symbol(method).overridden.iter().copied();
        std::iter::once(method).chain(overridden).filter_map(|one| self.by_routine.get(&one))
    }

    /// Returns true if a variable must not be null at a method's entry.
    pub(crate) fn excludes_null(&self, code: &Code<'_>, method: NodeIndex, variable: &str) -> bool {
        let Some(symbol) = code.node(method).symbol else { return false };
        let at = parameter_names(code, method).iter().position(|name| name == variable);
        let mut routines = self.contracts_with_overridden(code, symbol);
        routines.any(|routine| {
            let name = at.and_then(|at| routine.parameters.get(at)).map_or(variable, |name| name);
            let non_null_condition = format!("{name} != null");
            let requires_non_null =
                |said: &String| said.split(" && ").any(|part| part == non_null_condition);
            routine.preconditions.iter().any(requires_non_null)
        })
    }
}

/// Reads the Javadoc of a method.
fn read_javadoc(code: &Code<'_>, method: NodeIndex) -> JavadocContract {
    let type_of = |id: NodeIndex| {
        code.symbol(id).map_or("", |symbol| code.facts.text(symbol.ty.erased)).to_owned()
    };
    let parameters: Vec<DocumentedParameter> = parameter_nodes(code, method)
        .into_iter()
        .zip(parameter_names(code, method))
        .map(|(id, name)| DocumentedParameter { name, type_name: type_of(id) })
        .collect();
    let is_constructor = code.child(method, NodeRole::Type).is_none();
    let result_type = if is_constructor { String::new() } else { type_of(method) };
    JavadocContract::read(written::text_before(code, method), &parameters, &result_type)
}

/// Returns the precondition that a documented exception implies.
fn precondition(thrown: &DocumentedThrow) -> String {
    Condition::parse(&thrown.condition).negation().to_string()
}

/// Returns the folder of a package that excludes null by default in one of some scopes.
fn non_null_package_folder(path: &RepoPath, code: &Code<'_>, scopes: &[&str]) -> Option<PathBuf> {
    let is_marked_package = path.as_bytes().ends_with(b"package-info.java")
        && (0..code.tree.nodes.len()).any(|id| annotations::is_package_scope(code, id, scopes));
    parent_folder(path).filter(|_| is_marked_package)
}

fn parent_folder(path: &RepoPath) -> Option<PathBuf> {
    path.to_fs_path().parent().map(Path::to_path_buf)
}

/// Returns the methods and constructors of a file.
fn find_methods(code: &Code<'_>) -> Vec<(NodeIndex, SymbolId)> {
    let nodes = code.nodes_of_kind(NodeKind::Method);
    nodes.filter_map(|id| Some((id, code.node(id).symbol?))).collect()
}
