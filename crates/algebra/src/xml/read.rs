//! Documents → plans.

use super::condition::Conditions;
use super::document::Element;
use super::{XmlError, demands, names, noise, types};
use crate::operator::{
    Buckets, Draw, Generalization, Generalize, Overlap, Promise, Randomize, Slice, Slicing,
};
use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::common::{Column, DataFusionError, JoinType, NullEquality, TableReference};
use datafusion::functions_aggregate::expr_fn::{avg, count, max, min, sum};
use datafusion::logical_expr::utils::split_conjunction_owned;
use datafusion::logical_expr::{
    Aggregate, BinaryExpr, Distinct, Expr, Filter, Join, JoinConstraint, LogicalPlan, LogicalPlanBuilder,
    Operator, Projection, SubqueryAlias, Union, lit, table_scan, utils::conjunction,
};
use paravent_job::{Metric, closest};
use std::sync::Arc;

/// Elements that are relations.
const RELATIONS: [&str; 13] = [
    "baseRelation",
    "projection",
    "selection",
    "grouping",
    "naturalJoin",
    "join",
    "view",
    "intersect",
    "union",
    "difference",
    "generalization",
    "slicing",
    "differentialPrivacy",
];

/// The plan of a document. Base relations have no data; every random operator gets a draw of its own.
pub fn read(document: &str) -> Result<LogicalPlan, XmlError> {
    let root = Element::parse(document)?;
    ReadPlan { conditions: Conditions::shared() }.relation(&root)
}

struct ReadPlan {
    conditions: &'static Conditions,
}

impl ReadPlan {
    /// Nested as deep as the document, which is bounded.
    fn relation(&self, element: &Element) -> Result<LogicalPlan, XmlError> {
        match element.name.as_str() {
            "baseRelation" => base(element),
            "projection" => self.projection(element),
            "selection" => self.selection(element),
            "grouping" => self.grouping(element),
            "naturalJoin" => self.natural_join(element),
            "join" => self.join(element),
            "view" => self.view(element),
            "union" => self.union(element),
            "intersect" | "difference" => self.set_operation(element),
            "generalization" => self.generalization(element),
            "slicing" => self.slicing(element),
            "differentialPrivacy" => self.noise(element),
            other => {
                let meant = closest(other, RELATIONS)
                    .map_or_else(|| ".".to_owned(), |meant| format!("; did you mean <{meant}>?"));
                let known = RELATIONS.join(", ");
                Err(element.problem(format!("<{other}> is no relation{meant} The relations are {known}")))
            }
        }
    }

    fn one(&self, parts: &Parts<'_>) -> Result<LogicalPlan, XmlError> {
        match parts.relations.as_slice() {
            [one] => self.relation(one),
            others => Err(parts.count("one relation", others.len())),
        }
    }

    fn two(&self, parts: &Parts<'_>) -> Result<(LogicalPlan, LogicalPlan), XmlError> {
        match parts.relations.as_slice() {
            [left, right] => Ok((self.relation(left)?, self.relation(right)?)),
            others => Err(parts.count("two relations", others.len())),
        }
    }

    fn projection(&self, element: &Element) -> Result<LogicalPlan, XmlError> {
        let parts = Parts::of(element, &["isDistinct"], &["attributes"])?;
        let input = self.one(&parts)?;
        let kept = columns(parts.needed("attributes")?, &input)?;
        if kept.is_empty() {
            return Err(element.problem("a projection keeps at least one attribute"));
        }
        let kept = kept.into_iter().map(Expr::Column).collect();
        let plan = LogicalPlan::Projection(planned(element, Projection::try_new(kept, Arc::new(input)))?);
        distinct(element, plan)
    }

    fn selection(&self, element: &Element) -> Result<LogicalPlan, XmlError> {
        let parts = Parts::of(element, &[], &["condition"])?;
        let input = self.one(&parts)?;
        let condition = text(parts.needed("condition")?)?;
        let predicate = self.conditions.parse(&condition.text, input.schema());
        let predicate = predicate.map_err(|problem| condition.problem(problem))?;
        Ok(LogicalPlan::Filter(planned(condition, Filter::try_new(predicate, Arc::new(input)))?))
    }

