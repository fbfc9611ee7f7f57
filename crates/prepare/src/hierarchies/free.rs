//! Builders of free break points, codes and ages, from what the job says.

use paravent_core::hierarchy::{
    Age, Align, BreakLevel, Breaks, BreaksError, CodeLevel, CodeRange, Codes, CodesError, Grid, structure,
};
use paravent_core::values::ValueType;

use super::build::Builder;
use super::builders;
use paravent_job::{self as job, Problems};

impl Builder<'_> {
    pub(super) fn breaks(&self, spec: &job::Breaks, key: &str, ty: ValueType) -> Result<Breaks, Problems> {
        let grid = if ty == ValueType::Integer { Grid::Integer } else { Grid::Decimal };
        let level = |level: &job::BreakLevel| {
            let points = level.at.iter().map(builders::decimal).collect::<Option<Vec<_>>>()?;
            Some(BreakLevel { points, labels: level.labels.clone() })
        };
        let Some(levels) = spec.levels.iter().map(level).collect::<Option<Vec<_>>>() else {
            let message = "has a point that cannot be written exactly";
            return Err(self.source.problem(&format!("{key}.breaks"), message).into());
        };
        Breaks::new(levels, grid).map_err(|error| {
            let place = match error {
                BreaksError::NoPoints { level }
                | BreaksError::NotAscending { level }
                | BreaksError::NotNested { level, .. }
                | BreaksError::Labels { level, .. }
                | BreaksError::NotMonotone { level } => format!("{key}.breaks[{}]", level - 1),
                _ => format!("{key}.breaks"),
            };
            let advice = match error {
                BreaksError::NotWhole => "Write whole numbers, or give the attribute type = \"decimal\"",
                _ => "Write e.g. breaks = [[18, 30, 65], [18]]: every level has some of the points below it",
            };
            self.source.problem(&place, error.to_string()).advise(advice).into()
        })
    }

    pub(super) fn codes(&self, spec: &job::CodesSpec, key: &str) -> Result<Codes, Problems> {
        let key = format!("{key}.codes");
        let own = match spec {
            job::CodesSpec::Named(name) => {
                let unknown = || self.source.problem(&key, "is not a known structure").into();
                return structure(name).ok_or_else(unknown);
            }
            job::CodesSpec::Own(own) => own,
        };
        let kept = own.keep.iter().copied().map(CodeLevel::Keep);
        let ranges = own
            .ranges
            .iter()
            .map(|level| CodeLevel::Ranges(level.iter().filter_map(|text| CodeRange::parse(text)).collect()));
        let align = match own.align {
            job::Side::Left => Align::Left,
            job::Side::Right => Align::Right,
        };
        Codes::new(kept.chain(ranges).collect(), own.length, align).map_err(|error| {
            let advice = match error {
                CodesError::NoLength => "Write e.g. length = 5",
                _ => "Write e.g. codes = { keep = [4, 3], ranges = [[\"A00-A09\", \"A15-A19\"], [\"A00-B99\"]] }",
            };
            self.source.problem(&key, error.to_string()).advise(advice).into()
        })
    }

    pub(super) fn age(&self, spec: &job::Age, key: &str) -> Result<Age, Problems> {
        let wrong = || self.source.problem(&format!("{key}.age.on"), "must be a day").into();
        Age::on(&spec.on).ok_or_else(wrong)
    }
}
