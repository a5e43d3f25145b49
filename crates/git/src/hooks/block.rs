//! Insertion and removal of git-mend's block of lines in a hook file; all other bytes are kept. Pure.

use bstr::ByteSlice as _;

/// First line of the block.
const BLOCK_START: &[u8] = b"# >>> git-mend >>>";

/// Last line of the block.
const BLOCK_END: &[u8] = b"# <<< git-mend <<<";

/// Shells that can run the block.
const SUPPORTED_SHELLS: [&[u8]; 8] =
    [b"sh", b"bash", b"dash", b"ash", b"ksh", b"mksh", b"zsh", b"busybox"];

/// Error for a file whose interpreter is not a supported shell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct UnsupportedInterpreter {
    /// The interpreter of the file.
    pub(super) interpreter: String,
}

/// The two parts of a whole hook file of git-mend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct HookParts<'a> {
    /// First lines of a hook file that git-mend creates.
    pub(super) header: &'a [u8],
    /// The block with its marker lines, including the last line break.
    pub(super) block: &'a [u8],
}

impl<'a> HookParts<'a> {
    pub(super) fn split(hook: &'a [u8]) -> Self {
        let block_start = find_block(hook).map_or(hook.len(), |range| range.start);
        let (header, block) = hook.split_at(block_start);
        Self { header, block }
    }
}

/// Returns the file with the block, which replaces an older block. It is placed directly after the first line, because
/// later code may end with `exec` or `exit`.
pub(super) fn insert_block(file: &[u8], block: &[u8]) -> Result<Vec<u8>, UnsupportedInterpreter> {
    if let Some(range) = find_block(file) {
        let is_last = file[..range.end].last() != Some(&b'\n');
        let lines = if is_last { block.trim_end_with(|c| c == '\n') } else { block };
        return Ok([&file[..range.start], lines, &file[range.end..]].concat());
    }
    if let Some(interpreter) = find_unsupported_interpreter(file) {
        return Err(UnsupportedInterpreter { interpreter });
    }
    if !file.starts_with(b"#!") {
        return Ok([block, file].concat());
    }
    Ok(match file.find_byte(b'\n') {
        Some(end) => [&file[..=end], block, &file[end + 1..]].concat(),
        // A block without a final line break means that the line break before it was added with the block.
        None => [file, b"\n", block.trim_end_with(|c| c == '\n')].concat(),
    })
}

/// Returns the file without the block; `None` if there is no block.
pub(super) fn remove_block(file: &[u8]) -> Option<Vec<u8>> {
    let range = find_block(file)?;
    let prefix = &file[..range.start];
    let is_cut_off = file[..range.end].last() != Some(&b'\n');
    let prefix = if is_cut_off { prefix.strip_suffix(b"\n").unwrap_or(prefix) } else { prefix };
    Some([prefix, &file[range.end..]].concat())
}

/// Returns the range of the block, including its last line break.
fn find_block(file: &[u8]) -> Option<std::ops::Range<usize>> {
    let mut offset = 0;
    let mut start = None;
    for line in file.lines_with_terminator() {
        let text = line.trim_end();
        if text == BLOCK_START && start.is_none() {
            start = Some(offset);
        }
        offset += line.len();
        if let (true, Some(start)) = (text == BLOCK_END, start) {
            return Some(start..offset);
        }
    }
    None
}

/// Returns the interpreter of a file, if it is not a supported shell.
fn find_unsupported_interpreter(file: &[u8]) -> Option<String> {
    let Some(line) = file.strip_prefix(b"#!") else {
        return file.contains(&0).then(|| "the system as a binary".to_owned());
    };
    let line = line.lines().next().unwrap_or_default();
    let mut words = line.fields().filter(|word| !word.starts_with(b"-"));
    let base = |word: &'_ [u8]| word.rsplit_str("/").next().unwrap_or_default().to_vec();
    let mut name = words.next().map(base).unwrap_or_default();
    if name == b"env" {
        let is_assignment = |word: &&[u8]| word.contains(&b'=');
        name = words.find(|word| !is_assignment(word)).map(base).unwrap_or_default();
    }
    let is_shell = SUPPORTED_SHELLS.contains(&name.as_slice());
    (!is_shell).then(|| String::from_utf8_lossy(&name).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCK: &[u8] = b"# >>> git-mend >>>\nours\n# <<< git-mend <<<\n";

    #[test]
    fn remove_block_restores_the_file_exactly() {
        for file in [
            &b""[..],
            b"#!/bin/sh",
            b"#!/bin/sh\n",
            b"#!/bin/sh\nexec other \"$@\"\n",
            b"#!/usr/bin/env -S LC_ALL=C bash\r\nexit 0",
            b"echo no shebang\n",
            b"#!/bin/sh\n\xff\xfe latin\n\n\n",
        ] {
            let hook_with_block = insert_block(file, BLOCK).unwrap();
            assert!(hook_with_block.contains_str("ours"));
            assert_eq!(
                remove_block(&hook_with_block).unwrap(),
                file,
                "{}",
                hook_with_block.as_bstr()
            );
            assert_eq!(
                insert_block(&hook_with_block, BLOCK).unwrap(),
                hook_with_block,
                "twice is once"
            );
        }
        assert_eq!(remove_block(b"#!/bin/sh\n"), None);
    }

    #[test]
    fn block_is_inserted_after_the_shebang() {
        let hook_with_block = insert_block(b"#!/bin/sh\nexit 0\n", BLOCK).unwrap();
        assert_eq!(
            hook_with_block.as_bstr(),
            b"#!/bin/sh\n# >>> git-mend >>>\nours\n# <<< git-mend <<<\nexit 0\n".as_bstr()
        );
    }

    #[test]
    fn old_block_is_replaced_in_place() {
        let old = b"#!/bin/sh\nfirst\n# >>> git-mend >>>\nold\nolder\n# <<< git-mend <<<\nlast\n";
        let new = insert_block(old, BLOCK).unwrap();
        assert_eq!(new, [b"#!/bin/sh\nfirst\n", BLOCK, b"last\n"].concat());
    }

    #[test]
    fn unsupported_interpreter_is_named() {
        for (file, interpreter) in [
            (&b"#!/usr/bin/env python3\n"[..], "python3"),
            (b"#!/usr/bin/perl -w\n", "perl"),
            (b"#! /usr/bin/env -S node --x\n", "node"),
            (b"\x7fELF\0\0", "the system as a binary"),
        ] {
            let error = insert_block(file, BLOCK).unwrap_err();
            assert_eq!(error.interpreter, interpreter);
        }
    }
}