    fn grouping(&self, element: &Element) -> Result<LogicalPlan, XmlError> {
        let parts = Parts::of(element, &[], &["attributes", "aggregates"])?;
        let input = self.one(&parts)?;
        let groups = match parts.part("attributes") {
            Some(attributes) => columns(attributes, &input)?,
            None => Vec::new(),
        };
        let groups = groups.into_iter().map(Expr::Column).collect();
        let mut aggregates = Vec::new();
        for child in parts.part("aggregates").map(|part| part.children.as_slice()).unwrap_or_default() {
            aggregates.push(aggregate(child, &input)?);
        }
        Ok(LogicalPlan::Aggregate(planned(element, Aggregate::try_new(Arc::new(input), groups, aggregates))?))
    }

    fn natural_join(&self, element: &Element) -> Result<LogicalPlan, XmlError> {
        let (left, right) = self.two(&Parts::of(element, &[], &[])?)?;
        let shared = shared_names(&left, &right);
        if shared.is_empty() {
            return Err(
                element.problem("the two relations share no attribute; write join for every pair of rows")
            );
        }
        let on = shared.into_iter().map(Column::from_name).collect();
        let join = LogicalPlanBuilder::from(left).join_using(right, JoinType::Inner, on);
        planned(element, join.and_then(LogicalPlanBuilder::build))
    }

    fn join(&self, element: &Element) -> Result<LogicalPlan, XmlError> {
        let parts = Parts::of(element, &[], &["condition"])?;
        let (left, right) = self.two(&parts)?;
        let schema = left.schema().join(right.schema());
        let schema = planned(element, schema.and_then(|schema| schema.check_names().map(|()| schema)))?;
        let (mut on, mut others) = (Vec::new(), Vec::new());
        if let Some(condition) = parts.part("condition") {
            let predicate = self.conditions.parse(&text(condition)?.text, &schema);
            let predicate = predicate.map_err(|problem| condition.problem(problem))?;
            for one in split_conjunction_owned(predicate) {
                match equal_columns(&one, &left, &right) {
                    Some(pair) => on.push(pair),
                    None => others.push(one),
                }
            }
        }
        let join = Join::try_new(
            Arc::new(left),
            Arc::new(right),
            on,
            conjunction(others),
            JoinType::Inner,
            JoinConstraint::On,
            NullEquality::NullEqualsNothing,
            false,
        );
        Ok(LogicalPlan::Join(planned(element, join)?))
    }

    fn view(&self, element: &Element) -> Result<LogicalPlan, XmlError> {
        let input = self.one(&Parts::of(element, &["name"], &[])?)?;
        let alias = TableReference::bare(name(element)?);
        let view = SubqueryAlias::try_new(Arc::new(input), alias);
        Ok(LogicalPlan::SubqueryAlias(planned(element, view)?))
    }

    fn union(&self, element: &Element) -> Result<LogicalPlan, XmlError> {
        let parts = Parts::of(element, &["isDistinct"], &[])?;
        if parts.relations.len() < 2 {
            return Err(parts.count("two or more relations", parts.relations.len()));
        }
        let relations = parts.relations.iter().map(|part| self.relation(part).map(Arc::new));
        let union = planned(element, Union::try_new(relations.collect::<Result<_, _>>()?))?;
        distinct(element, LogicalPlan::Union(union))
    }

    fn set_operation(&self, element: &Element) -> Result<LogicalPlan, XmlError> {
        let (left, right) = self.two(&Parts::of(element, &["isDistinct"], &[])?)?;
        let all = !is_distinct(element)?;
        planned(
            element,
            match element.name.as_str() {
                "intersect" => LogicalPlanBuilder::intersect(left, right, all),
                _ => LogicalPlanBuilder::except(left, right, all),
            },
        )
    }

    fn generalization(&self, element: &Element) -> Result<LogicalPlan, XmlError> {
        let parts = Parts::of(element, &["k", "metric"], &["generalizationAttributes"])?;
        let input = self.one(&parts)?;
        let quasi = columns(parts.needed("generalizationAttributes")?, &input)?;
        planned(element, Generalize::plan(input, quasi, promise(element)?))
    }

