//! Proposals for whole tables.

use paravent_core::hierarchy::{self as core, Hierarchy};
use paravent_core::values::{Decimal, ValueType};
use proptest::prelude::*;

use super::*;
use paravent_job::{HierarchySpec, Model};
use paravent_tables::read::ReadOptions;

fn proposed(text: &str) -> Proposal {
    proposed_with(text, &InitOptions::default()).unwrap()
}

fn proposed_with(text: &str, options: &InitOptions) -> Result<Proposal, InitError> {
    propose(&Input::from_bytes(text.as_bytes().to_vec(), ReadOptions::new("table.csv")), options)
}

fn roles(proposal: &Proposal) -> Vec<&'static str> {
    proposal.columns.iter().map(|column| column.role.name()).collect()
}

/// 400 made-up people, as a semicolon file.
fn people() -> String {
    let rows = (0..400_u32).map(|n| {
        let diagnosis = ["flu", "gout", "asthma", "flu"][n as usize * 7 / 3 % 4];
        let sex = if n % 2 == 0 { "f" } else { "m" };
        let (age, zip, day) = (18 + n * 37 % 61, 1000 + n * 13 % 97, 1 + n % 28);
        format!("{n:06};Ada {n};{sex};{age};0{zip};2024-03-{day:02};{diagnosis};EUR;{}\n", n * 17 % 23)
    });
    let header = "patient_id;name;sex;age;zip;admission;diagnosis;currency;visits_so_far\n";
    std::iter::once(header.to_owned()).chain(rows).collect()
}

#[test]
fn a_table_of_people_gets_a_job() {
    let proposal = proposed(&people());
    let (drop, qi) = ("identifying", "quasi-identifier");
    assert_eq!(roles(&proposal), [drop, drop, qi, qi, qi, qi, "sensitive", "insensitive", qi]);
    let job = &proposal.job;
    assert_eq!(job.input.delimiter.map(|delimiter| delimiter.byte()), Some(b';'));
    let diverse = Model::DistinctLDiversity(paravent_job::models::DistinctLDiversity {
        attribute: "diagnosis".to_owned(),
        l: 3,
    });
    assert_eq!(job.privacy.models, [Model::KAnonymity(paravent_job::models::KAnonymity { k: 5 }), diverse]);
    assert_eq!(job.privacy.suppression_limit.as_str(), "0.05");
    let text = job.to_toml();
    assert_eq!(Job::parse(&text, "paravent.toml".as_ref()).unwrap(), *job);
    for builder in ["intervals", "codes", "role = \"identifying\"", "loss", "path = \"release\""] {
        assert!(text.contains(builder), "{builder}");
    }
    let age = &proposal.columns[3];
    assert!(age.reason.starts_with("by its name a date of birth or an age; 61 different values in 400 rows"));
    assert!(age.reason.contains("it is unique in"), "{}", age.reason);
}

#[test]
fn neither_job_nor_messages_show_a_cell() {
    let table = "sex,amount,city\n".to_owned()
        + &(0..60).map(|n| format!("Weiblich{n},{},Ortsname{}\n", 1017 + n * 13, n % 30)).collect::<String>();
    let proposal = proposed(&table);
    let mut said = proposal.job.to_toml() + &proposal.notes.concat();
    proposal.columns.iter().for_each(|column| said.push_str(&column.reason));
    for cell in ["Weiblich", "Ortsname", "1017", "1784"] {
        assert!(!said.contains(cell), "{cell}");
    }
}

#[test]
fn uniqueness_tells_what_names_do_not() {
    let rows = (0..200_u32).map(|n| format!("{},key{n},{},{}.5,x\n", 70_000_001 + n * 31, n % 5, n * n));
    let proposal = proposed(&("a,b,c,d,e\n".to_owned() + &rows.collect::<String>()));
    let (drop, qi) = ("identifying", "quasi-identifier");
    assert_eq!(roles(&proposal), [drop, drop, qi, qi, "insensitive"]);
    assert!(proposal.columns[3].left_out && !proposal.columns[2].left_out);
    let reasons: Vec<&str> = proposal.columns.iter().map(|column| column.reason.as_str()).collect();
    assert_eq!(reasons[1], "almost every row has its own value; 200 different values in 200 rows");
    assert!(reasons[2].starts_with("nothing says that it is harmless"), "{}", reasons[2]);
    assert!(reasons[3].starts_with("a measured value: nearly everybody has another one"), "{}", reasons[3]);
    assert_eq!(reasons[4], "the same in every row; 1 value in 200 rows");
}

