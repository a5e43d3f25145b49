//! Worker that compiles with a warm compiler.

use super::compiler_pool::WarmCompiler;
use super::encoding;
use crate::compile::javac::Compilation;
use crate::compile::shared_jvm::unshareable_reason;
use crate::compile::warm_compiler;
use crate::jvm::jvm_process::JvmResponse;
use crate::jvm::request_encoding::{write_length, write_path, write_paths, write_text};
use anyhow::Context as _;
use mend_java::facts::CompileError;
use mend_model::Result;
use std::path::PathBuf;

/// A warm compiler that compiles incrementally.
#[derive(Default)]
pub(crate) struct CompileWorker {
    compiler: Option<WarmCompiler>,
}

/// Result of a compilation by the warm compiler.
pub(crate) enum WarmCompileResult {
    /// Success, with a digest of the classes in the output folder.
    Ok(Vec<u8>),
    /// The compiler output, as text and as single errors.
    Failed(String, Vec<CompileError>),
    TimedOut,
    /// The warm compiler does not support the compilation, for this reason.
    Unsupported(String),
}

impl CompileWorker {
    pub(crate) fn compile(
        &mut self,
        compilation: &Compilation<'_>,
        files: &[PathBuf],
    ) -> Result<WarmCompileResult> {
        if let Some(reason) = unshareable_reason(compilation) {
            return Ok(WarmCompileResult::Unsupported(reason));
        }
        let request = encode_request(compilation, files)?;
        let (compiler, response) = self.send_and_receive(compilation, request)?;
        let output = match response {
            JvmResponse::Answer(answer) => {
                self.compiler = Some(compiler);
                return parse_response(&answer);
            }
            JvmResponse::TimedOut => {
                compiler.stop();
                return Ok(WarmCompileResult::TimedOut);
            }
            JvmResponse::Failed(output) => output,
            JvmResponse::Died => compiler.stop(),
        };
        let line = output.lines().next().unwrap_or_default();
        Ok(WarmCompileResult::Unsupported(format!("its compiler failed ({line})")))
    }

    /// Returns the compiler and its response. If another user of the compiler has stopped it, a new one responds.
    fn send_and_receive(
        &mut self,
        compilation: &Compilation<'_>,
        request: Vec<u8>,
    ) -> Result<(WarmCompiler, JvmResponse)> {
        let acquire = || warm_compiler::acquire_for_compilation(compilation.tools);
        let kept = self.compiler.take().filter(|one| !one.is_stopped());
        let compiler = kept.map_or_else(acquire, Ok)?;
        let response = compiler.send_and_receive(request.clone(), compilation.time_limit)?;
        if !matches!(response, JvmResponse::Died) || !compiler.is_stopped() {
            return Ok((compiler, response));
        }
        let compiler = acquire()?;
        let response = compiler.send_and_receive(request, compilation.time_limit)?;
        Ok((compiler, response))
    }
}

/// First byte of a compile request.
const COMPILE_REQUEST: u8 = 2;

fn encode_request(compilation: &Compilation<'_>, files: &[PathBuf]) -> Result<Vec<u8>> {
    let encoding_option = compilation.options.iter().position(|option| option == "-encoding");
    let encoding_option =
        encoding_option.and_then(|at| compilation.options.get(at + 1)).map(String::as_str);
    let mut request = vec![COMPILE_REQUEST];
    write_path(&mut request, compilation.cwd)?;
    write_path(&mut request, compilation.output)?;
    write_text(&mut request, encoding_option.or(compilation.encoding).unwrap_or_default())?;
    write_text(&mut request, encoding::FALLBACK_ENCODING)?;
    write_paths(&mut request, compilation.class_path)?;
    write_paths(&mut request, compilation.source_path)?;
    let options: Vec<_> =
        compilation.processing_option().into_iter().chain(compilation.options.clone()).collect();
    write_length(&mut request, options.len())?;
    options.iter().try_for_each(|option| write_text(&mut request, option))?;
    write_paths(&mut request, files)?;
    request.push(u8::from(compilation.runs_processors()));
    request.push(u8::from(compilation.is_fail_fast));
    Ok(request)
}

/// Length of the header of a response: a status byte, the number of compiled files, a digest of the classes, and the
/// length of the text.
const RESPONSE_HEADER_BYTES: usize = 1 + 4 + 32 + 4;

