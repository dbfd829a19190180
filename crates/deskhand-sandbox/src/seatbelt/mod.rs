//! The platform-independent part of Seatbelt, the sandbox of macOS: profile text, private folders, process
//! families, error classification. It is pure code, so its tests run on every platform.

pub(crate) mod command;
pub(crate) mod diagnosis;
pub(crate) mod family;
pub(crate) mod private_folders;
pub(crate) mod profile;
pub(crate) mod tag;
