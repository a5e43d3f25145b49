//! Texts made of sections, within GitHub's length limit.

pub(crate) mod alternative_fixes;
pub(crate) mod diagrams;
pub(crate) mod findings;
pub(crate) mod headline;
pub(crate) mod threads;
pub(crate) mod verification;

/// Maximum text length in characters. GitHub accepts 65,535.
const MOST: usize = 60_000;

/// Replacement for sections that did not fit.
const LEFT_OUT: &str =
    "Some sections are too long for this page. The run folder has the full result.";

/// Section of a text.
pub(super) struct TextSection {
    text: String,
    is_needed: bool,
}

/// Returns a section that is always kept.
pub(super) fn needed(text: Option<String>) -> Option<TextSection> {
    text.map(|text| TextSection { text, is_needed: true })
}

/// Returns a section that is omitted if the text would be too long.
pub(super) fn extra(text: Option<String>) -> Option<TextSection> {
    text.map(|text| TextSection { text, is_needed: false })
}

/// Joins sections. If the text is too long, the last optional section is omitted first.
pub(super) fn joined(sections: impl IntoIterator<Item = Option<TextSection>>) -> String {
    let mut sections: Vec<TextSection> = sections.into_iter().flatten().collect();
    let length = |sections: &[TextSection]| {
        sections.iter().map(|one| one.text.chars().count() + 2).sum::<usize>()
    };
    let mut is_note_needed = true;
    while length(&sections) > MOST
        && let Some(last) = sections.iter().rposition(|one| !one.is_needed)
    {
        sections.remove(last);
        if std::mem::take(&mut is_note_needed) {
            sections.insert(last, TextSection { text: LEFT_OUT.to_owned(), is_needed: true });
        }
    }
    let texts: Vec<String> = sections.into_iter().map(|one| one.text).collect();
    texts.join("\n\n") + "\n"
}

/// Returns a collapsed section.
pub(super) fn folded(heading: &str, text: &str) -> String {
    format!("<details><summary>{heading}</summary>\n\n{text}\n\n</details>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_that_do_not_fit_are_omitted_from_the_end_with_a_note() {
        let long = |letter: &str| Some(letter.repeat(MOST / 2));
        let text = joined([
            needed(Some("first".to_owned())),
            extra(long("a")),
            extra(long("b")),
            extra(long("c")),
            needed(Some("last".to_owned())),
        ]);
        assert!(text.starts_with("first\n\naaa") && text.ends_with("last\n"));
        assert!(!text.contains("bbb") && !text.contains("ccc"));
        assert_eq!(text.matches(LEFT_OUT).count(), 1);
    }

    #[test]
    fn sections_that_fit_are_unchanged() {
        let text = joined([needed(Some("a".to_owned())), None, extra(Some("b".to_owned()))]);
        assert_eq!(text, "a\n\nb\n");
    }
}
