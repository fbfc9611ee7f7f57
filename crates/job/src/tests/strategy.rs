//! Random jobs that are right.

use proptest::collection::{btree_set, vec};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use proptest::strategy::Union;

mod hierarchies;

use crate::hierarchies::Parts;
use crate::*;
use hierarchies::hierarchy;
use paravent_core::values::{NumberSpelling, Pattern, Spelling};

/// Any job that `parse` could give.
pub(super) fn job() -> impl Strategy<Value = Job> {
    let names = btree_set("\\PC{1,8}|[a-z]{1,5}|[\"\\\\\n\t=#]{1,3}", 4..7);
    ((input(), about()), names, attribute_parts(), privacy_parts(), search(), output()).prop_map(
        |(
            (input, about),
            names,
            parts,
            (suppression_limit, models, person, budget, (person_rows, most_known)),
            search,
            output,
        )| {
            let names: Vec<String> = names.into_iter().collect();
            let attributes: Vec<Attribute> = names.iter().zip(parts).enumerate().map(named).collect();
            let models: Vec<Model> = models.into_iter().map(|model| renamed(model, &names)).collect();
            let person: Vec<String> = person.into_iter().map(|i: usize| names[i].clone()).collect();
            let person_rows = allowed(person_rows, &person, &models);
            let privacy = Privacy { suppression_limit, models, person, person_rows, most_known, budget };
            Job {
                version: Version::V1,
                about,
                input,
                attributes,
                privacy,
                search,
                output,
                source: Source::default(),
            }
        },
    )
}

/// A rule that goes with the key and the models.
fn allowed(rule: PersonRows, person: &[String], models: &[Model]) -> PersonRows {
    let fits = match rule {
        PersonRows::Apart => true,
        PersonRows::Together => models.iter().all(Model::more_people_never_hurt),
        PersonRows::Set => models.iter().all(|model| model.population().is_none()),
    };
    if fits && !person.is_empty() { rule } else { PersonRows::Apart }
}

/// The first is a quasi-identifier, the next two are sensitive with a hierarchy; models refer to these.
fn named((i, (name, mut attribute)): (usize, (&String, Attribute))) -> Attribute {
    attribute.name = name.clone();
    match i {
        0 => attribute.role = Role::QuasiIdentifier,
        1 | 2 => {
            attribute.role = Role::Sensitive;
            let file = HierarchyFile { path: "h.csv".into(), delimiter: None };
            attribute.hierarchy.get_or_insert(HierarchySpec::File(file));
        }
        _ => {}
    }
    attribute.missing = match (attribute.role, i % 3) {
        (Role::Sensitive, 1) => Some(MissingCells::Value),
        (Role::Sensitive, 2) => Some(MissingCells::NoValue),
        _ => None,
    };
    attribute.treatments = treatments(&attribute, i);
    attribute
}

fn treatments(attribute: &Attribute, i: usize) -> Treatments {
    let number = |text: &str| Some(DecimalText::new(text).unwrap());
    match (attribute.role, attribute.data_type) {
        (Role::Identifying, _) if i.is_multiple_of(2) => {
            Treatments { pseudonym: Some(Pseudonym { key: "k".into() }), ..Treatments::default() }
        }
        (Role::QuasiIdentifier, Some(DataType::Integer)) => Treatments {
            aggregate: Some(Aggregate::ALL[i % 3]),
            bottom: number("-5"),
            ..Treatments::default()
        },
        (Role::Sensitive | Role::Insensitive, Some(DataType::Decimal)) => {
            Treatments { round: number("0.5"), top: number("90"), ..Treatments::default() }
        }
        _ => Treatments::default(),
    }
}

fn renamed(mut model: Model, names: &[String]) -> Model {
    match &mut model {
        Model::KAnonymity(_) | Model::DeltaPresence(_) | Model::KMap(_) => {}
        Model::DistinctLDiversity(crate::models::DistinctLDiversity { attribute, .. })
        | Model::EntropyLDiversity(crate::models::EntropyLDiversity { attribute, .. })
        | Model::RecursiveLDiversity(crate::models::RecursiveLDiversity { attribute, .. })
        | Model::PdRecursiveLDiversity(crate::models::PdRecursiveLDiversity { attribute, .. })
        | Model::NpdRecursiveLDiversity(crate::models::NpdRecursiveLDiversity { attribute, .. })
        | Model::TCloseness(crate::models::TCloseness { attribute, .. })
        | Model::BetaLikeness(crate::models::BetaLikeness { attribute, .. }) => *attribute = names[1].clone(),
        Model::MultiAttributeLDiversity(crate::models::MultiAttributeLDiversity { attributes, .. }) => {
            *attributes = names[1..3].to_vec()
        }
    }
    model
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z0-9 ]{0,12}", "\\PC{0,6}", any::<String>()]
}

