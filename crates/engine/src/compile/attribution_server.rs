//! Server for compiler facts and compile errors, from the compiler's own parser and attribution.

use super::compiler_pool::WarmCompiler;
use super::encoding;
use crate::compile::javac::join_class_path;
use crate::compile::warm_compiler;
use crate::jvm::jvm_process::JvmResponse;
use crate::jvm::request_encoding::{write_bytes, write_length};
use crate::{Project, Toolchain};
use anyhow::anyhow;
use mend_java::facts::{CompileError, SemanticModel};
use mend_model::{Problem, RepoPath, Result, format_duration};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// One version of the sources, with the options to compile it.
#[derive(Clone, Debug, Default)]
pub struct SourceSet {
    /// Files to attribute, by path in the tree.
    pub files: Vec<(RepoPath, Arc<[u8]>)>,
    /// Files that only provide the classes that the others use.
    pub source_path: Vec<(RepoPath, Arc<[u8]>)>,
    /// Jars and class folders.
    pub class_path: Vec<PathBuf>,
    /// Further compiler options, such as the language level.
    pub options: Vec<String>,
    /// Java name of the files' encoding; empty for UTF-8.
    pub encoding: String,
}

impl SourceSet {
    /// Reads the main sources in a tree of a project, and its tests if `has_tests` is true.
    ///
    /// # Errors
    /// [`Problem::Internal`] if a file cannot be read.
    pub fn from_project(project: &Project, tree: &Path, has_tests: bool) -> Result<Self> {
        let mut paths = project.main_files(tree);
        if has_tests {
            paths.extend(project.test_files(tree));
        }
        let read = |path: &PathBuf| {
            let content = std::fs::read(path).map_err(|error| Problem::io(error, path))?;
            let relative_path = path.strip_prefix(tree).unwrap_or(path);
            Ok((
                RepoPath::new(relative_path.as_os_str().as_encoded_bytes().to_vec()),
                content.into(),
            ))
        };
        let expand_tree =
            |option: &String| option.replace(Project::TREE_PLACEHOLDER, &tree.to_string_lossy());
        // If batches have several encodings, files that are invalid in this one are decoded byte by byte.
        let mut encodings = project.batches.iter().map(|batch| &batch.encoding);
        let has_one_encoding = encodings.all(|encoding| *encoding == project.encoding);
        let configured_encoding =
            if has_one_encoding { project.encoding.clone() } else { Some("UTF-8".to_owned()) };
        let encoding =
            configured_encoding.unwrap_or_else(|| encoding::detect_encoding(&paths).to_owned());
        Ok(Self {
            files: paths.iter().map(read).collect::<Result<_>>()?,
            source_path: Vec::new(),
            class_path: project.class_path.iter().map(|path| tree.join(path)).collect(),
            options: project.javac_options.iter().map(expand_tree).collect(),
            encoding,
        })
    }

    /// Attributes only the files that satisfy a condition; the others provide the classes that these use.
    #[must_use]
    pub fn limited_to(self, is_attributed: impl Fn(&RepoPath) -> bool) -> Self {
        let (files, others): (Vec<_>, Vec<_>) =
            self.files.into_iter().partition(|(path, _)| is_attributed(path));
        let source_path = self.source_path.into_iter().chain(others).collect();
        Self { files, source_path, ..self }
    }

    fn encode_request(&self, has_facts: bool) -> Result<Vec<u8>> {
        let mut request = vec![u8::from(has_facts)];
        let encoding = if self.encoding.is_empty() { "UTF-8" } else { &self.encoding };
        write_bytes(&mut request, encoding.as_bytes())?;
        write_bytes(&mut request, join_class_path(&self.class_path).as_bytes())?;
        write_length(&mut request, self.options.len())?;
        for option in &self.options {
            write_bytes(&mut request, option.as_bytes())?;
        }
        write_length(&mut request, self.files.len() + self.source_path.len())?;
        let attributed_files = self.files.iter().map(|file| (true, file));
        let source_path = self.source_path.iter().map(|file| (false, file));
        for (is_attributed, (path, content)) in attributed_files.chain(source_path) {
            request.push(u8::from(is_attributed));
            write_bytes(&mut request, path.as_bytes())?;
            write_bytes(&mut request, content)?;
        }
        Ok(request)
    }
}

/// Time limit of a response. A large project takes minutes on a busy machine.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(600);

/// Client of a warm compiler for facts and errors; the compiler may also compile for a worker.
pub struct AttributionServer {
    compiler: WarmCompiler,
    limit: Duration,
}

impl AttributionServer {
    /// Starts a warm compiler, or reuses one. Its program is compiled if it is not cached. An interrupt ends the wait
    /// for a response.
    ///
    /// # Errors
    /// [`mend_model::Problem::ProgramMissing`] if the JDK's programs cannot be started, or
    /// [`mend_model::Problem::Internal`] if its compiler refuses the program.
    pub fn start(tools: &Toolchain) -> Result<Self> {
        Ok(Self {
            compiler: warm_compiler::acquire_for_attribution(tools)?,
            limit: RESPONSE_TIMEOUT,
        })
    }

    /// Returns the facts of one version.
    ///
    /// # Errors
    /// [`Problem::Interrupted`]; [`Problem::Internal`] if the server has died, does not respond, or its response is
    /// invalid.
    pub fn analyse(&mut self, sources: &SourceSet) -> Result<SemanticModel> {
        SemanticModel::read(&self.send_and_receive(sources.encode_request(true)?)?)
    }

