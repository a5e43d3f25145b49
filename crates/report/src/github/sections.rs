//! Joins the sections of a text within GitHub's length limit.

pub(crate) mod alternative_fixes;
pub(crate) mod diagrams;
pub(crate) mod findings;
pub(crate) mod headline;
pub(crate) mod threads;
pub(crate) mod verification;

/// Maximum text length in characters. GitHub accepts 65,535.
const MAX_TEXT_CHARS: usize = 60_000;

/// Replacement for sections that did not fit.
const OMITTED_SECTIONS_NOTE: &str =
    "Some sections are too long for this page. The run folder has the full result.";

/// Section of a text.
pub(super) struct TextSection {
    text: String,
    is_required: bool,
}

/// Returns a section that is always kept.
pub(super) fn required_section(text: Option<String>) -> Option<TextSection> {
    text.map(|text| TextSection { text, is_required: true })
}

/// Returns a section that is omitted if the text would be too long.
pub(super) fn optional_section(text: Option<String>) -> Option<TextSection> {
    text.map(|text| TextSection { text, is_required: false })
}

/// Joins sections. If the text is too long, the last optional section is omitted first.
pub(super) fn join_sections(sections: impl IntoIterator<Item = Option<TextSection>>) -> String {
    let mut sections: Vec<TextSection> = sections.into_iter().flatten().collect();
    let length = |sections: &[TextSection]| {
        sections.iter().map(|one| one.text.chars().count() + 2).sum::<usize>()
    };
    let mut is_note_needed = true;
    while length(&sections) > MAX_TEXT_CHARS
        && let Some(last) = sections.iter().rposition(|one| !one.is_required)
    {
        sections.remove(last);
        if std::mem::take(&mut is_note_needed) {
            sections.insert(
                last,
                TextSection { text: OMITTED_SECTIONS_NOTE.to_owned(), is_required: true },
            );
        }
    }
    let texts: Vec<String> = sections.into_iter().map(|one| one.text).collect();
    texts.join("\n\n") + "\n"
}

/// Returns a collapsed section.
pub(super) fn collapsed_section(heading: &str, text: &str) -> String {
    format!("<details><summary>{heading}</summary>\n\n{text}\n\n</details>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_optional_sections_are_omitted_with_a_note() {
        let long = |letter: &str| Some(letter.repeat(MAX_TEXT_CHARS / 2));
        let text = join_sections([
            required_section(Some("first".to_owned())),
            optional_section(long("a")),
            optional_section(long("b")),
            optional_section(long("c")),
            required_section(Some("last".to_owned())),
        ]);
        assert!(text.starts_with("first\n\naaa") && text.ends_with("last\n"));
        assert!(!text.contains("bbb") && !text.contains("ccc"));
        assert_eq!(text.matches(OMITTED_SECTIONS_NOTE).count(), 1);
    }

    #[test]
    fn fitting_sections_are_unchanged() {
        let text = join_sections([
            required_section(Some("a".to_owned())),
            None,
            optional_section(Some("b".to_owned())),
        ]);
        assert_eq!(text, "a\n\nb\n");
    }
}
