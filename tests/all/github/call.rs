//! Parsed API call, for the handlers of the operations.

use super::actor::Actor;
use super::answer::Answer;
use super::repository::Repository;
use super::state::State;
use serde_json::Value;
use std::collections::BTreeMap;

/// API call.
pub(super) struct Call<'a> {
    pub(super) state: &'a mut State,
    /// The actor, or `None` without a token.
    pub(super) actor: Option<Actor>,
    /// Path parameters by their names in GitHub's API description.
    pub(super) path: BTreeMap<String, String>,
    pub(super) query: BTreeMap<String, String>,
    pub(super) body: Value,
    /// Path without the query.
    pub(super) address: String,
}

impl Call<'_> {
    pub(super) fn repo_name(&self) -> Option<String> {
        Some(format!("{}/{}", self.path.get("owner")?, self.path.get("repo")?))
    }

    pub(super) fn repo(&mut self) -> Result<&mut Repository, Answer> {
        let name = self.repo_name().unwrap_or_default();
        self.state.repos.get_mut(&name).ok_or_else(Answer::not_found)
    }

    pub(super) fn segment(&self, name: &str) -> &str {
        &self.path[name]
    }

    pub(super) fn number(&self, name: &str) -> Result<u64, Answer> {
        self.path[name].parse().map_err(|_| Answer::not_found())
    }

    /// Returns a text field of the body. The schema check has ensured that it is a text.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        self.body.get(name).and_then(Value::as_str).map(str::to_owned)
    }

    /// Returns the actor of a call that requires one.
    pub(super) fn author(&self) -> Result<Actor, Answer> {
        self.actor.clone().ok_or_else(|| Answer::error(401, "Requires authentication"))
    }
}
