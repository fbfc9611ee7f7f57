//! Tables that stay in a database: an [`Engine`] for each kind that can be reached from here.
//!
//! [`statement`] writes what an engine is asked as syntax trees, for a [`Dialect`](statement::Dialect): names are identifiers there,
//! never pasted text, and no value is part of a statement. With the feature `postgres`, the module of that name
//! speaks PostgreSQL's protocol, with `spark` the one of that name speaks Spark Connect.
//!
//! A program calls [`install`] once; addresses then open wherever a file does.

#[cfg(any(feature = "postgres", feature = "spark"))]
mod certificates;
#[cfg(feature = "postgres")]
pub mod postgres;
#[cfg(any(feature = "postgres", feature = "spark"))]
mod secret_file;
#[cfg(feature = "spark")]
pub mod spark;
pub mod statement;

use paravent_tables::engine::{self, Address, Engine, EngineError, Scheme};
use std::sync::Arc;

/// Lets addresses be opened by the engines of this build. `stop` tells whether a stop was requested.
pub fn install(stop: fn() -> bool) {
    engine::install(open);
    engine::stop_when(stop);
}

fn open(address: &Address) -> Result<Arc<dyn Engine>, EngineError> {
    match address.scheme {
        #[cfg(feature = "postgres")]
        Scheme::Postgres => Ok(Arc::new(postgres::Postgres::connect(address)?)),
        #[cfg(feature = "spark")]
        Scheme::Spark => Ok(Arc::new(spark::Spark::connect(address)?)),
        #[cfg(not(feature = "postgres"))]
        Scheme::Postgres => Err(EngineError::NotBuilt { feature: address.scheme.feature() }),
        #[cfg(not(feature = "spark"))]
        Scheme::Spark => Err(EngineError::NotBuilt { feature: address.scheme.feature() }),
    }
}
