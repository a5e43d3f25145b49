//! Pages of runs, hostile ones among them.

mod structure;

use super::*;
use crate::delta::{DependencyKind, DependencyView};
use crate::testing::{
    HOSTILE, bisection, delta, exploration, folder, json, repair, schedule, trial, trials,
};
use crate::{FailedSchedules, RunResult, SearchGoal, SearchProgress, TrialLine};
use mend_delta::DependencyRule;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

fn scene(dir: &Path) -> OutputContext<'_> {
    OutputContext { folder: dir, is_found: true, elsewhere: None, is_kept: true }
}

fn page_of(dir: &TempDir) -> String {
    page(&SavedRun::open(dir.path()).unwrap(), &scene(dir.path())).unwrap()
}

#[test]
fn a_bisection_begins_with_its_answer() {
    let dir = folder(&bisection("src/Till"), "src/Till");
    let page = page_of(&dir);
    assert!(page.contains("b src/Till <ins>&#62;=</ins> c"), "{page}");
    assert_eq!(page.matches("<svg ").count(), 3 + 1);
    assert!(!page.contains("Not on this page"));
}

#[test]
fn a_fix_has_the_command_that_replays_its_schedule() {
    let dir = folder(&repair("src/Till"), "src/Till");
    let page = page_of(&dir);
    let replay = "git mend explore --test a.B --replay";
    assert!(page.contains(replay) && page.contains("seed 41"));
}

