//! Amounts of memory.

use std::fmt;

use super::decimal::DecimalText;

/// An amount of memory, at least 1 MiB. Written `4GiB`, `512 MB` or `2g`.
///
/// `KiB MiB GiB TiB` and the bare letters count in powers of 1024, `kB MB GB TB` in powers of 1000; case is free.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Memory(u64);

/// Largest first, so that the first that divides an amount is the one to write it with.
const UNITS: [(&str, u64); 9] = [
    ("TiB", 1 << 40),
    ("TB", 1_000_000_000_000),
    ("GiB", 1 << 30),
    ("GB", 1_000_000_000),
    ("MiB", 1 << 20),
    ("MB", 1_000_000),
    ("KiB", 1 << 10),
    ("kB", 1_000),
    ("B", 1),
];

impl Memory {
    /// The least that a job can work with.
    pub const LEAST: Memory = Memory(1 << 20);

    /// `None` below [`Memory::LEAST`].
    pub fn from_bytes(bytes: u64) -> Option<Self> {
        (bytes >= Self::LEAST.0).then_some(Self(bytes))
    }

    /// Any amount, be it less than a job file may ask for: so that small tables can be made to spill.
    pub fn of_bytes(bytes: u64) -> Memory {
        Memory(bytes)
    }

    /// In bytes.
    pub fn bytes(self) -> u64 {
        self.0
    }

    /// The number of bytes that `text` means; `None` if it is no amount of memory.
    pub fn parse_bytes(text: &str) -> Option<u64> {
        let text = text.trim();
        let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.' && c != '_').unwrap_or(text.len());
        let (number, unit) = text.split_at(digits);
        let size = unit_size(unit.trim())?;
        if let Ok(whole) = number.parse::<u64>() {
            return whole.checked_mul(size);
        }
        let scaled = DecimalText::new(number).ok()?.scaled();
        let bytes = scaled.checked_mul(i128::from(size))? / DecimalText::from(1).scaled();
        u64::try_from(bytes).ok()
    }
}

fn unit_size(unit: &str) -> Option<u64> {
    let binary_letter = match unit.to_ascii_lowercase().as_str() {
        "" => "B",
        "k" => "KiB",
        "m" => "MiB",
        "g" => "GiB",
        "t" => "TiB",
        _ => unit,
    };
    UNITS.iter().find(|(name, _)| name.eq_ignore_ascii_case(binary_letter)).map(|&(_, size)| size)
}

/// The largest unit that needs no fraction.
impl fmt::Display for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match UNITS.iter().find(|&&(_, size)| self.0.is_multiple_of(size)) {
            Some((unit, size)) => write!(f, "{}{unit}", self.0 / size),
            None => write!(f, "{}B", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_usual_spellings() {
        let four = Some(4 << 30);
        for text in ["4GiB", "4 GiB", " 4gib ", "4g", "4G", "4096MiB", "4294967296", "4294967296 B"] {
            assert_eq!(Memory::parse_bytes(text), four, "{text}");
        }
        assert_eq!(Memory::parse_bytes("512 MB"), Some(512_000_000));
        assert_eq!(Memory::parse_bytes("1.5KiB"), Some(1536));
        assert_eq!(Memory::parse_bytes("18446744073709551615"), Some(u64::MAX));
        for text in ["", "GiB", "4 GiBit", "-1g", "4 4g", "1e3", "lots", "99999999 TiB", "ß"] {
            assert_eq!(Memory::parse_bytes(text), None, "{text}");
        }
    }

    #[test]
    fn is_written_with_the_largest_whole_unit() {
        for text in ["4GiB", "512MB", "1536KiB", "1500kB", "1048577B"] {
            let memory = Memory::from_bytes(Memory::parse_bytes(text).unwrap()).unwrap();
            assert_eq!(memory.to_string(), text);
        }
    }
}
