//! Property tests of the delta on the samples, on random edits of them and on generated files.

mod check;
mod large_files;
mod mutate;
mod trees;

use super::*;
use mend_java::{Grammar, NodeId, ParsedSource};
use mend_model::{FileChange, FileState, RepoPath, TreeId};
use mutate::{SeededRng, mutate_often};
use proptest::prelude::*;
use std::collections::BTreeMap;

const SAMPLES: [&str; 11] = [
    include_str!("samples/Garage.java.txt"),
    include_str!("samples/Ledger.java.txt"),
    include_str!("samples/Lists.java.txt"),
    include_str!("samples/Matching.java.txt"),
    include_str!("samples/Modern.java.txt"),
    include_str!("samples/Old.java.txt"),
    include_str!("samples/Shapes.java.txt"),
    include_str!("samples/Statements.java.txt"),
    include_str!("samples/Tiny.java.txt"),
    include_str!("samples/module-info.java.txt"),
    include_str!("samples/package-info.java.txt"),
];

/// Returns a sample, in a quarter of the cases with Windows line ends and tabs.
fn sample(index: usize, seed: u64) -> String {
    match seed % 4 {
        0 => SAMPLES[index].replace('\n', "\r\n").replace("    ", "\t"),
        _ => SAMPLES[index].to_owned(),
    }
}

/// Two versions of a file, and a random seed.
#[derive(Clone)]
struct SourcePair {
    old: String,
    new: String,
    seed: u64,
}

impl std::fmt::Debug for SourcePair {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "seed {}\n--- old\n{}\n--- new\n{}", self.seed, self.old, self.new)
    }
}

fn source_pairs() -> impl Strategy<Value = SourcePair> {
    (0..SAMPLES.len(), 0..SAMPLES.len() * 3, 0u64..16, any::<u64>()).prop_map(
        |(from, to, times, seed)| {
            let start = sample(if to < SAMPLES.len() { to } else { from }, seed);
            let new = mutate_often(start.as_bytes(), seed, times);
            let new = String::from_utf8(new).unwrap();
            SourcePair { old: sample(from, seed), new, seed }
        },
    )
}

fn delta(old: &str, new: &str) -> Delta {
    let side = |text: &str| Some((RepoPath::from("A.java"), FileState::regular(text.as_bytes())));
    let change = FileChange { old: side(old), new: side(new) };
    Delta::between(TreeId(String::new()), &[change], JavaGranularity::Ast)
}

fn render_text(delta: &Delta, old: &str, is_enabled: &dyn Fn(HunkId) -> bool) -> String {
    match delta.render(is_enabled).changes.get(&RepoPath::from("A.java")) {
        Some(Some(state)) => String::from_utf8(state.content.to_vec()).unwrap(),
        _ => old.to_owned(),
    }
}

fn random_subset(delta: &Delta, seed: u64) -> Vec<bool> {
    let mut rng = SeededRng(seed);
    let density = 1 + rng.number_below(15);
    delta.hunks().iter().map(|_| rng.number_below(16) < density).collect()
}

/// Adds all hunks that the grammar requires to a subset.
fn close_subset(delta: &Delta, enabled: Vec<bool>) -> Vec<bool> {
    satisfy_dependencies(delta, enabled, |enabled, coupling| enabled[coupling.to[0]] = true)
}

/// Returns all hunks except some and their dependents by grammar.
fn without_dependents(delta: &Delta, disabled: &[HunkId]) -> Vec<bool> {
    let enabled = (0..delta.hunks().len()).map(|hunk| !disabled.contains(&hunk)).collect();
    satisfy_dependencies(delta, enabled, |enabled, coupling| enabled[coupling.from] = false)
}

/// Adds or removes hunks of a subset until it satisfies all dependencies of the grammar.
fn satisfy_dependencies(
    delta: &Delta,
    mut enabled: Vec<bool>,
    repair: impl Fn(&mut Vec<bool>, &HunkDependency),
) -> Vec<bool> {
    let is_nesting = |coupling: &&HunkDependency| coupling.rule == DependencyRule::Inside;
    let mut has_changed = true;
    while has_changed {
        has_changed = false;
        for coupling in delta.dependencies().iter().filter(is_nesting) {
            if enabled[coupling.from] && !enabled[coupling.to[0]] {
                repair(&mut enabled, coupling);
                has_changed = true;
            }
        }
    }
    enabled
}

/// Returns a version with some names replaced everywhere, and a few more edits.
fn rename_randomly(old: &str, seed: u64) -> String {
    let mut rng = SeededRng(seed);
    let mut text = old.to_owned();
    for round in 0..3 {
        let source = ParsedSource::parse(text.as_bytes().into()).unwrap();
        let name = source.token_text(rng.number_below(source.tokens().len())).to_vec();
        let mut new = Vec::new();
        let mut end = 0;
        for token in
            source.tokens().iter().filter(|token| text.as_bytes()[(**token).clone()] == name)
        {
            new.extend_from_slice(&text.as_bytes()[end..token.start]);
            new.extend_from_slice(format!("renamed{round}").as_bytes());
            end = token.end;
        }
        new.extend_from_slice(&text.as_bytes()[end..]);
        if ParsedSource::is_valid(&new) {
            text = String::from_utf8(new).unwrap();
        }
    }
    String::from_utf8(mutate_often(text.as_bytes(), seed, rng.number_below(3) as u64)).unwrap()
}

