//! Launcher that runs `javac` for the reference builds in a warm JVM. Each call starts without state of the previous
//! one; only the JVM is reused, because its start takes longer than the compilations.

use crate::jvm::java_program::{JavaProgram, program_sources};
use crate::jvm::jvm_process::{Jvm, JvmResponse};
use crate::jvm::request_encoding;
use crate::test_support::PlainLauncher;
use crate::{ExitInfo, LaunchSpec, Launcher, Toolchain};
use mend_model::Result;
use mend_process::PipedProcess;
use std::collections::HashMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// Starts programs like the usual test launcher, except `javac`.
pub(super) struct WarmJavacLauncher {
    tools: Toolchain,
    /// JVMs by working directory.
    jvms: Mutex<HashMap<PathBuf, Jvm>>,
}

impl WarmJavacLauncher {
    pub(super) fn new(tools: Toolchain) -> Self {
        Self { tools, jvms: Mutex::default() }
    }

    fn start_jvm(&self, cwd: &std::path::Path) -> Jvm {
        let class_path = self.tools.jdk.tools_jar();
        let javac_source = [("Javac.java", include_str!("Javac.java"))];
        let sources = [&javac_source[..], &program_sources(&["wire"])].concat();
        let program = JavaProgram {
            sources: &sources,
            options: &[],
            class_path: &class_path,
            tools: &self.tools,
        };
        let classes = program.compile_cached("javac").unwrap();
        let mut options = self.tools.compiler_flags();
        options.extend([OsString::from("-cp"), classes.into()]);
        self.tools.start_jvm(cwd, options, "gitmend.javac.Javac").unwrap()
    }
}

impl Launcher for WarmJavacLauncher {
    fn run_until(
        &self,
        command: &LaunchSpec,
        is_expired: &mut dyn FnMut() -> bool,
    ) -> Result<ExitInfo> {
        if command.program != self.tools.jdk.javac() {
            return PlainLauncher.run_until(command, is_expired);
        }
        let arguments = command.args.iter().filter_map(|argument| argument.to_str());
        let arguments: Vec<&str> =
            arguments.filter(|argument| !argument.starts_with("-J")).collect();
        let mut request = Vec::new();
        request_encoding::write_length(&mut request, arguments.len())?;
        arguments
            .iter()
            .try_for_each(|argument| request_encoding::write_text(&mut request, argument))?;
        let mut jvms = self.jvms.lock().unwrap_or_else(PoisonError::into_inner);
        let jvm = jvms.entry(command.cwd.clone()).or_insert_with(|| self.start_jvm(&command.cwd));
        let JvmResponse::Answer(answer) = jvm.send_and_receive(request, command.time_limit)? else {
            panic!("no answer")
        };
        let (code, bytes) = answer.split_first().unwrap();
        let output = String::from_utf8(bytes.to_vec()).unwrap();
        Ok(ExitInfo { code: Some(i32::from(*code)), has_timed_out: false, output })
    }

    fn start_piped(&self, command: &LaunchSpec) -> Result<PipedProcess> {
        PlainLauncher.start_piped(command)
    }
}
