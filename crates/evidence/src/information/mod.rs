//! Privacy on the scale of bits.
