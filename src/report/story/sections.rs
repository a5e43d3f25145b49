//! Texts of sections, of no more characters than GitHub takes.

/// The longest text, in characters; GitHub takes 65,535.
const MOST: usize = 60_000;

/// What stands for sections that did not fit.
const LEFT_OUT: &str = "More was found than fits here: the run folder has all of it.";

/// A part of a text.
pub(super) struct Section {
    text: String,
    is_needed: bool,
}

/// A section that every text has if there is anything to say.
pub(super) fn needed(text: Option<String>) -> Option<Section> {
    text.map(|text| Section { text, is_needed: true })
}

/// A section that is left out where all of them would be too long.
pub(super) fn extra(text: Option<String>) -> Option<Section> {
    text.map(|text| Section { text, is_needed: false })
}

/// The text of all sections; of those that may be left out the last goes first.
pub(super) fn joined(sections: impl IntoIterator<Item = Option<Section>>) -> String {
    let mut sections: Vec<Section> = sections.into_iter().flatten().collect();
    let length = |sections: &[Section]| {
        sections.iter().map(|one| one.text.chars().count() + 2).sum::<usize>()
    };
    let mut is_note_needed = true;
    while length(&sections) > MOST
        && let Some(last) = sections.iter().rposition(|one| !one.is_needed)
    {
        sections.remove(last);
        if std::mem::take(&mut is_note_needed) {
            sections.insert(last, Section { text: LEFT_OUT.to_owned(), is_needed: true });
        }
    }
    let texts: Vec<String> = sections.into_iter().map(|one| one.text).collect();
    texts.join("\n\n") + "\n"
}

/// A section that is shown once somebody asks for it.
pub(super) fn folded(heading: &str, text: &str) -> String {
    format!("<details><summary>{heading}</summary>\n\n{text}\n\n</details>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_left_out_from_the_end_and_said_to_be() {
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
    fn what_fits_stands_as_it_is() {
        let text = joined([needed(Some("a".to_owned())), None, extra(Some("b".to_owned()))]);
        assert_eq!(text, "a\n\nb\n");
    }
}
