//! Change patterns: pairs of versions for each dependency rule, with the expected dependencies. All closed subsets
//! compile.

mod calls;
mod classes;
mod combined;
mod constructors;
mod exceptions;
mod flow;
mod hierarchy;
mod imports;
mod jumps;
mod locals;
mod members;
mod modern;
mod modifiers;
mod moved_code;
mod names;
mod overriding;
mod syntax;
mod types;

use super::{delta_with_facts, is_closed, render_variant};
use crate::{Delta, HunkId, HunkKind};
use mend_engine::AttributionServer;
use mend_engine::test_support::shared_server;

/// A change pattern with both versions and the expected dependencies.
struct ChangePattern<'a> {
    /// Published rules that the pattern covers, or its topic.
    rule_names: &'a str,
    old: Vec<(&'a str, &'a str)>,
    new: Vec<(&'a str, &'a str)>,
    /// Expected dependencies of hunks: `-` and the beginning of deleted text, or `+` and that of inserted text.
    needs: ExpectedNeeds<'a>,
}

/// Creates a pattern on two versions of a file.
fn single_file_pattern<'a>(
    rules: &'a str,
    old: &'a str,
    new: &'a str,
    needs: ExpectedNeeds<'a>,
) -> ChangePattern<'a> {
    multi_file_pattern(rules, &[("A.java", old)], &[("A.java", new)], needs)
}

/// Creates a pattern on two versions of several files.
fn multi_file_pattern<'a>(
    rules: &'a str,
    old: &[(&'a str, &'a str)],
    new: &[(&'a str, &'a str)],
    needs: ExpectedNeeds<'a>,
) -> ChangePattern<'a> {
    ChangePattern { rule_names: rules, old: old.to_vec(), new: new.to_vec(), needs }
}

type ExpectedNeeds<'a> = &'a [(&'a str, &'a str)];

/// Maximum number of hunks: all subsets are tried.
const MAX_HUNKS: usize = 12;

impl ChangePattern<'_> {
    /// Returns a description of the first unexpected result, if any.
    fn find_fault(&self, server: &mut AttributionServer) -> Option<String> {
        let delta = delta_with_facts(server, &self.old, &self.new);
        let count = delta.hunks().len();
        assert!(
            count <= MAX_HUNKS,
            "{}: {count} hunks: {:?}",
            self.rule_names,
            self.hunk_descriptions(&delta)
        );
        let closed: Vec<u32> =
            (0..1 << count).filter(|subset| is_closed(&delta, *subset)).collect();
        for (from, to) in self.needs {
            let [from, to] = [from, to].map(|text| self.find_hunks(&delta, text));
            let is_needed = |from: HunkId, to: HunkId| {
                from != to
                    && closed
                        .iter()
                        .all(|subset| !contains_hunk(*subset, from) || contains_hunk(*subset, to))
            };
            let holds = from.iter().all(|from| to.iter().any(|to| is_needed(*from, *to)));
            if from.is_empty() || !holds {
                return Some(format!(
                    "{from:?} need one of {to:?}: {:?}",
                    self.hunk_descriptions(&delta)
                ));
            }
        }
        closed.into_iter().find_map(|subset| {
            let files = render_variant(&delta, &self.old, &|hunk| contains_hunk(subset, hunk));
            let errors = server.compile_errors(&files).unwrap();
            let shown =
                || format!("{subset:b} of {:?}: {errors:?}", self.hunk_descriptions(&delta));
            (!errors.is_empty()).then(shown)
        })
    }

    /// Asserts that no hunk of the first text needs a hunk of the second one.
    fn assert_independent(&self, server: &mut AttributionServer, from: &str, to: &str) {
        let delta = delta_with_facts(server, &self.old, &self.new);
        let [from, to] = [from, to].map(|text| self.find_hunks(&delta, text));
        assert!(!from.is_empty() && !to.is_empty());
        for (from, to) in from.iter().flat_map(|from| to.iter().map(move |to| (*from, *to))) {
            let is_possible = (0_u32..1 << delta.hunks().len()).any(|subset| {
                is_closed(&delta, subset)
                    && contains_hunk(subset, from)
                    && !contains_hunk(subset, to)
            });
            assert!(is_possible, "{from} needs {to}: {:?}", self.hunk_descriptions(&delta));
        }
    }

    /// Returns the hunks whose old or new text begins with a word, or contains it if none begins with it.
    fn find_hunks(&self, delta: &Delta, word: &str) -> Vec<HunkId> {
        let (side, word) = word.split_at(1);
        let texts: Vec<String> = (0..delta.hunks().len())
            .map(|hunk| self.hunk_texts(delta, hunk)[usize::from(side == "+")].to_owned())
            .collect();
        let all = |is_one: &dyn Fn(&String) -> bool| -> Vec<HunkId> {
            (0..texts.len()).filter(|hunk| is_one(&texts[*hunk])).collect()
        };
        let beginning = all(&|text| text.starts_with(word));
        if beginning.is_empty() { all(&|text| text.contains(word)) } else { beginning }
    }

    fn hunk_texts(&self, delta: &Delta, hunk: HunkId) -> [&str; 2] {
        let hunk = &delta.hunks()[hunk];
        let old_path = hunk.old_path.as_ref().unwrap_or(&hunk.path);
        let sides = [(&hunk.old, &self.old, old_path), (&hunk.new, &self.new, &hunk.path)];
        sides.map(|(bytes, files, path)| {
            let file = files.iter().find(|(name, _)| name.as_bytes() == path.as_bytes());
            match (bytes, file) {
                (Some(bytes), Some((_, text))) => &text[bytes.clone()],
                (None, Some((name, _))) if hunk.kind == HunkKind::File => name,
                _ => "",
            }
        })
    }

    fn hunk_descriptions(&self, delta: &Delta) -> Vec<String> {
        let one = |hunk| {
            let [old, new] = self.hunk_texts(delta, hunk);
            format!("{hunk} {:?} -{old} +{new}", delta.hunks()[hunk].kind)
        };
        let dependencies = delta
            .dependencies()
            .iter()
            .map(|one| format!("{:?} {:?} {:?}", one.from, one.rule, one.to));
        (0..delta.hunks().len()).map(one).chain(dependencies).collect()
    }
}

fn contains_hunk(subset: u32, hunk: HunkId) -> bool {
    subset >> hunk & 1 == 1
}

/// Checks all patterns.
fn check_all(families: &[ChangePattern<'_>]) {
    let mut server = shared_server();
    let faults = families.iter().filter_map(|family| {
        Some(format!("{}\n    {}", family.rule_names, family.find_fault(&mut server)?))
    });
    let faults: Vec<String> = faults.collect();
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
}
