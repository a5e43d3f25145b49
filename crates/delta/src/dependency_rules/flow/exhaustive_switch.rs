//! Dependency rule: a `switch` expression is exhaustive.

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
    values: BTreeSet<SymbolId>,
    /// Hunks of the cases, by value.
    covered: BTreeMap<SymbolId, HunkSet>,
    /// Hunks of the default case.
    default: Option<HunkSet>,
}

pub(crate) fn add_dependencies(context: &RuleContext<'_>, collector: &mut DependencyCollector) {
    let alternatives_by_type = VERSIONS.map(|version| collect_alternatives(context, version));
    for new in context.all_nodes(Version::New).filter(|at| is_switch_expression(context, *at)) {
        let Some(cases) = collect_cases(context, new, &alternatives_by_type[1]) else { continue };
        if let Some(owner) = context.node_owner(new) {
            add_new_switch_dependencies(context, owner, &cases, collector);
            continue;
        }
        let old = context.twin_node(new).filter(|old| is_switch_expression(context, *old));
        if let Some(before) =
            old.and_then(|old| self::collect_cases(context, old, &alternatives_by_type[0]))
        {
            add_kept_switch_dependencies(context, &before, &cases, collector);
        }
    }
}

fn is_switch_expression(context: &RuleContext<'_>, node: NodeRef) -> bool {
    context.kind(node) == NodeKind::SwitchExpression
}

/// Returns the constants of each enum, and the classes that each sealed one permits.
fn collect_alternatives(
    context: &RuleContext<'_>,
    version: Version,
) -> BTreeMap<SymbolId, BTreeSet<SymbolId>> {
    let facts = context.facts(version);
    let mut alternatives_by_type: BTreeMap<SymbolId, BTreeSet<SymbolId>> = BTreeMap::new();
    for (id, symbol) in facts.symbols().iter().enumerate().filter(|(_, one)| one.position.is_some())
    {
        if let (SymbolKind::EnumConstant, Some(owner)) = (symbol.kind, symbol.owner) {
            alternatives_by_type.entry(owner).or_default().insert(id);
        }
        for supertype in &symbol.supertypes {
            if facts.symbol(*supertype).flags.has(SymbolFlags::SEALED) {
                alternatives_by_type.entry(*supertype).or_default().insert(id);
            }
        }
    }
    alternatives_by_type
}

fn collect_cases(
    context: &RuleContext<'_>,
    node: NodeRef,
    alternatives: &BTreeMap<SymbolId, BTreeSet<SymbolId>>,
) -> Option<SwitchCases> {
    let facts = context.facts(node.version);
    let children = context.children(node);
    let class = facts.class_of_type(context.node(*children.first()?).ty.erased)?;
    let alternatives = alternatives.get(&class)?;
    let mut cases =
        SwitchCases { values: alternatives.clone(), covered: BTreeMap::new(), default: None };
    for case in children.into_iter().filter(|part| context.kind(*part) == NodeKind::Case) {
        if is_default_case(context, case) {
            cases.default = Some(context.node_owner(case).into_iter().collect());
        }
        for label in case_labels(context, case, alternatives) {
            if let Some(symbol) = context.node(label).symbol {
                let hunks = context.node_owner(case).into_iter().chain(context.node_owner(label));
                cases.covered.insert(symbol, hunks.collect());
            }
        }
    }
    Some(cases)
}

fn case_text<'a>(context: &RuleContext<'a>, case: NodeRef) -> &'a [u8] {
    let bytes = context.node(case).bytes.clone();
    context.tree_text(case.version, case.tree).and_then(|text| text.get(bytes)).unwrap_or_default()
}

fn is_default_case(context: &RuleContext<'_>, case: NodeRef) -> bool {
    case_text(context, case).starts_with(b"default")
}

/// Returns the names of alternatives before a case's arrow. A case with a condition covers none.
fn case_labels(
    context: &RuleContext<'_>,
    case: NodeRef,
    alternatives: &BTreeSet<SymbolId>,
) -> Vec<NodeRef> {
    let text = case_text(context, case);
    let arrow =
        text.windows(2).position(|two| two == b"->").or(text.iter().position(|one| *one == b':'));
    let head = &text[..arrow.unwrap_or(0)];
    if head.windows(6).any(|word| word == b" when ") {
        return Vec::new();
    }
    let end = context.node(case).bytes.start + head.len();
    let descendants = (case.node..context.node(case).subtree_end).map(|node| case.with_node(node));
    descendants
        .take_while(|at| context.node(*at).bytes.start < end)
        .filter(|at| context.node(*at).symbol.is_some_and(|symbol| alternatives.contains(&symbol)))
        .collect()
}

impl SwitchCases {
    /// Returns the hunks that add a case for a value; `None` if there is none.
    fn covering_hunks(&self, one: SymbolId) -> Option<&HunkSet> {
        self.covered.get(&one).or(self.default.as_ref())
    }
}

/// Adds dependencies of a new `switch`: it needs the cases of existing values, and new values need their cases.
fn add_new_switch_dependencies(
    context: &RuleContext<'_>,
    owner: usize,
    cases: &SwitchCases,
    collector: &mut DependencyCollector,
) {
    let default = cases.default.iter().flatten();
    collector.require_all(
        &HunkSet::from([owner]),
        &default.copied().collect(),
        DependencyRule::Reach,
    );
    for (one, cover) in &cases.covered {
        let presence_hunks = context.presence_hunks(Version::New, *one);
        let from = if presence_hunks.is_empty() { HunkSet::from([owner]) } else { presence_hunks };
        if cases.default.is_none() {
            collector.require_all(&from, cover, DependencyRule::Reach);
        }
    }
}

/// Adds the dependencies of a `switch` of both versions.
fn add_kept_switch_dependencies(
    context: &RuleContext<'_>,
    old: &SwitchCases,
    new: &SwitchCases,
    collector: &mut DependencyCollector,
) {
    let twins = old.values.iter().map(|one| (Some(*one), context.twin_symbol(Version::Old, *one)));
    let new_values =
        new.values.iter().filter(|one| context.twin_symbol(Version::New, **one).is_none());
    for (before, after) in twins.chain(new_values.map(|one| (None, Some(*one)))) {
        let old_cover = before.and_then(|one| old.covering_hunks(one));
        let new_cover = after.and_then(|one| new.covering_hunks(one));
        match (before, after) {
            (Some(_), Some(_)) => require_all(old_cover, new_cover, collector),
            (Some(before), None) => {
                let mut replacements = context.presence_hunks(Version::Old, before);
                replacements.extend(new.default.iter().flatten());
                for hunk in old_cover.into_iter().flatten() {
                    collector.require_any(*hunk, &replacements, DependencyRule::Reach);
                }
            }
            (None, Some(after)) => require_all(
                Some(&context.presence_hunks(Version::New, after)),
                new_cover,
                collector,
            ),
            (None, None) => {}
        }
    }
}

fn require_all(from: Option<&HunkSet>, to: Option<&HunkSet>, collector: &mut DependencyCollector) {
    if let (Some(from), Some(to)) = (from, to) {
        collector.require_all(from, to, DependencyRule::Reach);
    }
}
