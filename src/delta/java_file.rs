//! Two versions of a Java file taken apart into hunks along their syntax trees.

use super::align::{Aligner, Item, Part, Step, is_separator};
use super::hunk::{Coupling, Hunk, HunkId, HunkKind, Place, Rule};
use super::merged::{ALWAYS, Joint, ListId, Merged, Piece, Presence, PresenceId, Role, Side};
use crate::java::{Grammar, Kind, NodeId, Source};
use crate::model::RepoPath;
use std::collections::{BTreeSet, HashMap};

/// Deeper than this a difference is one hunk: such code is generated, and the walk is recursive.
const DEEPEST: usize = 400;

/// Two expressions that share less than this are two expressions (Dice coefficient of their tokens).
const RELATED: f64 = 0.3;

/// Where hunks go while files are taken apart, and the numbers of places given so far.
#[derive(Default)]
pub(super) struct Sink {
    pub(super) hunks: Vec<Hunk>,
    pub(super) couplings: Vec<Coupling>,
    places: usize,
}

impl Sink {
    /// A number for a place that no other place has.
    pub(super) fn next_place(&mut self) -> usize {
        self.places += 1;
        self.places
    }

    pub(super) fn add(&mut self, hunk: Hunk) -> HunkId {
        self.hunks.push(hunk);
        self.hunks.len() - 1
    }
}

/// Which tokens of either version belong to which hunk.
#[derive(Debug)]
pub(super) struct Owners {
    /// For each token of the old version the hunk that deletes it.
    pub(super) old: Vec<Option<HunkId>>,
    /// For each token of the new version the hunk that inserts it.
    pub(super) new: Vec<Option<HunkId>>,
    /// For each kept token of the old version its place in the new one.
    pub(super) kept: Vec<Option<usize>>,
}

/// Takes two versions of a file apart.
pub(super) fn take_apart(
    path: &RepoPath,
    old: &Source,
    new: &Source,
    file: usize,
    sink: &mut Sink,
) -> (Merged, Owners) {
    let owners = Owners {
        old: vec![None; old.tokens().len()],
        new: vec![None; new.tokens().len()],
        kept: vec![None; old.tokens().len()],
    };
    let mut walk = Walk {
        path,
        aligner: Aligner::new(old, new),
        sink,
        owners,
        pieces: Vec::new(),
        presences: vec![Presence { parent: ALWAYS, hunk: 0, on: true }],
        lists: Vec::new(),
    };
    let place = Place { file, member: walk.sink.next_place(), statement: walk.sink.next_place() };
    walk.pair(0, 0, Context { presence: ALWAYS, place });
    let Walk { owners, pieces, presences, lists, .. } = walk;
    let side =
        |source: &Source| Side { text: source.text().into(), tokens: source.tokens().to_vec() };
    let mut merged = Merged {
        old: side(old),
        new: side(new),
        pieces,
        presences,
        lists,
        layout: None,
        joint: Joint::Tokens,
    };
    if differs_in_layout(&merged, &owners) {
        merged.layout = Some(sink.add(Hunk {
            kind: HunkKind::Relabel,
            path: path.clone(),
            node: "layout".to_owned(),
            old: None,
            new: None,
            tokens: 0,
            is_layout: true,
            place,
        }));
    }
    (merged, owners)
}

/// Whether white space or comments differ between tokens that are neighbours in both versions.
fn differs_in_layout(merged: &Merged, owners: &Owners) -> bool {
    let (old_len, new_len) = (merged.old.tokens.len(), merged.new.tokens.len());
    let kept = |old: usize| if old == old_len { Some(new_len) } else { owners.kept[old] };
    let gap = |side: &Side, next: usize| {
        let start = next.checked_sub(1).map_or(0, |at| side.tokens[at].end);
        start..side.tokens.get(next).map_or(side.text.len(), |token| token.start)
    };
    (0..=old_len).any(|next| {
        let Some(new_next) = kept(next) else { return false };
        let before = next.checked_sub(1).map(kept);
        let are_neighbours = match before {
            None => new_next == 0,
            Some(before) => before.is_some_and(|before| before + 1 == new_next),
        };
        are_neighbours
            && merged.old.text[gap(&merged.old, next)]
                != merged.new.text[gap(&merged.new, new_next)]
    })
}

/// What holds for everything below a node.
#[derive(Clone, Copy)]
struct Context {
    presence: PresenceId,
    place: Place,
}

/// Which version something is in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Version {
    Old,
    New,
}

