//! Sandbox for untrusted code: no network, no secrets, one writable folder, and resource limits. Uses bubblewrap if it
//! is installed, or else Linux namespaces. Without either, no code runs.

#[cfg(test)]
mod tests;

use crate::{Process, ProcessEnd, Program, Supervisor};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Script that creates the sandbox without bubblewrap.
const NAMESPACES_SCRIPT: &str = include_str!("sandbox/namespaces.sh");
/// System files that programs need. None of these contains secrets, but `/etc` as a whole may.
const SYSTEM_PATHS: [&str; 9] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib64",
    "/etc/alternatives",
    "/etc/ld.so.cache",
    "/etc/passwd",
    "/etc/ssl/certs",
];
/// Size limit of the in-memory file systems `/tmp` and `/dev/shm`, in bytes: process limits do not count them.
const MAX_TMP_BYTES: &str = "1073741824";
const MAX_SHARED_MEMORY_BYTES: &str = "67108864";

/// Kind of sandbox.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Sandbox {
    /// Sandbox of bubblewrap.
    Bubblewrap,
    /// Sandbox of Linux namespaces, created by `unshare` and a shell script.
    Namespaces,
    /// No sandbox, at the user's explicit request. Resource limits apply, but network and files are accessible.
    Unconfined,
}

/// Resource limits of a program.
#[derive(Clone, Copy, Debug)]
pub struct ResourceLimits {
    /// Time limit.
    pub time_limit: Duration,
    /// Memory limit of each process, in bytes.
    pub max_memory: u64,
    /// Maximum number of processes and threads. The system does not enforce it for root.
    pub max_processes: u32,
    /// Maximum size of a written file, in bytes.
    pub max_file_size: u64,
}

/// Untrusted program to run.
pub struct UntrustedProgram<'a> {
    /// The only writable folder: an absolute path.
    pub writable_folder: &'a Path,
    /// Working directory: the writable folder, or a folder among the readable paths.
    pub working_directory: &'a Path,
    /// Further readable paths.
    pub readable_paths: &'a [PathBuf],
    /// Complete environment of the program.
    pub environment: &'a [(&'a str, OsString)],
    /// Resource limits.
    pub limits: ResourceLimits,
}

impl Sandbox {
    /// Search path for programs in each sandbox.
    pub const EXECUTABLE_PATH: &str =
        "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin";

    /// Returns the best kind of sandbox that works on this machine. Tries each kind.
    pub fn find_working(supervisor: &Supervisor) -> Option<Self> {
        [Self::Bubblewrap, Self::Namespaces].into_iter().find(|sandbox| sandbox.works(supervisor))
    }

    fn works(&self, supervisor: &Supervisor) -> bool {
        let Ok(folder) = tempfile::tempdir() else { return false };
        let quota = ResourceLimits {
            time_limit: Duration::from_secs(10),
            max_memory: 1 << 30,
            max_processes: 64,
            max_file_size: 1 << 20,
        };
        let program = UntrustedProgram {
            writable_folder: folder.path(),
            working_directory: folder.path(),
            readable_paths: &[],
            environment: &[],
            limits: quota,
        };
        let run = self.process(&program, ["true"], supervisor).run();
        run.is_ok_and(|finished| finished.end == ProcessEnd::Exited(0))
    }

    /// Creates the process of a program in the sandbox. A timeout ends it with all its child processes.
    pub fn process<S: AsRef<OsStr>>(
        &self,
        program: &UntrustedProgram<'_>,
        command: impl IntoIterator<Item = S>,
        supervisor: &Supervisor,
    ) -> Process {
        let readable = program.readable_paths.iter().map(PathBuf::as_path);
        let (system, java) = (SYSTEM_PATHS.iter().map(Path::new), java_settings_folders());
        let readable_candidates = system.chain(java.iter().map(PathBuf::as_path)).chain(readable);
        let readable = without_nested(readable_candidates.filter(|path| path.exists()));
        let sandboxed = match self {
            Self::Bubblewrap => bubblewrap_program(program, &readable),
            Self::Namespaces => namespaces_program(program, &readable),
            Self::Unconfined => Program::new("env"),
        };
        let sandboxed = sandboxed.args(limit_arguments(program.limits)).args(command).env_clear();
        let sandboxed =
            sandboxed.env("PATH", Self::EXECUTABLE_PATH).env("HOME", "/tmp").env("LANG", "C.UTF-8");
        let variables = program.environment.iter();
        let sandboxed = variables.fold(sandboxed, |one, (name, value)| one.env(name, value));
        sandboxed
            .cwd(program.working_directory)
            .supervised(supervisor)
            .time_limit(program.limits.time_limit)
    }
}

