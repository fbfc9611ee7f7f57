//! Whole releases, written by hand into a temporary directory: sound ones, ones with a planted violation, hostile ones.
#![allow(clippy::unwrap_used)]

mod accepted;
mod builder;
mod canonical;
mod criteria;
mod handed_out;
mod hostile;
mod local;
mod noisy;
mod planted;
mod program;
mod sliced;
mod tampering;
