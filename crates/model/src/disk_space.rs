//! Free disk space.

use rustix::fs::{StatVfs, statvfs};
use std::path::Path;

/// Minimum free space, in bytes. With less, a disk counts as full.
const MIN_FREE_BYTES: u64 = 256 * 1024;

/// Returns true if the disk of `path`, which need not exist, is full. Then any write error there may be due to this.
pub fn is_disk_full(path: &Path) -> bool {
    path.ancestors()
        .find_map(|place| statvfs(place).ok())
        .is_some_and(|disk| has_no_free_space(&disk))
}

/// Returns the free bytes on the disk of `path`, which need not exist; `None` if the file system does not count them.
pub fn free_bytes(path: &Path) -> Option<u64> {
    let disk = path.ancestors().find_map(|place| statvfs(place).ok())?;
    (disk.f_blocks > 0).then(|| disk.f_bavail.saturating_mul(disk.f_frsize))
}

fn has_no_free_space(disk: &StatVfs) -> bool {
    let bytes = disk.f_bavail.saturating_mul(disk.f_frsize);
    // Some file systems report neither blocks nor files.
    (disk.f_blocks > 0 && bytes < MIN_FREE_BYTES) || (disk.f_files > 0 && disk.f_ffree == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn disk_with_free(free_blocks: u64, free_files: u64) -> StatVfs {
        let mut disk = statvfs("/").unwrap();
        (disk.f_frsize, disk.f_blocks, disk.f_files) = (4096, 1000, 1000);
        (disk.f_bavail, disk.f_ffree) = (free_blocks, free_files);
        disk
    }

    #[test]
    fn disk_without_free_blocks_or_files_is_full() {
        assert!(
            has_no_free_space(&disk_with_free(10, 10))
                && has_no_free_space(&disk_with_free(900, 0))
        );
        assert!(!has_no_free_space(&disk_with_free(900, 10)));
    }

    #[test]
    fn uncounted_file_system_is_never_full() {
        let uncounted = StatVfs { f_blocks: 0, f_files: 0, ..disk_with_free(0, 0) };
        assert!(!has_no_free_space(&uncounted));
    }

    #[test]
    fn missing_path_uses_its_nearest_ancestor() {
        let dir = tempfile::tempdir().unwrap();
        assert!(!is_disk_full(&dir.path().join("not/there")));
    }
}
