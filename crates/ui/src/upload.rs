//! A table that was dropped on the page: streamed to a file that only this user can read.

use crate::fault::Fault;
use crate::project::Project;
use axum::body::Body;
use axum::http::HeaderMap;
use futures::StreamExt;
use std::io::{BufWriter, Write};

/// Where tables are sent to.
pub const ADDRESS: &str = "/api/v1/data";
/// The header with the name of the file, percent-encoded.
pub const NAME_HEADER: &str = "x-file-name";

/// Takes a table in.
///
/// # Errors
/// If its name is none, it has more bytes than `limit`, or it cannot be kept. Nothing of it stays then.
pub async fn receive(project: &Project, headers: &HeaderMap, body: Body, limit: u64) -> Result<(), Fault> {
    let name = headers.get(NAME_HEADER).and_then(|name| decoded(name.as_bytes()));
    let name = name.ok_or_else(|| Fault::request("the request does not name the table"))?;
    let (path, file) = project.receive(&name)?;
    match store(file, body, limit).await {
        Ok(()) => project.received(&path),
        Err(fault) => {
            project.not_received();
            Err(fault)
        }
    }
}

async fn store(file: std::fs::File, body: Body, limit: u64) -> Result<(), Fault> {
    let fault = |error: std::io::Error| Fault::input_output(format!("the table cannot be kept: {error}"));
    let mut file = BufWriter::with_capacity(1 << 20, file);
    let (mut chunks, mut bytes) = (body.into_data_stream(), 0u64);
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(|_| Fault::request("the table did not arrive as a whole"))?;
        bytes += chunk.len() as u64;
        if bytes > limit {
            return Err(Fault::too_large(format!("a dropped table may have at most {} MiB", limit >> 20))
                .advise("Name it on the command line instead, where it is read in place: paravent ui FILE"));
        }
        file.write_all(&chunk).map_err(fault)?;
    }
    file.flush().map_err(fault)
}

/// Percent-encoded UTF-8, as the page writes it.
fn decoded(text: &[u8]) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.iter();
    while let Some(&byte) = rest.next() {
        if byte == b'%' {
            let mut digit = || char::from(*rest.next()?).to_digit(16);
            bytes.push(u8::try_from(16 * digit()? + digit()?).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::decoded;

    #[test]
    fn names_come_percent_encoded() {
        assert_eq!(decoded(b"M%C3%A4rz%202024.csv").as_deref(), Some("März 2024.csv"));
        assert_eq!(decoded(b"a%2"), None);
        assert_eq!(decoded(b"a%zz"), None);
        assert_eq!(decoded(b"%ff"), None);
    }
}
