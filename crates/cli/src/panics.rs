//! A panic is a bug of ours. Its message may hold a cell, so it is not shown.

/// Says where it happened, and nothing else.
pub fn install() {
    std::panic::set_hook(Box::new(|panic| {
        // The SQL engine's own: the statement fails with an error that says so.
        #[cfg(feature = "sql")]
        if std::thread::current().name() == Some(paravent_algebra::session::THREAD) {
            return;
        }
        let place = panic.location().map_or_else(String::new, |place| format!(" at {place}"));
        eprintln!("paravent: internal error{place}; please report this. No data is shown here.");
    }));
}
