//! Protocol A: a ring without helper. `encrypt` is the way of the parts, `home` the way of the release.

pub(in crate::protocols) mod encrypt;
pub(in crate::protocols) mod home;
