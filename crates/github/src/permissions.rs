//! Permissions of users.

use super::comments::CommentAuthor;
use super::error::ApiResult;
use super::names::{Login, encode_segment};
use super::repo::Repo;
use serde::Deserialize;

impl Repo {
    /// Returns true if a user has write access. Besides the role, GitHub returns a legacy permission with four levels,
    /// which maps `maintain` to `write` and covers custom roles.
    ///
    /// # Errors
    /// GitHub's error.
    pub async fn has_write_access(&self, login: &Login) -> ApiResult<bool> {
        #[derive(Deserialize)]
        struct PermissionResponse {
            permission: String,
        }
        let login = encode_segment(&login.0);
        let route = self.api_route(&format!("/collaborators/{login}/permission"));
        let access: Option<PermissionResponse> = self.client.find(&route).await?;
        Ok(access.is_some_and(|access| matches!(access.permission.as_str(), "admin" | "write")))
    }

    /// Keeps the items that this account wrote. An empty list needs no request.
    pub(super) async fn filter_own<T>(
        &self,
        mut items: Vec<T>,
        author: impl Fn(&T) -> Option<&CommentAuthor>,
    ) -> ApiResult<Vec<T>> {
        if !items.is_empty() {
            let own_id = self.client.fetch_viewer_id().await?;
            items.retain(|one| author(one).is_some_and(|author| author.id == own_id));
        }
        Ok(items)
    }
}
