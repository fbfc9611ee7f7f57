//! A hierarchy for every quasi-identifier, and a lattice that can be searched.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::InitOptions;
use super::births;
use super::meaning::core_of;
use super::profile::Profile;
use super::roles::Assigned;
use super::shape::{Shape, fit};
use super::shaping::{Surroundings, shape_of};
use paravent_job::Role;

/// How the columns are generalized.
pub(super) struct Hierarchies {
    /// A shape for each quasi-identifier, in table order.
    pub(super) shapes: Vec<Option<Shape>>,
    /// Columns that lost levels so that the lattice stays small.
    pub(super) simplified: Vec<usize>,
    /// Columns that are always hidden, for the same reason.
    pub(super) hidden: Vec<usize>,
}

/// What the shapes of all columns depend on.
pub(super) fn surroundings(profile: &Profile, options: &InitOptions) -> Surroundings {
    Surroundings {
        on: births::counted_on(profile, &options.today),
        rows: profile.rows,
        k: options.k,
        preset: options.preset,
    }
}

pub(super) fn propose(
    profile: &Profile,
    roles: &[Assigned],
    options: &InitOptions,
    around: &Surroundings,
    files: &mut BTreeMap<usize, Shape>,
) -> Hierarchies {
    let columns: Vec<usize> =
        (0..roles.len()).filter(|column| roles[*column].role == Role::QuasiIdentifier).collect();
    let wanted: Vec<Shape> = columns
        .iter()
        .map(|column| files.remove(column).unwrap_or_else(|| shape_of(&profile.columns[*column], around)))
        .collect();
    let mut fitted = wanted.clone();
    // What has many values and a name that says nothing goes first.
    let mut sacrifices: Vec<usize> = (0..columns.len()).collect();
    sacrifices.sort_by_key(|&i| {
        (roles[columns[i]].by_name, Reverse(profile.columns[columns[i]].distinct.at_least()), Reverse(i))
    });
    let is_core = |&i: &usize| core_of(&profile.columns[columns[i]]).is_some();
    let core: Vec<usize> = (0..columns.len()).filter(is_core).collect();
    let hidden = fit(&mut fitted, &core, &sacrifices, options.lattice_limit);
    let hidden: Vec<usize> = (0..columns.len()).filter(|i| hidden.contains(i)).map(|i| columns[i]).collect();
    let simplified = (0..columns.len()).filter(|&i| wanted[i] != fitted[i]).map(|i| columns[i]);
    let simplified = simplified.filter(|column| !hidden.contains(column)).collect();
    let mut shapes = vec![None; roles.len()];
    for (column, shape) in columns.into_iter().zip(fitted) {
        shapes[column] = Some(shape);
    }
    Hierarchies { shapes, simplified, hidden }
}
