//! Sets the build information that `git mend --version` prints.

use std::process::Command;

fn main() {
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    println!("cargo::rerun-if-changed=build.rs");
    let rustc = Command::new(variable("RUSTC")).arg("--version").output();
    let rustc =
        rustc.ok().and_then(|output| String::from_utf8(output.stdout).ok()).unwrap_or_default();
    println!("cargo::rustc-env=GIT_MEND_TARGET={}", variable("TARGET"));
    println!("cargo::rustc-env=GIT_MEND_PROFILE={}", variable("PROFILE"));
    println!("cargo::rustc-env=GIT_MEND_RUSTC={}", rustc.trim());
}
