//! One screen for a person with no time.

use super::harmless::{harmless, harmless_copy, one_line};
use super::result::{DeltaSize, Guilty, PatchResult, RunResult, Status};
use super::{Style, fixes, patch_view, pool_table, schedules};
use crate::model::{Exit, Problem, Result, counted};
use std::fmt::Write as _;
use std::path::Path;

/// How many changed lines of each patch fit on the screen.
const MOST_LINES: usize = 14;

/// How many lines of a test's or compiler's output are shown as evidence.
const MOST_OUTPUT: usize = 15;

/// How many of one kind are named: commits, further culprits, gaps.
const MOST_NAMED: usize = 8;

/// Where a run took place.
#[derive(Clone, Copy, Debug)]
pub struct Scene<'a> {
    /// The run folder.
    pub folder: &'a Path,
    /// Whether `--resume` finds that by itself.
    pub is_found: bool,
    /// The folder of the subject, where that is not the current one.
    pub elsewhere: Option<&'a Path>,
}

impl Scene<'_> {
    /// A call of git as it is to be typed.
    fn git(&self, words: &[&str]) -> String {
        let place = self.elsewhere.map(|dir| dir.to_string_lossy());
        let options = place.iter().flat_map(|dir| ["-C", dir]);
        shell_words::join(["git"].into_iter().chain(options).chain(words.iter().copied()))
    }

    fn resume(&self, command: &str) -> String {
        let folder = self.folder.to_string_lossy();
        let output = if self.is_found { Vec::new() } else { vec!["--output", &*folder] };
        self.git(&[&["mend", command, "--resume"], &output[..]].concat())
    }

    /// The command that applies a patch of the run.
    pub(super) fn apply(&self, patch: &str) -> String {
        self.git(&["apply", &self.file(patch)])
    }

    pub(super) fn file(&self, name: &str) -> String {
        self.folder.join(name).to_string_lossy().into_owned()
    }
}

/// What a run found, on one screen.
///
/// # Errors
/// Our own fault.
pub fn human(
    result: &RunResult,
    guilty: Option<&Guilty>,
    scene: &Scene<'_>,
    style: &Style,
) -> Result<String> {
    let result = &harmless_copy(result)?;
    let guilty = guilty.map(harmless_copy).transpose()?;
    let mut out = String::new();
    let Style { title, dim, reset, .. } = style;
    let said = result.said.iter().chain(result.message.iter().filter(|_| result.said.is_empty()));
    for (at, words) in said.enumerate() {
        let title = if at == 0 { title } else { "" };
        out.push_str(&style.prose(2, &format!("{title}{words}{reset}")));
    }
    commit(result, guilty.as_ref(), style, &mut out);
    patches(result, scene.folder, style, &mut out);
    others(result, style, &mut out);
    out.push_str(&fixes::show(result, scene.folder, style));
    out.push_str(&pool_table::show(result, style));
    if let Some(found) = &result.schedules {
        out.push_str(&schedules::show(found, style));
    }
    let not_checked = |line: &str| format!("{dim}not checked: {line}{reset}");
    named(&result.not_checked, style, &mut out, |line| not_checked(line), not_checked);
    if !style.is_brief {
        cost(result, style, &mut out);
        next(result, scene, style, &mut out);
    }
    Ok(out)
}

/// The first of many, each as one paragraph, and how many more there are.
fn named<T>(
    all: &[T],
    style: &Style,
    out: &mut String,
    show: impl Fn(&T) -> String,
    around: impl Fn(&str) -> String,
) {
    all.iter().take(MOST_NAMED).for_each(|one| out.push_str(&style.prose(2, &show(one))));
    let more = all.len().saturating_sub(MOST_NAMED);
    if more > 0 {
        out.push_str(&style.prose(2, &around(&format!("… {more} more: result.json"))));
    }
}

fn commit(result: &RunResult, guilty: Option<&Guilty>, style: &Style, out: &mut String) {
    let Style { title, dim, reset, .. } = style;
    if let Some(guilty) = guilty {
        let Guilty { short_id, author, date, summary } = guilty;
        let line = format!("{title}Broken by{reset} {short_id} {summary}");
        let _ = write!(out, "\n{}", style.prose(10, &line));
        out.push_str(&style.prose(10, &format!("          {dim}{author}, {date}{reset}")));
    }
    if result.suspects.len() > 1 {
        suspects(result, style, out);
    }
}

