//! A panic is a bug of ours. Its message may hold a cell, so it is not shown.

/// Says where it happened, and nothing else.
pub fn install() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map_or_else(String::new, |place| format!(" at {place}"));
        eprintln!("paravent: internal error{place}; please report this. No data is shown here.");
    }));
}
