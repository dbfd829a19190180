//! Private desktops: an X server, a session bus, an accessibility bus, a window manager and a home
//! of their own, into which nothing of the caller's session leaks.
//!
//! [`up`] makes one, [`Info::apply`] puts a command into it, [`down`] ends it with everything that
//! runs inside. A desktop that belongs to a process is swept away after that process is gone, by
//! the next [`up`] or [`sweep`] of anyone.

mod bus;
mod crew;
mod ending;
mod environment;
mod error;
mod guard;
mod info;
mod options;
mod place;
mod process;
mod programs;
mod start;
mod state;
mod wm;
mod xserver;

pub use environment::{MARK, STATE_DIR};
pub use error::{Error, Result};
pub use guard::Guard;
pub use info::{Component, Display, Info, Part};
pub use options::{LARGEST_SIDE, LONGEST_NAME, Options, Owner, Size, WIDEST_SCREEN, Whose};
pub use process::Process;
pub use programs::Missing;
pub use start::up;

use place::Place;
use state::{Record, Root};

/// Lists the desktops of this user that are up, by name.
pub fn list() -> Result<Vec<Info>> {
    Ok(Root::locate().live()?.into_iter().filter_map(|record| record.info).collect())
}

/// Finds one desktop by its name.
pub fn find(name: &str) -> Result<Info> {
    let all = list()?;
    let known = all.iter().map(|info| info.name.clone()).collect();
    let found = all.into_iter().find(|info| info.name == name);
    found.ok_or_else(|| Error::Unknown { name: name.to_owned(), known })
}

/// Takes a desktop down; when it returns, nothing of it is left.
pub fn down(name: &str) -> Result<()> {
    let root = Root::locate();
    match root.claim(name, None)? {
        Some((record, place)) => dispose(&root, &record, &place),
        None => find(name).map(drop),
    }
}

/// Takes down every desktop of this user that is up, and returns their names.
pub fn down_all() -> Result<Vec<String>> {
    let root = Root::locate();
    let mut ended = Vec::new();
    for record in root.live()? {
        // Another process may have been faster with this one.
        if let Some((record, place)) = root.claim(&record.name, Some(&record.id))? {
            dispose(&root, &record, &place)?;
            ended.push(record.name);
        }
    }
    Ok(ended)
}

/// Ends what is left of desktops whose owner is gone, and returns their names.
pub fn sweep() -> Result<Vec<String>> {
    sweep_in(&Root::locate())
}

fn sweep_in(root: &Root) -> Result<Vec<String>> {
    let mut swept = Vec::new();
    for (record, place) in root.dead()? {
        // Who began to end it knows programs that nobody else can tell to be of it any more.
        let Some(_turn) = place.turn_now() else { continue };
        clear(root, &record, &place)?;
        swept.push(record.name);
    }
    Ok(swept)
}

/// Ends the processes of a desktop, then removes its files; after whoever is at it already.
fn dispose(root: &Root, record: &Record, place: &Place) -> Result<()> {
    let _turn = place.turn()?;
    clear(root, record, place)
}

fn clear(root: &Root, record: &Record, place: &Place) -> Result<()> {
    let components = record.info.as_ref().map(|info| info.components.as_slice());
    ending::end(&record.id, components.unwrap_or_default())?;
    if let Some(info) = &record.info {
        xserver::remove_leftovers(info);
    }
    root.forget(&record.id, place)
}
