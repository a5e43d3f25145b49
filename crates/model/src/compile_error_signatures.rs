//! Signatures of compile errors, by which the errors of two builds are compared.

use crate::formatting::without_packages;
use std::collections::BTreeSet;

/// Maximum number of lines after an error in which `javac` names the missing symbol.
const SYMBOL_LINES: usize = 4;

/// Returns a signature of each error in the output of `javac`: the name of the file (no folders, no line
/// number), the message, and the missing symbol.
pub(super) fn error_signatures(diagnostics: &str) -> BTreeSet<String> {
    let lines: Vec<&str> = diagnostics.lines().collect();
    let signature = |(at, line): (usize, &&str)| {
        let (place, message) = line.split_once(": error: ")?;
        let file = place.rsplit('/').next()?.split(':').next()?;
        let following = lines[at + 1..].iter().take(SYMBOL_LINES);
        let mut following = following.take_while(|line| !line.contains(": error: "));
        let symbol = following.find_map(|line| line.trim().strip_prefix("symbol:"));
        let symbol = symbol.map(|symbol| format!(" {}", symbol.trim())).unwrap_or_default();
        // `javac` shortens names only where it runs with its usual options.
        Some(without_packages(&format!("{file}: {message}{symbol}")))
    };
    lines.iter().enumerate().filter_map(signature).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_compared_by_file_message_and_symbol() {
        let output = "src/main/java/a/B.java:4: error: cannot find symbol\n    x.y();\n     ^\n  symbol:   method y()\n  \
            location: class X\nsrc/C.java:9: error: incompatible types\n1 error\n";
        let expected = ["B.java: cannot find symbol method y()", "C.java: incompatible types"];
        assert_eq!(error_signatures(output), expected.map(str::to_owned).into());
        let [short, long] =
            ["m(String,Map.Entry)", "m(java.lang.String,java.util.Map.Entry)"].map(|method| {
                format!("A.java:1: error: cannot find symbol\n  symbol:   method {method}\n")
            });
        assert_eq!(error_signatures(&short), error_signatures(&long));
    }
}
