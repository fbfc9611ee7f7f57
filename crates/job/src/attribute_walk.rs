//! Reads `[[attributes]]`, and knows what was declared there.

use super::attribute::{Attribute, ColumnRecoding, MissingCells, Release, Role, UnknownValues};
use super::data_type::DataType;
use super::hierarchies::hierarchy;
use super::keys::{CELLS, Key, Takes, key, needed, words};
use super::noise_walk;
use super::spelling::spelling;
use super::suggest::{closest, shortened};
use super::treatment::{Aggregate, Treatments};
use super::treatment_walk::PSEUDONYM;
use super::walk::{Item, Section, Walk};

/// The keys.
pub(crate) const KEYS: &[Key] = &[
    needed("name", Takes::Text, "Name of the column"),
    needed("role", Takes::Choice(words::<Role>), "What the column can give away"),
    key("type", Takes::Choice(words::<DataType>), "What its cells are; told by the data"),
    key("format", Takes::Text, "How its dates or times are written, as in dd.MM.yyyy HH:mm"),
    key("decimal", Takes::Text, "The decimal sign of its numbers, a comma or a point"),
    key("grouping", Takes::Text, "What stands between groups of three digits"),
    key("hierarchy", Takes::Hierarchy, "How its values are generalized, or how far apart they are"),
    key("min_level", Takes::Whole(0, u8::MAX as u64), "Lowest level that the search may choose"),
    key("max_level", Takes::Whole(0, u8::MAX as u64), "Highest level that the search may choose"),
    key("recoding", Takes::Choice(words::<ColumnRecoding>), "With local recoding: one level for all rows"),
    key(
        "most_levels",
        Takes::Whole(1, u8::MAX as u64),
        "With local recoding: from how many levels labels may come",
    ),
    key("weight", Takes::Size, "How much a loss in this column counts"),
    key("order", CELLS, "Its values in order"),
    key("release", Takes::Choice(words::<Release>), "The owner's word that it may leave as it is"),
    key("missing", Takes::Choice(words::<MissingCells>), "What an empty cell is to diversity"),
    key(
        "unknown",
        Takes::Choice(words::<UnknownValues>),
        "What becomes of values that its hierarchy does not know",
    ),
    key("noise", Takes::Table(noise_walk::KEYS), "How its cells are drawn for by paravent noise"),
    key("round", Takes::Decimal, "Numbers are rounded to a multiple"),
    key("bottom", Takes::Decimal, "Smaller numbers become this one"),
    key("top", Takes::Decimal, "Larger numbers become this one"),
    key(
        "aggregate",
        Takes::Choice(words::<Aggregate>),
        "What a class shows of its numbers instead of a label",
    ),
    key("pseudonym", Takes::Table(PSEUDONYM), "Identifying columns: a keyed pseudonym leaves instead"),
];

/// The names that other sections can refer to.
pub(super) struct Declarations {
    names: Vec<Declared>,
    /// Every attribute has a legible name. If not, a name that is not found may be one of the others.
    certain: bool,
}

struct Declared {
    name: String,
    line: usize,
    /// `None`: written, but not legible.
    role: Option<Role>,
    hierarchy: bool,
}

/// Reads all attributes.
pub(super) fn attributes(walk: &mut Walk, item: &Item<'_>) -> (Declarations, Option<Vec<Attribute>>) {
    if item.value.get_ref().is_table() {
        let advice = "Write [[attributes]] with two brackets, once for each column";
        walk.report(item.line, &item.key, "must be a list, not a table", advice);
        return (Declarations::unknown(), None);
    }
    let mut declarations = Declarations { names: Vec::new(), certain: true };
    let attributes = item.list(walk, 1, |walk, entry| match entry.section(walk) {
        Some(section) => attribute(walk, &section, &mut declarations),
        None => {
            declarations.certain = false;
            None
        }
    });
    let roles = || declarations.names.iter().map(|declared| declared.role);
    let uncertain = !declarations.certain || roles().any(|role| role.is_none()) || !walk.complete();
    if attributes.is_some() && !uncertain && !roles().any(|role| role == Some(Role::QuasiIdentifier)) {
        let advice = "Write role = \"quasi-identifier\" for the columns that others may know about a person";
        walk.report(item.line, &item.key, "no attribute is a quasi-identifier", advice);
    }
    (declarations, attributes)
}

