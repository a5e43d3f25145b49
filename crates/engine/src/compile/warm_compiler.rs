//! Java program of the compiler servers: compiles and starts it.

use super::compiler_pool::WarmCompiler;
use crate::Toolchain;
use crate::compile::javac::join_class_path;
use crate::jvm::java_program::{JavaProgram, program_sources};
use crate::jvm::jvm_process::Jvm;
use mend_model::Result;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Java packages of the program.
const PROGRAM_PACKAGES: [&str; 3] = ["wire", "compile", "facts"];

/// Compiler packages that are exported, so that the compiler reads the JDK's classes only once
/// (`ReusableContext.java`). In an incompatible JDK, each compilation starts with a new context.
const EXPORTED_JAVAC_PACKAGES: [&str; 3] = ["api", "code", "util"];

/// First JDK release in which this is tested.
const MIN_JDK_WITH_EXPORTS: u32 = 17;

/// Returns a compiler that compiles for no other worker.
///
/// # Errors
/// [`mend_model::Problem::ProgramMissing`] if the JDK's programs cannot be started, or
/// [`mend_model::Problem::Internal`] if its compiler refuses the program.
pub(crate) fn acquire_for_compilation(tools: &Toolchain) -> Result<WarmCompiler> {
    tools.compilers.acquire_for_compilation(|| start_jvm(tools, &tools.program_cache))
}

/// Returns a compiler that serves facts; it may also compile for a worker.
///
/// # Errors
/// Errors of [`acquire_for_compilation`].
pub(crate) fn acquire_for_attribution(tools: &Toolchain) -> Result<WarmCompiler> {
    tools.compilers.acquire_for_attribution(|| start_jvm(tools, &tools.program_cache))
}

/// Returns a compiler for a compilation of a clean build; it may also compile for a worker.
///
/// # Errors
/// Errors of [`acquire_for_compilation`].
pub(crate) fn acquire_for_clean_build(tools: &Toolchain) -> Result<WarmCompiler> {
    tools.compilers.acquire_for_clean_build(|| start_jvm(tools, &tools.program_cache))
}

/// Returns the folder of the program's classes, after compiling them if they are not cached.
///
/// # Errors
/// Errors of [`acquire_for_compilation`].
pub(crate) fn compile_program(tools: &Toolchain) -> Result<PathBuf> {
    JavaProgram {
        sources: &program_sources(&PROGRAM_PACKAGES),
        options: &[],
        class_path: &tools.jdk.tools_jar(),
        tools,
    }
    .compile_cached("compiler")
}

/// Starts a compiler server in a working directory.
///
/// # Errors
/// Errors of [`acquire_for_compilation`].
pub(crate) fn start_jvm(tools: &Toolchain, cwd: &Path) -> Result<Jvm> {
    let class_path = [vec![compile_program(tools)?], tools.jdk.tools_jar()].concat();
    let mut options = tools.compiler_flags();
    if tools.jdk.version >= MIN_JDK_WITH_EXPORTS {
        options.extend(EXPORTED_JAVAC_PACKAGES.map(add_exports_option));
    }
    options.extend(["-Xmx2g", "-cp", &join_class_path(&class_path)].map(Into::into));
    tools.start_jvm(cwd, options, "gitmend.compile.CompilerServer")
}

fn add_exports_option(package: &str) -> OsString {
    format!("--add-exports=jdk.compiler/com.sun.tools.javac.{package}=ALL-UNNAMED").into()
}
