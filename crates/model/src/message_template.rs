//! Templates of messages, learnt from several runs of the same version.

use super::normalise_message;
use similar::{Algorithm, DiffOp, capture_diff_slices};

/// Message with gaps where the runs of a version differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageTemplate {
    parts: Vec<Part>,
    /// Tokens of the first message.
    first_tokens: Vec<Part>,
    /// True if runs print the same tokens in different orders, as those of a set.
    has_varying_order: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Part {
    Token(String),
    /// Any number of tokens, also none.
    Gap,
}

impl MessageTemplate {
    /// Creates the template that only this message matches, once both are normalised.
    pub fn new(message: &str) -> Self {
        let parts = tokenise(message);
        Self { first_tokens: parts.clone(), parts, has_varying_order: false }
    }

    /// Returns true if the message has this form.
    pub fn matches(&self, message: &str) -> bool {
        self.matches_tokens(&tokenise(message))
    }

    fn matches_tokens(&self, tokens: &[Part]) -> bool {
        matches_parts(&self.parts, tokens)
            || self.has_same_tokens(tokens)
                && (self.has_varying_order || is_list_reordered(&self.first_tokens, tokens))
    }

    /// Returns true if the first message has the same tokens, in any order.
    fn has_same_tokens(&self, tokens: &[Part]) -> bool {
        sorted(tokens) == sorted(&self.first_tokens)
    }

    /// Returns the template that also matches the message of another run of the same version. If the two have fewer
    /// than half of their words in common, it matches any message.
    #[must_use]
    pub fn generalise(&self, message: &str) -> Self {
        let tokens = tokenise(message);
        if self.matches_tokens(&tokens) {
            return self.clone();
        }
        if self.has_same_tokens(&tokens) {
            return Self { has_varying_order: true, ..self.clone() };
        }
        let parts = merge_gaps(common_parts(&self.parts, &tokens));
        let shared = count_words(&parts);
        let needed = count_words(&self.first_tokens).min(count_words(&tokens));
        let is_similar = shared > 0 && 2 * shared >= needed;
        let parts = if is_similar { parts } else { vec![Part::Gap] };
        Self { parts, ..self.clone() }
    }

    /// Returns true if further runs may show that this message has the same form: earlier runs differ, or only the order
    /// of the words does.
    pub fn may_match(&self, message: &str) -> bool {
        self.parts.contains(&Part::Gap)
            || self.has_varying_order
            || self.has_same_tokens(&tokenise(message))
    }

    /// Returns true if every message matches.
    pub fn matches_any_message(&self) -> bool {
        self.parts == [Part::Gap]
    }
}

impl Part {
    /// Returns true for a token with a letter. Numbers are masked, so they say nothing.
    fn is_word(&self) -> bool {
        matches!(self, Self::Token(text) if text.contains(char::is_alphabetic))
    }
}

/// Splits a normalised message into words and single other characters.
fn tokenise(message: &str) -> Vec<Part> {
    let is_word_character = |character: char| character.is_alphanumeric() || character == '_';
    let mut tokens: Vec<String> = Vec::new();
    let mut is_in_word = false;
    for character in normalise_message(message).chars() {
        match tokens.last_mut().filter(|_| is_in_word && is_word_character(character)) {
            Some(word) => word.push(character),
            None => tokens.push(character.to_string()),
        }
        is_in_word = is_word_character(character);
    }
    tokens.into_iter().map(Part::Token).collect()
}

fn count_words(parts: &[Part]) -> usize {
    parts.iter().filter(|part| part.is_word()).count()
}

/// Minimum number of words that move if a list is printed in another order. In another failure, two words swap places
/// too: an expected and an actual value.
const MIN_MOVED_WORDS: usize = 3;

/// Returns true if one text lists the words of the other in another order: most words from the first to the last that
/// differ are at another position.
fn is_list_reordered(one: &[Part], other: &[Part]) -> bool {
    let [one, other] = [one, other].map(|parts| parts.iter().filter(|part| part.is_word()));
    let is_moved: Vec<bool> = one.zip(other).map(|(one, other)| one != other).collect();
    let first_moved = is_moved.iter().position(|moved| *moved);
    let last_moved = is_moved.iter().rposition(|moved| *moved);
    let Some((first, last)) = first_moved.zip(last_moved) else { return false };
    let moved_count = is_moved.iter().filter(|moved| **moved).count();
    moved_count >= MIN_MOVED_WORDS && 2 * moved_count > last - first + 1
}

fn sorted(parts: &[Part]) -> Vec<Part> {
    let mut sorted = parts.to_vec();
    sorted.sort_unstable();
    sorted
}

/// Returns the tokens that both have in the same order, with a gap for each difference.
fn common_parts(template: &[Part], tokens: &[Part]) -> Vec<Part> {
    let mut parts = Vec::new();
    for operation in capture_diff_slices(Algorithm::Myers, template, tokens) {
        match operation {
            DiffOp::Equal { old_index, len, .. } => {
                parts.extend_from_slice(&template[old_index..old_index + len]);
            }
            DiffOp::Delete { .. } | DiffOp::Insert { .. } | DiffOp::Replace { .. } => {
                parts.push(Part::Gap);
            }
        }
    }
    parts
}

/// Minimum number of words between two gaps. Varying texts have single words in common by chance.
const MIN_WORDS_BETWEEN_GAPS: usize = 2;

