//! Commands that can be inserted at a statement: assignments, counter updates, and calls on objects in scope.

use crate::fixes::site::RepairSite;
use crate::fixes::statements::loop_epilogue::missing_remainder_calls;
use mend_java::Code;
use mend_java::code::purity::is_query;
use mend_java::code::scope::Variable;
use mend_java::code::types::{element_type, is_assignable, is_reference_type, is_whole};
use mend_java::facts::{NodeIndex, NodeKind, NodeRole, Symbol, SymbolFlags, SymbolId, SymbolKind};

/// Maximum number of variables changed per kind.
const MAX_VARIABLES_PER_KIND: usize = 4;

/// Maximum number of variables that get the value of another variable.
const MAX_COPIES: usize = 8;

/// Prior likelihood of a command on a variable that the method never changes.
const UNCHANGED_VARIABLE_WEIGHT: f64 = 0.9;

/// Prior likelihood of a changed number or boolean, or of a command on the own object.
const COMMON_WEIGHT: f64 = 0.5;

/// Prior likelihood of any other command.
const RARE_WEIGHT: f64 = 0.35;

/// Returns the commands that can be inserted at a statement, each with its prior likelihood.
pub(crate) fn find_commands(site: &RepairSite<'_>) -> Vec<(String, f64)> {
    let mut all: Vec<(String, f64)> = Vec::new();
    let mut add = |commands: Vec<String>, weight: f64| {
        let new = commands.into_iter().filter(|one| all.iter().all(|(known, _)| known != one));
        let new: Vec<_> = new.map(|command| (command, weight)).collect();
        all.extend(new);
    };
    for (command, likely) in missing_remainder_calls(site) {
        add(vec![command], likely);
    }
    add(commands_on_unchanged(site), UNCHANGED_VARIABLE_WEIGHT);
    add(simple_assignments(site), COMMON_WEIGHT);
    add(counter_updates(site), COMMON_WEIGHT);
    add(own_calls(site), COMMON_WEIGHT);
    add(nearest_copies(site), RARE_WEIGHT);
    add(commands_on_objects(site), RARE_WEIGHT);
    add(own_calls_with_argument(site), RARE_WEIGHT);
    add(number_resets(site), RARE_WEIGHT);
    all
}

/// Returns commands on variables that keep their plain initial value, and on collections that are read but never
/// filled.
fn commands_on_unchanged(site: &RepairSite<'_>) -> Vec<String> {
    let assigned = site.code.assigned_variables();
    let is_never_changed = |one: &&Variable| {
        !one.is_field && !assigned.contains(&one.symbol) && is_initialised_with_literal(site, one)
    };
    let unchanged: Vec<&Variable> = site.variables().iter().filter(is_never_changed).collect();
    let is_unchanged = |name: &str| unchanged.iter().any(|one| one.name == name);
    let assignments = all_copies(site).into_iter().filter(|(target, _)| is_unchanged(target));
    let assignments = assignments.map(|(_, text)| text).take(MAX_VARIABLES_PER_KIND);
    let counters = unchanged.iter().filter(|one| is_whole(&one.ty));
    let counters =
        counters.flat_map(|one| [format!("{}++;", one.name), format!("{}--;", one.name)]);
    let unfilled = site.variables().iter().filter(|one| !one.is_field && is_unfilled(site, one));
    let filled = unfilled.flat_map(|one| {
        let mut elements = possible_elements(site, one);
        // The elements that the method searches for come first.
        elements.sort_by_key(|other| !is_membership_tested(site, one, other));
        elements
            .into_iter()
            .take(MAX_VARIABLES_PER_KIND / 2)
            .map(|other| format!("{}.{}({other});", one.name, add_method(site, one)))
    });
    filled.chain(assignments).chain(counters).collect()
}

