//! What was copied lately, as far as it was seen here: written, read or watched. Kept in the
//! session's private folder, bounded, and never with secrets.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    hash::{DefaultHasher, Hash, Hasher},
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant, SystemTime},
};

use deskhand_platform::{Item, form};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Which, files, is_text, mention};
use crate::{Context, Error, Result};

/// How many entries are kept.
const ENTRIES: usize = 50;
/// How much of one text is kept.
const TEXT: usize = 64 << 10;
/// The largest picture that is kept, and how much all of them may take.
const PICTURE: usize = 8 << 20;
const PICTURES: u64 = 32 << 20;
/// Who holds the lock only writes a small file.
const PATIENCE: Duration = Duration::from_secs(2);

/// How an entry came to be seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Seen {
    /// It was put there from here.
    Written,
    /// It was read.
    Read,
    /// It came while the clipboard was watched.
    Watched,
}

/// One thing that was copied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Its number; later entries have higher ones.
    pub number: u64,
    /// When it was seen, in seconds since 1970.
    pub at: u64,
    /// How it came to be seen.
    pub seen: Seen,
    /// On which clipboard.
    pub selection: Which,
    /// The program it came from, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Each form that was kept, in one line: how much, and its beginning.
    pub forms: Vec<Mention>,
    /// Its text, up to 64 KB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Its markup, up to 64 KB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub html: Option<String>,
    /// Its files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// Where its picture is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub picture: Option<String>,
    /// Tells whether two entries are the same: one number a form.
    #[serde(default)]
    digests: Vec<u64>,
}

/// A form in few words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Mention {
    /// The media type.
    pub form: String,
    /// How much, and its beginning.
    pub what: String,
}

/// The history of a desktop.
pub struct History {
    file: PathBuf,
}

impl History {
    /// The history of the desktop a call works on.
    pub fn of(cx: &Context<'_>) -> Result<Self> {
        let name = format!("clipboard-{}.jsonl", super::of(cx)?.desktop());
        Ok(Self { file: cx.refs.join(name) })
    }

    /// The entries, the latest first.
    pub fn entries(&self) -> Result<Vec<Entry>> {
        let mut all = self.read().map_err(|error| self.fault(&error))?;
        all.reverse();
        Ok(all)
    }

    /// Adds what was seen, unless it is what was seen last.
    pub fn add(
        &self,
        seen: Seen,
        selection: Which,
        from: Option<String>,
        items: &[Item],
    ) -> Result<()> {
        self.add_entry(seen, selection, from, items).map_err(|error| self.fault(&error))
    }

    /// Forgets everything.
    pub fn forget(&self) -> Result<()> {
        let forgotten = self.lock().and_then(|_held| {
            for entry in self.read()? {
                drop_picture(&entry);
            }
            write_private(&self.file, b"")
        });
        forgotten.map_err(|error| self.fault(&error))
    }

    fn add_entry(
        &self,
        seen: Seen,
        selection: Which,
        from: Option<String>,
        items: &[Item],
    ) -> io::Result<()> {
        if items.is_empty() {
            return Ok(());
        }
        let digests: Vec<u64> = items.iter().map(digest).collect();
        let _held = self.lock()?;
        let mut all = self.read()?;
        let last = all.last().filter(|last| last.selection == selection);
        if last.is_some_and(|last| holds(&last.digests, &digests)) {
            return Ok(());
        }
        // The same thing seen with more of its forms than before takes the place of the former.
        if last.is_some_and(|last| holds(&digests, &last.digests)) {
            all.pop().iter().for_each(drop_picture);
        }
        let number = all.last().map_or(1, |last| last.number + 1);
        let find = |form: &str| items.iter().find(|item| item.form == form);
        let text = |form: &str| find(form).map(|item| shortened(&item.data));
        let list = text(form::FILES).unwrap_or_default();
        let picture = items.iter().find(|item| item.form.starts_with("image/"));
        let picture = picture.filter(|item| item.data.len() <= PICTURE);
        let picture = picture.map(|item| self.keep_picture(number, item)).transpose()?;
        all.push(Entry {
            number,
            at: SystemTime::UNIX_EPOCH.elapsed().map_or(0, |since| since.as_secs()),
            seen,
            selection,
            from,
            forms: items
                .iter()
                .map(|one| Mention { form: one.form.clone(), what: mention(&one.form, &one.data) })
                .collect(),
            text: text(form::TEXT).or_else(|| text(form::URL)),
            html: text(form::HTML),
            files: files::paths(&list).iter().map(|path| path.display().to_string()).collect(),
            picture: picture.map(|path| path.display().to_string()),
            digests,
        });
        let dropped = all.len().saturating_sub(ENTRIES);
        all.drain(..dropped).as_slice().iter().for_each(drop_picture);
        self.bound_pictures(&mut all);
        let mut lines = Vec::new();
        for entry in &all {
            serde_json::to_writer(&mut lines, entry)?;
            lines.push(b'\n');
        }
        write_private(&self.file, &lines)
    }

