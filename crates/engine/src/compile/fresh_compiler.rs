//! A compiler that is fresh for one build, and compiles all its batches: most of a small compilation is what a JVM
//! loads and translates of the compiler.

use crate::Toolchain;
use crate::compile::javac::{Compilation, Compiled, joined};
use crate::compile::warm_compiler;
use crate::jvm::jvm_process::{Jvm, Reply};
use mend_model::Result;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// What an answer begins with where everything was compiled.
const OK: u8 = 0;

/// The compiler of one build. Its JVM starts with the first batch and ends when this is dropped.
#[derive(Default)]
pub(crate) struct FreshCompiler(Option<Jvm>);

impl FreshCompiler {
    /// Compiles as the command does. Annotation processors and plugins are third-party code that
    /// may leave state behind in their JVM, so each call gets its own JVM.
    ///
    /// # Errors
    /// [`crate::model::Problem::ProgramMissing`] if the JDK's programs cannot be started, and
    /// [`crate::model::Problem::DiskFull`] if the classes do not fit on the disk.
    pub(crate) fn compile(
        &mut self,
        compilation: &Compilation<'_>,
        files: &[PathBuf],
    ) -> Result<Compiled> {
        if !compilation.is_plain() {
            return compilation.run(files);
        }
        let arguments = compilation.argument_file(files)?;
        let mut jvm = match self.0.take() {
            Some(jvm) => jvm,
            None => start(compilation.tools, compilation.cwd)?,
        };
        match jvm.ask(arguments.as_os_str().as_bytes().to_vec(), compilation.limit)? {
            Reply::Answer(answer) => {
                self.0 = Some(jvm);
                read(compilation, &answer)
            }
            Reply::TimedOut => Ok(Compiled::TimedOut(jvm.end())),
            // Only the command itself reports what ended its JVM.
            Reply::Failed(_) | Reply::Died => compilation.run(files),
        }
    }
}

fn read(compilation: &Compilation<'_>, answer: &[u8]) -> Result<Compiled> {
    match answer.split_first() {
        Some((&OK, _)) => Ok(Compiled::Ok),
        said => {
            let said = said.map(|(_, said)| said).unwrap_or_default();
            compilation.refused(String::from_utf8_lossy(said).into_owned())
        }
    }
}

fn start(tools: &Toolchain, cwd: &Path) -> Result<Jvm> {
    let class_path = [vec![warm_compiler::compiled(tools)?], tools.jdk.tools()].concat();
    let mut options = tools.compiler_flags();
    options.extend(["-cp", &joined(&class_path)].map(Into::into));
    tools.start_jvm(cwd, options, "gitmend.compile.FreshCompiler")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Bench;
    use std::fs;

    const SOUND: &str = "class A { /* é */ int one() { return 1; } }";
    const WRONG: &str = "class B { int one() { return \"é\"; } int two() { return three(); } }";

    /// A project, and where what is compiled of it goes.
    struct Build {
        bench: Bench,
        tools: Toolchain,
    }

    impl Build {
        fn new() -> Self {
            let bench = Bench::new(&[("A.java", SOUND), ("B.java", WRONG)]);
            Self { tools: bench.tools(), bench }
        }

        /// Returns the result of compiling one file with `compile`, and its classes.
        fn made(
            &self,
            (file, options): (&str, &[&str]),
            compile: impl FnOnce(&Compilation<'_>, &[PathBuf]) -> Result<Compiled>,
        ) -> (Compiled, Vec<u8>) {
            let output = tempfile::tempdir_in(self.bench.work.path()).unwrap();
            let compilation = Compilation {
                tools: &self.tools,
                cwd: self.bench.tree.path(),
                output: output.path(),
                class_path: &[],
                source_path: &[],
                encoding: None,
                options: options.iter().map(ToString::to_string).collect(),
                is_hasty: false,
                limit: None,
            };
            let compiled = compile(&compilation, &[self.bench.tree.path().join(file)]).unwrap();
            (compiled, fs::read(output.path().join("A.class")).unwrap_or_default())
        }
    }

    fn by_command(compilation: &Compilation<'_>, files: &[PathBuf]) -> Result<Compiled> {
        compilation.run(files)
    }

    #[test]
    fn each_call_makes_and_says_what_the_command_does() {
        let build = Build::new();
        let mut fresh = FreshCompiler::default();
        for call in
            [("A.java", &[][..]), ("B.java", &[]), ("A.java", &["-g:none"]), ("C.java", &[])]
        {
            let ours = build.made(call, |compilation, files| fresh.compile(compilation, files));
            assert_eq!(ours, build.made(call, by_command), "{call:?}");
            assert_eq!(ours.0 == Compiled::Ok, call.0 == "A.java", "{call:?}");
            assert!(fresh.0.is_some());
        }
    }

    #[test]
    fn what_a_jvm_that_ended_does_not_tell_the_command_tells() {
        let build = Build::new();
        let mut fresh = FreshCompiler::default();
        let mut compile = |compilation: &Compilation<'_>, files: &[PathBuf]| {
            let compiled = fresh.compile(compilation, files);
            fresh.0.iter_mut().for_each(|jvm| drop(jvm.end()));
            compiled
        };
        for _ in 0..2 {
            let (compiled, class) = build.made(("A.java", &[]), &mut compile);
            assert!(compiled == Compiled::Ok && !class.is_empty());
        }
    }

    #[test]
    fn code_of_others_has_a_jvm_for_each_call() {
        let build = Build::new();
        let mut fresh = FreshCompiler::default();
        for options in [&["-processor", "Gone"], &["-Xplugin:Gone", "-proc:none"]] {
            let call = ("A.java", &options[..]);
            let ours = build.made(call, |compilation, files| fresh.compile(compilation, files));
            assert!(matches!(ours.0, Compiled::Failed(_)), "{ours:?}");
            assert!(fresh.0.is_none());
        }
    }
}