fn suspects(result: &RunResult, style: &Style, out: &mut String) {
    let Style { title, reset, .. } = style;
    let number = result.suspects.len();
    let is_of_all =
        result.culprit.as_ref().is_some_and(|culprit| culprit.commits == result.suspects);
    let heading = if is_of_all {
        format!("{title}Broken by these {number} commits{reset}, each of which brought a part:")
    } else {
        format!(
            "{title}One of these {number} commits{reset} broke it; those between could not be tested:"
        )
    };
    let _ = write!(out, "\n{}", style.prose(2, &heading));
    let indented = |words: &str| format!("  {words}");
    named(&result.suspects, style, out, |commit| indented(commit), indented);
}

fn patches(result: &RunResult, folder: &Path, style: &Style, out: &mut String) {
    let Style { title, reset, .. } = style;
    let both =
        [("The change that breaks it", &result.culprit), ("The patch that mends it", &result.fix)];
    for (heading, patch) in both {
        let Some(patch) = patch else { continue };
        let size = counted(patch.tokens, "token");
        let kind = if patch.minimal { "" } else { ", smallest so far" };
        let _ = writeln!(out, "\n{title}{heading}{reset} ({size}{kind})");
        if let Ok(text) = std::fs::read(folder.join(&patch.patch)) {
            out.push_str(&patch_view::show(&String::from_utf8_lossy(&text), style, MOST_LINES));
        }
    }
}

fn others(result: &RunResult, style: &Style, out: &mut String) {
    let Style { title, reset, .. } = style;
    let around = |words: &str| format!("{title}Breaks it as well:{reset} {words}");
    named(&result.others, style, out, |one| around(&other(one, style)), around);
}

fn other(other: &PatchResult, style: &Style) -> String {
    let Style { path, reset, .. } = style;
    let size = counted(other.tokens, "token");
    let kind = if other.minimal { "" } else { ", smallest so far" };
    let files = other.files.join(", ");
    let short = |commit: &String| commit.get(..10).unwrap_or(commit).to_owned();
    let commits: Vec<String> = other.commits.iter().map(short).collect();
    let by =
        if commits.is_empty() { String::new() } else { format!(", by {}", commits.join(", ")) };
    format!("{} ({size}{kind}) in {path}{files}{reset}{by}", other.patch)
}

fn cost(result: &RunResult, style: &Style, out: &mut String) {
    let Style { dim, reset, .. } = style;
    let cost = &result.cost;
    let mut parts = Vec::new();
    if result.commits_tested > 0 {
        parts.push(counted(result.commits_tested, "commit"));
    }
    if let Some(delta) = &result.delta {
        let components = counted(delta.components, "component");
        parts.push(format!("a change of {components} ({})", tokens(delta)));
    }
    parts.push(match &result.schedules {
        Some(found) => counted(found.run, "schedule"),
        None => counted(cost.tests, "test"),
    });
    if cost.cached > 0 {
        parts.push(format!("{} known from before", cost.cached));
    }
    let line = format!("{dim}Tried {} in {}{reset}", parts.join(", "), duration(cost.seconds));
    let _ = write!(out, "\n{}", style.prose(2, &line));
}

fn next(result: &RunResult, scene: &Scene<'_>, style: &Style, out: &mut String) {
    let Style { title, dim, reset, .. } = style;
    let command = next_command(result, scene);
    if let (Some(again), Some(_)) = (&result.reproduce, &result.next)
        && again.contains("--replay")
    {
        let _ = writeln!(out, "{title}Again:{reset} {again}");
    }
    if !command.is_empty() {
        let _ = writeln!(out, "{title}Next:{reset} {command}");
    }
    let _ = writeln!(out, "{dim}Everything about this run: {}{reset}", scene.folder.display());
}

