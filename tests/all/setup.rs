//! Tests of `git mend setup` and `git mend doctor --github` with the in-memory fake of GitHub.

use crate::github::http::send;
use crate::github::{Access, FakeGithub, Fault, MANIFEST_CODE};
use crate::support::{CommandOutput, commit, git, program, repository};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use tempfile::TempDir;

const REPO_NAME: &str = "bakery/till";
const ACTION: &str = "octo/git-mend@0123456789012345678901234567890123456789";
const FILES: [&str; 2] = [".github/workflows/git-mend-tests.yml", ".github/workflows/git-mend.yml"];

/// Creates a Maven project whose remote is a repository on GitHub.
fn maven_project() -> TempDir {
    let dir = repository();
    commit(dir.path(), "one", &[("pom.xml", "<project/>\n"), ("mvnw", "")]);
    git(dir.path(), &["remote", "add", "origin", &format!("https://github.com/{REPO_NAME}.git")]);
    git(dir.path(), &["update-ref", "refs/remotes/origin/trunk", "HEAD"]);
    git(dir.path(), &["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk"]);
    dir
}

fn github_command(dir: &Path, github: &FakeGithub, token: &str, arguments: &[&str]) -> Command {
    let mut command = program(dir);
    command.args(arguments).env("GITHUB_API_URL", github.url()).env("GITHUB_TOKEN", token);
    command
}

fn run(mut command: Command) -> CommandOutput {
    command.output().unwrap().into()
}

fn assert_succeeded(output: &CommandOutput) {
    assert_eq!(output.code, 0, "{}\n{}", output.stdout, output.stderr);
}

fn setup(dir: &Path, arguments: &[&str]) -> CommandOutput {
    let mut command = program(dir);
    command.args(["setup", "github"]).args(arguments);
    run(command)
}

#[test]
fn workflow_files_are_printed_for_the_build() {
    let dir = maven_project();
    let output = setup(dir.path(), &[]);
    assert_succeeded(&output);
    for line in [
        "# .github/workflows/git-mend-tests.yml\n",
        "- run: ./mvnw --batch-mode verify\n",
        "branches: ['trunk'] #",
        "workflows: [git-mend tests]\n",
        "OWNER/git-mend@COMMIT\n",
    ] {
        assert!(output.stdout.contains(line), "no {line:?} in\n{}", output.stdout);
    }
    assert!(output.stderr.contains("or with --pull-request"), "{}", output.stderr);
    assert!(!output.stderr.contains("assume"), "{}", output.stderr);
    assert!(!dir.path().join(".github").exists());
    let json: Value =
        serde_json::from_str(&setup(dir.path(), &["--format", "json"]).stdout).unwrap();
    assert_eq!(json["files"][0]["path"], FILES[0]);
    assert_eq!((&json["action"], &json["pull_request"]), (&json!("printed"), &Value::Null));
}

#[test]
fn report_folders_of_the_build_are_inputs_of_the_search() {
    let dir = maven_project();
    assert!(!setup(dir.path(), &[]).stdout.contains("reports:"));
    let plugin = |name: &str, folder: &str| {
        format!(
            "<plugin><artifactId>maven-{name}-plugin</artifactId><configuration><reportsDirectory>\
             ${{project.build.directory}}/{folder}</reportsDirectory></configuration></plugin>"
        )
    };
    let plugins = [plugin("surefire", "unit"), plugin("failsafe", "failsafe-reports")].concat();
    let pom = format!(
        "<project><artifactId>till</artifactId><build><plugins>{plugins}</plugins></build></project>"
    );
    fs::write(dir.path().join("pom.xml"), pom).unwrap();
    let output = setup(dir.path(), &[]);
    assert_succeeded(&output);
    let inputs = format!(
        "uses: OWNER/git-mend@COMMIT\n        with:\n          reports: |\n            target/unit\n\n# {}\n",
        FILES[1]
    );
    assert!(output.stdout.contains(&inputs), "{}", output.stdout);
    fs::remove_file(dir.path().join("pom.xml")).unwrap();
    let script =
        "tasks.test { reports.junitXml.outputLocation = layout.buildDirectory.dir(\"junit\") }";
    fs::write(dir.path().join("build.gradle.kts"), script).unwrap();
    let output = setup(dir.path(), &[]);
    assert!(output.stdout.contains("reports: |\n            build/junit\n"), "{}", output.stdout);
}

#[test]
fn unknown_default_branch_is_the_current_one_with_a_note() {
    let dir = maven_project();
    git(dir.path(), &["symbolic-ref", "--delete", "refs/remotes/origin/HEAD"]);
    git(dir.path(), &["checkout", "-q", "-b", "develop"]);
    let output = setup(dir.path(), &[]);
    assert_succeeded(&output);
    assert!(output.stdout.contains("branches: ['develop'] #"), "{}", output.stdout);
    let note = "note: the files assume that the default branch is develop";
    assert!(output.stderr.contains(note), "{}", output.stderr);
}