#[test]
fn combinations_are_named() {
    let rows = (0..300_u32).map(|n| format!("{},{},{}\n", n % 20, n / 20, n % 2));
    let proposal = proposed(&("alpha,beta,gamma\n".to_owned() + &rows.collect::<String>()));
    let reason = &proposal.columns[0].reason;
    assert_eq!(
        reason,
        "20 different values in 300 rows; together with `beta` it is unique in 100 % of the rows"
    );
}

#[test]
fn measured_values_are_left_out_as_comments_and_can_be_taken_up() {
    let rows = (0..300_u32)
        .map(|n| format!("{},{}.{},{}\n", 20 + n % 30, n % 61, n % 7, ["f", "m"][n as usize % 2]));
    let mut proposal = proposed(&("age,crp,sex\n".to_owned() + &rows.collect::<String>()));
    assert!(proposal.columns[1].left_out, "{}", proposal.columns[1].reason);
    assert!(proposal.columns[1].reason.contains("nearly everybody"), "{}", proposal.columns[1].reason);
    // That is said where it is so only.
    let rows = (0..300_u32).map(|n| format!("{},{}.5,{}\n", 20 + n % 30, n % 61, ["f", "m"][n as usize % 2]));
    let shared = &proposed(&("age,crp,sex\n".to_owned() + &rows.collect::<String>())).columns[1];
    assert!(shared.left_out && !shared.reason.contains("nearly everybody"), "{}", shared.reason);
    let names = |proposal: &Proposal| -> Vec<String> {
        proposal.job.attributes.iter().map(|attribute| attribute.name.clone()).collect()
    };
    assert_eq!(names(&proposal), ["age", "sex"]);
    let text = proposal.to_toml();
    assert!(
        text.contains(
            "# [[attributes]]\n# name = \"crp\"\n# role = \"quasi-identifier\"\n# type = \"decimal\"\n"
        ),
        "{text}"
    );
    assert_eq!(Job::parse(&text, "paravent.toml".as_ref()).unwrap(), proposal.job);
    // With the comment signs gone it is a job as well.
    let uncommented: String = text
        .lines()
        .map(|line| {
            match line.strip_prefix("# ").filter(|rest| rest.starts_with("[[") || rest.contains(" = ")) {
                Some(rest) if !rest.starts_with("An editor") => format!("{rest}\n"),
                _ => format!("{line}\n"),
            }
        })
        .collect();
    assert_eq!(Job::parse(&uncommented, "paravent.toml".as_ref()).unwrap().attributes.len(), 3);
    proposal.give_role(1, Role::QuasiIdentifier);
    assert_eq!(names(&proposal), ["age", "crp", "sex"]);
    assert!(!proposal.columns[1].left_out);
    assert_eq!(Job::parse(&proposal.to_toml(), "paravent.toml".as_ref()).unwrap(), proposal.job);
}

#[test]
fn missing_values_and_odd_headers_are_noted() {
    let proposal = proposed("age,17\n34,a\nNA,b\n45,b\n");
    assert_eq!(proposal.job.input.null, ["", "NA"]);
    assert!(proposal.notes.iter().any(|note| note.starts_with("1 column name looks like a cell")));
    assert!(proposal.notes.iter().any(|note| note.contains("`NA` count as missing")));
    assert!(proposal.notes.iter().any(|note| note.contains("too few to hide anybody: k is 3")));
}

#[test]
fn people_with_several_rows_are_noted() {
    let proposal = proposed("patient_id,age\n1,34\n1,34\n2,50\n3,50\n2,50\n");
    let told =
        "`patient_id` occurs in several rows: 5 rows of 3 people, up to 2 rows each. The job counts people";
    assert!(proposal.notes.iter().any(|note| note.starts_with(told)), "{:?}", proposal.notes);
    assert_eq!(proposal.job.privacy.person, ["patient_id"]);
    // An empty cell says nothing about whose row it is.
    let proposal = proposed("patient_id,age\n1,34\n1,34\n2,50\n,50\n2,50\n");
    assert!(proposal.notes.iter().any(|note| note.contains("count rows, not people")));
    assert!(proposal.job.privacy.person.is_empty());
}

#[test]
fn sensitive_values_that_give_people_away_are_made_coarser() {
    let rows = (0..50_u32).map(|n| format!("{},{}\n", n % 7, 20_000 + n * n * 37));
    let proposal = proposed(&("age,salary\n".to_owned() + &rows.collect::<String>()));
    assert_eq!(roles(&proposal), ["quasi-identifier", "quasi-identifier"]);
    assert!(proposal.columns[1].reason.ends_with("so it is made coarser"), "{}", proposal.columns[1].reason);
}

