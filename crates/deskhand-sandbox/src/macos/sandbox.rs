//! A sandbox: its folders, its broker, and all its cells.

use std::{
    collections::BTreeMap,
    fs, io,
    os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt, symlink},
    path::{Path, PathBuf},
    process::Command,
    sync::{Arc, Mutex, PoisonError, Weak},
};

use tempfile::TempDir;

use super::{
    broker::Watcher,
    cell::{Cell, Course},
    shell::Shell,
    start,
};
use crate::{
    Broker, Error, How, Plan, Request, probe,
    seatbelt::{
        command::HOLDER,
        mark::Mark,
        place::{Place, environment, links, settings},
        profile::profile,
        verdict::{enforceable, judged},
    },
};

/// Runs programs held to one plan. With it end all of them.
#[derive(Debug)]
pub struct Sandbox {
    held: Arc<Held>,
    /// The folder that is this sandbox's own, gone with it.
    _root: TempDir,
}

/// What holds for every program of a sandbox.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) plan: Plan,
    pub(super) watcher: Arc<Watcher>,
    /// Where scripts are while a shell opens them; programs cannot read there.
    pub(super) scripts: PathBuf,
    how: How,
    place: Place,
    /// The folder that all of these are in, and what tells it from another in its place.
    root: PathBuf,
    identity: (u64, u64),
    environment: BTreeMap<String, String>,
    courses: Mutex<Vec<Weak<Course>>>,
}

impl Held {
    /// The command of a request, held to the plan.
    pub(super) fn command(
        &self,
        request: &Request,
        mark: &Mark,
        terminal: Option<&Path>,
    ) -> io::Result<Command> {
        self.keep()?;
        let profile = profile(&self.plan, &self.place, mark, terminal);
        start::command(request, &self.environment, self.how, &profile)
    }

    /// Makes the folders anew that are gone: the system clears away what nobody has touched for three days.
    /// Nothing is written into them from outside once a program has run, as it may have left links there.
    fn keep(&self) -> io::Result<()> {
        let meta = self.root.symlink_metadata()?;
        if (meta.dev(), meta.ino()) != self.identity {
            return Err(io::Error::other("the sandbox's own folder is gone: begin a new session"));
        }
        for folder in [&self.place.home, &self.place.temporary, &self.scripts] {
            match fs::DirBuilder::new().mode(0o700).create(folder) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                Ok(()) | Err(_) => {}
            }
        }
        Ok(())
    }

    /// Remembers a program for as long as somebody asks for it.
    pub(super) fn add(&self, course: &Arc<Course>) {
        let mut all = self.courses.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|one| one.strong_count() > 0);
        all.push(Arc::downgrade(course));
    }
}

impl Sandbox {
    /// Makes the folders of a plan, and tries whether it holds.
    ///
    /// # Errors
    ///
    /// When the kernel cannot enforce the plan, or does not.
    pub fn open(plan: &Plan, how: How, by: &Broker) -> Result<Self, Error> {
        if how == How::Kernel {
            enforceable(&plan.bounds)?;
            if !Path::new(HOLDER).is_file() {
                let why = format!("there is no {HOLDER}");
                let remedy = "it comes with macOS: restore the system".to_owned();
                return Err(Error::Unenforced { why, remedy });
            }
        }
        let meta = plan.scope.metadata().map_err(gone)?;
        if (meta.dev(), meta.ino()) != plan.identity {
            let why = "another folder is in its place".to_owned();
            return Err(Error::Scope { folder: plan.scope.clone(), why });
        }
        let watcher = Arc::new(Watcher::start(by).map_err(gone)?);
        let root = new_folder().map_err(gone)?;
        let own = root.path().symlink_metadata().map_err(gone)?;
        let place = Place { home: root.path().join("h"), temporary: root.path().join("t") };
        let environment = match how {
            How::Kernel => environment(plan, &place, developer().as_deref()),
            How::None => own_environment(),
        };
        let held = Held {
            scripts: root.path().join("s"),
            plan: Plan { environment: environment.clone(), ..plan.clone() },
            watcher,
            how,
            place,
            root: root.path().to_owned(),
            identity: (own.dev(), own.ino()),
            environment,
            courses: Mutex::default(),
        };
        let sandbox = Self { held: Arc::new(held), _root: root };
        furnish(plan, &sandbox.held).map_err(gone)?;
        probe::tried(&sandbox, how).map_err(judged)?;
        Ok(sandbox)
    }

    /// The plan its programs are held to.
    pub fn plan(&self) -> &Plan {
        &self.held.plan
    }

    /// A cell that is ready for a program.
    ///
    /// # Errors
    ///
    /// None here; where cells are made ahead they may be gone.
    pub fn cell(&self) -> Result<Cell, Error> {
        Ok(Cell::new(self.held.clone()))
    }

    /// A shell that is ready for a script.
    ///
    /// # Errors
    ///
    /// As for a cell.
    pub fn shell(&self) -> Result<Shell, Error> {
        Ok(Shell::new(&self.held))
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        let courses = self.held.courses.lock().unwrap_or_else(PoisonError::into_inner);
        for course in courses.iter().filter_map(Weak::upgrade) {
            course.cut();
        }
    }
}

/// Where the sandboxes' own folders are. The system's folder for what is temporary has so long a name that a
/// socket in one of these would not fit into 103 bytes any more.
const TEMPORARY: &str = "/private/tmp";

/// A folder nobody else can look into, without links on the way to it.
fn new_folder() -> io::Result<TempDir> {
    let private = fs::Permissions::from_mode(0o700);
    tempfile::Builder::new().prefix("dh-").permissions(private).tempdir_in(TEMPORARY)
}

/// The folder of Apple's tools for developers. The programs of the same names in `/usr/bin` look for it anew at
/// every start, and complain where they cannot keep what they found.
fn developer() -> Option<PathBuf> {
    let chosen = fs::read_link("/var/db/xcode_select_link").ok();
    let places = chosen.into_iter().chain([PathBuf::from("/Library/Developer/CommandLineTools")]);
    places.map(|place| place.join("usr/bin")).find(|folder| folder.is_dir())
}

/// Makes what programs find in the place of their home, before any of them runs.
fn furnish(plan: &Plan, held: &Held) -> io::Result<()> {
    held.keep()?;
    for (path, to) in links(plan, &held.place) {
        fs::create_dir_all(path.parent().unwrap_or(&path))?;
        symlink(to, path)?;
    }
    for (path, text) in settings(plan, &held.place) {
        fs::create_dir_all(path.parent().unwrap_or(&path))?;
        fs::write(path, text)?;
    }
    Ok(())
}

/// Without a sandbox programs have what the server has.
fn own_environment() -> BTreeMap<String, String> {
    let all = std::env::vars_os();
    all.filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect()
}

fn gone(why: io::Error) -> Error {
    Error::Gone { why: why.to_string() }
}
