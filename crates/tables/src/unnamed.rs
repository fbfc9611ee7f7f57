//! Files without a name: gone when they are closed, whatever happens.

use std::fs::{File, Permissions};
use std::io::{self, Seek};
use std::os::fd::AsRawFd;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Files that are expected to be larger are on disk, not in memory.
pub const IN_MEMORY: u64 = 64 << 20;

/// Where large temporary files belong: `TMPDIR`, else `/var/tmp`, which is on a disk where `/tmp` may be memory.
pub fn folder() -> PathBuf {
    let large = Path::new("/var/tmp");
    match std::env::var_os("TMPDIR") {
        None if large.is_dir() => large.to_owned(),
        _ => std::env::temp_dir(),
    }
}

/// A file without a name in a folder; only its owner can open it.
pub fn on_disk(folder: &Path) -> io::Result<File> {
    let file = tempfile::tempfile_in(folder)?;
    file.set_permissions(Permissions::from_mode(0o600))?;
    Ok(file)
}

/// A file for about this number of bytes: in memory if they are few and the system can do that, else on disk.
pub fn for_bytes(expected: u64) -> io::Result<File> {
    #[cfg(target_os = "linux")]
    if expected <= IN_MEMORY {
        let made = rustix::fs::memfd_create("paravent", rustix::fs::MemfdFlags::CLOEXEC);
        if let Ok(memory) = made.map(File::from) {
            memory.set_permissions(Permissions::from_mode(0o600))?;
            return Ok(memory);
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = expected;
    on_disk(&folder())
}

/// The same file from its beginning. Where the system can do that, with a place of its own, so that several may read at once.
pub fn reopened(file: &File) -> io::Result<File> {
    let own = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
    if let Ok(opened) = File::open(own) {
        return Ok(opened);
    }
    let mut same = file.try_clone()?;
    same.rewind()?;
    Ok(same)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};

    #[test]
    fn what_is_written_is_read_from_the_beginning() {
        for expected in [0, IN_MEMORY + 1] {
            let mut file = for_bytes(expected).unwrap();
            file.write_all(b"abc").unwrap();
            for _ in 0..2 {
                let mut text = String::new();
                reopened(&file).unwrap().read_to_string(&mut text).unwrap();
                assert_eq!(text, "abc");
            }
            assert_eq!(file.metadata().unwrap().permissions().mode() & 0o077, 0, "{expected}");
        }
    }
}