#[test]
fn workflow_files_are_written_once() {
    let dir = maven_project();
    setup(dir.path(), &["--apply"])
        .assert_exit_and_stderr(2, &["add --action OWNER/git-mend@COMMIT"]);
    setup(dir.path(), &["--apply", "--action", "octo/git-mend@v1"])
        .assert_exit_and_stderr(2, &["full hash"]);
    let output = setup(dir.path(), &["--apply", "--action", ACTION]);
    assert_succeeded(&output);
    assert_eq!(output.stdout.lines().collect::<Vec<_>>(), FILES);
    assert!(output.stderr.contains("git mend doctor --github"), "{}", output.stderr);
    for file in FILES {
        let text = fs::read_to_string(dir.path().join(file)).unwrap();
        assert!(text.contains(&format!("uses: {ACTION}\n")), "{text}");
    }
    setup(dir.path(), &["--apply", "--action", ACTION])
        .assert_exit_and_stderr(2, &["git-mend-tests.yml exists"]);
    let empty = repository();
    setup(empty.path(), &[]).assert_exit_and_stderr(2, &["no build of Maven or Gradle"]);
}

#[test]
fn written_and_proposed_files_are_reported_as_json() {
    let dir = maven_project();
    let github = FakeGithub::start();
    github.add_repo(REPO_NAME, dir.path());
    let token = github.token_for(github.user("alice", Access::Write));
    for (option, action) in [("--pull-request", "proposed"), ("--apply", "written")] {
        let arguments = ["setup", "github", option, "--action", ACTION, "--format", "json"];
        let output = run(github_command(dir.path(), &github, &token, &arguments));
        assert_succeeded(&output);
        let json = output.json();
        assert_eq!(
            (&json["schema"], &json["action"]),
            (&json!("git-mend/setup/1"), &json!(action))
        );
        for (file, path) in json["files"].as_array().unwrap().iter().zip(FILES) {
            assert_eq!(file["path"], path);
            assert!(file["content"].as_str().unwrap().contains(ACTION));
        }
        let pulls = github.repo(REPO_NAME).pulls();
        let url = json["pull_request"].as_str().unwrap_or_default();
        let is_address = url.ends_with(&format!("/pull/{}", pulls[0].number));
        assert_eq!(is_address, action == "proposed", "{url}");
    }
}

#[test]
fn workflow_files_are_proposed_as_a_pull_request() {
    let dir = maven_project();
    let github = FakeGithub::start();
    github.add_repo(REPO_NAME, dir.path());
    let token = github.token_for(github.user("alice", Access::Write));
    let arguments = ["setup", "github", "--pull-request", "--action", ACTION];
    for _ in 0..2 {
        assert_succeeded(&run(github_command(dir.path(), &github, &token, &arguments)));
    }
    let till = github.repo(REPO_NAME);
    let [pull] = till.pulls().try_into().unwrap();
    let branch = format!("git-mend/setup-{}", &till.branch("main").unwrap()[..10]);
    assert_eq!((&pull.base_branch, &pull.head_branch), (&"main".to_owned(), &branch));
    assert!(pull.body.contains("Before you merge"), "{}", pull.body);
    let changed = git(&till.path(), &["diff", "--name-only", "main", &branch]);
    assert_eq!(changed.lines().collect::<Vec<_>>(), FILES);
    git(&till.path(), &["update-ref", "refs/heads/main", &branch]);
    run(github_command(dir.path(), &github, &token, &arguments))
        .assert_exit_and_stderr(2, &["git-mend-tests.yml exists on main"]);
}

#[test]
fn forbidden_commit_is_an_error_with_the_reason() {
    let dir = maven_project();
    let github = FakeGithub::start();
    github.add_repo(REPO_NAME, dir.path());
    let token = github.token_for(github.user("alice", Access::Write));
    github.add_fault("git/create-ref", Fault::Instead(403));
    let arguments = ["setup", "github", "--pull-request", "--action", ACTION];
    run(github_command(dir.path(), &github, &token, &arguments))
        .assert_exit_and_stderr(4, &["the token may not add workflow files: ", "Workflows"]);
}

#[test]
fn app_needs_a_writable_folder_without_its_files() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("used")).unwrap();
    fs::write(dir.path().join("used/app.pem"), "").unwrap();
    fs::write(dir.path().join("file"), "").unwrap();
    for (folder, message) in [("used", "app.pem exists"), ("file/app", "cannot write to ")] {
        let mut command = program(dir.path());
        command.args(["setup", "app", "--url", "https://mend.example.org", "--output", folder]);
        run(command).assert_exit_and_stderr(2, &[message]);
    }
}

