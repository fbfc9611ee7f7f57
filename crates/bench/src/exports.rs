//! Made-up exports of a hospital, as its systems write them: a German one and an American one.
//!
//! Nobody in them exists. They are for trying what people do first: `init`, then `anonymize`, without a look at the job.

use std::fmt::Write as _;

/// The country decides how things are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Country {
    /// windows-1252, semicolons, `27,5`, `8.123,4`, `dd.mm.yyyy hh:mm`, postcodes that keep their zeros.
    Germany,
    /// Commas, `27.5`, `mm/dd/yyyy`, ZIP codes.
    UnitedStates,
}

/// A table with this number of stays. Same seed, same bytes.
pub fn hospital(country: Country, rows: usize, seed: u64) -> Vec<u8> {
    let mut chance = Chance(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x5DEE_CE66);
    let mut text = String::new();
    let _ = writeln!(text, "{}", header(country));
    for row in 0..rows {
        line(country, row, &mut chance, &mut text);
    }
    match country {
        // All its characters are in Latin-1, which is a part of windows-1252.
        Country::Germany => text.chars().map(|c| u8::try_from(u32::from(c)).unwrap_or(b'?')).collect(),
        Country::UnitedStates => text.into_bytes(),
    }
}

fn header(country: Country) -> &'static str {
    match country {
        Country::Germany => {
            "Patientennummer;Nachname;Vorname;Geburtsdatum;Geschlecht;PLZ;Wohnort;Aufnahme;Entlassung;Fachabteilung;\
             Hauptdiagnose;Nebendiagnose;BMI;Kosten;CRP;Hämoglobin;Krankenkasse;Bemerkung"
        }
        Country::UnitedStates => {
            "patient_id,last_name,first_name,birth_date,sex,zip,city,admission_date,discharge_date,department,\
             diagnosis,secondary_diagnosis,bmi,charges,systolic_bp,hemoglobin,insurance,comment"
        }
    }
}

/// One stay.
fn line(country: Country, row: usize, chance: &mut Chance, out: &mut String) {
    let sex = match chance.below(1000) {
        0..=3 => 2,
        n if n < 520 => 1,
        _ => 0,
    };
    // Old people are ill more often than young ones.
    let age =
        [chance.below(96), chance.below(96), 20 + chance.below(70)].into_iter().max().unwrap_or(40).min(101);
    let born = Day { year: 2023 - age as i64, month: 1 + chance.below(12), day: 1 + chance.below(28) };
    let place = chance.skewed(PLACES.len());
    let admitted =
        Day { year: 2022 + (chance.below(2) as i64), month: 1 + chance.below(12), day: 1 + chance.below(28) };
    let left = admitted.after(chance.skewed(21));
    let clock = (chance.below(24), chance.below(60));
    let later = (chance.below(24), chance.below(60));
    let department = chance.skewed(DEPARTMENTS.len());
    let main = chance.skewed(CODES.len());
    let second = if chance.below(4) == 0 { None } else { Some(chance.skewed(CODES.len())) };
    let bmi = 170 + chance.below(200);
    let costs = 3_000 + chance.below(400_000);
    let (lab, blood) = (chance.below(2_500), 70 + chance.below(110));
    let payer = chance.skewed(PAYERS.len());
    let missing = chance.below(12) == 0;
    let remark = if chance.below(3) == 0 { REMARKS[chance.below(REMARKS.len())] } else { "" };
    let number = 100_000 + row * 7 + chance.below(7);
    let second = second.map_or("", |code| CODES[code]);
    match country {
        Country::Germany => {
            let sex = ["w", "m", "d"][sex];
            let (plz, town) = PLACES[place];
            let plz = plz + chance.below(40);
            let bmi = if missing { "NA".to_owned() } else { format!("{},{}", bmi / 10, bmi % 10) };
            let _ = writeln!(
                out,
                "{number};{};{};{};{sex};{plz:05};{town};{} {:02}:{:02};{} {:02}:{:02};{};{};{second};{bmi};{};{},{};{},{};{};{remark}",
                NAMES[chance.below(NAMES.len())],
                FIRST[chance.below(FIRST.len())],
                born.german(),
                admitted.german(),
                clock.0,
                clock.1,
                left.german(),
                later.0,
                later.1,
                DEPARTMENTS[department].0,
                CODES[main],
                grouped(costs),
                lab / 10,
                lab % 10,
                blood / 10,
                blood % 10,
                PAYERS[payer].0,
            );
        }
        Country::UnitedStates => {
            let sex = ["F", "M", "X"][sex];
            let zip = [2_100, 10_000, 19_100, 30_300, 33_100, 48_200, 60_600, 75_200, 90_000, 98_100]
                [place % 10]
                + chance.below(30);
            let city = TOWNS[place % 10];
            let bmi = if missing { "NA".to_owned() } else { format!("{}.{}", bmi / 10, bmi % 10) };
            let _ = writeln!(
                out,
                "{number},{},{},{},{sex},{zip:05},{city},{},{},{},{},{second},{bmi},{}.{:02},{},{}.{},{},{remark}",
                NAMES[chance.below(NAMES.len())]
                    .replace('ü', "u")
                    .replace('ö', "o")
                    .replace('ä', "a")
                    .replace('ß', "ss"),
                FIRST[chance.below(FIRST.len())].replace('ü', "u").replace('ö', "o"),
                born.american(),
                admitted.american(),
                left.american(),
                DEPARTMENTS[department].1,
                CODES[main],
                costs / 10,
                costs % 100,
                90 + lab % 100,
                blood / 10,
                blood % 10,
                PAYERS[payer].1,
            );
        }
    }
}