/// The pieces of something that moves, to be put in its second place.
struct Template {
    pieces: Vec<Piece>,
    presences: std::ops::Range<PresenceId>,
    hunk: HunkId,
}

struct Walk<'a> {
    path: &'a RepoPath,
    aligner: Aligner<'a>,
    sink: &'a mut Sink,
    owners: Owners,
    pieces: Vec<Piece>,
    presences: Vec<Presence>,
    lists: Vec<Vec<u8>>,
}

/// What the steps through one pair of nodes share.
struct Family {
    context: Context,
    is_body: bool,
    is_bracketed: bool,
    kept_lists: Vec<Part>,
    lists: HashMap<Part, ListId>,
    shell: Option<HunkId>,
    parents: (NodeId, NodeId),
    moves: HashMap<(NodeId, NodeId), Template>,
}

impl Walk<'_> {
    fn source(&self, version: Version) -> &Source {
        match version {
            Version::Old => self.aligner.old,
            Version::New => self.aligner.new,
        }
    }

    /// Two nodes that are the same thing.
    fn pair(&mut self, old: NodeId, new: NodeId, context: Context) {
        let (old_node, new_node) = (self.aligner.old.node(old), self.aligner.new.node(new));
        if old_node.hash == new_node.hash && old_node.tokens.len() == new_node.tokens.len() {
            let pairs = old_node.tokens.clone().zip(new_node.tokens.clone());
            for (old, new) in pairs {
                self.keep(old, new, context.presence);
            }
        } else if old_node.kind == new_node.kind
            && old_node.depth < DEEPEST
            && old_node.end - old > 1
            && new_node.end - new > 1
            && self.is_related(old, new)
        {
            self.inside(old, new, context);
        } else {
            self.replace(old, new, context);
        }
    }

    fn is_related(&self, old: NodeId, new: NodeId) -> bool {
        let grammar = Grammar::get();
        let holds_a_body = |source: &Source, id: NodeId| {
            grammar.is_body(source.node(id).kind)
                || source.children(id).any(|child| grammar.is_body(source.node(child).kind))
        };
        let old_node = self.aligner.old.node(old);
        if old_node.kind == grammar.kind("switch_label") {
            return false;
        }
        if old_node.kind == grammar.kind("switch_block") {
            return element_kinds(self.aligner.old, old) == element_kinds(self.aligner.new, new);
        }
        old_node.parent == old
            || (holds_a_body(self.aligner.old, old) && holds_a_body(self.aligner.new, new))
            || grammar.name(old_node.kind).ends_with("_declaration")
            || self.aligner.similarity(old, new) >= RELATED
    }

    fn keep(&mut self, old: usize, new: usize, presence: PresenceId) {
        self.owners.kept[old] = Some(new);
        self.pieces.push(Piece { old: Some(old), new: Some(new), presence, role: Role::Token });
    }

    fn require(&mut self, parent: PresenceId, hunk: HunkId, on: bool) -> PresenceId {
        self.presences.push(Presence { parent, hunk, on });
        self.presences.len() - 1
    }

    fn hunk(
        &mut self,
        kind: HunkKind,
        old: Option<NodeId>,
        new: Option<NodeId>,
        place: Place,
    ) -> HunkId {
        let grammar = Grammar::get();
        let (old_source, new_source) = (self.aligner.old, self.aligner.new);
        let node = new.map(|id| new_source.node(id)).or(old.map(|id| old_source.node(id)));
        let node = node.map_or("?", |node| grammar.name(node.kind)).to_owned();
        self.sink.add(Hunk {
            kind,
            path: self.path.clone(),
            node,
            old: old.map(|id| old_source.byte_range(id)),
            new: new.map(|id| new_source.byte_range(id)),
            tokens: 0,
            is_layout: false,
            place,
        })
    }

    /// A token that only one version has.
    fn own(&mut self, version: Version, token: usize, hunk: HunkId, presence: PresenceId) {
        let (owners, old, new) = match version {
            Version::Old => (&mut self.owners.old, Some(token), None),
            Version::New => (&mut self.owners.new, None, Some(token)),
        };
        owners[token] = Some(hunk);
        self.sink.hunks[hunk].tokens += 1;
        self.pieces.push(Piece { old, new, presence, role: Role::Token });
    }

    fn own_all(&mut self, version: Version, node: NodeId, hunk: HunkId, presence: PresenceId) {
        for token in self.source(version).node(node).tokens.clone() {
            self.own(version, token, hunk, presence);
        }
    }

    /// One thing in the place of another.
    fn replace(&mut self, old: NodeId, new: NodeId, context: Context) {
        let hunk = self.hunk(HunkKind::Relabel, Some(old), Some(new), context.place);
        let off = self.require(context.presence, hunk, false);
        let on = self.require(context.presence, hunk, true);
        self.own_all(Version::Old, old, hunk, off);
        self.own_all(Version::New, new, hunk, on);
    }

    fn inside(&mut self, old: NodeId, new: NodeId, context: Context) {
        let steps = self.aligner.children(old, new);
        let kind = self.aligner.old.node(old).kind;
        let kept_lists = steps.iter().filter_map(|step| match step {
            Step::Both(item, _) if matches!(item.part, Part::Element(_)) => Some(item.part),
            _ => None,
        });
        let mut family = Family {
            context,
            is_body: Grammar::get().is_body(kind),
            is_bracketed: is_bracketed(self.aligner.old, old)
                && is_bracketed(self.aligner.new, new),
            kept_lists: kept_lists.collect(),
            lists: HashMap::new(),
            shell: None,
            parents: (old, new),
            moves: HashMap::new(),
        };
        for run in steps.chunk_by(|a, b| is_one_sided(a) && is_one_sided(b)) {
            match run {
                [Step::Both(old, new)] => self.both(*old, *new, &mut family),
                [Step::From(old, new)] => self.moved(*old, *new, Version::Old, &mut family),
                [Step::To(old, new)] => self.moved(*old, *new, Version::New, &mut family),
                run => self.one_sided_run(run, &mut family),
            }
        }
    }

    fn both(&mut self, old: Item, new: Item, family: &mut Family) {
        let context = self.context_of(old, family);
        self.separate(Some(old), Some(new), context.presence, family);
        self.pair(old.node, new.node, context);
    }

    /// The context of a child: a member or statement of a body is a place of its own.
    fn context_of(&mut self, item: Item, family: &Family) -> Context {
        let mut context = family.context;
        if family.is_body && matches!(item.part, Part::Element(_)) {
            context.place = self.inner_place(context.place, family.parents.0);
        }
        context
    }

    fn inner_place(&mut self, place: Place, parent: NodeId) -> Place {
        let holds_statements = is_statement_body(self.aligner.old, parent);
        let statement = self.sink.next_place();
        let member = if holds_statements { place.member } else { self.sink.next_place() };
        Place { member, statement, ..place }
    }

    /// Puts the separator of a list's element, and marks where the element begins.
    fn separate(
        &mut self,
        old: Option<Item>,
        new: Option<Item>,
        presence: PresenceId,
        family: &mut Family,
    ) {
        let Some(part) = old.or(new).map(|item| item.part) else { return };
        let Some(list) = self.list(part, family) else { return };
        let first_token = |source: &Source, item: Option<Item>| {
            item.and_then(|item| item.separator).map(|node| source.node(node).tokens.start)
        };
        let old = first_token(self.aligner.old, old);
        let new = first_token(self.aligner.new, new);
        if let (Some(old), Some(new)) = (old, new) {
            self.owners.kept[old] = Some(new);
        }
        self.pieces.push(Piece { old, new, presence, role: Role::Separator(list) });
        self.pieces.push(Piece { old: None, new: None, presence, role: Role::Element(list) });
    }

    /// The list that a part belongs to, if it is one with separators.
    fn list(&mut self, part: Part, family: &mut Family) -> Option<ListId> {
        if !matches!(part, Part::Element(_)) || family.is_body {
            return None;
        }
        if let Some(list) = family.lists.get(&part) {
            return Some(*list);
        }
        let mark = |source: &Source, parent: NodeId| {
            let mark = source.children(parent).find(|child| {
                !source.node(*child).named
                    && source.node(*child).field == 0
                    && is_separator(source, *child)
            })?;
            Some(source.text_of(mark).to_vec())
        };
        let (old, new) = family.parents;
        let mark = mark(self.aligner.old, old).or_else(|| mark(self.aligner.new, new))?;
        self.lists.push(mark);
        family.lists.insert(part, self.lists.len() - 1);
        Some(self.lists.len() - 1)
    }

    /// Something that stands in another place of the same body, in the one or the other of its places.
    fn moved(&mut self, old: Item, new: Item, version: Version, family: &mut Family) {
        let is_new = version == Version::New;
        if let Some(template) = family.moves.remove(&(old.node, new.node)) {
            self.put_again(&template, family.context.presence, is_new);
            return;
        }
        let place = self.inner_place(family.context.place, family.parents.0);
        let hunk = self.hunk(HunkKind::Move, Some(old.node), Some(new.node), place);
        let tokens = self.aligner.old.node(old.node).tokens.len()
            + self.aligner.new.node(new.node).tokens.len();
        self.sink.hunks[hunk].tokens = tokens as u64;
        let first_piece = self.pieces.len();
        let presence = self.require(family.context.presence, hunk, is_new);
        self.pair(old.node, new.node, Context { presence, place });
        let pieces = self.pieces[first_piece..].to_vec();
        let template = Template { pieces, presences: presence..self.presences.len(), hunk };
        family.moves.insert((old.node, new.node), template);
    }

    /// Repeats the pieces of a template under the opposite switch of its hunk.
    fn put_again(&mut self, template: &Template, parent: PresenceId, on: bool) {
        let base = template.presences.start;
        let offset = self.presences.len() - base;
        let shift = |id: PresenceId| if id >= base { id + offset } else { id };
        for id in template.presences.clone() {
            let presence = self.presences[id];
            let copy = if id == base {
                Presence { parent, hunk: template.hunk, on }
            } else {
                Presence { parent: shift(presence.parent), ..presence }
            };
            self.presences.push(copy);
        }
        let copies =
            template.pieces.iter().map(|piece| Piece { presence: shift(piece.presence), ..*piece });
        self.pieces.extend(copies);
    }

    /// Things between two kept neighbours that only one version has.
    fn one_sided_run(&mut self, run: &[Step], family: &mut Family) {
        let olds: Vec<Item> = run
            .iter()
            .filter_map(|step| if let Step::Old(item) = step { Some(*item) } else { None })
            .collect();
        let news: Vec<Item> = run
            .iter()
            .filter_map(|step| if let Step::New(item) = step { Some(*item) } else { None })
            .collect();
        let has_mark = olds.iter().chain(&news).any(|item| item.part == Part::Mark);
        // The colons of a switch's labels are marks too, in a body without brackets.
        if has_mark && !(family.is_body && family.is_bracketed) {
            self.shell_run(&olds, &news, family);
            return;
        }
        let pairs = if family.is_body { 0 } else { replaceable(&olds, &news) };
        for (old, new) in olds.iter().zip(&news).take(pairs) {
            self.replace_element(*old, *new, family);
        }
        let (olds, news) = (&olds[pairs..], &news[pairs..]);
        if !(family.is_body || olds.is_empty() || news.is_empty()) {
            // Each of them may be optional, but the grammar has an order for them.
            self.shell_run(olds, news, family);
            return;
        }
        for old in olds {
            self.one_sided(*old, Version::Old, family);
        }
        for new in news {
            self.one_sided(*new, Version::New, family);
        }
    }

    fn replace_element(&mut self, old: Item, new: Item, family: &mut Family) {
        let context = family.context;
        let hunk = self.hunk(HunkKind::Relabel, Some(old.node), Some(new.node), context.place);
        for (version, item) in [(Version::Old, old), (Version::New, new)] {
            let presence = self.require(context.presence, hunk, version == Version::New);
            let (old, new) = match version {
                Version::Old => (Some(item), None),
                Version::New => (None, Some(item)),
            };
            self.separate(old, new, presence, family);
            self.own_all(version, item.node, hunk, presence);
        }
    }

    /// Everything in the run comes or goes with the parent's own marks.
    fn shell_run(&mut self, olds: &[Item], news: &[Item], family: &mut Family) {
        for (version, items) in [(Version::Old, olds), (Version::New, news)] {
            for item in items {
                self.shell_item(*item, version, family);
            }
        }
    }

    fn shell_item(&mut self, item: Item, version: Version, family: &mut Family) {
        let hunk = self.shell(family);
        let presence = self.require(family.context.presence, hunk, version == Version::New);
        let (old, new) = match version {
            Version::Old => (Some(item), None),
            Version::New => (None, Some(item)),
        };
        self.separate(old, new, presence, family);
        self.own_all(version, item.node, hunk, presence);
    }

    /// The one hunk for what the grammar does not let come or go alone in this pair of nodes.
    fn shell(&mut self, family: &mut Family) -> HunkId {
        let (old, new) = family.parents;
        let place = family.context.place;
        *family
            .shell
            .get_or_insert_with(|| self.hunk(HunkKind::Relabel, Some(old), Some(new), place))
    }

    /// One thing that only one version has: free to come or go alone where the grammar allows it.
    fn one_sided(&mut self, item: Item, version: Version, family: &mut Family) {
        let parent = match version {
            Version::Old => family.parents.0,
            Version::New => family.parents.1,
        };
        let arity = {
            let source = self.source(version);
            Grammar::get().arity(source.node(parent).kind, source.node(item.node).field)
        };
        let may_be_absent = match item.part {
            Part::Mark => true,
            Part::Slot(_) | Part::Single => arity.is_some_and(|arity| !arity.required),
            Part::Element(_) => {
                family.kept_lists.contains(&item.part)
                    || (family.is_bracketed && arity.is_some_and(|arity| !arity.required))
            }
        };
        if !may_be_absent {
            self.shell_item(item, version, family);
            return;
        }
        let context = self.context_of(item, family);
        self.free(item, version, context, family);
    }

    fn free(&mut self, item: Item, version: Version, context: Context, family: &mut Family) {
        let hunk = self.one_sided_hunk(item.node, version, context.place);
        let presence = self.require(context.presence, hunk, version == Version::New);
        let (old, new) = match version {
            Version::Old => (Some(item), None),
            Version::New => (None, Some(item)),
        };
        self.separate(old, new, presence, family);
        self.divisible(item.node, version, hunk, Context { presence, ..context });
    }

    fn one_sided_hunk(&mut self, node: NodeId, version: Version, place: Place) -> HunkId {
        match version {
            Version::Old => self.hunk(HunkKind::Delete, Some(node), None, place),
            Version::New => self.hunk(HunkKind::Insert, None, Some(node), place),
        }
    }

    /// A subtree that comes or goes: its members and statements are hunks of their own inside its shell.
    fn divisible(&mut self, node: NodeId, version: Version, hunk: HunkId, context: Context) {
        let source = self.source(version);
        let this = source.node(node);
        if this.end - node <= 1 || this.depth >= DEEPEST {
            self.own_all(version, node, hunk, context.presence);
            return;
        }
        let grammar = Grammar::get();
        let is_body = grammar.is_body(this.kind);
        let label = grammar.kind("switch_label");
        let children: Vec<(NodeId, bool)> = source
            .children(node)
            .map(|child| {
                let node = source.node(child);
                (child, is_body && node.named && node.field == 0 && node.kind != label)
            })
            .collect();
        for (child, is_own_hunk) in children {
            if is_own_hunk {
                self.inner_hunk(child, node, version, hunk, context);
            } else {
                self.divisible(child, version, hunk, context);
            }
        }
    }

    fn inner_hunk(
        &mut self,
        child: NodeId,
        parent: NodeId,
        version: Version,
        outer: HunkId,
        context: Context,
    ) {
        let holds_statements = is_statement_body(self.source(version), parent);
        let statement = self.sink.next_place();
        let member = if holds_statements { context.place.member } else { self.sink.next_place() };
        let place = Place { member, statement, ..context.place };
        let hunk = self.one_sided_hunk(child, version, place);
        let (from, to) = match version {
            Version::Old => (outer, hunk),
            Version::New => (hunk, outer),
        };
        self.sink.couplings.push(Coupling { from, to: vec![to], rule: Rule::Inside });
        let presence = self.require(context.presence, hunk, version == Version::New);
        self.divisible(child, version, hunk, Context { presence, place });
    }
}

