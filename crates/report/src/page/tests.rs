//! Tests of pages, including pages of hostile runs.

mod structure;

use super::*;
use crate::delta::{DependencyKind, DependencyView};
use crate::testing::{
    HOSTILE_TEXT, bisection_result, exploration_result, fix_result, sample_delta,
    sample_run_folder, sample_schedule, sample_trial, sample_trials, write_json,
};
use crate::{FailedSchedules, RunResult, SearchGoal, SearchProgress, TrialLine, UnverifiedFix};
use mend_delta::DependencyRule;
use std::fs;
use tempfile::TempDir;

fn page_of_folder(dir: &TempDir) -> String {
    render_page(&SavedRun::open(dir.path()).unwrap(), &OutputContext::new(dir.path())).unwrap()
}

#[test]
fn bisection_page_shows_changed_tokens_and_pictures() {
    let dir = sample_run_folder(&bisection_result("src/Till"), "src/Till");
    let page = page_of_folder(&dir);
    assert!(page.contains("b src/Till <ins>&#62;=</ins> c"), "{page}");
    assert_eq!(page.matches("<svg ").count(), 3 + 1);
    assert!(!page.contains("Not on this page"));
}

#[test]
fn fix_page_has_the_replay_command() {
    let dir = sample_run_folder(&fix_result("src/Till"), "src/Till");
    let page = page_of_folder(&dir);
    let replay = "git mend explore --test a.B --replay";
    assert!(page.contains(replay) && page.contains("seed 41"));
}

fn sample_unverified_fix() -> UnverifiedFix {
    UnverifiedFix {
        technique: "contract".to_owned(),
        operator: "operator".to_owned(),
        patch: "unverified-1.patch".to_owned(),
        tokens: 2,
        why: "`>` becomes `>=`".to_owned(),
        failing_pass: 1,
        still_failing: vec!["a.B#c".to_owned()],
        not_checked: vec!["a clean build".to_owned()],
        ..UnverifiedFix::default()
    }
}

#[test]
fn unverified_fix_is_a_card_with_its_patch() {
    let result =
        RunResult { unverified_fixes: vec![sample_unverified_fix()], ..fix_result("Till") };
    let dir = sample_run_folder(&result, "Till");
    fs::write(dir.path().join("unverified-1.patch"), "--- a/T\n+++ b/T\n@@ -1 +1 @@\n-a\n+b\n")
        .unwrap();
    let page = page_of_folder(&dir);
    let card = page.split_once("Not verified</h2>").unwrap().1.split_once("</section>").unwrap().0;
    for part in
        ["becomes", "unverified-1.patch", "a.B#c</code> still fails", "not checked: a clean"]
    {
        assert!(card.contains(part), "no `{part}` in {card}");
    }
}

