//! Texts of the first steps on GitHub.

use askama::Template;

/// Text of the pull request with the workflow files.
#[derive(Template)]
#[template(path = "setup_pull.md")]
struct SetupPull<'a> {
    branch: &'a str,
    command: &'a str,
}

/// Returns the title of the pull request with the workflow files.
pub fn setup_pull_title() -> &'static str {
    "Find the culprits of failing tests with git-mend"
}

/// Returns the text of the pull request with the workflow files. The tests run with `command`, also on `branch`.
pub fn setup_pull_body(branch: &str, command: &str) -> String {
    format!("{}\n", SetupPull { branch, command })
}

/// Returns what to do after the workflow files were printed.
pub fn printed_setup_steps() -> &'static str {
    "next: run it again with --apply to write both files, or with --pull-request to open a pull request"
}

/// Returns what to do after the workflow files were written.
pub fn written_setup_steps() -> &'static str {
    "next: commit both files to the default branch, then run `git mend doctor --github`"
}

/// Returns what to do after the App with this number and page was created, and its files written to a folder.
pub fn app_next_steps(id: u64, page: &str, folder: &str) -> String {
    format!(
        "App {id}: {page}\n\
         Wrote app.pem, webhook-secret and environment to {folder}.\n\
         Next:\n\
         1. Start the server: git mend serve --app-id {id} --private-key {folder}/app.pem \
         --webhook-secret-file {folder}/webhook-secret\n\
         2. Install the App on your repositories: {page}/installations/new\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn setup_texts_name_the_next_steps() {
        let body = setup_pull_body("main", "mvn --batch-mode verify");
        let app = app_next_steps(12, "https://github.com/apps/mend", "/etc/git-mend");
        let texts = [body.as_str(), printed_setup_steps(), written_setup_steps(), &app];
        insta::assert_snapshot!(texts.join("\n"), @r#"
        These workflows run the tests of each pull request and of `main`, find the commit that broke a failing test, and publish a verified fix.

        - `git-mend-tests.yml` runs `mvn --batch-mode verify`, and searches if a test fails. It has only read permissions, because it runs the code of pull requests.
        - `git-mend.yml` publishes the result. It may write, and runs no code of the repository.

        Before you merge:

        - If the build needs another JDK than the runner's, add `actions/setup-java` to the first workflow.
        - If another workflow runs these tests already, move the last step of the first workflow there, delete the first workflow, and name the other one in the second.
        - For fix pull requests, enable Settings, Actions, General, "Allow GitHub Actions to create and approve pull requests". `git mend doctor --github` checks it.

        next: run it again with --apply to write both files, or with --pull-request to open a pull request
        next: commit both files to the default branch, then run `git mend doctor --github`
        App 12: https://github.com/apps/mend
        Wrote app.pem, webhook-secret and environment to /etc/git-mend.
        Next:
        1. Start the server: git mend serve --app-id 12 --private-key /etc/git-mend/app.pem --webhook-secret-file /etc/git-mend/webhook-secret
        2. Install the App on your repositories: https://github.com/apps/mend/installations/new
        "#);
    }
}