#[test]
fn no_proposal_lets_people_be_singled_out_by_what_is_left_as_it_is() {
    // Two harmless secrets that are a key together, a text that names people, and a flag.
    let names = ["Anna Berg", "Bert Koch", "Carl Lund", "Dora Weiss", "Emil Roth", "Frida Zorn"];
    let row = |n: usize| {
        let name = format!("{} {}", names[n % 6], ["", "II", "III", "Jr"][n / 6 % 4]);
        format!("{},{},{},{},{}\n", n % 9, 100 + n % 31, 200 + n / 31, name.trim(), n % 2)
    };
    let rows: String = (0..600).map(row).collect();
    let proposal = proposed(&format!("age,diagnosis_a,diagnosis_b,finding_result,smoker_result\n{rows}"));
    let roles = roles(&proposal);
    assert_eq!(roles[3], "identifying", "{}", proposal.columns[3].reason);
    assert_eq!(roles[4], "sensitive");
    assert_eq!(roles[1..3].iter().filter(|role| **role == "quasi-identifier").count(), 1, "{roles:?}");
    assert!(proposal.job.attributes.iter().all(|attribute| attribute.release.is_none()));
}

#[test]
fn a_table_with_nothing_to_generalize_is_refused() {
    let refused = |text: &str| proposed_with(text, &InitOptions::default()).unwrap_err();
    assert!(matches!(refused("name,email\na,b\nc,d\n"), InitError::NothingToGeneralize { .. }));
    assert!(matches!(refused("name,age\n"), InitError::NoRows { .. }));
    // But a sensitive column can be generalized if it must.
    assert_eq!(roles(&proposed("name,diagnosis\na,x\nb,y\nc,y\n")), ["identifying", "quasi-identifier"]);
}

#[test]
fn a_wide_table_still_gets_a_small_lattice() {
    let header: Vec<String> = (b'a'..b'a' + 24).map(|c| format!("question_{}", c as char)).collect();
    let row = |n: u32| (0..24).map(|i| (n * (i + 3) % 61).to_string()).collect::<Vec<_>>().join(",");
    let table = header.join(",") + "\n" + &(0..300).map(|n| row(n) + "\n").collect::<String>();
    let options = InitOptions { effort: 100_000, ..InitOptions::default() };
    let proposal = proposed_with(&table, &options).unwrap();
    let hidden = proposal.job.attributes.iter().filter(|attribute| attribute.min_level == Some(1)).count();
    assert_eq!(hidden, 24 - 20);
    assert!(proposal.notes.iter().any(|note| note.starts_with("24 quasi-identifiers are many")));
    assert!(proposal.notes.iter().any(|note| note.contains("always be hidden")));
    assert!(proposal.notes.iter().any(|note| note.contains("too many combinations")));
    assert_eq!(Job::parse(&proposal.job.to_toml(), "paravent.toml".as_ref()).unwrap(), proposal.job);
}

/// The engine's hierarchy for what the job says.
fn built(attribute: &Attribute, values: &[&str]) -> Hierarchy {
    let ty = types::value_type(attribute.data_type.unwrap());
    let decimal = |text: &paravent_job::DecimalText| text.as_str().parse::<Decimal>().unwrap();
    match &attribute.hierarchy {
        None => Hierarchy::Whole,
        Some(HierarchySpec::Intervals(spec)) => {
            let spec = core::IntervalsSpec {
                widths: spec.widths.iter().map(decimal).collect(),
                min: decimal(&spec.min),
                max: decimal(&spec.max),
                outliers: core::Outliers::Label,
                rounding: core::Rounding::None,
                grid: if ty == ValueType::Integer { core::Grid::Integer } else { core::Grid::Decimal },
            };
            Hierarchy::Intervals(core::Intervals::new(spec).unwrap())
        }
        Some(HierarchySpec::Redact(spec)) => {
            let length = values.iter().map(|value| value.chars().count()).max().unwrap();
            Hierarchy::Redaction(
                core::Redaction::new(spec.fill, core::Side::Right, length, spec.alphabet).unwrap(),
            )
        }
        Some(HierarchySpec::Dates(units)) => Hierarchy::Dates(core::Dates::new(units.clone()).unwrap()),
        Some(HierarchySpec::Ordering(spec)) => {
            let sizes: Vec<usize> = spec.sizes.iter().map(|size| *size as usize).collect();
            Hierarchy::Table(core::group_sorted(values, ty, &sizes).unwrap())
        }
        Some(HierarchySpec::Codes(paravent_job::CodesSpec::Named(name))) => {
            Hierarchy::Codes(core::structure(name).unwrap())
        }
        Some(HierarchySpec::Lump(spec)) => {
            let rows = vec![1; values.len()];
            Hierarchy::Table(core::lump_rare(values, &rows, &spec.least, &spec.label).unwrap())
        }
        Some(other) => panic!("{other:?} is not proposed"),
    }
}