#[test]
fn the_steps_of_a_schedule_follow_its_picture() {
    let page = page_of(&folder(&repair("Till"), "Till"));
    let told = page.matches("<summary>Step by step</summary><ol><li>").count();
    assert_eq!(told, page.matches("aria-label=\"Sequence diagram of a schedule\"").count());
    let begin = page.find("Step by step").unwrap();
    let steps = page[begin..].split_once("<ol>").unwrap().1.split_once("</ol>").unwrap().0;
    insta::assert_snapshot!(steps.replace("</li>", "\n").replace("<li>", ""), @r"
    Till takes Till at Till.Till:3 (part of the pattern); holds Till
    Thread-0 takes Till at Till.Till:3 (part of the pattern); holds Till
    Till: Till
    ");
}

#[test]
fn schedules_that_are_not_drawn_are_counted() {
    let mut result = repair("Till");
    let found = result.schedules.as_mut().unwrap();
    let failure = |number: usize| FailedSchedules {
        schedule: format!("schedule-{number}.json"),
        ..found.failures[0].clone()
    };
    found.failures = (1..=5).map(failure).collect();
    let dir = folder(&result, "Till");
    for number in 2..=5 {
        json(&dir, &format!("schedule-{number}.json"), &schedule("Till", 1));
    }
    let page = page_of(&dir);
    assert_eq!(page.matches("<summary>Step by step</summary>").count(), 3);
    assert!(page.contains("Not drawn: 2 further failures."), "{page}");
}

#[test]
fn hostile_names_and_sources_are_escaped() {
    for result in [bisection(HOSTILE), repair(HOSTILE)] {
        let dir = folder(&result, HOSTILE);
        let page = page_of(&dir);
        for markup in ["<img", "onerror=alert(1)>", "\u{1b}", "\u{0}", "\u{202e}", "<!-- "] {
            assert!(!page.contains(markup), "{markup:?}");
        }
        let ends = ["</script>", "</style>", "</html>"].map(|end| page.matches(end).count());
        assert_eq!(ends, [1, 1, 1]);
        let run = SavedRun::open(dir.path()).unwrap();
        let pictures = pictures(&run, &scene(dir.path())).unwrap();
        assert!(!pictures.is_empty());
        for picture in pictures {
            let file = picture.file();
            let svg = roxmltree::Document::parse(&file).unwrap();
            let kinds = svg.descendants().filter(roxmltree::Node::is_element);
            assert!(
                kinds.into_iter().all(|node| !["img", "script"].contains(&node.tag_name().name()))
            );
        }
    }
}

#[test]
fn a_page_loads_nothing_and_allows_only_its_own_script() {
    let page = page_of(&folder(&bisection("A"), "A"));
    assert!(page.contains("default-src 'none'; style-src 'sha256-"));
    assert!(!page.contains(" src=") && !page.contains("href=\"http") && !page.contains(" style="));
    let begin = page.find("<script>").unwrap() + "<script>".len();
    let script = &page[begin..page.find("</script>").unwrap()];
    assert!(page.contains(&hash(script)));
}

#[test]
fn a_patch_that_a_page_cannot_contain_exactly_has_no_copy_button() {
    let dir = folder(&bisection("A"), "A");
    let is_copied = |dir: &TempDir| page_of(dir).contains("id=\"patch-2-raw\"");
    assert!(is_copied(&dir));
    let patch = fs::read_to_string(dir.path().join("fix.patch")).unwrap();
    fs::write(dir.path().join("fix.patch"), patch.replace(" c\n", " c\r\n")).unwrap();
    assert!(!is_copied(&dir));
}

#[test]
fn missing_files_of_a_run_are_reported() {
    let dir = folder(&bisection("A"), "A");
    for name in ["delta.json", "trials.jsonl"] {
        fs::remove_file(dir.path().join(name)).unwrap();
    }
    let page = page_of(&dir);
    assert!(
        page.contains("the components of the change: the run folder has no delta.json"),
        "{page}"
    );
    assert!(page.contains("the search curve: trials.jsonl has no search progress"));
}

#[test]
fn invalid_files_are_left_out_and_named() {
    let dir = folder(&repair("A"), "A");
    fs::write(dir.path().join("values.json"), "{").unwrap();
    json(&dir, "schedule-1.json", &schedule("A", 7));
    let mut delta = delta(3, "A");
    delta.couplings[0].to = vec![99];
    json(&dir, "delta.json", &delta);
    let page = page_of(&dir);
    for file in ["values.json", "schedule-1.json", "delta.json"] {
        assert!(page.contains(&format!("{file}, which is invalid")), "{page}");
    }
    assert_eq!(page.matches("class=\"picture\"").count(), 2);
    json(&dir, "result.json", &bisection("A"));
    assert!(!page_of(&dir).contains("the run folder has no delta.json"));
}

#[test]
fn a_change_of_five_thousand_components_stays_a_small_page() {
    let dir = folder(&bisection("src/main/java/shop/Till"), "src/main/java/shop/Till");
    let mut large = delta(5000, "src/main/java/shop/Till");
    // Four dependencies per component: one on its neighbour, the others on any files.
    let needs = |from: usize| {
        let (kind, rule) = (DependencyKind::Needs, DependencyRule::Signature);
        let to = [from - 1, 1 + from * 7 % 5000, 1 + from * 31 % 5000];
        to.map(|to| DependencyView { from, to: vec![to], kind, rule })
    };
    large.couplings.extend((2..=5000).flat_map(needs));
    json(&dir, "delta.json", &large);
    let line = serde_json::to_string(&trials("with 9 components")[1]).unwrap() + "\n";
    fs::write(dir.path().join("trials.jsonl"), line.repeat(5000)).unwrap();
    let page = page_of(&dir);
    assert!(page.len() < 5_000_000, "{}", page.len());
    let rows = page.matches(" (definition), ").count();
    assert_eq!(rows, 4999, "the needs of a component");
    assert_eq!(page.matches(" (signature)").count(), 3 * 4999);
    for told in [
        "pairs of dependent files.",
        "more; delta.json has all dependencies",
        "Not shown: 3000 more; trials.jsonl has all test runs",
    ] {
        assert!(page.contains(told), "{told}");
    }
}

/// Trials of a culprit search with a given progress.
fn search_of(suspected: &[usize]) -> String {
    let standing = |suspected| {
        Some(SearchProgress { goal: SearchGoal::Culprit, tried: 1, suspected, tokens: 30 })
    };
    let line = |suspected: &usize| {
        let trial = TrialLine { search: standing(*suspected), ..trial("pass", HOSTILE) };
        serde_json::to_string(&trial).unwrap()
    };
    suspected.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn sketched(dir: &TempDir, suspected: &[usize]) -> Vec<TextDiagram> {
    fs::write(dir.path().join("trials.jsonl"), search_of(suspected)).unwrap();
    sketches(&RunArtifacts::read(&SavedRun::open(dir.path()).unwrap()).unwrap())
}

#[test]
fn a_sketch_shows_the_search_and_what_was_found() {
    let dir = folder(&bisection("Till"), "Till");
    json(&dir, "delta.json", &delta(9, "Till"));
    let [curve, graph] = sketched(&dir, &[9, 9, 4, 1]).try_into().unwrap();
    insta::assert_snapshot!(curve.source, @r#"
    %%{init: {'themeVariables': {'xyChart': {'plotColorPalette': '#8250df'}}}}%%
    xychart-beta
        accDescr: Search in 4 test runs: 4 passed, 0 failed, 0 unresolved. Culprit: reduced from 9 components to 1.
        title "Components still suspected"
        x-axis "test runs" [1, 2, 3, 4]
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
    run  components still suspected
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
    assert!(graph.told.contains("7 (culprit, reverted by the fix)"), "{}", graph.told);
}

#[test]
fn a_sketch_of_many_steps_ends_with_the_result() {
    let dir = folder(&bisection("Till"), "Till");
    let steps: Vec<usize> = (1..=60).rev().collect();
    let curve = sketched(&dir, &steps).remove(0);
    assert!(curve.text.ends_with("\n   60      1  █"), "{}", curve.text);
    assert!(curve.source.ends_with(", 1]"), "{}", curve.source);
}

#[test]
fn a_huge_number_makes_no_wide_bar() {
    let dir = folder(&bisection("Till"), "Till");
    let curve = sketched(&dir, &[usize::MAX, usize::MAX / 2, 1]).remove(0);
    assert!(curve.text.lines().all(|line| line.matches('█').count() <= 24), "{}", curve.text);
}

#[test]
fn a_sketch_counts_the_dependencies_that_it_draws() {
    let dir = folder(&bisection("Till"), "Till");
    let mut few = delta(9, "Till");
    for _ in 0..2 {
        few.couplings.extend(few.couplings.clone());
    }
    json(&dir, "delta.json", &few);
    let [_, graph] = sketched(&dir, &[9, 4, 1]).try_into().unwrap();
    assert_eq!(graph.source.matches("\n    c").count(), 9 + 24 + 1, "{}", graph.source);
    let told = "9 components and 24 of 32 dependencies.";
    assert!(graph.told.starts_with(told), "{}", graph.told);
}

#[test]
fn sketches_are_small_and_escape_names() {
    let dir = folder(&bisection(HOSTILE), HOSTILE);
    json(&dir, "delta.json", &delta(5000, HOSTILE));
    let all = sketched(&dir, &vec![5000; 20_000]);
    assert_eq!(all.len(), 2);
    for TextDiagram { source, told, text } in all {
        assert!(source.len() < 4000, "{}", source.len());
        assert!(text.chars().count() < 4000 && text.lines().count() < 40, "{text}");
        for bad in ["<img", "-->\"", "`", "\u{202e}", "\u{1b}", "</"] {
            assert!(!source.contains(bad) && !told.contains(bad), "{bad:?} in\n{source}\n{told}");
        }
    }
}

#[test]
fn tables_keep_their_headings_on_paper() {
    let page = page_of(&folder(&bisection("A"), "A"));
    let paper = page.lines().find(|line| line.starts_with("@media print{:root")).unwrap();
    // The script puts a button into each heading.
    assert!(page.contains("button.className = \"sort\""));
    assert!(paper.contains("}button:not(.sort),.skip,.raw{display:none!important}"), "{paper}");
}

#[test]
fn long_tables_are_marked_for_printing() {
    let dir = folder(&bisection("A"), "A");
    let long = |count: usize| {
        json(&dir, "delta.json", &delta(count, "A"));
        page_of(&dir).matches("<details class=\"long\">").count()
    };
    assert_eq!([long(200), long(201)], [0, 1]);
}

#[test]
fn the_replay_command_has_only_options_that_explore_takes() {
    let again = |command: &str| {
        let reproduce = Some(command.to_owned());
        let dir = folder(&RunResult { reproduce, ..repair("A") }, "A");
        let page = page_of(&dir);
        let begin = page.find("id=\"schedule-1-json\"")?;
        let code = page[begin..].split_once("<code>")?.1.split_once("</code>")?.0;
        Some(code.replace(&dir.path().display().to_string(), "RUN"))
    };
    let fix = "git mend fix --test a.B --technique concurrency --candidates 20 --apply --top=1";
    let told = "git mend explore --test a.B --replay RUN/schedule-1.json";
    assert_eq!(again(fix).as_deref(), Some(told));
    assert_eq!(again("git mend explore --scheduler pct --test a.B").as_deref(), Some(told));
    for audit in ["--audit a.patch", "--audit=a.patch"] {
        assert_eq!(again(&format!("git mend explore --test a.B {audit}")), None);
    }
}

#[test]
fn failing_schedules_are_counted_in_words() {
    let told = |count: usize| {
        let mut result = repair("A");
        result.schedules.as_mut().unwrap().failures[0].count = count;
        let page = page_of(&folder(&result, "A"));
        let row = page.split_once("<strong>deadlock</strong>").unwrap().1;
        row.split_once(": ").unwrap().0.to_owned()
    };
    assert_eq!([0, 1, 3].map(told), [", seed 41", ", 1 time, seed 41", ", 3 times, seed 41"]);
}

#[test]
fn file_changes_without_lines_are_described() {
    let dir = folder(&bisection("A"), "A");
    let patch = "diff --git a/a.txt b/b.txt\nsimilarity index 100%\nrename from a.txt\nrename to b.txt\n\
                 diff --git a/run b/run\nold mode 100644\nnew mode 100755\n\
                 diff --git a/till.png b/till.png\nindex 1..2 100644\nGIT binary patch\nliteral 0\nHcmV?d00001\n";
    fs::write(dir.path().join("fix.patch"), patch).unwrap();
    let page = page_of(&dir);
    for told in ["b.txt (was a.txt)", "run (mode becomes 100755)", "till.png (binary)"] {
        assert!(
            page.contains(&format!("<p class=\"file\">{told}</p>\n</div>")),
            "{told} in {page}"
        );
    }
}

#[test]
fn the_failure_of_a_schedule_is_cut_to_the_picture() {
    let dir = folder(&repair("A"), "A");
    let length = |thread: usize| {
        let mut written = schedule("A", 1);
        written.example.thread = thread;
        written.ending = "m".repeat(300);
        json(&dir, "schedule-1.json", &written);
        let run = SavedRun::open(dir.path()).unwrap();
        let pictures = pictures(&run, &scene(dir.path())).unwrap();
        let picture = pictures.iter().find(|one| one.name() == "schedule-1").unwrap().inline();
        regex::Regex::new("m{9,}…").unwrap().find(&picture).unwrap().as_str().chars().count()
    };
    assert_eq!([length(0), length(1)], [73, 50]);
}

/// Returns the contrast ratio of two colours by WCAG 2.
fn contrast(one: &str, other: &str) -> f64 {
    let light = |colour: &str| {
        let part = |at: usize| {
            let part = f64::from(u8::from_str_radix(&colour[at..at + 2], 16).unwrap()) / 255.0;
            if part <= 0.040_45 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5) + 0.05
    };
    let (one, other) = (light(one), light(other));
    one.max(other) / one.min(other)
}

#[test]
fn lines_and_dots_have_enough_contrast_in_light_and_dark() {
    let block = regex::Regex::new(r"\.picture\{(--ink[^}]*)").unwrap();
    let schemes: Vec<&str> =
        block.captures_iter(picture::STYLE).map(|found| found.get(1).unwrap().as_str()).collect();
    for scheme in &schemes[..2] {
        let colour = |name: &str| scheme.split_once(name).unwrap().1.split(';').next().unwrap();
        for ground in ["--paper:", "--glow:"] {
            for line in ["--faint:", "--muted:", "--accent:", "--pass:", "--fail:"] {
                let found = contrast(colour(line), colour(ground));
                assert!(found >= 3.0, "{line} on {ground} {found:.2} in {scheme}");
            }
        }
    }
}

#[test]
fn a_browser_shows_every_kind_of_page_without_a_complaint() {
    let words = format!("src/{}", "a long name of a file ".repeat(12));
    let large = folder(&bisection("src/Till"), "src/Till");
    json(&large, "delta.json", &delta(300, "src/Till"));
    let all = [bisection(&words), repair(&words), exploration(&words)];
    let mut folders: Vec<TempDir> = all.iter().map(|result| folder(result, &words)).collect();
    folders.push(large);
    // The page is in the folder of the patches: the copied text must match them.
    let page_in = |dir: &TempDir| {
        let file = dir.path().join("report.html");
        fs::write(&file, page_of(dir)).unwrap();
        file
    };
    let files: Vec<_> = folders.iter().map(page_in).collect();
    let pictures = tempfile::tempdir().unwrap();
    let look = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/look");
    let output =
        std::process::Command::new(look).args(files).arg(pictures.path()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