/// Returns true if a local variable is initialised with a literal and is not final.
fn is_initialised_with_literal(site: &RepairSite<'_>, variable: &Variable) -> bool {
    let code = &site.code;
    let flags = code.facts.symbol(variable.symbol).flags;
    let value = site.initial_value(variable);
    value.is_some_and(|value| code.kind(value).is_literal()) && !flags.has(SymbolFlags::FINAL)
}

/// Prefixes of methods that add elements to a collection.
const ADD_METHOD_PREFIXES: [&str; 5] = ["add", "push", "put", "offer", "set"];

/// Returns true if the method reads a collection but never adds an element.
fn is_unfilled(site: &RepairSite<'_>, variable: &Variable) -> bool {
    let code = &site.code;
    let Some(method) = code.enclosing_method(site.statement) else { return false };
    if !is_subtype(site, variable, "java.util.Collection") {
        return false;
    }
    let uses = (method..code.node(method).subtree_end).filter(|id| {
        code.has_kind(*id, NodeKind::Identifier) && code.node(*id).symbol == Some(variable.symbol)
    });
    let uses: Vec<NodeIndex> = uses.collect();
    let is_receiver = |id: &NodeIndex| code.has_kind(code.parent(*id), NodeKind::MemberSelect);
    let adds_element = |id: &NodeIndex| {
        let name = code.symbol(code.parent(*id)).map_or("", |one| code.facts.text(one.name));
        is_receiver(id) && ADD_METHOD_PREFIXES.iter().any(|start| name.starts_with(start))
    };
    uses.iter().any(is_receiver) && !uses.iter().any(adds_element)
}

/// Returns true if the method checks whether a collection contains an element.
fn is_membership_tested(site: &RepairSite<'_>, collection: &Variable, element: &str) -> bool {
    let code = &site.code;
    let method =
        code.enclosing_method(site.statement).map_or("", |method| code.source_text(method));
    method.contains(&format!("{}.contains({element})", collection.name))
}

fn is_subtype(site: &RepairSite<'_>, variable: &Variable, class: &str) -> bool {
    let facts = site.code.facts;
    facts.find_class(&variable.ty).is_some_and(|one| facts.is_subtype_of(one, class))
}

/// Returns the name of the method that adds an element to a collection.
fn add_method(site: &RepairSite<'_>, collection: &Variable) -> &'static str {
    let is_a = |class: &str| is_subtype(site, collection, class);
    if is_a("java.util.Stack") || is_a("java.util.Deque") { "push" } else { "add" }
}

/// Returns the variables that can be assigned, the nearest first.
pub(crate) fn assignable_variables<'a>(
    site: &'a RepairSite<'_>,
) -> impl Iterator<Item = &'a Variable> {
    let facts = site.code.facts;
    site.variables().iter().filter(|one| !facts.symbol(one.symbol).flags.has(SymbolFlags::FINAL))
}

/// Returns increments of numbers, and assignments of booleans and references.
fn simple_assignments(site: &RepairSite<'_>) -> Vec<String> {
    let numbers = assignable_variables(site)
        .filter(|variable| is_whole(&variable.ty))
        .take(MAX_VARIABLES_PER_KIND);
    let numbers = numbers
        .flat_map(|variable| [format!("{}++;", variable.name), format!("{}--;", variable.name)]);
    let booleans = assignable_variables(site).filter(|variable| variable.ty == "boolean").take(2);
    let booleans = booleans.flat_map(|variable| {
        let name = &variable.name;
        [format!("{name} = true;"), format!("{name} = false;"), format!("{name} = !{name};")]
    });
    let references =
        assignable_variables(site).filter(|one| is_reference_type(&one.ty) && one.is_field).take(3);
    let references = references.map(|variable| format!("{} = null;", variable.name));
    numbers.chain(booleans).chain(references).collect()
}

