//! What was copied, over a pasteboard.
//!
//! The pasteboard server keeps what is written after the program that wrote it has ended, as nothing here is
//! promised for later. There is one pasteboard for what is copied, and none for what is selected.

mod changes;
mod forms;
mod write;

use std::sync::Arc;

use deskhand_platform::{
    Changes, Clipboard, Contents, Deadline, Error, Item, Mark, Result, Selection, form,
};

pub(crate) use self::write::Laid;
use self::{
    changes::Counted,
    forms::{FILE, REMOTE, SOURCE, URL, URL_NAME},
};
use crate::patience::within;

/// Who is asked.
const PASTEBOARD: &str = "the pasteboard";

/// How often what is there is read again because it changed meanwhile.
const AGAIN: usize = 3;

/// How the Finder writes addresses of files: by number, which only this machine can follow.
const BY_NUMBER: &str = "file:///.file/id=";

/// What this room needs of the system.
pub(crate) trait Board: Send + Sync + 'static {
    /// How often the pasteboard has changed since the person logged in.
    fn count(&self) -> isize;

    /// The types each item comes in, in the order its program gave them.
    fn kinds(&self) -> Vec<Vec<String>>;

    /// One item in one type; its program may have to make it first.
    fn data(&self, item: usize, kind: &str) -> Option<Vec<u8>>;

    /// Puts items there in place of what is there; whether it took them.
    fn replace(&self, items: Vec<Laid>, reach: Reach) -> bool;

    /// Leaves nothing there.
    fn clear(&self);

    /// What a person has decided about programs that read what others copied.
    fn leave(&self) -> Leave;

    /// The media type of a uniform type identifier, where the system knows one.
    fn media_of(&self, kind: &str) -> Option<String>;

    /// The uniform type identifier of a media type; made up where the system knows none.
    fn type_of(&self, media: &str) -> Option<String>;

    /// A picture as a PNG; `None` when it is none.
    fn png_of(&self, picture: &[u8]) -> Option<Vec<u8>>;

    /// The address of a file by its path, when it is given by its number.
    fn by_path(&self, address: &str) -> Option<String>;
}

/// How far what is written goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// To the other devices of the person, too.
    Devices,
    /// Not off this machine.
    Here,
}

/// Whether this program may read what others copied; asked about since macOS 15.4.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Leave {
    /// It may, or the system asks the person each time.
    Given,
    /// A person has said no.
    Denied,
}

/// The general pasteboard.
pub(crate) struct MacClipboard<G> {
    board: Arc<G>,
}

impl<G: Board> MacClipboard<G> {
    pub(crate) fn new(board: Arc<G>) -> Self {
        Self { board }
    }

    /// Runs something on the pasteboard, if it is the one there is.
    fn on<T: Send + 'static>(
        &self,
        at: Selection,
        by: Deadline,
        job: impl FnOnce(&G) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        there(at)?;
        let board = Arc::clone(&self.board);
        within(by, PASTEBOARD, move || job(&board))
    }
}

fn there(at: Selection) -> Result<()> {
    match at {
        Selection::Clipboard => Ok(()),
        Selection::Primary => Err(Error::Unsupported {
            what: "using the primary selection".to_owned(),
            why: "macOS has none: only what is copied on purpose can be pasted".to_owned(),
        }),
    }
}

impl<G: Board> Clipboard for MacClipboard<G> {
    fn desktop(&self) -> String {
        // A login session has exactly one of them.
        "general".to_owned()
    }

    fn look(&self, at: Selection, by: Deadline) -> Result<Contents> {
        self.on(at, by, |board| steady(board, || Some(contents(board, &board.kinds()))))
    }

    fn read(&self, at: Selection, form: &str, by: Deadline) -> Result<Option<Vec<u8>>> {
        let form = form.to_owned();
        self.on(at, by, move |board| {
            let (found, listed) = steady(board, || {
                let items = board.kinds();
                let found = in_form(board, &items, &form);
                let listed = found.is_some() || contents(board, &items).forms.contains(&form);
                Some((found, listed))
            })?;
            if found.is_none() && listed && board.leave() == Leave::Denied {
                return Err(denied());
            }
            Ok(found)
        })
    }

    fn write(&self, at: Selection, items: Vec<Item>, mark: Mark, by: Deadline) -> Result<()> {
        self.on(at, by, move |board| {
            let laid = write::laid_out(board, items, mark)?;
            let reach = match mark {
                Mark::Open => Reach::Devices,
                Mark::Concealed => Reach::Here,
            };
            if board.replace(laid, reach) {
                return Ok(());
            }
            let why = "it did not take what was written; what was there before is gone".to_owned();
            Err(Error::Unexpected { what: PASTEBOARD.to_owned(), why })
        })
    }

    fn clear(&self, at: Selection, by: Deadline) -> Result<()> {
        self.on(at, by, |board| {
            board.clear();
            Ok(())
        })
    }

    fn watch(&self, at: Selection, by: Deadline) -> Result<Box<dyn Changes>> {
        there(at)?;
        Ok(Box::new(Counted::begin(Arc::clone(&self.board), by)?))
    }
}

/// Takes several looks as one: again when something else was copied in between.
fn steady<T>(board: &impl Board, mut look: impl FnMut() -> Option<T>) -> Result<T> {
    for _ in 0..AGAIN {
        let before = board.count();
        let seen = look();
        if let Some(seen) = seen.filter(|_| board.count() == before) {
            return Ok(seen);
        }
    }
    Err(Error::Gone { what: "what was copied".to_owned() })
}