/// What to type next; empty where nothing is known.
pub(super) fn next_command(result: &RunResult, scene: &Scene<'_>) -> String {
    let best = result.fixes.first().and_then(|fix| fix.patch.as_ref());
    let fix = result.fix.as_ref().map(|fix| &fix.patch).or(best);
    match (fix, &result.culprit, result.status) {
        (_, _, Status::Interrupted) => scene.resume(&result.command),
        _ if result.next.is_some() => result.next.clone().unwrap_or_default(),
        (Some(fix), _, _) => scene.apply(fix),
        (None, Some(culprit), _) => scene.git(&["apply", "-R", &scene.file(&culprit.patch)]),
        (None, None, _) => match &result.culprit_commit {
            Some(commit) => scene.git(&["show", commit.get(..12).unwrap_or(commit)]),
            None => result.reproduce.clone().unwrap_or_default(),
        },
    }
}

/// How large a change is, in words.
pub fn of_size(size: &DeltaSize) -> String {
    let (files, components) = (counted(size.files, "file"), counted(size.components, "component"));
    format!("{files}, {components}, {}", tokens(size))
}

fn tokens(size: &DeltaSize) -> String {
    counted(usize::try_from(size.tokens).unwrap_or(usize::MAX), "token")
}

/// Seconds as people say them.
pub(super) fn duration(seconds: f64) -> String {
    if seconds < 60.0 {
        return format!("{seconds:.1} s");
    }
    let whole = seconds.round();
    format!("{:.0} min {:.0} s", (whole / 60.0).floor(), whole % 60.0)
}