/// Returns changes of counters by results of this method: numbers of the object that only other methods count.
fn counter_updates(site: &RepairSite<'_>) -> Vec<String> {
    let code = &site.code;
    let Some(method) = code.enclosing_method(site.statement) else { return Vec::new() };
    let own = method..code.node(method).subtree_end;
    let changes = |symbol: SymbolId| {
        let uses =
            (0..code.tree.nodes.len()).filter(move |id| code.node(*id).symbol == Some(symbol));
        uses.filter(|id| is_incremented(code, *id)).collect::<Vec<NodeIndex>>()
    };
    let is_counted_elsewhere_only = |one: &&Variable| {
        let changes = changes(one.symbol);
        one.is_field
            && is_whole(&one.ty)
            && !changes.is_empty()
            && !changes.iter().any(|id| own.contains(id))
    };
    let counters = assignable_variables(site)
        .filter(is_counted_elsewhere_only)
        .take(MAX_VARIABLES_PER_KIND / 2);
    counters
        .flat_map(|field| {
            let found = site.variables().iter().filter(|one| !one.is_field && one.ty == field.ty);
            found.take(MAX_VARIABLES_PER_KIND / 2).flat_map(|one| {
                ["+=", "-="].map(|sign| format!("{} {sign} {};", field.name, one.name))
            })
        })
        .collect()
}

/// Returns true if a variable is incremented or decremented, also by `+=` or `-=`.
fn is_incremented(code: &Code<'_>, id: NodeIndex) -> bool {
    let kind = code.kind(code.parent(id));
    kind.is_step()
        || code.role(id) == NodeRole::Target
            && matches!(kind, NodeKind::PlusAssignment | NodeKind::MinusAssignment)
}

/// Returns resets of numbers.
fn number_resets(site: &RepairSite<'_>) -> Vec<String> {
    let numbers = assignable_variables(site)
        .filter(|variable| is_whole(&variable.ty))
        .take(MAX_VARIABLES_PER_KIND / 2);
    numbers.flat_map(|one| [format!("{} = 0;", one.name), format!("{} = 1;", one.name)]).collect()
}

/// Returns assignments of another variable of the same type, the nearest first.
fn nearest_copies(site: &RepairSite<'_>) -> Vec<String> {
    all_copies(site).into_iter().take(MAX_COPIES).map(|(_, text)| text).collect()
}

/// Returns all assignments of one variable to another, each with the name of the assigned variable.
fn all_copies(site: &RepairSite<'_>) -> Vec<(String, String)> {
    let mut pairs: Vec<(usize, (String, String))> = Vec::new();
    for (at, target) in assignable_variables(site).enumerate() {
        let same_type = site.variables().iter().enumerate();
        let same_type = same_type.filter(|(_, one)| one.ty == target.ty && one.name != target.name);
        let text = |one: &Variable| format!("{} = {};", target.name, one.name);
        pairs.extend(same_type.map(|(of, one)| (at + of, (target.name.clone(), text(one)))));
    }
    pairs.sort_by_key(|(distance, _)| *distance);
    pairs.into_iter().map(|(_, pair)| pair).collect()
}

/// Returns commands on other objects: adding to or removing from collections, and closing resources.
fn commands_on_objects(site: &RepairSite<'_>) -> Vec<String> {
    let mut all = Vec::new();
    for variable in site.variables() {
        let name = &variable.name;
        let is_a = |class: &str| is_subtype(site, variable, class);
        if is_a("java.util.Collection") {
            let method = add_method(site, variable);
            for other in possible_elements(site, variable).into_iter().take(MAX_VARIABLES_PER_KIND)
            {
                all.push(format!("{name}.{method}({other});"));
                all.push(format!("{name}.remove({other});"));
            }
            all.push(format!("{name}.clear();"));
        } else if is_a("java.util.concurrent.locks.Lock") {
            all.push(format!("{name}.unlock();"));
        } else if is_a("java.lang.AutoCloseable") {
            all.push(format!("{name}.close();"));
        }
        if all.len() >= MAX_VARIABLES_PER_KIND * MAX_VARIABLES_PER_KIND {
            break;
        }
    }
    all
}

