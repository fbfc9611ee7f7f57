//! What a single cell looks like.
//!
//! Shapes are deliberately narrow: a cell that merely could be a telephone number does not count as one.

/// Whether a text is made of ASCII digits.
pub(crate) fn digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Day, month and year, in any of the usual orders; a time may follow.
pub(crate) fn is_exact_date(cell: &str) -> bool {
    let date = cell.split(['T', ' ']).next().unwrap_or_default();
    let parts: Vec<&str> = date.split(['-', '/', '.']).collect();
    let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
    parts.iter().all(|part| digits(part))
        && matches!(lengths.as_slice(), [4, 1..=2, 1..=2] | [1..=2, 1..=2, 2 | 4] | [4, 1..=2])
}

/// Five digits (or nine, as ZIP+4) of which four or more are shown.
pub(crate) fn is_fine_zip(cell: &str) -> bool {
    let shown = cell.bytes().filter(u8::is_ascii_digit).count();
    let allowed = cell.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'*'));
    allowed && (4..=9).contains(&shown)
}

/// `anna@example.org`
pub(crate) fn is_email(cell: &str) -> bool {
    match cell.split_once('@') {
        Some((user, host)) => !user.is_empty() && host.contains('.') && !cell.contains(char::is_whitespace),
        None => false,
    }
}

/// `+49 30 1234567`, `(030) 123-45678`, `030/1234567`
pub(crate) fn is_phone(cell: &str) -> bool {
    let shown = cell.bytes().filter(u8::is_ascii_digit).count();
    let allowed = |c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '(' | ')' | '/' | ' ' | '.');
    let separators = cell.matches(['-', '/', ' ', '.']).count();
    let marked =
        cell.starts_with(['+', '(']) || separators >= 2 || (separators == 1 && cell.starts_with('0'));
    (9..=15).contains(&shown)
        && marked
        && cell.chars().all(allowed)
        && !is_exact_date(cell)
        && !is_social_security(cell)
        && !is_internet_address(cell)
}

/// A telephone number without a mark: a zero, then eight to fourteen digits.
pub(crate) fn is_plain_phone(cell: &str) -> bool {
    digits(cell) && cell.starts_with('0') && (9..=15).contains(&cell.len())
}

/// `078-05-1120`
pub(crate) fn is_social_security(cell: &str) -> bool {
    let parts: Vec<&str> = cell.split('-').collect();
    parts.iter().all(|part| digits(part)) && parts.iter().map(|part| part.len()).eq([3, 2, 4])
}

/// `192.168.0.1`, `https://example.org`
pub(crate) fn is_internet_address(cell: &str) -> bool {
    let is_ip = cell.split('.').count() == 4 && cell.split('.').all(|part| part.parse::<u8>().is_ok());
    is_ip || cell.starts_with("http://") || cell.starts_with("https://") || cell.starts_with("www.")
}

/// An international bank account number, by its check digits (ISO 13616).
pub(crate) fn is_iban(cell: &str) -> bool {
    let plain: Vec<u8> = cell.bytes().filter(|byte| *byte != b' ').collect();
    if !(15..=34).contains(&plain.len()) || !plain.iter().all(u8::is_ascii_alphanumeric) {
        return false;
    }
    let (head, tail) = plain.split_at(4);
    if !head[..2].iter().all(u8::is_ascii_alphabetic) || !head[2..].iter().all(u8::is_ascii_digit) {
        return false;
    }
    let remainder = tail.iter().chain(head).fold(0u32, |remainder, byte| match byte {
        b'0'..=b'9' => (remainder * 10 + u32::from(byte - b'0')) % 97,
        letter => (remainder * 100 + u32::from(letter.to_ascii_uppercase() - b'A') + 10) % 97,
    });
    remainder == 1
}

/// A payment card, by its check digit (Luhn).
pub(crate) fn is_card(cell: &str) -> bool {
    let plain: Vec<u32> =
        cell.chars().filter(|c| !matches!(c, ' ' | '-')).filter_map(|c| c.to_digit(10)).collect();
    if !(15..=19).contains(&plain.len())
        || !cell.chars().all(|c| c.is_ascii_digit() || matches!(c, ' ' | '-'))
    {
        return false;
    }
    let sum: u32 = (plain.iter().rev().enumerate())
        .map(|(at, &digit)| match at % 2 {
            0 => digit,
            _ if digit > 4 => 2 * digit - 9,
            _ => 2 * digit,
        })
        .sum();
    sum.is_multiple_of(10)
}

