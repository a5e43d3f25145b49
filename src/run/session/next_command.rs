//! Suggests the next command to the user.

use mend_model::without_options;

/// Options with a value that only `explore` has, and its output option.
const EXPLORE_ONLY_OPTIONS: [&str; 6] =
    ["--schedules", "--scheduler", "--replay", "--audit", "--symptom", "--output"];

/// Returns the command that searches for a fix of the bug found by an exploration.
pub(crate) fn fix_command(command_line: &[String]) -> String {
    let mut new_command_line = without_options(command_line, &EXPLORE_ONLY_OPTIONS);
    if let Some(command) = new_command_line.iter_mut().find(|word| *word == "explore") {
        "fix".clone_into(command);
    }
    new_command_line.extend(["--technique", "concurrency"].map(str::to_owned));
    shell_words::join(new_command_line)
}

/// Returns the command that replays a failing schedule from its file. A replay has no failure to reproduce.
pub(crate) fn replay_command(command_line: &[String], file: &str) -> String {
    let mut new_command_line = without_options(command_line, &["--symptom"]);
    new_command_line.extend(["--replay", file].map(str::to_owned));
    shell_words::join(new_command_line)
}

/// Returns the command that explores further schedules, with another seed.
pub(crate) fn explore_more_command(command_line: &[String], schedules: u32, seed: u64) -> String {
    let replaced = ["--schedules", "--seed", "--replay", "--output"];
    let mut new_command_line = without_options(command_line, &replaced);
    let (more_schedules, seed) = (schedules.saturating_mul(10).min(999_999), seed.wrapping_add(1));
    new_command_line.extend([
        "--schedules".to_owned(),
        more_schedules.to_string(),
        "--seed".to_owned(),
    ]);
    new_command_line.push(seed.to_string());
    shell_words::join(new_command_line)
}

/// Returns the command that searches for fixes with a larger budget, given as an option and its value.
pub(crate) fn larger_budget_command(command_line: &[String], budget: [String; 2]) -> String {
    let mut new_command_line = without_options(command_line, &[&budget[0], "--output"]);
    new_command_line.extend(budget);
    shell_words::join(new_command_line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn fix_command_keeps_the_tests() {
        let line =
            words("git mend explore --test shop.TillTest --schedules=50 --seed 3 --output x");
        assert_eq!(
            fix_command(&line),
            "git mend fix --test shop.TillTest --seed 3 --technique concurrency"
        );
    }

    #[test]
    fn fix_and_replay_have_no_failure_to_reproduce() {
        for symptom in ["--symptom ci.log", "--symptom=ci.log"] {
            let line = words(&format!("git mend explore --test shop.TillTest {symptom} --seed 3"));
            assert_eq!(
                fix_command(&line),
                "git mend fix --test shop.TillTest --seed 3 --technique concurrency"
            );
            assert_eq!(
                replay_command(&line, "a b.json"),
                "git mend explore --test shop.TillTest --seed 3 --replay 'a b.json'"
            );
        }
    }

    #[test]
    fn larger_budget_replaces_the_old_one() {
        let line = words("git mend fix --budget=60s --test shop.TillTest");
        let budget = ["--budget", "300s"].map(str::to_owned);
        assert_eq!(
            larger_budget_command(&line, budget),
            "git mend fix --test shop.TillTest --budget 300s"
        );
    }

    #[test]
    fn explore_more_uses_new_seed_and_more_schedules() {
        let line = words("git mend explore --test shop.TillTest --replay schedule-1.json");
        assert_eq!(
            explore_more_command(&line, 1000, 0),
            "git mend explore --test shop.TillTest --schedules 10000 --seed 1"
        );
    }
}
