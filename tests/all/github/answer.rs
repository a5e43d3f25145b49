//! HTTP responses of the fake GitHub.

use super::call::Call;
use serde_json::{Value, json};

/// Response to one request.
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

    pub(super) fn no_content() -> Self {
        Self { status: 204, headers: Vec::new(), body: Vec::new() }
    }

    pub(super) fn json(status: u16, body: &Value) -> Self {
        let kind = "application/json; charset=utf-8".to_owned();
        let headers = vec![("content-type".to_owned(), kind)];
        Self { status, headers, body: serde_json::to_vec(body).unwrap() }
    }

    /// Creates a response with GitHub's error format.
    pub(super) fn error(status: u16, message: &str) -> Self {
        let documentation_url = "https://docs.github.com/rest";
        let status_text = status.to_string();
        Self::json(
            status,
            &json!({ "message": message, "documentation_url": documentation_url, "status": status_text }),
        )
    }

    pub(super) fn not_found() -> Self {
        Self::error(404, "Not Found")
    }

    /// Creates the error response for an invalid field.
    pub(super) fn validation_error(errors: &Value) -> Self {
        let documentation_url = "https://docs.github.com/rest";
        let message = json!({ "message": "Validation Failed", "errors": errors, "documentation_url": documentation_url });
        Self::json(422, &message)
    }

    pub(super) fn with_header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(super) fn json_body(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }
}

/// Returns the requested page of a list, with links to its neighbours.
pub(super) fn paginate(
    call: &Call<'_>,
    items: Vec<Value>,
    wrap: impl Fn(Vec<Value>) -> Value,
) -> Answer {
    let number = |name: &str, usual: usize| {
        call.query.get(name).and_then(|text| text.parse().ok()).unwrap_or(usual)
    };
    let size = number("per_page", 30).clamp(1, 100);
    let page = number("page", 1).max(1);
    let pages = items.len().div_ceil(size).max(1);
    let page_items = items.into_iter().skip((page - 1) * size).take(size).collect();
    let answer = Answer::ok(&wrap(page_items));
    match pagination_links(call, page, pages) {
        Some(links) => answer.with_header("link", &links),
        None => answer,
    }
}

fn pagination_links(call: &Call<'_>, page: usize, pages: usize) -> Option<String> {
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
