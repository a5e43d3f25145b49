//! The program of a warm compiler, and starting it.

use super::compiler_pool::WarmCompiler;
use crate::Toolchain;
use crate::compile::javac::joined;
use crate::jvm::java_program::{JavaProgram, sources};
use crate::jvm::jvm_process::Jvm;
use mend_model::Result;
use std::ffi::OsString;
use std::path::PathBuf;

/// Java packages of the program.
const PACKAGES: [&str; 3] = ["wire", "compile", "facts"];

/// Packages of the compiler that are opened, so that it reads the JDK's classes once (`ReusableContext.java`). If the
/// compiler differs from those that were tried, each compilation starts with a new context.
const INSIDE: [&str; 3] = ["api", "code", "util"];

/// First JDK release in which this was tried.
const FIRST_OPENED: u32 = 17;

/// Returns a compiler that compiles for no other worker.
///
/// # Errors
/// [`mend_model::Problem::ProgramMissing`] if the JDK's programs cannot be started, or
/// [`mend_model::Problem::Internal`] if its compiler refuses the program.
pub(crate) fn for_classes(tools: &Toolchain) -> Result<WarmCompiler> {
    tools.compilers.for_classes(|| start(tools))
}

/// Returns a compiler that serves facts; it may also compile for a worker.
///
/// # Errors
/// Those of [`for_classes`].
pub(crate) fn for_facts(tools: &Toolchain) -> Result<WarmCompiler> {
    tools.compilers.for_facts(|| start(tools))
}

/// Returns the folder of the program's classes; they are compiled unless they are there.
///
/// # Errors
/// Those of [`for_classes`].
pub(crate) fn compiled(tools: &Toolchain) -> Result<PathBuf> {
    JavaProgram { sources: &sources(&PACKAGES), class_path: &tools.jdk.tools(), tools }
        .kept("compiler")
}

fn start(tools: &Toolchain) -> Result<Jvm> {
    let class_path = [vec![compiled(tools)?], tools.jdk.tools()].concat();
    let mut options = tools.compiler_flags();
    if tools.jdk.version >= FIRST_OPENED {
        options.extend(INSIDE.map(opening));
    }
    options.extend(["-Xmx2g", "-cp", &joined(&class_path)].map(Into::into));
    tools.start_jvm(&tools.kept, options, "gitmend.compile.CompilerServer")
}

fn opening(inside: &str) -> OsString {
    format!("--add-exports=jdk.compiler/com.sun.tools.javac.{inside}=ALL-UNNAMED").into()
}
