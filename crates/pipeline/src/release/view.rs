//! What the report shows: labels of released cells only.

use paravent_core::hierarchy::Hierarchy;
use paravent_core::quality::QualityModel;
use paravent_core::release::{Boxes, Solution};
use paravent_prepare::study::{Found, InputColumn, Study, StudyError, Treatment};
use paravent_report::{AttributeView, Audience, Bar, Document, LevelView, View};

/// Labels with a bar of their own; the rest is summed up.
const MOST_BARS: usize = 12;
/// From this number of rows on, whole percents hide single rows.
const LEAST_ROWS: u64 = 1000;
/// Labels shown to explain a level.
const MOST_EXAMPLES: usize = 4;

/// The view behind `report.html` in full.
pub fn view(
    study: &Study,
    found: &Found,
    solution: &Solution,
    document: Document,
) -> Result<View, StudyError> {
    let nodes = &found.report.nodes;
    let (task, least) = (&study.task, study.task.criteria().least_class_size());
    let quality = QualityModel::new(task.tuples(), task.ladders(), task.columns().weights(), least);
    let kept = study.kept_rows_by_code(solution)?;
    Ok(View {
        audience: Audience::House,
        lang: study.job.output.lang,
        document,
        attributes: study
            .columns
            .columns
            .iter()
            .map(|column| attribute(study, solution, &quality, &kept, column))
            .collect(),
        class_sizes: solution.class_sizes.clone(),
        suppression_limit: study.job.privacy.suppression_limit.as_str().to_owned(),
        suppression_limit_rows: study.task.suppression_limit(),
        row_order: study.job.output.order.name(),
        node_counts: (nodes.anonymous, nodes.not_anonymous, nodes.cannot_be_optimal),
    })
}

fn attribute(
    study: &Study,
    solution: &Solution,
    quality: &QualityModel,
    kept: &[Vec<u64>],
    column: &InputColumn,
) -> AttributeView {
    let (levels, distribution) = match (column.treatment, study.counted_position(&column.name)) {
        (Treatment::QuasiIdentifier(_), _) if super::manifest::is_aggregated(study, column) => {
            Default::default()
        }
        (Treatment::QuasiIdentifier(position), _) if solution.boxes.is_some() => {
            let shown = solution.boxes.iter().flat_map(|boxes| study.rows_by_label(boxes, position));
            let (labels, rows): (Vec<Option<String>>, Vec<u64>) = shown.unzip();
            let mut bars = bars(rows.into_iter().map(|rows| (rows, rows)).collect(), &labels);
            // Labels overlap: there are no shares before that they could be compared with.
            bars.iter_mut().for_each(|bar| bar.before = None);
            (levels(study, solution, quality, position, &kept[position]), bars)
        }
        (Treatment::QuasiIdentifier(position), _) => {
            let rung = study.task.ladders()[position].rung(solution.node.levels()[position]);
            let (before, after) = (study.counted.rows_by_code(position), &kept[position]);
            let shares = shares(before, after, rung.labels.len(), |code| rung.group_of[code] as usize);
            (levels(study, solution, quality, position, after), bars(shares, &rung.labels))
        }
        (Treatment::Sensitive | Treatment::Insensitive, Some(position)) => {
            let dictionary = &study.counted.columns[position].dictionary;
            let labels: Vec<Option<String>> =
                dictionary.cells().into_iter().map(|cell| cell.map(str::to_owned)).collect();
            let (before, after) = (study.counted.rows_by_code(position), &kept[position]);
            (Vec::new(), bars(shares(before, after, labels.len(), |code| code), &labels))
        }
        _ => (Vec::new(), Vec::new()),
    };
    AttributeView {
        name: column.name.clone(),
        role: column.treatment.shown_role(),
        released: column.treatment.is_released(),
        data_type: study.type_name(column),
        levels,
        distribution,
    }
}

