//! Figures on re-identification and disclosure.
