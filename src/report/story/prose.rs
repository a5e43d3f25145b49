//! Every sentence that people read on GitHub.

use super::markdown::{block, code, visible};
use super::replacement::Replacement;
use super::{Blame, Hindrance, Mending, Outcome, Part, Story, THE_BUILD};
use crate::model::counted;
use crate::report::Sketch;

/// How much of a patch is shown; all of it is in the run folder.
const MOST_LINES: usize = 120;
const MOST_CHARS: usize = 12_000;

/// How many failing tests are named.
const MOST_TESTS: usize = 8;

/// How much is drawn, in characters; the report draws everything.
const MOST_DRAWN: usize = 16_000;

/// How much is named that nobody checked.
const MOST_UNCHECKED: usize = 20;

/// The longest title, in characters; GitHub takes 256.
const MOST_TITLE: usize = 120;

/// What a text is to know besides the story: what became of the patch.
#[derive(Clone, Debug, Default)]
pub struct Words {
    /// Where the run folder and the report are, if there is a page for them.
    pub report: Option<String>,
    /// The pull request with the patch.
    pub fix_pull: Option<u64>,
    /// The pull request that fails.
    pub failing_pull: Option<u64>,
    /// Whether the patch is suggested line by line.
    pub is_suggested: bool,
    /// Why there is no pull request, where there could be one.
    pub withheld: Option<String>,
    /// How many places that the patch changes have no remark.
    pub unmarked: usize,
}

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

fn of_size(tokens: Option<usize>) -> String {
    tokens.map_or(String::new(), |tokens| format!(" of {}", counted(tokens, "token")))
}

/// The first line and the rest of the message of the commit with the patch. Nothing in it is anybody else's words, as
/// GitHub acts upon some in messages of commits.
pub fn commit_message(story: &Story) -> (String, String) {
    let what = match (&story.blame, story.mending.as_ref().and_then(|one| one.why.as_deref())) {
        (_, Some(_)) => "The smallest change that was found to make it pass.".to_owned(),
        (Some(blame), None) => {
            format!("Takes back the part of {} that breaks it.", blame.commit)
        }
        (None, None) => "Takes back the part of the change that breaks it.".to_owned(),
    };
    (title(&format!("Mend {}", name(story.subject()))), what)
}

/// The text of a fix pull request. It begins with `marker`, by which it is found again.
pub fn pull_body(story: &Story, marker: &str, words: &Words) -> String {
    let failing = words.failing_pull.map(|number| format!("For #{number}."));
    joined([
        vec![Some(format!("{marker}\n{}", headline(story))), failing],
        found(story),
        drawn(story),
        end(story, words),
    ])
}

/// The comment on a pull request that fails. It begins with `marker`, by which it is found again.
pub fn comment(story: &Story, marker: &str, words: &Words) -> String {
    joined([start(story, marker, words), found(story), end(story, words)])
}

/// The summary of a check run, or of a step of a job.
pub fn summary(story: &Story, words: &Words) -> String {
    let text = joined([
        start(story, "", words),
        found(story),
        unmarked(words),
        drawn(story),
        end(story, words),
    ]);
    text.trim_start().to_owned()
}

type Sections = Vec<Option<String>>;

/// What fails, and what is to be done.
fn start(story: &Story, marker: &str, words: &Words) -> Sections {
    let todo = match (words.fix_pull, words.is_suggested, &story.mending) {
        (Some(number), ..) => Some(format!("#{number} has the patch.")),
        (None, true, _) => Some("The patch is suggested in the changed lines.".to_owned()),
        (None, false, Some(mending)) => Some(apply(&mending.part)),
        (None, false, None) => None,
    };
    let withheld = words.withheld.as_ref().map(|why| format!("No pull request was made: {why}."));
    vec![Some(format!("{marker}\n{}", headline(story))), todo, withheld, next_step(story)]
}

/// What was found.
fn found(story: &Story) -> Sections {
    vec![tests(story), broke(story), why(story)]
}

/// What the patch changes besides the lines that have a remark.
fn unmarked(words: &Words) -> Sections {
    let count = words.unmarked;
    vec![
        (count > 0).then(|| {
            format!("The patch changes {} without a remark.", counted(count, "more place"))
        }),
    ]
}

/// What speaks for it.
fn end(story: &Story, words: &Words) -> Sections {
    vec![checked(story), yourself(story), Some(footer(story, words))]
}