/// Tenths as `8.123,4`.
fn grouped(tenths: usize) -> String {
    format!("{},{}", paravent_core::words::grouped((tenths / 10) as u64, '.'), tenths % 10)
}

/// A day; months have 28 days here until the end of a stay.
#[derive(Clone, Copy)]
struct Day {
    year: i64,
    month: usize,
    day: usize,
}

impl Day {
    fn after(self, days: usize) -> Day {
        let mut later = Day { day: self.day + days, ..self };
        while later.day > 28 {
            later.day -= 28;
            later.month += 1;
        }
        if later.month > 12 {
            (later.month, later.year) = (later.month - 12, later.year + 1);
        }
        later
    }

    fn german(self) -> String {
        format!("{:02}.{:02}.{:04}", self.day, self.month, self.year)
    }

    fn american(self) -> String {
        format!("{:02}/{:02}/{:04}", self.month, self.day, self.year)
    }
}

/// Numbers that look random (xorshift*, Vigna 2016).
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let mixed = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33;
        (mixed % end.max(1) as u64) as usize
    }

    /// Small numbers more often.
    fn skewed(&mut self, end: usize) -> usize {
        let (one, other) = (self.below(end), self.below(end));
        one.min(other)
    }
}

const PLACES: [(usize, &str); 14] = [
    (80_331, "München"),
    (1_067, "Dresden"),
    (50_667, "Köln"),
    (10_115, "Berlin"),
    (90_402, "Nürnberg"),
    (20_095, "Hamburg"),
    (70_173, "Stuttgart"),
    (40_210, "Düsseldorf"),
    (4_109, "Leipzig"),
    (30_159, "Hannover"),
    (99_084, "Erfurt"),
    (60_311, "Frankfurt"),
    (85_049, "Ingolstadt"),
    (6_108, "Halle"),
];

const TOWNS: [&str; 10] = [
    "Boston",
    "New York",
    "Philadelphia",
    "Atlanta",
    "Miami",
    "Detroit",
    "Chicago",
    "Dallas",
    "Los Angeles",
    "Seattle",
];

const DEPARTMENTS: [(&str, &str); 9] = [
    ("Innere Medizin", "Internal Medicine"),
    ("Chirurgie", "Surgery"),
    ("Kardiologie", "Cardiology"),
    ("Orthopädie", "Orthopedics"),
    ("Gynäkologie", "Gynecology"),
    ("Neurologie", "Neurology"),
    ("Urologie", "Urology"),
    ("HNO", "ENT"),
    ("Dermatologie", "Dermatology"),
];

const CODES: [&str; 40] = [
    "I10.00", "E11.90", "I50.1", "J44.1", "I21.4", "N39.0", "K80.2", "M16.1", "M17.1", "J18.9", "I48.0",
    "K35.8", "S72.0", "F32.1", "G45.9", "I63.9", "C50.9", "C34.1", "E11.2", "K29.7", "A09.9", "N20.0",
    "M54.4", "R55", "S06.0", "K57.3", "C18.7", "D50.9", "I25.1", "J20.9", "L03.1", "N17.9", "F10.2", "G40.9",
    "E86", "O80", "Z38.0", "T81.4", "B99", "H25.1",
];

const PAYERS: [(&str, &str); 6] = [
    ("AOK", "Medicare"),
    ("Techniker", "Blue Cross"),
    ("Barmer", "Aetna"),
    ("DAK", "Cigna"),
    ("Privat", "Medicaid"),
    ("KKH", "Humana"),
];

const NAMES: [&str; 12] = [
    "Müller", "Schmidt", "Schäfer", "Weiß", "Yilmaz", "König", "Fischer", "Weber", "Krüger", "Hoffmann",
    "Böhm", "Lang",
];

const FIRST: [&str; 10] = ["Anna", "Jürgen", "Lena", "Björn", "Maria", "Peter", "Ute", "Jan", "Emma", "Karl"];

const REMARKS: [&str; 6] = [
    "kommt mit Tochter",
    "Wiedervorstellung in 6 Wochen",
    "Allergie beachten",
    "siehe Arztbrief",
    "verlegt von Station 3",
    "Angehörige informiert",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_bytes() {
        let german = hospital(Country::Germany, 50, 1);
        assert_eq!(german, hospital(Country::Germany, 50, 1));
        assert_ne!(german, hospital(Country::Germany, 50, 2));
        assert!(std::str::from_utf8(&german).is_err(), "windows-1252");
        assert_eq!(german.iter().filter(|byte| **byte == b'\n').count(), 51);
        let columns = |text: &[u8], sign: u8| {
            text.split(|byte| *byte == b'\n')
                .next()
                .map(|line| line.iter().filter(|byte| **byte == sign).count())
        };
        assert_eq!(columns(&german, b';'), Some(17));
        assert_eq!(columns(&hospital(Country::UnitedStates, 5, 1), b','), Some(17));
    }
}