fn attribute(walk: &mut Walk, section: &Section<'_>, declarations: &mut Declarations) -> Option<Attribute> {
    section.allow_keys(walk, KEYS);
    let name_item = section.require(walk, "name", "\"age\"");
    let name = name_item.as_ref().and_then(|item| item.name(walk));
    let role_item = section.require(walk, "role", "\"quasi-identifier\"");
    let role = role_item.and_then(|item| item.choice(walk, "a role"));
    let type_item = section.get(walk, "type", "\"integer\"");
    let data_type = type_item.and_then(|item| item.choice(walk, "a type"));
    let spelling = spelling(walk, section, data_type);
    let hierarchy_item = section.get(walk, "hierarchy", "{ file = \"age.csv\" }");
    let spec = hierarchy_item.as_ref().map(|item| hierarchy(walk, item));
    if let (Some(item), Some(Some(spec)), Some(data_type)) = (&hierarchy_item, &spec, data_type) {
        spec.check_type(walk, item, data_type);
    }
    let min_level = section.get(walk, "min_level", "0").and_then(|item| item.u8(walk, 0));
    let max_item = section.get(walk, "max_level", "3");
    let max_level = max_item.as_ref().and_then(|item| item.u8(walk, 0));
    if let (Some(min), Some(max), Some(item)) = (min_level, max_level, max_item)
        && min > max
    {
        let advice = format!("Write e.g. max_level = {min}");
        walk.report(item.line, &item.key, format!("must not be below min_level, which is {min}"), &advice);
    }
    let most_levels = most_levels(walk, section, role);
    let weight = section.get(walk, "weight", "1.0").and_then(|item| item.size(walk, 1e9));
    let order = section.get(walk, "order", "[\"low\", \"mid\", \"high\"]").map(|item| item.cells(walk, 1));
    let release = section.get(walk, "release", "\"as it is\"");
    let release = release.and_then(|item| item.choice(walk, "a way to release a column"));
    let missing_item = section.get(walk, "missing", "\"value\"");
    let missing = missing_item.as_ref().and_then(|item| item.choice(walk, "what an empty cell is"));
    if let (Some(item), Some(role)) = (&missing_item, role)
        && role != Role::Sensitive
    {
        let advice = "Leave it out; it says what an empty cell is to \u{2113}-diversity";
        walk.report(item.line, &item.key, "is for sensitive columns", advice);
    }
    let unknown = section.get(walk, "unknown", "\"top\"");
    let unknown = unknown.and_then(|item| item.choice(walk, "a way to treat unknown values"));
    let noise = section.get(walk, "noise", "{ probability = \"0.2\", values = [\"f\", \"m\"] }");
    let noise = noise.map(|item| noise_walk::noise(walk, &item));
    let treatments = Treatments::read(walk, section, role, data_type);

    match (name_item, name) {
        (Some(item), Some(name)) => declarations.declare(walk, &item, name, role, spec.is_some()),
        _ => declarations.certain = false,
    }
    Some(Attribute {
        name: name?.to_owned(),
        role: role?,
        data_type,
        spelling,
        // Inside: written, but wrong.
        hierarchy: match spec {
            Some(spec) => Some(spec?),
            None => None,
        },
        min_level,
        max_level,
        most_levels,
        weight: weight.unwrap_or(1.0),
        order: match order {
            Some(order) => Some(order?),
            None => None,
        },
        release,
        missing,
        unknown: unknown.unwrap_or_default(),
        noise: match noise {
            Some(noise) => Some(noise?),
            None => None,
        },
        treatments,
    })
}

