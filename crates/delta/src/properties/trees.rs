//! Property tests of changes of several files, with added and removed files and members that move between them.

use super::mutate::{SeededRng, mutate_often};
use super::*;

type TreeTexts = BTreeMap<String, String>;

/// Two versions of a few files, and a random seed.
#[derive(Clone, Debug)]
struct TreePair {
    old: TreeTexts,
    new: TreeTexts,
    seed: u64,
}

fn tree_pairs() -> impl Strategy<Value = TreePair> {
    (any::<u64>(), 0..6usize).prop_map(|(seed, times)| {
        let mut dice = SeededRng(seed);
        let names = ["Garage", "Ledger", "Shapes"];
        let mut old = TreeTexts::new();
        for name in names {
            let text = SAMPLES[dice.number_below(SAMPLES.len())];
            old.insert(format!("a/{name}.java"), text.to_owned());
        }
        let mut new = old.clone();
        for round in 0..times {
            change_randomly(&mut new, seed.wrapping_add(round as u64), &mut dice);
        }
        if dice.number_below(4) == 0 {
            old.remove(&format!("a/{}.java", names[dice.number_below(3)]));
        }
        TreePair { old, new, seed }
    })
}

/// Changes one or two files.
fn change_randomly(texts: &mut TreeTexts, seed: u64, dice: &mut SeededRng) {
    let names: Vec<String> = texts.keys().cloned().collect();
    let [one, other] = [0, 1].map(|_| names[dice.number_below(names.len())].clone());
    match dice.number_below(8) {
        0 if names.len() > 1 => drop(texts.remove(&one)),
        1 => {
            let (a, b) = (texts[&one].clone(), texts[&other].clone());
            texts.extend([(one, b), (other, a)]);
        }
        2 => {
            let new = mutate_often(texts[&one].as_bytes(), seed, 1 + seed % 4);
            texts.insert(one, String::from_utf8(new).unwrap());
        }
        _ => {
            let moved = move_member(&texts[&one], &texts[&other], dice).filter(|_| one != other);
            if let Some((from, to)) = moved {
                texts.extend([(one, from), (other, to)]);
            }
        }
    }
}

/// Moves a member or type of one file into a body of the other.
fn move_member(from: &str, to: &str, dice: &mut SeededRng) -> Option<(String, String)> {
    let [source, target] = [from, to].map(|text| ParsedSource::parse(text.as_bytes().into()));
    let (source, target) = (source?, target?);
    let members = |source: &ParsedSource| -> Vec<NodeId> {
        let grammar = Grammar::get();
        let kinds = ["class_body", "interface_body", "program"].map(|name| grammar.kind_id(name));
        let nodes = 1..source.nodes().len();
        let is_member = |id: &NodeId| {
            let node = source.node(*id);
            let is_declaration = grammar.kind_name(node.kind).ends_with("_declaration");
            is_declaration && kinds.contains(&source.node(node.parent).kind)
        };
        nodes.filter(is_member).collect()
    };
    let (ours, theirs) = (members(&source), members(&target));
    let member = *ours.get(dice.number_below(ours.len().max(1)))?;
    let target_member = *theirs.get(dice.number_below(theirs.len().max(1)))?;
    let (range, at) = (source.byte_range(member), target.byte_range(target_member).end);
    let text = [&to[..at], "\n  // moved\n  ", &from[range.clone()], &to[at..]].concat();
    let rest = [&from[..range.start], &from[range.end..]].concat();
    let are_valid =
        ParsedSource::is_valid(text.as_bytes()) && ParsedSource::is_valid(rest.as_bytes());
    are_valid.then_some((rest, text))
}

pub(super) fn delta_of(old: &TreeTexts, new: &TreeTexts) -> Delta {
    let side = |texts: &TreeTexts, path: &String| {
        let text = texts.get(path)?;
        Some((RepoPath::from(path.as_str()), FileState::regular(text.as_bytes())))
    };
    let paths: std::collections::BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let changes: Vec<FileChange> = paths
        .into_iter()
        .filter(|path| old.get(*path) != new.get(*path))
        .map(|path| FileChange { old: side(old, path), new: side(new, path) })
        .collect();
    Delta::between(TreeId(String::new()), &changes, JavaGranularity::Ast)
}

pub(super) fn render_tree(
    delta: &Delta,
    old: &TreeTexts,
    is_enabled: &dyn Fn(HunkId) -> bool,
) -> TreeTexts {
    let mut texts = old.clone();
    for (path, state) in delta.render(is_enabled).changes {
        let path = path.to_string();
        match state {
            Some(state) => {
                texts.insert(path, String::from_utf8(state.content.to_vec()).unwrap());
            }
            None => drop(texts.remove(&path)),
        }
    }
    texts
}

proptest! {
    #[test]
    fn no_hunk_gives_the_old_tree_and_every_hunk_the_new_one(source_pairs in tree_pairs()) {
        let delta = delta_of(&source_pairs.old, &source_pairs.new);
        prop_assert_eq!(&render_tree(&delta, &source_pairs.old, &|_| false), &source_pairs.old);
        prop_assert_eq!(&render_tree(&delta, &source_pairs.old, &|_| true), &source_pairs.new);
    }

    #[test]
    fn the_way_back_between_trees_is_the_mirror_of_the_way_there(source_pairs in tree_pairs()) {
        let (there, back) = (delta_of(&source_pairs.old, &source_pairs.new), delta_of(&source_pairs.new, &source_pairs.old));
        prop_assert_eq!(there.tokens(), back.tokens());
        let on = random_subset(&there, source_pairs.seed);
        prop_assert_eq!(
            render_tree(&there, &source_pairs.old, &|hunk| on[hunk]),
            render_tree(&back, &source_pairs.new, &|hunk| !on[hunk])
        );
    }

    #[test]
    fn every_file_of_a_closed_subset_parses(source_pairs in tree_pairs()) {
        let delta = delta_of(&source_pairs.old, &source_pairs.new);
        for round in 0..4 {
            let on = close_subset(&delta, random_subset(&delta, source_pairs.seed.wrapping_add(round)));
            for text in render_tree(&delta, &source_pairs.old, &|hunk| on[hunk]).values() {
                prop_assert!(ParsedSource::is_valid(text.as_bytes()), "{}", text);
            }
        }
    }
}