/// Pictures of the search, which GitHub draws; each with its words below it.
fn drawn(story: &Story) -> Sections {
    let picture = |one: &Sketch| format!("```mermaid\n{}\n```\n\n{}", one.source, one.told);
    let pictures: Vec<String> = story.sketches.iter().map(picture).collect();
    let section = format!("### How it was found\n\n{}", pictures.join("\n\n"));
    let is_fit = !pictures.is_empty() && section.chars().count() <= MOST_DRAWN;
    vec![is_fit.then_some(section)]
}

/// The comment of a leg that found what the comment at `url` tells. It begins with `marker`, by which it is found again.
pub fn told_there(story: &Story, marker: &str, url: &str) -> String {
    let (subject, since) = (code(story.subject()), since_link(story));
    format!(
        "{marker}\n**{subject} fails{since} in another job too**, as [told above]({url}).\n\n{}\n",
        forgeable()
    )
}

/// The text above suggestions. It begins with `marker`, by which it is found again.
pub fn suggestion_intro(story: &Story, marker: &str) -> String {
    format!("{marker}\n{}\n\n{}", headline(story), forgeable())
}

/// The text of one suggestion in the lines of a pull request.
pub fn suggestion(story: &Story, replacement: &Replacement) -> String {
    let reason = match story.mending.as_ref().and_then(|one| one.why.as_deref()) {
        Some(why) => format!("Mends {}: {}", code(story.subject()), code(why)),
        None => format!("Mends {}.", code(story.subject())),
    };
    let text = replacement.text.strip_suffix('\n').unwrap_or(&replacement.text);
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat((longest + 1).max(3));
    format!("{reason}\n\n{fence}suggestion\n{text}\n{fence}")
}

fn joined<const N: usize>(sections: [Sections; N]) -> String {
    sections.into_iter().flatten().flatten().collect::<Vec<_>>().join("\n\n") + "\n"
}

