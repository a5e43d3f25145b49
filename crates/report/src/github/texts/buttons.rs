//! Buttons of a check run.

/// Action behind a button.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Button {
    /// Searches again.
    Retry,
    /// Searches again and opens a pull request with the fix.
    Fix,
    /// Stops the search.
    Stop,
}

/// Returns the label and the description of a button: plain text, at most 20 and 40 characters on GitHub.
pub fn button_text(button: Button) -> (&'static str, &'static str) {
    match button {
        Button::Retry => ("Search again", "Searches for the culprit again."),
        Button::Fix => ("Open a pull request", "Searches again and proposes the fix."),
        Button::Stop => ("Stop", "Stops this search without a result."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn button_texts_respect_github_length_limits() {
        for button in [Button::Retry, Button::Fix, Button::Stop] {
            let (label, description) = button_text(button);
            assert!(label.len() <= 20 && description.len() <= 40, "{button:?}");
        }
    }
}
