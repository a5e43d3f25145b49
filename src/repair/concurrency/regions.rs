//! What one thread does of a pattern, as statements of one routine.

use super::calls::{below, is_run_with, listed, receiver, routine};
use super::scene::{Scene, Shown, Spot};
use crate::facts::{NodeIndex, SymbolId};
use crate::repair::code::Code;

/// Statements that belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Region {
    pub(super) file: usize,
    /// The method or lambda.
    pub(super) routine: NodeIndex,
    /// The nodes that are meant.
    pub(super) nodes: Vec<NodeIndex>,
    /// The object that the accesses are made in, where that is not the routine's own.
    pub(super) of: Option<String>,
    /// The variable that they are about.
    pub(super) variable: Option<SymbolId>,
}

/// What each of a pattern's threads does, apart.
pub(super) fn threads(shown: &Shown<'_>) -> [Vec<Spot>; 2] {
    let (order, letters) = shown.pattern.form.split_once(' ').unwrap_or(("", &shown.pattern.form));
    let is_second = |at: usize| match order.as_bytes().get(2 * at) {
        Some(who) => *who == b'b',
        None => at == 1,
    };
    let of = |second: bool| {
        let steps = shown.spots.iter().enumerate().take(letters.len());
        steps.filter(|(at, _)| is_second(*at) == second).map(|(_, spot)| *spot).collect()
    };
    [of(false), of(true)]
}

impl Region {
    /// The statements that hold all of some accesses; where these are in several routines, those of one that calls
    /// them. None of a test.
    pub(super) fn of(scene: &Scene<'_>, spots: &[Spot]) -> Option<Self> {
        let first = spots.first()?;
        let variable = spots.iter().find_map(|spot| spot.variable);
        let own = |spot: &Spot| routine(scene.code(spot.file), spot.node).map(|at| (spot.file, at));
        let home = own(first)?;
        let is_one = spots.iter().all(|spot| own(spot) == Some(home));
        if is_one && !scene.files[home.0].is_test {
            let nodes: Vec<NodeIndex> = spots.iter().map(|spot| spot.node).collect();
            let of = object_of(scene, spots);
            return Some(Self { file: home.0, routine: home.1, nodes, of, variable });
        }
        if is_one { None } else { Self::of_caller(scene, spots, variable) }
    }

    /// As statements of a routine that comes to all of them, itself or by a call.
    fn of_caller(scene: &Scene<'_>, spots: &[Spot], variable: Option<SymbolId>) -> Option<Self> {
        let found = scene.main().flat_map(|(file, code)| {
            let methods = (0..code.tree.nodes.len()).filter(|id| code.is(*id, "METHOD"));
            methods.filter_map(move |method| caller(scene, (file, method), spots, variable))
        });
        found.min_by_key(|region| {
            let code = scene.code(region.file);
            code.bytes(region.routine).len()
        })
    }

    /// From the first to the last statement of the innermost block with all of it, and on to the last one that needs
    /// what these declare.
    pub(super) fn statements(&self, code: &Code<'_>) -> Option<(NodeIndex, NodeIndex)> {
        let holds_all = |block: &NodeIndex| {
            let inside = below(code, *block);
            code.is(*block, "BLOCK") && self.nodes.iter().all(|node| inside.contains(node))
        };
        let block = code.around(*self.nodes.first()?).skip(1).find(holds_all)?;
        if !is_run_with(code, block, self.routine) {
            return None;
        }
        let child = |node: &NodeIndex| {
            code.children(block).into_iter().find(|one| (*one..code.node(*one).end).contains(node))
        };
        let held: Vec<NodeIndex> = self.nodes.iter().filter_map(child).collect();
        let (first, last) = (*held.iter().min()?, *held.iter().max()?);
        Some((first, needed(code, block, first, last)))
    }
}

