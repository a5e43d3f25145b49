//! Dependency graph of sources, by the names in them. Pure.

use crate::test_impact::identifiers::FileIdentifiers;
use std::collections::{HashMap, VecDeque};

/// Sources of a tree. One depends on another if it names a type of it; if several types have the
/// name, it must be in the same package or name the other's package. The graph may have too many
/// edges; it misses only dependencies through names that occur in no source.
pub(super) struct DependencyGraph<'a> {
    sources: &'a [FileIdentifiers],
    /// Sources that declare a type, by its simple name.
    declared: HashMap<&'a str, Vec<usize>>,
}

impl<'a> DependencyGraph<'a> {
    pub(super) fn new(sources: &'a [FileIdentifiers]) -> Self {
        let mut declared: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, source) in sources.iter().enumerate() {
            for name in &source.declared {
                declared.entry(name).or_default().push(at);
            }
        }
        Self { sources, declared }
    }

    /// Returns the distance of each source to the nearest of some sources; `None` if it depends on none. `gone` are
    /// removed types.
    pub(super) fn steps(&self, to: &[usize], gone: &[String]) -> Vec<Option<usize>> {
        let comers = self.comers();
        let mut steps = vec![None; self.sources.len()];
        let mut queue: VecDeque<(usize, usize)> = to.iter().map(|at| (*at, 0)).collect();
        let names_gone =
            |source: &FileIdentifiers| gone.iter().any(|name| source.all.contains(name));
        let nameless = self.sources.iter().enumerate().filter(|(_, source)| names_gone(source));
        queue.extend(nameless.map(|(at, _)| (at, 1)));
        while let Some((at, step)) = queue.pop_front() {
            if steps[at].is_some() {
                continue;
            }
            steps[at] = Some(step);
            queue.extend(comers[at].iter().map(|comer| (*comer, step + 1)));
        }
        steps
    }

    /// Returns the dependents of each source.
    fn comers(&self) -> Vec<Vec<usize>> {
        let mut comers = vec![Vec::new(); self.sources.len()];
        for (at, source) in self.sources.iter().enumerate() {
            for word in &source.all {
                for other in self.referenced_sources(source, word) {
                    comers[other].push(at);
                }
            }
        }
        comers
    }

    /// Returns the sources that may declare the type that a word in a source refers to.
    fn referenced_sources(
        &self,
        source: &FileIdentifiers,
        word: &str,
    ) -> impl Iterator<Item = usize> {
        let candidates = self.declared.get(word).map_or(&[][..], Vec::as_slice);
        let is_one = candidates.len() == 1;
        let is_meant = move |other: &&usize| {
            let package = &self.sources[**other].package;
            // A package that is written stands in the words part by part.
            is_one
                || *package == source.package
                || package.split('.').all(|part| source.all.contains(part))
        };
        candidates.iter().filter(is_meant).copied().collect::<Vec<_>>().into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(sources: &[&str], to: &[usize], gone: &[&str]) -> Vec<Option<usize>> {
        let words: Vec<FileIdentifiers> =
            sources.iter().map(|text| FileIdentifiers::parse(text.as_bytes())).collect();
        let gone: Vec<String> = gone.iter().map(|name| (*name).to_owned()).collect();
        DependencyGraph::new(&words).steps(to, &gone)
    }

    #[test]
    fn the_way_to_a_change_leads_over_types_that_are_named() {
        let sources = [
            "package a; class Price {}",
            "package a; class Cart { Price total() { return null; } }",
            "package t; import a.Cart; class CartTest { Cart c; }",
            "package t; class OtherTest { String s; }",
        ];
        assert_eq!(steps(&sources, &[0], &[]), [Some(0), Some(1), Some(2), None]);
        assert_eq!(steps(&sources, &[3], &[]), [None, None, None, Some(0)]);
    }

    #[test]
    fn of_types_with_one_name_the_one_is_meant_whose_package_is_written() {
        let sources = [
            "package a.x; class Node {}",
            "package b.y; class Node {}",
            "package t; import b.y.Node; class T {}",
            "package a.x; class User { Node n; }",
        ];
        assert_eq!(steps(&sources, &[0], &[]), [Some(0), None, None, Some(1)]);
    }

    #[test]
    fn circles_end_and_types_that_went_are_still_named() {
        let sources = ["class A { B b; }", "class B { A a; Gone g; }", "class C {}"];
        assert_eq!(steps(&sources, &[], &["Gone"]), [Some(2), Some(1), None]);
    }
}
