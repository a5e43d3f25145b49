//! Text of code in candidates and their descriptions.

use mend_java::Code;

/// Returns the weight of a list entry, which falls by `step` of the first weight per position.
pub(super) fn position_weight(position: usize, step: f64) -> f64 {
    1.0 / (1.0 + f64::from(u32::try_from(position).unwrap_or(u32::MAX)) * step)
}

/// Returns code on one line, shortened if it is long.
pub(super) fn abbreviate(text: &str) -> String {
    let line = join_lines(text);
    if is_short(&line) {
        return line;
    }
    line.chars().take(MAX_ABBREVIATED_LEN - 1).chain(['…']).collect()
}

fn join_lines(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn is_short(text: &str) -> bool {
    text.chars().count() <= MAX_ABBREVIATED_LEN
}

/// Describes that code replaces other code. Long code is shortened to the part that changes.
pub(super) fn describe_replacement(old: &str, new: &str) -> String {
    let [old, new] = [old, new].map(join_lines);
    let [old, new] =
        if is_short(&old) && is_short(&new) { [old, new] } else { keep_difference(&old, &new) };
    format!("`{}` becomes `{}`", abbreviate(&old), abbreviate(&new))
}

/// Removes what two texts have in common at the start and at the end, except for the code next to the difference.
fn keep_difference(old: &str, new: &str) -> [String; 2] {
    let texts: [Vec<char>; 2] = [old, new].map(|text| text.chars().collect());
    let [old, new] = &texts;
    let is_equal = |(one, other): &(&char, &char)| one == other;
    let start = old.iter().zip(new).take_while(is_equal).count();
    let common_end = old.iter().rev().zip(new.iter().rev()).take_while(is_equal).count();
    let end = common_end.min(old.len().min(new.len()) - start);
    let from = context_start(&old[..start]);
    let reversed: Vec<char> = old[old.len() - end..].iter().rev().copied().collect();
    let to = context_start(&reversed);
    texts.each_ref().map(|text| {
        let kept: String = text[from..text.len() - to].iter().collect();
        let [before, after] = [from, to].map(|count| if count > 0 { "…" } else { "" });
        format!("{before}{kept}{after}")
    })
}

/// Returns the start of the last part of a text, which is at a space if possible, else at the start of a word.
fn context_start(text: &[char]) -> usize {
    let Some(from) = text.len().checked_sub(CONTEXT_LEN).filter(|from| *from > 0) else { return 0 };
    let is_in_word = |at: &usize| text[*at].is_alphanumeric() && text[at - 1].is_alphanumeric();
    let space = text[from..].iter().position(|c| *c == ' ').map(|at| from + at);
    space.unwrap_or_else(|| (1..=from).rev().find(|at| !is_in_word(at)).unwrap_or(0))
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

/// Length of the code that a description of a difference shows before it, and of that after it.
const CONTEXT_LEN: usize = 20;

#[cfg(test)]
mod tests {
    use super::describe_replacement;

    #[test]
    fn description_of_long_code_shows_the_difference() {
        let old = "input.charAt(0) != CSV_QUOTE || input.charAt(input.length() - 1) != CSV_QUOTE";
        assert_eq!(
            describe_replacement(old, &format!("{old} || input.length() == 1")),
            "`… - 1) != CSV_QUOTE` becomes `… - 1) != CSV_QUOTE || input.length() == 1`"
        );
        assert_eq!(
            describe_replacement(old, &format!("text.isEmpty() || {old}")),
            "`input.charAt(0) != …` becomes `text.isEmpty() || input.charAt(0) != …`"
        );
        assert_eq!(
            describe_replacement(old, &old.replace("() - 1", "()")),
            "`…charAt(input.length() - 1) != CSV_QUOTE` becomes `…charAt(input.length()) != CSV_QUOTE`"
        );
        assert_eq!(describe_replacement("a", "b"), "`a` becomes `b`");
        let other = "0123456789 ".repeat(7);
        assert_eq!(describe_replacement("a", &other), format!("`a` becomes `{}…`", &other[..59]));
    }
}
