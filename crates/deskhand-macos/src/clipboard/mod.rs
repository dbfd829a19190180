//! The clipboard, over the general pasteboard.
//!
//! The pasteboard server keeps the data after the program that wrote it has ended, since all data is written at
//! once. macOS has no primary selection.

mod changes;
mod uti;
mod write;

use std::sync::Arc;

use deskhand_platform::{
    Clipboard, ClipboardChanges, ClipboardContents, ClipboardItem, Deadline, Error, Result,
    Selection, Sensitivity, mime,
};

pub(crate) use self::write::PasteboardItem;
use self::{
    changes::ChangeCountPoller,
    uti::{FILE, REMOTE, SOURCE, URL, URL_NAME},
};
use crate::blocking::run_with_deadline;

/// The callee in errors.
const PASTEBOARD: &str = "the pasteboard";

/// The number of attempts to read a consistent state.
const MAX_READ_ATTEMPTS: usize = 3;

/// The prefix of file URLs that the Finder writes: a file number, which only this machine can resolve.
const FILE_ID_URL_PREFIX: &str = "file:///.file/id=";

/// The system calls for the pasteboard.
pub(crate) trait PasteboardApi: Send + Sync + 'static {
    /// The number of changes since login.
    fn change_count(&self) -> isize;

    /// The types of each item, in the order of the app that copied it.
    fn item_types(&self) -> Vec<Vec<String>>;

    /// The data of an item in one type. The app that copied it may have to generate it first.
    fn data(&self, item: usize, uti: &str) -> Option<Vec<u8>>;

    /// Replaces the content. Returns `false` if the pasteboard rejected it.
    fn replace(&self, items: Vec<PasteboardItem>, scope: PasteboardScope) -> bool;

    /// Removes the content.
    fn clear(&self);

    /// The user's decision about reading the content of other apps.
    fn read_access(&self) -> ReadAccess;

    /// The MIME type of a UTI, if macOS knows one.
    fn mime_type_of(&self, uti: &str) -> Option<String>;

    /// The UTI of a MIME type. macOS generates one if it knows none.
    fn uti_of(&self, mime_type: &str) -> Option<String>;

    /// Converts a picture to PNG. `None` if the data is not a picture.
    fn to_png(&self, picture: &[u8]) -> Option<Vec<u8>>;

    /// Converts a file URL with a file number to one with a path.
    fn file_path_url(&self, url: &str) -> Option<String>;
}

/// The devices that receive written content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PasteboardScope {
    /// Also the user's other devices, through Universal Clipboard.
    AllDevices,
    ThisMac,
}

/// The permission to read content that other apps copied. It exists since macOS 15.4.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReadAccess {
    /// Reading is allowed, or macOS asks the user each time.
    Allowed,
    /// The user has denied it.
    Denied,
}

/// The clipboard of macOS.
pub(crate) struct MacClipboard<S> {
    board: Arc<S>,
}

impl<S: PasteboardApi> MacClipboard<S> {
    pub(crate) fn new(board: Arc<S>) -> Self {
        Self { board }
    }

    /// Runs a blocking operation on the pasteboard. Fails for the primary selection.
    fn run<T: Send + 'static>(
        &self,
        selection: Selection,
        deadline: Deadline,
        operation: impl FnOnce(&S) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        check_selection(selection)?;
        let board = Arc::clone(&self.board);
        run_with_deadline(deadline, PASTEBOARD, move || operation(&board))
    }
}

fn check_selection(selection: Selection) -> Result<()> {
    match selection {
        Selection::Clipboard => Ok(()),
        Selection::Primary => Err(Error::Unsupported {
            what: "using the primary selection".to_owned(),
            why: "macOS has none; use the clipboard".to_owned(),
        }),
    }
}

impl<S: PasteboardApi> Clipboard for MacClipboard<S> {
    fn desktop_id(&self) -> String {
        // A login session has one general pasteboard.
        "general".to_owned()
    }

