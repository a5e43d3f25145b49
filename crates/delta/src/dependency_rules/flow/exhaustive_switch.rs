//! Exhaustive `switch`: one with a value has a case for every possible value.

use crate::dependencies::name_dependencies::Version;
use crate::dependency_rules::context::dependency_collector::DependencyCollector;
use crate::dependency_rules::context::node_ref::{HunkSet, NodeRef, VERSIONS};
use crate::dependency_rules::context::rule_context::RuleContext;
use crate::hunk::DependencyRule;
use mend_java::facts::{NodeKind, SymbolFlags, SymbolId, SymbolKind};
use std::collections::{BTreeMap, BTreeSet};

/// Cases of a `switch` in one version.
struct SwitchCases {
    /// All possible values.
    all: BTreeSet<SymbolId>,
    /// The hunks of the cases for some of it.
    covered: BTreeMap<SymbolId, HunkSet>,
    /// The hunks of the case for everything else.
    default: Option<HunkSet>,
}

pub(crate) fn couple(world: &RuleContext<'_>, links: &mut DependencyCollector) {
    let below = VERSIONS.map(|version| alternatives(world, version));
    for new in world.all_nodes(Version::New).filter(|at| is_complete(world, *at)) {
        let Some(cases) = cases(world, new, &below[1]) else { continue };
        if let Some(owner) = world.owner_of(new) {
            add_new_switch_dependencies(world, owner, &cases, links);
            continue;
        }
        let old = world.twin(new).filter(|old| is_complete(world, *old));
        if let Some(before) = old.and_then(|old| self::cases(world, old, &below[0])) {
            add_kept_switch_dependencies(world, &before, &cases, links);
        }
    }
}

fn is_complete(world: &RuleContext<'_>, at: NodeRef) -> bool {
    world.kind(at) == NodeKind::SwitchExpression
}

/// Returns the constants of each enum, and the classes that each sealed one permits.
fn alternatives(
    world: &RuleContext<'_>,
    version: Version,
) -> BTreeMap<SymbolId, BTreeSet<SymbolId>> {
    let facts = world.facts(version);
    let mut all: BTreeMap<SymbolId, BTreeSet<SymbolId>> = BTreeMap::new();
    for (id, symbol) in facts.symbols().iter().enumerate().filter(|(_, one)| one.place.is_some()) {
        if let (SymbolKind::EnumConstant, Some(owner)) = (symbol.kind, symbol.owner) {
            all.entry(owner).or_default().insert(id);
        }
        for above in &symbol.supers {
            if facts.symbol(*above).flags.has(SymbolFlags::SEALED) {
                all.entry(*above).or_default().insert(id);
            }
        }
    }
    all
}

fn cases(
    world: &RuleContext<'_>,
    at: NodeRef,
    alternatives: &BTreeMap<SymbolId, BTreeSet<SymbolId>>,
) -> Option<SwitchCases> {
    let facts = world.facts(at.version);
    let parts = world.children(at);
    let class = facts.class(world.node(*parts.first()?).ty.erased)?;
    let alternatives = alternatives.get(&class)?;
    let mut cases =
        SwitchCases { all: alternatives.clone(), covered: BTreeMap::new(), default: None };
    for case in parts.into_iter().filter(|part| world.kind(*part) == NodeKind::Case) {
        if is_default(world, case) {
            cases.default = Some(world.owner_of(case).into_iter().collect());
        }
        for label in labels(world, case, alternatives) {
            if let Some(symbol) = world.node(label).symbol {
                let hunks = world.owner_of(case).into_iter().chain(world.owner_of(label));
                cases.covered.insert(symbol, hunks.collect());
            }
        }
    }
    Some(cases)
}

fn text<'a>(world: &RuleContext<'a>, case: NodeRef) -> &'a [u8] {
    let bytes = world.node(case).bytes.clone();
    world.text_of(case.version, case.tree).and_then(|text| text.get(bytes)).unwrap_or_default()
}

fn is_default(world: &RuleContext<'_>, case: NodeRef) -> bool {
    text(world, case).starts_with(b"default")
}

/// Returns the names of alternatives before a case's arrow. A case with a condition covers none.
fn labels(
    world: &RuleContext<'_>,
    case: NodeRef,
    alternatives: &BTreeSet<SymbolId>,
) -> Vec<NodeRef> {
    let text = text(world, case);
    let arrow =
        text.windows(2).position(|two| two == b"->").or(text.iter().position(|one| *one == b':'));
    let head = &text[..arrow.unwrap_or(0)];
    if head.windows(6).any(|word| word == b" when ") {
        return Vec::new();
    }
    let end = world.node(case).bytes.start + head.len();
    let inside = (case.node..world.node(case).end).map(|node| case.with_node(node));
    inside
        .take_while(|at| world.node(*at).bytes.start < end)
        .filter(|at| world.node(*at).symbol.is_some_and(|symbol| alternatives.contains(&symbol)))
        .collect()
}

impl SwitchCases {
    /// Returns the hunks that add a case for a value; `None` if there is none.
    fn cover(&self, one: SymbolId) -> Option<&HunkSet> {
        self.covered.get(&one).or(self.default.as_ref())
    }
}

/// Adds dependencies of a new `switch`: it needs the cases of existing values, and new values need their cases.
fn add_new_switch_dependencies(
    world: &RuleContext<'_>,
    owner: usize,
    cases: &SwitchCases,
    links: &mut DependencyCollector,
) {
    let default = cases.default.iter().flatten();
    links.need_all(&HunkSet::from([owner]), &default.copied().collect(), DependencyRule::Reach);
    for (one, cover) in &cases.covered {
        let made = world.makers(Version::New, *one);
        let from = if made.is_empty() { HunkSet::from([owner]) } else { made };
        if cases.default.is_none() {
            links.need_all(&from, cover, DependencyRule::Reach);
        }
    }
}

/// Adds the dependencies of a `switch` of both versions.
fn add_kept_switch_dependencies(
    world: &RuleContext<'_>,
    old: &SwitchCases,
    new: &SwitchCases,
    links: &mut DependencyCollector,
) {
    let twins = old.all.iter().map(|one| (Some(*one), world.twin_symbol(Version::Old, *one)));
    let fresh = new.all.iter().filter(|one| world.twin_symbol(Version::New, **one).is_none());
    for (before, after) in twins.chain(fresh.map(|one| (None, Some(*one)))) {
        let gone = before.and_then(|one| old.cover(one));
        let made = after.and_then(|one| new.cover(one));
        match (before, after) {
            (Some(_), Some(_)) => need(gone, made, links),
            (Some(before), None) => {
                let mut ends = world.makers(Version::Old, before);
                ends.extend(new.default.iter().flatten());
                for hunk in gone.into_iter().flatten() {
                    links.need_any(*hunk, &ends, DependencyRule::Reach);
                }
            }
            (None, Some(after)) => need(Some(&world.makers(Version::New, after)), made, links),
            (None, None) => {}
        }
    }
}

fn need(from: Option<&HunkSet>, to: Option<&HunkSet>, links: &mut DependencyCollector) {
    if let (Some(from), Some(to)) = (from, to) {
        links.need_all(from, to, DependencyRule::Reach);
    }
}
