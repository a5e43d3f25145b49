//! Pairs statements and expressions that a refactoring moved: from deleted code of a member to inserted code of the same
//! member, or of a method that was extracted from it or inlined into it. The statement mapping with replacements of
//! `RefactoringMiner` (Tsantalis, Ketkar and Dig 2022) is similar.

use crate::matching::child_items::is_statement_body;
use crate::matching::moves::MatchedSubtrees;
use crate::matching::sequence_alignment::IndexPair;
use crate::matching::signature::{is_type_declaration, name_of_declaration};
use crate::matching::version_pair::{Version, VersionPair};
use mend_java::{Grammar, NodeId, NodeKindId, ParsedSource};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Minimum number of tokens of a moved statement.
const MIN_STATEMENT_TOKENS: usize = 4;

/// Minimum number of tokens of a moved expression.
const MIN_EXPRESSION_TOKENS: usize = 3;

/// Minimum similarity (Dice coefficient of the tokens) of statements and expressions.
const MIN_SIMILARITY: f64 = 0.6;

/// Minimum similarity of the names and literals alone: brackets and operators are equal by coincidence.
const MIN_WORD_SIMILARITY: f64 = 0.5;

/// Work limit: larger groups of code are not compared.
const MAX_COMPARED_PAIRS: usize = 40_000;

/// Code of one version only: a subtree, without the part of it that is in both versions.
#[derive(Clone, Copy, Debug)]
pub(super) struct UnmatchedRegion {
    pub(super) root: NodeId,
    pub(super) kept_part: Option<NodeId>,
}

/// Unmatched code of both versions of members that call each other.
#[derive(Debug, Default)]
pub(super) struct RelatedCode {
    regions: [Vec<UnmatchedRegion>; 2],
}

/// A method that one version only has, and its calls in related code.
#[derive(Clone, Debug)]
pub(crate) struct CalledMember {
    pub(crate) version: Version,
    pub(crate) member: NodeId,
    /// Tokens of the names in calls.
    pub(crate) calls: Vec<usize>,
}

/// A statement or expression of unmatched code.
struct Candidate {
    node: NodeId,
    kind: NodeKindId,
    is_statement: bool,
    /// Position among the candidates of its version.
    order: usize,
}

/// Score of a pair; less is better. Words weigh more than other tokens, because brackets and operators are equal by
/// coincidence.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Score {
    common_words: Reverse<usize>,
    /// Number of words that one node has more than the other.
    surplus_words: usize,
    common_tokens: Reverse<usize>,
    /// Distance of the positions among the candidates.
    distance: usize,
}

/// Names, keywords and literals of two nodes.
struct WordComparison {
    /// Words of both nodes that the other one has too.
    common: usize,
    total: usize,
    /// Number of words that one node has more than the other.
    surplus: usize,
}

impl WordComparison {
    /// Returns the Dice coefficient.
    fn similarity(&self) -> f64 {
        token_count(self.common) / token_count(self.total.max(1))
    }
}

/// Members, united with the members that they call.
struct MemberGroups<'a> {
    pair: VersionPair<'a>,
    /// Representative of each member's group, itself by default.
    parents: BTreeMap<(Version, NodeId), (Version, NodeId)>,
}

/// Result of grouping: the related code of each group, and the methods of one version only.
pub(super) struct Grouping {
    pub(super) groups: Vec<RelatedCode>,
    pub(super) called_members: Vec<CalledMember>,
}

/// Groups unmatched code by members. `paired_members` are the matching members of both versions.
pub(super) fn group_by_members(
    pair: VersionPair<'_>,
    regions: &[Vec<UnmatchedRegion>; 2],
    paired_members: impl IntoIterator<Item = IndexPair>,
) -> Grouping {
    let mut groups = MemberGroups { pair, parents: BTreeMap::new() };
    for (old, new) in paired_members {
        groups.unite((Version::Old, old), (Version::New, new));
    }
    let mut called_members = Vec::new();
    for version in [Version::Old, Version::New] {
        called_members.extend(groups.unite_with_callees(version, &regions[version as usize]));
    }
    let mut code_by_group: BTreeMap<(Version, NodeId), RelatedCode> = BTreeMap::new();
    for version in [Version::Old, Version::New] {
        for region in &regions[version as usize] {
            if let Some(member) = enclosing_member(pair.source(version), region.root) {
                let group = groups.representative((version, member));
                let code = code_by_group.entry(group).or_default();
                code.regions[version as usize].push(*region);
            }
        }
    }
    let has_both = |code: &RelatedCode| code.regions.iter().all(|regions| !regions.is_empty());
    Grouping { groups: code_by_group.into_values().filter(has_both).collect(), called_members }
}

