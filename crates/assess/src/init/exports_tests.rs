//! Columns of exports as systems write them: what their names do not say, or say wrongly.

use super::*;
use paravent_job::HierarchySpec;
use paravent_tables::read::ReadOptions;

fn proposed(text: String) -> Proposal {
    let input = Input::from_bytes(text.into_bytes(), ReadOptions::new("table.csv"));
    propose(&input, &InitOptions::default()).unwrap()
}

fn role(proposal: &Proposal, name: &str) -> &'static str {
    proposal.columns.iter().find(|column| column.name == name).unwrap().role.name()
}

/// A table with a row for each number: `age`, `sex`, and the columns of `header`.
fn table(header: &str, rows: usize, cells: impl Fn(usize) -> String) -> Proposal {
    let line = |n: usize| format!("{};{};{}\n", 20 + n * 7 % 60, ["f", "m"][n % 2], cells(n));
    proposed(format!("age;sex;{header}\n") + &(0..rows).map(line).collect::<String>())
}

#[test]
fn names_of_people_are_told_by_their_cells() {
    let first = ["Anna", "Peter", "Maria", "Jan", "Emma", "Karl", "Ute", "Lena"];
    let last = ["Weber", "Schmidt", "Fischer", "Becker", "Koch", "Richter", "Wagner"];
    let proposal = table("First;Last;Patient;Site", 400, |n| {
        let (first, last) = (first[n % 8], last[n * 3 % 7]);
        format!(
            "{first};{last};{last}, {first};{}",
            ["North", "South", "East", "West", "Main", "Lake"][n % 6]
        )
    });
    for name in ["First", "Last", "Patient"] {
        assert_eq!(role(&proposal, name), "identifying", "{name}");
    }
    assert_eq!(role(&proposal, "Site"), "quasi-identifier");
}

#[test]
fn numbers_that_are_handed_out_are_no_matter_of_health() {
    let proposal = table("Tumor-ID;Diagnose", 400, |n| format!("{};C{:02}", n + 1, n % 30));
    assert_eq!(role(&proposal, "Tumor-ID"), "identifying");
    assert_eq!(role(&proposal, "Diagnose"), "sensitive");
}

#[test]
fn incomes_of_six_digits_are_no_keys() {
    let proposal = table("income;Gehalt;v7;earnings", 60, |n| {
        let n = n * 7_919;
        format!("{};{};{};{}", 100_000 + n, 999_999 - n, 200_000 + n * 31 % 700_000, 90_000 + n)
    });
    let reason = |name: &str| {
        let column = proposal.columns.iter().find(|column| column.name == name).unwrap();
        (column.role.name(), column.reason.split(';').next().unwrap().to_owned())
    };
    // They are shown in intervals, like an income that has not always as many digits.
    for name in ["income", "Gehalt", "earnings"] {
        assert_eq!(reason(name), ("quasi-identifier", "by its name a matter of money".to_owned()), "{name}");
    }
    assert_eq!(role(&proposal, "v7"), "identifying");
}

#[test]
fn the_main_diagnosis_stays_and_further_ones_are_made_coarser() {
    let code = |n: usize| format!("{}{:02}.1", ["E", "I", "J"][n / 60 % 3], n % 60);
    let proposal = table("DX1;DX2", 2_000, |n| format!("{};{}", code(n), code(n + n / 180 * 7)));
    assert_eq!((role(&proposal, "DX1"), role(&proposal, "DX2")), ("sensitive", "quasi-identifier"));
}

#[test]
fn short_postcodes_are_masked_as_they_are() {
    let proposal = table("PLZ;PLZ-Region", 900, |n| format!("{};{:03}", 1010 + n * 13 % 8000, n * 7 % 900));
    for name in ["PLZ", "PLZ-Region"] {
        let attributes = proposal.job.attributes.iter();
        let attribute = attributes.chain(&proposal.spare).find(|attribute| attribute.name == name).unwrap();
        assert!(matches!(attribute.hierarchy, Some(HierarchySpec::Redact(_))), "{attribute:?}");
        assert_eq!(attribute.data_type, Some(DataType::String));
    }
}

#[test]
fn days_after_an_operation_are_no_postcodes() {
    let proposal = table("postop_tage;postop_cost;Post-Code", 900, |n| {
        format!("{};{};{}", 10 + n % 90, 10_000 + n * 37 % 80_000, 1010 + n * 13 % 8000)
    });
    let all = || proposal.job.attributes.iter().chain(&proposal.spare);
    let hierarchy = |name: &str| all().find(|one| one.name == name).and_then(|one| one.hierarchy.as_ref());
    let days = hierarchy("postop_tage");
    assert!(matches!(days, Some(HierarchySpec::Intervals(_))), "{days:?}");
    let cost = hierarchy("postop_cost");
    assert!(!matches!(cost, Some(HierarchySpec::Codes(_) | HierarchySpec::Redact(_))), "{cost:?}");
    assert!(matches!(hierarchy("Post-Code"), Some(HierarchySpec::Redact(_))));
}

