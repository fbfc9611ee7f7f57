//! Reads the treatments of an attribute, and the sample of the input.

use super::attribute::Role;
use super::data_type::DataType;
use super::decimal::DecimalText;
use super::keys::{Key, Takes, key, needed};
use super::treatment::{Pseudonym, Sample, SampleSource, Treatments};
use super::walk::{Item, Section, Walk};

/// The keys of `pseudonym = { … }`.
pub(crate) const PSEUDONYM: &[Key] = &[needed("key", Takes::Text, "The file with the secret")];

/// The keys of `sample = { … }`.
pub(crate) const SAMPLE: &[Key] = &[
    needed("share", Takes::Decimal, "With which probability a row stays, or a person"),
    key("key", Takes::Text, "The file with the secret that the draws depend on"),
    key("seed", Takes::Whole(0, u64::MAX), "Instead of a secret: a number that everybody may know"),
];

impl Treatments {
    pub(super) fn read(
        walk: &mut Walk,
        section: &Section<'_>,
        role: Option<Role>,
        data_type: Option<DataType>,
    ) -> Treatments {
        let round_item = section.get(walk, "round", "10");
        let round = round_item
            .as_ref()
            .and_then(|item| item.decimal_in(walk, "above 0", |number| number.scaled() > 0));
        let bottom_item = section.get(walk, "bottom", "18");
        let bottom = bottom_item.as_ref().and_then(|item| item.decimal(walk));
        let top_item = section.get(walk, "top", "90");
        let top = top_item.as_ref().and_then(|item| item.decimal(walk));
        let aggregate_item = section.get(walk, "aggregate", "\"mean\"");
        let aggregate = aggregate_item.as_ref().and_then(|item| item.choice(walk, "an aggregate"));
        for item in [&round_item, &bottom_item, &top_item, &aggregate_item].into_iter().flatten() {
            needs_numbers(walk, item, role, data_type);
        }
        for (item, number) in [(&round_item, &round), (&bottom_item, &bottom), (&top_item, &top)] {
            if let (Some(item), Some(number), Some(DataType::Integer)) = (item, number, data_type)
                && number.as_str().contains('.')
            {
                walk.report(item.line, &item.key, "the column has whole numbers", "Write a whole number");
            }
        }
        if let (Some(item), Some(bottom), Some(top)) = (&top_item, &bottom, &top)
            && bottom >= top
        {
            walk.report(item.line, &item.key, "must be above bottom", "Exchange the two");
        }
        for (item, bound) in [(&bottom_item, &bottom), (&top_item, &top)] {
            if let (Some(item), Some(bound), Some(round)) = (item, bound, &round)
                && bound.scaled() % round.scaled() != 0
            {
                let advice = format!("Write a multiple of {}", round.as_str());
                walk.report(item.line, &item.key, "is no multiple of round, as all cells will be", &advice);
            }
        }
        if let (Some(item), Some(role)) = (&aggregate_item, role)
            && role != Role::QuasiIdentifier
        {
            walk.report(item.line, &item.key, "is for quasi-identifiers", "Leave it out");
        }
        let pseudonym_item = section.get(walk, "pseudonym", "{ key = \"pseudonyms.key\" }");
        let pseudonym = pseudonym_item.as_ref().and_then(|item| Pseudonym::read(walk, item));
        if let (Some(item), Some(role)) = (&pseudonym_item, role)
            && role != Role::Identifying
        {
            let advice = "Write role = \"identifying\", or leave it out";
            walk.report(item.line, &item.key, "is for identifying columns", advice);
        }
        Treatments { round, bottom, top, aggregate, pseudonym }
    }
}

fn needs_numbers(walk: &mut Walk, item: &Item<'_>, role: Option<Role>, data_type: Option<DataType>) {
    if role == Some(Role::Identifying) {
        walk.report(item.line, &item.key, "the column is left out", "Leave it out");
    } else if !matches!(data_type, Some(DataType::Integer | DataType::Decimal)) {
        let advice = "Write type = \"integer\" or type = \"decimal\"";
        walk.report(item.line, &item.key, "is for numbers", advice);
    }
}

impl Pseudonym {
    fn read(walk: &mut Walk, item: &Item<'_>) -> Option<Pseudonym> {
        let section = item.section(walk)?;
        section.allow_keys(walk, PSEUDONYM);
        let key = section.require(walk, "key", "\"pseudonyms.key\"")?.path(walk)?;
        Some(Pseudonym { key })
    }
}

impl Sample {
    /// `sample = { share = 0.1, key = "sample.key" }` or `{ share = 0.1, seed = 7 }`.
    pub(super) fn read(walk: &mut Walk, item: &Item<'_>) -> Option<Sample> {
        let section = item.section(walk)?;
        section.allow_keys(walk, SAMPLE);
        section.exclusive(walk, "key", "seed");
        let share = section.require(walk, "share", "0.1");
        let one = DecimalText::from(1).scaled();
        let share = share.and_then(|item| {
            item.decimal_in(walk, "above 0 and below 1", |share| (1..one).contains(&share.scaled()))
        });
        let seed = section.get(walk, "seed", "7");
        let source = match seed {
            Some(item) => item.whole(walk, 0..=u64::MAX).map(SampleSource::Seed),
            None => section
                .require(walk, "key", "\"sample.key\"")
                .and_then(|item| item.path(walk))
                .map(SampleSource::Key),
        };
        Some(Sample { share: share?, source: source? })
    }
}