impl MemberGroups<'_> {
    fn representative(&self, mut member: (Version, NodeId)) -> (Version, NodeId) {
        while let Some(parent) = self.parents.get(&member) {
            member = *parent;
        }
        member
    }

    fn unite(&mut self, one: (Version, NodeId), other: (Version, NodeId)) {
        let (one, other) = (self.representative(one), self.representative(other));
        if one != other {
            self.parents.insert(one.max(other), one.min(other));
        }
    }

    /// Unites each method that only this version has with the members whose unmatched code calls it.
    fn unite_with_callees(
        &mut self,
        version: Version,
        regions: &[UnmatchedRegion],
    ) -> Vec<CalledMember> {
        let source = self.pair.source(version);
        let methods = methods_by_name(source, regions);
        let mut called_members: BTreeMap<NodeId, CalledMember> = BTreeMap::new();
        if methods.is_empty() {
            return Vec::new();
        }
        for region in regions {
            let Some(caller) = enclosing_member(source, region.root) else { continue };
            for token in source.node(region.root).tokens.clone() {
                let Some(Some(member)) = methods.get(source.token_text(token)) else { continue };
                let is_call = token + 1 < source.tokens().len()
                    && source.token_text(token + 1) == b"("
                    && !source.node(*member).tokens.contains(&token);
                if is_call {
                    self.unite((version, caller), (version, *member));
                    let called = called_members.entry(*member).or_insert_with(|| CalledMember {
                        version,
                        member: *member,
                        calls: Vec::new(),
                    });
                    called.calls.push(token);
                }
            }
        }
        called_members.into_values().collect()
    }
}

/// Returns the unmatched methods by name; `None` for a name of several.
fn methods_by_name<'a>(
    source: &'a ParsedSource,
    regions: &[UnmatchedRegion],
) -> HashMap<&'a [u8], Option<NodeId>> {
    let method = Grammar::get().kind_id("method_declaration");
    let mut methods: HashMap<&[u8], Option<NodeId>> = HashMap::new();
    for region in regions.iter().filter(|region| source.node(region.root).kind == method) {
        if let Some(name) = name_of_declaration(source, region.root) {
            methods
                .entry(source.node_text(name))
                .and_modify(|method| *method = None)
                .or_insert(Some(region.root));
        }
    }
    methods
}

/// Returns the member of a named type that a node is in, or is.
fn enclosing_member(source: &ParsedSource, id: NodeId) -> Option<NodeId> {
    let grammar = Grammar::get();
    let mut member = id;
    loop {
        let parent = source.node(member).parent;
        if parent == member {
            return None;
        }
        let owner = source.node(source.node(parent).parent).kind;
        let is_type_body =
            grammar.is_body(source.node(parent).kind) && !is_statement_body(source, parent);
        let enum_body = grammar.kind_id("enum_body");
        if is_type_body && (is_type_declaration(owner) || owner == enum_body) {
            return (!is_type_declaration(source.node(member).kind)).then_some(member);
        }
        member = parent;
    }
}

impl RelatedCode {
    /// Pairs similar code of both versions, the pairs with most common words first. `similarity` compares the tokens of
    /// two nodes; nodes that `is_excluded` have another counterpart.
    pub(super) fn pair_similar(
        &self,
        pair: VersionPair<'_>,
        is_excluded: &dyn Fn(Version, NodeId) -> bool,
        mut similarity: impl FnMut(NodeId, NodeId) -> f64,
    ) -> Vec<IndexPair> {
        let [old, new] = [Version::Old, Version::New]
            .map(|version| self.candidates(pair.source(version), version, is_excluded));
        if old.len() * new.len() > MAX_COMPARED_PAIRS {
            return Vec::new();
        }
        let mut scored: Vec<(Score, NodeId, NodeId)> = Vec::new();
        for one in &old {
            for other in &new {
                if let Some(score) = score_pair(pair, one, other, &mut similarity) {
                    scored.push((score, one.node, other.node));
                }
            }
        }
        scored.sort_unstable();
        let mut taken = [MatchedSubtrees::default(), MatchedSubtrees::default()];
        let mut pairs = Vec::new();
        for (_, old, new) in scored {
            let ends = (pair.old.node(old).subtree_end, pair.new.node(new).subtree_end);
            if taken[0].overlaps(old, ends.0) || taken[1].overlaps(new, ends.1) {
                continue;
            }
            taken[0].add(old, ends.0);
            taken[1].add(new, ends.1);
            // A move of equal expressions would not separate any edit.
            if !pair.are_equal(old, new) || is_statement(pair.old, old) {
                pairs.push((old, new));
            }
        }
        pairs
    }

    fn candidates(
        &self,
        source: &ParsedSource,
        version: Version,
        is_excluded: &dyn Fn(Version, NodeId) -> bool,
    ) -> Vec<Candidate> {
        let mut nodes: BTreeSet<NodeId> = BTreeSet::new();
        for region in &self.regions[version as usize] {
            let mut next = region.root;
            while next < source.node(region.root).subtree_end {
                let end = source.node(next).subtree_end;
                if is_excluded(version, next) || region.kept_part == Some(next) {
                    next = end;
                    continue;
                }
                if !region.kept_part.is_some_and(|kept| (next..end).contains(&kept)) {
                    nodes.insert(next);
                }
                next += 1;
            }
        }
        let candidate = |(order, node): (usize, NodeId)| {
            let is_statement = is_statement(source, node);
            let tokens = source.node(node).tokens.len();
            let is_large_enough = if is_statement {
                tokens >= MIN_STATEMENT_TOKENS
            } else {
                tokens >= MIN_EXPRESSION_TOKENS && is_expression(source.node(node).kind)
            };
            let kind = source.node(node).kind;
            is_large_enough.then_some(Candidate { node, kind, is_statement, order })
        };
        nodes.into_iter().enumerate().filter_map(candidate).collect()
    }
}

