//! Rows that are sent to the server: COPY in its text format.

use paravent_tables::engine::Mapping;

/// Adds the next line to the bytes; `false` after the last.
pub(super) type Lines<'a> = Box<dyn FnMut(&mut Vec<u8>) -> bool + 'a>;

/// The lines of a mapping.
pub(super) fn of_mapping(mapping: &Mapping) -> Lines<'_> {
    match mapping {
        Mapping::Values { lines, .. } => {
            let mut values = lines.iter();
            Box::new(move |out| {
                let Some(value) = values.next() else { return false };
                field(value.value.as_deref(), out);
                out.extend_from_slice(format!("\t{}\t", value.code).as_bytes());
                field(value.label.as_deref(), out);
                out.push(b'\n');
                true
            })
        }
        Mapping::Codes { width, codes, labels, .. } => {
            let mut lines = codes.chunks((*width).max(1)).enumerate();
            Box::new(move |out| {
                let Some((at, codes)) = lines.next() else { return false };
                let numbers: Vec<String> = codes.iter().map(u32::to_string).collect();
                out.extend_from_slice(numbers.join("\t").as_bytes());
                for label in labels.iter().skip(at * width).take(*width) {
                    out.push(b'\t');
                    field(label.as_deref(), out);
                }
                out.push(b'\n');
                true
            })
        }
    }
}

/// One row with a key.
pub(super) fn of_key(key: &[u8; 32]) -> Lines<'_> {
    let mut key = Some(key);
    Box::new(move |out| {
        let Some(key) = key.take() else { return false };
        out.extend_from_slice(b"\\\\x");
        for byte in key {
            out.extend_from_slice(format!("{byte:02x}").as_bytes());
        }
        out.push(b'\n');
        true
    })
}

/// Rows of texts.
pub(super) fn of_rows<'a>(rows: &'a mut dyn Iterator<Item = Vec<Option<String>>>) -> Lines<'a> {
    Box::new(move |out| {
        let Some(row) = rows.next() else { return false };
        for (at, cell) in row.iter().enumerate() {
            if at > 0 {
                out.push(b'\t');
            }
            field(cell.as_deref(), out);
        }
        out.push(b'\n');
        true
    })
}

/// A cell in COPY's text format.
fn field(cell: Option<&str>, out: &mut Vec<u8>) {
    let Some(cell) = cell else { return out.extend_from_slice(b"\\N") };
    for byte in cell.bytes() {
        match byte {
            b'\\' => out.extend_from_slice(b"\\\\"),
            b'\t' => out.extend_from_slice(b"\\t"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            byte => out.push(byte),
        }
    }
}
