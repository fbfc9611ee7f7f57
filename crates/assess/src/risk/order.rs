//! The values of a column on a line.

use paravent_core::values::ValueType;

/// The place of each cell by its code: in the declared order, else in that of the type; the missing value and values that the
/// declared order lacks come first. Texts without a declared order have none.
pub(super) fn places(
    cells: &[Option<&str>],
    value_type: ValueType,
    declared: Option<&[String]>,
) -> Option<Vec<u32>> {
    if declared.is_none() && value_type == ValueType::String {
        return None;
    }
    let mut order: Vec<usize> = (0..cells.len()).collect();
    match declared {
        Some(declared) => order.sort_by_key(|&code| {
            let spelled = cells[code].map(|cell| value_type.canonical(cell));
            declared
                .iter()
                .position(|value| Some(value_type.canonical(value)) == spelled)
                .map(|place| place + 1)
        }),
        None => order.sort_by(|&a, &b| match (cells[a], cells[b]) {
            (Some(a), Some(b)) => value_type.compare(a, b),
            (a, b) => a.is_some().cmp(&b.is_some()),
        }),
    }
    let mut places = vec![0; cells.len()];
    order.iter().enumerate().for_each(|(place, &code)| places[code] = place as u32);
    Some(places)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_in_their_own_order() {
        let cells = [None, Some("10"), Some("9"), Some("100")];
        assert_eq!(places(&cells, ValueType::Integer, None), Some(vec![0, 2, 1, 3]));
        assert_eq!(places(&cells, ValueType::String, None), None);
        let declared = ["100", "9", "10"].map(str::to_owned);
        assert_eq!(places(&cells, ValueType::Integer, Some(&declared)), Some(vec![0, 3, 2, 1]));
    }
}
