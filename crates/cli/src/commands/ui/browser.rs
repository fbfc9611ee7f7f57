//! Opening the user's browser.

use std::path::Path;
use std::process::{Command, Stdio};

/// Opens a file in the browser, if there is one to be seen. Its name is all that other users of the machine can see.
pub fn open(file: &Path) -> bool {
    let program = if cfg!(target_os = "macos") {
        "open"
    } else if std::env::var_os("DISPLAY").is_some() || std::env::var_os("WAYLAND_DISPLAY").is_some() {
        "xdg-open"
    } else {
        return false;
    };
    let mut command = Command::new(program);
    command.arg(file).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let Ok(mut child) = command.spawn() else { return false };
    // Nobody else waits for it.
    std::thread::spawn(move || child.wait());
    true
}