    fn contents(&self, at: Selection, deadline: Deadline) -> Result<ClipboardContents> {
        self.run(at, deadline, |board| {
            read_consistently(board, || contents(board, &board.item_types()))
        })
    }

    fn read(&self, at: Selection, mime_type: &str, deadline: Deadline) -> Result<Option<Vec<u8>>> {
        let mime_type = mime_type.to_owned();
        self.run(at, deadline, move |board| {
            let (data, listed) = read_consistently(board, || {
                let items = board.item_types();
                let data = read_as(board, &items, &mime_type);
                let listed =
                    data.is_some() || contents(board, &items).mime_types.contains(&mime_type);
                (data, listed)
            })?;
            if data.is_none() && listed && board.read_access() == ReadAccess::Denied {
                return Err(denied());
            }
            Ok(data)
        })
    }

    fn write(
        &self,
        at: Selection,
        items: Vec<ClipboardItem>,
        mark: Sensitivity,
        deadline: Deadline,
    ) -> Result<()> {
        self.run(at, deadline, move |board| {
            let items = write::to_pasteboard_items(board, items, mark)?;
            let scope = match mark {
                Sensitivity::Normal => PasteboardScope::AllDevices,
                Sensitivity::Concealed => PasteboardScope::ThisMac,
            };
            if board.replace(items, scope) {
                return Ok(());
            }
            let why = "it rejected the new content; the old content is lost".to_owned();
            Err(Error::Unexpected { what: PASTEBOARD.to_owned(), why })
        })
    }

    fn clear(&self, at: Selection, deadline: Deadline) -> Result<()> {
        self.run(at, deadline, |board| {
            board.clear();
            Ok(())
        })
    }

    fn watch(&self, at: Selection, deadline: Deadline) -> Result<Box<dyn ClipboardChanges>> {
        check_selection(at)?;
        Ok(Box::new(ChangeCountPoller::new(Arc::clone(&self.board), deadline)?))
    }
}

/// Reads several times until the content did not change during the read.
fn read_consistently<T>(board: &impl PasteboardApi, mut read: impl FnMut() -> T) -> Result<T> {
    for _ in 0..MAX_READ_ATTEMPTS {
        let before = board.change_count();
        let result = read();
        if board.change_count() == before {
            return Ok(result);
        }
    }
    Err(Error::Gone { what: "the clipboard content".to_owned() })
}

/// The MIME types and the source of the content, without its data.
fn contents(board: &impl PasteboardApi, items: &[Vec<String>]) -> ClipboardContents {
    let utis: Vec<&String> = items.iter().flatten().collect();
    let mut forms: Vec<String> = Vec::new();
    let mut add = |mime_type: String| {
        if !forms.contains(&mime_type) {
            forms.push(mime_type);
        }
    };
    for uti in &utis {
        match uti::known_mime_type(uti) {
            // The title of a link is not content.
            Some(_) if uti.as_str() == URL_NAME => {}
            Some(mime_type) => add(mime_type.to_owned()),
            None => match board.mime_type_of(uti) {
                Some(mime_type) => add(mime_type),
                None if uti::is_metadata(uti) => {}
                // A type without a MIME type is listed by its UTI.
                None => add((*uti).clone()),
            },
        }
    }
    // macOS apps copy pictures as TIFF, which few clients support, so PNG is offered too.
    if utis.iter().any(|uti| uti::known_mime_type(uti) == Some(uti::TIFF)) {
        add(mime::PNG.to_owned());
    }
    let links = items.iter().filter(|utis| utis.iter().any(|uti| uti == URL)).count();
    if links > 1 {
        add(mime::FILES.to_owned());
    }
    let has = |name: &str| utis.iter().any(|uti| *uti == name);
    let source = first_data(board, items, &[SOURCE]).map(|(_, data)| data);
    let source = source.map(|data| String::from_utf8_lossy(&data).trim().to_owned());
    ClipboardContents {
        mime_types: forms,
        concealed: items.iter().any(|utis| uti::is_concealed(utis)),
        source: source
            .filter(|name| !name.is_empty())
            .or_else(|| has(REMOTE).then(|| "another device".to_owned())),
    }
}

