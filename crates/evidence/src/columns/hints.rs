//! What the name of a column says about it.

use super::hint_words::{
    FREE_TEXT, HARMLESS, IDENTIFYING, PERSONS, QUASI_IDENTIFYING, SENSITIVE, WEAK_NUMBERS,
};

/// What a column's name suggests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hint {
    /// It names or numbers a person: what it is.
    Identifying(&'static str),
    /// Free text, which may name people.
    FreeText,
    /// Others may know it.
    QuasiIdentifying(&'static str),
    /// Nobody's business.
    Sensitive(&'static str),
    /// A number of something, perhaps of a person.
    Number,
    /// Says nothing about people.
    Harmless,
    /// The name says nothing.
    None,
}

/// What it is, and the words for it.
pub(super) type Words = [(&'static str, &'static str)];

/// Reads English and German names, in the spellings of databases: `patient_id`, `PatientID`, `Geburtsdatum`.
#[must_use]
pub fn hint(name: &str) -> Hint {
    let tokens = tokens(name);
    // `first_name` is also looked up as `firstname`.
    let mut parts = tokens.clone();
    parts.push(tokens.concat());
    parts.extend(tokens.windows(2).map(|pair| pair.concat()));
    let find = |groups: &Words| {
        let known = |words: &str| words.split(' ').any(|word| parts.iter().any(|part| matches(word, part)));
        groups.iter().find(|(_, words)| known(words)).map(|(what, _)| *what)
    };
    // The place of the first token that is one of the words.
    let at = |words: &str| tokens.iter().position(|token| words.split(' ').any(|word| matches(word, token)));
    let any = |words: &str| at(words).is_some();
    // `patient_no` numbers a patient, `no_patients` counts them.
    if at(PERSONS).is_some_and(|person| at(WEAK_NUMBERS).is_some_and(|number| person < number || any("id"))) {
        return Hint::Identifying("a number of a person");
    }
    if let Some(what) = find(IDENTIFYING) {
        return Hint::Identifying(what);
    }
    // `age_at_diagnosis` is an age, and `Diagnosemonat` a month.
    let is_age = any("age alter date datum *datum year jahr *jahr month monat *monat");
    match (find(SENSITIVE), find(QUASI_IDENTIFYING)) {
        (Some(what), None) => return Hint::Sensitive(what),
        (Some(what), Some(_)) if !is_age => return Hint::Sensitive(what),
        (_, Some(what)) => return Hint::QuasiIdentifying(what),
        (None, None) => {}
    }
    if any("name namen names") {
        Hint::Identifying("a name")
    } else if any(FREE_TEXT) {
        Hint::FreeText
    } else if any(WEAK_NUMBERS) {
        Hint::Number
    } else if any(HARMLESS) {
        Hint::Harmless
    } else {
        Hint::None
    }
}

fn matches(word: &str, part: &str) -> bool {
    match (word.strip_prefix('*'), word.strip_suffix('*')) {
        (Some(_), Some(_)) => part.contains(word.trim_matches('*')),
        (Some(end), None) => part.ends_with(end),
        (None, Some(start)) => part.starts_with(start),
        (None, None) => part == word,
    }
}

/// The words of a name in small letters without umlauts: split where a letter is none, at digits, and where small letters
/// turn into capital ones.
fn tokens(name: &str) -> Vec<String> {
    let mut tokens = vec![String::new()];
    let mut before = ' ';
    let mut chars = name.chars().peekable();
    while let Some(c) = chars.next() {
        let next_is_small = chars.peek().is_some_and(|next| next.is_lowercase());
        // `patientId`, and `IDNumber` before the N.
        let hump = c.is_uppercase() && (before.is_lowercase() || (before.is_uppercase() && next_is_small));
        if !c.is_alphabetic() || hump {
            tokens.push(String::new());
        }
        if c.is_alphabetic()
            && let Some(token) = tokens.last_mut()
        {
            for c in c.to_lowercase() {
                match c {
                    'ä' => token.push_str("ae"),
                    'ö' => token.push_str("oe"),
                    'ü' => token.push_str("ue"),
                    'ß' => token.push_str("ss"),
                    c => token.push(c),
                }
            }
        }
        before = c;
    }
    tokens.retain(|token| !token.is_empty());
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_into_words() {
        assert_eq!(tokens("patient_id"), ["patient", "id"]);
        assert_eq!(tokens("PatientID"), ["patient", "id"]);
        assert_eq!(tokens("IDNumber"), ["id", "number"]);
        assert_eq!(tokens("Straße & Hausnr."), ["strasse", "hausnr"]);
        assert_eq!(tokens("GESCHLECHT"), ["geschlecht"]);
        assert_eq!(tokens("q17"), ["q"]);
        assert!(tokens("1").is_empty());
    }

    #[test]
    fn identifiers_are_known_in_two_languages() {
        for name in [
            "name",
            "Surname",
            "first_name",
            "LastName",
            "Vorname",
            "Nachname",
            "patient_name",
            "ssn",
            "patient_id",
            "PatientID",
            "Patientennummer",
            "MRN",
            "Versichertennummer",
            "versicherten_nr",
            "krankenkassennummer",
            "email",
            "E-Mail",
            "phone",
            "Telefon",
            "telefonnummer",
            "mobile_phone",
            "address",
            "Adresse",
            "Straße",
            "url",
            "ip",
            "ip_address",
            "account",
            "Kontonummer",
            "IBAN",
            "licence_plate",
            "Kfz-Kennzeichen",
            "photo",
            "Fingerprint",
            "fax",
            "customer_no",
            "KundenNr",
            "Sozialversicherungsnummer",
            "passport_no",
            "username",
            "N° Sécurité sociale",
            "NHS number",
            "AHV-Nr",
        ] {
            assert!(matches!(hint(name), Hint::Identifying(_)), "{name}: {:?}", hint(name));
        }
    }

    #[test]
    fn quasi_identifiers_are_known_in_two_languages() {
        for name in [
            "age",
            "Alter",
            "birth_date",
            "Geburtsdatum",
            "dob",
            "year_of_birth",
            "sex",
            "GENDER",
            "Geschlecht",
            "zip",
            "zip_code",
            "ZIP",
            "PLZ",
            "Postleitzahl",
            "city",
            "Wohnort",
            "state",
            "Bundesland",
            "native-country",
            "race",
            "ethnicity",
            "marital-status",
            "Familienstand",
            "education",
            "Bildungsabschluss",
            "occupation",
            "Beruf",
            "workclass",
            "admission",
            "Aufnahmedatum",
            "discharge_date",
            "Entlassung",
            "date_of_death",
            "age_at_diagnosis",
            "city_name",
            "Todesdatum",
            "insurance",
            "geb",
            "Geb.-Datum",
            "Altersgruppe",
            "ageband",
            "Kanton",
            "État civil",
            "Fachabteilung",
            "Anrede",
            "Diagnosemonat",
            "Diagnosejahr",
            "month_of_diagnosis",
        ] {
            assert!(matches!(hint(name), Hint::QuasiIdentifying(_)), "{name}: {:?}", hint(name));
        }
    }

    #[test]
    fn sensitive_columns_are_known_in_two_languages() {
        for name in [
            "diagnosis",
            "Diagnose",
            "Hauptdiagnose",
            "ICD10",
            "icd_code",
            "disease",
            "Krankheit",
            "salary-class",
            "INCOME",
            "Gehalt",
            "Einkommen",
            "hiv",
            "religion",
            "medication",
            "test_result",
            "Befund",
            "Todesursache",
            "diagnosis_id",
            "diag",
            "Hauptdiag",
        ] {
            assert!(matches!(hint(name), Hint::Sensitive(_)), "{name}: {:?}", hint(name));
        }
    }

    #[test]
    fn other_names_say_little() {
        assert_eq!(hint("id"), Hint::Number);
        assert_eq!(hint("lfd_nr"), Hint::Number);
        assert_eq!(hint("no_patients"), Hint::Number);
        assert_eq!(hint("Bemerkung"), Hint::FreeText);
        assert_eq!(hint("Remarques"), Hint::FreeText);
        assert_eq!(hint("Anmerkungen"), Hint::FreeText);
        assert_eq!(hint("Patienten-Hinweise"), Hint::FreeText);
        assert_eq!(hint("currency"), Hint::Harmless);
        for name in ["x", "hours-per-week", "RAMNTALL", "today", "package", "", "Messwert", "passage"] {
            assert_eq!(hint(name), Hint::None, "{name}");
        }
    }
}
