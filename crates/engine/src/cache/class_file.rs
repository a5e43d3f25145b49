//! Reads the class name from a class file.

use mend_model::RepoPath;

/// Magic number at the start of every class file.
const CLASS_FILE_MAGIC: u32 = 0xCAFE_BABE;

/// Returns the path of a class file below a class path, from the class name in it; `None` if the bytes are not a class
/// file.
pub fn class_file_path(bytes: &[u8]) -> Option<RepoPath> {
    let mut reader = ClassFileReader(bytes);
    if reader.read_u32()? != CLASS_FILE_MAGIC {
        return None;
    }
    // Minor and major version.
    reader.read_u32()?;
    let pool = ConstantPool::read(&mut reader)?;
    // Access flags.
    reader.read_u16()?;
    let name = pool.class_name(reader.read_u16()?)?;
    let is_plain_component = |part: &[u8]| !part.is_empty() && part != b"." && part != b"..";
    let is_path = name.split(|byte| *byte == b'/').all(is_plain_component);
    is_path.then(|| RepoPath::new([name, b".class"].concat()))
}

/// Constants that contain names; `None` for all others.
struct ConstantPool<'a>(Vec<Option<Constant<'a>>>);

enum Constant<'a> {
    Text(&'a [u8]),
    /// Index of the class name.
    Class(u16),
}

impl<'a> ConstantPool<'a> {
    fn read(reader: &mut ClassFileReader<'a>) -> Option<Self> {
        let count = usize::from(reader.read_u16()?);
        // Indexes start at 1.
        let mut constants = vec![None];
        while constants.len() < count {
            let tag = reader.read_u8()?;
            constants.push(match tag {
                1 => {
                    let length = reader.read_u16()?;
                    Some(Constant::Text(reader.read_bytes(usize::from(length))?))
                }
                7 => Some(Constant::Class(reader.read_u16()?)),
                _ => {
                    reader.read_bytes(constant_length(tag)?)?;
                    None
                }
            });
            // Constants of eight bytes take two indexes.
            if tag == 5 || tag == 6 {
                constants.push(None);
            }
        }
        Some(Self(constants))
    }

    fn class_name(&self, index: u16) -> Option<&'a [u8]> {
        let Some(Constant::Class(name)) = self.0.get(usize::from(index))? else { return None };
        let Some(Constant::Text(name)) = self.0.get(usize::from(*name))? else { return None };
        Some(name)
    }
}

/// Returns the length of a constant whose content is skipped; `None` for an unknown tag.
fn constant_length(tag: u8) -> Option<usize> {
    match tag {
        8 | 16 | 19 | 20 => Some(2),
        15 => Some(3),
        3 | 4 | 9..=12 | 17 | 18 => Some(4),
        5 | 6 => Some(8),
        _ => None,
    }
}

/// Reader of the remaining bytes.
struct ClassFileReader<'a>(&'a [u8]);

impl<'a> ClassFileReader<'a> {
    fn read_bytes(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    fn read_u8(&mut self) -> Option<u8> {
        self.read_bytes(1).map(|bytes| bytes[0])
    }

    fn read_u16(&mut self) -> Option<u16> {
        self.read_bytes(2).and_then(|bytes| bytes.try_into().ok()).map(u16::from_be_bytes)
    }

    fn read_u32(&mut self) -> Option<u32> {
        self.read_bytes(4).and_then(|bytes| bytes.try_into().ok()).map(u32::from_be_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jdk::source_level::SourceLevel;
    use crate::test_support::PlainLauncher;
    use crate::{Environment, Jdk, LaunchSpec, Launcher as _};

    /// Returns the beginning of a class file for a class name, up to the part that the reader needs.
    fn class_file_named(name: &str) -> Vec<u8> {
        let mut bytes = [0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, 52, 0, 6].to_vec();
        // A long constant with two indexes, the name, and the class.
        bytes.extend([5, 0, 0, 0, 0, 0, 0, 0, 1]);
        bytes.extend([1, 0, u8::try_from(name.len()).unwrap()]);
        bytes.extend(name.as_bytes());
        bytes.extend([7, 0, 3, 8, 0, 3]);
        bytes.extend([0, 33, 0, 4]);
        bytes
    }

    #[test]
    fn path_is_derived_from_the_class_name() {
        assert_eq!(class_file_path(&class_file_named("a/B$C")), Some("a/B$C.class".into()));
    }

    #[test]
    fn oldest_and_newest_class_file_versions_are_read() {
        let jdk = Jdk::find(&Environment::from_process(), &PlainLauncher).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let text =
            "package a; class B { Runnable r() { return () -> {}; } static long l = 1L << 40; }";
        std::fs::write(folder.path().join("B.java"), text).unwrap();
        // The oldest version with lambdas is 8.
        for version in [8, jdk.version] {
            let level = SourceLevel { version, is_release: true };
            let compile =
                LaunchSpec::new(jdk.javac(), folder.path()).args(level.javac_options(&jdk).0);
            let exit = PlainLauncher.run(&compile.args(["-d", ".", "B.java"])).unwrap();
            assert!(exit.is_success(), "{}", exit.output);
            let bytes = std::fs::read(folder.path().join("a/B.class")).unwrap();
            // Java 1 has version 45.
            assert_eq!(u32::from(bytes[7]), 44 + version);
            assert_eq!(class_file_path(&bytes), Some("a/B.class".into()));
        }
    }

    #[test]
    fn invalid_class_files_and_names_have_no_path() {
        assert_eq!(class_file_path(b"class A {}"), None);
        assert_eq!(class_file_path(&class_file_named("../../A")), None);
        assert_eq!(class_file_path(&class_file_named("/A")), None);
        let complete = class_file_named("a/B");
        for length in 0..complete.len() {
            assert_eq!(class_file_path(&complete[..length]), None);
        }
    }
}