/// Merges gaps with few words between them.
fn merge_gaps(parts: Vec<Part>) -> Vec<Part> {
    let mut merged: Vec<Part> = Vec::new();
    for part in parts {
        if part == Part::Gap {
            let last_gap = merged.iter().rposition(|one| *one == Part::Gap);
            if let Some(last_gap) = last_gap
                && count_words(&merged[last_gap..]) < MIN_WORDS_BETWEEN_GAPS
            {
                merged.truncate(last_gap);
            }
        }
        merged.push(part);
    }
    merged
}

/// Returns true if tokens match parts with gaps, as with a glob: on a mismatch, the last gap takes one token more.
fn matches_parts(parts: &[Part], tokens: &[Part]) -> bool {
    let (mut part, mut token) = (0, 0);
    let mut last_gap = None;
    while token < tokens.len() {
        if parts.get(part) == Some(&Part::Gap) {
            last_gap = Some((part, token));
            part += 1;
        } else if parts.get(part) == Some(&tokens[token]) {
            (part, token) = (part + 1, token + 1);
        } else if let Some((gap, gap_end)) = last_gap {
            last_gap = Some((gap, gap_end + 1));
            (part, token) = (gap + 1, gap_end + 1);
        } else {
            return false;
        }
    }
    parts[part..].iter().all(|part| *part == Part::Gap)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn learn(messages: &[&str]) -> MessageTemplate {
        let (first, others) = messages.split_first().unwrap();
        others
            .iter()
            .fold(MessageTemplate::new(first), |template, message| template.generalise(message))
    }

    #[test]
    fn varying_identifier_is_masked_and_the_rest_compared() {
        let template = learn(&["no user k3JxQz of shop A", "no user Uyuc_B8 of shop A"]);
        assert!(template.matches("no user aaaa of shop A"));
        assert!(template.matches("no user x+/y== of shop A"));
        assert!(!template.matches("no user aaaa of shop B"));
        assert!(!template.matches("no order aaaa of shop A"));
    }

    #[test]
    fn punctuation_in_a_varying_text_is_not_compared() {
        let template = learn(&["key ab-cd/e wrong", "key f/gh-i-j wrong"]);
        assert!(template.matches("key zz wrong"));
    }

    #[test]
    fn any_order_matches_if_the_order_varies() {
        let template = learn(&["all of: e d c b a", "all of: c b a e d"]);
        assert!(template.matches("all of: b a e d c"));
        assert!(!template.matches("any of: b a e d c") && !template.matches("all of: b a e d"));
    }

    #[test]
    fn reordered_list_matches_without_a_further_run() {
        let template = MessageTemplate::new("missing: a, b, c, d, e in x");
        for list in ["b, c, d, e, a", "e, d, c, b, a", "c, b, a, e, d", "b, c, a, d, e"] {
            assert!(template.matches(&format!("missing: {list} in x")), "{list}");
        }
        for other in ["missing: a, b, c, d in x", "missing: a, b, c, d, x in e"] {
            assert!(!template.matches(other), "{other}");
        }
    }

    #[test]
    fn swapped_words_of_a_sentence_are_another_message() {
        for [message, swapped] in [
            ["Expected: is true but: was false", "Expected: is false but: was true"],
            ["want open, got closed", "want closed, got open"],
        ] {
            let template = MessageTemplate::new(message);
            assert!(!template.matches(swapped) && template.may_match(swapped), "{swapped}");
            assert!(template.generalise(swapped).matches(swapped));
        }
    }

    #[test]
    fn words_between_varying_words_are_compared() {
        let template = learn(&["user ab sees state OPEN of cd", "user ef sees state OPEN of gh"]);
        assert!(template.matches("user xy sees state OPEN of z"));
        assert!(!template.matches("user xy sees state CLOSED of z"));
    }

    #[test]
    fn later_runs_extend_the_gaps() {
        let template =
            learn(&["copy of a to x failed", "copy of b to x failed", "copy of a to y failed"]);
        assert!(template.matches("copy of q to r failed"));
        assert!(!template.matches("copy of q to r succeeded"));
    }

    #[test]
    fn unlike_messages_are_not_compared() {
        for other in ["Connection to host refused", ""] {
            let template = learn(&["no such user alice", other]);
            assert!(template.matches_any_message() && template.matches("anything"));
        }
        assert!(!learn(&["no such user alice", "no such user bob"]).matches_any_message());
    }

    #[test]
    fn template_of_one_message_matches_no_other() {
        let template = MessageTemplate::new("no such key");
        assert!(template.matches("no such  key"));
        for other in ["no such", "no such key here", "", "no such lock"] {
            assert!(!template.matches(other));
        }
    }

    /// Messages that share some words.
    fn messages() -> impl Strategy<Value = String> {
        let word = prop_oneof![
            Just("user".to_owned()),
            Just("of".to_owned()),
            "[g-z]{1,4}",
            "[ -~]{0,3}",
        ];
        prop::collection::vec(word, 0..8).prop_map(|words| words.join(" "))
    }

    proptest! {
        #[test]
        fn template_matches_every_run_it_was_learnt_from(
            runs in prop::collection::vec(messages(), 1..5),
        ) {
            let all: Vec<&str> = runs.iter().map(String::as_str).collect();
            let template = learn(&all);
            for run in &runs {
                prop_assert!(template.matches(run), "{:?} does not match {:?}", run, template);
            }
        }

        #[test]
        fn learning_a_known_run_changes_nothing(one in messages(), other in messages()) {
            let template = learn(&[&one, &other]);
            prop_assert_eq!(&template.generalise(&one), &template);
            prop_assert_eq!(&template.generalise(&other), &template);
        }
    }
}
