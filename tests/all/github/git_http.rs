//! Serves `git clone`, `git fetch` and `git push` by `git http-backend`.

use super::super::support::isolate_git;
use super::access::{Need, check_permission};
use super::actor::Actor;
use super::answer::Answer;
use super::state::State;
use mend_github::AccessLevel;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// HTTP request of git.
pub(super) struct GitCall {
    pub(super) method: String,
    /// Repository: `owner/name`.
    pub(super) repo: String,
    /// Path after the repository.
    pub(super) service_path: String,
    pub(super) query: String,
    /// Headers that `git http-backend` uses, by its environment variables.
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) body: Vec<u8>,
}

/// Splits a path of git's HTTP protocol into repository and service. Returns `None` for other paths.
pub(super) fn split_git_path(path: &str) -> Option<(String, String)> {
    let services = ["/info/refs", "/git-upload-pack", "/git-receive-pack"];
    let service = services.into_iter().find(|service| path.ends_with(service))?;
    let repo = path.trim_start_matches('/').strip_suffix(service)?;
    let repo = repo.strip_suffix(".git").unwrap_or(repo);
    (repo.matches('/').count() == 1).then(|| (repo.to_owned(), service.to_owned()))
}

impl GitCall {
    fn is_push(&self) -> bool {
        self.service_path == "/git-receive-pack" || self.query.contains("git-receive-pack")
    }

    /// Checks the permission. Git sends its first request without a token, so a missing token is requested with 401.
    pub(super) fn check_access(&self, state: &State, actor: Option<&Actor>) -> Option<Answer> {
        let level = if self.is_push() { AccessLevel::Write } else { AccessLevel::Read };
        let requirement = Need::Repo(&["contents"], level);
        let error = check_permission(state, actor, requirement, Some(&self.repo)).err()?;
        let authentication_required = || {
            Answer::error(401, "Authentication required")
                .with_header("www-authenticate", "Basic realm=\"GitHub\"")
        };
        Some(if actor.is_none() { authentication_required() } else { error })
    }

    /// Runs `git http-backend` for the request.
    pub(super) fn run(&self, root: PathBuf) -> Answer {
        let mut command = Command::new("git");
        isolate_git(&mut command)
            .arg("http-backend")
            .env("GIT_PROJECT_ROOT", root)
            .env("GIT_HTTP_EXPORT_ALL", "1")
            .env("PATH_INFO", format!("/{}.git{}", self.repo, self.service_path))
            .env("REQUEST_METHOD", &self.method)
            .env("QUERY_STRING", &self.query)
            .env("CONTENT_LENGTH", self.body.len().to_string())
            .env("REMOTE_USER", "somebody")
            .env("REMOTE_ADDR", "127.0.0.1")
            .envs(self.headers.iter().map(|(name, value)| (*name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        let body = self.body.clone();
        // The program may respond before it has read the whole input.
        let writer = std::thread::spawn(move || input.write_all(&body));
        let output = child.wait_with_output().unwrap();
        let _ = writer.join();
        parse_cgi_output(&output.stdout)
    }
}

/// Parses a CGI response: headers, one of which may be the status, and a body.
fn parse_cgi_output(output: &[u8]) -> Answer {
    let end = output.windows(4).position(|four| four == b"\r\n\r\n").unwrap_or(output.len());
    let mut answer = Answer { status: 200, headers: Vec::new(), body: Vec::new() };
    for line in String::from_utf8_lossy(&output[..end]).lines() {
        match line.split_once(": ") {
            Some(("Status", status)) => answer.status = status[..3].parse().unwrap(),
            Some((name, value)) => answer = answer.with_header(&name.to_lowercase(), value),
            None => {}
        }
    }
    answer.body = output.get(end + 4..).unwrap_or_default().to_vec();
    answer
}
