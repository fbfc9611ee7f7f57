//! Writes a job as a file that people can read and go on with.

use super::about::About;
use super::attribute::{Attribute, UnknownValues};
use super::input::{Blanks, Input, InputSource};
use super::output::{Lang, Output, RegisterFile, RowOrder, SuppressedRows};
use super::privacy::{PersonRows, Privacy};
use super::render_noise::noise;
use super::render_spec::model;
use super::render_toml::{ascii_char, cells, path};
use super::search::{Algorithm, Recoding, Search};
use super::suggest::quoted;
use super::treatment::{SampleSource, Treatments};
use super::{DataType, Job, Role, Version};
use paravent_core::quality::Metric;
use paravent_core::values::Spelling;

/// The text of a job file.
pub(super) fn job(job: &Job) -> String {
    let mut page = Page::default();
    let version = match job.version {
        Version::V1 => 1,
    };
    page.line("#:schema paravent-job.schema.json");
    page.line(
        "# An editor that reads the line above checks this file: paravent schema > paravent-job.schema.json",
    );
    page.key("version", version, "");
    about(&mut page, &job.about);
    input(&mut page, &job.input);
    for (i, attribute) in job.attributes.iter().enumerate() {
        self::attribute(&mut page, attribute, i == 0);
    }
    privacy(&mut page, &job.privacy);
    search(&mut page, &job.search);
    output(&mut page, &job.output);
    page.text
}

/// What parties promise together: privacy, and what decides which release is best.
pub(super) fn terms(privacy: &Privacy, search: &Search) -> String {
    let mut page = Page::default();
    self::privacy(&mut page, privacy);
    page.header("[search]");
    page.key("metric", quoted(search.metric.name()), "");
    page.key("algorithm", quoted(search.algorithm.name()), "");
    // Left out, they would be forgotten rather than kept or refused.
    if search.force {
        page.key("force", true, "");
    }
    if search.seconds > 0.0 {
        page.key("seconds", search.seconds, "");
    }
    if search.practical_monotonicity {
        page.key("practical_monotonicity", true, "");
    }
    recoding(&mut page, search);
    page.text
}

impl Attribute {
    /// The `[[attributes]]` block of a job file that says this.
    pub fn to_toml(&self) -> String {
        let mut page = Page::default();
        attribute(&mut page, self, false);
        page.text.trim_start().to_owned()
    }
}

fn about(page: &mut Page, about: &About) {
    if !about.is_empty() {
        page.header("[about]");
        about.entries().for_each(|(key, text)| page.key(key, quoted(text), ""));
    }
}

fn input(page: &mut Page, input: &Input) {
    page.header("[input]");
    match &input.source {
        InputSource::File(file) => page.key("path", path(file), ""),
        InputSource::Stdin => page.key("path", quoted("-"), "standard input"),
        InputSource::Engine { url, table } => {
            page.key("url", quoted(&url.0), "");
            page.key("table", quoted(table), "");
        }
    }
    if let Some(format) = input.format {
        page.key("format", quoted(format.name()), "");
    }
    if let Some(delimiter) = input.delimiter {
        page.key("delimiter", ascii_char(delimiter), "");
    }
    if let Some(quote) = input.quote {
        page.key("quote", ascii_char(quote), "");
    }
    if let Some(encoding) = input.encoding {
        page.key("encoding", quoted(encoding.name()), "");
    }
    if input.null.len() != 1 || input.null.iter().any(|text| !text.is_empty()) {
        page.key("null", cells(&input.null), "cells that mean: no value");
    }
    if let Some(sample) = &input.sample {
        let source = match &sample.source {
            SampleSource::Key(file) => format!("key = {}", path(file)),
            SampleSource::Seed(seed) => format!("seed = {seed}"),
        };
        let drawn = format!("{{ share = {}, {source} }}", sample.share.as_str());
        page.key("sample", drawn, "a random sample, drawn first");
    }
    if let Some(sheet) = &input.sheet {
        page.key("sheet", quoted(sheet), "");
    }
    if input.skip > 0 {
        page.key("skip", input.skip, "lines above the names of the columns");
    }
    if input.footer > 0 {
        page.key("footer", input.footer, "rows below the table");
    }
    if input.blanks != Blanks::default() {
        page.key("blanks", quoted(input.blanks.name()), "around cells they mean nothing");
    }
}

