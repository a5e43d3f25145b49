//! Free disk space.

use rustix::fs::{StatVfs, statvfs};
use std::path::Path;

/// Minimum free space, in bytes. With less, a disk counts as full.
const LEAST: u64 = 256 * 1024;

/// Returns true if the disk of `path` is full. `path` need not exist. Any failure there may have this reason.
pub fn is_full(path: &Path) -> bool {
    path.ancestors().find_map(|place| statvfs(place).ok()).is_some_and(|disk| has_no_room(&disk))
}

/// Returns the free bytes on the disk of `path`, which need not exist; `None` if the file system does not count them.
pub fn free_bytes(path: &Path) -> Option<u64> {
    let disk = path.ancestors().find_map(|place| statvfs(place).ok())?;
    (disk.f_blocks > 0).then(|| disk.f_bavail.saturating_mul(disk.f_frsize))
}

fn has_no_room(disk: &StatVfs) -> bool {
    let bytes = disk.f_bavail.saturating_mul(disk.f_frsize);
    // Some file systems count neither blocks nor files.
    (disk.f_blocks > 0 && bytes < LEAST) || (disk.f_files > 0 && disk.f_ffree == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn disk(free_blocks: u64, free_files: u64) -> StatVfs {
        let mut disk = statvfs("/").unwrap();
        (disk.f_frsize, disk.f_blocks, disk.f_files) = (4096, 1000, 1000);
        (disk.f_bavail, disk.f_ffree) = (free_blocks, free_files);
        disk
    }

    #[test]
    fn a_disk_is_full_without_blocks_or_without_files() {
        assert!(has_no_room(&disk(10, 10)) && has_no_room(&disk(900, 0)));
        assert!(!has_no_room(&disk(900, 10)));
    }

    #[test]
    fn a_file_system_that_counts_nothing_is_never_full() {
        let uncounted = StatVfs { f_blocks: 0, f_files: 0, ..disk(0, 0) };
        assert!(!has_no_room(&uncounted));
    }

    #[test]
    fn a_path_that_is_not_there_is_asked_about_where_it_would_be() {
        let dir = tempfile::tempdir().unwrap();
        assert!(!is_full(&dir.path().join("not/there")));
    }
}
