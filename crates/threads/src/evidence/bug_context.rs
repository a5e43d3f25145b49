//! Findings of a schedule search, with their locations in the sources.

use super::calls::{method_name, receiver};
use crate::patterns::ranking::decisive_patterns;
use crate::patterns::roles::is_lock_class;
use crate::source_file::SourceFile;
use mend_java::Code;
use mend_java::facts::{
    FileNode, NodeIndex, NodeKind, NodeRole, SymbolFlags, SymbolId, SymbolKind,
};
use mend_model::schedules::{CodeLocation, Findings, PatternCount, ScheduleStep, ScheduleTrace};
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// Maximum number of patterns.
const MAX_PATTERNS: usize = 16;

/// Sources, and the findings located in them.
pub(crate) struct BugContext<'a> {
    pub(crate) files: &'a [SourceFile<'a>],
    pub(crate) findings: &'a Findings,
    /// Located patterns, the most suspicious first.
    pub(crate) patterns: Vec<LocatedPattern<'a>>,
    /// Locations of both accesses of each data race.
    pub(crate) races: Vec<(SourceLocation, SourceLocation)>,
}

/// A pattern with the source locations of its steps.
pub(crate) struct LocatedPattern<'a> {
    pub(crate) pattern: &'a PatternCount,
    pub(crate) locations: Vec<SourceLocation>,
}

/// Location of a step in the sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SourceLocation {
    pub(crate) file: usize,
    /// Access or call; the statement if that is unknown.
    pub(crate) node: NodeIndex,
    /// The accessed field, or the field that holds the accessed object.
    pub(crate) variable: Option<SymbolId>,
}