    fn slicing(&self, element: &Element) -> Result<LogicalPlan, XmlError> {
        let known = [&["bucketCount", "bucketSize", "bucketBy", "leastRows", "overlap"][..], &demands::KNOWN]
            .concat();
        let parts = Parts::of(element, &known, &["columnGroups", "bucketClasses"])?;
        let input = self.one(&parts)?;
        let mut groups = Vec::new();
        for group in &parts.needed("columnGroups")?.children {
            if group.name != "columnGroup" {
                return Err(group.problem(format!("<{}> stands where a columnGroup should", group.name)));
            }
            list(group)?;
            groups.push(columns(group, &input)?);
        }
        let mut ways = Vec::new();
        if let Some(rows) = number(element, "bucketCount")? {
            ways.push(Buckets::Count(rows));
        }
        if let Some(rows) = number(element, "bucketSize")? {
            ways.push(Buckets::Size(rows));
        }
        if let Some(by) = element.get("bucketBy") {
            ways.push(Buckets::By(names::column(&input, by).map_err(|problem| element.problem(problem))?));
        }
        if let Some(classes) = parts.part("bucketClasses") {
            let quasi = columns(classes, &input)?;
            ways.push(Buckets::Classes(Generalization { quasi, promise: promise(classes)? }));
        }
        let buckets = match ways.len() {
            0 => Buckets::Count(1),
            1 => ways.swap_remove(0),
            _ => return Err(element.problem("there are several kinds of buckets; keep one")),
        };
        let overlap = match number(element, "overlap")?.map(u32::try_from) {
            None => Overlap::Forbidden,
            Some(Ok(least)) => Overlap::Allowed { least },
            Some(Err(_)) => return Err(element.problem("overlap is too large")),
        };
        let least_rows = number(element, "leastRows")?.unwrap_or(2);
        let (demands, draw) = (demands::read(element)?, Draw::fresh());
        planned(element, Slice::plan(input, Slicing { groups, buckets, least_rows, overlap, draw, demands }))
    }

    fn noise(&self, element: &Element) -> Result<LogicalPlan, XmlError> {
        let parts = Parts::of(element, &[], &["noiseAttributes"])?;
        let input = self.one(&parts)?;
        let mut noise = Vec::new();
        for child in &parts.needed("noiseAttributes")?.children {
            if child.name != "noiseAttribute" {
                return Err(child.problem(format!("<{}> stands where a noiseAttribute should", child.name)));
            }
            only(child, &["attribute", "noiseProbability"])?;
            let attribute =
                child.get("attribute").ok_or_else(|| child.problem("<noiseAttribute> needs attribute"))?;
            let column = names::column(&input, attribute).map_err(|problem| child.problem(problem))?;
            noise.push((column, noise::read(child)?));
        }
        planned(element, Randomize::plan(input, noise, Draw::fresh()))
    }
}

/// Children of a relation: the relations it works on, and the rest by name.
struct Parts<'a> {
    element: &'a Element,
    relations: Vec<&'a Element>,
    others: Vec<&'a Element>,
}

impl<'a> Parts<'a> {
    fn of(element: &'a Element, attributes: &[&str], parts: &[&str]) -> Result<Parts<'a>, XmlError> {
        only(element, attributes)?;
        if !element.text.is_empty() {
            return Err(element.problem(format!("<{}> has a text where elements should be", element.name)));
        }
        let (mut relations, mut others) = (Vec::new(), Vec::<&Element>::new());
        for child in &element.children {
            if RELATIONS.contains(&child.name.as_str()) {
                relations.push(child);
            } else if !parts.contains(&child.name.as_str()) {
                let meant = closest(&child.name, parts.iter().copied().chain(RELATIONS))
                    .map_or_else(String::new, |meant| format!("; did you mean <{meant}>?"));
                return Err(child.problem(format!("<{}> cannot be in <{}>{meant}", child.name, element.name)));
            } else if others.iter().any(|other| other.name == child.name) {
                return Err(child.problem(format!("<{}> has a second <{}>", element.name, child.name)));
            } else {
                list(child)?;
                others.push(child);
            }
        }
        Ok(Parts { element, relations, others })
    }

    fn part(&self, name: &str) -> Option<&'a Element> {
        self.others.iter().find(|part| part.name == name).copied()
    }

