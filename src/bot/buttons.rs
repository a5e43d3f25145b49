//! The buttons of our check runs: GitHub tells the App that made one when somebody who may write presses them.

use super::command::Command;
use crate::github::CheckAction;
use crate::report::story::{Button, button_text};

/// As GitHub is to have them.
pub(super) fn check_actions(buttons: &[Button]) -> Vec<CheckAction> {
    buttons.iter().map(|button| check_action(*button)).collect()
}

fn check_action(button: Button) -> CheckAction {
    let command = match button {
        Button::Retry => Command::Retry,
        Button::Fix => Command::Fix,
        Button::Stop => Command::Stop,
    };
    let (label, description) = button_text(button);
    CheckAction { label, description, identifier: command.word() }
}