/// `@anna.k`, `@ivo_92`: what somebody is called on a platform.
pub(crate) fn is_handle(cell: &str) -> bool {
    cell.strip_prefix('@').is_some_and(|name| {
        (2..=40).contains(&name.chars().count())
            && name.chars().all(|c| c.is_alphanumeric() || "_.-".contains(c))
    })
}

/// `3f2504e0-4f89-11d3-9a0c-0305e82c3301`, `00:1a:2b:3c:4d:5e`, and sixteen bytes or more in base 64
pub(crate) fn is_device_or_token(cell: &str) -> bool {
    let parts = |by: char| -> Vec<&str> { cell.split(by).collect() };
    let hexadecimal = |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_hexdigit());
    let uuid = parts('-');
    let is_uuid = uuid.iter().map(|part| part.len()).eq([8, 4, 4, 4, 12]) && uuid.iter().all(hexadecimal);
    let is_mac = [':', '-'].into_iter().any(|by| {
        let mac = parts(by);
        mac.len() == 6 && mac.iter().all(|part| part.len() == 2) && mac.iter().all(hexadecimal)
    });
    is_uuid || is_mac || is_base64(cell)
}

/// Twenty-two signs or more without a blank, in which small letters, capital ones and digits take turns as in no word.
fn is_base64(cell: &str) -> bool {
    let plain = cell.trim_end_matches('=').as_bytes();
    let kind = |byte: u8| (byte.is_ascii_lowercase(), byte.is_ascii_uppercase(), byte.is_ascii_digit());
    let turns = plain.windows(2).filter(|pair| kind(pair[0]) != kind(pair[1])).count();
    plain.len() >= 22
        && plain.iter().all(|byte| byte.is_ascii_alphanumeric() || b"+/-_".contains(byte))
        && [u8::is_ascii_lowercase, u8::is_ascii_uppercase, u8::is_ascii_digit]
            .iter()
            .all(|is| plain.iter().any(is))
        && 3 * turns >= plain.len()
}

/// `52.5200, 13.4050`: a place on earth to some hundred metres.
pub(crate) fn is_coordinate(cell: &str) -> bool {
    let exact = |part: &str, most: f64| {
        let part = part.trim();
        let places = part.split_once('.').map_or(0, |(_, places)| places.len());
        places >= 3 && part.parse::<f64>().is_ok_and(|degrees| degrees.abs() <= most)
    };
    let pair = cell.split_once(',').or_else(|| cell.split_once(';')).or_else(|| cell.split_once(' '));
    pair.is_some_and(|(latitude, longitude)| exact(latitude, 90.0) && exact(longitude, 180.0))
}

/// `Hauptstr. 12a`, `221B Baker Street`, `12 rue de Rivoli`: a street with a number.
pub(crate) fn is_street_address(cell: &str) -> bool {
    const STREETS: &str = "street st road rd avenue ave lane ln drive boulevard blvd square court rue via calle weg allee platz gasse \
                           ring damm ufer ulica ul prospekt улица ул проспект";
    let words: Vec<String> = cell
        .split(|c: char| c.is_whitespace() || c == ',')
        .map(|word| word.trim_matches('.').to_lowercase())
        .filter(|word| !word.is_empty())
        .collect();
    let numbered = words.iter().any(|word| word.starts_with(|c: char| c.is_ascii_digit()) && word.len() <= 6);
    let street = words.iter().any(|word| {
        STREETS.split_whitespace().any(|known| known == word)
            || ["strasse", "straße", "str", "weg", "allee", "platz", "gasse"]
                .into_iter()
                .any(|end| word.len() > end.len() + 2 && word.ends_with(end))
    });
    // `Am Markt 109`, and a house number before a postal code and a town: `Zeil 5, 60313 Frankfurt`.
    let at = words.len() >= 3
        && matches!(words[0].as_str(), "am" | "an" | "auf" | "im" | "zum" | "zur" | "beim")
        && words[2..].iter().any(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    let with_town = cell.rsplit_once(',').is_some_and(|(place, town)| {
        let mut town = town.split_whitespace();
        place.contains(|c: char| c.is_ascii_digit())
            && town.next().is_some_and(|code| digits(code) && (4..=5).contains(&code.len()))
            && town.next().is_some_and(|name| name.chars().all(|c| c.is_alphabetic() || c == '-'))
    });
    numbered && (street || at || with_town) && words.len() >= 2
}

/// A number, a range, a time or a measurement with its unit: `5.41`, `5,41 mmol/l`, `<0.01`, `120/80`, `10:45`.
pub(crate) fn is_measure(cell: &str) -> bool {
    let cell = cell.trim_start_matches(['<', '>', '≤', '≥', '=', '~', ' ', '+', '-', '(', '[']);
    if !cell.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return false;
    }
    let number = |c: char| c.is_ascii_digit() || ".,:/-+%()[] eE".contains(c);
    let unit = cell.trim_start_matches(number);
    let shown = cell.bytes().filter(u8::is_ascii_digit).count();
    shown <= 18 && unit.chars().count() <= 12 && !unit.contains(|c: char| c.is_ascii_digit() && c != '3')
}