fn nonempty() -> impl Strategy<Value = String> {
    text().prop_filter("not empty", |text| !text.is_empty())
}

fn cells(least: usize) -> impl Strategy<Value = Vec<String>> {
    btree_set(text(), least..40).prop_map(|cells| cells.into_iter().collect())
}

fn ascii_char() -> impl Strategy<Value = AsciiChar> {
    (1_u8..128).prop_filter_map("not a quote or line end", |byte| {
        AsciiChar::new(char::from(byte)).filter(|&c| c != AsciiChar::QUOTE)
    })
}

/// `digits / 10^places`
fn decimal(digits: std::ops::Range<i64>, places: u32) -> impl Strategy<Value = DecimalText> {
    digits.prop_map(move |digits| DecimalText::new(&format!("{digits}e-{places}")).unwrap())
}

fn choice<T: Copy + std::fmt::Debug + 'static>(all: &'static [T]) -> impl Strategy<Value = T> {
    select(all)
}

fn input() -> impl Strategy<Value = Input> {
    let source = prop_oneof![
        "[a-z]{1,5}(\\.csv|\\.parquet)?".prop_map(|path| InputSource::File(path.into())),
        Just(InputSource::Stdin),
        (text(), nonempty()).prop_map(|(rest, table)| InputSource::Engine {
            url: DatabaseUrl(format!("postgres://{rest}")),
            table
        }),
    ];
    let encodings = select(vec![encoding_rs::UTF_8, encoding_rs::WINDOWS_1252, encoding_rs::UTF_16LE]);
    let drawn = prop_oneof![
        any::<u64>().prop_map(SampleSource::Seed),
        "[a-z]{1,5}".prop_map(|path| SampleSource::Key(path.into()))
    ];
    let sample =
        option::of(drawn.prop_map(|source| Sample { share: DecimalText::new("0.1").unwrap(), source }));
    let formats = option::of(choice(InputFormat::ALL));
    (source, formats, option::of(ascii_char()), option::of(encodings), cells(0), sample).prop_map(
        |(source, format, delimiter, encoding, null, sample)| {
            let quote = delimiter.map(|_| AsciiChar::QUOTE);
            let blanks = if null.len().is_multiple_of(2) { Blanks::Keep } else { Blanks::Trim };
            let sheet = (null.len() == 3).then(|| "Tabelle 1".to_owned());
            let (skip, footer) = (null.len() as u32 / 2, u32::from(sheet.is_some()));
            Input { source, format, delimiter, quote, encoding, null, sample, sheet, skip, footer, blanks }
        },
    )
}

fn attribute_parts() -> impl Strategy<Value = Vec<Attribute>> {
    let levels = option::of((0_u8..=255, 0_u8..=255));
    let weight = prop_oneof![Just(1.0), 0.0..1e6, Just(1e-300), Just(1e9)];
    let part =
        (choice(Role::ALL), option::of(choice(DataType::ALL)), option::of(hierarchy()), levels, weight);
    let part = (
        part,
        option::of(cells(1)),
        option::of(choice(Release::ALL)),
        option::of(noise()),
        (choice(UnknownValues::ALL), option::of(spelling())),
    )
        .prop_map(|(parts, order, release, noise, (unknown, spelling))| {
            let (role, data_type, hierarchy, levels, weight) = parts;
            Attribute {
                // Numbers and dates would have to fit the builder; a missing type fits all.
                data_type: if hierarchy.is_some() || spelling.is_some() { None } else { data_type },
                spelling,
                hierarchy,
                min_level: levels.map(|(a, b)| a.min(b)),
                max_level: levels.map(|(a, b)| a.max(b)),
                weight,
                order,
                release,
                noise,
                unknown,
                ..Attribute::new("", role)
            }
        });
    vec(part, 7)
}

fn spelling() -> impl Strategy<Value = Spelling> {
    let patterns = select(vec!["dd.MM.yyyy", "M/d/yyyy h:mm a", "yyyyMMdd", "d MMM yy"]);
    let signs = select(vec![(',', None), (',', Some('.')), ('.', Some('\'')), ('.', Some('\u{a0}'))]);
    prop_oneof![
        patterns.prop_map(|pattern| Spelling::Moment(Pattern::new(pattern).unwrap())),
        signs.prop_map(|(decimal, grouping)| {
            Spelling::Number(NumberSpelling::new(decimal, grouping).unwrap())
        }),
    ]
}

fn number() -> impl Strategy<Value = String> {
    prop_oneof!["0\\.[0-9]{1,6}", "[1-9]/[1-9][0-9]{0,4}", "1e-[1-9]"]
}

