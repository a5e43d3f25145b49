//! A project's model that is recorded where it resolves, and used where it does not.

use crate::support::{CommandOutput, commit, git, program, repository, untouched, write};
use serde_json::Value;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// Where the sources are, only the parent tells.
const POM: &str = "<project><parent><groupId>p</groupId><artifactId>parent</artifactId><version>1</version>\
    <relativePath/></parent><artifactId>a</artifactId></project>";

const PARENT: &str = "<project><groupId>p</groupId><artifactId>parent</artifactId><version>1</version><build>\
    <sourceDirectory>code</sourceDirectory><testSourceDirectory>checks</testSourceDirectory></build></project>";

const TEST: &str = "class T { public static void main(String[] x) {\n\
    if (Code.NUMBER != 5) throw new IllegalStateException(); } }\n";

/// Good, then bad.
fn subject() -> TempDir {
    let dir = repository();
    let code = |number: u32, other: u32| {
        format!(
            "class Code {{\n static final int NUMBER = {number};\n\n int other = {other};\n}}\n"
        )
    };
    let good = [
        ("pom.xml", POM.to_owned()),
        ("code/Code.java", code(5, 1)),
        ("checks/T.java", TEST.to_owned()),
    ];
    commit(dir.path(), "good", &good);
    commit(dir.path(), "bad", &[("code/Code.java", code(6, 2))]);
    dir
}

fn bisect(dir: &Path, more: &[&str]) -> CommandOutput {
    let arguments = ["bisect", "--good", "HEAD~1", "--test", "T", "--format", "json"];
    untouched(dir, program(dir).args(arguments).args(more))
}

#[test]
fn a_model_that_is_recorded_where_the_parent_is_serves_where_it_is_not() {
    let (dir, place) = (subject(), tempfile::tempdir().unwrap());
    bisect(dir.path(), &[]).says(4, &["error: no Java sources found in bad (HEAD)"]);
    let libraries = place.path().join("repository");
    write(&libraries, "p/parent/1/parent-1.pom", PARENT);
    let file = place.path().join("project.json");
    let mut doctor = program(dir.path());
    doctor.env("MAVEN_OPTS", format!("-Dmaven.repo.local={}", libraries.display()));
    let ran = untouched(dir.path(), doctor.args(["doctor", "--record"]).arg(&file));
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("the project model is written to "), "{}", ran.stdout);
    let model: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    assert_eq!(model["schema"], "git-mend/project/1");
    assert_eq!(
        (&model["kind"], &model["modules"][0]["sources"][0]),
        (&"maven".into(), &"code".into())
    );
    let ran = bisect(dir.path(), &["--project", file.to_str().unwrap()]);
    ran.says(0, &[]);
    assert_eq!(ran.json()["culprit"]["tokens"], 2);
}

#[test]
fn a_model_that_is_written_by_hand_may_be_named_in_the_settings() {
    let dir = subject();
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
        untouched(dir.path(), &mut command).says(code, &words);
    }
}
