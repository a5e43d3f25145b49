//! What may be changed in one statement: a file for each kind of change.

mod allocations;
mod arguments;
mod arithmetic;
mod assured;
mod bearing;
mod branches;
mod casts;
mod cleanup;
mod commands;
mod compounds;
mod conditions;
mod contents;
mod donors;
mod endings;
mod exits;
mod hazards;
mod kin;
mod leftovers;
mod literals;
mod lookups;
mod methods;
mod numbers;
mod operators;
mod order;
mod parts;
mod predicates;
mod put_back;
mod sameness;
mod snapshots;
mod values;
mod widening;
mod wrong_guards;

use super::candidate::{Proposal, Strategy};
use super::code::Code;
use super::contracts::Contracts;
use super::diagnosis::Diagnosis;
use super::edit::Edit;
use super::generate::Material;
use super::object_model::ObjectModel;
use super::observed::Place;
use super::scope::{Variable, visible};
use super::standing::standing;
use super::terms::{Term, terms};
use crate::facts::{Facts, NodeIndex, Role, boxed, widens};
use compounds::spoken;
use snapshots::{Condition, Evidence, conditions};
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

pub(super) use predicates::negated;

/// A statement that might be at fault, and what can be named there.
pub(super) struct Site<'a> {
    pub(super) code: Code<'a>,
    /// What routines demand of their callers.
    contracts: &'a Contracts,
    /// Where statements are copied from.
    material: Material<'a>,
    pub(super) statement: NodeIndex,
    variables: Vec<Variable>,
    /// What conditions can be about there.
    terms: Vec<Term>,
    /// What may decide there.
    conditions: Vec<Condition>,
    /// What else is so in the head of a loop, which is come upon again and again.
    head: Option<Head>,
    /// What tests found there.
    place: Option<&'a Place>,
    /// How objects behave.
    model: &'a ObjectModel,
    /// What else is known of the failure.
    diagnosis: &'a Diagnosis,
    /// Terms of the method whose values may be too large.
    overflowing: &'a HashSet<&'a str>,
    /// What failing tests saw broken at the end of the routine.
    broken: Vec<&'a str>,
}

/// What is known of a statement besides what it says.
#[derive(Clone, Copy)]
pub(super) struct Known<'a> {
    /// What tests found there.
    pub(super) place: Option<&'a Place>,
    /// Terms of the method whose values may be too large.
    pub(super) overflowing: &'a HashSet<&'a str>,
    /// What was violated in its routine, and how near it is to that.
    pub(super) violated: &'a [(f64, String)],
    /// How objects behave.
    pub(super) model: &'a ObjectModel,
}

/// What can be named in the head of a loop, and what may decide there: nobody looked at it after the first time.
struct Head {
    variables: Vec<Variable>,
    conditions: Vec<Condition>,
}

impl Head {
    fn of(
        code: &Code<'_>,
        statement: NodeIndex,
        contracts: &Contracts,
        violated: &[(f64, String)],
    ) -> Option<Self> {
        let is_repeated = code.is_loop(statement) && !code.is(statement, "ENHANCED_FOR_LOOP");
        let is_inside = |id: &NodeIndex| matches!(code.role(*id), Role::Condition | Role::Body);
        let at = code.children(statement).into_iter().find(|id| is_repeated && is_inside(id))?;
        let at = if code.is(statement, "FOR_LOOP") { at } else { statement };
        let terms = terms(code, at, &[], false);
        let standing = standing(code, at, contracts, None);
        let evidence = Evidence { place: None, violated, spoken: &[], standing: &standing };
        let conditions = conditions(code, at, &terms, evidence);
        Some(Self { variables: visible(code, at), conditions })
    }
}

impl<'a> Site<'a> {
    pub(super) fn new(
        code: Code<'a>,
        (material, contracts): (Material<'a>, &'a Contracts),
        (file, statement): (usize, NodeIndex),
        Known { place, overflowing, violated, model }: Known<'a>,
        diagnosis: &'a Diagnosis,
    ) -> Self {
        let variables = visible(&code, statement);
        let truths = diagnosis.breaches.before(file, &code, statement);
        let terms = terms(&code, statement, &truths, false);
        let spoken = spoken(&code, statement, contracts);
        let standing = standing(&code, statement, contracts, place);
        let evidence = Evidence { place, violated, spoken: &spoken, standing: &standing };
        let conditions = conditions(&code, statement, &terms, evidence);
        let head = Head::of(&code, statement, contracts, violated);
        Self {
            code,
            contracts,
            material,
            statement,
            variables,
            terms,
            conditions,
            head,
            place,
            model,
            diagnosis,
            overflowing,
            broken: diagnosis.breaches.beside(file, &code, statement),
        }
    }