/// How many of the first items on both sides stand for each other: elements of the same list.
fn replaceable(olds: &[Item], news: &[Item]) -> usize {
    let is_same_list =
        |(old, new): &(&Item, &Item)| matches!(old.part, Part::Element(_)) && old.part == new.part;
    olds.iter().zip(news).take_while(is_same_list).count()
}

fn is_one_sided(step: &Step) -> bool {
    matches!(step, Step::Old(_) | Step::New(_))
}

/// The kinds of a switch's branches: with arrows or with colons, never both.
fn element_kinds(source: &Source, block: NodeId) -> BTreeSet<Kind> {
    let nodes = source.children(block).map(|child| source.node(child));
    nodes.filter(|node| node.named).map(|node| node.kind).collect()
}

/// Whether a body holds statements rather than members.
fn is_statement_body(source: &Source, body: NodeId) -> bool {
    let name = Grammar::get().name(source.node(body).kind);
    name.contains("block") || name == "constructor_body"
}

/// Whether a node begins and ends with marks of its own (or is the whole file), so that it may be empty.
fn is_bracketed(source: &Source, id: NodeId) -> bool {
    let node = source.node(id);
    if node.parent == id {
        return true;
    }
    let mut children = source.children(id);
    let is_mark = |child: Option<NodeId>| child.is_some_and(|child| !source.node(child).named);
    let first = children.next();
    is_mark(first) && is_mark(children.last())
}
