//! Facts and errors from the compiler's own parser and attribution.

use super::compiler_pool::WarmCompiler;
use super::encoding;
use crate::compile::javac::joined;
use crate::compile::warm_compiler;
use crate::jvm::jvm_process::JvmResponse;
use crate::{Project, Toolchain};
use anyhow::{Context as _, anyhow};
use mend_java::facts::{CompileError, SemanticModel};
use mend_model::{Problem, RepoPath, Result, lasting};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// One version of the sources and how they are compiled.
#[derive(Clone, Debug, Default)]
pub struct SourceSet {
    /// Every file, by its path in the tree.
    pub files: Vec<(RepoPath, Arc<[u8]>)>,
    /// Jars and folders of classes.
    pub class_path: Vec<PathBuf>,
    /// Further options of the compiler, such as the language level.
    pub options: Vec<String>,
    /// Java name of the files' encoding; empty for UTF-8.
    pub encoding: String,
}

impl SourceSet {
    /// All Java files below a folder, by their paths below it.
    ///
    /// # Errors
    /// [`Problem::Internal`] if something below it cannot be read.
    pub fn below(folder: &Path) -> Result<Self> {
        let mut files = Vec::new();
        for entry in walkdir::WalkDir::new(folder).sort_by_file_name() {
            let entry = entry.with_context(|| folder.display().to_string())?;
            if entry.file_type().is_file() && entry.path().extension().is_some_and(|e| e == "java")
            {
                let content = std::fs::read(entry.path())
                    .map_err(|error| Problem::io(error, entry.path()))?;
                let path = entry.path().strip_prefix(folder).unwrap_or(entry.path());
                let path = RepoPath::new(path.as_os_str().as_encoded_bytes().to_vec());
                files.push((path, content.into()));
            }
        }
        Ok(Self { files, ..Self::default() })
    }

    /// The main sources in a tree of a project, and its tests where they are wanted.
    ///
    /// # Errors
    /// [`Problem::Internal`] if one of them cannot be read.
    pub fn from_project(project: &Project, tree: &Path, with_tests: bool) -> Result<Self> {
        let mut paths = project.main_files(tree);
        if with_tests {
            paths.extend(project.test_files(tree));
        }
        let read = |path: &PathBuf| {
            let content = std::fs::read(path).map_err(|error| Problem::io(error, path))?;
            let inside = path.strip_prefix(tree).unwrap_or(path);
            Ok((RepoPath::new(inside.as_os_str().as_encoded_bytes().to_vec()), content.into()))
        };
        let placed = |option: &String| option.replace(Project::TREE, &tree.to_string_lossy());
        // Where batches have several, what is not in this one is read byte by byte.
        let mut encodings = project.batches.iter().map(|batch| &batch.encoding);
        let is_one = encodings.all(|encoding| *encoding == project.encoding);
        let named = if is_one { project.encoding.clone() } else { Some("UTF-8".to_owned()) };
        let encoding = named.unwrap_or_else(|| encoding::of_sources(&paths).to_owned());
        Ok(Self {
            files: paths.iter().map(read).collect::<Result<_>>()?,
            class_path: project.class_path.iter().map(|path| tree.join(path)).collect(),
            options: project.javac_options.iter().map(placed).collect(),
            encoding,
        })
    }

    fn request(&self, wants_facts: bool) -> Result<Vec<u8>> {
        let mut out = vec![u8::from(wants_facts)];
        let encoding = if self.encoding.is_empty() { "UTF-8" } else { &self.encoding };
        block(&mut out, encoding.as_bytes())?;
        block(&mut out, joined(&self.class_path).as_bytes())?;
        length(&mut out, self.options.len())?;
        for option in &self.options {
            block(&mut out, option.as_bytes())?;
        }
        length(&mut out, self.files.len())?;
        for (path, content) in &self.files {
            block(&mut out, path.as_bytes())?;
            block(&mut out, content)?;
        }
        Ok(out)
    }
}

fn length(out: &mut Vec<u8>, length: usize) -> Result<()> {
    let length = i32::try_from(length).context("the sources are too large for one request")?;
    out.extend(length.to_be_bytes());
    Ok(())
}

fn block(out: &mut Vec<u8>, bytes: &[u8]) -> Result<()> {
    length(out, bytes.len())?;
    out.extend(bytes);
    Ok(())
}

/// An answer that takes longer than this is not waited for.
const LIMIT: Duration = Duration::from_secs(120);

/// Serves facts from a warm compiler, which may also compile for a worker.
pub struct AttributionServer {
    compiler: WarmCompiler,
    limit: Duration,
}