/// Creates the App with further arguments, as a user does in the browser. Returns the folder too.
fn create_app(more: &[&str]) -> (TempDir, CommandOutput) {
    let github = FakeGithub::start();
    let dir = tempfile::tempdir().unwrap();
    let mut command = program(dir.path());
    let arguments =
        ["setup", "app", "-q", "--url", "https://mend.example.org/", "--organization", "octo"];
    command.args(arguments).args(["--output", "app", "--api-url", &github.url()]).args(more);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
    let page = line.split_whitespace().find(|word| word.starts_with("http://")).unwrap().to_owned();
    let form = String::from_utf8(send("GET", &page, &[], b"").body).unwrap();
    for part in [
        "/organizations/octo/settings/apps/new?state=",
        "https://mend.example.org/webhook",
        &format!("{page}created"),
        "merge_queues",
    ] {
        assert!(form.contains(part), "no {part} in {form}");
    }
    let state: String =
        form.split_once("state=").unwrap().1.chars().take_while(char::is_ascii_hexdigit).collect();
    let redirect = |state: &str| {
        send("GET", &format!("{page}created?code={MANIFEST_CODE}&state={state}"), &[], b"").status
    };
    assert_eq!((redirect("0"), redirect(&state)), (403, 200));
    let output: CommandOutput = child.wait_with_output().unwrap().into();
    assert_succeeded(&output);
    (dir, output)
}

#[test]
fn created_app_is_reported_as_json_without_its_secrets() {
    let (_dir, output) = create_app(&["--format", "json"]);
    let json = output.json();
    assert_eq!((&json["schema"], &json["id"]), (&json!("git-mend/setup-app/1"), &json!(12)));
    assert_eq!(json["files"], json!(["app.pem", "webhook-secret", "environment"]));
    assert!(json["folder"].as_str().unwrap().ends_with("app"));
    for secret in ["PRIVATE KEY", "hook secret"] {
        assert!(!output.stdout.contains(secret), "{}", output.stdout);
    }
}

#[test]
fn app_is_created_in_the_browser() {
    let (dir, output) = create_app(&[]);
    assert!(output.stdout.contains("--app-id 12"), "{}", output.stdout);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&dir.path().join("app")), 0o700);
    for (file, content) in [
        ("app.pem", "-----BEGIN RSA PRIVATE KEY-----\n"),
        ("webhook-secret", "hook secret"),
        ("environment", "GIT_MEND_APP_ID=12\n"),
    ] {
        let path = dir.path().join("app").join(file);
        assert_eq!(fs::read_to_string(&path).unwrap(), content);
        assert_eq!(mode(&path), 0o600, "{file}");
    }
}

/// Runs `git mend doctor --github`, and returns its checks of GitHub: name, status and message.
fn check_github(dir: &Path, github: &FakeGithub, token: &str) -> Vec<[String; 3]> {
    let arguments = ["doctor", "--github", "--format", "json"];
    let report = run(github_command(dir, github, token, &arguments)).json();
    let checks = report["checks"].as_array().unwrap().iter();
    let text = |check: &Value| {
        ["name", "status", "message"].map(|key| check[key].as_str().unwrap().to_owned())
    };
    let names = ["token", "actions", "branches", "protection", "workflows", "github"];
    checks.map(text).filter(|[name, ..]| names.contains(&name.as_str())).collect()
}

#[test]
fn doctor_checks_token_settings_and_rules() {
    let dir = maven_project();
    let github = FakeGithub::start();
    let till = github.add_repo(REPO_NAME, dir.path());
    let [admin, reader] =
        [("alice", Access::Admin), ("bob", Access::Read)].map(|(name, access)| {
            let user = github.user(name, access);
            github.token_for(user)
        });
    let statuses = |token: &str| -> Vec<String> {
        let checks = check_github(dir.path(), &github, token);
        checks.into_iter().map(|[name, status, _]| format!("{name} {status}")).collect()
    };
    assert_eq!(
        statuses(&admin),
        ["token ok", "actions ok", "branches ok", "protection ok", "workflows note"]
    );
    for operation in ["repos/get-branch-rules", "graphql", "git/get-ref"] {
        github.add_fault(operation, Fault::Instead(403));
    }
    let checks = check_github(dir.path(), &github, &admin);
    let hidden = ["branches", "protection", "workflows"];
    for ([name, status, message], expected) in checks[2..].iter().zip(hidden) {
        assert_eq!((name.as_str(), status.as_str()), (expected, "note"));
        assert!(message.starts_with("unknown whether"), "{message}");
    }
    till.forbid_pulls_by_actions();
    till.set_branch_rules(&["creation", "required_signatures"]);
    till.forbid_branches("main");
    till.forbid_branches("**/*");
    assert_eq!(
        statuses(&admin),
        ["token ok", "actions missing", "branches missing", "protection missing", "workflows note"]
    );
    assert_eq!(
        statuses(&reader),
        ["token missing", "actions note", "branches missing", "protection note", "workflows note"]
    );
    assert_eq!(statuses("wrong"), ["token missing"]);
    till.make_private();
    let stranger = github.token_for(github.user("eve", Access::None));
    assert_eq!(
        check_github(dir.path(), &github, &stranger),
        [["token", "missing", "it does not see bakery/till"]]
    );
}
