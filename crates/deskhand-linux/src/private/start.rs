//! Making a desktop: the chains of display and bus run side by side and meet at accessibility.

use std::thread::{self, ScopedJoinHandle};
use std::time::{SystemTime, UNIX_EPOCH};

use super::crew::Crew;
use super::environment::DEFAULT_PATH;
use super::error::Result;
use super::info::{Display, Info};
use super::options::{Options, Whose, arrange, check_name};
use super::programs::Programs;
use super::state::{Record, Root};
use super::{bus, ending, sweep_in, wm, xserver};
use crate::folders;

/// Makes a desktop and returns when programs can be started in it. What dead owners left is swept
/// away first.
pub fn up(options: &Options) -> Result<Info> {
    let displays = arrange(&options.displays)?;
    options.name.as_deref().map_or(Ok(()), check_name)?;
    let search = std::env::var_os("PATH").unwrap_or_else(|| DEFAULT_PATH.into());
    let programs = Programs::find(&search)?;
    let root = Root::locate();
    // A dead desktop that cannot be removed is no reason to refuse a new one; it is tried again
    // by every sweep, and `sweep` itself reports it.
    let _ = sweep_in(&root);
    let (record, place) = root.reserve(options.name.as_deref(), options.owner)?;
    let crew = Crew::new(&place, &record.id);
    let made = place.furnish().and_then(|()| {
        let info = make(&crew, &programs, &record, displays, options.whose)?;
        record.with(info.clone()).write(&place)?;
        Ok(info)
    });
    if made.is_err() {
        // The first error is the one to tell; what is left is found by the next sweep.
        let _ = abandon(&root, &record, &crew);
    }
    made
}

fn make(
    crew: &Crew<'_>,
    programs: &Programs,
    record: &Record,
    displays: Vec<Display>,
    whose: Whose,
) -> Result<Info> {
    let (display, a11y_bus) = thread::scope(|scope| {
        let session = scope.spawn(|| bus::start(crew, programs));
        let display = xserver::start(crew, programs, &displays)?;
        let connection = xserver::connect(&display, &crew.place().xauthority())?;
        xserver::divide(&connection, &displays)
            .map_err(|error| crew.failed(&programs.xvfb, &error.to_string()))?;
        let shown = display.clone();
        let manager = scope.spawn(move || wm::start(crew, programs, &shown, &connection));
        let session = joined(session)?;
        let a11y_bus = bus::start_a11y(crew, programs, &session, &display)?;
        joined(manager)?;
        Ok((display, a11y_bus))
    })?;
    let place = crew.place();
    Ok(Info {
        name: record.name.clone(),
        id: record.id.clone(),
        display,
        displays,
        session_bus: place.session_bus(),
        a11y_bus,
        home: place.home(),
        runtime_dir: place.runtime_dir(),
        xauthority: place.xauthority(),
        state_dir: place.state_dir(),
        folders: match whose {
            Whose::Persons => folders::folders(),
            Whose::Own => folders::below(&place.home(), &place.runtime_dir()),
        },
        owner: record.owner,
        created_ms: now_ms(),
        components: crew.components(),
    })
}

fn joined<T>(thread: ScopedJoinHandle<'_, Result<T>>) -> Result<T> {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

fn abandon(root: &Root, record: &Record, crew: &Crew<'_>) -> Result<()> {
    match root.claim(&record.name, Some(&record.id))? {
        Some((record, place)) => {
            let _turn = place.turn()?;
            ending::end(&record.id, &crew.components())?;
            root.forget(&record.id, &place)
        }
        None => Ok(()),
    }
}

fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
