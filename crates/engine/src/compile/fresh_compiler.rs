//! Compiler that compiles from scratch, in a JVM that may have compiled before: JVM start and warm-up take most of the
//! time of a small compilation.

use crate::Toolchain;
use crate::compile::javac::{Compilation, CompileResult, join_class_path};
use crate::compile::shared_jvm::unshareable_reason;
use crate::compile::warm_compiler;
use crate::jvm::jvm_process::{Jvm, JvmResponse};
use mend_model::Result;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// Status bytes of a response: the compilation succeeded, or the compiler itself failed.
const STATUS_OK: u8 = 0;
const STATUS_BROKEN: u8 = 2;

/// First JDK release whose compiler closes jars after a compilation. Before, it may read a changed jar with an old index.
const MIN_JDK_TO_SHARE: u32 = 9;

/// Compiler of one build.
#[derive(Default)]
pub(crate) struct FreshCompiler {
    /// JVM in the build's folder, for options that a shared JVM does not support.
    own_jvm: Option<Jvm>,
}

impl FreshCompiler {
    /// Compiles like the `javac` command. Annotation processors and plugins are third-party code that may leave state
    /// behind in their JVM, so each such compilation gets its own JVM.
    ///
    /// # Errors
    /// [`mend_model::Problem::ProgramMissing`] if the JDK's programs cannot be started, and
    /// [`mend_model::Problem::DiskFull`] if there is no space for the classes.
    pub(crate) fn compile(
        &mut self,
        compilation: &Compilation<'_>,
        files: &[PathBuf],
    ) -> Result<CompileResult> {
        if !compilation.is_plugin_free() {
            return compilation.run(files);
        }
        let arguments = compilation.write_argument_file(files)?;
        let tools = compilation.tools;
        let is_shared =
            tools.jdk.version >= MIN_JDK_TO_SHARE && unshareable_reason(compilation).is_none();
        let (idle, cwd) = if is_shared {
            (tools.idle_compilers.take(), &*tools.program_cache)
        } else {
            (self.own_jvm.take(), compilation.cwd)
        };
        let mut jvm = idle.map_or_else(|| start_jvm(tools, cwd), Ok)?;
        // Output of an earlier build.
        jvm.discard_output();
        match jvm
            .send_and_receive(arguments.as_os_str().as_bytes().to_vec(), compilation.time_limit)?
        {
            JvmResponse::Answer(answer) if answer.first() == Some(&STATUS_BROKEN) => {
                drop(jvm);
                compilation.run(files)
            }
            JvmResponse::Answer(answer) => {
                if is_shared {
                    tools.idle_compilers.add(jvm);
                } else {
                    self.own_jvm = Some(jvm);
                }
                parse_response(compilation, &answer)
            }
            JvmResponse::TimedOut => Ok(CompileResult::TimedOut(jvm.stop())),
            // Only the `javac` command reports why its JVM ended.
            JvmResponse::Failed(_) | JvmResponse::Died => compilation.run(files),
        }
    }
}

fn parse_response(compilation: &Compilation<'_>, answer: &[u8]) -> Result<CompileResult> {
    match answer.split_first() {
        Some((&STATUS_OK, _)) => Ok(CompileResult::Ok),
        output => {
            let output = output.map(|(_, output)| output).unwrap_or_default();
            compilation.failure_result(String::from_utf8_lossy(output).into_owned())
        }
    }
}

