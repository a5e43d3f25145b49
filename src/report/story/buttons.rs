//! The buttons of a check run.

/// What somebody may ask for by a button.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Button {
    /// To search again.
    Retry,
    /// To search again and to offer the patch.
    Fix,
    /// To stop.
    Stop,
}

/// What stands on a button and beside it: plain text, of which GitHub takes 20 and 40 characters.
pub fn button_text(button: Button) -> (&'static str, &'static str) {
    match button {
        Button::Retry => ("Search again", "Looks for what broke it once more."),
        Button::Fix => ("Open a pull request", "Searches again, and offers the patch."),
        Button::Stop => ("Stop", "Ends this search without an answer."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_button_says_more_than_github_takes() {
        for button in [Button::Retry, Button::Fix, Button::Stop] {
            let (label, description) = button_text(button);
            assert!(label.len() <= 20 && description.len() <= 40, "{button:?}");
        }
    }
}
