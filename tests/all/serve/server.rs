//! Starts and stops servers for tests.

use super::client::{Answer, Request};
use crate::github::{FakeApp, FakeGithub};
use crate::support::{CommandOutput, isolate_git};
use aws_lc_rs::encoding::AsDer as _;
use aws_lc_rs::rsa::{KeyPair, KeySize};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;
use tempfile::{NamedTempFile, TempDir};

pub(super) const WEBHOOK_SECRET: &str = "It's a Secret to Everybody";

/// Private key in GitHub's format, generated once.
pub(super) static PRIVATE_KEY: LazyLock<String> = LazyLock::new(|| {
    let key = KeyPair::generate(KeySize::Rsa2048).unwrap();
    let der = key.as_der().unwrap();
    let text = BASE64.encode(der.as_ref());
    let lines: Vec<_> =
        text.as_bytes().chunks(64).map(|line| std::str::from_utf8(line).unwrap()).collect();
    format!("-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----\n", lines.join("\n"))
});

/// Name of the folder with compiled programs that jobs copy.
const RUNTIME_FOLDER: &str = "runtime";

/// Data folder of a server.
pub(super) struct ServerHome {
    dir: TempDir,
    api_url: String,
    app_id: String,
}

impl ServerHome {
    /// Creates a home for a server without access to GitHub, so that jobs wait for a retry.
    pub(super) fn new() -> Self {
        Self::with_api("http://127.0.0.1:9")
    }

    /// Creates a home for a server with this API address, which need not exist.
    pub(super) fn with_api(api: &str) -> Self {
        Self::create(7, &PRIVATE_KEY, api)
    }

    /// Creates a home for a server of this App.
    pub(super) fn for_app(app: &FakeApp<'_>, github: &FakeGithub) -> Self {
        Self::create(app.id, &app.private_key, &github.url())
    }

    fn create(app: u64, key: &str, api: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("app.pem"), key).unwrap();
        let home = Self { dir, api_url: api.to_owned(), app_id: app.to_string() };
        // Shares the compiled programs between the servers of all tests.
        let shared = Path::new(env!("CARGO_TARGET_TMPDIR")).join("runtime-of-servers");
        fs::create_dir_all(&shared).unwrap();
        fs::create_dir(home.work_folder()).unwrap();
        symlink(shared, home.work_folder().join(RUNTIME_FOLDER)).unwrap();
        home
    }

    /// Returns the number of the App.
    pub(super) fn app_id(&self) -> u64 {
        self.app_id.parse().unwrap()
    }

    pub(super) fn path(&self) -> &Path {
        self.dir.path()
    }

    pub(super) fn queue_file(&self) -> PathBuf {
        self.dir.path().join("git-mend-queue.sqlite")
    }

    /// Returns the folder with the folders of jobs.
    pub(super) fn work_folder(&self) -> PathBuf {
        self.dir.path().join("git-mend-queue.work")
    }

    /// Returns true if no job left files in the work folder.
    pub(super) fn is_work_folder_empty(&self) -> bool {
        self.work_folder()
            .read_dir()
            .unwrap()
            .all(|entry| entry.unwrap().file_name() == RUNTIME_FOLDER)
    }

    pub(super) fn command(&self) -> Command {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("git-mend"));
        isolate_git(command.current_dir(self.path()))
            .args(["serve", "--listen", "127.0.0.1:0", "--private-key", "app.pem"])
            .args(["--api-url", &self.api_url, "--app-id", &self.app_id])
            .env("GIT_MEND_WEBHOOK_SECRET", WEBHOOK_SECRET);
        command
    }

    pub(super) fn start(&self) -> Server {
        Server::spawn(&mut self.command())
    }
}

/// Running server, which is killed on drop.
pub(super) struct Server {
    child: Child,
    log: NamedTempFile,
    pub(super) address: SocketAddr,
}

impl Server {
    pub(super) fn spawn(command: &mut Command) -> Self {
        // A full pipe without a reader would block the server.
        let log = NamedTempFile::new().unwrap();
        let mut child =
            command.stdout(Stdio::piped()).stderr(log.reopen().unwrap()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let address =
            line.trim().strip_prefix("listening on http://").map(|text| text.parse().unwrap());
        assert!(address.is_some(), "it did not start, but said `{line}`");
        Self { child, log, address: address.unwrap() }
    }

    pub(super) fn send(&self, request: &Request) -> Answer {
        request.send(self.address).unwrap()
    }

    /// Returns true if the status page shows this number of jobs in a state.
    pub(super) fn shows_job_count(&self, state: &str, count: usize) -> bool {
        let words = format!("<dt>{state}</dt><dd>{count}</dd>");
        self.send(&Request::get("/")).body.contains(&words)
    }

    /// Returns true if the log of the server contains these words.
    pub(super) fn has_logged(&self, words: &str) -> bool {
        fs::read_to_string(self.log.path()).unwrap().contains(words)
    }

    /// Requests the server to stop.
    pub(super) fn request_stop(&self) {
        kill_process(Pid::from_child(&self.child), Signal::TERM).unwrap();
    }

    /// Stops the server, and returns its exit code and its log.
    pub(super) fn stop(self) -> CommandOutput {
        self.request_stop();
        self.wait()
    }

    /// Waits for the end of the server, and returns its exit code and its log.
    pub(super) fn wait(mut self) -> CommandOutput {
        let code = self.child.wait().unwrap().code().unwrap();
        let stderr = fs::read_to_string(self.log.path()).unwrap();
        CommandOutput { code, stdout: String::new(), stderr }
    }

    /// Kills the server abruptly, as a power failure does.
    pub(super) fn kill(self) {
        drop(self);
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The process may have ended already.
        let _ = self.child.kill();
        self.child.wait().unwrap();
    }
}
