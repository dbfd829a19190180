//! The history of clipboard contents that were written, read or watched. It is limited in size,
//! stored in the private state folder, and never contains secrets.

use std::{
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    io,
    path::PathBuf,
    time::SystemTime,
};

use deskhand_platform::{ClipboardItem, json_lines, mime};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ClipboardSelection, files, is_text_format, summarize};
use crate::{Context, Error, Result};

/// The number of entries.
const MAX_ENTRIES: usize = 50;
/// The number of bytes stored of one text.
const MAX_TEXT_BYTES: usize = 64 << 10;
/// The size of the largest stored image, and of all stored images together.
const MAX_IMAGE_BYTES: usize = 8 << 20;
const MAX_TOTAL_IMAGE_BYTES: u64 = 32 << 20;
/// The way in which content entered the history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HistorySource {
    /// Deskhand wrote it.
    Written,
    /// Deskhand read it.
    Read,
    /// It appeared while the clipboard was watched.
    Watched,
}

/// One clipboard content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryEntry {
    /// The number of the entry; newer entries have higher numbers.
    pub number: u64,
    /// The time, in seconds since 1970.
    pub at: u64,
    /// The way in which it entered the history.
    #[serde(rename = "seen")]
    pub source: HistorySource,
    /// The clipboard.
    pub selection: ClipboardSelection,
    /// The program that it came from, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// A summary of each stored format.
    pub forms: Vec<FormatSummary>,
    /// The text, up to 64 KB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The HTML, up to 64 KB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub html: Option<String>,
    /// The paths of the files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// The path of the stored image.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub picture: Option<String>,
    /// Hashes of the formats, to compare entries.
    #[serde(default)]
    digests: Vec<u64>,
}

/// A summary of one format.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FormatSummary {
    /// The media type.
    pub form: String,
    /// The size and the beginning of the content.
    pub what: String,
}

/// The clipboard history of a desktop.
pub struct History {
    file: PathBuf,
}

impl History {
    /// Returns the history of the desktop that a call works on.
    pub fn of(cx: &Context<'_>) -> Result<Self> {
        let name = format!("clipboard-{}.jsonl", super::clipboard(cx)?.desktop_id());
        Ok(Self { file: cx.state_dir.join(name) })
    }

    /// Returns the entries, the newest first.
    pub fn entries(&self) -> Result<Vec<HistoryEntry>> {
        let mut all = self.read().map_err(|error| self.file_error(&error))?;
        all.reverse();
        Ok(all)
    }

    /// Adds an entry, unless it equals the newest one.
    pub fn add(
        &self,
        source: HistorySource,
        selection: ClipboardSelection,
        from: Option<String>,
        items: &[ClipboardItem],
    ) -> Result<()> {
        self.add_entry(source, selection, from, items).map_err(|error| self.file_error(&error))
    }

    /// Removes all entries.
    pub fn clear(&self) -> Result<()> {
        let cleared = json_lines::lock(&self.file).and_then(|_lock| {
            for entry in self.read()? {
                delete_image(&entry);
            }
            json_lines::replace(&self.file, b"")
        });
        cleared.map_err(|error| self.file_error(&error))
    }

    fn add_entry(
        &self,
        source: HistorySource,
        selection: ClipboardSelection,
        from: Option<String>,
        items: &[ClipboardItem],
    ) -> io::Result<()> {
        if items.is_empty() {
            return Ok(());
        }
        let digests: Vec<u64> = items.iter().map(digest).collect();
        let _lock = json_lines::lock(&self.file)?;
        let mut all = self.read()?;
        let last = all.last().filter(|last| last.selection == selection);
        if last.is_some_and(|last| contains_all(&last.digests, &digests)) {
            return Ok(());
        }
        // The same content with more formats replaces the earlier entry.
        if last.is_some_and(|last| contains_all(&digests, &last.digests)) {
            all.pop().iter().for_each(delete_image);
        }
        let number = all.last().map_or(1, |last| last.number + 1);
        let find = |form: &str| items.iter().find(|item| item.mime_type == form);
        let text = |form: &str| find(form).map(|item| truncate_text(&item.data));
        let list = text(mime::FILES).unwrap_or_default();
        let picture = items.iter().find(|item| item.mime_type.starts_with("image/"));
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
                    form: one.mime_type.clone(),
                    what: summarize(&one.mime_type, &one.data),
                })
                .collect(),
            text: text(mime::TEXT).or_else(|| text(mime::URL)),
            html: text(mime::HTML),
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
        json_lines::replace(&self.file, &json_lines::to_lines(&all)?)
    }

    fn save_image(&self, number: u64, item: &ClipboardItem) -> io::Result<PathBuf> {
        let kind = item.mime_type.trim_start_matches("image/");
        let kind: String = kind.chars().filter(char::is_ascii_alphanumeric).take(8).collect();
        let path = self.file.with_extension(format!("{number}.{kind}"));
        json_lines::replace(&path, &item.data)?;
        Ok(path)
    }

    /// Deletes the oldest images until the rest fit the limit.
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

    /// Reads the entries. Unreadable lines are skipped.
    fn read(&self) -> io::Result<Vec<HistoryEntry>> {
        Ok(json_lines::parse(&json_lines::read(&self.file)?))
    }

    fn file_error(&self, error: &io::Error) -> Error {
        Error::File { path: self.file.display().to_string(), why: error.to_string() }
    }
}

/// Returns `true` if all hashes of `some` are in `all`.
fn contains_all(all: &[u64], some: &[u64]) -> bool {
    some.iter().all(|one| all.contains(one))
}

fn digest(item: &ClipboardItem) -> u64 {
    let mut hasher = DefaultHasher::new();
    (&item.mime_type, &item.data).hash(&mut hasher);
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
        // The image is already gone, or it is deleted together with the folder.
        let _ = fs::remove_file(path);
    }
}

/// Returns the formats that the history stores.
pub fn formats_to_keep(forms: &[String]) -> impl Iterator<Item = &String> {
    let has_words = forms.iter().any(|form| is_text_format(form));
    forms.iter().filter(move |form| match form.as_str() {
        mime::TEXT | mime::HTML | mime::FILES | mime::URL => true,
        mime::PNG => true,
        other => !has_words && other.starts_with("image/"),
    })
}

#[cfg(test)]
mod tests;