    /// Returns the compile errors; none if the sources compile.
    ///
    /// # Errors
    /// [`Problem::Interrupted`]; [`Problem::Internal`] if the server has died or does not respond.
    pub fn compile_errors(&mut self, sources: &SourceSet) -> Result<Vec<CompileError>> {
        CompileError::read_all(&self.send_and_receive(sources.encode_request(false)?)?)
    }

    fn send_and_receive(&mut self, request: Vec<u8>) -> Result<Vec<u8>> {
        let error = match self.compiler.send_and_receive(request, Some(self.limit))? {
            JvmResponse::Answer(answer) => return Ok(answer),
            JvmResponse::Failed(message) => {
                return Err(anyhow!("the attribution server failed: {message}").into());
            }
            JvmResponse::Died => anyhow!("the attribution server has died"),
            JvmResponse::TimedOut => {
                anyhow!("the attribution server gave no answer in {}", format_duration(self.limit))
            }
        };
        self.compiler.stop();
        Err(error.into())
    }
}

#[cfg(test)]
mod tests {
    use crate::test_support::{assert_all, shared_server, source_set, start_server};
    use mend_java::facts::{NodeKind, SymbolKind};
    use mend_model::RepoPath;

    #[test]
    fn names_are_resolved_to_symbols() {
        let mut server = shared_server();
        let text = "class A { int x; /* é */ int m(int y) { return x + y; } }";
        let facts = server.analyse(&source_set(&[("p/A.java", text)])).unwrap();
        let tree = facts.tree(&RepoPath::from("p/A.java")).unwrap();
        let uses: Vec<_> = tree
            .nodes
            .iter()
            .filter(|node| node.kind == NodeKind::Identifier)
            .map(|node| (&text[node.bytes.clone()], facts.symbol(node.symbol.unwrap()).kind))
            .collect();
        assert_eq!(uses, [("x", SymbolKind::Field), ("y", SymbolKind::Local)]);
        let method = facts.symbols().iter().find(|s| s.kind == SymbolKind::Method).unwrap();
        assert_eq!(&text[method.position.unwrap().byte..][..1], "m");
    }

    #[test]
    fn only_selected_files_are_attributed() {
        let mut server = shared_server();
        let files = [
            ("src/p/A.java", "package p; class A { int m(q.B b) { return b.c().n(); } }"),
            (
                "src/q/B.java",
                "/* package of */ package q; public class B { public C c() { return missing; } }",
            ),
            ("src/q/C.java", "package /**/ q; public class C { public int n() { return 1; } }"),
        ];
        let sources = source_set(&files).limited_to(|path| *path == RepoPath::from("src/p/A.java"));
        let facts = server.analyse(&sources).unwrap();
        assert_eq!(facts.trees().len(), 1);
        let library_symbols = facts.symbols().iter().filter(|symbol| symbol.position.is_none());
        let names: Vec<&str> = library_symbols.map(|symbol| facts.text(symbol.name)).collect();
        assert!(names.contains(&"n"), "the method of C is resolved: {names:?}");
        assert!(server.compile_errors(&sources).unwrap().is_empty());
        assert_eq!(server.compile_errors(&source_set(&files)).unwrap().len(), 1);
    }

    #[test]
    fn facts_contain_the_errors_of_attribution_and_flow_analysis() {
        let mut server = shared_server();
        let text = "class A { int m() { } int n() { return missing; } int o( }";
        for text in [text, &text.replace(" int o(", "")] {
            let sources = source_set(&[("A.java", text), ("B.java", "class B { int b; }")]);
            let errors = server.compile_errors(&sources).unwrap();
            assert!(!errors.is_empty());
            assert_eq!(server.analyse(&sources).unwrap().compile_errors(), errors);
        }
        let valid_set = source_set(&[("A.java", "class A {}")]);
        assert!(server.analyse(&valid_set).unwrap().compile_errors().is_empty());
    }

    #[test]
    fn response_timeout_is_an_error_and_stops_the_server() {
        let mut server = start_server();
        server.limit = std::time::Duration::ZERO;
        let source_set = source_set(&[("A.java", "class A {}")]);
        assert!(server.compile_errors(&source_set).is_err());
        server.limit = super::RESPONSE_TIMEOUT;
        assert!(server.compile_errors(&source_set).is_err());
    }

    #[test]
    fn incomplete_class_path_still_yields_facts() {
        let mut server = shared_server();
        let text = "import q.Gone; class A extends Gone { Gone g = new Gone(f(1)); int f(int i) { return g.h(i); } }";
        let valid_set = source_set(&[("A.java", "class A {}")]);
        let broken_set = source_set(&[("A.java", text), ("B.java", "class B { void m( }")]);
        let facts = server.analyse(&broken_set).unwrap();
        assert_eq!(facts.trees().len(), 2);
        assert!(!server.compile_errors(&broken_set).unwrap().is_empty());
        assert!(server.compile_errors(&valid_set).unwrap().is_empty());
    }

    #[test]
    fn try_all_runs_every_check_and_names_failures() {
        fn holds() {}
        fn one_is_two() {
            assert_eq!(1, 2, "at first");
        }
        fn nothing_is_there() {
            panic!("at last");
        }
        let facts: [(&str, fn()); 3] =
            [("one_is_two", one_is_two), ("holds", holds), ("nothing_is_there", nothing_is_there)];
        let panic = std::panic::catch_unwind(|| assert_all(&facts)).unwrap_err();
        let message = panic.downcast::<String>().unwrap();
        assert!(message.starts_with("2 of 3 do not hold\none_is_two: "), "{message}");
        assert!(
            message.contains("at first") && message.ends_with("nothing_is_there: at last\n"),
            "{message}"
        );
    }
}
