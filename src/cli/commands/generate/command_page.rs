//! Generates the guide page with every command and option.

use super::line_wrapping::wrap;
use clap::{Arg, Command};
use std::collections::HashMap;
use std::fmt::Write as _;

const PAGE_INTRODUCTION: &str = "# Commands\n\nThis page lists every command with its options and exit codes. `git mend COMMAND -h` \
    prints the same on the\nterminal, and `git mend generate man` writes it as man pages.\n";

/// Minimum number of commands with the same option for which it is listed once instead of per command.
const MIN_SHARING_COMMANDS: usize = 3;

/// Returns the page. Options that several commands share are listed once, at the end.
pub(super) fn markdown(mut command: Command) -> String {
    command.build();
    let mut page = PAGE_INTRODUCTION.to_owned();
    let shared = shared_options(&command);
    write_sections(&command, &shared, &mut page);
    page.push_str("\n## Shared options\n\n");
    page.extend(shared);
    page.push_str("\n## Options of every command\n\n");
    page.extend(visible_arguments(&command).filter(|arg| arg.is_global_set()).map(format_option));
    page
}

/// Returns the list items that are identical in several commands, in the order of their first command.
fn shared_options(command: &Command) -> Vec<String> {
    let mut items: Vec<String> = Vec::new();
    let mut counts: HashMap<String, usize> = HashMap::new();
    for subcommand in command.get_subcommands().filter(|subcommand| !subcommand.is_hide_set()) {
        for item in own_options(subcommand).map(format_option) {
            let count = counts.entry(item.clone()).or_default();
            *count += 1;
            if *count == 1 {
                items.push(item);
            }
        }
    }
    items.retain(|item| counts[item] >= MIN_SHARING_COMMANDS);
    items
}

/// Writes a section for each subcommand.
fn write_sections(command: &Command, shared: &[String], page: &mut String) {
    for subcommand in command.get_subcommands().filter(|subcommand| !subcommand.is_hide_set()) {
        write_section(subcommand, shared, page);
        write_sections(subcommand, shared, page);
    }
}

fn write_section(command: &Command, shared: &[String], page: &mut String) {
    let name = command.get_bin_name().unwrap_or_default();
    let _ = writeln!(page, "\n## `{name}`\n\n{}.", escape_help(command.get_about()));
    if !command.has_subcommands() {
        let usage = command.clone().render_usage().to_string();
        let _ = writeln!(page, "\n```text\n{}\n```\n", usage.trim_start_matches("Usage: "));
        let is_shared = |arg: &&Arg| shared.contains(&format_option(arg));
        let (shared_options, own_options): (Vec<_>, Vec<_>) =
            own_options(command).partition(is_shared);
        page.extend(own_options.into_iter().map(format_option));
        if !shared_options.is_empty() {
            let names: Vec<_> =
                shared_options.into_iter().map(|arg| format!("`{}`", option_names(arg))).collect();
            let text = format!("[Shared options](#shared-options): {}.", names.join(", "));
            let _ = writeln!(page, "\n{}", wrap(&text, ""));
        }
    }
    if let Some(after_help) = command.get_after_help() {
        let _ = writeln!(page, "\n```text\n{after_help}\n```");
    }
}

fn visible_arguments(command: &Command) -> impl Iterator<Item = &Arg> {
    let is_own =
        |arg: &&Arg| !arg.is_hide_set() && !["help", "version"].contains(&arg.get_id().as_str());
    command.get_arguments().filter(is_own)
}

/// Returns the options of a command that are not options of every command.
fn own_options(command: &Command) -> impl Iterator<Item = &Arg> {
    visible_arguments(command).filter(|arg| !arg.is_global_set())
}

/// Returns the short and the long name of an option.
fn option_names(arg: &Arg) -> String {
    let long = arg.get_long().map(|long| format!("--{long}"));
    let short = arg.get_short().map(|short| format!("-{short}"));
    short.into_iter().chain(long).collect::<Vec<_>>().join(", ")
}

/// Returns a list item with the name, description and default of an option, and its possible values below it.
fn format_option(arg: &Arg) -> String {
    let values = arg.get_value_names().filter(|_| arg.get_action().takes_values());
    let values: Vec<&str> = values.into_iter().flatten().map(clap::builder::Str::as_str).collect();
    let signature = [option_names(arg), values.join(" ")].join(" ");
    let mut item = format!("- `{}`: {}", signature.trim(), escape_help(arg.get_help()));
    let choices =
        if arg.get_action().takes_values() { arg.get_possible_values() } else { Vec::new() };
    let (described_values, plain_values): (Vec<_>, Vec<_>) =
        choices.iter().partition(|choice| choice.get_help().is_some());
    let plain_values: Vec<String> =
        plain_values.iter().map(|one| format!("`{}`", one.get_name())).collect();
    if !plain_values.is_empty() {
        let _ = write!(item, " ({})", plain_values.join(", "));
    }
    let default_values = arg.get_default_values();
    let default_values: Vec<_> =
        default_values.iter().map(|value| value.to_string_lossy()).collect();
    if arg.get_action().takes_values() && !default_values.is_empty() {
        let _ = write!(item, " [default: {}]", default_values.join(","));
    }
    let mut lines = wrap_item(&item, "  ");
    for choice in described_values {
        let item = format!("    - `{}`: {}", choice.get_name(), escape_help(choice.get_help()));
        lines += &wrap_item(&item, "      ");
    }
    lines
}

fn wrap_item(item: &str, indent: &str) -> String {
    wrap(item, indent) + "\n"
}

/// Returns a help text as Markdown, where `<` is escaped.
fn escape_help(help: Option<&clap::builder::StyledStr>) -> String {
    let help = help.map(ToString::to_string).unwrap_or_default();
    help.replace('\n', " ").replace('<', "\\<")
}