/// Leaves out paths below an earlier one: they are readable anyway.
fn without_nested<'a>(paths: impl Iterator<Item = &'a Path>) -> Vec<&'a Path> {
    let mut kept: Vec<&Path> = Vec::new();
    for path in paths {
        if !kept.iter().any(|known| path.starts_with(known)) {
            kept.push(path);
        }
    }
    kept
}

/// Returns the folders of JDK settings, such as `/etc/java-17-openjdk` on Debian. Without them no JVM starts.
fn java_settings_folders() -> Vec<PathBuf> {
    let entries = std::fs::read_dir("/etc").into_iter().flatten().flatten();
    let is_java = |name: &OsStr| name.as_encoded_bytes().starts_with(b"java");
    entries.filter(|entry| is_java(&entry.file_name())).map(|entry| entry.path()).collect()
}

fn bubblewrap_program(untrusted: &UntrustedProgram<'_>, readable: &[&Path]) -> Program {
    let folder = untrusted.writable_folder;
    let program = Program::new("bwrap")
        .args(["--unshare-all", "--unshare-user", "--die-with-parent", "--new-session"])
        .args(["--cap-drop", "ALL", "--proc", "/proc", "--dev", "/dev"])
        .args(["--size", MAX_SHARED_MEMORY_BYTES, "--tmpfs", "/dev/shm", "--remount-ro", "/dev"])
        .args(["--size", MAX_TMP_BYTES, "--tmpfs", "/tmp"]);
    let program = readable.iter().fold(program, |program, path| match std::fs::read_link(path) {
        Ok(target) => program.arg("--symlink").arg(target).arg(path),
        Err(_) => program.arg("--ro-bind").arg(path).arg(path),
    });
    // The root is an in-memory file system, which must be read-only too.
    let program = program.arg("--bind").args([folder, folder]).args(["--remount-ro", "/"]);
    program.arg("--chdir").arg(untrusted.working_directory).arg("--")
}

/// Creates a program in namespaces. The script mounts over `/tmp` in its own namespace, which is invisible outside.
fn namespaces_program(untrusted: &UntrustedProgram<'_>, readable: &[&Path]) -> Program {
    Program::new("unshare")
        .args(["--user", "--map-root-user", "--mount", "--net", "--ipc", "--uts", "--pid"])
        .args([
            "--fork",
            "--kill-child",
            "--propagation",
            "private",
            "sh",
            "-c",
            NAMESPACES_SCRIPT,
            "sh",
        ])
        .arg("/mnt")
        .arg(untrusted.writable_folder)
        .arg(untrusted.working_directory)
        .arg(readable.len().to_string())
        .args(readable)
}

/// `prlimit` and `choom` come with `unshare`. The memory limit counts used memory, because a JVM reserves far more. If
/// all processes together exhaust the memory of the server's unit or container, the system kills these before the
/// server.
fn limit_arguments(limits: ResourceLimits) -> Vec<String> {
    vec![
        "prlimit".to_owned(),
        "--core=0".to_owned(),
        "--nofile=4096".to_owned(),
        format!("--data={}", limits.max_memory),
        format!("--nproc={}", limits.max_processes),
        format!("--fsize={}", limits.max_file_size),
        format!("--cpu={}", limits.time_limit.as_secs().saturating_mul(4)),
        "--".to_owned(),
        "choom".to_owned(),
        "--adjust=1000".to_owned(),
        "--".to_owned(),
    ]
}
