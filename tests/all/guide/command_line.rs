//! Tests that the program accepts every command line on a page of the guide, without running it.

use super::page::{Block, Page};
use crate::support::run_mend;
use std::path::Path;

/// Shell operators that end a command.
const COMMAND_SEPARATORS: [&str; 6] = ["|", "||", "&", "&&", ";", ">"];

/// Returns the arguments of each call of `git mend` in the code blocks of a page.
fn block_calls(page: &Page) -> Vec<Vec<String>> {
    let blocks = page.blocks();
    let lines = blocks.iter().flat_map(|block| [shell_lines(block), help_examples(block)].concat());
    lines.flat_map(|line| parse_calls(&line)).collect()
}

/// Returns the arguments of each call in running text, except those with a placeholder for the command.
fn text_calls(page: &Page) -> Vec<Vec<String>> {
    let calls = page.spans().into_iter().flat_map(|span| parse_calls(&span));
    let is_any = |word: &String| word.chars().all(char::is_uppercase);
    calls.filter(|arguments| !arguments.first().is_some_and(is_any)).collect()
}

/// Returns the command lines of an `sh` block, with continuation lines joined.
pub(super) fn shell_lines(block: &Block) -> Vec<String> {
    let lines = block.text.replace("\\\n", " ");
    if block.language == "sh" { lines.lines().map(str::to_owned).collect() } else { Vec::new() }
}

/// Returns the examples of a help text: the indented lines before the first empty one.
pub(super) fn help_examples(block: &Block) -> Vec<String> {
    let is_help = block.language == "text" && block.text.starts_with("Example");
    let lines = block.text.lines().filter(|_| is_help).take_while(|line| !line.is_empty());
    lines.filter_map(|line| line.strip_prefix("  ")).map(str::to_owned).collect()
}

/// Returns the arguments of each call in a command line, without comment, pipes and redirections.
fn parse_calls(line: &str) -> Vec<Vec<String>> {
    let line = line.split(" #").next().unwrap_or_default().replace("; ", " ; ");
    let Ok(words) = shell_words::split(&line) else { return Vec::new() };
    let commands = words.split(|word| COMMAND_SEPARATORS.contains(&word.as_str()));
    commands.filter_map(mend_arguments).collect()
}

/// Returns the arguments after `git mend`, up to `--`.
fn mend_arguments(command: &[String]) -> Option<Vec<String>> {
    let is_setting = |word: &&String| word.contains('=') && !word.starts_with('-');
    let before = command.iter().take_while(is_setting).count();
    let [git, mend, rest @ ..] = &command[before..] else { return None };
    let is_named = git == "git" && mend == "mend" && !rest.iter().any(|word| word == "…");
    is_named.then(|| rest.iter().take_while(|word| *word != "--").cloned().collect())
}

/// Returns the error message if the program rejects the arguments. It parses from left to right and stops at `--help`, so
/// that it reports unknown arguments first.
fn rejection(arguments: &[String]) -> Option<String> {
    let help_arguments = [arguments, &["--help".to_owned()]].concat();
    let output = run_mend(Path::new(env!("CARGO_TARGET_TMPDIR")), &help_arguments);
    (output.code != 0).then(|| format!("git mend {}\n{}", arguments.join(" "), output.stderr))
}

/// Returns the error message for a call in running text, which may name an option without its value.
fn mention_rejection(arguments: &[String]) -> Option<String> {
    let with_value = [arguments, &["1".to_owned()]].concat();
    rejection(arguments).filter(|_| rejection(&with_value).is_some())
}

fn page_rejections(page: &Page) -> Vec<String> {
    let (calls, mentions) = (block_calls(page), text_calls(page));
    let refused = calls.iter().filter_map(|arguments| rejection(arguments));
    let refused = refused.chain(mentions.iter().filter_map(|each| mention_rejection(each)));
    refused.map(|refusal| format!("{}: {refusal}", page.name)).collect()
}

#[test]
fn documented_calls_are_accepted() {
    let pages = Page::all();
    let refused: Vec<_> = pages.iter().flat_map(page_rejections).collect();
    assert!(refused.is_empty(), "{}", refused.join("\n"));
    assert!(pages.iter().flat_map(block_calls).count() > 20, "calls are not found any more");
    assert!(
        block_calls(&Page::read("docs/commands.md")).len() > 30,
        "examples are not found any more"
    );
    assert!(pages.iter().flat_map(text_calls).count() > 30, "mentions are not found any more");
}

#[test]
fn every_code_block_has_a_language() {
    for page in Page::all() {
        for Block { language, line, .. } in page.blocks() {
            assert!(!language.is_empty(), "{}:{line} has no language", page.name);
        }
    }
}

#[test]
fn invalid_documented_call_is_found() {
    let wrong = "```sh\ngit mend bisect --god v1\ngit mend delta a b c # and so on\n\
                 git mend bisect \\\n  --repeat often\n```\n\nSee `git mend exlpore` and `git mend doctor --recrod`.\n\n\
                 ```text\ngit mend delta [OPTIONS]\n```\n\n```text\nExample:\n  KEY=1 git mend delta v1 v2 --aply all\n```\n";
    assert_eq!(page_rejections(&Page::from_text(wrong)).len(), 6);
    let right = "```sh\ngit mend bisect --good v1 -- mvn --offline test\n\
                 git mend delta v1 main --format dot | dot -Tsvg > delta.svg\n\
                 KEY=1 git mend serve --app-id 1\necho a b | git mend hook run pre-push origin\n```\n\n\
                 `git mend doctor --record` writes what `git mend COMMAND` reads.\n";
    let page = Page::from_text(right);
    assert_eq!(page_rejections(&page), [""; 0]);
    assert_eq!(block_calls(&page).len(), 4);
    assert_eq!(block_calls(&page)[0], ["bisect", "--good", "v1"]);
}
