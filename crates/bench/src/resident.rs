//! How much memory the process took at most, as the operating system sees it.

/// Forgets the peak so far, where the system allows it (Linux).
pub(crate) fn forget_peak() {
    // Without it the peak is that of all runs so far: still true, less telling.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// The peak in bytes, where the system tells it.
pub(crate) fn peak_bytes() -> Option<u64> {
    parse(&std::fs::read_to_string("/proc/self/status").ok()?)
}

fn parse(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kib| kib * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_is_read_from_the_status() {
        assert_eq!(parse("VmPeak:\t 10 kB\nVmHWM:\t  2048 kB\n"), Some(2 << 20));
        assert_eq!(parse("VmPeak:\t 10 kB\n"), None);
    }
}
