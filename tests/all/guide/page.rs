//! A page of the guide: what there is to type, and what it shows of the answers.

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use std::fs;
use std::path::Path;

/// A Markdown file, named from the repository's root.
pub(super) struct Page {
    pub(super) name: String,
    pub(super) text: String,
}

/// A fenced block of code.
pub(super) struct Block {
    pub(super) language: String,
    /// The line of its first line of code, from 1.
    pub(super) line: usize,
    pub(super) text: String,
}

/// A command after `$ `, and what the page shows under it.
pub(super) struct Step {
    pub(super) command: String,
    pub(super) shown: String,
    pub(super) line: usize,
}

/// Where a link leads, or a picture is.
pub(super) struct Link {
    pub(super) target: String,
    pub(super) is_picture: bool,
    /// What is read where a picture is not seen.
    pub(super) words: String,
}

impl Page {
    pub(super) fn read(name: &str) -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
        Self { name: name.to_owned(), text: fs::read_to_string(path).unwrap() }
    }

    /// A page of these words, to try the checks with.
    pub(super) fn of(text: &str) -> Self {
        Self { name: "a page".to_owned(), text: text.to_owned() }
    }

    /// The pages for readers: the README, how to contribute, and all of `docs`.
    pub(super) fn all() -> Vec<Self> {
        let docs = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs")).unwrap();
        let names = docs.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let is_page =
            |name: &String| Path::new(name).extension().is_some_and(|extension| extension == "md");
        let mut names: Vec<_> = names.filter(is_page).map(|name| format!("docs/{name}")).collect();
        names.sort();
        let others = ["README.md", "CONTRIBUTING.md"].map(str::to_owned);
        others.into_iter().chain(names).map(|name| Self::read(&name)).collect()
    }

    fn events(&self) -> Parser<'_> {
        Parser::new_ext(&self.text, Options::ENABLE_TABLES)
    }

    pub(super) fn blocks(&self) -> Vec<Block> {
        let mut blocks: Vec<Block> = Vec::new();
        let mut is_inside = false;
        for (event, place) in self.events().into_offset_iter() {
            match event {
                Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(language))) => {
                    let line = self.text[..place.start].matches('\n').count() + 2;
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

    /// All that there is to type in `console` blocks, from top to bottom.
    pub(super) fn steps(&self) -> Vec<Step> {
        let blocks = self.blocks().into_iter().filter(|block| block.language == "console");
        blocks.flat_map(|block| block.steps()).collect()
    }

    /// Code within sentences and tables.
    pub(super) fn spans(&self) -> Vec<String> {
        let span = |event| match event {
            Event::Code(code) => Some(code.replace("\\|", "|")),
            _ => None,
        };
        self.events().filter_map(span).collect()
    }

    /// The words of the headings of one level.
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
                    words: String::new(),
                }),
                Event::Start(Tag::Image { dest_url, .. }) => {
                    let target = dest_url.into_string();
                    picture = Some(Link { target, is_picture: true, words: String::new() });
                }
                Event::Text(text) => {
                    if let Some(picture) = &mut picture {
                        picture.words += &text;
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
    /// Where it shows something before there is anything to type.
    pub(super) fn steps(&self) -> Vec<Step> {
        let mut steps: Vec<Step> = Vec::new();
        for (number, line) in (self.line..).zip(self.text.lines()) {
            if let Some(command) = line.strip_prefix("$ ") {
                let command = command.to_owned();
                steps.push(Step { command, shown: String::new(), line: number });
            } else {
                assert!(!steps.is_empty(), "line {number}: `{line}` answers nothing");
                steps.last_mut().unwrap().add(line);
            }
        }
        steps
    }
}

impl Step {
    fn add(&mut self, line: &str) {
        if self.shown.is_empty() && self.command.ends_with('\\') {
            self.command += "\n";
            self.command += line.strip_prefix("> ").unwrap_or(line);
        } else {
            self.shown += line;
            self.shown += "\n";
        }
    }
}
