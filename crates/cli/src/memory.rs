//! Cells are in memory; they are not to end up in a file when the program dies.

use rustix::process::{Resource, Rlimit, setrlimit};

/// No core file, whatever was inherited, and no other program of the same user that reads our memory. What the system refuses changes nothing.
pub fn guard() {
    let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{DumpableBehavior, set_dumpable_behavior};
        let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
    }
}
