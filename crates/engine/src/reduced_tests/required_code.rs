//! The test code that the selected tests need.

use crate::reduced_tests::mentions::Mentions;
use crate::reduced_tests::source_index::SourceIndex;
use crate::reduced_tests::test_file::{DeclarationKind, TestFile};
use crate::select::wildcard::Wildcard;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Methods of `Object` that classes override.
const OBJECT_METHODS: [&str; 5] = ["clone", "equals", "finalize", "hashCode", "toString"];

/// Methods of `junit.framework.TestCase` that classes override.
const TEST_CASE_METHODS: [&str; 9] = [
    "countTestCases",
    "createResult",
    "getName",
    "run",
    "runBare",
    "runTest",
    "setUp",
    "tearDown",
    "toString",
];

/// Prefix of the name of a copied test, followed by a number, `_` and the name of the original.
const COPY_PREFIX: &str = "testGitMend";

/// A class whose tests, or some of them, must be kept.
#[derive(Clone, Debug)]
pub(crate) struct RequiredClass {
    /// Fully qualified, `$` before nested names.
    pub(crate) name: String,
    /// Its file, relative to the tree.
    pub(crate) source: PathBuf,
    /// A method's name or a glob; `None` means every test.
    pub(crate) method: Option<String>,
}

/// A declaration of a file.
type Place = (PathBuf, usize);

/// The declarations that the selected tests need: their class and its supertypes, and whatever these mention by name.
/// Members with equal names are not distinguished, so that leaving out the others cannot change what a name means.
#[derive(Debug, Default)]
pub(crate) struct RequiredCode {
    declarations: BTreeSet<Place>,
}

impl RequiredCode {
    /// Finds the code that the tests of some classes need.
    pub(crate) fn find(index: &SourceIndex<'_>, classes: &[RequiredClass]) -> Self {
        let mut search = RequiredCodeSearch {
            index,
            test_classes: BTreeMap::new(),
            required: BTreeSet::new(),
            mentions: Mentions::default(),
            class_names: BTreeSet::new(),
            loaded: BTreeSet::new(),
        };
        for class in classes {
            search.add_test_class(class);
        }
        while search.add_mentioned() {}
        Self { declarations: search.required }
    }

    /// Returns true if a declaration is needed.
    pub(crate) fn contains(&self, path: &Path, declaration: usize) -> bool {
        self.declarations.contains(&(path.to_owned(), declaration))
    }
}

/// The search for required code: what was found so far.
struct RequiredCodeSearch<'a> {
    index: &'a SourceIndex<'a>,
    /// Classes that a framework instantiates, with the names of their tests; `None` means every test.
    test_classes: BTreeMap<Place, Vec<Option<Wildcard>>>,
    required: BTreeSet<Place>,
    /// Names that the required code mentions.
    mentions: Mentions,
    /// Simple names of the required types.
    class_names: BTreeSet<String>,
    /// Files with a name that the required code mentions.
    loaded: BTreeSet<PathBuf>,
}

