//! Compilations that a JVM can run between those of other trees: their options depend neither on its working directory
//! nor on its state.

use super::javac::Compilation;

/// Options that have the same effect in a shared JVM; those of the second list take a value.
const FLAG_OPTIONS: [&str; 8] =
    ["-proc:", "-A", "-g", "-parameters", "--enable-preview", "-Xlint", "-nowarn", "-XD"];
const VALUE_OPTIONS: [&str; 13] = [
    "-processor",
    "-processorpath",
    "--processor-path",
    "-source",
    "-target",
    "--source",
    "--target",
    "--release",
    "-encoding",
    "--add-exports",
    "--add-modules",
    "--add-reads",
    "-Xmaxerrs",
];

/// Returns why a compilation needs a JVM of its own, or `None` if a shared JVM can run it.
pub(crate) fn unshareable_reason(compilation: &Compilation<'_>) -> Option<String> {
    let mut options = compilation.options.iter();
    while let Some(option) = options.next() {
        let is_known = |known: &&&str| option.starts_with(**known);
        if VALUE_OPTIONS.contains(&option.as_str()) {
            options.next();
        } else if !FLAG_OPTIONS.iter().any(|known| is_known(&known)) {
            return Some(format!("compiler option {option}"));
        }
    }
    let has_release = compilation.options.iter().any(|option| option == "--release");
    let is_affected_jdk = (9..12).contains(&compilation.tools.jdk.version);
    (has_release && is_affected_jdk).then(|| "--release needs JDK 8, or 12 and newer".to_owned())
}
