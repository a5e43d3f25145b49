//! Parses a page of the guide: commands, the output shown below them, headings and links.

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use std::fs;
use std::path::Path;
use walkdir::WalkDir;

/// Markdown file. Its name is relative to the repository's root.
pub(super) struct Page {
    pub(super) name: String,
    pub(super) text: String,
}

/// Fenced code block.
pub(super) struct Block {
    pub(super) language: String,
    /// Line number of the first line of code, from 1.
    pub(super) line: usize,
    pub(super) text: String,
}

/// Command after `$ `, with the output that the page shows.
pub(super) struct Step {
    pub(super) command: String,
    pub(super) expected_output: String,
    pub(super) line: usize,
}

/// Link, or reference to a picture.
pub(super) struct Link {
    pub(super) target: String,
    pub(super) is_picture: bool,
    /// Alternative text of a picture.
    pub(super) alternative_text: String,
}

impl Page {
    pub(super) fn read(name: &str) -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
        Self { name: name.to_owned(), text: fs::read_to_string(path).unwrap() }
    }

    /// Creates a page from a text, to test the checks.
    pub(super) fn from_text(text: &str) -> Self {
        Self { name: "a page".to_owned(), text: text.to_owned() }
    }

    /// Reads all pages for users and contributors: the README, CONTRIBUTING, and the pages below `docs`.
    pub(super) fn all() -> Vec<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let docs = WalkDir::new(root.join("docs")).sort_by_file_name().into_iter();
        let paths = docs.map(|entry| entry.unwrap().into_path());
        let pages =
            paths.filter(|path| path.extension().is_some_and(|extension| extension == "md"));
        let names = pages.map(|path| path.strip_prefix(root).unwrap().display().to_string());
        let documents = ["README.md", "CONTRIBUTING.md"].map(str::to_owned);
        documents.into_iter().chain(names).map(|name| Self::read(&name)).collect()
    }

    fn events(&self) -> Parser<'_> {
        Parser::new_ext(&self.text, Options::ENABLE_TABLES)
    }

    pub(super) fn blocks(&self) -> Vec<Block> {
        let mut blocks: Vec<Block> = Vec::new();
        let mut is_inside = false;
        for (event, range) in self.events().into_offset_iter() {
            match event {
                Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(language))) => {
                    let line = self.text[..range.start].matches('\n').count() + 2;
                    let language = language.into_string();
                    blocks.push(Block { language, line, text: String::new() });
                    is_inside = true;
                }
                Event::Text(text) if is_inside => blocks.last_mut().unwrap().text += &text,
                Event::End(TagEnd::CodeBlock) => is_inside = false,
                _ => {}
            }
        }
        blocks
    }

    /// Returns the commands of all `console` blocks in order.
    pub(super) fn steps(&self) -> Vec<Step> {
        let blocks = self.blocks().into_iter().filter(|block| block.language == "console");
        blocks.flat_map(|block| block.steps()).collect()
    }

    /// Returns inline code in running text and tables.
    pub(super) fn spans(&self) -> Vec<String> {
        let span = |event| match event {
            Event::Code(code) => Some(code.replace("\\|", "|")),
            _ => None,
        };
        self.events().filter_map(span).collect()
    }

    /// Returns the headings of one level.
    pub(super) fn headings(&self, level: u8) -> Vec<String> {
        let marks = "#".repeat(level.into()) + " ";
        self.text.lines().filter_map(|line| line.strip_prefix(&marks)).map(str::to_owned).collect()
    }

    pub(super) fn links(&self) -> Vec<Link> {
        let mut links = Vec::new();
        let mut picture: Option<Link> = None;
        for event in self.events() {
            match event {
                Event::Start(Tag::Link { dest_url, .. }) => links.push(Link {
                    target: dest_url.into_string(),
                    is_picture: false,
                    alternative_text: String::new(),
                }),
                Event::Start(Tag::Image { dest_url, .. }) => {
                    let target = dest_url.into_string();
                    picture =
                        Some(Link { target, is_picture: true, alternative_text: String::new() });
                }
                Event::Text(text) => {
                    if let Some(picture) = &mut picture {
                        picture.alternative_text += &text;
                    }
                }
                Event::End(TagEnd::Image) => links.extend(picture.take()),
                _ => {}
            }
        }
        links
    }
}

impl Block {
    /// # Panics
    /// If output precedes the first command.
    pub(super) fn steps(&self) -> Vec<Step> {
        let mut steps: Vec<Step> = Vec::new();
        for (number, line) in (self.line..).zip(self.text.lines()) {
            if let Some(command) = line.strip_prefix("$ ") {
                let command = command.to_owned();
                steps.push(Step { command, expected_output: String::new(), line: number });
            } else {
                assert!(!steps.is_empty(), "line {number}: `{line}` answers nothing");
                steps.last_mut().unwrap().append_line(line);
            }
        }
        steps
    }
}

impl Step {
    fn append_line(&mut self, line: &str) {
        if self.expected_output.is_empty() && self.command.ends_with('\\') {
            self.command += "\n";
            self.command += line.strip_prefix("> ").unwrap_or(line);
        } else {
            self.expected_output += line;
            self.expected_output += "\n";
        }
    }
}
