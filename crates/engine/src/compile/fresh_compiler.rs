//! Compiler that compiles from scratch, in the JVM of a warm compiler: JVM start and warm-up take most of the time of a
//! small compilation. It shares no compiler state with other compilations.

use crate::compile::javac::{Compilation, CompileResult};
use crate::compile::shared_jvm::unshareable_reason;
use crate::compile::warm_compiler;
use crate::jvm::jvm_process::{Jvm, JvmResponse};
use mend_model::Result;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

/// Status bytes of a response: the compilation succeeded, or the compiler itself failed.
const STATUS_OK: u8 = 0;
const STATUS_BROKEN: u8 = 2;

/// First JDK release whose compiler closes jars after a compilation. Before, it may read a changed jar with an old index.
const MIN_JDK_TO_SHARE: u32 = 9;

/// First byte of a request for a compilation of a clean build.
const CLEAN_BUILD_REQUEST: u8 = 3;

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
        let request = [&[CLEAN_BUILD_REQUEST], arguments.as_os_str().as_bytes()].concat();
        let tools = compilation.tools;
        let is_shared =
            tools.jdk.version >= MIN_JDK_TO_SHARE && unshareable_reason(compilation).is_none();
        let (response, output) = if is_shared {
            let compiler = warm_compiler::acquire_for_clean_build(tools)?;
            let response = compiler.send_and_receive(request, compilation.time_limit)?;
            let output = if is_answer(&response) { String::new() } else { compiler.stop() };
            (response, output)
        } else {
            self.compile_in_own_jvm(compilation, request)?
        };
        match response {
            JvmResponse::Answer(answer) if answer.first() != Some(&STATUS_BROKEN) => {
                parse_response(compilation, &answer)
            }
            JvmResponse::TimedOut => Ok(CompileResult::TimedOut(output)),
            // Only the `javac` command reports why its JVM ended. It also has more memory.
            JvmResponse::Answer(_) | JvmResponse::Failed(_) | JvmResponse::Died => {
                compilation.run(files)
            }
        }
    }

    /// Returns the response of a JVM that only this build uses, and the output of the JVM if it had to be stopped.
    fn compile_in_own_jvm(
        &mut self,
        compilation: &Compilation<'_>,
        request: Vec<u8>,
    ) -> Result<(JvmResponse, String)> {
        let start = || warm_compiler::start_jvm(compilation.tools, compilation.cwd);
        let mut jvm = self.own_jvm.take().map_or_else(start, Ok)?;
        let response = jvm.send_and_receive(request, compilation.time_limit)?;
        if !is_answer(&response) {
            return Ok((response, jvm.stop()));
        }
        self.own_jvm = Some(jvm);
        Ok((response, String::new()))
    }
}

fn is_answer(response: &JvmResponse) -> bool {
    matches!(response, JvmResponse::Answer(_))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Toolchain;
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
            assert!(fresh.own_jvm.is_some() || fixture.tools.compilers.count() > 0);
        }
    }

    #[test]
    fn builds_share_a_jvm_unless_an_option_may_depend_on_its_folder() {
        let fixture = BuildFixture::new();
        let shared_jvms = || fixture.tools.compilers.count();
        let compile = |fresh: &mut FreshCompiler, options: &[&str]| {
            let call = ("A.java", options);
            fixture.compile_with(call, |compilation, files| fresh.compile(compilation, files));
        };
        for _ in 0..2 {
            compile(&mut FreshCompiler::default(), &["-source", "8"]);
            assert_eq!(shared_jvms(), 1);
        }
        let mut with_own_jvm = FreshCompiler::default();
        compile(&mut with_own_jvm, &["--system", "modules"]);
        assert!(with_own_jvm.own_jvm.is_some());
        assert_eq!(shared_jvms(), 1);
    }

    #[test]
    fn command_is_used_if_the_jvm_has_ended() {
        let fixture = BuildFixture::new();
        let mut fresh = FreshCompiler::default();
        let mut compile = |compilation: &Compilation<'_>, files: &[PathBuf]| {
            let result = fresh.compile(compilation, files);
            fixture.tools.compilers.stop_all();
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
            assert_eq!(fixture.tools.compilers.count(), 0);
            assert!(matches!(actual.0, CompileResult::Failed(_)), "{actual:?}");
            assert!(fresh.own_jvm.is_none());
        }
    }
}
