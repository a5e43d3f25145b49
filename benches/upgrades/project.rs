//! Writes the Maven project of a case.

use crate::case::{Case, Upgrade};
use crate::repository::{commit_all, git};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

const JUNIT: &str = "junit:junit";
const JUNIT_VERSION: &str = "4.13.2";

/// Writes a repository of two commits: one before the upgrades, one after them.
pub(crate) fn write_project(dir: &Path, case: &Case, harmless: &[Upgrade]) {
    let mut libraries: Vec<&Upgrade> = case.declared.iter().chain(harmless).collect();
    libraries.sort_by_key(|one| &one.library);
    let main = "package shop;\n\npublic class Shop {\n}\n".to_owned();
    write(dir, "src/main/java/shop/Shop.java", main);
    write(dir, "src/test/java/shop/ClientTest.java", client_test(case));
    write(dir, ".gitignore", "target/\n".to_owned());
    for (path, text) in &case.files {
        write(dir, path, text.clone());
    }
    git(dir, &["init", "-q"]);
    for (side, message) in ["before the upgrades", "raise libraries"].iter().enumerate() {
        write(dir, "pom.xml", pom(case, &libraries, side));
        commit_all(dir, message);
    }
}

fn write(dir: &Path, path: &str, text: String) {
    let path = dir.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn client_test(case: &Case) -> String {
    let mut text =
        "package shop;\n\nimport static org.junit.Assert.*;\n\nimport org.junit.Test;\n\n\
        public class ClientTest {\n"
            .to_owned();
    let throws = &case.throws;
    for (number, body) in case.tests.iter().enumerate() {
        let head = format!("    @Test\n    public void client{number}() throws {throws}");
        write!(text, "{head} {{\n{body}    }}\n").unwrap();
    }
    text + "}\n"
}

fn pom(case: &Case, libraries: &[&Upgrade], side: usize) -> String {
    let java = &case.java[side];
    let dependency = |library: &str, version: &str| {
        let (group, artifact) = library.split_once(':').unwrap();
        format!(
            "    <dependency>\n      <groupId>{group}</groupId>\n      <artifactId>{artifact}</artifactId>\n      \
             <version>{version}</version>\n    </dependency>\n"
        )
    };
    let upgraded = libraries.iter().map(|one| dependency(&one.library, &one.versions[side]));
    let unchanged = case.unchanged.iter().map(|one| one.split_once(' ').unwrap());
    let unchanged = unchanged.chain([(JUNIT, JUNIT_VERSION)]);
    let unchanged = unchanged.map(|(library, version)| dependency(library, version));
    let dependencies: String = upgraded.chain(unchanged).collect();
    let plugin = |(plugin, goal): &(Upgrade, String)| {
        let (group, artifact) = plugin.library.split_once(':').unwrap();
        let version = &plugin.versions[side];
        format!(
            "      <plugin>\n        <groupId>{group}</groupId>\n        <artifactId>{artifact}</artifactId>\n        \
             <version>{version}</version>\n        <executions>\n          <execution>\n            <goals>\n              \
             <goal>{goal}</goal>\n            </goals>\n          </execution>\n        </executions>\n      </plugin>\n"
        )
    };
    let plugins: String = case.plugins.iter().map(plugin).collect();
    format!(
        "<project>\n  <modelVersion>4.0.0</modelVersion>\n  <groupId>shop</groupId>\n  <artifactId>shop</artifactId>\n  \
         <version>1</version>\n  <properties>\n    <maven.compiler.release>{java}</maven.compiler.release>\n    \
         <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>\n  </properties>\n  <dependencies>\n\
         {dependencies}  </dependencies>\n  <build>\n    <plugins>\n{plugins}    </plugins>\n  </build>\n</project>\n"
    )
}
