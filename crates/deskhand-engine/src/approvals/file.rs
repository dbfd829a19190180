//! The file of remembered approvals: written whole, readable by its owner alone, and sealed.

use std::{
    fs::{self, File, OpenOptions},
    io::{ErrorKind, Read, Write},
    os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::{Approval, Error, Moment, Origin, seal::Seal};
use crate::Spot;

/// A file so long is none of ours.
const LONGEST: u64 = 1 << 20;

/// The file.
#[derive(Debug)]
pub(super) struct Kept {
    pub(super) path: PathBuf,
    pub(super) seal: Seal,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sheet {
    approvals: Vec<Row>,
    seal: String,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    app: String,
    tool: String,
    granted: Moment,
    expires: Moment,
}

impl Kept {
    /// What is in it; nothing when there is no such file.
    pub(super) fn read(&self) -> Result<Vec<Approval>, Error> {
        let Some(text) = trusted(&self.path)? else { return Ok(Vec::new()) };
        let sheet: Sheet = serde_json::from_str(&text).map_err(|error| Error::Invalid {
            path: self.path.clone(),
            spot: Spot { line: error.line(), column: error.column() },
            why: "this is no list of approvals".to_owned(),
        })?;
        if !self.seal.fits(&bytes(&sheet.approvals), &sheet.seal)? {
            return Err(Error::Changed { path: self.path.clone() });
        }
        Ok(sheet.approvals.into_iter().map(Approval::from).collect())
    }

    /// Changes what is in it, one process at a time.
    pub(super) fn change(&self, change: impl FnOnce(&mut Vec<Approval>)) -> Result<(), Error> {
        let _turn = self.seal.turn()?;
        let mut all = self.read()?;
        change(&mut all);
        self.write(&all)
    }

    /// Puts these in place of what is in it, whatever that is.
    pub(super) fn replace(&self, all: &[Approval]) -> Result<(), Error> {
        let _turn = self.seal.turn()?;
        self.write(all)
    }

    fn write(&self, all: &[Approval]) -> Result<(), Error> {
        let approvals: Vec<Row> = all.iter().filter_map(Row::of).collect();
        let seal = self.seal.over(&bytes(&approvals))?;
        let mut text = serde_json::to_string_pretty(&Sheet { approvals, seal })
            .map_err(|error| Error::io("written", &self.path)(error.into()))?;
        text.push('\n');
        let draft = self.path.with_extension("new");
        let written = private(&draft)
            .and_then(|mut file| {
                file.write_all(text.as_bytes())?;
                file.sync_all()
            })
            .and_then(|()| fs::rename(&draft, &self.path));
        written.map_err(Error::io("written", &self.path))
    }
}

impl Row {
    fn of(one: &Approval) -> Option<Self> {
        let (app, tool) = (one.app.clone(), one.tool.clone());
        Some(Self { app, tool, granted: one.granted?, expires: one.expires? })
    }
}

impl From<Row> for Approval {
    fn from(row: Row) -> Self {
        Self {
            app: row.app,
            tool: row.tool,
            granted: Some(row.granted),
            expires: Some(row.expires),
            origin: Origin::Remembered,
        }
    }
}

/// What the seal is over.
fn bytes(rows: &[Row]) -> Vec<u8> {
    // A list of words and times can always be written.
    serde_json::to_vec(rows).unwrap_or_default()
}

/// A new file in place of an old one, for its owner alone; its folder is made where it is missing.
pub(super) fn private(path: &Path) -> std::io::Result<File> {
    if let Some(folder) = path.parent() {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

/// What a file says, when it can be trusted; `None` when there is none.
pub(super) fn trusted(path: &Path) -> Result<Option<String>, Error> {
    let file = match File::open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        other => other.map_err(Error::io("read", path))?,
    };
    owned(&file, path)?;
    let mut text = String::new();
    let read = file.take(LONGEST).read_to_string(&mut text);
    read.map_err(Error::io("read", path))?;
    Ok(Some(text))
}

/// Goes on only when nobody but this user and root can change an open file.
pub(super) fn owned(file: &File, path: &Path) -> Result<(), Error> {
    let found = file.metadata().map_err(Error::io("read", path))?;
    let me = rustix::process::geteuid().as_raw();
    let why = if !found.is_file() || found.len() > LONGEST {
        Some("it is no file of approvals")
    } else {
        distrust(found.uid(), found.mode(), me)
    };
    why.map_or(Ok(()), |why| Err(Error::Unsafe { path: path.to_owned(), why }))
}

/// Why a file of an owner, with these permissions, is not trusted by somebody.
pub(super) fn distrust(owner: u32, mode: u32, me: u32) -> Option<&'static str> {
    if owner != 0 && owner != me {
        Some("it belongs to somebody else")
    } else if mode & 0o022 != 0 {
        Some("others may write to it")
    } else {
        None
    }
}
