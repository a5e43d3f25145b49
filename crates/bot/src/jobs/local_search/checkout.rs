//! Clones a repository with its history. The clone does not contain the token.

use crate::jobs::target::{CommitRelevance, Target};
use anyhow::Context as _;
use mend_model::CommitId;
use mend_model::{Problem, Result};
use mend_process::{FinishedProcess, ProcessEnd, Program, Supervisor};
use secrecy::{ExposeSecret as _, SecretString};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Environment variable from which git's credential helper reads the token. Arguments, configuration and addresses are
/// visible to other processes and are stored.
const TOKEN_VARIABLE: &str = "GIT_MEND_TOKEN";
const CREDENTIAL_HELPER: &str = r#"!f() { test "$1" = get && echo username=x-access-token && echo "password=$GIT_MEND_TOKEN"; }; f"#;
/// Settings that override the system's git configuration.
const GIT_SETTINGS: [&str; 9] = [
    // Ignores the git configuration of the system.
    "credential.helper=",
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "protocol.allow=never",
    "protocol.https.allow=always",
    "protocol.http.allow=always",
    "submodule.recurse=false",
];
/// Environment variables that are passed to git.
const KEPT_VARIABLES: [&str; 7] =
    ["PATH", "SSL_CERT_FILE", "SSL_CERT_DIR", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy"];
/// Name of the failing commit in the clone.
const BAD_REF: &str = "refs/git-mend/bad";
/// Time limit for fetching a repository.
const FETCH_TIMEOUT: Duration = Duration::from_secs(15 * 60);

/// Repository to clone.
pub(crate) struct Checkout<'a> {
    /// Path of a new folder.
    pub(crate) folder: PathBuf,
    /// Address of the repository, without user name and token.
    pub(crate) url: &'a str,
    /// Token with read access.
    pub(crate) token: &'a SecretString,
    /// Branch to check out. Its settings apply, and a pull request cannot change them.
    pub(crate) default_branch: &'a str,
    /// Failing commit.
    pub(crate) target: &'a Target,
}

impl Checkout<'_> {
    /// Fetches the repository. Returns false if GitHub has another commit by now.
    ///
    /// # Errors
    /// Git's error.
    pub(crate) fn fetch(&self, supervisor: &Supervisor) -> Result<bool> {
        // An existing repository could contain untrusted settings.
        std::fs::create_dir(&self.folder).map_err(|error| Problem::io(error, &self.folder))?;
        self.run_git(supervisor, &["init", "-q"])?;
        let default_refspec =
            format!("+refs/heads/{0}:refs/remotes/origin/{0}", self.default_branch);
        let bad_refspec = match self.target.relevance {
            CommitRelevance::Proposed(pull) => format!("+refs/pull/{pull}/head:{BAD_REF}"),
            CommitRelevance::Merged => format!("+refs/heads/{}:{BAD_REF}", self.target.branch),
            // GitHub still serves the commit of a deleted branch.
            CommitRelevance::InMergeQueue => format!("+{}:{BAD_REF}", self.target.sha),
        };
        let fetch = [
            "fetch",
            "-q",
            "--no-tags",
            "--no-recurse-submodules",
            self.url,
            &default_refspec,
            &bad_refspec,
        ];
        let git = isolated_git(&self.folder).env(TOKEN_VARIABLE, self.token.expose_secret());
        let git = git.arg("-c").arg(self.helper_setting()?).args(fetch);
        check_success(&run_in_time(git, supervisor)?)?;
        let origin = format!("refs/remotes/origin/{}", self.default_branch);
        self.run_git(supervisor, &["checkout", "-q", "--detach", &origin])?;
        self.has_commit(supervisor, &self.target.sha)
    }

    /// Returns the setting that restricts the credential helper to this server, so that a redirect gets no token.
    fn helper_setting(&self) -> Result<String> {
        let url = url::Url::parse(self.url).context("parsing the URL of a repository")?;
        Ok(format!("credential.{}.helper={CREDENTIAL_HELPER}", url.origin().ascii_serialization()))
    }

    /// Returns true if the clone has a commit.
    fn has_commit(&self, supervisor: &Supervisor, commit: &CommitId) -> Result<bool> {
        let is_id = commit.0.bytes().all(|byte| byte.is_ascii_hexdigit());
        let ancestor = ["merge-base", "--is-ancestor", &commit.0, BAD_REF];
        let end = run_in_time(isolated_git(&self.folder).args(ancestor), supervisor)?.end;
        Ok(is_id && end == ProcessEnd::Exited(0))
    }

    fn run_git(&self, supervisor: &Supervisor, arguments: &[&str]) -> Result<()> {
        check_success(&run_in_time(isolated_git(&self.folder).args(arguments), supervisor)?)
    }
}

fn run_in_time(program: Program, supervisor: &Supervisor) -> Result<FinishedProcess> {
    program.supervised(supervisor).time_limit(FETCH_TIMEOUT).run()
}

