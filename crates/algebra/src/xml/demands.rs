//! `limits`, `diversity` and `sensitive` of a slicing.

use super::XmlError;
use super::document::Element;
use super::read::number;
use crate::operator::{Demands, Merge};
use paravent_slicing::Limits;

/// The attributes.
pub(super) const KNOWN: [&str; 3] = ["limits", "diversity", "sensitive"];

/// What a slicing is held to; `limits="none"` lets everything through.
pub(super) fn read(element: &Element) -> Result<Demands, XmlError> {
    let mut demands = match element.get("limits") {
        None | Some("standard") => Demands::standard(),
        Some("none") => Demands::default(),
        Some(_) => return Err(element.problem("limits must be standard or none")),
    };
    demands.limits.diversity = match number(element, "diversity")?.map(u32::try_from) {
        None => 1,
        Some(Ok(l)) if l > 1 => l,
        Some(_) => return Err(element.problem("diversity must be a whole number of 2 or more")),
    };
    let sensitive = element.get("sensitive").into_iter().flat_map(|names| names.split(','));
    demands.sensitive = sensitive.map(|name| name.trim().to_owned()).collect();
    Ok(demands)
}

/// What a slicing is held to, where that is not the standard.
pub(super) fn write(element: Element, demands: &Demands) -> Result<Element, XmlError> {
    let Demands { limits, sensitive, merge } = demands;
    let diversity = limits.diversity;
    let mut element = match (Limits { diversity: 1, ..*limits }) {
        Limits::STANDARD => element,
        Limits::NONE => element.with("limits", "none"),
        _ => return Err(XmlError::unwritable("a slicing has limits of its own")),
    };
    if *merge != Merge::Refuse || sensitive.iter().any(|name| name.contains(',')) {
        return Err(XmlError::unwritable("a slicing merges its buckets"));
    }
    if diversity > 1 {
        element = element.with("diversity", diversity.to_string());
    }
    Ok(if sensitive.is_empty() { element } else { element.with("sensitive", sensitive.join(",")) })
}
