//! Titles and messages of commits: plain text.

use super::markdown::visible;
use super::{Hindrance, Mending, Outcome, Story, THE_BUILD};
use crate::model::counted;

/// The longest title, in characters; GitHub takes 256.
const MOST_TITLE: usize = 120;

/// The title of a fix pull request: plain text.
pub fn pull_title(story: &Story) -> String {
    title(&format!("Mend {}{}", name(story.subject()), broken_by(story)))
}

/// The title of the check run, and the first line of everything else: plain text.
pub fn check_title(story: &Story) -> String {
    let subject = name(story.subject());
    title(&match (story.outcome, &story.mending) {
        (Outcome::Found, Some(Mending { part, .. })) => {
            format!("{subject} fails{}; a patch{} mends it", since(story), of_size(part.tokens))
        }
        (Outcome::Found, None) => format!("{subject} fails{}", since(story)),
        (Outcome::Nothing, _) => format!("{subject} fails; no cause was found"),
        (Outcome::Noise, _) => format!("{subject} fails only sometimes; nobody is to blame"),
        (Outcome::Stopped, _) => format!("{subject} fails; the search did not come to its end"),
        (Outcome::Hindered(Hindrance::Premise), _) => {
            format!("{subject} fails; no change can be blamed for it")
        }
        (Outcome::Hindered(Hindrance::Fault), _) => format!("{subject} fails; git-mend failed too"),
        (Outcome::Hindered(Hindrance::Question | Hindrance::Environment), _) => {
            format!("{subject} fails; the search could not be made")
        }
    })
}

/// One line of plain text that is not too long for a title.
pub fn title(text: &str) -> String {
    let text = visible(text).split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(MOST_TITLE) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// The name of a test where there is no code: a title, a message of a commit. What no name of a test has is left out,
/// so that nobody is mentioned, and nothing referred to or closed.
fn name(subject: &str) -> String {
    if subject == THE_BUILD {
        return subject.to_owned();
    }
    let is_part = |c: &char| c.is_alphanumeric() || "_.$#[](),:-".contains(*c);
    let text: String = subject.chars().filter(is_part).collect();
    let is_reference = |part: &str| part.starts_with(|c: char| c.is_ascii_digit());
    match text.split_once('#') {
        Some((class, method)) if !is_reference(method) => {
            format!("{class}#{}", method.replace('#', ""))
        }
        _ => text.replace('#', ""),
    }
}

fn broken_by(story: &Story) -> String {
    story.blame.as_ref().map_or(String::new(), |blame| format!(", broken by {}", blame.short()))
}

fn since(story: &Story) -> String {
    story.blame.as_ref().map_or(String::new(), |blame| format!(" since {}", blame.short()))
}

/// How large a patch is, where that is known.
pub(super) fn of_size(tokens: Option<usize>) -> String {
    tokens.map_or(String::new(), |tokens| format!(" of {}", counted(tokens, "token")))
}

/// The first line and the rest of the message of the commit with the patch. Nothing in it is anybody else's words, as
/// GitHub acts upon some in messages of commits.
pub fn commit_message(story: &Story) -> (String, String) {
    let what = match (&story.blame, story.mending.as_ref().and_then(|one| one.why())) {
        (_, Some(_)) => "The smallest change that was found to make it pass.".to_owned(),
        (Some(blame), None) => {
            format!("Takes back the part of {} that breaks it.", blame.commit)
        }
        (None, None) => "Takes back the part of the change that breaks it.".to_owned(),
    };
    (title(&format!("Mend {}", name(story.subject()))), what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_has_nothing_that_github_acts_upon() {
        for (subject, plain) in [
            ("a.B#c[1]", "a.B#c[1]"),
            ("fixes #12 @all", "fixes12all"),
            ("a/b#1 <x>", "ab1x"),
            ("a.B#c#1", "a.B#c1"),
        ] {
            assert_eq!(name(subject), plain);
        }
    }
}