/// The choices are listed once, at the first attribute.
fn attribute(page: &mut Page, attribute: &Attribute, explain: bool) {
    let choices = |names: String| if explain { names } else { String::new() };
    page.header("[[attributes]]");
    page.key("name", quoted(&attribute.name), "");
    page.key(
        "role",
        quoted(attribute.role.name()),
        &choices(listed(Role::ALL.iter().map(|role| role.name()))),
    );
    if let Some(data_type) = attribute.data_type {
        let types = listed(DataType::ALL.iter().map(|data_type| data_type.name()));
        page.key("type", quoted(data_type.name()), &choices(types));
    }
    spelling(page, attribute);
    if let Some(spec) = &attribute.hierarchy {
        page.key("hierarchy", spec.text(), "");
    }
    if let Some(order) = &attribute.order {
        page.key("order", cells(order), "");
    }
    if let Some(level) = attribute.min_level {
        page.key("min_level", level, "");
    }
    if let Some(level) = attribute.max_level {
        page.key("max_level", level, "");
    }
    match attribute.most_levels {
        None => {}
        Some(1) => page.key("recoding", quoted("uniform"), "one level for all rows"),
        Some(levels) => page.key("most_levels", levels, ""),
    }
    if let Some(missing) = attribute.missing {
        page.key("missing", quoted(missing.name()), "what an empty cell is to diversity");
    }
    if attribute.unknown != UnknownValues::default() {
        page.key("unknown", quoted(attribute.unknown.name()), "values that the hierarchy does not know");
    }
    if attribute.weight != 1.0 {
        page.key("weight", format!("{:?}", attribute.weight), "");
    }
    if let Some(release) = attribute.release {
        page.key("release", quoted(release.name()), "the owner's word");
    }
    if let Some(spec) = &attribute.noise {
        page.key("noise", noise(spec), "");
    }
    treatments(page, &attribute.treatments);
}

fn treatments(page: &mut Page, treatments: &Treatments) {
    let numbers = [("round", &treatments.round), ("bottom", &treatments.bottom), ("top", &treatments.top)];
    for (key, number) in numbers {
        if let Some(number) = number {
            page.key(key, number.as_str(), "");
        }
    }
    if let Some(aggregate) = treatments.aggregate {
        page.key("aggregate", quoted(aggregate.name()), "what a class shows instead of a label");
    }
    if let Some(pseudonym) = &treatments.pseudonym {
        page.key(
            "pseudonym",
            format!("{{ key = {} }}", path(&pseudonym.key)),
            "released instead of the cells",
        );
    }
}

fn spelling(page: &mut Page, attribute: &Attribute) {
    match &attribute.spelling {
        None => {}
        Some(Spelling::Moment(pattern)) => page.key("format", quoted(pattern.as_str()), ""),
        Some(Spelling::Truth(truth)) => {
            page.key("format", quoted(&format!("{}/{}", truth.yes(), truth.no())), "");
        }
        Some(Spelling::Number(number)) => {
            page.key("decimal", quoted(&number.decimal().to_string()), "");
            if let Some(sign) = number.grouping() {
                page.key("grouping", quoted(&sign.to_string()), "");
            }
        }
    }
}

fn privacy(page: &mut Page, privacy: &Privacy) {
    page.header("[privacy]");
    match privacy.person.as_slice() {
        [] => {}
        [column] => page.key("person", quoted(column), "whose row it is"),
        columns => page.key("person", cells(columns), "whose row it is"),
    }
    if privacy.person_rows != PersonRows::default() {
        page.key("person_rows", quoted(privacy.person_rows.name()), "what becomes of a person's other rows");
    }
    if let Some(most) = privacy.most_known {
        page.key("most_known", most, "quasi-identifiers of a person that anybody knows");
    }
    if let Some(limit) = &privacy.budget {
        let budget = format!(
            "{{ epsilon = {}, delta = {} }}",
            quoted(limit.epsilon.as_str()),
            quoted(limit.delta.as_str())
        );
        page.key("budget", budget, "what all noisy answers may cost");
    }
    page.key("suppression_limit", &privacy.suppression_limit, "share of rows that may be left out");
    page.line("models = [");
    for entry in &privacy.models {
        page.line(&format!("  {},", model(entry)));
    }
    page.line("]");
}