proptest! {
    #[test]
    fn every_refactoring_alone_and_everything_but_it_parses(source_pairs in source_pairs()) {
        for new in [rename_randomly(&source_pairs.old, source_pairs.seed), source_pairs.new] {
            let delta = delta(&source_pairs.old, &new);
            let all = delta.components().iter().enumerate();
            for (_, one) in all.filter(|(at, _)| delta.refactoring_of(*at).is_some()) {
                let on = (0..delta.hunks().len()).map(|hunk| one.hunks.contains(&hunk)).collect();
                for on in [close_subset(&delta, on), without_dependents(&delta, &one.hunks)] {
                    let variant = render_text(&delta, &source_pairs.old, &|hunk| on[hunk]);
                    prop_assert!(ParsedSource::is_valid(variant.as_bytes()), "{}", variant);
                }
            }
        }
    }

    #[test]
    fn the_empty_subset_is_the_old_file_and_the_full_one_the_new_to_the_byte(source_pairs in source_pairs()) {
        let delta = delta(&source_pairs.old, &source_pairs.new);
        prop_assert_eq!(render_text(&delta, &source_pairs.old, &|_| false), &source_pairs.old[..]);
        prop_assert_eq!(render_text(&delta, &source_pairs.old, &|_| true), source_pairs.new);
    }

    #[test]
    fn the_way_back_without_a_subset_is_the_way_there_with_it(source_pairs in source_pairs()) {
        let (there, back) = (delta(&source_pairs.old, &source_pairs.new), delta(&source_pairs.new, &source_pairs.old));
        prop_assert_eq!(there.tokens(), back.tokens());
        let on = random_subset(&there, source_pairs.seed);
        prop_assert_eq!(
            render_text(&there, &source_pairs.old, &|hunk| on[hunk]),
            render_text(&back, &source_pairs.new, &|hunk| !on[hunk])
        );
    }

    #[test]
    fn every_closed_subset_parses(source_pairs in source_pairs()) {
        let delta = delta(&source_pairs.old, &source_pairs.new);
        for round in 0..8 {
            let on = close_subset(&delta, random_subset(&delta, source_pairs.seed.wrapping_add(round)));
            let variant = render_text(&delta, &source_pairs.old, &|hunk| on[hunk]);
            prop_assert!(ParsedSource::is_valid(variant.as_bytes()), "{}", variant);
        }
    }

    #[test]
    fn every_hunk_alone_with_what_it_needs_parses(source_pairs in source_pairs()) {
        let delta = delta(&source_pairs.old, &source_pairs.new);
        for hunk in 0..delta.hunks().len() {
            let mut on = vec![false; delta.hunks().len()];
            on[hunk] = true;
            let on = close_subset(&delta, on);
            let variant = render_text(&delta, &source_pairs.old, &|hunk| on[hunk]);
            prop_assert!(ParsedSource::is_valid(variant.as_bytes()), "{}", variant);
        }
    }

    #[test]
    fn two_runs_find_the_same(source_pairs in source_pairs()) {
        let shown = |delta: &Delta| format!("{:?} {:?}", delta.hunks(), delta.dependencies());
        prop_assert_eq!(
            shown(&delta(&source_pairs.old, &source_pairs.new)),
            shown(&delta(&source_pairs.old, &source_pairs.new))
        );
    }
}

#[test]
fn large_files_are_split_and_rendered() {
    for (name, old, new) in crate::properties::large_files::large_file_pairs(3_000) {
        let delta = delta(&old, &new);
        assert!(delta.unparsed_files().is_empty(), "{name}");
        assert!(render_text(&delta, &old, &|_| false) == old, "{name}");
        assert!(render_text(&delta, &old, &|_| true) == new, "{name}");
        let on = close_subset(&delta, random_subset(&delta, 1));
        let variant = render_text(&delta, &old, &|hunk| on[hunk]);
        assert!(ParsedSource::is_valid(variant.as_bytes()), "{name}");
    }
}

#[test]
fn samples_are_valid_java() {
    for at in 0..SAMPLES.len() {
        for seed in [0, 1] {
            assert!(ParsedSource::is_valid(sample(at, seed).as_bytes()), "{}", sample(at, seed));
        }
    }
}

/// Generates bytes that are not Java, or not even text.
fn any_bytes() -> impl Strategy<Value = Vec<u8>> {
    let cut = (0..SAMPLES.len(), any::<u64>()).prop_map(|(at, seed)| {
        let mut bytes = SAMPLES[at].as_bytes().to_vec();
        let mut dice = SeededRng(seed);
        for _ in 0..dice.number_below(4) {
            let offset = dice.number_below(bytes.len());
            bytes[offset] = u8::try_from(dice.number_below(256)).unwrap();
        }
        bytes.truncate(1 + dice.number_below(bytes.len()));
        bytes
    });
    prop_oneof![cut, proptest::collection::vec(any::<u8>(), 0..200)]
}

proptest! {
    #[test]
    fn the_laws_hold_whatever_the_bytes_are(old in any_bytes(), new in any_bytes(), seed in any::<u64>()) {
        for (old, new) in [(&old[..], &new[..]), (&old[..], SAMPLES[0].as_bytes())] {
            let delta = check::delta_between(Some(old), Some(new));
            if let Err(broken) = check::check_properties(Some(old), Some(new), &delta, seed) {
                prop_assert!(false, "{}: {}", broken, String::from_utf8_lossy(&broken.variant));
            }
        }
    }
}

#[test]
fn renamed_samples_have_refactorings() {
    let has_one = |seed: &u64| {
        let delta = delta(SAMPLES[0], &rename_randomly(SAMPLES[0], *seed));
        (0..delta.components().len()).any(|at| delta.refactoring_of(at).is_some())
    };
    assert!((0..20).filter(has_one).count() > 4);
}
