//! Dependency graph of sources, by the identifiers in them. Pure.

use crate::test_impact::identifiers::FileIdentifiers;
use std::collections::{HashMap, VecDeque};

/// Dependency graph of a tree's sources. A source depends on another one if it contains the name of one of its types;
/// if several types have the name, it must be in the same package or contain the other's package name. The graph may
/// have too many edges; it misses only dependencies through names that are in no source.
pub(super) struct DependencyGraph<'a> {
    sources: &'a [FileIdentifiers],
    /// Sources that declare a type, by its simple name.
    declaring_sources: HashMap<&'a str, Vec<usize>>,
}

impl<'a> DependencyGraph<'a> {
    pub(super) fn new(sources: &'a [FileIdentifiers]) -> Self {
        let mut declared: HashMap<&str, Vec<usize>> = HashMap::new();
        for (index, source) in sources.iter().enumerate() {
            for name in &source.declared_types {
                declared.entry(name).or_default().push(index);
            }
        }
        Self { sources, declaring_sources: declared }
    }

    /// Returns the distance of each source to the nearest target; `None` if it depends on none. Sources that name one
    /// of `removed_types` have distance 1.
    pub(super) fn distances(
        &self,
        targets: &[usize],
        removed_types: &[String],
    ) -> Vec<Option<usize>> {
        let dependents = self.dependents();
        let mut distances = vec![None; self.sources.len()];
        let mut queue: VecDeque<(usize, usize)> = targets.iter().map(|at| (*at, 0)).collect();
        let names_removed_type = |source: &FileIdentifiers| {
            removed_types.iter().any(|name| source.identifiers.contains(name))
        };
        let dangling =
            self.sources.iter().enumerate().filter(|(_, source)| names_removed_type(source));
        queue.extend(dangling.map(|(at, _)| (at, 1)));
        while let Some((at, step)) = queue.pop_front() {
            if distances[at].is_some() {
                continue;
            }
            distances[at] = Some(step);
            queue.extend(dependents[at].iter().map(|comer| (*comer, step + 1)));
        }
        distances
    }

    /// Returns the dependents of each source.
    fn dependents(&self) -> Vec<Vec<usize>> {
        let mut dependents = vec![Vec::new(); self.sources.len()];
        for (index, source) in self.sources.iter().enumerate() {
            for identifier in &source.identifiers {
                for target in self.referenced_sources(source, identifier) {
                    dependents[target].push(index);
                }
            }
        }
        dependents
    }

    /// Returns the sources that may declare the type that an identifier refers to.
    fn referenced_sources(
        &self,
        source: &FileIdentifiers,
        identifier: &str,
    ) -> impl Iterator<Item = usize> {
        let candidates = self.declaring_sources.get(identifier).map_or(&[][..], Vec::as_slice);
        let is_unambiguous = candidates.len() == 1;
        let is_referenced = move |other: &&usize| {
            let package = &self.sources[**other].package;
            // A qualified package name is split into identifiers.
            is_unambiguous
                || *package == source.package
                || package.split('.').all(|part| source.identifiers.contains(part))
        };
        candidates.iter().filter(is_referenced).copied().collect::<Vec<_>>().into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distances(
        sources: &[&str],
        targets: &[usize],
        removed_types: &[&str],
    ) -> Vec<Option<usize>> {
        let identifiers: Vec<FileIdentifiers> =
            sources.iter().map(|text| FileIdentifiers::parse(text.as_bytes())).collect();
        let removed_types: Vec<String> =
            removed_types.iter().map(|name| (*name).to_owned()).collect();
        DependencyGraph::new(&identifiers).distances(targets, &removed_types)
    }

    #[test]
    fn distance_counts_edges_of_named_types() {
        let sources = [
            "package a; class Price {}",
            "package a; class Cart { Price total() { return null; } }",
            "package t; import a.Cart; class CartTest { Cart c; }",
            "package t; class OtherTest { String s; }",
        ];
        assert_eq!(distances(&sources, &[0], &[]), [Some(0), Some(1), Some(2), None]);
        assert_eq!(distances(&sources, &[3], &[]), [None, None, None, Some(0)]);
    }

    #[test]
    fn ambiguous_type_name_is_resolved_by_package() {
        let sources = [
            "package a.x; class Node {}",
            "package b.y; class Node {}",
            "package t; import b.y.Node; class T {}",
            "package a.x; class User { Node n; }",
        ];
        assert_eq!(distances(&sources, &[0], &[]), [Some(0), None, None, Some(1)]);
    }

    #[test]
    fn cycles_terminate_and_removed_types_have_dependents() {
        let sources = ["class A { B b; }", "class B { A a; Gone g; }", "class C {}"];
        assert_eq!(distances(&sources, &[], &["Gone"]), [Some(2), Some(1), None]);
    }
}
