//! Selects the files that a change can affect at compile time.

use super::code_words::code_words;
use super::name_dependencies::{IndexedFile, IndexedVersion, Version, is_global};
use crate::file_delta::FileDelta;
use crate::matching::version_pair::Version::{New, Old};
use crate::tree_delta::Delta;
use crate::{Hunk, HunkKind};
use mend_java::{Definition, DefinitionKind};
use mend_model::RepoPath;
use std::collections::{BTreeSet, HashSet};
use std::ops::Range;
use std::sync::Arc;

impl Delta {
    /// Returns the files of a version that the delta can affect at compile time. `files` are all Java sources of the
    /// version. These are selected:
    /// - changed files;
    /// - files that mention a declaration that the delta adds, removes or changes outside method bodies;
    /// - files with subclasses of the classes in changed files, also anonymous ones, if a declaration changes;
    /// - files with a top-level class that javac does not find by the name of the file;
    /// - all files, if a class gets other supertypes, type parameters or modifiers: its objects may be used without its
    ///   name.
    ///
    /// Names are compared as words, so some files are selected without need.
    pub fn affected_files<'a>(&self, files: &'a [(RepoPath, Arc<[u8]>)]) -> HashSet<&'a RepoPath> {
        let Some(names) = self.changed_declarations() else {
            return files.iter().map(|(path, _)| path).collect();
        };
        let changed_paths: HashSet<&RepoPath> =
            self.files.iter().flat_map(FileDelta::paths).collect();
        let mut selected = HashSet::new();
        // Types whose inherited members may have changed.
        let mut types: HashSet<&[u8]> = HashSet::new();
        for (path, text) in files {
            let is_changed = changed_paths.contains(path);
            if is_changed && !names.is_empty() {
                types.extend(declared_types(text).map(|(_, name)| name));
            }
            if is_changed
                || code_words(text).any(|word| names.contains(word.text))
                || has_auxiliary_type(path, text)
            {
                selected.insert(path);
            }
        }
        select_subclasses(files, types, &mut selected);
        selected
    }

    /// Returns the names of the types, methods and fields that the delta adds, removes or changes outside method bodies;
    /// `None` if it changes the declaration of a kept type.
    fn changed_declarations(&self) -> Option<BTreeSet<Vec<u8>>> {
        let moves: Vec<&Hunk> =
            self.hunks.iter().filter(|hunk| hunk.kind == HunkKind::Move).collect();
        let mut names = BTreeSet::new();
        for (file, version) in self.indexed_files.iter().flat_map(|file| [(file, Old), (file, New)])
        {
            let index = file.symbol_index(version);
            let definitions = index.into_iter().flat_map(|index| &index.definitions);
            for definition in definitions.filter(|definition| is_global(definition.kind)) {
                let change = declaration_change(file, version, definition, &moves);
                if change == Some(DeclarationChange::Header)
                    && definition.kind == DefinitionKind::Type
                {
                    return None;
                }
                names.extend(change.map(|_| definition.name.clone()));
            }
        }
        Some(names)
    }
}

/// Change of a declaration outside of method bodies.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DeclarationChange {
    /// It is added, removed, renamed or moved.
    Presence,
    /// Another part of it changes.
    Header,
}

fn declaration_change(
    file: &IndexedFile,
    version: Version,
    definition: &Definition,
    moves: &[&Hunk],
) -> Option<DeclarationChange> {
    let indexed = file.indexed_version(version)?;
    let is_owned = |token: usize| file.token_owner(version, token).is_some();
    let is_one_sided = file.old.is_none() || file.new.is_none() || file.rename.is_some();
    let start = indexed.tokens[definition.token].start;
    let contains_name = |hunk: &&Hunk| {
        moved_range(hunk, version)
            .is_some_and(|(path, range)| *path == indexed.path && range.contains(&start))
    };
    if is_one_sided || is_owned(definition.token) || moves.iter().any(contains_name) {
        return Some(DeclarationChange::Presence);
    }
    header(indexed, definition).any(is_owned).then_some(DeclarationChange::Header)
}

