//! A resident JVM that runs the compiler's own parse and attribution and hands back facts.

use super::compiler::{Compilation, Compiled, joined};
use super::fingerprint::Digest;
use super::test_run::create;
use super::{Jdk, Launch, Project, encoding};
use crate::facts::{Facts, Refusal};
use crate::model::{Interrupt, Problem, RepoPath, Result};
use anyhow::{Context as _, anyhow};
use std::io::{Read as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

const SOURCES: [(&str, &str); 10] = [
    ("FactsServer.java", include_str!("runtime/facts/FactsServer.java")),
    ("Facts.java", include_str!("runtime/facts/Facts.java")),
    ("Obligations.java", include_str!("runtime/facts/Obligations.java")),
    ("Request.java", include_str!("runtime/facts/Request.java")),
    ("Role.java", include_str!("runtime/facts/Role.java")),
    ("SourceText.java", include_str!("runtime/facts/SourceText.java")),
    ("Strings.java", include_str!("runtime/facts/Strings.java")),
    ("Symbols.java", include_str!("runtime/facts/Symbols.java")),
    ("Walker.java", include_str!("runtime/facts/Walker.java")),
    ("Writer.java", include_str!("runtime/facts/Writer.java")),
];

/// One version of the sources and how they are compiled.
#[derive(Clone, Debug, Default)]
pub struct SourceSet {
    /// Every file, by its path in the tree.
    pub files: Vec<(RepoPath, Arc<[u8]>)>,
    /// Jars and folders of classes.
    pub class_path: Vec<PathBuf>,
    /// Further options of the compiler, such as the language level.
    pub options: Vec<String>,
    /// How the files are encoded, by the name that Java knows; empty for UTF-8.
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
    pub fn of(project: &Project, tree: &Path, with_tests: bool) -> Result<Self> {
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
        let encoding =
            project.encoding.clone().unwrap_or_else(|| encoding::of_sources(&paths).to_owned());
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

/// The JVM that answers; it ends when this is dropped, and when this process ends however it does.
pub struct FactsServer {
    child: Child,
    requests: Sender<Vec<u8>>,
    answers: Receiver<std::io::Result<Vec<u8>>>,
    limit: Duration,
    interrupt: Interrupt,
}

impl FactsServer {
    /// Compiles the program below `work` unless it is there, and starts it. A wish to stop ends the wait for
    /// an answer.
    ///
    /// # Errors
    /// [`Problem::ProgramMissing`] if the JDK's programs cannot be started, or [`Problem::Internal`] if
    /// its compiler refuses the program.
    pub fn start(
        jdk: &Jdk,
        launcher: &dyn Launch,
        work: &Path,
        interrupt: Interrupt,
    ) -> Result<Self> {
        let classes = compiled(jdk, launcher, work)?;
        let missing = |error: std::io::Error| Problem::ProgramMissing {
            program: jdk.java().to_string_lossy().into_owned(),
            reason: error.to_string(),
        };
        let mut child = Command::new(jdk.java())
            .args(["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xss16m", "-Xmx2g", "-cp"])
            .arg(class_path(jdk, &classes))
            .arg("gitmend.runtime.FactsServer")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            // What the terminal sends to stop the run is not meant for it.
            .process_group(0)
            .spawn()
            .map_err(missing)?;
        let input = child.stdin.take().context("the input of the facts server")?;
        let output = child.stdout.take().context("the output of the facts server")?;
        let (requests, to_send) = channel();
        let (to_receive, answers) = channel();
        std::thread::spawn(move || converse(input, output, &to_send, &to_receive));
        Ok(Self { child, requests, answers, limit: LIMIT, interrupt })
    }

    /// The facts of one version.
    ///
    /// # Errors
    /// [`Problem::Interrupted`]; [`Problem::Internal`] if the server has died, does not answer or its answer
    /// means nothing.
    pub fn facts(&mut self, sources: &SourceSet) -> Result<Facts> {
        Facts::read(&self.ask(sources.request(true)?)?)
    }

    /// The compiler's errors; none if the sources compile.
    ///
    /// # Errors
    /// [`Problem::Interrupted`]; [`Problem::Internal`] if the server has died or does not answer.
    pub fn errors(&mut self, sources: &SourceSet) -> Result<Vec<Refusal>> {
        Refusal::read_all(&self.ask(sources.request(false)?)?)
    }

    fn ask(&mut self, request: Vec<u8>) -> Result<Vec<u8>> {
        // If nobody takes it, nobody answers.
        let _ = self.requests.send(request);
        let mut answer = self.answer()?;
        if answer.first() == Some(&0) {
            return Ok(answer.split_off(1));
        }
        let said = String::from_utf8_lossy(&answer).into_owned();
        Err(anyhow!("the facts server failed: {said}").into())
    }
}

/// How long a wish to stop may go unheard.
const PAUSE: Duration = Duration::from_millis(50);

impl FactsServer {
    /// The next answer. If it is not waited for, the server ends: a late one would be taken for that to
    /// another request.
    fn answer(&mut self) -> Result<Vec<u8>> {
        let begun = Instant::now();
        while begun.elapsed() < self.limit {
            match self.answers.recv_timeout(PAUSE.min(self.limit)) {
                Ok(answer) => return Ok(answer.context("the facts server has died")?),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(anyhow!("the facts server has died").into());
                }
                Err(RecvTimeoutError::Timeout) if self.interrupt.is_requested() => {
                    let _ = self.child.kill();
                    return Err(Problem::Interrupted);
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
        let _ = self.child.kill();
        let seconds = self.limit.as_secs();
        Err(anyhow!("the facts server gave no answer in {seconds} s").into())
    }
}

/// Passes requests and answers on until one of the sides has gone.
fn converse(
    mut input: ChildStdin,
    mut output: ChildStdout,
    requests: &Receiver<Vec<u8>>,
    answers: &Sender<std::io::Result<Vec<u8>>>,
) {
    for request in requests {
        let answer = exchange(&mut input, &mut output, &request);
        let is_over = answer.is_err();
        if answers.send(answer).is_err() || is_over {
            return;
        }
    }
}

fn exchange(
    input: &mut ChildStdin,
    output: &mut ChildStdout,
    request: &[u8],
) -> std::io::Result<Vec<u8>> {
    let length = u32::try_from(request.len()).map_err(std::io::Error::other)?;
    input.write_all(&length.to_be_bytes())?;
    input.write_all(request)?;
    input.flush()?;
    let mut size = [0; 4];
    output.read_exact(&mut size)?;
    let mut answer = vec![0; u32::from_be_bytes(size) as usize];
    output.read_exact(&mut answer)?;
    Ok(answer)
}

impl Drop for FactsServer {
    fn drop(&mut self) {
        // Both fail only if it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Up to Java 8 the compiler is a jar of its own.
fn class_path(jdk: &Jdk, classes: &Path) -> String {
    let tools = jdk.home.join("lib/tools.jar");
    let mut paths = vec![classes.to_owned()];
    paths.extend(tools.is_file().then_some(tools));
    joined(&paths)
}

fn compiled(jdk: &Jdk, launcher: &dyn Launch, work: &Path) -> Result<PathBuf> {
    let mut digest = Digest::default();
    digest.add("jdk", &jdk.full);
    for (name, text) in SOURCES {
        digest.add(name, text);
    }
    let runtime = create(work.join("runtime"))?;
    let classes = runtime.join(digest.hex());
    if classes.is_dir() {
        return Ok(classes);
    }
    let fresh = tempfile::tempdir_in(&runtime).map_err(|error| Problem::io(error, &runtime))?;
    let output = create(fresh.path().join("classes"))?;
    let mut files = Vec::new();
    for (name, text) in SOURCES {
        let file = fresh.path().join(name);
        std::fs::write(&file, text).map_err(|error| Problem::io(error, &file))?;
        files.push(file);
    }
    let tools = jdk.home.join("lib/tools.jar");
    let compilation = Compilation {
        jdk,
        launcher,
        cwd: fresh.path(),
        output: &output,
        class_path: &tools.is_file().then_some(tools).into_iter().collect::<Vec<_>>(),
        source_path: &[],
        encoding: Some("UTF-8"),
        options: &["-proc:none".to_owned()],
        limit: None,
    };
    if let Compiled::Failed(said) | Compiled::TimedOut(said) = compilation.run(&files)? {
        return Err(anyhow!("the compiler refuses the facts server: {said}").into());
    }
    match std::fs::rename(&output, &classes) {
        // Somebody else was faster.
        Err(_) if classes.is_dir() => Ok(classes),
        Err(error) => Err(Problem::io(error, classes)),
        Ok(()) => Ok(classes),
    }
}

#[cfg(test)]
pub(crate) mod testing {
    //! A server for tests, one in a process.

    use super::*;
    use crate::engine::Environment;
    use crate::engine::launch::testing::PlainLauncher;

    pub(crate) fn server() -> FactsServer {
        let jdk = Jdk::find(&Environment::of_this_process(), &PlainLauncher).unwrap();
        let work = std::env::temp_dir().join("git-mend-facts-tests");
        FactsServer::start(&jdk, &PlainLauncher, &work, Interrupt::default()).unwrap()
    }

    pub(crate) fn sources(files: &[(&str, &str)]) -> SourceSet {
        let files = files
            .iter()
            .map(|(path, text)| (RepoPath::from(*path), text.as_bytes().into()))
            .collect();
        SourceSet { files, ..SourceSet::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::testing::{server, sources};
    use crate::facts::SymbolKind;
    use crate::model::RepoPath;

    #[test]
    fn names_are_resolved_to_what_they_mean() {
        let mut server = server();
        let text = "class A { int x; /* é */ int m(int y) { return x + y; } }";
        let facts = server.facts(&sources(&[("p/A.java", text)])).unwrap();
        let tree = facts.tree(&RepoPath::from("p/A.java")).unwrap();
        let uses: Vec<_> = tree
            .nodes
            .iter()
            .filter(|node| facts.text(node.kind) == "IDENTIFIER")
            .map(|node| (&text[node.bytes.clone()], facts.symbol(node.symbol.unwrap()).kind))
            .collect();
        assert_eq!(uses, [("x", SymbolKind::Field), ("y", SymbolKind::Local)]);
        let method = facts.symbols().iter().find(|s| s.kind == SymbolKind::Method).unwrap();
        assert_eq!(&text[method.place.unwrap().byte..][..1], "m");
    }

    #[test]
    fn an_answer_that_takes_too_long_is_an_error_and_ends_the_server() {
        let mut server = server();
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
}