/// Returns the score of two candidates if one may be the moved other.
fn score_pair(
    pair: VersionPair<'_>,
    old: &Candidate,
    new: &Candidate,
    similarity: &mut impl FnMut(NodeId, NodeId) -> f64,
) -> Option<Score> {
    if old.kind != new.kind || old.is_statement != new.is_statement {
        return None;
    }
    let [old_tokens, new_tokens] = [(pair.old, old), (pair.new, new)]
        .map(|(source, candidate)| source.node(candidate.node).tokens.len());
    let tokens = token_count(old_tokens + new_tokens);
    let similarity = if pair.are_equal(old.node, new.node) {
        1.0
    } else if is_inverted_condition(pair, old.node, new.node)
        || 2.0 * token_count(old_tokens.min(new_tokens)) < MIN_SIMILARITY * tokens
    {
        return None;
    } else {
        similarity(old.node, new.node)
    };
    let words = compare_words(pair, old.node, new.node);
    let is_similar = similarity >= MIN_SIMILARITY && words.similarity() >= MIN_WORD_SIMILARITY;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the product is at most the number of tokens"
    )]
    let common_tokens = (similarity * tokens) as usize;
    is_similar.then_some(Score {
        common_words: Reverse(words.common),
        surplus_words: words.surplus,
        common_tokens: Reverse(common_tokens),
        distance: old.order.abs_diff(new.order),
    })
}

#[expect(clippy::cast_precision_loss, reason = "token counts are far below 2^52")]
fn token_count(tokens: usize) -> f64 {
    tokens as f64
}

/// Returns true if both nodes are conditions of statements, and one compares in the opposite way. The statements then have
/// opposite branches, so the operator is not an edit of its own.
fn is_inverted_condition(pair: VersionPair<'_>, old: NodeId, new: NodeId) -> bool {
    let operator = |source: &'_ ParsedSource, id: NodeId| {
        let is_condition = is_condition(source, id);
        let operator = source.child(id, Grammar::get().field_id("operator"));
        operator.filter(|_| is_condition).map(|operator| source.node_text(operator).to_vec())
    };
    let inverse_operators: [[&[u8]; 2]; 3] = [[b"<", b">="], [b">", b"<="], [b"==", b"!="]];
    operator(pair.old, old).zip(operator(pair.new, new)).is_some_and(|(old, new)| {
        inverse_operators
            .iter()
            .any(|[one, other]| (old == *one && new == *other) || (old == *other && new == *one))
    })
}

/// Returns true for the whole condition of a branch or loop.
fn is_condition(source: &ParsedSource, id: NodeId) -> bool {
    let parent = source.node(id).parent;
    let condition = Grammar::get().field_id("condition");
    source.node(id).field == condition || source.node(parent).field == condition
}

/// Compares the names, keywords and literals of two nodes.
fn compare_words(pair: VersionPair<'_>, old: NodeId, new: NodeId) -> WordComparison {
    fn words(source: &ParsedSource, id: NodeId) -> Vec<&[u8]> {
        let texts = source.node(id).tokens.clone().map(|token| source.token_text(token));
        let is_word = |text: &&[u8]| {
            text.first().is_some_and(|byte| byte.is_ascii_alphanumeric() || b"_$\"'".contains(byte))
        };
        texts.filter(is_word).collect()
    }
    let (old, mut new) = (words(pair.old, old), words(pair.new, new));
    let (total, surplus) = (old.len() + new.len(), old.len().abs_diff(new.len()));
    let mut common = 0;
    for word in &old {
        if let Some(at) = new.iter().position(|other| other == word) {
            new.swap_remove(at);
            common += 2;
        }
    }
    WordComparison { common, total, surplus }
}

/// Returns true for a statement in a block.
fn is_statement(source: &ParsedSource, id: NodeId) -> bool {
    let grammar = Grammar::get();
    let node = source.node(id);
    let parent = source.node(node.parent).kind;
    node.is_named
        && is_statement_body(source, node.parent)
        && parent != grammar.kind_id("switch_block")
        && node.kind != grammar.kind_id("switch_label")
}

/// Returns true for an expression with an operator, call or index.
fn is_expression(kind: NodeKindId) -> bool {
    matches!(
        Grammar::get().kind_name(kind),
        "array_access"
            | "array_creation_expression"
            | "binary_expression"
            | "cast_expression"
            | "instanceof_expression"
            | "method_invocation"
            | "object_creation_expression"
            | "ternary_expression"
            | "unary_expression"
    )
}