fn levels(
    study: &Study,
    solution: &Solution,
    quality: &QualityModel,
    position: usize,
    kept: &[u64],
) -> Vec<LevelView> {
    let ladder = &study.task.ladders()[position];
    let chosen = solution.node.levels()[position];
    if let Some(boxes) = &solution.boxes {
        return levels_of_boxes(study, boxes, quality, position);
    }
    // Labels on and above the chosen level that a released row leads to.
    let kept: Vec<usize> = (0..kept.len()).filter(|&code| kept[code] > 0).collect();
    (0..=ladder.max_level())
        .map(|level| {
            let rung = ladder.rung(level);
            let mut examples: Vec<String> = Vec::new();
            // The labels of a table on higher levels may speak of values that were left out.
            let is_table = matches!(study.hierarchies[position], Hierarchy::Table(_));
            if level == chosen || (level > chosen && !is_table) {
                let labels = kept.iter().map(|&code| &rung.labels[rung.group_of[code] as usize]);
                examples = labels.flatten().cloned().collect();
                examples.sort();
                examples.dedup();
                examples.truncate(MOST_EXAMPLES);
            }
            let mut shown: Vec<u32> = kept.iter().map(|&code| rung.group_of[code]).collect();
            shown.sort_unstable();
            shown.dedup();
            LevelView {
                level,
                chosen: level == chosen,
                cells: None,
                groups: rung.labels.len(),
                released_groups: shown.len(),
                examples,
                relative_loss: quality.open_share(position, level),
            }
        })
        .collect()
}

/// The levels of a column whose labels come from several: which of them are shown, and how often.
fn levels_of_boxes(study: &Study, boxes: &Boxes, quality: &QualityModel, position: usize) -> Vec<LevelView> {
    let ladder = &study.task.ladders()[position];
    let all: u64 = boxes.boxes.iter().map(|shown| shown.rows).sum();
    let of_level = |level: u8| {
        let rung = ladder.rung(level);
        let shown = boxes.boxes.iter().filter(|shown| shown.levels[position] == level);
        let (mut groups, mut rows) = (Vec::new(), 0);
        for shown in shown {
            groups.push(shown.groups[position]);
            rows += shown.rows;
        }
        groups.sort_unstable();
        groups.dedup();
        let mut examples: Vec<String> =
            groups.iter().filter_map(|&group| rung.labels[group as usize].clone()).collect();
        examples.sort();
        examples.truncate(MOST_EXAMPLES);
        LevelView {
            level,
            chosen: rows > 0,
            cells: Some(rows as f64 / all.max(1) as f64),
            groups: rung.labels.len(),
            released_groups: groups.len(),
            examples,
            relative_loss: quality.open_share(position, level),
        }
    };
    (0..=ladder.max_level()).map(of_level).collect()
}

/// Rows before and after by group, from those by code.
fn shares(
    before: &[u64],
    after: &[u64],
    groups: usize,
    group_of: impl Fn(usize) -> usize,
) -> Vec<(u64, u64)> {
    let mut rows = vec![(0, 0); groups];
    for (code, (before, after)) in before.iter().zip(after).enumerate() {
        let (all, kept) = &mut rows[group_of(code)];
        *all += before;
        *kept += after;
    }
    rows
}

/// The most frequent released labels; labels that no released row shows are part of the rest, unnamed.
fn bars(rows: Vec<(u64, u64)>, labels: &[Option<String>]) -> Vec<Bar> {
    let all = |part: fn(&(u64, u64)) -> u64| rows.iter().map(part).sum::<u64>();
    let total = |part: fn(&(u64, u64)) -> u64| rows.iter().map(part).sum::<u64>().max(1) as f64;
    let after = total(|rows| rows.1);
    // In a small table a whole percent is a person: the difference would name the labels of those left out.
    let tells_too_much = all(|rows| rows.0) < LEAST_ROWS && all(|rows| rows.0) > all(|rows| rows.1);
    let before = (!tells_too_much).then(|| total(|rows| rows.0));
    let mut order: Vec<usize> = (0..rows.len()).filter(|&group| rows[group].1 > 0).collect();
    order.sort_by(|&a, &b| rows[b].1.cmp(&rows[a].1).then_with(|| labels[a].cmp(&labels[b])));
    order.truncate(MOST_BARS);
    let mut bars: Vec<Bar> = order
        .iter()
        .map(|&group| Bar {
            label: labels[group].clone(),
            is_rest: false,
            before: before.map(|all| rows[group].0 as f64 / all),
            after: rows[group].1 as f64 / after,
        })
        .collect();
    let shown = |part: fn(&(u64, u64)) -> u64| order.iter().map(|&group| part(&rows[group])).sum::<u64>();
    let rest = (all(|rows| rows.0) - shown(|rows| rows.0), all(|rows| rows.1) - shown(|rows| rows.1));
    if rest != (0, 0) {
        bars.push(Bar {
            label: None,
            is_rest: true,
            before: before.map(|all| rest.0 as f64 / all),
            after: rest.1 as f64 / after,
        });
    }
    bars
}
