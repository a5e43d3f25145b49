//! What fails, since when, and whether something mends it: the first sentence of every text.

use super::markdown::code;
use super::titles::of_size;
use super::{Blame, Hindrance, Outcome, Story};

/// One sentence: what fails, since when, and whether something mends it.
pub(super) fn headline(story: &Story) -> String {
    let (subject, since) = (code(story.subject()), since_link(story));
    let why = story.message.as_deref().map_or(String::new(), |why| format!(": {}", code(why)));
    match (story.outcome, &story.mending) {
        (Outcome::Found, Some(mending)) => format!(
            "**{subject} fails{since}.** A patch{} makes it pass again.",
            of_size(mending.part.tokens)
        ),
        (Outcome::Found, None) => format!("**{subject} fails{since}.** No patch was found."),
        (Outcome::Nothing, _) => {
            format!(
                "**{subject} fails.** The search came to its end and found no cause in this change."
            )
        }
        (Outcome::Noise, _) => format!(
            "**{subject} fails only sometimes{why}.** It failed and passed on the same code, so no commit is to \
             blame. `git mend explore` can show the schedule of threads that makes it fail."
        ),
        (Outcome::Stopped, _) => {
            format!("**{subject} fails.** The search did not come to its end{why}.")
        }
        (Outcome::Hindered(hindrance), _) => {
            let said =
                story.message.as_deref().map(|said| format!(" The search says: {}.", code(said)));
            format!("**{subject} fails.** {}.{}", hindered(hindrance), said.unwrap_or_default())
        }
    }
}

/// Why nothing is said of the change.
fn hindered(hindrance: Hindrance) -> &'static str {
    match hindrance {
        Hindrance::Question => {
            "What broke it was not looked for: the search was asked for something that is not there"
        }
        Hindrance::Premise => {
            "No change can be blamed for it: where it was searched, it does not pass before the change and fail after it. \
             So it is with tests that depend on the day, the network or the machine"
        }
        Hindrance::Environment => {
            "What broke it was not looked for: something is missing where the search ran, which says nothing of the change"
        }
        Hindrance::Fault => {
            "What broke it is not known: git-mend itself failed, which says nothing of the change"
        }
    }
}

/// What to do where the search could not say anything.
pub(super) fn next_step(story: &Story) -> Option<String> {
    let Outcome::Hindered(hindrance) = story.outcome else { return None };
    let report = "The log of the job that searched says more: please report it with that.";
    let own = (hindrance == Hindrance::Fault).then(|| report.to_owned());
    let told = story.remedy.as_deref().map(code);
    let lines: Vec<String> = told.into_iter().chain(own).collect();
    (!lines.is_empty()).then(|| format!("### What to do\n\n{}", lines.join("\n\n")))
}

pub(super) fn since_link(story: &Story) -> String {
    story.blame.as_ref().map_or(String::new(), |blame| format!(" since {}", link(blame)))
}

pub(super) fn link(blame: &Blame) -> String {
    match &blame.url {
        Some(url) => format!("[`{}`]({url})", blame.short()),
        None => code(blame.short()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::story;
    use super::super::titles::check_title;
    use super::*;

    #[test]
    fn each_outcome_has_its_title() {
        let told = |outcome| {
            let story = Story { outcome, mending: None, ..story() };
            format!("{}\n{}", check_title(&story), headline(&story))
        };
        let all = [Outcome::Found, Outcome::Nothing, Outcome::Noise, Outcome::Stopped];
        insta::assert_snapshot!(all.map(told).join("\n\n"));
    }

    #[test]
    fn who_could_not_search_says_so_and_what_to_do() {
        let all =
            [Hindrance::Question, Hindrance::Premise, Hindrance::Environment, Hindrance::Fault];
        let told = |hindrance| {
            let story = Story {
                outcome: Outcome::Hindered(hindrance),
                message: Some("no JDK found: `javac`".to_owned()),
                remedy: Some("install a JDK".to_owned()),
                mending: None,
                blame: None,
                ..story()
            };
            let next = next_step(&story).unwrap_or_default();
            format!("{}\n{}\n{next}", check_title(&story), headline(&story))
        };
        insta::assert_snapshot!(all.map(told).join("\n\n"), @r"
        bakery.TillTest#dozen fails; the search could not be made
        **`bakery.TillTest#dozen` fails.** What broke it was not looked for: the search was asked for something that is not there. The search says: `` no JDK found: `javac` ``.
        ### What to do

        `install a JDK`

        bakery.TillTest#dozen fails; no change can be blamed for it
        **`bakery.TillTest#dozen` fails.** No change can be blamed for it: where it was searched, it does not pass before the change and fail after it. So it is with tests that depend on the day, the network or the machine. The search says: `` no JDK found: `javac` ``.
        ### What to do

        `install a JDK`

        bakery.TillTest#dozen fails; the search could not be made
        **`bakery.TillTest#dozen` fails.** What broke it was not looked for: something is missing where the search ran, which says nothing of the change. The search says: `` no JDK found: `javac` ``.
        ### What to do

        `install a JDK`

        bakery.TillTest#dozen fails; git-mend failed too
        **`bakery.TillTest#dozen` fails.** What broke it is not known: git-mend itself failed, which says nothing of the change. The search says: `` no JDK found: `javac` ``.
        ### What to do

        `install a JDK`

        The log of the job that searched says more: please report it with that.
        ");
    }
}
