//! Findings of a schedule search, located in the sources.

use super::calls::{called, receiver};
use crate::source_file::SourceFile;
use mend_java::Code;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole, SymbolFlags, SymbolId, SymbolKind};
use mend_model::schedules::{
    CodeLocation, FailureGroup, Findings, PatternCount, ScheduleStep, ScheduleTrace,
};
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// Maximum number of patterns.
const MOST: usize = 16;

/// Sources, with what was found in them.
pub(crate) struct BugContext<'a> {
    pub(crate) files: &'a [SourceFile<'a>],
    pub(crate) findings: &'a Findings,
    /// The most suspicious first.
    pub(crate) patterns: Vec<LocatedPattern<'a>>,
    /// Both places of accesses that nothing orders.
    pub(crate) races: Vec<(SourceLocation, SourceLocation)>,
}

/// A pattern with the source locations of its steps.
pub(crate) struct LocatedPattern<'a> {
    pub(crate) pattern: &'a PatternCount,
    pub(crate) spots: Vec<SourceLocation>,
}

/// A place in the sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SourceLocation {
    pub(crate) file: usize,
    /// The access or call, or the statement where that is not known.
    pub(crate) node: NodeIndex,
    /// The accessed field, or the field that holds the accessed object.
    pub(crate) variable: Option<SymbolId>,
}

