//! A cell or label as the bytes that are encrypted.

/// Labels are filled up to a multiple of this, so that tokens tell their length only roughly.
const STEP: usize = 32;
/// Longer labels are refused.
pub(crate) const MOST_BYTES: usize = 16_000;

/// `0` for the missing value or `1` and the text; then `0x80` and zeros up to a multiple of 32 bytes.
pub(crate) fn encode(label: Option<&str>) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(STEP);
    match label {
        None => bytes.push(0),
        Some(text) => {
            bytes.push(1);
            bytes.extend_from_slice(text.as_bytes());
        }
    }
    bytes.push(0x80);
    bytes.resize(bytes.len().next_multiple_of(STEP), 0);
    bytes
}

/// The label behind the bytes; `None` where they are not one.
#[allow(clippy::option_option, reason = "a missing value is a label, bytes that are none are an error")]
pub(crate) fn decode(bytes: &[u8]) -> Option<Option<String>> {
    let end = bytes.iter().rposition(|&byte| byte != 0)?;
    if bytes[end] != 0x80 || bytes.len() != (end + 1).next_multiple_of(STEP) {
        return None;
    }
    match bytes[..end].split_first()? {
        (0, []) => Some(None),
        (1, text) => String::from_utf8(text.to_vec()).ok().map(Some),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn labels_survive(text in prop::option::of(".{0,80}")) {
            let bytes = encode(text.as_deref());
            prop_assert_eq!(bytes.len() % STEP, 0);
            prop_assert_eq!(decode(&bytes), Some(text));
        }

        #[test]
        fn any_bytes_decode_to_what_encodes_to_them(bytes in prop::collection::vec(0u8..3, 0..70)) {
            if let Some(label) = decode(&bytes) {
                prop_assert_eq!(encode(label.as_deref()), bytes);
            }
        }
    }

    #[test]
    fn short_cells_have_one_length() {
        assert_eq!(encode(Some("M")).len(), encode(Some("pneumonia")).len());
        assert_ne!(encode(None), encode(Some("")));
    }
}
