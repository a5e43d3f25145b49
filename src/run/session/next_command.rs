//! The command to type next.

use mend_model::without_options;

/// Options of `explore` that other commands do not have, or that name its output. All have a value.
const OWN: [&str; 5] = ["--schedules", "--scheduler", "--replay", "--audit", "--output"];

/// The command that searches for a fix of the bug that an exploration found.
pub(crate) fn mend(command_line: &[String]) -> String {
    let mut words = without_options(command_line, &OWN);
    if let Some(command) = words.iter_mut().find(|word| *word == "explore") {
        "fix".clone_into(command);
    }
    words.extend(["--technique", "concurrency"].map(str::to_owned));
    shell_words::join(words)
}

/// The command that explores further schedules, with another seed.
pub(crate) fn further(command_line: &[String], schedules: u32, seed: u64) -> String {
    let kept = ["--schedules", "--seed", "--replay", "--output"];
    let mut words = without_options(command_line, &kept);
    let (many, seed) = (schedules.saturating_mul(10).min(999_999), seed.wrapping_add(1));
    words.extend(["--schedules".to_owned(), many.to_string(), "--seed".to_owned()]);
    words.push(seed.to_string());
    shell_words::join(words)
}

/// Returns the command that searches for fixes with a larger budget, given as an option and its value.
pub(crate) fn longer(command_line: &[String], budget: [String; 2]) -> String {
    let mut words = without_options(command_line, &[&budget[0], "--output"]);
    words.extend(budget);
    shell_words::join(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn the_command_that_mends_asks_for_the_same_tests() {
        let line =
            words("git mend explore --test shop.TillTest --schedules=50 --seed 3 --output x");
        assert_eq!(
            mend(&line),
            "git mend fix --test shop.TillTest --seed 3 --technique concurrency"
        );
    }

    #[test]
    fn to_look_longer_takes_the_larger_budget_in_place_of_the_old_one() {
        let line = words("git mend fix --budget=60s --test shop.TillTest");
        let budget = ["--budget", "300s"].map(str::to_owned);
        assert_eq!(longer(&line, budget), "git mend fix --test shop.TillTest --budget 300s");
    }

    #[test]
    fn to_look_further_takes_another_seed_and_more_schedules() {
        let line = words("git mend explore --test shop.TillTest --replay schedule-1.json");
        assert_eq!(
            further(&line, 1000, 0),
            "git mend explore --test shop.TillTest --schedules 10000 --seed 1"
        );
    }
}
