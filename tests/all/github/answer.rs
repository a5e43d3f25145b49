//! Responses of GitHub.

use super::call::Call;
use serde_json::{Value, json};

/// An answer to one request.
#[derive(Clone, Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
}

/// Result of a call. A refusal is a response too.
pub(super) type Handled = Result<Answer, Answer>;

impl Answer {
    pub(super) fn ok(body: &Value) -> Self {
        Self::json(200, body)
    }

    pub(super) fn created(body: &Value) -> Self {
        Self::json(201, body)
    }

    pub(super) fn nothing() -> Self {
        Self { status: 204, headers: Vec::new(), body: Vec::new() }
    }

    pub(super) fn json(status: u16, body: &Value) -> Self {
        let kind = "application/json; charset=utf-8".to_owned();
        let headers = vec![("content-type".to_owned(), kind)];
        Self { status, headers, body: serde_json::to_vec(body).unwrap() }
    }

    /// GitHub's error messages.
    pub(super) fn refused(status: u16, message: &str) -> Self {
        let about = "https://docs.github.com/rest";
        let status_text = status.to_string();
        Self::json(
            status,
            &json!({ "message": message, "documentation_url": about, "status": status_text }),
        )
    }

    pub(super) fn not_found() -> Self {
        Self::refused(404, "Not Found")
    }

    /// A field that is not what it must be.
    pub(super) fn invalid(errors: &Value) -> Self {
        let about = "https://docs.github.com/rest";
        let said =
            json!({ "message": "Validation Failed", "errors": errors, "documentation_url": about });
        Self::json(422, &said)
    }

    pub(super) fn with_header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(super) fn value(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }
}

/// The page of a list that was asked for, with links to its neighbours.
pub(super) fn page(call: &Call<'_>, all: Vec<Value>, wrap: impl Fn(Vec<Value>) -> Value) -> Answer {
    let number = |name: &str, usual: usize| {
        call.query.get(name).and_then(|text| text.parse().ok()).unwrap_or(usual)
    };
    let size = number("per_page", 30).clamp(1, 100);
    let page = number("page", 1).max(1);
    let pages = all.len().div_ceil(size).max(1);
    let some = all.into_iter().skip((page - 1) * size).take(size).collect();
    let answer = Answer::ok(&wrap(some));
    match links(call, page, pages) {
        Some(links) => answer.with_header("link", &links),
        None => answer,
    }
}

fn links(call: &Call<'_>, page: usize, pages: usize) -> Option<String> {
    let others = call.query.iter().filter(|(name, _)| name.as_str() != "page");
    let link = |page: usize, relation: &str| {
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        query.extend_pairs(others.clone()).append_pair("page", &page.to_string());
        format!("<{}?{}>; rel=\"{relation}\"", call.address, query.finish())
    };
    let mut all = Vec::new();
    if page > 1 {
        all.extend([link(page - 1, "prev"), link(1, "first")]);
    }
    if page < pages {
        all.extend([link(page + 1, "next"), link(pages, "last")]);
    }
    (!all.is_empty()).then(|| all.join(", "))
}
