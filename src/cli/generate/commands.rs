//! Every command and option as a page of the guide.

use super::WIDTH;
use clap::{Arg, Command};
use std::fmt::Write as _;
use textwrap::Options;

const HEAD: &str = "# Commands\n\nEvery command and its options. `git mend COMMAND -h` shows the same on the terminal, and \
    `git mend generate man`\nwrites it as man pages.\n";

/// The page. What every command takes stands once, at the end.
pub(super) fn markdown(mut command: Command) -> String {
    command.build();
    let mut page = HEAD.to_owned();
    section(&command, &mut page);
    page.push_str("\n## With every command\n\n");
    shown(&command).filter(|arg| arg.is_global_set()).for_each(|arg| option(arg, &mut page));
    page
}

/// A section for each command below this one.
fn section(command: &Command, page: &mut String) {
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        one(below, page);
        section(below, page);
    }
}

fn one(command: &Command, page: &mut String) {
    let name = command.get_bin_name().unwrap_or_default();
    let _ = writeln!(page, "\n## `{name}`\n\n{}.", text(command.get_about()));
    if !command.has_subcommands() {
        let usage = command.clone().render_usage().to_string();
        let _ = writeln!(page, "\n```text\n{}\n```\n", usage.trim_start_matches("Usage: "));
        shown(command).filter(|arg| !arg.is_global_set()).for_each(|arg| option(arg, page));
    }
    if let Some(more) = command.get_after_help() {
        let _ = writeln!(page, "\n```text\n{more}\n```");
    }
}

fn shown(command: &Command) -> impl Iterator<Item = &Arg> {
    let is_own =
        |arg: &&Arg| !arg.is_hide_set() && !["help", "version"].contains(&arg.get_id().as_str());
    command.get_arguments().filter(is_own)
}

/// An item of a list: how it is written, what it means, what it is unless it is said, and below it what it may be.
fn option(arg: &Arg, page: &mut String) {
    let long = arg.get_long().map(|long| format!("--{long}"));
    let short = arg.get_short().map(|short| format!("-{short}"));
    let names: Vec<String> = short.into_iter().chain(long).collect();
    let values = arg.get_value_names().filter(|_| arg.get_action().takes_values());
    let values: Vec<&str> = values.into_iter().flatten().map(clap::builder::Str::as_str).collect();
    let written = [names.join(", "), values.join(" ")].join(" ");
    let mut item = format!("- `{}`: {}", written.trim(), text(arg.get_help()));
    let choices =
        if arg.get_action().takes_values() { arg.get_possible_values() } else { Vec::new() };
    let (told, bare): (Vec<_>, Vec<_>) =
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
    wrapped(&item, "  ", page);
    for choice in told {
        let item = format!("    - `{}`: {}", choice.get_name(), text(choice.get_help()));
        wrapped(&item, "      ", page);
    }
}

fn wrapped(item: &str, indent: &str, page: &mut String) {
    page.push_str(&textwrap::fill(item, Options::new(WIDTH).subsequent_indent(indent)));
    page.push('\n');
}

/// Angles are markup here.
fn text(help: Option<&clap::builder::StyledStr>) -> String {
    let help = help.map(ToString::to_string).unwrap_or_default();
    help.replace('\n', " ").replace('<', "\\<")
}