/// The object whose fields are accessed, where that is one and not the routine's own.
fn object_of(scene: &Scene<'_>, spots: &[Spot]) -> Option<String> {
    let object = |spot: &Spot| {
        let code = scene.code(spot.file);
        let access = access(scene, spot)?;
        let on = code.children(access).first().copied();
        let Some(on) = on.filter(|_| code.is(access, "MEMBER_SELECT")) else {
            return around(scene, spot);
        };
        let is_steady = matches!(code.kind(on), "IDENTIFIER" | "MEMBER_SELECT");
        let text = code.written(on);
        (is_steady && text != "this" && text != "super").then(|| text.to_owned())
    };
    let first = spots.first().and_then(object)?;
    spots.iter().all(|spot| object(spot).as_ref() == Some(&first)).then_some(first)
}

/// Where the field of an object is named.
fn access(scene: &Scene<'_>, spot: &Spot) -> Option<NodeIndex> {
    let code = scene.code(spot.file);
    let variable = spot.variable.filter(|variable| !scene.is_static(*variable))?;
    (spot.node..code.node(spot.node).end).find(|id| code.node(*id).symbol == Some(variable))
}

/// The object around the routine's own, where that has the field.
fn around(scene: &Scene<'_>, spot: &Spot) -> Option<String> {
    let code = scene.code(spot.file);
    let access = access(scene, spot).filter(|id| code.is(*id, "IDENTIFIER"))?;
    let declared = scene.declaration(spot.variable?).filter(|(home, _)| *home == spot.file)?;
    let holder = code.node(code.class_of(declared.1)?).symbol?;
    // A class that inherits the field has one of its own, wherever it stands.
    let has_field = |class: &NodeIndex| {
        code.is_type(*class)
            && code.node(*class).symbol.is_some_and(|one| code.facts.above(one).contains(&holder))
    };
    let class = code.around(access).find(has_field)?;
    let name = code.symbol(class).map(|class| code.facts.text(class.name))?;
    let is_around = code.class_of(access) != Some(class);
    (is_around && !name.is_empty()).then(|| format!("{name}.this"))
}

/// The last statement of a block that uses what is declared from `first` to `last`.
fn needed(code: &Code<'_>, block: NodeIndex, first: NodeIndex, last: NodeIndex) -> NodeIndex {
    let children = code.children(block);
    let mut end = last;
    for child in children.iter().copied().filter(|id| *id >= first) {
        let declared: Vec<SymbolId> = children
            .iter()
            .filter(|id| (first..=end).contains(*id) && code.is(**id, "VARIABLE"))
            .filter_map(|id| code.node(*id).symbol)
            .collect();
        let is_use =
            |id: NodeIndex| code.node(id).symbol.is_some_and(|one| declared.contains(&one));
        if child > end && (child..code.node(child).end).any(is_use) {
            end = child;
        }
    }
    end
}

/// A method as the one that comes to all accesses.
fn caller(
    scene: &Scene<'_>,
    (file, method): (usize, NodeIndex),
    spots: &[Spot],
    variable: Option<SymbolId>,
) -> Option<Region> {
    let code = scene.code(file);
    let (mut nodes, mut receivers) = (Vec::new(), Vec::new());
    for spot in spots {
        if spot.file == file && routine(code, spot.node) == Some(method) {
            nodes.push(spot.node);
            receivers.push(around(scene, spot));
            continue;
        }
        let own = routine(scene.code(spot.file), spot.node)?;
        let target = scene.code(spot.file).node(own).symbol?;
        let calls = |id: &NodeIndex| {
            let callee = code.child(*id, crate::facts::Role::Callee);
            code.is(*id, "METHOD_INVOCATION")
                && callee.is_some_and(|callee| code.node(callee).symbol == Some(target))
                && is_run_with(code, *id, method)
                && !nodes.contains(id)
        };
        let call = below(code, method).find(calls)?;
        nodes.push(call);
        let on = receiver(code, call).map(|on| code.written(on).to_owned());
        receivers.push(on.filter(|on| on != "this").or_else(|| around(scene, spot)));
    }
    let of = receivers.first()?.clone();
    let is_one = receivers.iter().all(|one| *one == of);
    is_one.then_some(Region { file, routine: method, nodes, of, variable })
}

/// The statement of a block that something stands in.
pub(super) fn in_list(code: &Code<'_>, node: NodeIndex) -> Option<NodeIndex> {
    listed(code, node).map(|(_, child)| child)
}