/// What is there, without its data.
fn contents(board: &impl Board, items: &[Vec<String>]) -> Contents {
    let kinds: Vec<&String> = items.iter().flatten().collect();
    let mut forms: Vec<String> = Vec::new();
    let mut add = |form: String| {
        if !forms.contains(&form) {
            forms.push(form);
        }
    };
    for kind in &kinds {
        match forms::known_form(kind) {
            // The title of a link alone is none.
            Some(_) if kind.as_str() == URL_NAME => {}
            Some(form) => add(form.to_owned()),
            None => match board.media_of(kind) {
                Some(media) => add(media),
                None if forms::is_talk(kind) => {}
                // What has no media type is there under the name macOS has for it.
                None => add((*kind).clone()),
            },
        }
    }
    // Programs of this system copy pictures as TIFF, which no others take; it is handed out as both.
    if kinds.iter().any(|kind| forms::known_form(kind) == Some(forms::TIFF)) {
        add(form::PNG.to_owned());
    }
    let links = items.iter().filter(|item| item.iter().any(|kind| kind == URL)).count();
    if links > 1 {
        add(form::FILES.to_owned());
    }
    let is = |name: &str| kinds.iter().any(|kind| *kind == name);
    let source = first(board, items, &[SOURCE]).map(|(_, data)| data);
    let source = source.map(|data| String::from_utf8_lossy(&data).trim().to_owned());
    Contents {
        forms,
        concealed: items.iter().any(|kinds| forms::is_concealed(kinds)),
        from: source
            .filter(|name| !name.is_empty())
            .or_else(|| is(REMOTE).then(|| "another device".to_owned())),
    }
}

/// What is there in one form.
fn in_form(board: &impl Board, items: &[Vec<String>], form: &str) -> Option<Vec<u8>> {
    match form {
        form::TEXT => {
            // Several things that were copied at once are several lines.
            let each = (0..items.len()).filter_map(|at| {
                let (kind, data) = first_of(board, items, at, forms::known_types(form))?;
                Some(forms::utf8(kind, data))
            });
            let lines: Vec<Vec<u8>> = each.collect();
            (!lines.is_empty()).then(|| lines.join(&b'\n'))
        }
        form::HTML => {
            let (kind, data) = first(board, items, forms::known_types(form))?;
            Some(forms::utf8(kind, data))
        }
        form::FILES => files(board, items),
        form::PNG => {
            let png = first(board, items, forms::known_types(form)).map(|(_, data)| data);
            png.or_else(|| {
                let (_, tiff) = first(board, items, forms::known_types(forms::TIFF))?;
                board.png_of(&tiff)
            })
        }
        form::URL => {
            let at = items.iter().position(|kinds| kinds.iter().any(|kind| kind == URL))?;
            let mut link = board.data(at, URL)?;
            if items.get(at).is_some_and(|kinds| kinds.iter().any(|kind| kind == URL_NAME))
                && let Some(title) = board.data(at, URL_NAME).filter(|title| !title.is_empty())
            {
                link.push(b'\n');
                link.extend(title);
            }
            Some(link)
        }
        other => {
            let known = forms::known_types(other);
            if !known.is_empty() {
                return first(board, items, known).map(|(_, data)| data);
            }
            let named =
                |kind: &&String| *kind == other || board.media_of(kind).as_deref() == Some(other);
            let kind = items.iter().flatten().find(named)?;
            first(board, items, &[kind.as_str()]).map(|(_, data)| data)
        }
    }
}

/// Files, one address a line; addresses of other kinds where there are no files.
fn files(board: &impl Board, items: &[Vec<String>]) -> Option<Vec<u8>> {
    let of = |kind: &str| {
        let each = (0..items.len()).filter_map(|at| first_of(board, items, at, &[kind]));
        let addresses = each.map(|(_, data)| {
            let address = String::from_utf8_lossy(&data).trim().to_owned();
            let by_number = address.starts_with(BY_NUMBER);
            // A file that is gone has no path any more; its number is all there is.
            let path = by_number.then(|| board.by_path(&address)).flatten();
            format!("{}\r\n", path.unwrap_or(address))
        });
        addresses.collect::<String>()
    };
    let list = Some(of(FILE)).filter(|list| !list.is_empty()).unwrap_or_else(|| of(URL));
    (!list.is_empty()).then(|| list.into_bytes())
}

/// The data of the first item that comes in one of these types, the best type first.
fn first<'a>(
    board: &impl Board,
    items: &[Vec<String>],
    wanted: &[&'a str],
) -> Option<(&'a str, Vec<u8>)> {
    (0..items.len()).find_map(|at| first_of(board, items, at, wanted))
}

fn first_of<'a>(
    board: &impl Board,
    items: &[Vec<String>],
    at: usize,
    wanted: &[&'a str],
) -> Option<(&'a str, Vec<u8>)> {
    let there = items.get(at)?;
    let mut fitting = wanted.iter().filter(|kind| there.iter().any(|one| one == **kind));
    fitting.find_map(|kind| Some((*kind, board.data(at, kind)?)))
}

fn denied() -> Error {
    Error::Unsupported {
        what: "reading what another app copied".to_owned(),
        why: "a person has denied it to this program: allow it in System Settings > Privacy & Security \
              > Paste from Other Apps"
            .to_owned(),
    }
}

#[cfg(test)]
mod tests;