fn strength() -> impl Strategy<Value = Strength> {
    prop_oneof![
        number().prop_map(Strength::Probability),
        (number(), option::of(number())).prop_map(|(epsilon, delta)| Strength::Epsilon { epsilon, delta }),
    ]
}

/// A law that is not added to a number.
fn drawn_law() -> impl Strategy<Value = NoiseLaw> {
    let steps = proptest::collection::btree_map(-9_i32..9, number(), 1..5);
    let line = vec(text(), 2..5);
    prop_oneof![
        Just(NoiseLaw::Uniform),
        Just(NoiseLaw::Learnt),
        vec(number(), 1..5).prop_map(NoiseLaw::Weights),
        (steps, choice(NoiseTails::ALL), choice(NoiseRest::ALL)).prop_map(|(steps, tails, rest)| {
            NoiseLaw::Steps { steps: steps.into_iter().collect(), tails, rest }
        }),
        nonempty().prop_map(|file| NoiseLaw::Kernel(KernelTable::File(file.into()))),
        vec(line, 2..5).prop_map(|lines| NoiseLaw::Kernel(KernelTable::Lines(lines))),
    ]
}

fn noise() -> impl Strategy<Value = NoiseSpec> {
    let cases = proptest::collection::btree_map(text(), (strength(), drawn_law()), 1..4);
    let by = option::of((nonempty(), cases)).prop_map(|by| {
        by.map(|(column, cases)| {
            let case = |(value, (strength, law))| (value, NoiseCase { strength, law });
            NoiseBy { column, cases: cases.into_iter().map(case).collect() }
        })
    });
    let drawn =
        (strength(), drawn_law(), option::of(cells(1)), by, choice(MissingNoise::ALL), option::of(text()))
            .prop_map(|(strength, law, values, by, missing, other)| {
                let outside = if other.is_some() { OutsideCells::Other } else { OutsideCells::Refuse };
                NoiseSpec { values, strength, law, outside, other, missing, by }
            });
    let epsilon = (number(), option::of(number()));
    let added = (choice(AddedLaw::ALL), epsilon, (number(), number(), number()), choice(MissingNoise::ALL))
        .prop_map(|(law, (epsilon, delta), (min, max, step), missing)| NoiseSpec {
            values: None,
            strength: Strength::Epsilon { epsilon, delta },
            law: NoiseLaw::Added { law, min, max, step },
            outside: OutsideCells::Clamp,
            other: None,
            missing,
            by: None,
        });
    prop_oneof![drawn.boxed(), added.boxed()]
}

/// Limit, models, places of the person's columns among the attributes, budget.
type PrivacyParts = (DecimalText, Vec<Model>, Vec<usize>, Option<BudgetLimit>, (PersonRows, Option<u32>));

fn privacy_parts() -> impl Strategy<Value = PrivacyParts> {
    let budget = (decimal(1..1_000_000, 3), decimal(0..1000, 9))
        .prop_map(|(epsilon, delta)| BudgetLimit { epsilon, delta });
    let rows = select(PersonRows::ALL);
    let known = option::of(1u32..1001);
    (limit_and_models(), subsequence(vec![0, 1, 2, 3], 0..4), option::of(budget), (rows, known))
        .prop_map(|((limit, models), person, budget, rows)| (limit, models, person, budget, rows))
}

fn limit_and_models() -> impl Strategy<Value = (DecimalText, Vec<Model>)> {
    let population = prop_oneof![
        nonempty().prop_map(|path| Population::Table(path.into())),
        Just(Population::Subset("µ in".into()))
    ];
    (decimal(0..1_000_000_000_000, 12), population).prop_flat_map(|(limit, population)| {
        vec(model(population), 1..8).prop_map(move |models| (limit.clone(), models))
    })
}

