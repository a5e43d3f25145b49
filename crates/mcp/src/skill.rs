//! Page for users' repositories that tells a coding agent when to call which tool.

/// Returns the page, in Markdown with the header of a skill.
pub fn skill_page() -> &'static str {
    include_str!("skill.md")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool_name::ToolName;

    #[test]
    fn page_names_every_tool() {
        for tool in ToolName::ALL {
            assert!(skill_page().contains(&format!("`{}`", tool.as_str())), "{}", tool.as_str());
        }
    }
}