impl<'a> BugContext<'a> {
    pub(crate) fn new(files: &'a [SourceFile<'a>], findings: &'a Findings) -> Self {
        let mut scene = Self { files, findings, patterns: Vec::new(), races: Vec::new() };
        let mut ranked: Vec<&PatternCount> = findings.patterns.iter().collect();
        ranked.sort_by(|one, other| rank(other).total_cmp(&rank(one)));
        let shown = ranked.into_iter().filter_map(|pattern| {
            let spots: Option<Vec<SourceLocation>> =
                pattern.sites.iter().map(|site| scene.spot(site)).collect();
            Some(LocatedPattern { pattern, spots: spots? })
        });
        scene.patterns = shown.take(MOST).collect();
        let races = findings.races.iter().filter_map(|race| match &race.sites[..] {
            [one, two] => Some((scene.spot(one)?, scene.spot(two)?)),
            _ => None,
        });
        scene.races = races.collect();
        scene
    }

    pub(crate) fn code(&self, file: usize) -> &Code<'a> {
        &self.files[file].code
    }

    /// Files that are no tests, with their numbers.
    pub(crate) fn main(&self) -> impl Iterator<Item = (usize, &Code<'a>)> {
        let all = self.files.iter().enumerate();
        all.filter(|(_, file)| !file.is_test).map(|(number, file)| (number, &file.code))
    }

    /// Returns true if some schedule failed in one of these ways.
    pub(crate) fn fails_by(&self, kinds: &[&str]) -> bool {
        self.findings.groups.iter().any(|group| kinds.contains(&group.example.kind.as_str()))
    }

    /// Returns true if some schedule failed with one of these exceptions.
    pub(crate) fn fails_with(&self, exceptions: &[&str]) -> bool {
        self.findings.groups.iter().any(|FailureGroup { example, .. }| {
            let told = example.result.as_ref().and_then(|result| result["exception"].as_str());
            let mut texts = example.text.as_deref().into_iter().chain(told);
            texts.any(|text| exceptions.iter().any(|one| text.contains(one)))
        })
    }

    /// Schedules that were written down.
    pub(crate) fn examples(&self) -> impl Iterator<Item = &'a ScheduleTrace> {
        let groups = self.findings.groups.iter().map(|group| &group.example);
        groups.chain(&self.findings.race_example)
    }

    /// Returns true if the first thread of a pattern is older than the second, which it started or may have started;
    /// `None` if no recorded schedule shows it.
    pub(crate) fn is_older_first(&self, shown: &LocatedPattern<'_>) -> Option<bool> {
        self.threads(shown).map(|(first, second)| first < second)
    }

    /// Returns the threads of a pattern's first two steps, where 0 starts the test; `None` if no recorded schedule
    /// shows it.
    pub(crate) fn threads(&self, shown: &LocatedPattern<'_>) -> Option<(usize, usize)> {
        self.examples().find_map(|example| {
            let seen = example.patterns.iter().find(|seen| seen.key == shown.pattern.key)?;
            let thread = |at: usize| Some(example.steps.get(*seen.steps.get(at)?)?.thread);
            Some((thread(0)?, thread(1)?))
        })
    }

    /// Returns the locations of steps of a kind.
    pub(crate) fn places(&self, is_meant: impl Fn(&ScheduleStep) -> bool) -> Vec<SourceLocation> {
        let mut found = Vec::new();
        for example in self.examples() {
            for step in example.steps.iter().filter(|step| is_meant(step)) {
                let spot = example.sites.get(step.site).and_then(|site| self.spot(site));
                found.extend(spot.filter(|spot| !found.contains(spot)));
            }
        }
        found
    }

    /// Returns the fields that failing schedules and data races access.
    pub(crate) fn variables(&self) -> BTreeSet<SymbolId> {
        self.spots().filter_map(|spot| spot.variable).collect()
    }

    /// Returns the fields that are accessed directly, not through their contents.
    pub(crate) fn fields(&self) -> BTreeSet<SymbolId> {
        let is_itself =
            |spot: &&SourceLocation| !self.code(spot.file).is(spot.node, NodeKind::ArrayAccess);
        self.spots().filter(is_itself).filter_map(|spot| spot.variable).collect()
    }

    /// Returns true if a node reaches an access of a failing schedule or a data race, directly or by a call.
    pub(crate) fn is_about(&self, file: usize, id: NodeIndex) -> bool {
        let has = |file: usize, id: NodeIndex| {
            let inside = id..self.code(file).node(id).end;
            self.spots().any(|spot| spot.file == file && inside.contains(&spot.node))
        };
        let code = self.code(file);
        let mut callees = (id..code.node(id).end).filter(|id| code.role(*id) == NodeRole::Callee);
        has(file, id)
            || callees.any(|callee| {
                let declared = code.node(callee).symbol.and_then(|one| self.declaration(one));
                declared.is_some_and(|(file, method)| has(file, method))
            })
    }

    /// Returns the locations in failing schedules and data races.
    pub(crate) fn spots(&self) -> impl Iterator<Item = &SourceLocation> {
        let patterns = self.patterns.iter().flat_map(|shown| &shown.spots);
        patterns.chain(self.races.iter().flat_map(|(one, two)| [one, two]))
    }

    /// Returns the declaration of a symbol in the sources.
    pub(crate) fn declaration(&self, symbol: SymbolId) -> Option<(usize, NodeIndex)> {
        self.files.iter().enumerate().find_map(|(number, file)| {
            let code = &file.code;
            let declares = |id: &NodeIndex| {
                code.node(*id).symbol == Some(symbol)
                    && matches!(code.kind(*id), NodeKind::Variable | NodeKind::Method)
            };
            (0..code.tree.nodes.len()).find(declares).map(|id| (number, id))
        })
    }

    /// Returns all uses of a symbol, without its declaration.
    pub(crate) fn uses(&self, symbol: SymbolId) -> Vec<(usize, NodeIndex)> {
        let of_file = |(number, file): (usize, &SourceFile<'a>)| {
            let code = file.code;
            let is_use = move |id: &NodeIndex| {
                code.node(*id).symbol == Some(symbol) && code.kind(*id).is_name()
            };
            (0..code.tree.nodes.len()).filter(is_use).map(move |id| (number, id)).collect()
        };
        self.files.iter().enumerate().flat_map(|one| -> Vec<_> { of_file(one) }).collect()
    }

    pub(crate) fn is_static(&self, symbol: SymbolId) -> bool {
        self.facts(symbol).is_some_and(|flags| flags.has(SymbolFlags::STATIC))
    }

    fn facts(&self, symbol: SymbolId) -> Option<SymbolFlags> {
        self.files.first().map(|file| file.code.facts.symbol(symbol).flags)
    }

    /// Returns the source location of a place in a class file.
    pub(crate) fn spot(&self, site: &CodeLocation) -> Option<SourceLocation> {
        let outer = site.class.split('$').next().unwrap_or_default();
        let file = self.files.iter().position(|file| declares(&file.code, outer))?;
        let code = &self.files[file].code;
        let line = bytes_of_line(code.text, site.line)?;
        let member = site.subject.rsplit('.').next().unwrap_or_default();
        let is_there = |id: &NodeIndex| line.contains(&code.tree.anchor(*id));
        let named = |id: &NodeIndex| is_there(id) && is_access(code, *id, member);
        let accesses = evaluated(code, (0..code.tree.nodes.len()).filter(named));
        let turn = usize::try_from(site.turn).unwrap_or(0).min(accesses.len().saturating_sub(1));
        let starts = |id: &NodeIndex| {
            line.contains(&code.bytes(*id).start)
                && (code.is_statement(*id) || code.is(*id, NodeKind::Variable))
        };
        let inside = |id: &NodeIndex| code.is_value(*id) && is_there(id);
        let node = accesses.get(turn).copied();
        let node = node.or_else(|| (0..code.tree.nodes.len()).find(starts));
        let node = node.or_else(|| (0..code.tree.nodes.len()).find(inside))?;
        Some(SourceLocation { file, node, variable: variable(code, node) })
    }
}

