//! The page's own files, inside the program. `crates/ui/web` has their sources.

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

/// Address, type and content.
const FILES: [(&str, &str, &[u8]); 4] = [
    ("/", "text/html; charset=utf-8", include_bytes!("../web/dist/index.html")),
    ("/app.js", "text/javascript; charset=utf-8", include_bytes!("../web/dist/app.js")),
    ("/app.css", "text/css; charset=utf-8", include_bytes!("../web/dist/app.css")),
    ("/icon.svg", "image/svg+xml", include_bytes!("../web/dist/icon.svg")),
];

/// The file at an address, or that there is none.
pub(crate) fn file(path: &str) -> Response {
    match FILES.iter().find(|(address, ..)| *address == path) {
        Some((_, kind, content)) => ([(header::CONTENT_TYPE, *kind)], *content).into_response(),
        None => (StatusCode::NOT_FOUND, "there is nothing here").into_response(),
    }
}

#[cfg(test)]
mod tests {
    use super::FILES;
    use paravent_tables::read::Format;

    #[test]
    fn every_kind_of_table_can_be_chosen_on_the_page() {
        let sources = include_str!("../web/src/views/Start.svelte");
        let built = FILES.iter().find(|(address, ..)| *address == "/app.js").map(|(_, _, content)| content);
        let built = String::from_utf8_lossy(built.unwrap());
        for listed in [Format::SHOWN.join(" "), Format::SHOWN.join(",")] {
            assert!(sources.contains(&listed) && built.contains(&listed), "{listed}");
        }
    }
}