/// Creates a git program in a folder, without the system's configuration and the caller's environment.
pub(crate) fn isolated_git(folder: &Path) -> Program {
    let program = KEPT_VARIABLES.iter().fold(Program::new("git").env_clear(), |program, name| {
        match std::env::var_os(name) {
            Some(value) => program.env(name, value),
            None => program,
        }
    });
    let program = program
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_TERMINAL_PROMPT", "0");
    let program =
        GIT_SETTINGS.iter().fold(program, |program, setting| program.args(["-c", setting]));
    program.cwd(folder).arg("-C").arg(folder)
}

pub(crate) fn check_success(finished: &FinishedProcess) -> Result<()> {
    match &finished.end {
        ProcessEnd::Exited(0) => Ok(()),
        end => Err(Problem::GitHubError {
            message: format!(
                "git could not fetch the repository ({end:?}): {}",
                finished.output.text().trim()
            ),
            remedy: "give the App read access to the contents of this repository".to_owned(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mend_github::PullNumber;
    use mend_model::Interrupt;
    use std::io::{BufRead as _, BufReader, Write as _};
    use std::net::{TcpListener, TcpStream};
    use std::thread;

    const UNAUTHORIZED_RESPONSE: &str = "401 no\r\nWWW-Authenticate: Basic realm=\"x\"";
    /// "x-access-token:the-token"
    const EXPECTED_AUTHORIZATION: &str = "Basic eC1hY2Nlc3MtdG9rZW46dGhlLXRva2Vu";

    /// Serves the responses in sequence, and returns the `Authorization` header of each request.
    fn serve_responses(responses: Vec<String>) -> (u16, thread::JoinHandle<Vec<String>>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let answer = |stream: TcpStream, text: String| {
            let lines = BufReader::new(stream.try_clone().unwrap()).lines().map(Result::unwrap);
            let head: Vec<String> = lines.take_while(|line| !line.is_empty()).collect();
            let text = format!("HTTP/1.1 {text}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
            (&stream).write_all(text.as_bytes()).unwrap();
            head.join("\n")
        };
        let serve = move || {
            responses.into_iter().map(|text| answer(listener.accept().unwrap().0, text)).collect()
        };
        (port, thread::spawn(serve))
    }

    /// Runs a fetch that fails, and returns its error message.
    fn fetch_error(port: u16, dir: &std::path::Path) -> String {
        let target = Target {
            sha: CommitId("1".repeat(40)),
            branch: "topic".into(),
            relevance: CommitRelevance::Proposed(PullNumber(1)),
            base_branch: "main".into(),
            is_from_own_repo: true,
            is_dependency_update: false,
        };
        let checkout = Checkout {
            folder: dir.join("repository"),
            url: &format!("http://127.0.0.1:{port}/octo/shop.git"),
            token: &SecretString::from("the-token"),
            default_branch: "main",
            target: &target,
        };
        let supervisor = Supervisor::without_watchdog(Interrupt::default());
        checkout.fetch(&supervisor).unwrap_err().to_string()
    }

    #[test]
    fn token_reaches_the_server_and_is_not_stored() {
        let (port, requests) = serve_responses(vec![UNAUTHORIZED_RESPONSE.to_owned(); 2]);
        let dir = tempfile::tempdir().unwrap();
        let problem = fetch_error(port, dir.path());
        let requests = requests.join().unwrap();
        assert!(requests[1].contains(EXPECTED_AUTHORIZATION), "{requests:?}");
        assert!(!problem.contains("the-token"), "{problem}");
        for file in walkdir::WalkDir::new(dir.path()).into_iter().map(Result::unwrap) {
            let content = std::fs::read(file.path()).unwrap_or_default();
            assert!(
                !content.windows(9).any(|part| part == b"the-token"),
                "{}",
                file.path().display()
            );
        }
    }

    #[test]
    fn redirect_target_gets_no_token() {
        for first_responses in [Vec::new(), vec![UNAUTHORIZED_RESPONSE.to_owned()]] {
            let (other_port, asked_there) =
                serve_responses(vec![UNAUTHORIZED_RESPONSE.to_owned(); 2]);
            let redirect = format!(
                "302 there\r\nLocation: http://127.0.0.1:{other_port}/octo/shop.git/info/refs?service=git-upload-pack"
            );
            let (port, requests) =
                serve_responses(first_responses.into_iter().chain([redirect]).collect());
            let dir = tempfile::tempdir().unwrap();
            let problem = fetch_error(port, dir.path());
            // If git does not retry with a token, this is the second request.
            if let Ok(mut stream) = TcpStream::connect(("127.0.0.1", other_port)) {
                stream.write_all(b"nobody\r\n\r\n").unwrap();
            }
            let (requests, there) = (requests.join().unwrap(), asked_there.join().unwrap());
            assert_eq!(
                requests.len() == 2,
                requests.last().unwrap().contains(EXPECTED_AUTHORIZATION)
            );
            assert_eq!(there[1], "nobody");
            assert!(!there[0].to_lowercase().contains("authorization"), "{there:?}");
            assert!(!problem.contains("the-token"), "{problem}");
        }
    }
}