fn cell() -> impl Strategy<Value = String> {
    prop_oneof![
        "-?[0-9]{1,4}",
        "0[0-9]{4}",
        "-?[0-9]{1,3}\\.[0-9]{1,3}",
        "20[0-9]{2}-0[1-9]-1[0-9]",
        "20[0-9]{2}-0[1-9]-1[0-9]T1[0-9]:30",
        "[a-z]{0,12}",
        "[A-Z][0-9]{2}",
        "NA",
        "yes|no",
        "[0-9]{15,33}"
    ]
}

/// Columns are of one kind, but sometimes with a cell of another.
fn column() -> impl Strategy<Value = Vec<String>> {
    let kinds: Vec<&'static str> = vec![
        "-?[0-9]{1,4}",
        "0[0-9]{4}",
        "-?[0-9]{1,3}\\.[0-9]{1,3}",
        "20[0-9]{2}-0[1-9]-1[0-9]",
        "20[0-9]{2}-0[1-9]-1[0-9]T1[0-9]:30",
        "[a-z]{9,12}",
        "[A-Z][0-9]{2}",
        "(yes|no)",
        "[0-9]{15,33}",
        "[fm]",
    ];
    (prop::sample::select(kinds), prop::collection::vec((cell(), 0..40_u8), 40)).prop_flat_map(
        |(kind, others)| {
            prop::collection::vec(kind, 40).prop_map(move |mut cells| {
                let odd = others.iter().enumerate().filter(|(_, (_, chance))| *chance == 0);
                odd.for_each(|(i, (other, _))| cells[i].clone_from(other));
                cells
            })
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_proposal_covers_the_data_and_is_read_back(columns in prop::collection::vec(column(), 1..6)) {
        let names = ["sex", "alpha", "zip", "result", "beta"];
        let mut text = names[..columns.len()].join(",") + "\n";
        for row in 0..40 {
            let cells: Vec<&str> = columns.iter().map(|cells| cells[row].as_str()).collect();
            // A row of a single empty cell would be a blank line.
            text.push_str(&cells.iter().map(|cell| format!("\"{cell}\"")).collect::<Vec<_>>().join(","));
            text.push('\n');
        }
        let Ok(proposal) = proposed_with(&text, &InitOptions::default()) else { return Ok(()) };
        prop_assert_eq!(&Job::parse(&proposal.job.to_toml(), "paravent.toml".as_ref()).unwrap(), &proposal.job);
        let null = &proposal.job.input.null;
        for attribute in &proposal.job.attributes {
            // Columns that are left out are no attributes.
            let cells = &columns[names.iter().position(|name| *name == attribute.name).unwrap()];
            let mut values: Vec<&str> = cells.iter().map(String::as_str).filter(|cell| !null.iter().any(|n| n == cell)).collect();
            values.sort_unstable();
            values.dedup();
            if attribute.role == Role::Identifying {
                continue;
            }
            let ty = types::value_type(attribute.data_type.unwrap());
            prop_assert!(values.iter().all(|value| ty.accepts(value)));
            if attribute.role == Role::QuasiIdentifier {
                let hierarchy = built(attribute, &values);
                let mut all: Vec<Option<&str>> = values.into_iter().map(Some).collect();
                all.extend(cells.iter().any(|cell| null.contains(cell)).then_some(None));
                let ladder = hierarchy.ladder(&all).unwrap();
                prop_assert_eq!(ladder.cardinality(ladder.max_level()), 1);
                prop_assert!(attribute.min_level.unwrap_or(0) <= ladder.max_level());
            }
        }
    }
}

#[test]
fn a_first_row_that_is_data_is_refused_without_a_word_of_it() {
    for table in ["Anna,34,f\nBert,45,m\nDora,29,f\n", "Anna,34\nBert,45\n", "81660;x\n81661;y\n"] {
        let error = proposed_with(table, &InitOptions::default()).unwrap_err();
        assert!(matches!(error, InitError::NoHeader { .. }), "{error}");
        assert!(!error.to_string().contains("Anna") && !error.to_string().contains("81660"));
    }
    // A year is a good name among others.
    proposed("city,2019,income,age\nUlm,1,20,3\nJena,2,30,4\nUlm,3,20,5\n");
}

#[test]
fn headers_of_other_languages_are_understood() {
    use paravent_evidence::columns::{Hint, hint};
    for name in [
        "Nom",
        "prénom",
        "PRENOM",
        "voornaam",
        "Achternaam",
        "Nombre",
        "apellidos",
        "Nome",
        "cognome",
        "imię",
        "nazwisko",
        "fornavn",
        "Efternavn",
        "téléphone",
        "Teléfono",
        "telefoon",
        "adresse",
        "direccion",
        "indirizzo",
        "straatnaam",
        "numero_patient",
        "id_paciente",
        "BSN",
        "PESEL",
        "cpr_nr",
        "codice_fiscale",
    ] {
        assert!(matches!(hint(name), Hint::Identifying(_)), "{name}: {:?}", hint(name));
    }
    for name in [
        "date_naissance",
        "Date de naissance",
        "geboortedatum",
        "fecha_nacimiento",
        "Fecha de Nacimiento",
        "data_nascita",
        "data_urodzenia",
        "fødselsdato",
        "âge",
        "edad",
        "età",
        "leeftijd",
        "wiek",
        "alder",
    ] {
        assert_eq!(hint(name), Hint::QuasiIdentifying("a date of birth or an age"), "{name}");
    }
    for name in ["sexe", "sexo", "sesso", "geslacht", "płeć", "køn"] {
        assert_eq!(hint(name), Hint::QuasiIdentifying("a sex or gender"), "{name}");
    }
    for name in
        ["code_postal", "CP", "código postal", "CAP", "kod_pocztowy", "postnummer", "woonplaats", "ville"]
    {
        assert_eq!(hint(name), Hint::QuasiIdentifying("a place"), "{name}");
    }
}

#[test]
fn ages_are_counted_on_a_day_that_no_birth_decides() {
    let table = |future: &str, visits: bool| {
        let row = |n: usize| {
            let born = if n == 3 {
                future.to_owned()
            } else {
                format!("{}-0{}-1{}", 1950 + n % 50, 1 + n % 9, n % 9)
            };
            let visit = if visits { format!(",2023-04-1{}", n % 9) } else { String::new() };
            format!("{born},{}{visit}\n", ["f", "m"][n % 2])
        };
        let header = if visits { "birth_date,sex,admission\n" } else { "birth_date,sex\n" };
        std::iter::once(header.to_owned()).chain((0..300).map(row)).collect::<String>()
    };
    let options = InitOptions { today: "2026-06-30".to_owned(), ..InitOptions::default() };
    for (text, on, told) in [
        (table("2203-01-01", false), "2026-06-30", true),
        (table("2203-01-01", true), "2023-12-31", true),
        (table("1980-01-01", false), "2026-06-30", false),
    ] {
        let proposal = proposed_with(&text, &options).unwrap();
        let born = proposal.columns[0].hierarchy.clone().unwrap_or_default();
        assert!(born.contains(&format!("by age on {on}")), "{born}");
        let noted = proposal.notes.iter().any(|note| note.starts_with("`birth_date`: 1 birth lies after"));
        assert_eq!(noted, told, "{:?}", proposal.notes);
    }
}

#[test]
fn ages_are_grouped_alike_whoever_is_oldest() {
    for oldest in [60, 99, 101, 999] {
        let row = |n: usize| format!("{},{}\n", if n == 0 { oldest } else { n % 60 }, ["f", "m"][n % 2]);
        let proposal = proposed(&("age,sex\n".to_owned() + &(0..600).map(row).collect::<String>()));
        let told = proposal.columns[0].hierarchy.clone().unwrap();
        assert_eq!(told, "groups of 5, 10, 20 years, 90 and older together", "{oldest}");
        let noted = proposal.notes.iter().any(|note| note.contains("no age"));
        assert_eq!(noted, oldest == 999, "{:?}", proposal.notes);
    }
    // Years of birth are no ages.
    let row = |n: usize| format!("{},{}\n", 1940 + n % 60, ["f", "m"][n % 2]);
    let proposal = proposed(&("birth_year,sex\n".to_owned() + &(0..600).map(row).collect::<String>()));
    assert!(proposal.columns[0].hierarchy.as_ref().unwrap().starts_with("intervals"));
}
