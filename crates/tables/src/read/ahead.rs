//! Parsing on a thread of its own, so that it overlaps with what is done to the rows.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use super::{Batch, ReadError, Source};

/// Batches ready and waiting; more would only take memory.
const AHEAD: usize = 3;

/// A [`Source`] that reads ahead.
///
/// Dropping it early stops the thread at its next batch, without waiting for it.
#[derive(Debug)]
pub struct ReadAhead {
    path: PathBuf,
    columns: Vec<String>,
    filled: Option<Receiver<Message>>,
    used: SyncSender<Batch>,
    /// Where the system made no thread: read when asked.
    here: Option<Source>,
}

#[derive(Debug)]
enum Message {
    Filled(Batch),
    End,
    Failed(ReadError),
}

impl ReadAhead {
    /// Starts reading. Where the system makes no thread, rows are read when they are asked for.
    pub fn start(source: Source) -> Self {
        let (fill, filled) = sync_channel(AHEAD);
        let (used, reuse) = sync_channel::<Batch>(AHEAD + 2);
        let path = source.path().to_owned();
        let columns = source.selected_columns();
        // Lent to the thread, and returned if no thread could be started.
        let lent = Arc::new(Mutex::new(Some(source)));
        let own = Arc::clone(&lent);
        let work = move || {
            let Some(mut source) = own.lock().unwrap_or_else(PoisonError::into_inner).take() else { return };
            loop {
                let mut batch = reuse.try_recv().unwrap_or_default();
                let message = match source.next_batch(&mut batch) {
                    Ok(true) => Message::Filled(batch),
                    Ok(false) => Message::End,
                    Err(error) => Message::Failed(error),
                };
                let more = matches!(message, Message::Filled(_));
                // Sending fails when the other side was dropped.
                if fill.send(message).is_err() || !more {
                    return;
                }
            }
        };
        let here = match thread::Builder::new().name("paravent-read".into()).spawn(work) {
            Ok(_) => None,
            Err(_) => lent.lock().unwrap_or_else(PoisonError::into_inner).take(),
        };
        Self { path, columns, filled: Some(filled), used, here }
    }

    /// The names of the columns delivered.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The next rows, like [`Source::next_batch`]. The batch handed in is used again later.
    pub fn next_batch(&mut self, batch: &mut Batch) -> Result<bool, ReadError> {
        if let Some(source) = &mut self.here {
            return source.next_batch(batch);
        }
        let Some(filled) = &self.filled else { return Ok(false) };
        match filled.recv() {
            Ok(Message::Filled(next)) => {
                let old = std::mem::replace(batch, next);
                // Full or closed: then the old one is simply freed.
                let _ = self.used.try_send(old);
                Ok(true)
            }
            Ok(Message::End) => {
                self.filled = None;
                batch.start(batch.first_row + batch.rows as u64);
                batch.columns.iter_mut().for_each(|column| *column = Default::default());
                Ok(false)
            }
            Ok(Message::Failed(error)) => Err(error),
            // The thread is gone without a word: it panicked, or reported its error before.
            Err(_) => Err(ReadError::Garbled { path: self.path.clone(), format: "input" }),
        }
    }
}