    /// Everything that may be changed here.
    pub(super) fn proposals(&self) -> Vec<Proposal> {
        let mut out = Proposals::default();
        operators::propose(self, &mut out);
        values::propose(self, &mut out);
        arguments::propose(self, &mut out);
        put_back::propose(self, &mut out);
        methods::propose(self, &mut out);
        casts::propose(self, &mut out);
        widening::declared(self, &mut out);
        if self.code.is_initialised_field(self.statement) {
            return out.all;
        }
        assured::propose(self, &mut out);
        branches::propose(self, &mut out);
        conditions::propose(self, &mut out);
        hazards::propose(self, &mut out);
        allocations::propose(self, &mut out);
        lookups::propose(self, &mut out);
        exits::propose(self, &mut out);
        exits::at_end(self, &mut out);
        endings::propose(self, &mut out);
        donors::propose(self, &mut out);
        order::propose(self, &mut out);
        cleanup::propose(self, &mut out);
        wrong_guards::propose(self, &mut out);
        widening::propose(self, &mut out);
        out.all
    }

    /// Variables whose value may stand where one of a type is wanted, before the statement.
    fn variables_for(&self, wanted: &str) -> impl Iterator<Item = &Variable> {
        self.fitting(&self.variables, wanted)
    }

    /// Variables whose value may stand where one of a type is wanted, in the statement's own expressions.
    fn inner_variables_for(&self, wanted: &str) -> impl Iterator<Item = &Variable> {
        let variables = self.head.as_ref().map_or(&self.variables, |head| &head.variables);
        self.fitting(variables, wanted)
    }

    fn fitting<'b>(
        &self,
        variables: &'b [Variable],
        wanted: &str,
    ) -> impl Iterator<Item = &'b Variable> {
        let (facts, wanted) = (self.code.facts, wanted.to_owned());
        let is_anything = wanted == "java.lang.Object";
        variables
            .iter()
            .filter(move |one| one.ty == wanted || !is_anything && fits(facts, &one.ty, &wanted))
    }

    /// Whether a condition is known never to have held in a failing test.
    fn is_refuted(&self, condition: &str) -> bool {
        predicates::is_refuted(&self.terms, self.place, condition)
    }

    /// Whether a failing test saw a condition to hold.
    fn is_seen(&self, condition: &str) -> bool {
        predicates::is_seen(&self.terms, self.place, condition)
    }

    /// Conditions that tests saw to make a difference here.
    fn conditions(&self) -> &[Condition] {
        &self.conditions
    }

    /// The conditions that tell failing from passing tests, the most promising first.
    fn telling(
        &self,
        promise: impl Fn(&Condition) -> Option<f64>,
    ) -> impl Iterator<Item = &Condition> {
        let known = self.conditions.iter().filter(|_| self.place.is_some());
        let mut clear: Vec<(f64, &Condition)> = known
            .filter_map(|condition| {
                Some((promise(condition).filter(|one| *one > CLEAR)?, condition))
            })
            .collect();
        clear.sort_by(|one, other| other.0.total_cmp(&one.0));
        clear.into_iter().map(|(_, condition)| condition)
    }

    /// Conditions that may make a difference in the statement's own expressions.
    fn inner_conditions(&self) -> &[Condition] {
        self.head.as_ref().map_or(&self.conditions, |head| &head.conditions)
    }

    /// The value that a variable is declared with.
    fn first_value(&self, variable: &Variable) -> Option<NodeIndex> {
        let code = &self.code;
        let is_declared = |id: &NodeIndex| {
            code.is(*id, "VARIABLE") && code.node(*id).symbol == Some(variable.symbol)
        };
        let declaration = (0..code.tree.nodes.len()).find(is_declared)?;
        code.child(declaration, Role::Value)
    }

    /// The variables that a statement may read, the nearest first.
    fn variables(&self) -> &[Variable] {
        &self.variables
    }
}

/// A condition more promising than this tells failing from passing tests.
const CLEAR: f64 = 0.2;

/// Proposals on their way, each change once: of two ways to come upon it the more promising one counts.
#[derive(Default)]
struct Proposals {
    all: Vec<Proposal>,
    /// The place of each among all.
    known: HashMap<Vec<Edit>, usize>,
}

