//! Columns that look like what the HIPAA safe-harbour rule wants removed (45 CFR 164.514(b)(2)).
//!
//! A hint is a guess from the column's name and the shapes of its cells; a table without hints need not be safe, and the rule
//! has conditions (small ZIP areas, actual knowledge) that no table shows.

use crate::columns::shapes::{
    is_email, is_exact_date, is_fine_zip, is_internet_address, is_phone, is_social_security,
};
use serde::Serialize;

/// What a column looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Looks {
    /// (A) names.
    Name,
    /// (B) geographic units smaller than a state: only the first three digits of a ZIP code may stay, 000 for small areas.
    FineGeography,
    /// (C) dates more exact than the year.
    ExactDate,
    /// (C) ages above 89, which must be put into one group.
    HighAge,
    /// (D, E) telephone and fax numbers.
    Telephone,
    /// (F) electronic mail addresses.
    Email,
    /// (G–M, R) social security, record, account, licence, vehicle and device numbers, and other unique codes.
    Number,
    /// (N, O) web and internet addresses.
    InternetAddress,
}

impl Looks {
    /// What the rule asks for.
    #[must_use]
    pub fn advice(self) -> &'static str {
        match self {
            Looks::Name => "names must go",
            Looks::FineGeography => {
                "units below a state must go; of a ZIP code at most three digits may stay"
            }
            Looks::ExactDate => "dates about a person may not be more exact than the year",
            Looks::HighAge => "ages above 89 must be one group, for example 90+",
            Looks::Telephone => "telephone and fax numbers must go",
            Looks::Email => "e-mail addresses must go",
            Looks::Number => "numbers and codes that belong to one person must go",
            Looks::InternetAddress => "web and internet addresses must go",
        }
    }
}

/// How a hint was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Because {
    /// The column's name.
    Name,
    /// The shape of its cells.
    Cells,
}

/// One hint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Hint {
    /// What the column looks like.
    pub looks: Looks,
    /// How that was found.
    pub because: Because,
}

/// Share of the distinct cells that must have a shape.
const MOST: f64 = 0.8;

/// Hints about a column with these distinct cells, in the order of the rule.
#[must_use]
pub fn hints<'a>(name: &str, cells: impl IntoIterator<Item = &'a str> + Clone) -> Vec<Hint> {
    let words = words(name);
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    let joined = words.concat();
    let says = |list: &[&str]| list.iter().any(|part| joined.contains(part));
    let (mut count, mut date, mut zip, mut email, mut phone, mut web, mut social) = (0, 0, 0, 0, 0, 0, 0);
    let mut high_age = false;
    for cell in cells {
        count += 1;
        date += usize::from(is_exact_date(cell));
        zip += usize::from(is_fine_zip(cell));
        email += usize::from(is_email(cell));
        phone += usize::from(is_phone(cell));
        web += usize::from(is_internet_address(cell));
        social += usize::from(is_social_security(cell));
        high_age |= cell.parse::<f64>().is_ok_and(|age| age > 89.0 && age < 150.0);
    }
    let most = |shaped: usize| count > 0 && shaped as f64 >= MOST * count as f64;
    let is_age = has(&["age", "alter", "ages"]);
    let is_zip = has(&["zip", "zipcode", "postcode", "postal", "plz"])
        || says(&["postleitzahl", "zipcode", "postalcode"]);
    let mut found = Vec::new();
    let mut hint = |looks, by_name: bool, by_cells: bool| {
        if by_name || by_cells {
            found.push(Hint { looks, because: if by_name { Because::Name } else { Because::Cells } });
        }
    };
    hint(
        Looks::Name,
        has(&["name", "surname", "firstname", "lastname", "forename", "vorname", "nachname", "patientname"]),
        false,
    );
    let places = ["street", "address", "city", "county", "town", "precinct", "strasse", "adresse", "ort"];
    hint(Looks::FineGeography, has(&places), is_zip && most(zip));
    hint(Looks::ExactDate, false, most(date));
    hint(Looks::HighAge, false, is_age && high_age);
    hint(Looks::Telephone, has(&["phone", "telephone", "mobile", "fax", "telefon", "handy"]), most(phone));
    hint(Looks::Email, has(&["email", "mail"]), most(email));
    let numbers = ["ssn", "mrn", "iban", "passport", "licence", "license", "vin", "imei"];
    hint(
        Looks::Number,
        has(&numbers)
            || says(&["socialsecurity", "medicalrecord", "accountnumber", "licenseplate", "patientid"]),
        most(social),
    );
    hint(Looks::InternetAddress, has(&["ip", "url", "website", "homepage"]), most(web));
    found
}

/// `patientName`, `patient_name` and `PATIENT-NAME` are the same words.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut last_was_lower = false;
    for c in name.chars() {
        let starts_word = !c.is_alphanumeric() || (c.is_uppercase() && last_was_lower);
        if starts_word && words.last().is_some_and(|word| !word.is_empty()) {
            words.push(String::new());
        }
        if let (true, Some(word)) = (c.is_alphanumeric(), words.last_mut()) {
            word.extend(c.to_lowercase());
        }
        last_was_lower = c.is_lowercase();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn looks(name: &str, cells: &[&str]) -> Vec<Looks> {
        hints(name, cells.iter().copied()).into_iter().map(|hint| hint.looks).collect()
    }

    #[test]
    fn columns_look_like_what_they_are() {
        assert_eq!(looks("patientName", &["x"]), [Looks::Name]);
        assert_eq!(looks("zip", &["02138", "02139-1234", "0213*"]), [Looks::FineGeography]);
        assert_eq!(looks("zip", &["021**", "022**"]), []);
        assert_eq!(looks("admitted", &["2024-03-09", "09.03.2024", "3/9/24"]), [Looks::ExactDate]);
        assert_eq!(looks("admitted", &["2024-03"]), [Looks::ExactDate]);
        assert_eq!(looks("admitted", &["2024", "2023"]), []);
        assert_eq!(looks("age", &["34", "91"]), [Looks::HighAge]);
        assert_eq!(looks("age", &["34", "89", "90+"]), []);
        assert_eq!(looks("weight", &["91"]), []);
        assert_eq!(looks("contact", &["+49 30 1234567", "(030) 123-45678"]), [Looks::Telephone]);
        assert_eq!(looks("contact", &["a@b.org"]), [Looks::Email]);
        assert_eq!(looks("x", &["078-05-1120"]), [Looks::Number]);
        assert_eq!(looks("MRN", &["1"]), [Looks::Number]);
        assert_eq!(looks("host", &["192.168.0.1"]), [Looks::InternetAddress]);
        assert_eq!(looks("occupation", &["Sales", "Exec-managerial"]), []);
        assert_eq!(looks("", &[]), []);
    }
}