/// Returns the file and the bytes of one version that a move concerns.
fn moved_range(hunk: &Hunk, version: Version) -> Option<(&RepoPath, &Range<usize>)> {
    Some(match version {
        Old => (hunk.old_path.as_ref().unwrap_or(&hunk.path), hunk.old.as_ref()?),
        New => (&hunk.path, hunk.new.as_ref()?),
    })
}

/// Returns the tokens of a declaration around its name: up to the body, or for a field including the initialiser, which
/// may be a constant that other files use.
fn header(indexed: &IndexedVersion, definition: &Definition) -> impl Iterator<Item = usize> {
    let (name, length) = (definition.token, indexed.tokens.len());
    let text = |token: usize| &indexed.text[indexed.tokens[token].clone()];
    // Annotations have arguments with braces and semicolons only in parentheses.
    let is_boundary =
        |depth: isize, token: usize| depth <= 0 && matches!(text(token), b"{" | b"}" | b";");
    let depth_change = |token: usize| match text(token) {
        b"(" => 1,
        b")" => -1,
        _ => 0,
    };
    let (mut start, mut depth) = (name, 0);
    while start > 0 && !is_boundary(depth, start - 1) {
        start -= 1;
        depth -= depth_change(start);
    }
    let (mut end, mut depth) = (name, 0);
    let ends_at_body = definition.kind != DefinitionKind::Field;
    while end < length && text(end) != b";" && !(ends_at_body && is_boundary(depth, end)) {
        depth += depth_change(end);
        end += 1;
    }
    start..end
}

/// Adds the files with subclasses of `types`, and the subclasses of these.
fn select_subclasses<'a>(
    files: &'a [(RepoPath, Arc<[u8]>)],
    mut types: HashSet<&'a [u8]>,
    selected: &mut HashSet<&'a RepoPath>,
) {
    while !types.is_empty() {
        let subclasses: Vec<_> = files
            .iter()
            .filter(|(path, _)| !selected.contains(path))
            .filter(|(_, text)| supertypes(text).any(|word| types.contains(word)))
            .collect();
        if subclasses.is_empty() {
            return;
        }
        for (path, text) in subclasses {
            selected.insert(path);
            types.extend(declared_types(text).map(|(_, name)| name));
        }
    }
}

/// Returns the declared types, with their depth of nesting in braces.
fn declared_types(text: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let is_keyword = |word: &[u8]| matches!(word, b"class" | b"interface" | b"enum" | b"record");
    let pairs = code_words(text).zip(code_words(text).skip(1));
    pairs.filter(move |(word, _)| is_keyword(word.text)).map(|(_, name)| (name.depth, name.text))
}

/// Returns the words that may name a supertype: those between `extends` or `implements` and the next brace, and the class
/// names after `new`, which an anonymous class may extend.
fn supertypes(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut place = Place::Other;
    code_words(text).filter_map(move |word| {
        let is_class_name = word.text.first().is_some_and(u8::is_ascii_uppercase);
        place = match (word.text, place) {
            (b"extends" | b"implements", _) => Place::Supertypes(word.depth),
            (b"new", _) => Place::Package,
            (_, Place::Supertypes(depth)) if depth == word.depth => place,
            (_, Place::Package | Place::Class) if is_class_name => Place::Class,
            (_, Place::Package) => Place::Package,
            _ => Place::Other,
        };
        matches!(place, Place::Supertypes(_) | Place::Class).then_some(word.text)
    })
}

/// Place of a word for [`supertypes`].
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// After `extends` or `implements`, at this depth.
    Supertypes(usize),
    /// Between `new` and the name of the class.
    Package,
    /// In the name of the class after `new`, or just behind it.
    Class,
    Other,
}

