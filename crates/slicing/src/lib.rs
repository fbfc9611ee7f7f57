//! Slicing: column groups, each permuted by itself inside hidden buckets of rows.