impl<'a> BugContext<'a> {
    pub(crate) fn new(files: &'a [SourceFile<'a>], findings: &'a Findings) -> Self {
        let mut context = Self { files, findings, patterns: Vec::new(), races: Vec::new() };
        let mut ranked: Vec<&PatternCount> = findings.patterns.iter().collect();
        let decisive = decisive_patterns(findings);
        let is_in_lock = |pattern: &PatternCount| {
            pattern.sites.iter().any(|site| is_lock_class(&site.class, &findings.lock_classes))
        };
        let score = |pattern: &PatternCount| {
            let bonus = if decisive.contains(pattern.key.as_str()) { 1.0 } else { 0.0 };
            let penalty = if is_in_lock(pattern) { 2.0 } else { 0.0 };
            pattern_score(pattern) + bonus - penalty
        };
        ranked.sort_by(|one, other| score(other).total_cmp(&score(one)));
        let located = ranked.into_iter().filter_map(|pattern| {
            let locations: Option<Vec<SourceLocation>> =
                pattern.sites.iter().map(|site| context.locate(site)).collect();
            Some(LocatedPattern { pattern, locations: locations? })
        });
        context.patterns = located.take(MAX_PATTERNS).collect();
        let races = findings.races.iter().filter_map(|race| match &race.sites[..] {
            [one, two] => Some((context.locate(one)?, context.locate(two)?)),
            _ => None,
        });
        context.races = races.collect();
        context
    }

    pub(crate) fn code(&self, file: usize) -> &Code<'a> {
        &self.files[file].code
    }

    /// Returns the files that are not tests, with their indexes.
    pub(crate) fn main_files(&self) -> impl Iterator<Item = (usize, &Code<'a>)> {
        let all = self.files.iter().enumerate();
        all.filter(|(_, file)| !file.is_test).map(|(number, file)| (number, &file.code))
    }

    /// Returns true if some schedule failed in one of these ways.
    pub(crate) fn has_failure_kind(&self, kinds: &[&str]) -> bool {
        self.findings.groups.iter().any(|group| kinds.contains(&group.example.kind.as_str()))
    }

    /// Returns true if some schedule failed with one of these exceptions.
    pub(crate) fn has_exception(&self, exceptions: &[&str]) -> bool {
        self.findings.groups.iter().any(|group| group.example.has_exception(exceptions))
    }

    /// Returns the recorded schedules.
    pub(crate) fn example_traces(&self) -> impl Iterator<Item = &'a ScheduleTrace> {
        let groups = self.findings.groups.iter().map(|group| &group.example);
        groups.chain(&self.findings.race_example)
    }

    /// Returns true if the first thread of a pattern started before the second one; `None` if no recorded schedule
    /// shows it.
    pub(crate) fn is_older_first(&self, located: &LocatedPattern<'_>) -> Option<bool> {
        self.thread_pair(located).map(|(first, second)| first < second)
    }

    /// Returns the threads of a pattern's first two steps, where 0 is the main thread of the test; `None` if no
    /// recorded schedule shows it.
    pub(crate) fn thread_pair(&self, located: &LocatedPattern<'_>) -> Option<(usize, usize)> {
        self.example_traces().find_map(|example| {
            let instance =
                example.patterns.iter().find(|instance| instance.key == located.pattern.key)?;
            let thread = |at: usize| Some(example.steps.get(*instance.steps.get(at)?)?.thread);
            Some((thread(0)?, thread(1)?))
        })
    }

    /// Returns the locations of steps of a kind.
    pub(crate) fn step_locations(
        &self,
        is_meant: impl Fn(&ScheduleStep) -> bool,
    ) -> Vec<SourceLocation> {
        let mut found = Vec::new();
        for example in self.example_traces() {
            for step in example.steps.iter().filter(|step| is_meant(step)) {
                let location = example.sites.get(step.site).and_then(|site| self.locate(site));
                found.extend(location.filter(|location| !found.contains(location)));
            }
        }
        found
    }

    /// Returns the fields that failing schedules and data races access.
    pub(crate) fn accessed_fields(&self) -> BTreeSet<SymbolId> {
        self.locations().filter_map(|location| location.variable).collect()
    }

    /// Returns the fields that are accessed directly, not through their contents.
    pub(crate) fn directly_accessed_fields(&self) -> BTreeSet<SymbolId> {
        let is_direct = |location: &&SourceLocation| {
            !self.code(location.file).has_kind(location.node, NodeKind::ArrayAccess)
        };
        self.locations().filter(is_direct).filter_map(|location| location.variable).collect()
    }

    /// Returns true if a node reaches an access of a failing schedule or a data race, directly or by a call.
    pub(crate) fn reaches_access(&self, file: usize, id: NodeIndex) -> bool {
        let contains_access = |file: usize, id: NodeIndex| {
            let inside = id..self.code(file).node(id).subtree_end;
            self.locations()
                .any(|location| location.file == file && inside.contains(&location.node))
        };
        let code = self.code(file);
        let mut callees =
            (id..code.node(id).subtree_end).filter(|id| code.role(*id) == NodeRole::Callee);
        if contains_access(file, id) {
            return true;
        }
        let accessing_methods = self.accessing_methods();
        callees.any(|callee| {
            code.node(callee).symbol.is_some_and(|method| accessing_methods.contains(&method))
        })
    }

    /// Returns the methods that contain an access of a failing schedule or a data race.
    fn accessing_methods(&self) -> BTreeSet<SymbolId> {
        let methods = self.locations().flat_map(|location| {
            let code = self.code(location.file);
            let enclosing = code.self_and_ancestors(location.node);
            enclosing
                .filter(|id| code.has_kind(*id, NodeKind::Method))
                .filter_map(|id| code.node(id).symbol)
        });
        methods.collect()
    }

    /// Returns the locations in failing schedules and data races.
    pub(crate) fn locations(&self) -> impl Iterator<Item = &SourceLocation> {
        let patterns = self.patterns.iter().flat_map(|located| &located.locations);
        patterns.chain(self.races.iter().flat_map(|(one, two)| [one, two]))
    }

    /// Returns the declaration of a symbol in the sources.
    pub(crate) fn declaration(&self, symbol: SymbolId) -> Option<FileNode> {
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
    pub(crate) fn uses(&self, symbol: SymbolId) -> Vec<FileNode> {
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
        self.flags(symbol).is_some_and(|flags| flags.has(SymbolFlags::STATIC))
    }

    pub(crate) fn flags(&self, symbol: SymbolId) -> Option<SymbolFlags> {
        self.files.first().map(|file| file.code.facts.symbol(symbol).flags)
    }

    /// Returns the source location of a code location in a class file.
    pub(crate) fn locate(&self, site: &CodeLocation) -> Option<SourceLocation> {
        let outer = site.class.split('$').next().unwrap_or_default();
        let file = self.files.iter().position(|file| declares_class(&file.code, outer))?;
        let code = &self.files[file].code;
        let line = line_range(code.text, site.line)?;
        let member = site.subject.rsplit('.').next().unwrap_or_default();
        let is_there = |id: &NodeIndex| line.contains(&code.tree.name_or_start(*id));
        let is_access_on_line = |id: &NodeIndex| is_there(id) && is_access(code, *id, member);
        let accesses =
            in_evaluation_order(code, (0..code.tree.nodes.len()).filter(is_access_on_line));
        let access_index =
            usize::try_from(site.turn).unwrap_or(0).min(accesses.len().saturating_sub(1));
        let starts_on_line = |id: &NodeIndex| {
            line.contains(&code.bytes(*id).start)
                && (code.is_statement(*id) || code.has_kind(*id, NodeKind::Variable))
        };
        let is_value_on_line = |id: &NodeIndex| code.is_replaceable_value(*id) && is_there(id);
        let node = accesses.get(access_index).copied();
        let node = node.or_else(|| (0..code.tree.nodes.len()).find(starts_on_line));
        let node = node.or_else(|| (0..code.tree.nodes.len()).find(is_value_on_line))?;
        Some(SourceLocation { file, node, variable: accessed_field(code, node) })
    }
}