fn model(population: Population) -> impl Strategy<Value = Model> {
    let (a, n) = (String::new, 1_u32..);
    let c = || decimal(1..1_000_000, 4).boxed();
    let shares = (decimal(0..500, 3), decimal(500..1001, 3));
    let other = population.clone();
    let base = prop_oneof![
        (1_u32..).prop_map(|l| Diversity::Distinct { l }),
        decimal(100..9999, 2).prop_map(|l| Diversity::Entropy { l }),
        (c(), 1_u32..).prop_map(|(c, l)| Diversity::Recursive { c, l }),
    ];
    let npd = (c(), decimal(0..10_001, 2), n.clone(), cells(0), cells(1));
    Union::new([
        n.clone().prop_map(|k| Model::KAnonymity(crate::models::KAnonymity { k })).boxed(),
        n.clone()
            .prop_map(move |l| {
                Model::DistinctLDiversity(crate::models::DistinctLDiversity { attribute: a(), l })
            })
            .boxed(),
        decimal(100..9999, 2)
            .prop_map(move |l| {
                Model::EntropyLDiversity(crate::models::EntropyLDiversity { attribute: a(), l })
            })
            .boxed(),
        (c(), n.clone())
            .prop_map(move |(c, l)| {
                Model::RecursiveLDiversity(crate::models::RecursiveLDiversity { attribute: a(), c, l })
            })
            .boxed(),
        (c(), n.clone(), cells(0))
            .prop_map(move |(c, l, allowed)| {
                Model::PdRecursiveLDiversity(crate::models::PdRecursiveLDiversity {
                    attribute: a(),
                    c,
                    l,
                    allowed,
                })
            })
            .boxed(),
        npd.prop_map(move |(c, c2, l, allowed, protected)| {
            Model::NpdRecursiveLDiversity(crate::models::NpdRecursiveLDiversity {
                attribute: a(),
                c,
                c2,
                l,
                allowed,
                protected,
            })
        })
        .boxed(),
        base.prop_map(|base| {
            Model::MultiAttributeLDiversity(crate::models::MultiAttributeLDiversity {
                attributes: vec![],
                base,
            })
        })
        .boxed(),
        (c(), choice(crate::models::LikenessForm::ALL))
            .prop_map(move |(beta, form)| {
                Model::BetaLikeness(crate::models::BetaLikeness { attribute: a(), beta, form })
            })
            .boxed(),
        (decimal(0..1001, 3), choice(Distance::ALL))
            .prop_map(move |(t, distance)| {
                Model::TCloseness(crate::models::TCloseness { attribute: a(), t, distance })
            })
            .boxed(),
        shares
            .prop_map(move |(min, max)| {
                Model::DeltaPresence(crate::models::DeltaPresence {
                    min,
                    max,
                    population: population.clone(),
                })
            })
            .boxed(),
        n.prop_map(move |k| Model::KMap(crate::models::KMap { k, population: other.clone() })).boxed(),
    ])
}

fn search() -> impl Strategy<Value = Search> {
    let memory = option::of((1_u64 << 20..).prop_map(|bytes| Memory::from_bytes(bytes).unwrap()));
    let seconds = prop_oneof![Just(0.0), 0.0..1e9, Just(60.0)];
    let truths = any::<[bool; 2]>();
    let local = option::of(option::of(0_u64..1_000_000));
    (choice(&Metric::ALL), choice(Algorithm::ALL), 0_u32..=1024, memory, seconds, truths, local).prop_map(
        |(metric, algorithm, threads, memory, seconds, [force, practical_monotonicity], local)| Search {
            metric,
            algorithm,
            force,
            threads,
            memory,
            seconds,
            practical_monotonicity,
            recoding: match (local.is_some(), threads % 2) {
                (false, _) => Recoding::Global,
                (true, 0) => Recoding::Local,
                (true, _) => Recoding::Cells,
            },
            moves: local.flatten(),
            gs_factor: (metric == Metric::Loss && threads.is_multiple_of(3))
                .then(|| DecimalText::new("0.25").unwrap()),
        },
    )
}

fn about() -> impl Strategy<Value = About> {
    vec(option::of(nonempty()), 7).prop_map(|mut texts| About {
        title: texts.pop().flatten(),
        purpose: texts.pop().flatten(),
        recipient: texts.pop().flatten(),
        legal_basis: texts.pop().flatten(),
        author: texts.pop().flatten(),
        date: texts.pop().flatten(),
        agreement: texts.pop().flatten(),
    })
}

fn output() -> impl Strategy<Value = Output> {
    let order = prop_oneof![
        choice(RowOrder::ALL).prop_map(|order| (order, None)),
        any::<u64>().prop_map(|seed| (RowOrder::Shuffled, Some(seed))),
    ];
    let register = prop_oneof![
        Just(RegisterFile::Beside),
        Just(RegisterFile::None),
        nonempty().prop_map(|path| RegisterFile::At(path.into())),
    ];
    let encodings = select(vec![encoding_rs::UTF_8, encoding_rs::WINDOWS_1252]);
    let text = (any::<bool>(), option::of(encodings), option::of(select(vec![',', '.'])));
    let shape = (any::<bool>(), register, choice(Lang::ALL), choice(SuppressedRows::ALL), text);
    (nonempty(), choice(OutputFormat::ALL), order, shape, option::of(ascii_char())).prop_map(
        |(path, format, (order, seed), shape, delimiter)| {
            let (spreadsheet_safe, register, lang, suppressed, (bom, encoding, decimal)) = shape;
            Output {
                table: None,
                path: path.into(),
                format,
                order,
                seed,
                spreadsheet_safe,
                delimiter,
                encoding,
                bom,
                decimal,
                register,
                lang,
                suppressed,
            }
        },
    )
}