/// The content in one MIME type.
fn read_as(board: &impl PasteboardApi, items: &[Vec<String>], mime_type: &str) -> Option<Vec<u8>> {
    match mime_type {
        mime::TEXT => {
            // The texts of several items are joined as lines.
            let each = (0..items.len()).filter_map(|at| {
                let (uti, data) = item_data(board, items, at, uti::known_utis(mime_type))?;
                Some(uti::utf8(uti, data))
            });
            let lines: Vec<Vec<u8>> = each.collect();
            (!lines.is_empty()).then(|| lines.join(&b'\n'))
        }
        mime::HTML => {
            let (uti, data) = first_data(board, items, uti::known_utis(mime_type))?;
            Some(uti::utf8(uti, data))
        }
        mime::FILES => files(board, items),
        mime::PNG => {
            let png = first_data(board, items, uti::known_utis(mime_type)).map(|(_, data)| data);
            png.or_else(|| {
                let (_, tiff) = first_data(board, items, uti::known_utis(uti::TIFF))?;
                board.to_png(&tiff)
            })
        }
        mime::URL => {
            let at = items.iter().position(|utis| utis.iter().any(|uti| uti == URL))?;
            let mut link = board.data(at, URL)?;
            if items.get(at).is_some_and(|utis| utis.iter().any(|uti| uti == URL_NAME))
                && let Some(title) = board.data(at, URL_NAME).filter(|title| !title.is_empty())
            {
                link.push(b'\n');
                link.extend(title);
            }
            Some(link)
        }
        other => {
            let known = uti::known_utis(other);
            if !known.is_empty() {
                return first_data(board, items, known).map(|(_, data)| data);
            }
            let matches =
                |uti: &&String| *uti == other || board.mime_type_of(uti).as_deref() == Some(other);
            let uti = items.iter().flatten().find(matches)?;
            first_data(board, items, &[uti.as_str()]).map(|(_, data)| data)
        }
    }
}

/// The file URLs, one per line. If there are no files, all other URLs.
fn files(board: &impl PasteboardApi, items: &[Vec<String>]) -> Option<Vec<u8>> {
    let urls_of = |uti: &str| {
        let each = (0..items.len()).filter_map(|at| item_data(board, items, at, &[uti]));
        let lines = each.map(|(_, data)| {
            let url = String::from_utf8_lossy(&data).trim().to_owned();
            let by_number = url.starts_with(FILE_ID_URL_PREFIX);
            // A deleted file has no path, so its number stays.
            let path_url = by_number.then(|| board.file_path_url(&url)).flatten();
            format!("{}\r\n", path_url.unwrap_or(url))
        });
        lines.collect::<String>()
    };
    let list = Some(urls_of(FILE)).filter(|list| !list.is_empty()).unwrap_or_else(|| urls_of(URL));
    (!list.is_empty()).then(|| list.into_bytes())
}

/// The data of the first item with one of these types, which are in order of preference.
fn first_data<'a>(
    board: &impl PasteboardApi,
    items: &[Vec<String>],
    utis: &[&'a str],
) -> Option<(&'a str, Vec<u8>)> {
    (0..items.len()).find_map(|at| item_data(board, items, at, utis))
}

/// The data of one item in the first of these types that it has.
fn item_data<'a>(
    board: &impl PasteboardApi,
    items: &[Vec<String>],
    at: usize,
    utis: &[&'a str],
) -> Option<(&'a str, Vec<u8>)> {
    let available = items.get(at)?;
    let mut matching = utis.iter().filter(|uti| available.iter().any(|one| one == **uti));
    matching.find_map(|uti| Some((*uti, board.data(at, uti)?)))
}

fn denied() -> Error {
    Error::Unsupported {
        what: "reading what another app copied".to_owned(),
        why: "the user has denied it to this program; allow it in System Settings > Privacy & Security > \
              Paste from Other Apps"
            .to_owned(),
    }
}

#[cfg(test)]
mod tests;