#[test]
fn events_are_no_dates_and_codes_of_procedures_are_none_either() {
    let proposal = table("Entlassart;OPS", 400, |n| {
        format!("{};5-{}.{:02}", ["verlegt", "nach Hause"][n % 2], 800 + n % 50, n % 20)
    });
    let reason = &proposal.columns[2].reason;
    assert!(reason.starts_with("by its name about an event others may know"), "{reason}");
    assert!(!proposal.notes.iter().any(|note| note.contains("look like dates")), "{:?}", proposal.notes);
}

#[test]
fn years_of_birth_keep_groups_of_ten_however_many_columns_there_are() {
    let names: Vec<String> = (0..12).map(|i| format!("c{i}")).collect();
    let proposal = table(&format!("Geburtsjahr;{}", names.join(";")), 600, |n| {
        let others: Vec<String> = (0..12).map(|i| format!("x{:03}", (n * (i + 3)) % 300)).collect();
        format!("{};{}", 1925 + n * 11 % 95, others.join(";"))
    });
    let all = proposal.job.attributes.iter().chain(&proposal.spare);
    let born = all.into_iter().find(|attribute| attribute.name == "Geburtsjahr").unwrap();
    let Some(HierarchySpec::Intervals(intervals)) = &born.hierarchy else { panic!("{born:?}") };
    assert!(intervals.widths.iter().any(|width| width.as_str() == "10"), "{:?}", intervals.widths);
}

#[test]
fn a_slip_among_ages_costs_neither_the_column_nor_a_code() {
    let slip = |n: usize| match n {
        17 => "ca. 50".to_owned(),
        99 => "90+".to_owned(),
        n => (20 + n * 7 % 60).to_string(),
    };
    let ward = |n: usize| if n == 5 { "7a".to_owned() } else { (n % 9).to_string() };
    let proposal = table("Lebensalter;Station", 400, |n| format!("{};{}", slip(n), ward(n)));
    let column = |name: &str| proposal.columns.iter().find(|column| column.name == name).unwrap();
    assert_eq!(column("Lebensalter").data_type, DataType::Integer);
    assert_eq!(column("Lebensalter").missing, 2);
    assert_eq!(proposal.job.input.null, ["", "90+", "ca. 50"]);
    let told = "`Lebensalter`: 398 of 400 cells are whole numbers; rows";
    assert!(proposal.notes.iter().any(|note| note.starts_with(told)), "{:?}", proposal.notes);
    // A ward is no quantity.
    assert_eq!(column("Station").data_type, DataType::String);
}

#[test]
fn groups_of_ages_are_ages_and_remarks_are_no_quasi_identifiers() {
    let proposal = table("Altersgruppe;Anmerkungen", 600, |n| {
        let groups = ["18-29", "30-49", "50-64", "65+"];
        format!("{};{}", groups[n % 4], ["", "ja eh", "Frau Schulz war da"][n % 3])
    });
    assert_eq!(role(&proposal, "Anmerkungen"), "identifying");
    let ages = proposal.columns.iter().find(|column| column.name == "Altersgruppe").unwrap();
    assert!(ages.reason.contains("an age"), "{}", ages.reason);
}

#[test]
fn births_in_several_known_forms_are_compared_as_days() {
    let row = |n: usize| {
        let (day, month, year) = (1 + n % 28, 1 + n % 12, 1930 + n * 7 % 60);
        let form = |n: usize, year: usize| match n % 2 {
            0 => format!("{day:02}.{month:02}.{year}"),
            _ => format!("{year}-{month:02}-{day:02}"),
        };
        format!("{};{};{}\n", form(n, year), ["f", "m"][n % 2], form(n / 2, 2021 + n % 2))
    };
    let rows: String = (0..400).map(row).collect();
    let proposal = proposed(format!("Geburtsdatum;sex;Aufnahme\n{rows}"));
    assert!(!proposal.notes.iter().any(|note| note.contains("births lie")), "{:?}", proposal.notes);
    let job = proposal.job.to_toml();
    assert!(job.contains("age = { on = \"2022-12-31\" }"), "{job}");
}

#[test]
fn births_in_words_and_a_delimiter_that_is_not_known_are_told() {
    let months = ["Januar", "März", "Mai"];
    let proposal =
        table("Geburtstag", 400, |n| format!("{}. {} {}", 1 + n % 28, months[n % 3], 1930 + n * 7 % 60));
    let told = "neither as dates nor as ages, so no age can be told";
    assert!(proposal.notes.iter().any(|note| note.contains(told)), "{:?}", proposal.notes);
    let single = |name: &str, rest: &str| {
        let rows: String = (0..90).map(|n| format!("{}{rest}\n", 20 + n % 9)).collect();
        proposed(format!("{name}\n{rows}")).notes.iter().any(|note| note.contains("a single column"))
    };
    assert!(single("age:sex", ":f") && !single("age in years", ""));
}