fn start_jvm(tools: &Toolchain, cwd: &Path) -> Result<Jvm> {
    let class_path = [vec![warm_compiler::compile_program(tools)?], tools.jdk.tools_jar()].concat();
    let mut options = tools.compiler_flags();
    options.extend(["-cp", &join_class_path(&class_path)].map(Into::into));
    tools.start_jvm(cwd, options, "gitmend.compile.FreshCompiler")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::EngineFixture;
    use std::fs;

    const VALID_SOURCE: &str = "class A { /* é */ int one() { return 1; } }";
    const INVALID_SOURCE: &str =
        "class B { int one() { return \"é\"; } int two() { return three(); } }";

    /// A project with its toolchain.
    struct BuildFixture {
        engine_fixture: EngineFixture,
        tools: Toolchain,
    }

    impl BuildFixture {
        fn new() -> Self {
            let engine_fixture =
                EngineFixture::new(&[("A.java", VALID_SOURCE), ("B.java", INVALID_SOURCE)]);
            Self { tools: engine_fixture.tools(), engine_fixture }
        }

        /// Returns the result of compiling one file with `compile`, and its classes.
        fn compile_with(
            &self,
            (file, options): (&str, &[&str]),
            compile: impl FnOnce(&Compilation<'_>, &[PathBuf]) -> Result<CompileResult>,
        ) -> (CompileResult, Vec<u8>) {
            let output = tempfile::tempdir_in(self.engine_fixture.work_dir.path()).unwrap();
            let compilation = Compilation {
                tools: &self.tools,
                cwd: self.engine_fixture.tree.path(),
                output: output.path(),
                class_path: &[],
                source_path: &[],
                encoding: None,
                options: options.iter().map(ToString::to_string).collect(),
                is_fail_fast: false,
                time_limit: None,
            };
            let result =
                compile(&compilation, &[self.engine_fixture.tree.path().join(file)]).unwrap();
            (result, fs::read(output.path().join("A.class")).unwrap_or_default())
        }
    }

    fn compile_by_command(
        compilation: &Compilation<'_>,
        files: &[PathBuf],
    ) -> Result<CompileResult> {
        compilation.run(files)
    }

    #[test]
    fn fresh_compiler_matches_the_javac_command() {
        let fixture = BuildFixture::new();
        let mut fresh = FreshCompiler::default();
        for call in [
            ("A.java", &[][..]),
            ("B.java", &[]),
            ("A.java", &["-g:none"]),
            ("C.java", &[]),
            ("A.java", &["-Xdoclint/package:-none"]),
        ] {
            let actual =
                fixture.compile_with(call, |compilation, files| fresh.compile(compilation, files));
            assert_eq!(actual, fixture.compile_with(call, compile_by_command), "{call:?}");
            assert_eq!(actual.0 == CompileResult::Ok, call.0 == "A.java", "{call:?}");
            assert!(fresh.own_jvm.is_some() || fixture.tools.idle_compilers.count() > 0);
        }
    }

    #[test]
    fn builds_share_a_jvm_unless_an_option_may_depend_on_its_folder() {
        let fixture = BuildFixture::new();
        let idle_jvms = || fixture.tools.idle_compilers.count();
        let compile = |fresh: &mut FreshCompiler, options: &[&str]| {
            let call = ("A.java", options);
            fixture.compile_with(call, |compilation, files| fresh.compile(compilation, files));
        };
        for _ in 0..2 {
            compile(&mut FreshCompiler::default(), &["-source", "8"]);
            assert_eq!(idle_jvms(), 1);
        }
        let mut with_own_jvm = FreshCompiler::default();
        compile(&mut with_own_jvm, &["--system", "modules"]);
        assert!(with_own_jvm.own_jvm.is_some());
        assert_eq!(idle_jvms(), 1);
    }

    #[test]
    fn command_is_used_if_the_jvm_has_ended() {
        let fixture = BuildFixture::new();
        let mut fresh = FreshCompiler::default();
        let mut compile = |compilation: &Compilation<'_>, files: &[PathBuf]| {
            let result = fresh.compile(compilation, files);
            fixture.tools.idle_compilers.stop_all();
            result
        };
        for _ in 0..2 {
            let (result, class) = fixture.compile_with(("A.java", &[]), &mut compile);
            assert!(result == CompileResult::Ok && !class.is_empty());
        }
    }

    #[test]
    fn processors_and_plugins_get_a_jvm_per_call() {
        let fixture = BuildFixture::new();
        let mut fresh = FreshCompiler::default();
        for options in [&["-processor", "Gone"], &["-Xplugin:Gone", "-proc:none"]] {
            let call = ("A.java", &options[..]);
            let actual =
                fixture.compile_with(call, |compilation, files| fresh.compile(compilation, files));
            assert!(fixture.tools.idle_compilers.take().is_none());
            assert!(matches!(actual.0, CompileResult::Failed(_)), "{actual:?}");
            assert!(fresh.own_jvm.is_none());
        }
    }
}
