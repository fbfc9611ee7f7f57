//! `paravent._paravent`: the engine for Python.
//!
//! This side is small on purpose: tables come and go as Arrow, everything else as the JSON documents of the command line. The classes that users see
//! are written in Python (`python/paravent`).

mod evidence;
mod failed;
mod frame;
mod job_text;
mod jobs;
mod release;
mod sliced;
mod watched;

use pyo3::prelude::*;

/// The engine.
#[pymodule]
mod _paravent {
    #[pymodule_export]
    use super::evidence::{attack, check, compare, risk, self_test, utility, verify};
    #[pymodule_export]
    use super::frame::Frame;
    #[pymodule_export]
    use super::job_text::{checked_job, parse_toml, to_toml};
    #[pymodule_export]
    use super::jobs::{catalogue, labels, propose};
    #[pymodule_export]
    use super::release::{Release, anonymize, dry_run};
    #[pymodule_export]
    use super::sliced::{Noisy, Sliced, noise, slice};
    #[pymodule_export]
    use super::{demo, main};
}

/// The command line: arguments with the program's name first, exit code out.
#[pyfunction]
fn main(py: Python<'_>, args: Vec<String>) -> u8 {
    py.detach(|| paravent_cli::run(args.into_iter().map(Into::into).collect()))
}

/// Writes the files of the demo into a folder.
#[pyfunction]
fn demo(folder: &str) -> PyResult<()> {
    let written = paravent_pipeline::demo::write(std::path::Path::new(folder));
    Ok(written.map(drop).map_err(failed::Failed::input_output)?)
}
