//! What others may do with a file that is finished.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

/// The permissions that a new file has by default: 0666 less the mask of the process. Files grow as their owner's only and get these at the
/// end. Where the mask cannot be read without changing it, the file stays its owner's.
pub fn ordinary_permissions() -> Permissions {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("Umask:"));
    let mask = mask.and_then(|mask| u32::from_str_radix(mask.trim(), 8).ok()).unwrap_or(0o077);
    Permissions::from_mode(0o666 & !mask)
}