    fn needed(&self, name: &str) -> Result<&'a Element, XmlError> {
        self.part(name).ok_or_else(|| self.element.problem(format!("<{}> needs <{name}>", self.element.name)))
    }

    fn count(&self, needed: &str, found: usize) -> XmlError {
        self.element.problem(format!("<{}> needs {needed}, and has {found}", self.element.name))
    }
}

/// A list has elements, a condition has a text; neither has attributes, but for the k and metric of classes.
fn list(element: &Element) -> Result<(), XmlError> {
    only(element, if element.name == "bucketClasses" { &["k", "metric"] } else { &[] })?;
    match element.name == "condition" || element.text.is_empty() {
        true => Ok(()),
        false => Err(element.problem(format!("<{}> has a text where elements should be", element.name))),
    }
}

fn base(element: &Element) -> Result<LogicalPlan, XmlError> {
    let parts = Parts::of(element, &["name"], &["attributes"])?;
    if !parts.relations.is_empty() {
        return Err(parts.count("no relation", parts.relations.len()));
    }
    let mut fields: Vec<Field> = Vec::new();
    for attribute in &parts.needed("attributes")?.children {
        only(attribute, &["type"])?;
        let known = "text, integer, real, boolean or date";
        let data_type = attribute.get("type").map_or(Some(DataType::Utf8), types::by_name);
        let data_type =
            data_type.ok_or_else(|| attribute.problem(format!("an unknown type; write {known}")))?;
        let name = attribute_name(attribute)?;
        if fields.iter().any(|field| field.name() == name) {
            return Err(attribute.problem(format!("attribute {name:?} is named twice")));
        }
        fields.push(Field::new(name, data_type, true));
    }
    if fields.is_empty() {
        return Err(element.problem("a base relation has at least one attribute"));
    }
    let scan = table_scan(Some(TableReference::bare(name(element)?)), &Schema::new(fields), None);
    planned(element, scan.and_then(LogicalPlanBuilder::build))
}

fn aggregate(element: &Element, input: &LogicalPlan) -> Result<Expr, XmlError> {
    if element.name != "aggregate" {
        return Err(element.problem(format!("<{}> stands where an aggregate should", element.name)));
    }
    only(element, &["function", "attribute", "as"])?;
    let of = match element.get("attribute") {
        Some(attribute) => {
            let column = names::column(input, attribute).map_err(|problem| element.problem(problem))?;
            Some(Expr::Column(column))
        }
        None => None,
    };
    let expr = match (element.get("function"), of) {
        (Some("count"), of) => count(of.unwrap_or_else(|| lit(1i64))),
        (Some("sum"), Some(of)) => sum(of),
        (Some("min"), Some(of)) => min(of),
        (Some("max"), Some(of)) => max(of),
        (Some("avg"), Some(of)) => avg(of),
        _ => {
            return Err(
                element.problem("<aggregate> needs function count, sum, min, max or avg, and its attribute")
            );
        }
    };
    match element.get("as") {
        Some("") => Err(element.problem("as is empty")),
        Some(name) => Ok(expr.alias(name)),
        None => Ok(expr),
    }
}

/// Names that both relations have, in the order of the left one.
pub(super) fn shared_names(left: &LogicalPlan, right: &LogicalPlan) -> Vec<String> {
    let names = left.schema().fields().iter().map(|field| field.name().clone());
    let mut shared: Vec<String> = Vec::new();
    for name in names.filter(|name| right.schema().has_column_with_unqualified_name(name)) {
        if !shared.contains(&name) {
            shared.push(name);
        }
    }
    shared
}

fn equal_columns(expr: &Expr, left: &LogicalPlan, right: &LogicalPlan) -> Option<(Expr, Expr)> {
    let Expr::BinaryExpr(BinaryExpr { left: one, op: Operator::Eq, right: other }) = expr else {
        return None;
    };
    let (Expr::Column(first), Expr::Column(second)) = (&**one, &**other) else { return None };
    let (in_left, in_right) =
        (|c: &Column| left.schema().has_column(c), |c: &Column| right.schema().has_column(c));
    if in_left(first) && in_right(second) {
        Some(((**one).clone(), (**other).clone()))
    } else if in_left(second) && in_right(first) {
        Some(((**other).clone(), (**one).clone()))
    } else {
        None
    }
}