impl RequiredCodeSearch<'_> {
    /// Adds a class with its supertypes, enclosing classes and nested classes with tests.
    fn add_test_class(&mut self, class: &RequiredClass) {
        let Some(file) = self.index.file(&class.source) else { return };
        let pattern = class.method.as_deref().map(method_pattern);
        let name = class.name.strip_prefix(&file.package).unwrap_or(&class.name);
        let name = name.trim_start_matches('.');
        let nested_prefix = format!("{name}$");
        for (at, _) in file.types() {
            let binary_name = file.binary_name(at);
            let is_nested_test = binary_name.starts_with(&nested_prefix) && has_tests(&file, at);
            if binary_name == name || is_nested_test {
                self.add_with_supertypes(&(class.source.clone(), at), pattern.as_ref());
            } else if name.starts_with(&format!("{binary_name}$")) {
                self.test_classes.entry((class.source.clone(), at)).or_default();
                self.add((class.source.clone(), at), &file);
            }
        }
    }

    fn add_with_supertypes(&mut self, place: &Place, pattern: Option<&Wildcard>) {
        let Some(file) = self.index.file(&place.0) else { return };
        let Some(header) = file.type_header(place.1) else { return };
        let is_new = !self.required.contains(place);
        self.test_classes.entry(place.clone()).or_default().push(pattern.cloned());
        self.add(place.clone(), &file);
        if !is_new {
            return;
        }
        for supertype in &header.supertypes {
            for parent in self.index.types_named(supertype, &place.0) {
                if !self.required.contains(&parent) {
                    self.add_with_supertypes(&parent, pattern);
                }
            }
        }
    }

    fn add(&mut self, place: Place, file: &TestFile) {
        let declaration = &file.declarations[place.1];
        self.mentions.merge(&declaration.mentions);
        if !self.has_required_code(&place.0) {
            // Any name may come from an import of all names.
            let wildcards = file.declarations.iter().filter(|one| one.names.is_empty());
            wildcards.for_each(|import| self.mentions.merge(&import.mentions));
        }
        if matches!(declaration.kind, DeclarationKind::Type(_)) {
            self.class_names.extend(declaration.names.iter().cloned());
        }
        self.loaded.insert(place.0.clone());
        self.required.insert(place);
    }

    fn has_required_code(&self, path: &Path) -> bool {
        let first = self.required.range((path.to_owned(), 0)..).next();
        first.is_some_and(|(first, _)| first == path)
    }

    /// Adds the declarations that the required code mentions; `false` if there are no more.
    fn add_mentioned(&mut self) -> bool {
        let mentioned_classes =
            self.index.class_names().filter(|name| self.mentions.has_name(name));
        let files = mentioned_classes.flat_map(|name| self.index.paths_of_class(name));
        self.loaded.extend(files.cloned());
        let mut has_added = false;
        for path in self.loaded.clone() {
            let Some(file) = self.index.file(&path) else { continue };
            for at in 0..file.declarations.len() {
                let place = (path.clone(), at);
                if !self.required.contains(&place) && self.is_mentioned(&place, &file) {
                    self.add(place, &file);
                    has_added = true;
                }
            }
        }
        has_added
    }

    /// Returns true if the required code mentions a declaration, or may call it without a mention.
    fn is_mentioned(&self, place: &Place, file: &TestFile) -> bool {
        let (path, at) = place;
        let declaration = &file.declarations[*at];
        let owner = declaration.parent.map(|parent| (path.clone(), parent));
        if owner.as_ref().is_some_and(|owner| !self.required.contains(owner)) {
            return false;
        }
        let tests = owner.as_ref().and_then(|owner| self.test_classes.get(owner));
        let has_name = |name: &String| self.mentions.has_name(name);
        let name = declaration.names.first().map(String::as_str).unwrap_or_default();
        match &declaration.kind {
            DeclarationKind::Import => self.is_mentioned_in(path, file, name),
            DeclarationKind::Type(_) | DeclarationKind::Field => {
                declaration.names.iter().any(has_name)
            }
            DeclarationKind::Test => {
                tests.is_some_and(|patterns| is_selected(name, patterns))
                    || self.mentions.has_own_call(name, &self.class_names)
            }
            DeclarationKind::Method { is_inheritable } => {
                let is_called = match tests {
                    Some(_) => self.mentions.has_own_call(name, &self.class_names),
                    None => self.mentions.has_call(name),
                };
                let is_inherited =
                    || owner.is_some_and(|owner| self.may_override(&owner, name, &mut Vec::new()));
                is_called || *is_inheritable && is_inherited()
            }
        }
    }

    /// Returns true if the required code of one file mentions a name.
    fn is_mentioned_in(&self, path: &Path, file: &TestFile, name: &str) -> bool {
        let all = file.declarations.iter().enumerate();
        let mut required = all.filter(|(at, one)| {
            !matches!(one.kind, DeclarationKind::Import)
                && self.required.contains(&(path.to_owned(), *at))
        });
        required.any(|(_, one)| one.mentions.has_name(name) || one.mentions.has_call(name))
    }

    /// Returns true if a method of a type may override one of a supertype. Supertypes from libraries may have any
    /// method.
    fn may_override(&self, owner: &Place, method: &str, visited: &mut Vec<Place>) -> bool {
        let Some(file) = self.index.file(&owner.0) else { return true };
        let Some(header) = file.type_header(owner.1) else { return true };
        visited.push(owner.clone());
        let mut supertypes = header.supertypes.iter();
        OBJECT_METHODS.contains(&method)
            || supertypes.any(|supertype| {
                let parents = self.index.types_named(supertype, &owner.0);
                if parents.is_empty() {
                    return supertype != "TestCase" || TEST_CASE_METHODS.contains(&method);
                }
                parents.iter().any(|parent| {
                    !visited.contains(parent)
                        && (self.declares(parent, method)
                            || self.may_override(parent, method, visited))
                })
            })
    }

    fn declares(&self, place: &Place, method: &str) -> bool {
        let file = self.index.file(&place.0);
        let methods = file.as_ref().and_then(|file| file.type_header(place.1));
        methods.is_none_or(|header| header.methods.contains(method))
    }
}

/// Returns true if a type contains a test itself.
fn has_tests(file: &TestFile, owner: usize) -> bool {
    file.declarations
        .iter()
        .any(|one| one.parent == Some(owner) && matches!(one.kind, DeclarationKind::Test))
}

/// Returns the pattern for names of methods: `m[0]` and `m(int)[1]` mean `m`.
fn method_pattern(method: &str) -> Wildcard {
    Wildcard::new(method.split(['[', '(']).next().unwrap_or(method))
}