/// Returns the variables that a collection can hold by its element type; all objects if the type is raw.
fn possible_elements(site: &RepairSite<'_>, collection: &Variable) -> Vec<String> {
    let facts = site.code.facts;
    let written = facts.text(facts.symbol(collection.symbol).ty.parameterised);
    let is_other = |one: &&Variable| one.name != collection.name;
    let name = |one: &Variable| one.name.clone();
    if !written.contains('<') {
        let objects = site.variables().iter().filter(|one| is_reference_type(&one.ty));
        return objects.filter(is_other).map(name).collect();
    }
    let Some(element) = element_type(written) else { return Vec::new() };
    site.variables_for(element).filter(is_other).map(name).collect()
}

/// Returns calls without arguments on the own object.
fn own_calls(site: &RepairSite<'_>) -> Vec<String> {
    let facts = site.code.facts;
    let is_command = |symbol: &&Symbol| {
        let is_void = facts.text(symbol.ty.erased) == "void";
        symbol.parameters.is_empty() && (is_void || !is_query(facts, symbol))
    };
    let all = callable_methods(site).filter(is_command);
    all.map(|symbol| format!("{}();", facts.text(symbol.name))).collect()
}

/// Returns calls on the own object with a variable as argument.
fn own_calls_with_argument(site: &RepairSite<'_>) -> Vec<String> {
    let facts = site.code.facts;
    let voids = callable_methods(site).filter(|symbol| facts.text(symbol.ty.erased) == "void");
    let one_parameter = voids.filter(|symbol| symbol.parameters.len() == 1);
    one_parameter
        .flat_map(|symbol| calls_with_arguments(site, "", symbol))
        .take(MAX_VARIABLES_PER_KIND)
        .collect()
}

/// Returns the calls of a method with fitting arguments, with `object` before its name; empty if it has more than two
/// parameters.
pub(crate) fn calls_with_arguments(
    site: &RepairSite<'_>,
    object: &str,
    method: &Symbol,
) -> Vec<String> {
    let facts = site.code.facts;
    let name = facts.text(method.name);
    match method.parameters[..] {
        [] => vec![format!("{object}{name}();")],
        [one] => {
            let arguments = fitting_arguments(site, one);
            arguments.into_iter().map(|one| format!("{object}{name}({one});")).collect()
        }
        [first, second] => {
            let (first, second) = (fitting_arguments(site, first), fitting_arguments(site, second));
            let pairs = first.iter().flat_map(|one| second.iter().map(move |other| (one, other)));
            // The same argument twice is rarely intended.
            let distinct = pairs.filter(|(one, other)| one != other);
            let arguments = distinct.map(|(one, other)| format!("{object}{name}({one}, {other});"));
            arguments.take(2).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the nearest variables that fit a parameter.
fn fitting_arguments<'a>(site: &'a RepairSite<'_>, parameter: SymbolId) -> Vec<&'a str> {
    let facts = site.code.facts;
    let wanted = facts.text(facts.symbol(parameter).ty.erased);
    let fitting = site.variables().iter().filter(|one| is_assignable(facts, &one.ty, wanted));
    fitting.take(2).map(|one| &*one.name).collect()
}

/// Returns the other methods of the class that can be called here.
fn callable_methods<'a>(site: &'a RepairSite<'_>) -> impl Iterator<Item = &'a Symbol> {
    let code = &site.code;
    let class = code.enclosing_type(site.statement).and_then(|class| code.node(class).symbol);
    let method = code.enclosing_method(site.statement).and_then(|method| code.symbol(method));
    let is_static = method.is_some_and(|method| method.flags.has(SymbolFlags::STATIC));
    let own = method.map(|method| method.name);
    code.facts.symbols().iter().filter(move |symbol| {
        symbol.kind == SymbolKind::Method
            && symbol.owner == class
            && Some(symbol.name) != own
            && (!is_static || symbol.flags.has(SymbolFlags::STATIC))
    })
}
