//! The file of remembered approvals. It is private, signed, and replaced as a whole.

use std::{
    fs::{self, File, OpenOptions},
    io::{ErrorKind, Read, Write},
    os::unix::fs::{MetadataExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

use deskhand_platform::create_private_dirs;
use serde::{Deserialize, Serialize};

use super::{Approval, ApprovalSource, Error, Timestamp, signature::Signer};
use crate::TextPosition;

/// The maximum size in bytes; a larger file was not written by this program.
const MAX_SIZE: u64 = 1 << 20;

/// The file of remembered approvals.
#[derive(Debug)]
pub(super) struct ApprovalFile {
    pub(super) path: PathBuf,
    pub(super) signer: Signer,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileContent {
    approvals: Vec<FileEntry>,
    #[serde(rename = "seal")]
    signature: String,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileEntry {
    app: String,
    tool: String,
    granted: Timestamp,
    expires: Timestamp,
}

impl ApprovalFile {
    /// Reads the approvals; empty if the file does not exist.
    pub(super) fn read(&self) -> Result<Vec<Approval>, Error> {
        let Some(text) = read_trusted(&self.path)? else { return Ok(Vec::new()) };
        let content: FileContent = serde_json::from_str(&text).map_err(|error| Error::Invalid {
            path: self.path.clone(),
            spot: TextPosition { line: error.line(), column: error.column() },
            why: "this is not a list of approvals".to_owned(),
        })?;
        if !self.signer.verify(&signed_bytes(&content.approvals), &content.signature)? {
            return Err(Error::Changed { path: self.path.clone() });
        }
        Ok(content.approvals.into_iter().map(Approval::from).collect())
    }

    /// Changes the approvals. Only one process at a time can do this.
    pub(super) fn change(&self, change: impl FnOnce(&mut Vec<Approval>)) -> Result<(), Error> {
        let _lock = self.signer.lock()?;
        let mut all = self.read()?;
        change(&mut all);
        self.write(&all)
    }

    /// Replaces the approvals, even if the file is invalid.
    pub(super) fn replace(&self, all: &[Approval]) -> Result<(), Error> {
        let _lock = self.signer.lock()?;
        self.write(all)
    }

    fn write(&self, all: &[Approval]) -> Result<(), Error> {
        let approvals: Vec<FileEntry> = all.iter().filter_map(FileEntry::new).collect();
        let signature = self.signer.sign(&signed_bytes(&approvals))?;
        let mut text = serde_json::to_string_pretty(&FileContent { approvals, signature })
            .map_err(|error| Error::io("written", &self.path)(error.into()))?;
        text.push('\n');
        let draft = self.path.with_extension("new");
        let written = create_private(&draft)
            .and_then(|mut file| {
                file.write_all(text.as_bytes())?;
                file.sync_all()
            })
            .and_then(|()| fs::rename(&draft, &self.path));
        written.map_err(Error::io("written", &self.path))
    }
}

impl FileEntry {
    fn new(one: &Approval) -> Option<Self> {
        let (app, tool) = (one.app.clone(), one.tool.clone());
        Some(Self { app, tool, granted: one.granted?, expires: one.expires? })
    }
}

impl From<FileEntry> for Approval {
    fn from(row: FileEntry) -> Self {
        Self {
            app: row.app,
            tool: row.tool,
            granted: Some(row.granted),
            expires: Some(row.expires),
            source: ApprovalSource::Remembered,
        }
    }
}

/// Returns the bytes that are signed.
fn signed_bytes(rows: &[FileEntry]) -> Vec<u8> {
    // Strings and timestamps can always be serialized.
    serde_json::to_vec(rows).unwrap_or_default()
}

/// Replaces a file with an empty one that only its owner can access, and creates its folder.
pub(super) fn create_private(path: &Path) -> std::io::Result<File> {
    if let Some(folder) = path.parent() {
        create_private_dirs(folder)?;
    }
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

/// Reads a file after checking that it can be trusted; `None` if it does not exist.
pub(super) fn read_trusted(path: &Path) -> Result<Option<String>, Error> {
    let file = match File::open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        other => other.map_err(Error::io("read", path))?,
    };
    check_owner(&file, path)?;
    let mut text = String::new();
    let read = file.take(MAX_SIZE).read_to_string(&mut text);
    read.map_err(Error::io("read", path))?;
    Ok(Some(text))
}

/// Checks that only this user and root can change an open file.
pub(super) fn check_owner(file: &File, path: &Path) -> Result<(), Error> {
    let meta = file.metadata().map_err(Error::io("read", path))?;
    let me = rustix::process::geteuid().as_raw();
    let why = if !meta.is_file() || meta.len() > MAX_SIZE {
        Some("it is not a file of approvals")
    } else {
        permission_problem(meta.uid(), meta.mode(), me)
    };
    why.map_or(Ok(()), |why| Err(Error::Unsafe { path: path.to_owned(), why }))
}

/// Returns the reason why a user cannot trust a file with this owner and mode.
pub(super) fn permission_problem(owner: u32, mode: u32, me: u32) -> Option<&'static str> {
    if owner != 0 && owner != me {
        Some("it belongs to another user")
    } else if mode & 0o022 != 0 {
        Some("other users can write to it")
    } else {
        None
    }
}
