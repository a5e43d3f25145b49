//! Extracts the prose of a file: paragraphs of documents, doc comments and string literals of Rust, comments and string
//! literals of Java, and all lines of other texts.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use pulldown_cmark::{Event, Options, Parser, TagEnd};
use regex::Regex;
use std::path::Path;
use std::sync::LazyLock;

/// Passage of prose with the number of its first line, from 1.
pub(super) struct Passage {
    pub(super) line: usize,
    pub(super) text: String,
}

impl Passage {
    fn append(&mut self, text: &str) {
        self.text.push(' ');
        self.text.push_str(text);
    }
}

/// Reads the passages of a file. Binary and data files have none.
pub(super) fn read(path: &Path) -> Vec<Passage> {
    let Ok(text) = std::fs::read_to_string(path) else { return Vec::new() };
    let kind = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    match kind {
        "md" => markdown_passages(&text),
        "rs" => rust_passages(&text),
        "java" => java_passages(&text),
        "css" | "json" | "lock" | "toml" | "txt" => Vec::new(),
        _ => paragraphs(&text),
    }
}

fn markdown_passages(text: &str) -> Vec<Passage> {
    let mut passages = Vec::new();
    let mut passage = String::new();
    let mut is_code = false;
    for (event, range) in Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter() {
        match event {
            Event::Start(pulldown_cmark::Tag::CodeBlock(_)) => is_code = true,
            Event::End(TagEnd::CodeBlock) => is_code = false,
            Event::Text(words) if !is_code => passage += &words,
            Event::Code(_) | Event::SoftBreak | Event::HardBreak => passage.push(' '),
            Event::End(
                TagEnd::Paragraph | TagEnd::Heading(_) | TagEnd::Item | TagEnd::TableCell,
            ) => {
                let line = 1 + text[..range.start].matches('\n').count();
                passages.push(Passage { line, text: std::mem::take(&mut passage) });
            }
            _ => {}
        }
    }
    passages
}

fn rust_passages(text: &str) -> Vec<Passage> {
    let mut passages = Vec::new();
    // Unit tests are excluded, because they contain programs and input.
    let product = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
    collect_literals(product.parse().unwrap(), false, &mut passages);
    passages
}

/// Collects literals. Consecutive lines of a doc comment are one passage.
fn collect_literals(tokens: TokenStream, is_doc: bool, passages: &mut Vec<Passage>) {
    let mut last_doc_line = None;
    for token in tokens {
        match token {
            TokenTree::Group(group) => {
                let is_attribute = group.delimiter() == Delimiter::Bracket;
                let is_doc = is_attribute && group.stream().to_string().starts_with("doc =");
                let line = group.span_open().start().line;
                let count = passages.len();
                collect_literals(group.stream(), is_doc, passages);
                if is_doc && last_doc_line.is_some_and(|last| last + 1 == line) && count > 0 {
                    let next = passages.split_off(count);
                    for Passage { text, .. } in next {
                        passages[count - 1].append(&text);
                    }
                }
                last_doc_line =
                    is_doc.then_some(line).or(last_doc_line.filter(|_| !is_doc && is_attribute));
            }
            TokenTree::Literal(literal) => {
                let source = literal.to_string();
                // A single word is a name or a key.
                if is_doc || source.starts_with(['"', 'r', 'b', 'c']) && source.contains(' ') {
                    let line = literal.span().start().line;
                    passages.push(Passage { line, text: unescape(&source) });
                }
            }
            _ => {}
        }
    }
}

/// Returns the text of a literal without line continuations and placeholders.
fn unescape(literal: &str) -> String {
    static CONTINUED: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"\\\n\s*|\\[nt]|\{[^{}]*\}").unwrap());
    CONTINUED.replace_all(literal, " ").trim_matches(['"', 'r', '#']).to_owned()
}

fn java_passages(text: &str) -> Vec<Passage> {
    static PROSE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#"(?s)/\*.*?\*/|(?m:(?:^\s*//.*\n)+)|//[^\n]*|"(?:[^"\\\n]|\\.)*""#).unwrap()
    });
    static MARKS: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?m)^\s*(?://|\*)|/\*\*?").unwrap());
    let passage = |found: regex::Match<'_>| Passage {
        line: 1 + text[..found.start()].matches('\n').count(),
        text: MARKS.replace_all(found.as_str(), " ").into_owned(),
    };
    PROSE.find_iter(text).map(passage).collect()
}

/// Returns the runs of non-blank lines, without comment marks and template tags.
fn paragraphs(text: &str) -> Vec<Passage> {
    static TAGS: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\{[{%].*?[%}]\}").unwrap());
    let mut passages: Vec<Passage> = Vec::new();
    let mut is_open = false;
    for (line, words) in (1..).zip(text.lines()) {
        let words = TAGS.replace_all(words, " ");
        let words = words.trim().trim_start_matches(['#', '/', '*', ' ']);
        match passages.last_mut().filter(|_| is_open) {
            Some(passage) => passage.append(words),
            None => passages.push(Passage { line, text: words.to_owned() }),
        }
        is_open = !words.is_empty();
    }
    passages
}