impl AttributionServer {
    /// Finds a compiler, or compiles its program unless it is there, and starts it. A wish to stop ends the wait for
    /// an answer.
    ///
    /// # Errors
    /// [`mend_model::Problem::ProgramMissing`] if the JDK's programs cannot be started, or
    /// [`mend_model::Problem::Internal`] if its compiler refuses the program.
    pub fn start(tools: &Toolchain) -> Result<Self> {
        Ok(Self { compiler: warm_compiler::for_facts(tools)?, limit: LIMIT })
    }

    /// The facts of one version.
    ///
    /// # Errors
    /// [`Problem::Interrupted`]; [`Problem::Internal`] if the server has died, does not answer or its answer
    /// means nothing.
    pub fn facts(&mut self, sources: &SourceSet) -> Result<SemanticModel> {
        SemanticModel::read(&self.ask(sources.request(true)?)?)
    }

    /// The compiler's errors; none if the sources compile.
    ///
    /// # Errors
    /// [`Problem::Interrupted`]; [`Problem::Internal`] if the server has died or does not answer.
    pub fn errors(&mut self, sources: &SourceSet) -> Result<Vec<CompileError>> {
        CompileError::read_all(&self.ask(sources.request(false)?)?)
    }

    fn ask(&mut self, request: Vec<u8>) -> Result<Vec<u8>> {
        let why = match self.compiler.ask(request, Some(self.limit))? {
            JvmResponse::Answer(answer) => return Ok(answer),
            JvmResponse::Failed(said) => {
                return Err(anyhow!("the attribution server failed: {said}").into());
            }
            JvmResponse::Died => anyhow!("the attribution server has died"),
            JvmResponse::TimedOut => {
                anyhow!("the attribution server gave no answer in {}", lasting(self.limit))
            }
        };
        self.compiler.end();
        Err(why.into())
    }
}

#[cfg(test)]
mod tests {
    use crate::test_support::{own_server, server, sources, try_all};
    use mend_java::facts::{NodeKind, SymbolKind};
    use mend_model::RepoPath;

    #[test]
    fn names_are_resolved_to_what_they_mean() {
        let mut server = server();
        let text = "class A { int x; /* é */ int m(int y) { return x + y; } }";
        let facts = server.facts(&sources(&[("p/A.java", text)])).unwrap();
        let tree = facts.tree(&RepoPath::from("p/A.java")).unwrap();
        let uses: Vec<_> = tree
            .nodes
            .iter()
            .filter(|node| node.kind == NodeKind::Identifier)
            .map(|node| (&text[node.bytes.clone()], facts.symbol(node.symbol.unwrap()).kind))
            .collect();
        assert_eq!(uses, [("x", SymbolKind::Field), ("y", SymbolKind::Local)]);
        let method = facts.symbols().iter().find(|s| s.kind == SymbolKind::Method).unwrap();
        assert_eq!(&text[method.place.unwrap().byte..][..1], "m");
    }

    #[test]
    fn an_answer_that_takes_too_long_is_an_error_and_ends_the_server() {
        let mut server = own_server();
        server.limit = std::time::Duration::ZERO;
        let set = sources(&[("A.java", "class A {}")]);
        assert!(server.errors(&set).is_err());
        server.limit = super::LIMIT;
        assert!(server.errors(&set).is_err());
    }

    #[test]
    fn sources_that_miss_half_of_their_class_path_still_have_facts() {
        let mut server = server();
        let text = "import q.Gone; class A extends Gone { Gone g = new Gone(f(1)); int f(int i) { return g.h(i); } }";
        let set = sources(&[("A.java", text), ("B.java", "class B { void m( }")]);
        let facts = server.facts(&set).unwrap();
        assert_eq!(facts.trees().len(), 2);
        assert!(!server.errors(&set).unwrap().is_empty());
        assert!(server.errors(&sources(&[("A.java", "class A {}")])).unwrap().is_empty());
    }

    #[test]
    fn each_fact_that_does_not_hold_is_named_and_the_others_are_tried_too() {
        fn holds() {}
        fn one_is_two() {
            assert_eq!(1, 2, "at first");
        }
        fn nothing_is_there() {
            panic!("at last");
        }
        let facts: [(&str, fn()); 3] =
            [("one_is_two", one_is_two), ("holds", holds), ("nothing_is_there", nothing_is_there)];
        let why = std::panic::catch_unwind(|| try_all(&facts)).unwrap_err();
        let said = why.downcast::<String>().unwrap();
        assert!(said.starts_with("2 of 3 do not hold\none_is_two: "), "{said}");
        assert!(
            said.contains("at first") && said.ends_with("nothing_is_there: at last\n"),
            "{said}"
        );
    }
}
