//! The guide page with every command and option.

use super::line_wrapping::wrap;
use clap::{Arg, Command};
use std::collections::HashMap;
use std::fmt::Write as _;

const HEAD: &str = "# Commands\n\nThis page lists every command with its options and exit codes. `git mend COMMAND -h` \
    prints the same on the\nterminal, and `git mend generate man` writes it as man pages.\n";

/// Number of commands from which an option with one meaning is listed once for all of them.
const SHARED: usize = 3;

/// Returns the page. Options of several commands are listed once, at the end.
pub(super) fn markdown(mut command: Command) -> String {
    command.build();
    let mut page = HEAD.to_owned();
    let shared = shared_options(&command);
    section(&command, &shared, &mut page);
    page.push_str("\n## Shared options\n\n");
    page.extend(shared);
    page.push_str("\n## Options of every command\n\n");
    page.extend(visible_arguments(&command).filter(|arg| arg.is_global_set()).map(option));
    page
}

/// Returns the list items that several commands have word for word, in the order of the first one.
fn shared_options(command: &Command) -> Vec<String> {
    let mut items: Vec<String> = Vec::new();
    let mut counts: HashMap<String, usize> = HashMap::new();
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        for item in own_options(below).map(option) {
            let count = counts.entry(item.clone()).or_default();
            *count += 1;
            if *count == 1 {
                items.push(item);
            }
        }
    }
    items.retain(|item| counts[item] >= SHARED);
    items
}

/// Writes a section for each subcommand.
fn section(command: &Command, shared: &[String], page: &mut String) {
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        write_section(below, shared, page);
        section(below, shared, page);
    }
}

fn write_section(command: &Command, shared: &[String], page: &mut String) {
    let name = command.get_bin_name().unwrap_or_default();
    let _ = writeln!(page, "\n## `{name}`\n\n{}.", text(command.get_about()));
    if !command.has_subcommands() {
        let usage = command.clone().render_usage().to_string();
        let _ = writeln!(page, "\n```text\n{}\n```\n", usage.trim_start_matches("Usage: "));
        let is_shared = |arg: &&Arg| shared.contains(&option(arg));
        let (common, own): (Vec<_>, Vec<_>) = own_options(command).partition(is_shared);
        page.extend(own.into_iter().map(option));
        if !common.is_empty() {
            let names: Vec<_> = common.into_iter().map(|arg| format!("`{}`", names(arg))).collect();
            let text = format!("[Shared options](#shared-options): {}.", names.join(", "));
            let _ = writeln!(page, "\n{}", wrap(&text, ""));
        }
    }
    if let Some(more) = command.get_after_help() {
        let _ = writeln!(page, "\n```text\n{more}\n```");
    }
}

fn visible_arguments(command: &Command) -> impl Iterator<Item = &Arg> {
    let is_own =
        |arg: &&Arg| !arg.is_hide_set() && !["help", "version"].contains(&arg.get_id().as_str());
    command.get_arguments().filter(is_own)
}

/// Returns the options of a command that not every command has.
fn own_options(command: &Command) -> impl Iterator<Item = &Arg> {
    visible_arguments(command).filter(|arg| !arg.is_global_set())
}

/// Returns the short and the long name of an option.
fn names(arg: &Arg) -> String {
    let long = arg.get_long().map(|long| format!("--{long}"));
    let short = arg.get_short().map(|short| format!("-{short}"));
    short.into_iter().chain(long).collect::<Vec<_>>().join(", ")
}

/// Returns a list item with the name, meaning and default of an option, and its possible values below it.
fn option(arg: &Arg) -> String {
    let values = arg.get_value_names().filter(|_| arg.get_action().takes_values());
    let values: Vec<&str> = values.into_iter().flatten().map(clap::builder::Str::as_str).collect();
    let written = [names(arg), values.join(" ")].join(" ");
    let mut item = format!("- `{}`: {}", written.trim(), text(arg.get_help()));
    let choices =
        if arg.get_action().takes_values() { arg.get_possible_values() } else { Vec::new() };
    let (explained, bare): (Vec<_>, Vec<_>) =
        choices.iter().partition(|choice| choice.get_help().is_some());
    let bare: Vec<String> = bare.iter().map(|one| format!("`{}`", one.get_name())).collect();
    if !bare.is_empty() {
        let _ = write!(item, " ({})", bare.join(", "));
    }
    let usual = arg.get_default_values();
    let usual: Vec<_> = usual.iter().map(|value| value.to_string_lossy()).collect();
    if arg.get_action().takes_values() && !usual.is_empty() {
        let _ = write!(item, " [default: {}]", usual.join(","));
    }
    let mut lines = wrapped(&item, "  ");
    for choice in explained {
        let item = format!("    - `{}`: {}", choice.get_name(), text(choice.get_help()));
        lines += &wrapped(&item, "      ");
    }
    lines
}

fn wrapped(item: &str, indent: &str) -> String {
    wrap(item, indent) + "\n"
}

/// Returns a help text as Markdown, where `<` is escaped.
fn text(help: Option<&clap::builder::StyledStr>) -> String {
    let help = help.map(ToString::to_string).unwrap_or_default();
    help.replace('\n', " ").replace('<', "\\<")
}
