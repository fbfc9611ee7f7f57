//! Random hierarchies that are right.

use super::*;

pub(super) fn hierarchy() -> impl Strategy<Value = HierarchySpec> {
    let part = prop_oneof![
        3 => builder().boxed(), 1 => counted().boxed(), 1 => vec(builder(), 2..4).prop_map(HierarchySpec::Chain).boxed()];
    part.boxed()
}

fn builder() -> impl Strategy<Value = HierarchySpec> {
    let file = (nonempty(), option::of(ascii_char()))
        .prop_map(|(path, delimiter)| HierarchySpec::File(HierarchyFile { path: path.into(), delimiter }));
    let factors = vec(2_i64..10, 0..4);
    let bounds = (decimal(-99_999..0, 3), decimal(1..99_999, 2));
    let intervals = (1_i64..5000, factors, bounds, choice(Outliers::ALL), choice(Rounding::ALL)).prop_map(
        |(first, factors, (min, max), outliers, rounding)| {
            let steps = factors.iter().scan(first, |width, factor| {
                *width *= factor;
                Some(*width)
            });
            let widths = std::iter::once(first).chain(steps);
            let widths = widths.map(|width| DecimalText::new(&format!("{width}e-2")).unwrap()).collect();
            HierarchySpec::Intervals(Intervals { widths, min, max, outliers, rounding })
        },
    );
    let fill = any::<char>().prop_filter("visible", |c| !c.is_control());
    let redact = (option::of(2_u32..), choice(Side::ALL), fill, option::of(1_u8..)).prop_map(
        |(alphabet, from, fill, length)| HierarchySpec::Redact(Redact { alphabet, from, fill, length }),
    );
    let units: Vec<DateUnit> = DateUnit::ALL.iter().copied().filter(|&unit| unit != DateUnit::Week).collect();
    let dates = subsequence(units, 1..=9).prop_map(HierarchySpec::Dates);
    let ordering = (vec(2_u32.., 1..4), option::of(cells(1)))
        .prop_map(|(sizes, order)| HierarchySpec::Ordering(Ordering { sizes, order }));
    let parts = nonempty().prop_map(|separator| HierarchySpec::Parts(Parts { separator }));
    Union::new([
        file.boxed(),
        parts.boxed(),
        intervals.boxed(),
        redact.boxed(),
        dates.boxed(),
        ordering.boxed(),
        order().boxed(),
        breaks().boxed(),
        codes().boxed(),
    ])
}

fn breaks() -> impl Strategy<Value = HierarchySpec> {
    let points = btree_set(-999_i64..999, 1..6);
    (points, any::<bool>(), "[0-9]{4}-(0[1-9])-(0[1-9])").prop_map(|(points, named, on)| {
        if points.len() == 1 {
            return HierarchySpec::Age(Age { on });
        }
        let at: Vec<DecimalText> =
            points.iter().map(|point| DecimalText::new(&format!("{point}e-1")).unwrap()).collect();
        let labels = named.then(|| (0..=at.len()).map(|number| format!("\"{number}\"")).collect());
        HierarchySpec::Breaks(Breaks { levels: vec![BreakLevel { at, labels }; 2] })
    })
}

fn codes() -> impl Strategy<Value = HierarchySpec> {
    let own = (subsequence(vec![9_u8, 5, 3, 1], 1..4), option::of(1_u8..), choice(Side::ALL)).prop_map(
        |(keep, length, align)| {
            let ranges =
                if keep.len() > 1 { vec![vec!["A00-A09".to_owned(), "C97".to_owned()]] } else { vec![] };
            CodesSpec::Own(Codes { keep, ranges, length, align })
        },
    );
    let named = select(paravent_core::hierarchy::STRUCTURES.to_vec());
    prop_oneof![own, named.prop_map(|name| CodesSpec::Named(name.to_owned()))].prop_map(HierarchySpec::Codes)
}

/// What no chain can hold.
fn counted() -> impl Strategy<Value = HierarchySpec> {
    let least = btree_set(2_u64..9_999, 1..4).prop_map(|least| least.into_iter().collect::<Vec<_>>());
    let sizes = btree_set(2_u32..9_999, 1..4).prop_map(|sizes| sizes.into_iter().rev().collect::<Vec<_>>());
    prop_oneof![
        (least, nonempty()).prop_map(|(least, label)| HierarchySpec::Lump(Lump { least, label })),
        sizes.prop_map(|sizes| HierarchySpec::Cluster(Cluster { sizes })),
    ]
}

/// Groups of one depth with different values; every second one has a label.
fn order() -> impl Strategy<Value = HierarchySpec> {
    (btree_set(text(), 1..30), 1_usize..5, 1_usize..4).prop_map(|(values, size, depth)| {
        let values: Vec<String> = values.into_iter().collect();
        let label = |level: usize, i: usize| i.is_multiple_of(2).then(|| format!("{level} \"{i}\""));
        let chunks = values.chunks(size).enumerate();
        let mut groups: Vec<Group> = chunks
            .map(|(i, part)| Group { label: label(1, i), members: Members::Values(part.to_vec()) })
            .collect();
        for level in 2..=depth {
            let chunks = groups.chunks(2).enumerate();
            let above = chunks
                .map(|(i, part)| Group { label: label(level, i), members: Members::Groups(part.to_vec()) });
            groups = above.collect();
        }
        HierarchySpec::Order(groups)
    })
}
