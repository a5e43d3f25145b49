//! Draws the tested commits on a line from good to bad.

use super::picture::{
    Picture, svg_group, svg_path, svg_text, to_coordinate, tooltip, verdict_mark,
};
use crate::{RunResult, TestedCommit, TrialLine};
use mend_model::format_count;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 84.0;
const SIDE_MARGIN: f64 = 40.0;
const LINE_Y: f64 = 44.0;

/// Draws a line from good to bad with a mark for each tested commit. Returns `None` if none was tested.
pub(super) fn draw_commit_strip(trials: &[TrialLine], result: &RunResult) -> Option<Picture> {
    let tested: Vec<(&TrialLine, &TestedCommit, [usize; 2])> = trials
        .iter()
        .filter_map(|trial| {
            let commit = trial.commit.as_ref()?;
            Some((trial, commit, commit.position.filter(|[at, of]| (1..=*of).contains(at))?))
        })
        .collect();
    let commit_count = tested.iter().map(|(_, _, [_, of])| *of).max()?;
    let x = |at: usize| {
        SIDE_MARGIN + (WIDTH - 2.0 * SIDE_MARGIN) * to_coordinate(at) / to_coordinate(commit_count)
    };
    let mut content = svg_group("")
        .add(svg_path("axis", format!("M{SIDE_MARGIN} {LINE_Y}H{}", WIDTH - SIDE_MARGIN)))
        .add(verdict_mark("pass", (SIDE_MARGIN, LINE_Y), 1.0))
        .add(svg_text("muted middle", (SIDE_MARGIN, LINE_Y + 26.0), "good"));
    let is_end_tested = tested.iter().any(|(_, _, [at, _])| *at == commit_count);
    if !is_end_tested {
        content = content.add(verdict_mark("fail", (x(commit_count), LINE_Y), 1.0));
    }
    for (trial, commit, [at, _]) in &tested {
        let tooltip_text = format!("{}: {}", trial.verdict, trial.what);
        content = content
            .add(verdict_mark(&trial.verdict, (x(*at), LINE_Y), 1.0).add(tooltip(&tooltip_text)));
        if result.culprit_commit.as_ref() == Some(&commit.id) {
            content = content.add(draw_culprit_label(x(*at), &commit.id));
        }
    }
    content = content.add(svg_text("muted middle", (x(commit_count), LINE_Y + 26.0), "bad"));
    let description = format!(
        "{} between good and bad; {} tested.",
        format_count(commit_count, "commit"),
        if tested.len() == 1 { "1 was".to_owned() } else { format!("{} were", tested.len()) }
    );
    Some(Picture::new("commits", description, (WIDTH, HEIGHT), content))
}

/// Draws the id of the culprit above its mark.
fn draw_culprit_label(x: f64, id: &str) -> svg::node::element::Group {
    let short_id = id.get(..10).unwrap_or(id);
    svg_group("")
        .add(svg_path("edge near", format!("M{x:.1} {:.1}V22", LINE_Y - 9.0)))
        .add(svg_text("code strong middle", (x, 15.0), short_id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EnvironmentInfo, RunGoal};

    #[test]
    fn tested_commits_are_drawn_between_good_and_bad() {
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
        let picture = draw_commit_strip(&trials, &result).unwrap();
        assert_eq!(picture.description(), "4 commits between good and bad; 2 were tested.");
        let text = picture.to_inline_svg();
        assert!(text.contains("87914ddf3a"), "{text}");
        assert_eq!(text.matches("mark fail").count(), 2);
    }
}
