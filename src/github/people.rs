//! Who may do what.

use super::error::ForgeResult;
use super::names::{Login, part};
use super::repo::Repo;
use serde::Deserialize;

impl Repo {
    /// Whether somebody may write to the repository. GitHub tells an older scale of four levels beside the role, in
    /// which `maintain` counts as `write`; custom roles are on it too.
    ///
    /// # Errors
    /// As GitHub answers.
    pub async fn can_write(&self, who: &Login) -> ForgeResult<bool> {
        #[derive(Deserialize)]
        struct Access {
            permission: String,
        }
        let who = part(&who.0);
        let route = self.route(&format!("/collaborators/{who}/permission"));
        let access: Option<Access> = self.client.find(&route).await?;
        Ok(access.is_some_and(|access| matches!(access.permission.as_str(), "admin" | "write")))
    }
}
