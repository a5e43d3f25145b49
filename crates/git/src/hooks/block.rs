//! Insertion and removal of git-mend's lines in a hook file, exact to the byte. Pure.

use bstr::ByteSlice as _;

/// The line before ours.
const START: &[u8] = b"# >>> git-mend >>>";

/// The line after ours.
const END: &[u8] = b"# <<< git-mend <<<";

/// Shells that understand the lines.
const SHELLS: [&[u8]; 8] = [b"sh", b"bash", b"dash", b"ash", b"ksh", b"mksh", b"zsh", b"busybox"];

/// Why the lines cannot stand in a file: what runs it is no shell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct UnsupportedInterpreter {
    /// The interpreter of the file.
    pub(super) interpreter: String,
}

/// A whole hook of ours, in two parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct HookParts<'a> {
    /// First lines of a file that git-mend created.
    pub(super) header: &'a [u8],
    /// The lines, from marker to marker, with the last end of line.
    pub(super) block: &'a [u8],
}

impl<'a> HookParts<'a> {
    pub(super) fn split(hook: &'a [u8]) -> Self {
        let at = block_in(hook).map_or(hook.len(), |range| range.start);
        let (header, block) = hook.split_at(at);
        Self { header, block }
    }
}

/// The file with our lines in it, those of an older version replaced. They stand directly after the first line, because
/// what follows may end with `exec` or `exit`.
pub(super) fn with_block(file: &[u8], block: &[u8]) -> Result<Vec<u8>, UnsupportedInterpreter> {
    if let Some(range) = block_in(file) {
        let is_last = file[..range.end].last() != Some(&b'\n');
        let lines = if is_last { block.trim_end_with(|c| c == '\n') } else { block };
        return Ok([&file[..range.start], lines, &file[range.end..]].concat());
    }
    if let Some(interpreter) = other_interpreter(file) {
        return Err(UnsupportedInterpreter { interpreter });
    }
    if !file.starts_with(b"#!") {
        return Ok([block, file].concat());
    }
    Ok(match file.find_byte(b'\n') {
        Some(end) => [&file[..=end], block, &file[end + 1..]].concat(),
        // A missing line end after the block means that the one before it was added with the block.
        None => [file, b"\n", block.trim_end_with(|c| c == '\n')].concat(),
    })
}

/// The file as it was before; `None` if our lines are not in it.
pub(super) fn without_block(file: &[u8]) -> Option<Vec<u8>> {
    let range = block_in(file)?;
    let before = &file[..range.start];
    let is_cut_off = file[..range.end].last() != Some(&b'\n');
    let before = if is_cut_off { before.strip_suffix(b"\n").unwrap_or(before) } else { before };
    Some([before, &file[range.end..]].concat())
}

/// Returns the range of git-mend's lines, including the last line break.
fn block_in(file: &[u8]) -> Option<std::ops::Range<usize>> {
    let mut at = 0;
    let mut start = None;
    for line in file.lines_with_terminator() {
        let text = line.trim_end();
        if text == START && start.is_none() {
            start = Some(at);
        }
        at += line.len();
        if let (true, Some(start)) = (text == END, start) {
            return Some(start..at);
        }
    }
    None
}

/// Returns the interpreter of a file, if it is not a supported shell.
fn other_interpreter(file: &[u8]) -> Option<String> {
    let Some(line) = file.strip_prefix(b"#!") else {
        return file.contains(&0).then(|| "the system as a binary".to_owned());
    };
    let line = line.lines().next().unwrap_or_default();
    let mut words = line.fields().filter(|word| !word.starts_with(b"-"));
    let base = |word: &'_ [u8]| word.rsplit_str("/").next().unwrap_or_default().to_vec();
    let mut name = words.next().map(base).unwrap_or_default();
    if name == b"env" {
        let is_setting = |word: &&[u8]| word.contains(&b'=');
        name = words.find(|word| !is_setting(word)).map(base).unwrap_or_default();
    }
    let is_shell = SHELLS.contains(&name.as_slice());
    (!is_shell).then(|| String::from_utf8_lossy(&name).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCK: &[u8] = b"# >>> git-mend >>>\nours\n# <<< git-mend <<<\n";

    #[test]
    fn what_was_there_comes_back_to_the_byte() {
        for file in [
            &b""[..],
            b"#!/bin/sh",
            b"#!/bin/sh\n",
            b"#!/bin/sh\nexec other \"$@\"\n",
            b"#!/usr/bin/env -S LC_ALL=C bash\r\nexit 0",
            b"echo no shebang\n",
            b"#!/bin/sh\n\xff\xfe latin\n\n\n",
        ] {
            let with = with_block(file, BLOCK).unwrap();
            assert!(with.contains_str("ours"));
            assert_eq!(without_block(&with).unwrap(), file, "{}", with.as_bstr());
            assert_eq!(with_block(&with, BLOCK).unwrap(), with, "twice is once");
        }
        assert_eq!(without_block(b"#!/bin/sh\n"), None);
    }

    #[test]
    fn our_lines_follow_the_first_line() {
        let with = with_block(b"#!/bin/sh\nexit 0\n", BLOCK).unwrap();
        assert_eq!(
            with.as_bstr(),
            b"#!/bin/sh\n# >>> git-mend >>>\nours\n# <<< git-mend <<<\nexit 0\n".as_bstr()
        );
    }

    #[test]
    fn an_older_version_s_lines_are_replaced_where_they_stand() {
        let old = b"#!/bin/sh\nfirst\n# >>> git-mend >>>\nold\nolder\n# <<< git-mend <<<\nlast\n";
        let new = with_block(old, BLOCK).unwrap();
        assert_eq!(new, [b"#!/bin/sh\nfirst\n", BLOCK, b"last\n"].concat());
    }

    #[test]
    fn what_is_no_shell_is_named() {
        for (file, interpreter) in [
            (&b"#!/usr/bin/env python3\n"[..], "python3"),
            (b"#!/usr/bin/perl -w\n", "perl"),
            (b"#! /usr/bin/env -S node --x\n", "node"),
            (b"\x7fELF\0\0", "the system as a binary"),
        ] {
            let refused = with_block(file, BLOCK).unwrap_err();
            assert_eq!(refused.interpreter, interpreter);
        }
    }
}
