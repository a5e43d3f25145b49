//! Buttons of git-mend check runs. When a user with write access presses one, GitHub notifies the App that created it.

use super::command::CommentCommand;
use mend_github::CheckAction;
use mend_report::github::{Button, button_text};

/// Converts buttons to check run actions for GitHub.
pub(super) fn check_actions(buttons: &[Button]) -> Vec<CheckAction> {
    buttons.iter().map(|button| check_action(*button)).collect()
}

fn check_action(button: Button) -> CheckAction {
    let command = match button {
        Button::Retry => CommentCommand::Retry,
        Button::Fix => CommentCommand::Fix,
        Button::Stop => CommentCommand::Stop,
    };
    let (label, description) = button_text(button);
    CheckAction { label, description, identifier: command.name() }
}