/// Parses the header, the output and the compile errors of a response.
fn parse_response(answer: &[u8]) -> Result<WarmCompileResult> {
    let response_parts =
        answer.split_first_chunk::<RESPONSE_HEADER_BYTES>().and_then(|(head, rest)| {
            let (digest, length) = head[5..].split_last_chunk::<4>()?;
            let length = u32::from_be_bytes(*length) as usize;
            Some((head[0], digest, rest.split_at_checked(length)?))
        });
    let (status, digest, (output, refusals)) =
        response_parts.context("an answer of the compiler is cut off")?;
    let output = String::from_utf8_lossy(output).into_owned();
    Ok(match status {
        0 => WarmCompileResult::Ok(digest.to_owned()),
        1 => WarmCompileResult::Failed(output, CompileError::read_all(refusals)?),
        _ => WarmCompileResult::Unsupported(output),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Toolchain;
    use crate::testing::EngineFixture;
    use fastrand::Rng;

    /// A compiler, the sources that it compiles, and its output folder.
    struct CompilerFixture {
        engine_fixture: EngineFixture,
        tools: Toolchain,
        worker: WarmCompiler,
        files: Vec<PathBuf>,
    }

    /// Classes of a compilation, as their digest.
    #[derive(Debug, PartialEq)]
    struct Classes(Vec<u8>);

    impl CompilerFixture {
        fn new(sources: &[&str]) -> Self {
            let engine_fixture = EngineFixture::new(&[]);
            let tools = engine_fixture.tools();
            let worker = warm_compiler::acquire_for_compilation(&tools).unwrap();
            let path = |number| engine_fixture.tree.path().join(format!("{number}.java"));
            let files = (0..sources.len()).map(path).collect();
            let compiler = Self { engine_fixture, tools, worker, files };
            compiler.write_all(sources);
            compiler
        }

        fn write_all(&self, sources: &[&str]) {
            for (file, source) in self.files.iter().zip(sources) {
                std::fs::write(file, source).unwrap();
            }
        }

        /// Compiles the sources as they are; returns the digest of the classes and the number of
        /// compiled files.
        fn compile(&mut self, output: &str) -> Option<(Classes, u8)> {
            let compilation = Compilation {
                tools: &self.tools,
                cwd: self.engine_fixture.tree.path(),
                output: &self.engine_fixture.work_dir.path().join(output),
                class_path: &[],
                source_path: &[],
                encoding: None,
                options: Vec::new(),
                is_fail_fast: false,
                time_limit: None,
            };
            let request = encode_request(&compilation, &self.files).unwrap();
            let Ok(JvmResponse::Answer(answer)) = self.worker.send_and_receive(request, None)
            else {
                return None;
            };
            (answer[0] == 0).then(|| (Classes(answer[5..37].to_owned()), answer[4]))
        }
    }

    #[test]
    fn only_files_affected_by_the_edit_are_recompiled() {
        let original = [
            "class A { int number() { return 1; } }",
            "class B extends A {}",
            "class C { int number() { return new A().number(); } }",
            "class D {}",
        ];
        let mut compiler = CompilerFixture::new(&original);
        let mut compiled_file_count = |number: usize, edited: &'static str| {
            let mut sources = original;
            sources[number] = edited;
            compiler.write_all(&sources);
            compiler.compile("classes").unwrap().1
        };
        let body = "class A { int number() { return 2; } }";
        let field = "class A { int field; int number() { return 1; } }";
        let method = "class A { int number() { return 1; } int other() { return 1; } }";
        for (number, edited, expected_count, reason) in [
            (3, "class D { int width; }", 4, "there is nothing to begin with"),
            (0, body, 2, "the compiler has not seen D as it is now"),
            (2, "class C { int number() { return 3; } }", 1, "A is as it was at first"),
            (0, field, 1, "no file names the field"),
            (2, "class C { int number() { return 4; } }", 1, "no file named the field"),
            (0, method, 2, "B inherits the method"),
            (3, "class D { int height; }", 1, "neither A nor B is another than at first"),
        ] {
            assert_eq!(compiled_file_count(number, edited), expected_count, "{edited}: {reason}");
        }
    }

    #[test]
    fn incremental_classes_equal_those_of_a_full_compilation() {
        let choices: [&[&str]; 5] = [
            &[
                "abstract class A { static final int N = 1; int number() { return 1; } }",
                "abstract class A { static final int N = 2; int number() { return 1; } }",
                "abstract class A { static final int N = 1; long number() { return 1; } }",
                "abstract class A { static final int N = 1; int number() { return 1; } int E; }",
                "abstract class A { static final int N = 1; int number() { return 1; } static class E {} }",
                "abstract class A implements I { static final int N = 1; public int number() { return 1; } }",
            ],
            &[
                "class B extends A { int m() { return N; } }",
                "class B extends A { long m() { return 1L; } }",
            ],
            &[
                "class C { static Object c(B b) { return b.m() + b.number(); } }",
                "class C { static Object c(A a) { return a.number(); } }",
            ],
            &[
                "interface I {}",
                "interface I { int number(); }",
                "interface I { int N = 4; default int m() { return 5; } }",
            ],
            &[
                "class D { Object d(B b) { return new E().toString() + C.c(b); } } class E {}",
                "class D extends B { int d() { return N; } class E {} }",
            ],
        ];
        let first: Vec<&str> = choices.iter().map(|texts| texts[0]).collect();
        let mut compiler = CompilerFixture::new(&first);
        let (mut random, mut compared, mut incremental) = (Rng::with_seed(5), 0, 0);
        let mut sources = first.clone();
        for step in 0..120 {
            // Mostly edits of one file, each of which reverts the previous one; then the same edit again.
            if random.u8(..4) > 0 {
                sources.clone_from(&first);
            }
            let file = random.usize(..choices.len());
            sources[file] = choices[file][random.usize(..choices[file].len())];
            compiler.write_all(&sources);
            let full = compiler.compile(&format!("whole-{step}"));
            let partial = compiler.compile("classes");
            let classes =
                |compiled: &Option<(Classes, u8)>| compiled.as_ref().map(|it| it.0.0.clone());
            assert_eq!(classes(&partial), classes(&full), "{sources:?}");
            compared += usize::from(full.is_some());
            incremental += usize::from(partial.is_some_and(|(_, files)| files < 5));
        }
        assert!(compared > 60 && incremental > 40, "{compared} compared, {incremental} shortened");
    }
}
