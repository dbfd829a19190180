//! What was copied lately, as far as it was seen here: written, read or watched. Kept in the
//! session's private folder, bounded, and never with secrets.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    hash::{DefaultHasher, Hash, Hasher},
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    thread,
    time::{Instant, SystemTime},
};

use deskhand_platform::{Item, form};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ClipboardSelection, files, is_text_format, summarize};
use crate::{Context, Error, Result, timing};

/// How many entries are kept.
const MAX_ENTRIES: usize = 50;
/// How much of one text is kept.
const MAX_TEXT_BYTES: usize = 64 << 10;
/// The largest picture that is kept, and how much all of them may take.
const MAX_IMAGE_BYTES: usize = 8 << 20;
const MAX_TOTAL_IMAGE_BYTES: u64 = 32 << 20;
/// How an entry came to be seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HistorySource {
    /// It was put there from here.
    Written,
    /// It was read.
    Read,
    /// It came while the clipboard was watched.
    Watched,
}

/// One thing that was copied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryEntry {
    /// Its number; later entries have higher ones.
    pub number: u64,
    /// When it was seen, in seconds since 1970.
    pub at: u64,
    /// How it came to be seen.
    pub source: HistorySource,
    /// On which clipboard.
    pub selection: ClipboardSelection,
    /// The program it came from, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Each form that was kept, in one line: how much, and its beginning.
    pub forms: Vec<FormatSummary>,
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
pub struct FormatSummary {
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
        let name = format!("clipboard-{}.jsonl", super::clipboard(cx)?.desktop());
        Ok(Self { file: cx.state_dir.join(name) })
    }

    /// The entries, the latest first.
    pub fn entries(&self) -> Result<Vec<HistoryEntry>> {
        let mut all = self.read().map_err(|error| self.file_error(&error))?;
        all.reverse();
        Ok(all)
    }

    /// Adds what was seen, unless it is what was seen last.
    pub fn add(
        &self,
        source: HistorySource,
        selection: ClipboardSelection,
        from: Option<String>,
        items: &[Item],
    ) -> Result<()> {
        self.add_entry(source, selection, from, items).map_err(|error| self.file_error(&error))
    }

    /// Forgets everything.
    pub fn clear(&self) -> Result<()> {
        let cleared = self.lock().and_then(|_lock| {
            for entry in self.read()? {
                delete_image(&entry);
            }
            write_private(&self.file, b"")
        });
        cleared.map_err(|error| self.file_error(&error))
    }

    fn add_entry(
        &self,
        source: HistorySource,
        selection: ClipboardSelection,
        from: Option<String>,
        items: &[Item],
    ) -> io::Result<()> {
        if items.is_empty() {
            return Ok(());
        }
        let digests: Vec<u64> = items.iter().map(digest).collect();
        let _lock = self.lock()?;
        let mut all = self.read()?;
        let last = all.last().filter(|last| last.selection == selection);
        if last.is_some_and(|last| contains_all(&last.digests, &digests)) {
            return Ok(());
        }
        // The same thing seen with more of its forms than before takes the place of the former.
        if last.is_some_and(|last| contains_all(&digests, &last.digests)) {
            all.pop().iter().for_each(delete_image);
        }
        let number = all.last().map_or(1, |last| last.number + 1);
        let find = |form: &str| items.iter().find(|item| item.form == form);
        let text = |form: &str| find(form).map(|item| truncate_text(&item.data));
        let list = text(form::FILES).unwrap_or_default();
        let picture = items.iter().find(|item| item.form.starts_with("image/"));
        let picture = picture.filter(|item| item.data.len() <= MAX_IMAGE_BYTES);
        let picture = picture.map(|item| self.save_image(number, item)).transpose()?;
        all.push(HistoryEntry {
            number,
            at: SystemTime::UNIX_EPOCH.elapsed().map_or(0, |since| since.as_secs()),
            source,
            selection,
            from,
            forms: items
                .iter()
                .map(|one| FormatSummary {
                    form: one.form.clone(),
                    what: summarize(&one.form, &one.data),
                })
                .collect(),
            text: text(form::TEXT).or_else(|| text(form::URL)),
            html: text(form::HTML),
            files: files::from_uri_list(&list)
                .iter()
                .map(|path| path.display().to_string())
                .collect(),
            picture: picture.map(|path| path.display().to_string()),
            digests,
        });
        let dropped = all.len().saturating_sub(MAX_ENTRIES);
        all.drain(..dropped).as_slice().iter().for_each(delete_image);
        self.limit_images(&mut all);
        let mut lines = Vec::new();
        for entry in &all {
            serde_json::to_writer(&mut lines, entry)?;
            lines.push(b'\n');
        }
        write_private(&self.file, &lines)
    }

    fn save_image(&self, number: u64, item: &Item) -> io::Result<PathBuf> {
        let kind = item.form.trim_start_matches("image/");
        let kind: String = kind.chars().filter(char::is_ascii_alphanumeric).take(8).collect();
        let path = self.file.with_extension(format!("{number}.{kind}"));
        write_private(&path, &item.data)?;
        Ok(path)
    }

    /// Drops the oldest pictures until the rest fit.
    fn limit_images(&self, all: &mut [HistoryEntry]) {
        let mut taken = 0;
        for entry in all.iter_mut().rev() {
            let size = entry.picture.as_ref().and_then(|path| Some(fs::metadata(path).ok()?.len()));
            taken += size.unwrap_or(0);
            if taken > MAX_TOTAL_IMAGE_BYTES {
                delete_image(entry);
                entry.picture = None;
            }
        }
    }

    /// What is in the file; a line that cannot be read is no entry.
    fn read(&self) -> io::Result<Vec<HistoryEntry>> {
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
        let started = Instant::now();
        loop {
            match lock.try_lock() {
                Ok(()) => return Ok(lock),
                Err(TryLockError::Error(error)) => return Err(error),
                Err(TryLockError::WouldBlock) if started.elapsed() > timing::FILE_LOCK_TIMEOUT => {
                    return Err(io::Error::new(
                        io::ErrorKind::TimedOut,
                        "another process holds it",
                    ));
                }
                Err(TryLockError::WouldBlock) => thread::sleep(timing::FILE_LOCK_POLL),
            }
        }
    }

    fn file_error(&self, error: &io::Error) -> Error {
        Error::File { path: self.file.display().to_string(), why: error.to_string() }
    }
}

/// Whether a set of forms has all of another.
fn contains_all(all: &[u64], some: &[u64]) -> bool {
    some.iter().all(|one| all.contains(one))
}

fn digest(item: &Item) -> u64 {
    let mut hasher = DefaultHasher::new();
    (&item.form, &item.data).hash(&mut hasher);
    hasher.finish()
}

fn truncate_text(data: &[u8]) -> String {
    let text = String::from_utf8_lossy(data);
    let mut end = text.len().min(MAX_TEXT_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].to_owned()
}

fn delete_image(entry: &HistoryEntry) {
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
pub fn formats_to_keep(forms: &[String]) -> impl Iterator<Item = &String> {
    let has_words = forms.iter().any(|form| is_text_format(form));
    forms.iter().filter(move |form| match form.as_str() {
        form::TEXT | form::HTML | form::FILES | form::URL => true,
        form::PNG => true,
        other => !has_words && other.starts_with("image/"),
    })
}

#[cfg(test)]
mod tests;
