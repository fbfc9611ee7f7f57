//! The inverse of a response matrix: exact for small domains, in doubles with a look at the condition for larger ones.

use super::EstimateError;
use crate::exact::Ratio;
use crate::response::Response;

/// Beyond this the cube of the domain is too long to wait for.
pub(super) const MOST_VALUES: u32 = 2_000;
/// Up to here the inverse is computed in fractions and rounded once.
const EXACT_UP_TO: u32 = 12;
/// A condition number beyond this leaves fewer than four digits of an estimate.
const WORST_CONDITION: f64 = 1e12;

/// A square matrix of doubles, row by row.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Matrix {
    size: usize,
    entries: Vec<f64>,
}

/// `M⁻¹`.
pub(super) fn of(response: &Response) -> Result<Matrix, EstimateError> {
    let values = response.domain();
    if values > MOST_VALUES {
        return Err(EstimateError::TooManyValues { found: values });
    }
    if values <= EXACT_UP_TO { exact(response.matrix()) } else { rounded(response) }
}

/// Gauss–Jordan in fractions.
pub(super) fn exact(mut left: Vec<Vec<Ratio>>) -> Result<Matrix, EstimateError> {
    let size = left.len();
    let unit =
        |row| (0..size).map(|column| if row == column { Ratio::one() } else { Ratio::zero() }).collect();
    let mut right: Vec<Vec<Ratio>> = (0..size).map(unit).collect();
    for pivot in 0..size {
        let row = (pivot..size).find(|row| !left[*row][pivot].is_zero()).ok_or(EstimateError::Singular)?;
        left.swap(pivot, row);
        right.swap(pivot, row);
        let divisor = left[pivot][pivot].clone();
        for side in [&mut left, &mut right] {
            side[pivot].iter_mut().for_each(|entry| *entry = &*entry / &divisor);
        }
        for row in (0..size).filter(|row| *row != pivot) {
            let factor = left[row][pivot].clone();
            for side in [&mut left, &mut right] {
                let above = side[pivot].clone();
                side[row]
                    .iter_mut()
                    .zip(&above)
                    .for_each(|(entry, above)| *entry = &*entry - &(&factor * above));
            }
        }
    }
    Ok(Matrix { size, entries: right.iter().flatten().map(Ratio::to_f64).collect() })
}

/// Gauss–Jordan in doubles with row pivoting.
pub(super) fn rounded(response: &Response) -> Result<Matrix, EstimateError> {
    let size = response.domain() as usize;
    let mut left = Matrix { size, entries: vec![0.0; size * size] };
    for from in 0..response.domain() {
        for (to, weight) in response.row(from) {
            left.entries[from as usize * size + to as usize] = weight.to_f64();
        }
    }
    let mut right = Matrix { size, entries: vec![0.0; size * size] };
    (0..size).for_each(|row| right.entries[row * size + row] = 1.0);
    let norm = left.norm();
    for pivot in 0..size {
        let (row, largest) = (pivot..size)
            .map(|row| (row, left.at(row, pivot).abs()))
            .fold((pivot, 0.0), |best, next| if next.1 > best.1 { next } else { best });
        if largest < f64::EPSILON {
            return Err(EstimateError::Singular);
        }
        left.swap(pivot, row);
        right.swap(pivot, row);
        let divisor = left.at(pivot, pivot);
        left.scale(pivot, divisor);
        right.scale(pivot, divisor);
        for row in (0..size).filter(|row| *row != pivot) {
            let factor = left.at(row, pivot);
            if factor != 0.0 {
                left.subtract(row, pivot, factor);
                right.subtract(row, pivot, factor);
            }
        }
    }
    if norm * right.norm() > WORST_CONDITION { Err(EstimateError::Singular) } else { Ok(right) }
}

impl Matrix {
    fn at(&self, row: usize, column: usize) -> f64 {
        self.entries[row * self.size + column]
    }

    fn row(&self, row: usize) -> &[f64] {
        &self.entries[row * self.size..(row + 1) * self.size]
    }

    /// The greatest sum of absolute values in a row.
    fn norm(&self) -> f64 {
        (0..self.size).map(|row| self.row(row).iter().map(|entry| entry.abs()).sum()).fold(0.0, f64::max)
    }

    fn swap(&mut self, a: usize, b: usize) {
        (0..self.size).for_each(|column| self.entries.swap(a * self.size + column, b * self.size + column));
    }

    fn scale(&mut self, row: usize, divisor: f64) {
        self.entries[row * self.size..(row + 1) * self.size].iter_mut().for_each(|entry| *entry /= divisor);
    }

    fn subtract(&mut self, row: usize, pivot: usize, factor: f64) {
        for column in 0..self.size {
            self.entries[row * self.size + column] -= factor * self.entries[pivot * self.size + column];
        }
    }

    /// `Σ_w counts_w · f(C[w][column])`.
    pub(super) fn dot_column(&self, counts: &[u64], column: usize, f: impl Fn(f64) -> f64) -> f64 {
        counts.iter().enumerate().map(|(row, count)| *count as f64 * f(self.at(row, column))).sum()
    }

    /// `Σ_v C[row][v] · numbers_v`.
    pub(super) fn dot_row(&self, row: usize, numbers: &[f64]) -> f64 {
        self.row(row).iter().zip(numbers).map(|(entry, number)| entry * number).sum()
    }

    #[cfg(test)]
    pub(super) fn entries(&self) -> &[f64] {
        &self.entries
    }
}