/// `E11.9`: a class of a medical classification. The same letter and digits in a row stand for an illness, not for a person.
pub(crate) fn is_icd(cell: &str) -> bool {
    let bytes = cell.as_bytes();
    let (Some((letter, rest)), true) = (bytes.split_first(), bytes.len() <= 8) else { return false };
    let rest = rest.strip_suffix(b"*").or_else(|| rest.strip_suffix(b"+")).unwrap_or(rest);
    let class: &[u8] = rest.get(..2).unwrap_or_default();
    let detail = &rest[class.len()..];
    letter.is_ascii_uppercase()
        && class.len() == 2
        && class.iter().all(u8::is_ascii_digit)
        && (detail.is_empty()
            || matches!(detail.split_first(), Some((b'.', places)) if (1..=4).contains(&places.len())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accounts_are_told_by_their_check_digits() {
        assert!(is_iban("DE89 3704 0044 0532 0130 00") && is_iban("GB82WEST12345698765432"));
        assert!(!is_iban("DE89370400440532013001") && !is_iban("diagnosis of something"));
        assert!(is_card("4539 1488 0343 6467") && !is_card("4539 1488 0343 6468"));
    }

    #[test]
    fn addresses_have_a_street_and_a_number() {
        for cell in [
            "Hauptstr. 12a",
            "221B Baker Street",
            "12 rue de Rivoli",
            "Lindenallee 3",
            "ул. Ленина 5",
            "Am Markt 109",
            "Am Markt 109, 58536 Bonn",
            "Zeil 5, 60313 Frankfurt",
        ] {
            assert!(is_street_address(cell), "{cell}");
        }
        for cell in [
            "Weg",
            "Street",
            "stage 3",
            "Type 2 diabetes",
            "Unterweg",
            "Im Stadion",
            "5,41 mmol/l",
            "stage 3, 2024",
        ] {
            assert!(!is_street_address(cell), "{cell}");
        }
    }

    #[test]
    fn measurements_are_no_texts() {
        for cell in [
            "5.41",
            "5,41 mmol/l",
            "<0.01",
            "120/80",
            "10:45",
            "-3",
            "1e-5",
            "12 %",
            "4-6 weeks",
            "2024-03-09 10:00",
        ] {
            assert!(is_measure(cell), "{cell}");
        }
        for cell in ["A-17", "flu", "3f2504e04f8911d39a0c0305e82c3301", "2 Mr John Fitzgerald"] {
            assert!(!is_measure(cell), "{cell}");
        }
    }

    #[test]
    fn classes_of_illnesses_are_no_keys() {
        assert!(["E11", "E11.9", "I10.90", "S72.00"].into_iter().all(is_icd));
        assert!(!["E11234", "e11", "EX1", "11", ""].into_iter().any(is_icd));
    }

    #[test]
    fn handles_and_tokens_are_told_from_words() {
        assert!(is_handle("@anna.k") && is_handle("@Müller_92"));
        assert!(!is_handle("@") && !is_handle("anna") && !is_handle("@ home") && !is_handle("a@b.de"));
        assert!(
            is_device_or_token("xMpCOKC5I4INzFCab3WEmw==") && is_device_or_token("9j2Kd-0aQx_71LmZpQrT3vW8")
        );
        for cell in [
            "Immunodeficiencyvirus2infection",
            "HLA-B27-positive",
            "pneumonoultramicroscopicosis",
            "AB12-CD34-EF56-AB12-CD34-EF56",
        ] {
            assert!(!is_device_or_token(cell), "{cell}");
        }
    }

    #[test]
    fn telephone_numbers_have_marks() {
        for cell in ["+49 30 1234567", "(030) 123-45678", "030/1234567", "555-010-1234", "+491701234567"] {
            assert!(is_phone(cell), "{cell}");
        }
        assert!(is_plain_phone("01701234567") && !is_plain_phone("1701234567") && !is_plain_phone("01067"));
        assert!(!is_phone("2024-03-09") && !is_phone("192.168.100.100") && !is_phone("123456789"));
    }

    #[test]
    fn places_are_exact_to_three_digits() {
        assert!(is_coordinate("52.5200, 13.4050") && is_coordinate("-33.8688 151.2093"));
        assert!(!is_coordinate("1.25, 2.5") && !is_coordinate("5.41"));
    }
}