/// One sentence: what fails, since when, and whether something mends it.
fn headline(story: &Story) -> String {
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
fn next_step(story: &Story) -> Option<String> {
    let Outcome::Hindered(hindrance) = story.outcome else { return None };
    let report = "The log of the job that searched says more: please report it with that.";
    let own = (hindrance == Hindrance::Fault).then(|| report.to_owned());
    let told = story.remedy.as_deref().map(code);
    let lines: Vec<String> = told.into_iter().chain(own).collect();
    (!lines.is_empty()).then(|| format!("### What to do\n\n{}", lines.join("\n\n")))
}

fn since_link(story: &Story) -> String {
    story.blame.as_ref().map_or(String::new(), |blame| format!(" since {}", link(blame)))
}

fn link(blame: &Blame) -> String {
    match &blame.url {
        Some(url) => format!("[`{}`]({url})", blame.short()),
        None => code(blame.short()),
    }
}

fn tests(story: &Story) -> Option<String> {
    let symptom = story.symptom.as_deref().map(code);
    let more = match story.tests.len() {
        0 | 1 => None,
        count => {
            let named = story.tests.iter().take(MOST_TESTS).map(|test| format!("- {}", code(test)));
            let named: Vec<String> = named.collect();
            let left = count - named.len();
            let rest = if left > 0 { format!("\n- and {left} more") } else { String::new() };
            Some(format!("All {count} tests that failed:\n\n{}{rest}", named.join("\n")))
        }
    };
    match (symptom, more) {
        (None, more) => more,
        (Some(symptom), None) => Some(format!("> {symptom}")),
        (Some(symptom), Some(more)) => Some(format!("> {symptom}\n\n{more}")),
    }
}

/// The commit, and the part of it that matters.
fn broke(story: &Story) -> Option<String> {
    let commit = story.blame.as_ref().map(|blame| {
        let summary =
            blame.summary.as_deref().map_or(String::new(), |text| format!(" {}", code(text)));
        let author =
            blame.author.as_deref().map_or(String::new(), |name| format!(" by {}", code(name)));
        let date =
            blame.date.as_deref().map_or(String::new(), |date| format!(" on {}", code(date)));
        let pull = blame.pull.map_or(String::new(), |number| format!(", in #{number}"));
        format!("{}{summary}{author}{date}{pull}", link(blame))
    });
    let several = (!story.suspects.is_empty() && story.blame.is_none()).then(|| {
        let named: Vec<String> =
            story.suspects.iter().take(MOST_TESTS).map(|id| code(id)).collect();
        format!("One of these commits, which cannot be told apart: {}", named.join(", "))
    });
    let part = story.culprit.as_ref().map(|part| {
        let whole =
            story.delta_tokens.map_or(String::new(), |all| format!(", of {all} that were changed"));
        let size = part.tokens.map_or(String::new(), |tokens| counted(tokens, "token"));
        format!("What breaks it ({size}{whole}):\n\n{}", diff(part))
    });
    let text: Vec<String> = [commit, several, part].into_iter().flatten().collect();
    (!text.is_empty()).then(|| format!("### What broke it\n\n{}", text.join("\n\n")))
}

fn why(story: &Story) -> Option<String> {
    let mending = story.mending.as_ref()?;
    let why = match &mending.why {
        Some(why) => code(why),
        None => {
            "It takes back just what breaks the test, and leaves the rest of that change as it is."
                .to_owned()
        }
    };
    Some(format!("### The patch\n\n{why}\n\n{}", diff(&mending.part)))
}

fn diff(part: &Part) -> String {
    block("diff", &part.text, MOST_LINES, MOST_CHARS)
}

fn apply(part: &Part) -> String {
    format!("To take the patch, save it as {} and run `git apply {}`.", code(&part.file), part.file)
}

/// What was checked and what was not.
fn checked(story: &Story) -> Option<String> {
    let mut done = Vec::new();
    if let (Some(mending), true) = (&story.mending, story.is_proved) {
        done.push("The patch was applied with `git apply` to a clean checkout, built from scratch and tested in a fresh JVM.".to_owned());
        done.extend(mending.validated.as_ref().and_then(validated));
    }
    let (commits, tests) = (story.commits_tested, story.cost.tests);
    if commits + tests > 0 {
        done.push(format!(
            "{} and {} were judged in {:.0} s.",
            counted(commits, "commit"),
            counted(tests, "variant"),
            story.cost.seconds
        ));
    }
    let not = story.not_checked.iter().map(|what| format!("Not checked: {}", code(what)));
    let left = story.not_checked.len().saturating_sub(MOST_UNCHECKED);
    let more = (left > 0).then(|| format!("Not checked: {} besides", counted(left, "thing")));
    let not = not.take(MOST_UNCHECKED).chain(more);
    let lines: Vec<String> = done.into_iter().chain(not).map(|line| format!("- {line}")).collect();
    (!lines.is_empty()).then(|| format!("### What was checked\n\n{}", lines.join("\n")))
}

fn validated(one: &super::Validated) -> Option<String> {
    let generated = one.generated.map_or(String::new(), |count| {
        format!(" It behaves as before in {}.", counted(count, "generated test"))
    });
    let schedules = one.schedules.map_or(String::new(), |count| {
        format!(" Nothing went wrong in {}.", counted(count, "schedule"))
    });
    (one.failing_pass > 0).then(|| {
        format!(
            "{} pass with it, and {} still do.{generated}{schedules}",
            counted(one.failing_pass, "test that failed"),
            counted(one.passing_kept, "test that passed"),
        )
    })
}

fn yourself(story: &Story) -> Option<String> {
    let command = story.reproduce.as_deref()?;
    Some(format!("### See for yourself\n\n{}", block("sh", command, 4, 2000)))
}

fn footer(story: &Story, words: &Words) -> String {
    let report =
        words.report.as_ref().map_or(String::new(), |url| format!(" [The whole run]({url})."));
    let bad =
        story.bad.as_deref().map_or(String::new(), |bad| format!(" Searched on {}.", code(bad)));
    format!("---\n<sub>Found by git-mend.{bad}{report} {FORGEABLE}</sub>")
}

/// What every text says that tells a verdict.
const FORGEABLE: &str = "The search ran the code of this repository, which could make up a verdict: read the patch \
                         before you merge it.";

/// The same where there is no footer.
pub(super) fn forgeable() -> String {
    format!("<sub>{FORGEABLE}</sub>")
}

#[cfg(test)]
mod tests {
    use super::super::testing::story;
    use super::*;

    #[test]
    fn a_pull_request_tells_what_broke_why_and_how_it_was_checked() {
        let words = Words {
            failing_pull: Some(17),
            report: Some("https://x/run".to_owned()),
            ..Words::default()
        };
        insta::assert_snapshot!(pull_title(&story()));
        insta::assert_snapshot!(pull_body(&story(), "<!-- git-mend -->", &words));
        let (headline, body) = commit_message(&story());
        insta::assert_snapshot!(format!("{headline}\n\n{body}"));
    }

    #[test]
    fn a_comment_says_where_the_patch_is() {
        let told = |words: &Words| comment(&story(), "<!-- m -->", words);
        assert!(
            told(&Words { fix_pull: Some(9), ..Words::default() }).contains("#9 has the patch.")
        );
        assert!(
            told(&Words { is_suggested: true, ..Words::default() })
                .contains("suggested in the changed lines")
        );
        let withheld =
            Words { withheld: Some("it comes from a fork".to_owned()), ..Words::default() };
        let text = told(&withheld);
        assert!(text.contains("`git apply fix.patch`") && text.contains("it comes from a fork"));
    }

    #[test]
    fn no_run_makes_a_text_longer_than_github_takes() {
        let hostile = "\u{200b}".repeat(50_000);
        let mut story = story();
        story.not_checked = vec![hostile.clone(); 1000];
        story.sketches[0].told.clone_from(&hostile);
        for part in [story.culprit.as_mut(), story.mending.as_mut().map(|one| &mut one.part)] {
            part.unwrap().text.clone_from(&hostile);
        }
        let words = Words { unmarked: 3, ..Words::default() };
        let text = summary(&story, &words);
        assert!(text.chars().count() < 65_535, "{}", text.chars().count());
        assert!(text.contains("The patch changes 3 more places without a remark."));
        assert!(text.contains("Not checked: 980 things besides"));
    }

    #[test]
    fn every_text_that_tells_a_verdict_says_that_it_can_be_made_up() {
        let (story, words) = (story(), Words::default());
        for text in [
            pull_body(&story, "m", &words),
            comment(&story, "m", &words),
            summary(&story, &words),
            told_there(&story, "m", "https://x"),
            suggestion_intro(&story, "m"),
        ] {
            assert!(text.contains(FORGEABLE), "{text}");
        }
    }

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

    #[test]
    fn what_others_wrote_is_code_wherever_it_stands() {
        let hostile = "@all ](http://x) <img src=x> fixes #1 `\u{202e}";
        let mut story = story();
        story.tests = vec![hostile.to_owned(); 2];
        story.symptom = Some(hostile.to_owned());
        story.not_checked = vec![hostile.to_owned()];
        story.reproduce = Some(format!("{hostile}\n```"));
        if let Some(blame) = &mut story.blame {
            blame.author = Some(hostile.to_owned());
            blame.summary = Some(hostile.to_owned());
        }
        if let Some(mending) = &mut story.mending {
            mending.why = Some(hostile.to_owned());
            mending.part.text = format!("```\n{hostile}");
        }
        for text in
            [pull_body(&story, "<!-- m -->", &Words::default()), summary(&story, &Words::default())]
        {
            let html = plain_parts(&text);
            for bad in ["@all", "](http://x", "<img", "fixes #1", "\u{202e}"] {
                assert!(!html.contains(bad), "{bad} in\n{html}");
            }
        }
    }

    /// What is left of a text when its code is taken out, as Markdown reads it: fences first, then spans.
    fn plain_parts(text: &str) -> String {
        let mut fence: Option<String> = None;
        let mut plain = String::new();
        for line in text.lines() {
            let ticks: String = line.chars().take_while(|c| *c == '`').collect();
            match &fence {
                Some(open) if line.trim_end() == open => fence = None,
                Some(_) => {}
                None if ticks.len() >= 3 => fence = Some(ticks),
                None => plain = format!("{plain}{}\n", without_spans(line)),
            }
        }
        plain
    }

    fn without_spans(line: &str) -> String {
        let Some(start) = line.find('`') else { return line.to_owned() };
        let rest = &line[start..];
        let fence = rest.len() - rest.trim_start_matches('`').len();
        let (before, inner) = (&line[..start], &rest[fence..]);
        let mut at = 0;
        while let Some(found) = inner[at..].find(&"`".repeat(fence)) {
            let close = at + found;
            let run = inner[close..].len() - inner[close..].trim_start_matches('`').len();
            if run == fence {
                return format!("{before}{}", without_spans(&inner[close + run..]));
            }
            at = close + run;
        }
        format!("{before}{}{}", &rest[..fence], without_spans(inner))
    }
}