/// What went wrong, the evidence, and what to do next. `folder` is the run folder, if there is one.
pub fn problem(problem: &Problem, folder: Option<&Path>, style: &Style) -> String {
    let Style { title, error, dim, reset, .. } = style;
    let mut out =
        style.prose(2, &format!("{error}error:{reset} {}", one_line(&problem.to_string())));
    if let Some(text) = problem.output() {
        let lines: Vec<&str> = text.trim().lines().collect();
        let hidden = lines.len().saturating_sub(MOST_OUTPUT);
        for line in lines.iter().take(MOST_OUTPUT) {
            let _ = writeln!(out, "  {dim}| {}{reset}", harmless(line));
        }
        if hidden > 0 {
            let _ = writeln!(out, "  {dim}| … {hidden} more lines{reset}");
        }
    }
    out.push_str(&style.prose(2, &format!("{title}next:{reset} {}", one_line(&problem.remedy()))));
    if let (Some(folder), Exit::Internal | Exit::Environment | Exit::Premise) =
        (folder, problem.exit())
    {
        let _ = writeln!(out, "{dim}log: {}{reset}", folder.join("log.txt").display());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::report::{Cost, DeltaSize, EnvironmentInfo, Goal};

    const PATCH: &str = "diff --git a/src/Till.java b/src/Till.java\n--- a/src/Till.java\n\
                         +++ b/src/Till.java\n@@ -3,3 +3,3 @@ class Till {\n     int sum() {\n\
                         -        return a > b;\n+        return a >= b;\n     }\n";

    fn found(folder: &Path) -> RunResult {
        std::fs::write(folder.join("fix.patch"), PATCH).unwrap();
        let os = "linux".to_owned();
        let environment = EnvironmentInfo { jdk: None, os, jobs: 1, seed: 0 };
        let fix = PatchResult {
            tokens: 2,
            hunks: 1,
            components: 1,
            files: vec!["src/Till.java".to_owned()],
            patch: "fix.patch".to_owned(),
            minimal: true,
            commits: Vec::new(),
            parts: Vec::new(),
        };
        RunResult {
            status: Status::Found,
            message: Some("TillTest#sum throws java.lang.AssertionError: 13 rolls".to_owned()),
            commits_tested: 6,
            delta: Some(DeltaSize {
                files: 3,
                java_files: 2,
                hunks: 20,
                components: 19,
                tokens: 261,
            }),
            fix: Some(fix),
            not_checked: vec!["tests other than those that were asked for".to_owned()],
            cost: Cost { tests: 28, cached: 2, seconds: 39.04, ..Cost::default() },
            ..RunResult::new("bisect", Goal::Both, environment)
        }
    }

    fn guilty() -> Guilty {
        Guilty {
            short_id: "87914ddf3a".to_owned(),
            author: "Bruno Teig <bruno@example.org>".to_owned(),
            date: "2025-04-22".to_owned(),
            summary: "Tidy up the till".to_owned(),
        }
    }

    /// What is shown, with the run folder's name made the same for every run.
    fn shown(result: &RunResult, folder: &Path, elsewhere: Option<&Path>) -> String {
        let scene = Scene { folder, is_found: elsewhere.is_none(), elsewhere };
        of(result, Some(&guilty()), &scene)
    }

    fn of(result: &RunResult, guilty: Option<&Guilty>, scene: &Scene<'_>) -> String {
        let text = human(result, guilty, scene, &Style::plain()).unwrap();
        text.replace(&scene.folder.display().to_string(), "RUN")
    }

    #[test]
    fn one_screen_tells_the_commit_the_tokens_and_the_next_command() {
        let folder = tempfile::tempdir().unwrap();
        let text = shown(&found(folder.path()), folder.path(), None);
        insta::assert_snapshot!(text, @r"
        TillTest#sum throws java.lang.AssertionError: 13 rolls

        Broken by 87914ddf3a Tidy up the till
                  Bruno Teig <bruno@example.org>, 2025-04-22

        The patch that mends it (2 tokens)
          src/Till.java:4
            -         return a > b;
            +         return a >= b;
        not checked: tests other than those that were asked for

        Tried 6 commits, a change of 19 components (261 tokens), 28 tests, 2 known from before in 39.0 s
        Next: git apply RUN/fix.patch
        Everything about this run: RUN
        ");
    }

    #[test]
    fn the_command_to_type_names_the_place_if_that_is_elsewhere() {
        let folder = tempfile::tempdir().unwrap();
        let mut result = found(folder.path());
        let place = Some(Path::new("my till"));
        let text = shown(&result, folder.path(), place);
        assert!(text.contains("Next: git -C 'my till' apply RUN/fix.patch\n"), "{text}");
        result.status = Status::Interrupted;
        let text = shown(&result, folder.path(), place);
        assert!(
            text.contains("Next: git -C 'my till' mend bisect --resume --output RUN\n"),
            "{text}"
        );
        let text = shown(&result, folder.path(), None);
        assert!(text.contains("Next: git mend bisect --resume\n"), "{text}");
    }

    #[test]
    fn durations_read_as_people_say_them() {
        assert_eq!(duration(3.25), "3.2 s");
        assert_eq!(duration(125.0), "2 min 5 s");
        assert_eq!(duration(119.9), "2 min 0 s");
    }

    #[test]
    fn of_several_suspects_each_is_named_and_what_breaks_it_as_well() {
        let folder = tempfile::tempdir().unwrap();
        let mut result = found(folder.path());
        result.suspects = vec!["87914ddf3a".to_owned(), "0b1c2d3e4f".to_owned()];
        let commits = vec!["5a5a5a5a5a5a5a5a".to_owned()];
        let files = vec!["src/Till.java".to_owned(), "src/Coin.java".to_owned()];
        let other = PatchResult { minimal: false, commits, files, ..result.fix.clone().unwrap() };
        result.others = vec![PatchResult { patch: "other-1.patch".to_owned(), ..other }];
        let scene = Scene { folder: folder.path(), is_found: true, elsewhere: None };
        insta::assert_snapshot!(of(&result, None, &scene), @r"
        TillTest#sum throws java.lang.AssertionError: 13 rolls

        One of these 2 commits broke it; those between could not be tested:
          87914ddf3a
          0b1c2d3e4f

        The patch that mends it (2 tokens)
          src/Till.java:4
            -         return a > b;
            +         return a >= b;
        Breaks it as well: other-1.patch (2 tokens, smallest so far) in src/Till.java, src/Coin.java, by 5a5a5a5a5a
        not checked: tests other than those that were asked for

        Tried 6 commits, a change of 19 components (261 tokens), 28 tests, 2 known from before in 39.0 s
        Next: git apply RUN/fix.patch
        Everything about this run: RUN
        ");
    }

    #[test]
    fn of_many_the_first_are_named_and_the_others_counted() {
        let folder = tempfile::tempdir().unwrap();
        let mut result = found(folder.path());
        let other =
            PatchResult { patch: "culprit-2.patch".to_owned(), ..result.fix.take().unwrap() };
        result.others = vec![other; 11];
        result.suspects = (0..20).map(|n| format!("{n:010}")).collect();
        result.not_checked = (0..9).map(|n| format!("thing {n}")).collect();
        let scene = Scene { folder: folder.path(), is_found: true, elsewhere: None };
        let text = of(&result, None, &scene);
        let count = |words: &str| text.lines().filter(|line| line.starts_with(words)).count();
        assert_eq!([count("  00000"), count("Breaks"), count("not checked")], [8, 9, 9], "{text}");
        for more in [
            "\n  … 12 more: result.json\n",
            "\nBreaks it as well: … 3 more: result.json\n",
            "\nnot checked: … 1 more: result.json\n",
        ] {
            assert!(text.contains(more), "{text}");
        }
    }

    #[test]
    fn on_a_narrow_screen_prose_is_broken_and_commands_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let mut result = found(folder.path());
        result.suspects = vec!["87914ddf3a".to_owned(), "0b1c2d3e4f".to_owned()];
        result.others = vec![result.fix.take().unwrap()];
        let again = "git mend bisect --good v1.4 --bad main --test shop.CartTest#total";
        result.reproduce = Some(again.to_owned());
        let (style, folder) = (Style::plain().within(Some(40)), Path::new("RUN"));
        let scene = Scene { folder, is_found: true, elsewhere: None };
        let text = human(&result, Some(&guilty()), &scene, &style).unwrap();
        insta::assert_snapshot!(text, @r"
        TillTest#sum throws
          java.lang.AssertionError: 13 rolls

        Broken by 87914ddf3a Tidy up the till
                  Bruno Teig
                  <bruno@example.org>,
                  2025-04-22

        One of these 2 commits broke it; those
          between could not be tested:
          87914ddf3a
          0b1c2d3e4f
        Breaks it as well: fix.patch (2 tokens)
          in src/Till.java
        not checked: tests other than those that
          were asked for

        Tried 6 commits, a change of 19
          components (261 tokens), 28 tests, 2
          known from before in 39.0 s
        Next: git mend bisect --good v1.4 --bad main --test shop.CartTest#total
        Everything about this run: RUN
        ");
        let good = Problem::GoodDoesNotPass { revision: "v1".into(), output: String::new() };
        insta::assert_snapshot!(problem(&good, None, &style), @r"
        error: the premise is false: good (v1)
          does not pass
        next: name an older --good, or let
          `--good auto` look for one; if the
          symptom differs, narrow --test
        ");
    }

    #[test]
    fn a_search_that_was_stopped_shows_what_it_has_and_how_to_go_on() {
        let folder = tempfile::tempdir().unwrap();
        let mut result = found(folder.path());
        result.status = Status::Interrupted;
        result.fix = result.fix.map(|fix| PatchResult { minimal: false, ..fix });
        insta::assert_snapshot!(shown(&result, folder.path(), None), @r"
        TillTest#sum throws java.lang.AssertionError: 13 rolls

        Broken by 87914ddf3a Tidy up the till
                  Bruno Teig <bruno@example.org>, 2025-04-22

        The patch that mends it (2 tokens, smallest so far)
          src/Till.java:4
            -         return a > b;
            +         return a >= b;
        not checked: tests other than those that were asked for

        Tried 6 commits, a change of 19 components (261 tokens), 28 tests, 2 known from before in 39.0 s
        Next: git mend bisect --resume
        Everything about this run: RUN
        ");
    }

    #[test]
    fn a_problem_shows_its_evidence_and_the_next_step() {
        let output = (0..20).map(|n| format!("line {n}")).collect::<Vec<_>>().join("\n");
        let good = Problem::GoodDoesNotPass { revision: "v1".into(), output };
        let shown = problem(&good, Some(Path::new("RUN")), &Style::plain());
        insta::assert_snapshot!(shown, @r"
        error: the premise is false: good (v1) does not pass
          | line 0
          | line 1
          | line 2
          | line 3
          | line 4
          | line 5
          | line 6
          | line 7
          | line 8
          | line 9
          | line 10
          | line 11
          | line 12
          | line 13
          | line 14
          | … 5 more lines
        next: name an older --good, or let `--good auto` look for one; if the symptom differs, narrow --test
        log: RUN/log.txt
        ");
    }
}
