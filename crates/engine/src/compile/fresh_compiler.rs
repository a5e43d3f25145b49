//! A compiler that is fresh for one build, and compiles all its batches: most of a small compilation is what a JVM
//! loads and translates of the compiler.

use crate::Toolchain;
use crate::compile::javac::{Compilation, CompileResult, joined};
use crate::compile::warm_compiler;
use crate::jvm::jvm_process::{Jvm, JvmResponse};
use mend_model::Result;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// Status byte of a response if everything compiled.
const OK: u8 = 0;

/// The compiler of one build. Its JVM starts with the first batch and ends when this is dropped.
#[derive(Default)]
pub(crate) struct FreshCompiler(Option<Jvm>);

impl FreshCompiler {
    /// Compiles as the command does. Annotation processors and plugins are third-party code that
    /// may leave state behind in their JVM, so each call gets its own JVM.
    ///
    /// # Errors
    /// [`mend_model::Problem::ProgramMissing`] if the JDK's programs cannot be started, and
    /// [`mend_model::Problem::DiskFull`] if the classes do not fit on the disk.
    pub(crate) fn compile(
        &mut self,
        compilation: &Compilation<'_>,
        files: &[PathBuf],
    ) -> Result<CompileResult> {
        if !compilation.is_plain() {
            return compilation.run(files);
        }
        let arguments = compilation.argument_file(files)?;
        let mut jvm = match self.0.take() {
            Some(jvm) => jvm,
            None => start(compilation.tools, compilation.cwd)?,
        };
        match jvm.ask(arguments.as_os_str().as_bytes().to_vec(), compilation.limit)? {
            JvmResponse::Answer(answer) => {
                self.0 = Some(jvm);
                read(compilation, &answer)
            }
            JvmResponse::TimedOut => Ok(CompileResult::TimedOut(jvm.end())),
            // Only the command itself reports what ended its JVM.
            JvmResponse::Failed(_) | JvmResponse::Died => compilation.run(files),
        }
    }
}

fn read(compilation: &Compilation<'_>, answer: &[u8]) -> Result<CompileResult> {
    match answer.split_first() {
        Some((&OK, _)) => Ok(CompileResult::Ok),
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
    use crate::testing::EngineFixture;
    use std::fs;

    const SOUND: &str = "class A { /* é */ int one() { return 1; } }";
    const WRONG: &str = "class B { int one() { return \"é\"; } int two() { return three(); } }";

    /// A project, and where what is compiled of it goes.
    struct BuildFixture {
        bench: EngineFixture,
        tools: Toolchain,
    }

    impl BuildFixture {
        fn new() -> Self {
            let bench = EngineFixture::new(&[("A.java", SOUND), ("B.java", WRONG)]);
            Self { tools: bench.tools(), bench }
        }

        /// Returns the result of compiling one file with `compile`, and its classes.
        fn compile_with(
            &self,
            (file, options): (&str, &[&str]),
            compile: impl FnOnce(&Compilation<'_>, &[PathBuf]) -> Result<CompileResult>,
        ) -> (CompileResult, Vec<u8>) {
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

    fn by_command(compilation: &Compilation<'_>, files: &[PathBuf]) -> Result<CompileResult> {
        compilation.run(files)
    }

    #[test]
    fn each_call_makes_and_says_what_the_command_does() {
        let build = BuildFixture::new();
        let mut fresh = FreshCompiler::default();
        for call in
            [("A.java", &[][..]), ("B.java", &[]), ("A.java", &["-g:none"]), ("C.java", &[])]
        {
            let ours =
                build.compile_with(call, |compilation, files| fresh.compile(compilation, files));
            assert_eq!(ours, build.compile_with(call, by_command), "{call:?}");
            assert_eq!(ours.0 == CompileResult::Ok, call.0 == "A.java", "{call:?}");
            assert!(fresh.0.is_some());
        }
    }

    #[test]
    fn what_a_jvm_that_ended_does_not_tell_the_command_tells() {
        let build = BuildFixture::new();
        let mut fresh = FreshCompiler::default();
        let mut compile = |compilation: &Compilation<'_>, files: &[PathBuf]| {
            let compiled = fresh.compile(compilation, files);
            fresh.0.iter_mut().for_each(|jvm| drop(jvm.end()));
            compiled
        };
        for _ in 0..2 {
            let (compiled, class) = build.compile_with(("A.java", &[]), &mut compile);
            assert!(compiled == CompileResult::Ok && !class.is_empty());
        }
    }

    #[test]
    fn code_of_others_has_a_jvm_for_each_call() {
        let build = BuildFixture::new();
        let mut fresh = FreshCompiler::default();
        for options in [&["-processor", "Gone"], &["-Xplugin:Gone", "-proc:none"]] {
            let call = ("A.java", &options[..]);
            let ours =
                build.compile_with(call, |compilation, files| fresh.compile(compilation, files));
            assert!(matches!(ours.0, CompileResult::Failed(_)), "{ours:?}");
            assert!(fresh.0.is_none());
        }
    }
}