#[test]
fn schedule_picture_is_followed_by_its_steps() {
    let page = page_of_folder(&sample_run_folder(&fix_result("Till"), "Till"));
    let list_count = page.matches("<summary>Step by step</summary><ol><li>").count();
    assert_eq!(list_count, page.matches("aria-label=\"Sequence diagram of a schedule\"").count());
    let begin = page.find("Step by step").unwrap();
    let steps = page[begin..].split_once("<ol>").unwrap().1.split_once("</ol>").unwrap().0;
    insta::assert_snapshot!(steps.replace("</li>", "\n").replace("<li>", ""), @r"
    Till takes Till at Till.Till:3 (part of the pattern); holds Till
    Thread-0 takes Till at Till.Till:3 (part of the pattern); holds Till
    Till: Till
    ");
}

#[test]
fn undrawn_schedules_are_counted() {
    let mut result = fix_result("Till");
    let report = result.schedules.as_mut().unwrap();
    let failure = |number: usize| FailedSchedules {
        schedule: format!("schedule-{number}.json"),
        ..report.failures[0].clone()
    };
    report.failures = (1..=5).map(failure).collect();
    let dir = sample_run_folder(&result, "Till");
    for number in 2..=5 {
        write_json(&dir, &format!("schedule-{number}.json"), &sample_schedule("Till", 1));
    }
    let page = page_of_folder(&dir);
    assert_eq!(page.matches("<summary>Step by step</summary>").count(), 3);
    assert!(page.contains("Not drawn: 2 further failures."), "{page}");
}

#[test]
fn hostile_names_and_sources_are_escaped() {
    for result in [bisection_result(HOSTILE_TEXT), fix_result(HOSTILE_TEXT)] {
        let dir = sample_run_folder(&result, HOSTILE_TEXT);
        let page = page_of_folder(&dir);
        for markup in ["<img", "onerror=alert(1)>", "\u{1b}", "\u{0}", "\u{202e}", "<!-- "] {
            assert!(!page.contains(markup), "{markup:?}");
        }
        let ends = ["</script>", "</style>", "</html>"].map(|end| page.matches(end).count());
        assert_eq!(ends, [1, 1, 1]);
        let run = SavedRun::open(dir.path()).unwrap();
        let pictures = run_pictures(&run, &OutputContext::new(dir.path())).unwrap();
        assert!(!pictures.is_empty());
        for picture in pictures {
            let file = picture.to_svg_file();
            let svg = roxmltree::Document::parse(&file).unwrap();
            let kinds = svg.descendants().filter(roxmltree::Node::is_element);
            assert!(
                kinds.into_iter().all(|node| !["img", "script"].contains(&node.tag_name().name()))
            );
        }
    }
}

#[test]
fn page_loads_nothing_and_allows_only_its_own_script() {
    let page = page_of_folder(&sample_run_folder(&bisection_result("A"), "A"));
    assert!(page.contains("default-src 'none'; style-src 'sha256-"));
    assert!(!page.contains(" src=") && !page.contains("href=\"http") && !page.contains(" style="));
    let begin = page.find("<script>").unwrap() + "<script>".len();
    let script = &page[begin..page.find("</script>").unwrap()];
    assert!(page.contains(&csp_hash(script)));
}

#[test]
fn inexact_patch_has_no_copy_button() {
    let dir = sample_run_folder(&bisection_result("A"), "A");
    let is_copied = |dir: &TempDir| page_of_folder(dir).contains("id=\"patch-2-raw\"");
    assert!(is_copied(&dir));
    let patch = fs::read_to_string(dir.path().join("fix.patch")).unwrap();
    fs::write(dir.path().join("fix.patch"), patch.replace(" c\n", " c\r\n")).unwrap();
    assert!(!is_copied(&dir));
}

#[test]
fn missing_files_of_a_run_are_reported() {
    let dir = sample_run_folder(&bisection_result("A"), "A");
    for name in ["delta.json", "trials.jsonl"] {
        fs::remove_file(dir.path().join(name)).unwrap();
    }
    let page = page_of_folder(&dir);
    assert!(
        page.contains("the components of the change: the run folder has no delta.json"),
        "{page}"
    );
    assert!(page.contains("the search curve: trials.jsonl has no search progress"));
}

#[test]
fn invalid_files_are_omitted_and_named() {
    let dir = sample_run_folder(&fix_result("A"), "A");
    fs::write(dir.path().join("values.json"), "{").unwrap();
    write_json(&dir, "schedule-1.json", &sample_schedule("A", 7));
    let mut delta = sample_delta(3, "A");
    delta.couplings[0].to = vec![99];
    write_json(&dir, "delta.json", &delta);
    let page = page_of_folder(&dir);
    for file in ["values.json", "schedule-1.json", "delta.json"] {
        assert!(page.contains(&format!("{file}, which is invalid")), "{page}");
    }
    assert_eq!(page.matches("class=\"picture\"").count(), 2);
    write_json(&dir, "result.json", &bisection_result("A"));
    assert!(!page_of_folder(&dir).contains("the run folder has no delta.json"));
}

#[test]
fn large_delta_stays_a_small_page() {
    let dir =
        sample_run_folder(&bisection_result("src/main/java/shop/Till"), "src/main/java/shop/Till");
    let mut large = sample_delta(5000, "src/main/java/shop/Till");
    // Four dependencies per component: one on its neighbour, the others on any files.
    let needs = |from: usize| {
        let (kind, rule) = (DependencyKind::Needs, DependencyRule::Signature);
        let to = [from - 1, 1 + from * 7 % 5000, 1 + from * 31 % 5000];
        to.map(|to| DependencyView { from, to: vec![to], kind, rule })
    };
    large.couplings.extend((2..=5000).flat_map(needs));
    write_json(&dir, "delta.json", &large);
    let line = serde_json::to_string(&sample_trials("with 9 components")[1]).unwrap() + "\n";
    fs::write(dir.path().join("trials.jsonl"), line.repeat(5000)).unwrap();
    let page = page_of_folder(&dir);
    assert!(page.len() < 5_000_000, "{}", page.len());
    let rows = page.matches(" (definition), ").count();
    assert_eq!(rows, 4999, "the needs of a component");
    assert_eq!(page.matches(" (signature)").count(), 3 * 4999);
    for text in [
        "pairs of dependent files.",
        "more; delta.json has all dependencies",
        "Not shown: 3000 more; trials.jsonl has all test runs",
    ] {
        assert!(page.contains(text), "{text}");
    }
}

/// Trials of a culprit search with a given progress.
fn trials_of_search(suspected: &[usize]) -> String {
    let progress = |suspected| {
        Some(SearchProgress { goal: SearchGoal::Culprit, tried: 1, suspected, tokens: 30 })
    };
    let line = |suspected: &usize| {
        let trial =
            TrialLine { search: progress(*suspected), ..sample_trial("pass", HOSTILE_TEXT) };
        serde_json::to_string(&trial).unwrap()
    };
    suspected.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn diagrams_of_folder(dir: &TempDir, suspected: &[usize]) -> Vec<TextDiagram> {
    fs::write(dir.path().join("trials.jsonl"), trials_of_search(suspected)).unwrap();
    text_diagrams(&RunArtifacts::read(&SavedRun::open(dir.path()).unwrap()).unwrap())
}

#[test]
fn diagrams_show_search_and_culprit() {
    let dir = sample_run_folder(&bisection_result("Till"), "Till");
    write_json(&dir, "delta.json", &sample_delta(9, "Till"));
    let [curve, graph] = diagrams_of_folder(&dir, &[9, 9, 4, 1]).try_into().unwrap();
    insta::assert_snapshot!(curve.source, @r#"
    %%{init: {'themeVariables': {'xyChart': {'plotColorPalette': '#8250df'}}}}%%
    xychart-beta
        accDescr: Search in 4 variants: 4 passed, 0 failed, 0 unresolved. Culprit: reduced from 9 components to 1.
        title "Components still suspected"
        x-axis "variants" [1, 2, 3, 4]
        y-axis "components" 0 --> 9
        line [9, 9, 4, 1]
    "#);
    insta::assert_snapshot!(graph.source, @r#"
    flowchart LR
        accDescr: 9 components and 8 dependencies. Marked: 7 culprit, reverted by the fix.
        c1["1 insert Till<br>Till0.java"]
        c2["2 insert Till<br>Till0.java"]
        c3["3 insert Till<br>Till0.java"]
        c4["4 insert Till<br>Till0.java"]
        c5["5 insert Till<br>Till0.java"]
        c6["6 insert Till<br>Till0.java"]
        c7["7 culprit, reverted by the fix: insert Till<br>Till0.java"]:::found
        c8["8 insert Till<br>Till0.java"]
        c9["9 insert Till<br>Till0.java"]
        c2 -->|"definition"| c1
        c3 -->|"definition"| c1
        c4 -->|"definition"| c2
        c5 -->|"definition"| c2
        c6 -->|"definition"| c3
        c7 -->|"definition"| c3
        c8 -->|"definition"| c4
        c9 -->|"definition"| c4
        classDef found stroke-width:4px,font-weight:bold
    "#);
    insta::assert_snapshot!(curve.text, @r"
    variant  components still suspected
          1      9  ████████████████████████
          3      4  ███████████
          4      1  ███
    ");
    insta::assert_snapshot!(graph.text, @r"
    1  insert Till (Till0.java)
    2  insert Till (Till0.java)
         needs 1 (definition)
    3  insert Till (Till0.java)
         needs 1 (definition)
    4  insert Till (Till0.java)
         needs 2 (definition)
    5  insert Till (Till0.java)
         needs 2 (definition)
    6  insert Till (Till0.java)
         needs 3 (definition)
    7  culprit, reverted by the fix: insert Till (Till0.java)
         needs 3 (definition)
    8  insert Till (Till0.java)
         needs 4 (definition)
    9  insert Till (Till0.java)
         needs 4 (definition)
    ");
    assert!(
        graph.description.contains("7 (culprit, reverted by the fix)"),
        "{}",
        graph.description
    );
}

#[test]
fn diagram_of_many_steps_ends_with_the_result() {
    let dir = sample_run_folder(&bisection_result("Till"), "Till");
    let steps: Vec<usize> = (1..=60).rev().collect();
    let curve = diagrams_of_folder(&dir, &steps).remove(0);
    assert!(curve.text.ends_with("\n     60      1  █"), "{}", curve.text);
    assert!(curve.source.ends_with(", 1]"), "{}", curve.source);
}

#[test]
fn huge_number_makes_no_wide_bar() {
    let dir = sample_run_folder(&bisection_result("Till"), "Till");
    let curve = diagrams_of_folder(&dir, &[usize::MAX, usize::MAX / 2, 1]).remove(0);
    assert!(curve.text.lines().all(|line| line.matches('█').count() <= 24), "{}", curve.text);
}

#[test]
fn diagram_counts_its_drawn_dependencies() {
    let dir = sample_run_folder(&bisection_result("Till"), "Till");
    let mut few = sample_delta(9, "Till");
    for _ in 0..2 {
        few.couplings.extend(few.couplings.clone());
    }
    write_json(&dir, "delta.json", &few);
    let [_, graph] = diagrams_of_folder(&dir, &[9, 4, 1]).try_into().unwrap();
    assert_eq!(graph.source.matches("\n    c").count(), 9 + 24 + 1, "{}", graph.source);
    let expected = "9 components and 24 of 32 dependencies.";
    assert!(graph.description.starts_with(expected), "{}", graph.description);
}

#[test]
fn diagrams_are_small_and_escape_names() {
    let dir = sample_run_folder(&bisection_result(HOSTILE_TEXT), HOSTILE_TEXT);
    write_json(&dir, "delta.json", &sample_delta(5000, HOSTILE_TEXT));
    let diagrams = diagrams_of_folder(&dir, &vec![5000; 20_000]);
    assert_eq!(diagrams.len(), 2);
    for TextDiagram { source, description: told, text } in diagrams {
        assert!(source.len() < 4000, "{}", source.len());
        assert!(text.chars().count() < 4000 && text.lines().count() < 40, "{text}");
        for bad in ["<img", "-->\"", "`", "\u{202e}", "\u{1b}", "</"] {
            assert!(!source.contains(bad) && !told.contains(bad), "{bad:?} in\n{source}\n{told}");
        }
    }
}

#[test]
fn printed_tables_keep_their_headings() {
    let page = page_of_folder(&sample_run_folder(&bisection_result("A"), "A"));
    let paper = page.lines().find(|line| line.starts_with("@media print{:root")).unwrap();
    // The script puts a button into each heading.
    assert!(page.contains("button.className = \"sort\""));
    assert!(paper.contains("}button:not(.sort),.skip,.raw{display:none!important}"), "{paper}");
}

#[test]
fn long_tables_are_marked_for_printing() {
    let dir = sample_run_folder(&bisection_result("A"), "A");
    let long = |count: usize| {
        write_json(&dir, "delta.json", &sample_delta(count, "A"));
        page_of_folder(&dir).matches("<details class=\"long\">").count()
    };
    assert_eq!([long(200), long(201)], [0, 1]);
}

#[test]
fn replay_command_has_only_options_of_explore() {
    let replay_command_of = |command: &str| {
        let reproduce = Some(command.to_owned());
        let dir = sample_run_folder(&RunResult { reproduce, ..fix_result("A") }, "A");
        let page = page_of_folder(&dir);
        let begin = page.find("id=\"schedule-1-json\"")?;
        let code = page[begin..].split_once("<code>")?.1.split_once("</code>")?.0;
        Some(code.replace(&dir.path().display().to_string(), "RUN"))
    };
    let fix = "git mend fix --test a.B --technique concurrency --candidates 20 --apply --top=1";
    let expected = "git mend explore --test a.B --replay RUN/schedule-1.json";
    assert_eq!(replay_command_of(fix).as_deref(), Some(expected));
    assert_eq!(
        replay_command_of("git mend explore --scheduler pct --test a.B").as_deref(),
        Some(expected)
    );
    for audit in ["--audit a.patch", "--audit=a.patch"] {
        assert_eq!(replay_command_of(&format!("git mend explore --test a.B {audit}")), None);
    }
}

#[test]
fn failing_schedules_are_counted_in_words() {
    let failure_summary = |count: usize| {
        let mut result = fix_result("A");
        result.schedules.as_mut().unwrap().failures[0].count = count;
        let page = page_of_folder(&sample_run_folder(&result, "A"));
        let row = page.split_once("<strong>deadlock</strong>").unwrap().1;
        row.split_once(": ").unwrap().0.to_owned()
    };
    assert_eq!(
        [0, 1, 3].map(failure_summary),
        [", seed 41", ", 1 time, seed 41", ", 3 times, seed 41"]
    );
}

#[test]
fn file_changes_without_lines_are_described() {
    let dir = sample_run_folder(&bisection_result("A"), "A");
    let patch = "diff --git a/a.txt b/b.txt\nsimilarity index 100%\nrename from a.txt\nrename to b.txt\n\
                 diff --git a/run b/run\nold mode 100644\nnew mode 100755\n\
                 diff --git a/till.png b/till.png\nindex 1..2 100644\nGIT binary patch\nliteral 0\nHcmV?d00001\n";
    fs::write(dir.path().join("fix.patch"), patch).unwrap();
    let page = page_of_folder(&dir);
    for text in ["b.txt (was a.txt)", "run (mode becomes 100755)", "till.png (binary)"] {
        assert!(
            page.contains(&format!("<p class=\"file\">{text}</p>\n</div>")),
            "{text} in {page}"
        );
    }
}

#[test]
fn schedule_failure_is_truncated_to_the_picture() {
    let dir = sample_run_folder(&fix_result("A"), "A");
    let length = |thread: usize| {
        let mut written = sample_schedule("A", 1);
        written.example.thread = thread;
        written.ending = "m".repeat(300);
        write_json(&dir, "schedule-1.json", &written);
        let run = SavedRun::open(dir.path()).unwrap();
        let pictures = run_pictures(&run, &OutputContext::new(dir.path())).unwrap();
        let picture =
            pictures.iter().find(|one| one.name() == "schedule-1").unwrap().to_inline_svg();
        regex::Regex::new("m{9,}…").unwrap().find(&picture).unwrap().as_str().chars().count()
    };
    assert_eq!([length(0), length(1)], [73, 50]);
}

/// Returns the contrast ratio of two colours by WCAG 2.
fn contrast(one: &str, other: &str) -> f64 {
    let light = |colour: &str| {
        let channel = |at: usize| {
            let channel = f64::from(u8::from_str_radix(&colour[at..at + 2], 16).unwrap()) / 255.0;
            if channel <= 0.040_45 {
                channel / 12.92
            } else {
                ((channel + 0.055) / 1.055).powf(2.4)
            }
        };
        0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5) + 0.05
    };
    let (one, other) = (light(one), light(other));
    one.max(other) / one.min(other)
}

#[test]
fn lines_have_enough_contrast_in_light_and_dark() {
    let block = regex::Regex::new(r"\.picture\{(--ink[^}]*)").unwrap();
    let schemes: Vec<&str> =
        block.captures_iter(picture::STYLE).map(|ratio| ratio.get(1).unwrap().as_str()).collect();
    for scheme in &schemes[..2] {
        let colour = |name: &str| scheme.split_once(name).unwrap().1.split(';').next().unwrap();
        for ground in ["--paper:", "--glow:"] {
            for line in ["--faint:", "--muted:", "--accent:", "--pass:", "--fail:"] {
                let ratio = contrast(colour(line), colour(ground));
                assert!(ratio >= 3.0, "{line} on {ground} {ratio:.2} in {scheme}");
            }
        }
    }
}

#[test]
fn browser_accepts_every_kind_of_page() {
    let long_name = format!("src/{}", "a long name of a file ".repeat(12));
    let large = sample_run_folder(&bisection_result("src/Till"), "src/Till");
    write_json(&large, "delta.json", &sample_delta(300, "src/Till"));
    let unverified_fixes = vec![sample_unverified_fix()];
    let results = [
        bisection_result(&long_name),
        RunResult { unverified_fixes, ..fix_result(&long_name) },
        exploration_result(&long_name),
    ];
    let mut folders: Vec<TempDir> =
        results.iter().map(|result| sample_run_folder(result, &long_name)).collect();
    folders.push(large);
    // The page is in the folder of the patches, so the copied text must equal their content.
    let page_in = |dir: &TempDir| {
        let file = dir.path().join("report.html");
        fs::write(&file, page_of_folder(dir)).unwrap();
        file
    };
    let files: Vec<_> = folders.iter().map(page_in).collect();
    let pictures = tempfile::tempdir().unwrap();
    let look = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/look");
    let output =
        std::process::Command::new(look).args(files).arg(pictures.path()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
