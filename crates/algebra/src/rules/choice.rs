//! Rules by their names.

use super::{Place, Rule, SwitchError, Way, catalogue, rewriter_names, rewriter_rule, rule};
use paravent_job::closest;
use std::str::FromStr;

/// A rule that was asked for by name.
#[derive(Debug, Clone)]
pub struct Choice {
    /// The rule.
    pub rule: &'static dyn Rule,
    /// Which way; where it is open, the first one that the card allows.
    pub way: Option<Way>,
    /// Only there and below it; nothing where the whole plan is meant.
    pub within: Option<Place>,
}

/// `G9`, `DP04` (which is D9 from right to left), `G15:right-to-left`, or `DP04@root.0.1`: only in that part of the plan.
impl FromStr for Choice {
    type Err = SwitchError;

    fn from_str(text: &str) -> Result<Choice, SwitchError> {
        if let Some((named, place)) = text.split_once('@') {
            let place =
                place.trim().parse().map_err(|_| SwitchError::UnknownPlace(place.trim().to_owned()))?;
            return Ok(Choice { within: Some(place), ..named.parse::<Choice>()? });
        }
        let within = None;
        let (name, way) = match text.split_once(':') {
            Some((name, way)) => (name.trim(), Some(parse_way(way.trim())?)),
            None => (text.trim(), None),
        };
        match (rule(name), rewriter_rule(&name.to_ascii_uppercase()), way) {
            (Some(rule), _, way) => Ok(Choice { rule, way, within }),
            (None, Some((rule, way)), None) => Ok(Choice { rule, way: Some(way), within }),
            (None, Some(_), Some(_)) => Err(SwitchError::MisplacedWay(text.to_owned())),
            (None, None, _) => {
                Err(SwitchError::UnknownRule { written: name.to_owned(), meant: nearest(name) })
            }
        }
    }
}

fn parse_way(text: &str) -> Result<Way, SwitchError> {
    match text.to_ascii_lowercase().as_str() {
        "left-to-right" | "lr" => Ok(Way::LeftToRight),
        "right-to-left" | "rl" => Ok(Way::RightToLeft),
        _ => Err(SwitchError::UnknownWay(text.to_owned())),
    }
}

/// The name that was most likely meant: the nearest number of the same family, else the nearest text, else any rule with that number.
fn nearest(written: &str) -> Option<&'static str> {
    let names: Vec<&'static str> =
        catalogue().iter().map(|rule| rule.card().id).chain(rewriter_names()).collect();
    let (family, number) = parts(written)?;
    let in_family = names.iter().copied().filter_map(|name| {
        let (own, place) = parts(name)?;
        own.eq_ignore_ascii_case(family).then(|| (place.abs_diff(number), name))
    });
    let same_number = || names.iter().copied().find(|name| parts(name).is_some_and(|own| own.1 == number));
    in_family
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, name)| name)
        .or_else(|| closest(written, names.iter().copied()))
        .or_else(same_number)
}

/// Letters and number of a name; no number is 0, and one beyond all rules is as far away as any.
fn parts(name: &str) -> Option<(&str, u32)> {
    let digits = name.find(|c: char| c.is_ascii_digit()).unwrap_or(name.len());
    let (family, number) = name.split_at(digits);
    let family = family.trim_matches(|c: char| !c.is_ascii_alphabetic());
    (!family.is_empty())
        .then(|| (family, number.parse().unwrap_or(if number.is_empty() { 0 } else { u32::MAX })))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meant(written: &str) -> Option<&'static str> {
        match written.parse::<Choice>() {
            Err(SwitchError::UnknownRule { meant, .. }) => meant,
            other => panic!("{written} is known: {other:?}"),
        }
    }

    #[test]
    fn names_are_read_in_any_case_and_may_say_a_way() {
        let read = |text: &str| text.parse::<Choice>().map(|choice| (choice.rule.card().id, choice.way));
        assert_eq!(read("g9"), Ok(("G9", None)));
        assert_eq!(read("dp04"), Ok(("D9", Some(Way::RightToLeft))));
        assert_eq!(read("G15:rl"), Ok(("G15", Some(Way::RightToLeft))));
        assert!(matches!(read("DP04:rl"), Err(SwitchError::MisplacedWay(_))));
        assert!(matches!(read("G15:up"), Err(SwitchError::UnknownWay(_))));
    }

    #[test]
    fn a_name_may_say_where() {
        let place =
            |text: &str| text.parse::<Choice>().map(|choice| choice.within.map(|place| place.to_string()));
        assert_eq!(place("DP04"), Ok(None));
        assert_eq!(place("DP04@root.0.1"), Ok(Some("root.0.1".to_owned())));
        assert_eq!(place("G15:rl@0.1"), Ok(Some("root.0.1".to_owned())));
        assert_eq!(place("D9@root"), Ok(Some("root".to_owned())));
        for wrong in ["D9@", "D9@root.x", "D9@1..2", "D9@-1"] {
            assert!(matches!(place(wrong), Err(SwitchError::UnknownPlace(_))), "{wrong}");
        }
    }

    #[test]
    fn a_wrong_name_leads_to_the_nearest_rule() {
        assert_eq!(meant("G20"), Some("G19"));
        assert_eq!(meant("G0"), Some("G1"));
        assert_eq!(meant("DP6"), Some("DP05"));
        assert_eq!(meant("DP4"), Some("DP04"));
        assert_eq!(meant("G-14"), Some("G14"));
        assert_eq!(meant("Q9"), Some("G9"));
        assert_eq!(meant("generalize"), None);
        assert_eq!(meant(""), None);
        assert_eq!(meant("G99999999999999999999"), Some("G19"));
    }
}