/// `recoding = "uniform"`, which is one level for all rows, or `most_levels`.
fn most_levels(walk: &mut Walk, section: &Section<'_>, role: Option<Role>) -> Option<u8> {
    let recoding_item = section.get(walk, "recoding", "\"uniform\"");
    let recoding: Option<ColumnRecoding> =
        recoding_item.as_ref().and_then(|item| item.choice(walk, "a recoding of a column"));
    let levels_item = section.get(walk, "most_levels", "2");
    let levels = levels_item.as_ref().and_then(|item| item.u8(walk, 1));
    let said = [&recoding_item, &levels_item];
    for item in said.into_iter().flatten().filter(|_| role.is_some_and(|role| role != Role::QuasiIdentifier))
    {
        walk.report(item.line, &item.key, "is for quasi-identifiers", "Leave it out");
    }
    if let (Some(item), Some(ColumnRecoding::Uniform), Some(2..)) = (&levels_item, recoding, levels) {
        walk.report(item.line, &item.key, "recoding = \"uniform\" means one level", "Keep one of the two");
    }
    match recoding {
        Some(ColumnRecoding::Uniform) => Some(1),
        None => levels,
    }
}

impl Declarations {
    /// Nothing is known, so nothing that refers to a name is wrong.
    pub(super) fn unknown() -> Self {
        Self { names: Vec::new(), certain: false }
    }

    fn declare(&mut self, walk: &mut Walk, item: &Item<'_>, name: &str, role: Option<Role>, hierarchy: bool) {
        if let Some(first) = self.find(name) {
            let message = format!("{} is declared twice, first on line {}", shortened(name), first.line);
            walk.report(item.line, &item.key, message, "Keep one [[attributes]] block for each column");
        }
        self.names.push(Declared { name: name.to_owned(), line: item.line, role, hierarchy });
    }

    fn find(&self, name: &str) -> Option<&Declared> {
        self.names.iter().find(|declared| declared.name == name)
    }

    /// The name of a sensitive attribute.
    pub(super) fn sensitive(&self, walk: &mut Walk, item: &Item<'_>) -> Option<String> {
        let name = item.name(walk)?;
        match self.find(name) {
            Some(Declared { role: Some(role), line, .. }) if *role != Role::Sensitive => {
                let message = format!("{} has the role {role}, not sensitive", shortened(name));
                let advice =
                    format!("Name a sensitive attribute, or write role = \"sensitive\" below line {line}");
                walk.report(item.line, &item.key, message, &advice);
            }
            Some(_) => {}
            None if !self.certain || !walk.complete() => {}
            None => {
                let sensitive = self.names.iter().filter(|declared| declared.role == Some(Role::Sensitive));
                let sensitive: Vec<&str> = sensitive.map(|declared| declared.name.as_str()).collect();
                let advice = match closest(name, sensitive.iter().copied()) {
                    Some(meant) => format!("Did you mean {}?", shortened(meant)),
                    None if sensitive.is_empty() => {
                        format!("Add [[attributes]] with name = {} and role = \"sensitive\"", shortened(name))
                    }
                    None => {
                        let shown: Vec<String> =
                            sensitive.iter().take(8).map(|name| shortened(name)).collect();
                        let more = if shown.len() < sensitive.len() { ", …" } else { "" };
                        format!("Sensitive attributes: {}{more}", shown.join(", "))
                    }
                };
                let message = format!("{} is not declared as an attribute", shortened(name));
                walk.report(item.line, &item.key, message, &advice);
            }
        }
        Some(name.to_owned())
    }

    /// The name of an attribute of any role.
    pub(super) fn known(&self, walk: &mut Walk, item: &Item<'_>) -> Option<String> {
        let name = item.name(walk)?;
        if self.find(name).is_none() && self.certain && walk.complete() {
            let names = self.names.iter().map(|declared| declared.name.as_str());
            let advice = match closest(name, names) {
                Some(meant) => format!("Did you mean {}?", shortened(meant)),
                None => format!("Add [[attributes]] with name = {} and its role", shortened(name)),
            };
            let message = format!("{} is not declared as an attribute", shortened(name));
            walk.report(item.line, &item.key, message, &advice);
        }
        Some(name.to_owned())
    }

    /// Whether the attribute, if it is known, lacks a hierarchy.
    pub(super) fn lacks_hierarchy(&self, name: &str) -> bool {
        self.find(name).is_some_and(|declared| !declared.hierarchy)
    }

    /// The role of an attribute, if it is known.
    pub(super) fn role(&self, name: &str) -> Option<Role> {
        self.find(name)?.role
    }
}