impl Proposals {
    fn add(&mut self, strategy: Strategy, weight: f64, edits: Vec<Edit>, why: String) {
        let proposal = Proposal { strategy, edits, why, weight };
        match self.known.entry(proposal.edits.clone()) {
            Entry::Vacant(entry) => {
                entry.insert(self.all.len());
                self.all.push(proposal);
            }
            Entry::Occupied(entry) => {
                let known = &mut self.all[*entry.get()];
                if known.strategy == strategy && known.weight < weight {
                    *known = proposal;
                }
            }
        }
    }

    /// An expression becomes another one.
    fn replace(&mut self, site: &Site<'_>, id: NodeIndex, text: &str, how: (Strategy, f64)) {
        let was = site.code.written(id);
        if was == text {
            return;
        }
        let why = format!("`{}` becomes `{}`", brief(was), brief(text));
        let whole = site.code.with_parentheses(id, text);
        let edit = Edit::replace(site.code.bytes(whole), site.code.fitted(whole, text));
        self.add(how.0, how.1, vec![edit], why);
    }
}

/// The most that is shown of a piece of code in one line.
const BRIEF: usize = 60;

/// How much less promising the later ones of a list are, where each is by `step` of the first.
fn nearness(place: usize, step: f64) -> f64 {
    1.0 / (1.0 + f64::from(u32::try_from(place).unwrap_or(u32::MAX)) * step)
}

/// Code in one line, and not all of it if it is long.
fn brief(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= BRIEF {
        return line;
    }
    line.chars().take(BRIEF - 1).chain(['…']).collect()
}

/// Whether a value of a type may stand where one of another type is wanted.
fn fits(facts: &Facts, ty: &str, wanted: &str) -> bool {
    let is_below = || facts.class_named(ty).is_some_and(|class| facts.is_below(class, wanted));
    unboxed(ty) == unboxed(wanted)
        || widens(unboxed(ty), wanted)
        || is_reference(ty) && wanted == "java.lang.Object"
        || is_below()
}

/// The type of what a collection holds, as far as the collection's type tells, without arguments of its own.
fn element_of(written: &str) -> Option<&str> {
    let inside = written.split_once('<').and_then(|(_, rest)| rest.strip_suffix('>'))?;
    let element = inside.split('<').next().unwrap_or(inside);
    (!element.contains([',', '?'])).then_some(element)
}

/// Whether a type's values are whole numbers that can be counted with.
fn is_whole(ty: &str) -> bool {
    matches!(ty, "int" | "long" | "short" | "byte")
}

/// The primitive type whose values are in a box; any other type is its own.
fn unboxed(ty: &str) -> &str {
    let primitives = ["boolean", "byte", "short", "char", "int", "long", "float", "double"];
    primitives.into_iter().find(|primitive| boxed(primitive) == Some(ty)).unwrap_or(ty)
}

/// Whether a type's values have an order, as numbers and characters do, in a box or not.
fn is_ordered(ty: &str) -> bool {
    let ty = unboxed(ty);
    !is_reference(ty) && !matches!(ty, "" | "boolean" | "void")
}

/// A class by the shortest name that the file knows it by.
fn named(code: &Code<'_>, full: &str) -> String {
    let (package, simple) = full.rsplit_once('.').unwrap_or(("", full));
    let raw = simple.split('<').next().unwrap_or(simple);
    let is_imported =
        code.text.lines().map(str::trim).take_while(|line| !line.ends_with('{')).any(|line| {
            let import = line.strip_prefix("import ").and_then(|rest| rest.strip_suffix(';'));
            import.is_some_and(|import| {
                import == format!("{package}.{raw}") || import == format!("{package}.*")
            })
        });
    let is_own = || code.text.lines().any(|line| line.trim() == format!("package {package};"));
    if is_imported || package == "java.lang" || is_own() {
        simple.to_owned()
    } else {
        full.to_owned()
    }
}

/// Code of several lines that moves from one indentation to another.
fn reindented(text: &str, from: &str, to: &str) -> String {
    let line = |(at, line): (usize, &str)| {
        if at == 0 || line.trim().is_empty() {
            return line.trim_end_matches([' ', '\t']).to_owned();
        }
        line.strip_prefix(from).map_or_else(|| line.to_owned(), |rest| format!("{to}{rest}"))
    };
    text.split('\n').enumerate().map(line).collect::<Vec<_>>().join("\n")
}

/// Whether a type's values are references.
pub(super) fn is_reference(ty: &str) -> bool {
    !matches!(
        ty,
        "" | "int" | "long" | "short" | "byte" | "char" | "boolean" | "float" | "double" | "void"
    )
}