fn recoding(page: &mut Page, search: &Search) {
    match search.recoding {
        Recoding::Global => {}
        Recoding::Local => page.key("recoding", quoted("local"), "a box of labels for every class"),
        Recoding::Cells => page.key("recoding", quoted("cells"), "single cells are suppressed"),
    }
    if let Some(moves) = search.moves {
        page.key("moves", moves, "");
    }
    if let Some(factor) = &search.gs_factor {
        page.key("gs_factor", factor.as_str(), "below 0.5: suppression costs less");
    }
}

fn search(page: &mut Page, search: &Search) {
    page.header("[search]");
    page.line(&format!(
        "# metric:    {}",
        Metric::ALL.iter().map(|m| m.name()).collect::<Vec<_>>().join(" ")
    ));
    page.line(&format!(
        "# algorithm: {}",
        Algorithm::ALL.iter().map(|a| a.name()).collect::<Vec<_>>().join(" ")
    ));
    page.key("metric", quoted(search.metric.name()), "what counts as loss");
    page.key("algorithm", quoted(search.algorithm.name()), "");
    if search.force {
        page.key("force", true, "even where the algorithm may miss the best solution");
    }
    page.key("threads", search.threads, "0: all cores");
    if let Some(memory) = search.memory {
        page.key("memory", quoted(&memory.to_string()), "");
    }
    page.key("seconds", search.seconds, "above 0: the best solution found in that time");
    if search.practical_monotonicity {
        page.key("practical_monotonicity", true, "faster, but the best solution may be missed");
    }
    recoding(page, search);
}

fn output(page: &mut Page, output: &Output) {
    page.header("[output]");
    page.key("path", path(&output.path), "a directory");
    if let Some(table) = &output.table {
        if let Some(url) = &table.url {
            page.key("url", quoted(&url.0), "");
        }
        page.key("table", quoted(&table.table), "made in the database of the input");
    }
    page.key("format", quoted(output.format.name()), "csv | parquet | arrow | xlsx");
    let orders = listed(RowOrder::ALL.iter().map(|order| order.name()));
    page.key("order", quoted(output.order.name()), &orders);
    if let Some(seed) = output.seed {
        page.key("seed", seed, "");
    }
    if output.spreadsheet_safe {
        page.key("spreadsheet_safe", true, "cells cannot be taken for formulas");
    }
    if let Some(delimiter) = output.delimiter {
        page.key("delimiter", ascii_char(delimiter), "");
    }
    if let Some(encoding) = output.encoding {
        page.key("encoding", quoted(&encoding.name().to_ascii_lowercase()), "");
    }
    if output.bom {
        page.key("bom", true, "tells spreadsheets that the file is UTF-8");
    }
    if let Some(sign) = output.decimal {
        page.key("decimal", quoted(&sign.to_string()), "");
    }
    match &output.register {
        RegisterFile::Beside => {}
        RegisterFile::At(path) => {
            page.key("register", quoted(&path.to_string_lossy()), "the register of releases")
        }
        RegisterFile::None => page.key("register", false, "leaves no line in the register of releases"),
    }
    if output.lang != Lang::default() {
        page.key("lang", quoted(output.lang.name()), "language of the reports");
    }
    if output.suppressed != SuppressedRows::default() {
        page.key("suppressed", quoted(output.suppressed.name()), "suppressed rows are shown as *");
    }
}

fn listed(names: impl Iterator<Item = &'static str>) -> String {
    names.collect::<Vec<_>>().join(" | ")
}

/// Lines as they are written, comments below each other.
#[derive(Default)]
struct Page {
    text: String,
}

impl Page {
    const COMMENT_COLUMN: usize = 34;

    fn header(&mut self, header: &str) {
        self.line("");
        self.line(header);
    }

    fn key(&mut self, key: &str, value: impl ToString, comment: &str) {
        let line = format!("{key} = {}", value.to_string());
        if comment.is_empty() {
            self.line(&line);
        } else {
            let width = Self::COMMENT_COLUMN;
            self.line(&format!("{line:<width$} # {comment}"));
        }
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }
}