/// Returns true if a top-level type has another name than the file, or if there is none.
fn has_auxiliary_type(path: &RepoPath, text: &[u8]) -> bool {
    let name = path.as_bytes().rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    let name = name.strip_suffix(b".java").unwrap_or(name);
    let mut top_level = declared_types(text).filter(|(depth, _)| *depth == 0).map(|pair| pair.1);
    name != b"package-info" && (top_level.next() != Some(name) || top_level.next().is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::JavaGranularity;
    use mend_model::{FileChange, FileMode, FileState, TreeId};

    fn affected(old: &str, new: &str, unchanged: &[(&str, &str)]) -> Vec<String> {
        let state = |text: &str| FileState {
            mode: FileMode::Regular,
            content: text.as_bytes().to_vec().into(),
        };
        let path = RepoPath::from("p/A.java");
        let change = FileChange {
            old: Some((path.clone(), state(old))),
            new: Some((path.clone(), state(new))),
        };
        let delta = Delta::between(TreeId(String::new()), &[change], JavaGranularity::Ast);
        let all = unchanged.iter().copied().chain([("p/A.java", new)]);
        let files: Vec<_> =
            all.map(|(path, text)| (RepoPath::from(path), Arc::from(text.as_bytes()))).collect();
        let mut paths: Vec<_> =
            delta.affected_files(&files).into_iter().map(ToString::to_string).collect();
        paths.sort_unstable();
        paths
    }

    #[test]
    fn body_edit_affects_no_other_file() {
        let old = "class A { int m() { return 1; } }";
        let new = "class A { int m() { return 2; } }";
        let files = [("p/B.java", "class B extends A { int n() { return m(); } }")];
        assert_eq!(affected(old, new, &files), ["p/A.java"]);
    }

    #[test]
    fn changed_declaration_affects_files_that_mention_it() {
        let old = "class A { int m() { return 1; } int n() { return 1; } }";
        let new = "class A { long m() { return 1; } int n() { return 1; } }";
        let files = [
            ("p/B.java", "class B { long x(A a) { return a.m(); } }"),
            ("p/C.java", "class C { int x(A a) { return a.n(); } }"),
        ];
        assert_eq!(affected(old, new, &files), ["p/A.java", "p/B.java"]);
    }

    #[test]
    fn added_member_affects_subclasses_of_subclasses() {
        let old = "abstract class A { }";
        let new = "abstract class A { abstract void m(); }";
        let files = [
            ("p/B.java", "abstract class B\n    extends A { }"),
            ("p/C.java", "abstract class C extends B implements D { }"),
            ("p/D.java", "interface D { }"),
        ];
        assert_eq!(affected(old, new, &files), ["p/A.java", "p/B.java", "p/C.java"]);
    }

    #[test]
    fn file_with_a_class_of_another_name_is_always_selected() {
        let old = "class A { int m() { return 1; } }";
        let new = "class A { int m() { return 2; } }";
        let files = [
            ("p/B.java", "class B { class E { } }\nfinal class C { }\n"),
            ("p/D.java", "/** class C */\n@X(\"{\") public class D { }\n"),
            ("p/F.java", "class F { }\n  @interface G { }"),
            ("p/H.java", "// class H {}"),
        ];
        assert_eq!(affected(old, new, &files), ["p/A.java", "p/B.java", "p/F.java", "p/H.java"]);
    }

    #[test]
    fn annotation_arguments_belong_to_the_declaration() {
        let old = "class A { @X({1}) void m(@P(value = \"a\") String a, int b) { } }";
        let new = "class A { @X({1}) void m(@P(value = \"a\") String a, long b) { } }";
        let files = [("p/B.java", "class B { void x(A a) { a.m(\"\", 1); } }")];
        assert_eq!(affected(old, new, &files), ["p/A.java", "p/B.java"]);
    }

    #[test]
    fn constant_affects_files_that_use_it() {
        let old = "class A { static final int X = 1; }";
        let new = "class A { static final int X = 2; }";
        let files = [("p/B.java", "class B { void x(int i) { switch (i) { case A.X: } } }")];
        assert_eq!(affected(old, new, &files), ["p/A.java", "p/B.java"]);
    }

    #[test]
    fn added_member_affects_anonymous_subclasses() {
        let old = "abstract class A { }";
        let new = "abstract class A { abstract void m(); }";
        let files = [
            ("p/B.java", "class B { Object o = new p.A() { void m() { } }; }"),
            ("p/C.java", "class C { int o = 1; }"),
        ];
        assert_eq!(affected(old, new, &files), ["p/A.java", "p/B.java"]);
    }

    #[test]
    fn changed_supertype_affects_all_files() {
        let old = "class A implements X { }";
        let new = "class A implements Y { }";
        let files = [("p/B.java", "class B { void m(D d, E e) { d.take(e.make()); } }")];
        assert_eq!(affected(old, new, &files), ["p/A.java", "p/B.java"]);
    }
}