pub(super) fn only(element: &Element, known: &[&str]) -> Result<(), XmlError> {
    match element.attributes.iter().find(|(name, _)| !known.contains(&name.as_str())) {
        Some((name, _)) => Err(element.problem(format!("<{}> has no attribute {name}", element.name))),
        None => Ok(()),
    }
}

fn name(element: &Element) -> Result<&str, XmlError> {
    match element.get("name").filter(|name| !name.trim().is_empty()) {
        Some(name) => Ok(name),
        None => Err(element.problem(format!("<{}> needs a name", element.name))),
    }
}

fn attribute_name(element: &Element) -> Result<&str, XmlError> {
    if element.name != "attribute" {
        return Err(element.problem(format!("<{}> stands where an attribute should", element.name)));
    }
    let name = text(element)?.text.as_str();
    if name.is_empty() || name.chars().any(char::is_control) {
        return Err(element.problem("an attribute has a name on one line"));
    }
    Ok(name)
}

fn columns(element: &Element, input: &LogicalPlan) -> Result<Vec<Column>, XmlError> {
    let column = |attribute: &Element| {
        only(attribute, &[])?;
        let name = attribute_name(attribute)?;
        names::column(input, name).map_err(|problem| attribute.problem(problem))
    };
    element.children.iter().map(column).collect()
}

fn text(element: &Element) -> Result<&Element, XmlError> {
    match element.children.is_empty() {
        true => Ok(element),
        false => Err(element.problem(format!("<{}> has elements where a text should be", element.name))),
    }
}

/// The k and, where it is not the height, the metric.
fn promise(element: &Element) -> Result<Promise, XmlError> {
    let metric = match element.get("metric") {
        None => Metric::Height,
        Some(name) => {
            let names: Vec<&str> = Metric::ALL.iter().map(|metric| metric.name()).collect();
            Metric::by_name(name).ok_or_else(|| {
                element.problem(format!("an unknown metric; write one of {}", names.join(", ")))
            })?
        }
    };
    Ok(Promise::k_anonymity_by(k(element)?, metric))
}

fn k(element: &Element) -> Result<u32, XmlError> {
    let k = number(element, "k")?.and_then(|k| u32::try_from(k).ok()).filter(|k| *k > 0);
    k.ok_or_else(|| element.problem(format!("<{}> needs k, a whole number of at least 1", element.name)))
}

pub(super) fn number(element: &Element, name: &str) -> Result<Option<u64>, XmlError> {
    let Some(text) = element.get(name) else { return Ok(None) };
    match text.parse().ok().filter(|number| *number > 0) {
        Some(number) => Ok(Some(number)),
        None => Err(element.problem(format!("{name} is not a whole number of at least 1"))),
    }
}

fn is_distinct(element: &Element) -> Result<bool, XmlError> {
    match element.get("isDistinct") {
        None | Some("false") => Ok(false),
        Some("true") => Ok(true),
        Some(_) => Err(element.problem("isDistinct is true or false")),
    }
}

fn distinct(element: &Element, plan: LogicalPlan) -> Result<LogicalPlan, XmlError> {
    Ok(match is_distinct(element)? {
        true => LogicalPlan::Distinct(Distinct::All(Arc::new(plan))),
        false => plan,
    })
}

fn planned<T>(element: &Element, result: Result<T, DataFusionError>) -> Result<T, XmlError> {
    result.map_err(|error| {
        let message = error.strip_backtrace();
        let message = message.lines().next().unwrap_or_default();
        let hint = match message.contains("duplicate") {
            true => "; where both sides are the same relation, give one another name with <view>",
            false => "",
        };
        let known = ["Error during planning: ", "Schema error: "];
        let message = known.iter().fold(message, |message, prefix| message.trim_start_matches(prefix));
        element.problem(format!("{message}{hint}"))
    })
}
