//! Tests of project model files, which are recorded on one machine and used on another one that lacks the parent POM.

use crate::support::{
    CommandOutput, commit, git, program, repository, run_keeping_repository, write,
};
use serde_json::Value;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// Child POM. Only its parent names the source folders.
const CHILD_POM: &str = "<project><parent><groupId>p</groupId><artifactId>parent</artifactId><version>1</version>\
    <relativePath/></parent><artifactId>a</artifactId></project>";

const PARENT_POM: &str = "<project><groupId>p</groupId><artifactId>parent</artifactId><version>1</version><build>\
    <sourceDirectory>code</sourceDirectory><testSourceDirectory>checks</testSourceDirectory></build></project>";

const NUMBER_TEST: &str = "class T { public static void main(String[] x) {\n\
    if (Code.NUMBER != 5) throw new IllegalStateException(); } }\n";

/// Creates a repository with a good and a bad commit.
fn recorded_repository() -> TempDir {
    let dir = repository();
    let code = |number: u32, other: u32| {
        format!(
            "class Code {{\n static final int NUMBER = {number};\n\n int other = {other};\n}}\n"
        )
    };
    let good = [
        ("pom.xml", CHILD_POM.to_owned()),
        ("code/Code.java", code(5, 1)),
        ("checks/T.java", NUMBER_TEST.to_owned()),
    ];
    commit(dir.path(), "good", &good);
    commit(dir.path(), "bad", &[("code/Code.java", code(6, 2))]);
    dir
}

fn run_bisect(dir: &Path, more: &[&str]) -> CommandOutput {
    let arguments =
        ["bisect", "--good", "HEAD~1", "--test", "T", "--format", "json", "--model", "files"];
    run_keeping_repository(dir, program(dir).args(arguments).args(more))
}

#[test]
fn recorded_model_works_without_the_parent_pom() {
    let (dir, model_folder) = (recorded_repository(), tempfile::tempdir().unwrap());
    run_bisect(dir.path(), &[])
        .assert_exit_and_stderr(4, &["error: no Java sources found in bad (HEAD)"]);
    let libraries = model_folder.path().join("repository");
    write(&libraries, "p/parent/1/parent-1.pom", PARENT_POM);
    let file = model_folder.path().join("project.json");
    let mut doctor = program(dir.path());
    doctor.env("MAVEN_OPTS", format!("-Dmaven.repo.local={}", libraries.display()));
    let output = run_keeping_repository(
        dir.path(),
        doctor.args(["doctor", "--model", "files", "--record"]).arg(&file),
    );
    assert_eq!(output.code, 0, "{}{}", output.stdout, output.stderr);
    assert!(output.stdout.contains("the project model is written to "), "{}", output.stdout);
    let model: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    assert_eq!(model["schema"], "git-mend/project/1");
    assert_eq!(
        (&model["kind"], &model["modules"][0]["sources"][0]),
        (&"maven".into(), &"code".into())
    );
    let output = run_bisect(dir.path(), &["--project", file.to_str().unwrap()]);
    output.assert_exit_and_stderr(0, &[]);
    assert_eq!(output.json()["culprit"]["tokens"], 2);
}

#[test]
fn handwritten_model_can_be_named_in_settings() {
    let dir = recorded_repository();
    git(dir.path(), &["tag", "bad"]);
    let recorded = |module: &str| {
        format!(
            "{{\"schema\": \"git-mend/project/1\", \"kind\": \"maven\", \"modules\": [{{{module}}}]}}"
        )
    };
    let folders = "\"sources\": [\"code\"], \"test_sources\": [\"checks\"]";
    let cases = [
        (folders.to_owned(), 0, ["", ""]),
        (
            format!("{folders}, \"javac_option\": []"),
            2,
            ["error: ", "`javac_option` at line 1 column"],
        ),
        (
            format!("{folders}, \"class_path\": [\"/none/x.jar\"]"),
            4,
            [
                "library /none/x.jar does not exist (named in ",
                "help: restore that file, or correct ",
            ],
        ),
        (
            format!("{folders}, \"javac_options\": [\"--release\", \"99\"]"),
            4,
            ["does not build", "99"],
        ),
    ];
    for (module, code, words) in cases {
        let model = recorded(&module);
        let settings = "project = 'model.json'\n".to_owned();
        write(dir.path(), ".git-mend.toml", &settings);
        write(dir.path(), "model.json", &model);
        let mut command = program(dir.path());
        command.args(["bisect", "--good", "bad~1", "--bad", "bad", "--test", "T"]);
        run_keeping_repository(dir.path(), &mut command).assert_exit_and_stderr(code, &words);
    }
}
