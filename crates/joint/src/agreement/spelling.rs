//! How identifiers of two houses are compared: as they are written, or by what survives different spellings.
//!
//! The form is agreed on, and made before identifiers are encrypted under the key that the parties agree on: nobody outside learns it, and no
//! hash leaves a house that could be tried with a list of names.

use unicode_normalization::UnicodeNormalization;

/// How identifiers are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Spelling {
    /// Letter by letter.
    #[default]
    AsWritten,
    /// Without regard to case, accents, umlauts, spaces and punctuation, and to how a system stores letters.
    Loose,
}

impl Spelling {
    /// All of them.
    pub const ALL: [Spelling; 2] = [Spelling::AsWritten, Spelling::Loose];

    /// As the federation file writes it.
    pub fn name(self) -> &'static str {
        match self {
            Spelling::AsWritten => "as-written",
            Spelling::Loose => "loose",
        }
    }

    /// The form by which an identifier is compared. Nothing is left of one without letters and digits.
    pub fn form(self, identifier: &str) -> String {
        match self {
            Spelling::AsWritten => identifier.to_owned(),
            Spelling::Loose => {
                // First to one form, however a letter and its mark are stored; then letter by letter.
                let lower = identifier.nfkc().flat_map(char::to_lowercase);
                let mut form = String::with_capacity(identifier.len());
                lower
                    .nfkc()
                    .filter(|letter| letter.is_alphanumeric())
                    .for_each(|letter| add(letter, &mut form));
                form
            }
        }
    }
}

/// Umlauts as German writes them, Latin and Greek letters without their marks. In other scripts a mark makes another letter.
fn add(letter: char, form: &mut String) {
    let spelled = match letter {
        'ä' | 'æ' => "ae",
        'ö' | 'œ' | 'ø' => "oe",
        'ü' => "ue",
        'ß' => "ss",
        'å' => "aa",
        'ı' => "i",
        'ł' => "l",
        'đ' | 'ð' => "d",
        'ħ' => "h",
        'ŧ' => "t",
        'þ' => "th",
        'ς' => "σ",
        _ => {
            let mut parts = letter.nfkd();
            let base = parts.next().filter(|base| base.is_ascii_alphanumeric() || ('α'..='ω').contains(base));
            return form.push(base.unwrap_or(letter));
        }
    };
    form.push_str(spelled);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_name_have_one_form() {
        let loose = |text: &str| Spelling::Loose.form(text);
        assert_eq!(loose("Müller, Jörg"), loose("MUELLER  Joerg"));
        assert_eq!(loose("AB-12 34"), "ab1234");
        assert_eq!(loose("Weiß"), loose("WEISS"));
        assert_eq!(loose("İpek"), loose("ipek"));
        assert_ne!(loose("Meier"), loose("Maier"), "different names stay different");
        assert_eq!(loose("Иванов"), "иванов");
        // In other scripts a mark makes another letter.
        assert_ne!(loose("Андрей"), loose("Андреи"));
        assert_ne!(loose("がん"), loose("かん"));
        assert_eq!(loose(" - "), "");
        assert_eq!(Spelling::AsWritten.form("AB-12"), "AB-12");
    }

    #[test]
    fn how_a_system_stores_a_letter_makes_no_difference() {
        let loose = |text: &str| Spelling::Loose.form(text);
        for text in ["Müller", "Ångström", "Nguyễn", "Žižek", "Ķekava", "Ǎ", "Άννα", "Андрей", "がん", "한국"]
        {
            let (one, two): (String, String) = (text.nfc().collect(), text.nfd().collect());
            assert_eq!(loose(&one), loose(&two), "{text}");
        }
        assert_eq!(loose("Ｍｕｅｌｌｅｒ １２"), "mueller12");
        assert_eq!(loose("Nguyễn"), "nguyen");
        assert_eq!(loose("ﬁ"), "fi");
        assert_eq!(loose("ΆΝΝΑΣ"), loose("αννας"));
    }

    #[test]
    fn forms_are_stable() {
        for text in ["Müller", "ab1234", "Œuvre", "ẞ", "x y z", "İpek", "Nguyễn", "Άννας", "がん"]
        {
            let form = Spelling::Loose.form(text);
            assert_eq!(Spelling::Loose.form(&form), form);
        }
    }
}
