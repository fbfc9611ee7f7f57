//! Many short texts in one string.

/// Texts one after the other in a single string, found by their position.
#[derive(Clone, Default, PartialEq, Eq)]
pub(super) struct Texts {
    text: String,
    /// Where each text ends.
    ends: Vec<u32>,
}

impl Texts {
    pub(super) fn with_capacity(texts: usize) -> Texts {
        Texts { text: String::new(), ends: Vec::with_capacity(texts) }
    }

    /// Adds a text; `false`, and nothing added, if there would be more than `most` texts or bytes.
    pub(super) fn push(&mut self, text: &str, most: u32) -> bool {
        let most = most as usize;
        let fits = self.text.len() + text.len() <= most && self.ends.len() < most;
        if fits {
            self.text.push_str(text);
            self.ends.push(self.text.len() as u32);
        }
        fits
    }

    pub(super) fn get(&self, position: usize) -> &str {
        &self.text[start(&self.ends, position)..self.ends[position] as usize]
    }

    /// Number of texts.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Number of bytes in all texts.
    pub(super) fn bytes(&self) -> usize {
        self.text.len()
    }

    /// Only the first texts stay.
    pub(super) fn truncate(&mut self, texts: usize) {
        self.text.truncate(start(&self.ends, texts));
        self.ends.truncate(texts);
    }

    pub(super) fn shrink_to_fit(&mut self) {
        self.text.shrink_to_fit();
        self.ends.shrink_to_fit();
    }
}

/// Where something starts of which the ends are known: at the end of what is before it.
pub(super) fn start(ends: &[u32], position: usize) -> usize {
    position.checked_sub(1).map_or(0, |before| ends[before] as usize)
}
