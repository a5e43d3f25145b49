//! Tested commits, each at its position between good and bad.

use super::picture::{Picture, float, group, mark, path, text, tip};
use crate::{RunResult, TestedCommit, TrialLine};
use mend_model::counted;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 84.0;
const SIDE: f64 = 40.0;
const LEVEL: f64 = 44.0;

/// Draws a line from good to bad with a mark for each tested commit. Returns `None` if none was tested.
pub(super) fn strip(trials: &[TrialLine], result: &RunResult) -> Option<Picture> {
    let tested: Vec<(&TrialLine, &TestedCommit, [usize; 2])> = trials
        .iter()
        .filter_map(|trial| {
            let commit = trial.commit.as_ref()?;
            Some((trial, commit, commit.position.filter(|[at, of]| (1..=*of).contains(at))?))
        })
        .collect();
    let many = tested.iter().map(|(_, _, [_, of])| *of).max()?;
    let x = |at: usize| SIDE + (WIDTH - 2.0 * SIDE) * float(at) / float(many);
    let mut content = group("")
        .add(path("axis", format!("M{SIDE} {LEVEL}H{}", WIDTH - SIDE)))
        .add(mark("pass", (SIDE, LEVEL), 1.0))
        .add(text("muted middle", (SIDE, LEVEL + 26.0), "good"));
    let is_end_tested = tested.iter().any(|(_, _, [at, _])| *at == many);
    if !is_end_tested {
        content = content.add(mark("fail", (x(many), LEVEL), 1.0));
    }
    for (trial, commit, [at, _]) in &tested {
        let words = format!("{}: {}", trial.verdict, trial.what);
        content = content.add(mark(&trial.verdict, (x(*at), LEVEL), 1.0).add(tip(&words)));
        if result.culprit_commit.as_ref() == Some(&commit.id) {
            content = content.add(culprit(x(*at), &commit.id));
        }
    }
    content = content.add(text("muted middle", (x(many), LEVEL + 26.0), "bad"));
    let told = format!(
        "{} between good and bad; {} tested.",
        counted(many, "commit"),
        if tested.len() == 1 { "1 was".to_owned() } else { format!("{} were", tested.len()) }
    );
    Some(Picture::new("commits", told, (WIDTH, HEIGHT), content))
}

/// Draws the id of the culprit above its mark.
fn culprit(x: f64, id: &str) -> svg::node::element::Group {
    let words = id.get(..10).unwrap_or(id);
    group("").add(path("edge near", format!("M{x:.1} {:.1}V22", LEVEL - 9.0))).add(text(
        "code strong middle",
        (x, 15.0),
        words,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EnvironmentInfo, RunGoal};

    #[test]
    fn tested_commits_are_at_their_position_between_good_and_bad() {
        let result = RunResult {
            culprit_commit: Some("87914ddf3a77".to_owned()),
            ..RunResult::new("bisect", RunGoal::Both, EnvironmentInfo::default())
        };
        let trial = |id: &str, verdict: &str, at: usize| TrialLine {
            verdict: verdict.to_owned(),
            commit: Some(TestedCommit {
                id: id.to_owned(),
                position: Some([at, 4]),
                ..TestedCommit::default()
            }),
            ..TrialLine::default()
        };
        let trials = [trial("aa", "pass", 2), trial("87914ddf3a77", "fail", 3)];
        let picture = strip(&trials, &result).unwrap();
        assert_eq!(picture.description(), "4 commits between good and bad; 2 were tested.");
        let text = picture.inline();
        assert!(text.contains("87914ddf3a"), "{text}");
        assert_eq!(text.matches("mark fail").count(), 2);
    }
}