/// Accesses in the order in which code makes them: what is inside comes first, and what is assigned to is written after
/// the value is known. What is read and written counts twice.
fn evaluated(code: &Code<'_>, accesses: impl Iterator<Item = NodeIndex>) -> Vec<NodeIndex> {
    let mut all = Vec::new();
    for id in accesses {
        let parent = code.parent(id);
        let is_step = code.kind(parent).is_step();
        let is_target = code.role(id) == NodeRole::Target;
        if !is_target || !code.is(parent, NodeKind::Assignment) {
            all.push((code.node(id).end, Reverse(id), id));
        }
        if is_step || is_target {
            all.push((code.node(parent).end, Reverse(parent), id));
        }
    }
    all.sort_unstable();
    all.into_iter().map(|(.., id)| id).collect()
}

/// Ranks patterns: frequent in failing schedules, absent in others, and simple.
fn rank(pattern: &PatternCount) -> f64 {
    let count = |number: usize| f64::from(u32::try_from(number).unwrap_or(u32::MAX));
    let suspicion = count(pattern.failing) / count(pattern.failing + pattern.passing).max(1.0);
    let form = match pattern.sites.len() {
        3 => 0.02,
        4 => 0.01,
        _ => 0.0,
    };
    suspicion + form + count(pattern.failing) / 100_000.0
}

fn declares(code: &Code<'_>, class: &str) -> bool {
    code.children(0)
        .into_iter()
        .filter(|id| code.is_type(*id))
        .any(|id| code.symbol(id).is_some_and(|symbol| code.facts.text(symbol.full_name) == class))
}

fn bytes_of_line(text: &str, line: u32) -> Option<std::ops::Range<usize>> {
    let mut start = 0;
    for (number, words) in (1..).zip(text.split_inclusive('\n')) {
        if number == line {
            return Some(start..start + words.len());
        }
        start += words.len();
    }
    None
}

/// Returns true if a node accesses a field, an element or the receiver of a call.
fn is_access(code: &Code<'_>, id: NodeIndex, member: &str) -> bool {
    match code.kind(id) {
        NodeKind::Identifier | NodeKind::MemberSelect => code.symbol(id).is_some_and(|symbol| {
            symbol.kind == SymbolKind::Field && code.facts.text(symbol.name) == member
        }),
        NodeKind::ArrayAccess => member.starts_with("[]") || member.ends_with("[]"),
        NodeKind::MethodInvocation => called(code, id) == member,
        NodeKind::EnhancedForLoop => matches!(member, "iterator" | "hasNext" | "next"),
        _ => false,
    }
}

/// Returns the field of an access: itself, the indexed array, or the receiver of a call or iteration.
fn variable(code: &Code<'_>, id: NodeIndex) -> Option<SymbolId> {
    let held = match code.kind(id) {
        NodeKind::ArrayAccess => code.children(id).first().copied()?,
        NodeKind::MethodInvocation => receiver(code, id)?,
        NodeKind::EnhancedForLoop => code.child(id, NodeRole::Value)?,
        _ => id,
    };
    let symbol = code.node(held).symbol?;
    (code.facts.symbol(symbol).kind == SymbolKind::Field).then_some(symbol)
}
