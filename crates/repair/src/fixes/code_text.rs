//! Text of code in candidates and their descriptions.

use mend_java::Code;

/// Returns the weight of a list entry, which falls by `step` of the first weight per position.
pub(super) fn position_weight(position: usize, step: f64) -> f64 {
    1.0 / (1.0 + f64::from(u32::try_from(position).unwrap_or(u32::MAX)) * step)
}

/// Returns code on one line, shortened if it is long.
pub(super) fn abbreviate(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= MAX_ABBREVIATED_LEN {
        return line;
    }
    line.chars().take(MAX_ABBREVIATED_LEN - 1).chain(['…']).collect()
}

/// Returns the shortest name of a class in the file.
pub(super) fn class_reference(code: &Code<'_>, full: &str) -> String {
    let (package, simple) = full.rsplit_once('.').unwrap_or(("", full));
    let raw = simple.split('<').next().unwrap_or(simple);
    let is_imported =
        code.text.lines().map(str::trim).take_while(|line| !line.ends_with('{')).any(|line| {
            let import = line.strip_prefix("import ").and_then(|rest| rest.strip_suffix(';'));
            import.is_some_and(|import| {
                import == format!("{package}.{raw}") || import == format!("{package}.*")
            })
        });
    let is_own = || code.text.lines().any(|line| line.trim() == format!("package {package};"));
    if is_imported || package == "java.lang" || is_own() {
        simple.to_owned()
    } else {
        full.to_owned()
    }
}

/// Moves code of several lines from one indentation to another.
pub(super) fn reindent(text: &str, from: &str, to: &str) -> String {
    let line = |(at, line): (usize, &str)| {
        if at == 0 || line.trim().is_empty() {
            return line.trim_end_matches([' ', '\t']).to_owned();
        }
        line.strip_prefix(from).map_or_else(|| line.to_owned(), |rest| format!("{to}{rest}"))
    };
    text.split('\n').enumerate().map(line).collect::<Vec<_>>().join("\n")
}

/// Maximum length of code in a description.
const MAX_ABBREVIATED_LEN: usize = 60;