fn is_selected(test: &str, patterns: &[Option<Wildcard>]) -> bool {
    let original = test.strip_prefix(COPY_PREFIX).and_then(|copy| copy.split_once('_'));
    let name = original.map_or(test, |(_, original)| original);
    patterns.iter().any(|pattern| pattern.as_ref().is_none_or(|pattern| pattern.matches(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes files of tests, and returns the full names of the members that a selected test does not need.
    fn not_required(files: &[(&str, &str)], class: &str, method: Option<&str>) -> Vec<String> {
        let tree = tempfile::tempdir().unwrap();
        for (name, text) in files {
            std::fs::write(tree.path().join(name), text).unwrap();
        }
        let index = SourceIndex::new(tree.path(), &["".into()], &[]);
        let source = format!("{}.java", class.split('$').next().unwrap()).into();
        let method = method.map(str::to_owned);
        let classes = [RequiredClass { name: class.to_owned(), source, method }];
        let required = RequiredCode::find(&index, &classes);
        let mut names = Vec::new();
        for path in index.paths() {
            let file = index.file(path).unwrap();
            let others = (0..file.declarations.len()).filter(|at| !required.contains(path, *at));
            names.extend(others.map(|at| file.full_name(at)));
        }
        names
    }

    #[test]
    fn members_that_the_test_reaches_are_required() {
        let text = "import x.Used; import x.Unused;\n\
            class T { int used = start(), unusedToo; int unused = end();\n\
            @Test void t() { helper(used); new Used(); }\n @Test void u() { unused = other(); new Unused(); }\n\
            private void helper(int i) { this.second(); }\n private void second() {}\n private void other() {}\n\
            static int start() { return 1; }\n static int end() { return 1; }\n\
            class Inner {} class Other {}\n @ParameterizedTest @MethodSource(\"values\") void t(Inner i) {}\n\
            static Object values() { return Other.class; } }\n";
        let names = not_required(&[("T.java", text)], "T", Some("t"));
        assert_eq!(names, ["Unused", "T#unused", "T#u", "T#other", "T#end"]);
        let names = not_required(&[("T.java", text)], "T", None);
        assert_eq!(names, Vec::<String>::new());
    }

    #[test]
    fn helper_classes_are_required_by_name() {
        let files = [
            (
                "T.java",
                "class T extends Base { @Test void t() { Help.one(); } @Test void u() { More.x(); } }",
            ),
            ("Base.java", "class Base { @Test void t() {} @Test void v() {} void hook() {} }"),
            (
                "Help.java",
                "class Help implements Runnable { static void one() { two(); } static void two() {}\n\
                static void three() {} public void run() {} }",
            ),
            ("More.java", "class More { static void x() {} }"),
        ];
        let names = not_required(&files, "T", Some("t"));
        let expected = ["Base#v", "Base#hook", "Help#three", "More", "More#x", "T#u"];
        assert_eq!(names, expected);
    }

    #[test]
    fn classes_of_static_imports_are_required() {
        let files = [
            (
                "T.java",
                "import static Help.one; import static More.*; import static Gone.two;\n\
                class T { @Test void t() { one(); three(); } }",
            ),
            ("Help.java", "class Help { static void one() {} static void two() {} }"),
            ("More.java", "class More { static void three() {} static void four() {} }"),
            ("Gone.java", "class Gone { static void two() {} }"),
        ];
        let expected = ["Gone", "Gone#two", "Help#two", "More#four", "", "two"];
        assert_eq!(not_required(&files, "T", Some("t")), expected);
    }

    #[test]
    fn methods_that_may_override_are_required() {
        let files = [
            (
                "T.java",
                "class T extends Base { @Test void t() {} protected int size() { return 1; } void free() {} }",
            ),
            (
                "Base.java",
                "class Base extends TestCase { protected void setUp() { size(); } int size() { return 0; } }",
            ),
            (
                "L.java",
                "class L extends Library { @Test public void t() {} void any() {} private void own() {} }",
            ),
        ];
        assert_eq!(not_required(&files[..2], "T", Some("t")), ["T#free"]);
        assert_eq!(not_required(&files[2..], "L", Some("t")), ["L#own"]);
    }

    #[test]
    fn nested_classes_with_selected_tests_are_required() {
        let text = "class T { @BeforeEach void b() {} @Test void t() {}\n\
            @Nested class In { @Test void t() { help(); } @Test void u() {} void help() {} }\n\
            class Data { int x; } }";
        let file = [("T.java", text)];
        assert_eq!(not_required(&file, "T", Some("t")), ["T$In#u", "T$Data", "T$Data#x"]);
        let names = not_required(&file, "T$In", Some("u"));
        assert_eq!(names, ["T#t", "T$In#t", "T$In#help", "T$Data", "T$Data#x"]);
    }

    #[test]
    fn copies_of_a_selected_test_are_required() {
        let text = "class T { @Test void t() {} @Test void testGitMend3_t() {} @Test void testGitMend3_u() {} }";
        assert_eq!(not_required(&[("T.java", text)], "T", Some("t")), ["T#testGitMend3_u"]);
    }
}
