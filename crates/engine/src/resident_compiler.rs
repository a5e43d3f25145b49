//! The program of a warm compiler, and starting it.

use super::Toolchain;
use super::compiler::joined;
use super::compiler_pool::ResidentCompiler;
use super::jvm::Jvm;
use super::runtime::{Program, Source, source};
use mend_model::Result;
use std::ffi::OsString;
use std::path::PathBuf;

const SOURCES: [Source; 31] = [
    source!("Wire.java"),
    source!("compile/Asked.java"),
    source!("compile/Change.java"),
    source!("compile/ClassFolder.java"),
    source!("compile/Compilation.java"),
    source!("compile/Compilations.java"),
    source!("compile/Compiled.java"),
    source!("compile/Compiler.java"),
    source!("compile/CompilerServer.java"),
    source!("compile/Digests.java"),
    source!("compile/FreshCompiler.java"),
    source!("compile/Inside.java"),
    source!("compile/LastingContext.java"),
    source!("compile/Libraries.java"),
    source!("compile/MemoryClass.java"),
    source!("compile/MemoryFiles.java"),
    source!("compile/Plan.java"),
    source!("compile/Shape.java"),
    source!("compile/Sources.java"),
    source!("compile/Unit.java"),
    source!("facts/Facts.java"),
    source!("facts/FactsTeller.java"),
    source!("facts/Obligations.java"),
    source!("facts/Refusals.java"),
    source!("facts/Request.java"),
    source!("facts/Role.java"),
    source!("facts/SourceText.java"),
    source!("facts/Strings.java"),
    source!("facts/Symbols.java"),
    source!("facts/Walker.java"),
    source!("facts/Writer.java"),
];

/// What is opened of the compiler, so that it reads the JDK's classes once (`LastingContext.java`). Where that is not
/// as it is known, each compilation begins anew.
const INSIDE: [&str; 3] = ["api", "code", "util"];

/// The first release in which that was tried.
const FIRST_OPENED: u32 = 17;

/// Returns a compiler that compiles for no other worker.
///
/// # Errors
/// [`crate::model::Problem::ProgramMissing`] if the JDK's programs cannot be started, or
/// [`crate::model::Problem::Internal`] if its compiler refuses the program.
pub(super) fn for_classes(tools: &Toolchain) -> Result<ResidentCompiler> {
    tools.compilers.for_classes(|| start(tools))
}

/// Returns a compiler that serves facts; it may also compile for a worker.
///
/// # Errors
/// As [`for_classes`].
pub(super) fn for_facts(tools: &Toolchain) -> Result<ResidentCompiler> {
    tools.compilers.for_facts(|| start(tools))
}

/// Returns the folder of the program's classes; they are compiled unless they are there.
///
/// # Errors
/// As [`for_classes`].
pub(super) fn compiled(tools: &Toolchain) -> Result<PathBuf> {
    Program { sources: &SOURCES, class_path: &tools.jdk.tools(), tools }.kept("compiler")
}

fn start(tools: &Toolchain) -> Result<Jvm> {
    let class_path = [vec![compiled(tools)?], tools.jdk.tools()].concat();
    let mut options = tools.compiler_flags();
    if tools.jdk.version >= FIRST_OPENED {
        options.extend(INSIDE.map(opening));
    }
    options.extend(["-Xmx2g", "-cp", &joined(&class_path)].map(Into::into));
    tools.start_jvm(&tools.kept, options, "gitmend.runtime.CompilerServer")
}

fn opening(inside: &str) -> OsString {
    format!("--add-exports=jdk.compiler/com.sun.tools.javac.{inside}=ALL-UNNAMED").into()
}
