//! Reads files that decide about permissions.

use std::{
    fs::File,
    io::{ErrorKind, Read},
    os::unix::fs::MetadataExt,
    path::Path,
};

use deskhand_model::Explain;

/// The maximum size of a file in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// A file that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TrustError {
    /// The file cannot be read.
    #[error("cannot read {file}: {reason}")]
    Unreadable {
        /// The file.
        file: String,
        /// The system's message.
        reason: String,
    },
    /// Another user can change the file.
    #[error("{file} is not trusted: {reason}")]
    Untrusted {
        /// The file.
        file: String,
        /// The reason it is not trusted.
        reason: &'static str,
    },
}

impl Explain for TrustError {
    fn code(&self) -> &'static str {
        match self {
            Self::Unreadable { .. } => "config_unreadable",
            Self::Untrusted { .. } => "config_unsafe",
        }
    }

    fn advice(&self) -> Option<deskhand_model::Advice> {
        match self {
            Self::Unreadable { .. } => None,
            Self::Untrusted { file, .. } => {
                Some(format!("make sure only you can write to it: chmod 600 {file}").into())
            }
        }
    }
}

/// Reads a file that only this user and root can change; returns `None` if it does not exist.
///
/// Write access for the group is accepted: many distributions give each user a private group and
/// create files with mode 664.
///
/// # Errors
///
/// If the file cannot be read, or another user can change it.
pub fn read_trusted(path: &Path) -> Result<Option<String>, TrustError> {
    let name = path.display().to_string();
    let unreadable = |error: std::io::Error| TrustError::Unreadable {
        file: name.clone(),
        reason: error.to_string(),
    };
    let file = match File::open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        other => other.map_err(unreadable)?,
    };
    let metadata = file.metadata().map_err(unreadable)?;
    let reason = if !metadata.is_file() || metadata.len() > MAX_BYTES {
        Some("it is not a regular file of at most 1 MiB")
    } else if metadata.uid() != 0 && metadata.uid() != rustix::process::geteuid().as_raw() {
        Some("it belongs to another user")
    } else if metadata.mode() & 0o002 != 0 {
        Some("every user can write to it")
    } else {
        None
    };
    if let Some(reason) = reason {
        return Err(TrustError::Untrusted { file: name, reason });
    }
    let mut text = String::new();
    file.take(MAX_BYTES).read_to_string(&mut text).map_err(unreadable)?;
    Ok(Some(text))
}