    fn keep_picture(&self, number: u64, item: &Item) -> io::Result<PathBuf> {
        let kind = item.form.trim_start_matches("image/");
        let kind: String = kind.chars().filter(char::is_ascii_alphanumeric).take(8).collect();
        let path = self.file.with_extension(format!("{number}.{kind}"));
        write_private(&path, &item.data)?;
        Ok(path)
    }

    /// Drops the oldest pictures until the rest fit.
    fn bound_pictures(&self, all: &mut [Entry]) {
        let mut taken = 0;
        for entry in all.iter_mut().rev() {
            let size = entry.picture.as_ref().and_then(|path| Some(fs::metadata(path).ok()?.len()));
            taken += size.unwrap_or(0);
            if taken > PICTURES {
                drop_picture(entry);
                entry.picture = None;
            }
        }
    }

    /// What is in the file; a line that cannot be read is no entry.
    fn read(&self) -> io::Result<Vec<Entry>> {
        match fs::read_to_string(&self.file) {
            Ok(text) => {
                Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    fn lock(&self) -> io::Result<File> {
        let path = self.file.with_extension("lock");
        let lock =
            OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(path)?;
        let begun = Instant::now();
        loop {
            match lock.try_lock() {
                Ok(()) => return Ok(lock),
                Err(TryLockError::Error(error)) => return Err(error),
                Err(TryLockError::WouldBlock) if begun.elapsed() > PATIENCE => {
                    return Err(io::Error::new(
                        io::ErrorKind::TimedOut,
                        "another process holds it",
                    ));
                }
                Err(TryLockError::WouldBlock) => thread::sleep(Duration::from_millis(2)),
            }
        }
    }

    fn fault(&self, error: &io::Error) -> Error {
        Error::File { path: self.file.display().to_string(), why: error.to_string() }
    }
}

/// Whether a set of forms has all of another.
fn holds(all: &[u64], some: &[u64]) -> bool {
    some.iter().all(|one| all.contains(one))
}

fn digest(item: &Item) -> u64 {
    let mut hasher = DefaultHasher::new();
    (&item.form, &item.data).hash(&mut hasher);
    hasher.finish()
}

fn shortened(data: &[u8]) -> String {
    let text = String::from_utf8_lossy(data);
    let mut end = text.len().min(TEXT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].to_owned()
}

fn drop_picture(entry: &Entry) {
    if let Some(path) = &entry.picture {
        // It is gone already, or the folder goes with the session.
        let _ = fs::remove_file(path);
    }
}

/// Writes a file only this user can read, whole or not at all.
fn write_private(path: &Path, data: &[u8]) -> io::Result<()> {
    let fresh = path.with_extension("new");
    let mut file =
        OpenOptions::new().create(true).truncate(true).write(true).mode(0o600).open(&fresh)?;
    file.write_all(data)?;
    fs::rename(fresh, path)
}

/// Which forms of what is there are kept.
pub fn kept(forms: &[String]) -> impl Iterator<Item = &String> {
    let has_words = forms.iter().any(|form| is_text(form));
    forms.iter().filter(move |form| match form.as_str() {
        form::TEXT | form::HTML | form::FILES | form::URL => true,
        form::PNG => true,
        other => !has_words && other.starts_with("image/"),
    })
}

#[cfg(test)]
mod tests;