/// Sorts accesses by evaluation order: operands first, and the target of an assignment after its value. A target that
/// is read and written is listed twice.
fn in_evaluation_order(
    code: &Code<'_>,
    accesses: impl Iterator<Item = NodeIndex>,
) -> Vec<NodeIndex> {
    let mut all = Vec::new();
    for id in accesses {
        let parent = code.parent(id);
        let is_increment = code.kind(parent).is_step();
        let is_target = code.role(id) == NodeRole::Target;
        if !is_target || !code.has_kind(parent, NodeKind::Assignment) {
            all.push((code.node(id).subtree_end, Reverse(id), id));
        }
        if is_increment || is_target {
            all.push((code.node(parent).subtree_end, Reverse(parent), id));
        }
    }
    all.sort_unstable();
    all.into_iter().map(|(.., id)| id).collect()
}

/// Ranks patterns: frequent in failing schedules, absent in others, and simple.
fn pattern_score(pattern: &PatternCount) -> f64 {
    let count = |number: usize| f64::from(u32::try_from(number).unwrap_or(u32::MAX));
    let suspicion = count(pattern.failing) / count(pattern.failing + pattern.passing).max(1.0);
    let size_bonus = match pattern.sites.len() {
        3 => 0.02,
        4 => 0.01,
        _ => 0.0,
    };
    suspicion + size_bonus + count(pattern.failing) / 100_000.0
}

fn declares_class(code: &Code<'_>, class: &str) -> bool {
    code.children(0)
        .into_iter()
        .filter(|id| code.is_type_declaration(*id))
        .any(|id| code.symbol(id).is_some_and(|symbol| code.facts.text(symbol.full_name) == class))
}

fn line_range(text: &str, line: u32) -> Option<std::ops::Range<usize>> {
    let mut start = 0;
    for (number, line_text) in (1..).zip(text.split_inclusive('\n')) {
        if number == line {
            return Some(start..start + line_text.len());
        }
        start += line_text.len();
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
        NodeKind::MethodInvocation => method_name(code, id) == member,
        NodeKind::EnhancedForLoop => matches!(member, "iterator" | "hasNext" | "next"),
        _ => false,
    }
}

/// Returns the field of an access: itself, the indexed array, or the receiver of a call or iteration.
fn accessed_field(code: &Code<'_>, id: NodeIndex) -> Option<SymbolId> {
    let accessed = match code.kind(id) {
        NodeKind::ArrayAccess => code.children(id).first().copied()?,
        NodeKind::MethodInvocation => receiver(code, id)?,
        NodeKind::EnhancedForLoop => code.child(id, NodeRole::Value)?,
        _ => id,
    };
    let symbol = code.node(accessed).symbol?;
    (code.facts.symbol(symbol).kind == SymbolKind::Field).then_some(symbol)
}
