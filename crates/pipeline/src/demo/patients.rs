//! The made-up patients.

use super::lists::{DIAGNOSES, FEMALE_NAMES, INSURERS, LAST_NAMES, MALE_NAMES, ZIP_CODES};
use super::random::Random;

/// Rows of the table, unless more are asked for.
pub(super) const ROWS: u32 = 2000;
/// The year of all admissions.
const YEAR: u32 = 2024;
const SEED: u64 = 0x70_61_72_61;
const MONTH_DAYS: [u32; 12] = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/// The table as comma-separated text. A shorter one is the beginning of a longer one.
pub(super) fn table(rows: u32) -> String {
    let mut random = Random::new(SEED);
    let mut text =
        "patient_id,name,sex,age,zip,admission_date,insurance,diagnosis,length_of_stay\n".to_owned();
    for number in 0..rows {
        text.push_str(&patient(number, &mut random));
        text.push('\n');
    }
    text
}

/// What is drawn first decides on the rest: sex on the diagnosis, the diagnosis on age, season and stay, age on the insurer.
fn patient(number: u32, random: &mut Random) -> String {
    // Unique, and in no order that a reader would notice; a digit more whenever a round of numbers is used up.
    let number = u64::from(number);
    let id = 100_000 + (271_828 + number * 482_711) % 899_981 + 1_000_000 * (number / 899_981);
    let sex = usize::from(random.below(100) >= 53);
    let first_name = random.pick(if sex == 0 { &FEMALE_NAMES } else { &MALE_NAMES });
    let last_name = random.pick(&LAST_NAMES);
    let diagnosis = &DIAGNOSES[random.weighted(DIAGNOSES.iter().map(|diagnosis| diagnosis.weights[sex]))];
    let age = random.around_middle(diagnosis.ages.0, diagnosis.ages.1);
    let generation = if age < 40 { 0 } else { 1 + usize::from(age >= 65) };
    let (zip, _) = ZIP_CODES[random.weighted(ZIP_CODES.iter().map(|(_, weight)| *weight))];
    let (insurance, _) = INSURERS[random.weighted(INSURERS.iter().map(|(_, weights)| weights[generation]))];
    let is_winter = |month: usize| !(2..10).contains(&month);
    let month = random.weighted((0..12).map(|month| if is_winter(month) { 1 + diagnosis.winter } else { 2 }));
    let day = 1 + random.below(MONTH_DAYS[month]);
    let stay = random.around_middle(diagnosis.stay.0, diagnosis.stay.1) + age.saturating_sub(60) / 10;
    format!(
        "P{id},{first_name} {last_name},{},{age},{zip},{YEAR}-{:02}-{day:02},{insurance},{},{stay}",
        ["female", "male"][sex],
        month + 1,
        diagnosis.name,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_patient_is_a_row_of_nine_cells_with_an_own_number() {
        let text = table(ROWS);
        let rows: Vec<Vec<&str>> = text.lines().skip(1).map(|line| line.split(',').collect()).collect();
        assert_eq!(rows.len(), ROWS as usize);
        assert!(rows.iter().all(|row| row.len() == 9 && row[0].len() == 7));
        assert_eq!(rows.iter().map(|row| row[0]).collect::<HashSet<_>>().len(), rows.len());
        assert!(rows.iter().all(|row| row[7] != "C50 breast cancer" || row[2] == "female"));
        let share = |diagnosis: &str| {
            rows.iter().filter(|row| row[7] == diagnosis).count() as f64 / rows.len() as f64
        };
        assert!(DIAGNOSES.iter().all(|diagnosis| (0.03..0.15).contains(&share(diagnosis.name))));
    }
}
