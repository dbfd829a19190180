//! The macOS sandbox: its folders, its broker and its containers.

use std::{
    collections::BTreeMap,
    fs, io,
    os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt, symlink},
    path::{Path, PathBuf},
    process::Command,
    sync::{Arc, Weak},
};

use parking_lot::Mutex;
use tempfile::TempDir;

use super::{
    broker::BrokerHandle,
    container::{Container, ProgramRun},
    shell::PreparedShell,
    start,
};
use crate::{
    BrokerCommand, Enforcement, Error, Plan, Request, probe,
    seatbelt::{
        command::SANDBOX_EXEC,
        diagnosis::{check_enforceable, classify_probe_error},
        private_folders::{PrivateFolders, environment, home_files, links},
        profile::profile,
        tag::ContainerTag,
    },
};

/// Runs programs under one plan. All of them end when the sandbox is dropped.
#[derive(Debug)]
pub struct Sandbox {
    context: Arc<SandboxContext>,
    /// The folder of this sandbox. It is removed with the sandbox.
    _root: TempDir,
}

/// The state that all containers of a sandbox share.
#[derive(Debug)]
pub(super) struct SandboxContext {
    pub(super) plan: Plan,
    pub(super) broker: Arc<BrokerHandle>,
    /// The folder for scripts while a shell opens them. Programs cannot read it.
    pub(super) scripts: PathBuf,
    enforcement: Enforcement,
    folders: PrivateFolders,
    /// The folder that contains all private folders, and its device and inode number.
    root: PathBuf,
    identity: (u64, u64),
    environment: BTreeMap<String, String>,
    runs: Mutex<Vec<Weak<ProgramRun>>>,
}

impl SandboxContext {
    /// Returns the confined command of a request.
    pub(super) fn command(
        &self,
        request: &Request,
        tag: &ContainerTag,
        terminal: Option<&Path>,
    ) -> io::Result<Command> {
        self.restore_folders()?;
        let profile = profile(&self.plan, &self.folders, tag, terminal);
        start::command(request, &self.environment, self.enforcement, &profile)
    }

    /// Creates missing private folders again: macOS removes temporary files that were not used for three days.
    /// Nothing is written into them after a program has run, because it may have left links there.
    fn restore_folders(&self) -> io::Result<()> {
        let meta = self.root.symlink_metadata()?;
        if (meta.dev(), meta.ino()) != self.identity {
            return Err(io::Error::other("the folder of the sandbox is gone; start a new session"));
        }
        for folder in [&self.folders.home, &self.folders.temporary, &self.scripts] {
            match fs::DirBuilder::new().mode(0o700).create(folder) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                Ok(()) | Err(_) => {}
            }
        }
        Ok(())
    }

    /// Remembers a program while its container exists.
    pub(super) fn add(&self, run: &Arc<ProgramRun>) {
        let mut all = self.runs.lock();
        all.retain(|one| one.strong_count() > 0);
        all.push(Arc::downgrade(run));
    }
}

impl Sandbox {
    /// Creates the folders of a plan and runs the self-test.
    ///
    /// # Errors
    ///
    /// Fails if the kernel cannot enforce the plan, or if the self-test fails.
    pub fn open(
        plan: &Plan,
        enforcement: Enforcement,
        broker_command: &BrokerCommand,
    ) -> Result<Self, Error> {
        if enforcement == Enforcement::Kernel {
            check_enforceable(&plan.limits)?;
            if !Path::new(SANDBOX_EXEC).is_file() {
                let reason = format!("{SANDBOX_EXEC} is missing");
                let remedy = "restore the system: it is part of macOS".to_owned();
                return Err(Error::Unavailable { reason, remedy });
            }
        }
        let meta = plan.scope.metadata().map_err(broker_gone)?;
        if (meta.dev(), meta.ino()) != plan.scope_identity {
            let reason = "another folder has taken its place".to_owned();
            return Err(Error::InvalidScope { folder: plan.scope.clone(), reason });
        }
        let broker = Arc::new(BrokerHandle::start(broker_command).map_err(broker_gone)?);
        let root = create_root().map_err(broker_gone)?;
        let root_meta = root.path().symlink_metadata().map_err(broker_gone)?;
        let folders =
            PrivateFolders { home: root.path().join("h"), temporary: root.path().join("t") };
        let environment = match enforcement {
            Enforcement::Kernel => environment(plan, &folders, find_developer_tools().as_deref()),
            Enforcement::None => server_environment(),
        };
        let context = SandboxContext {
            scripts: root.path().join("s"),
            plan: Plan { environment: environment.clone(), ..plan.clone() },
            broker,
            enforcement,
            folders,
            root: root.path().to_owned(),
            identity: (root_meta.dev(), root_meta.ino()),
            environment,
            runs: Mutex::default(),
        };
        let sandbox = Self { context: Arc::new(context), _root: root };
        populate_home(plan, &sandbox.context).map_err(broker_gone)?;
        probe::check(&sandbox, enforcement).map_err(classify_probe_error)?;
        Ok(sandbox)
    }

    /// The plan of the sandbox.
    pub fn plan(&self) -> &Plan {
        &self.context.plan
    }

    /// Returns a container for one program.
    ///
    /// # Errors
    ///
    /// This function never fails on this platform.
    pub fn container(&self) -> Result<Container, Error> {
        Ok(Container::new(self.context.clone()))
    }

    /// Returns a shell for one script.
    ///
    /// # Errors
    ///
    /// Same as [`Sandbox::container`].
    pub fn shell(&self) -> Result<PreparedShell, Error> {
        Ok(PreparedShell::new(&self.context))
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        let runs = self.context.runs.lock();
        for run in runs.iter().filter_map(Weak::upgrade) {
            run.kill();
        }
    }
}

/// The parent of the private folders. The per-user temporary folder has such a long path that a socket in a
/// private folder would exceed the limit of 103 bytes.
const TEMP_DIR: &str = "/private/tmp";

/// Creates a private folder at a path without links.
fn create_root() -> io::Result<TempDir> {
    let private = fs::Permissions::from_mode(0o700);
    tempfile::Builder::new().prefix("dh-").permissions(private).tempdir_in(TEMP_DIR)
}

/// Returns the folder of Apple's developer tools. The programs of the same names in `/usr/bin` search for it at
/// every start, and print a warning if they cannot cache the result.
fn find_developer_tools() -> Option<PathBuf> {
    let chosen = fs::read_link("/var/db/xcode_select_link").ok();
    let places = chosen.into_iter().chain([PathBuf::from("/Library/Developer/CommandLineTools")]);
    places.map(|folders| folders.join("usr/bin")).find(|folder| folder.is_dir())
}

/// Fills the private home before any program runs.
fn populate_home(plan: &Plan, context: &SandboxContext) -> io::Result<()> {
    context.restore_folders()?;
    for (path, to) in links(plan, &context.folders) {
        fs::create_dir_all(path.parent().unwrap_or(&path))?;
        symlink(to, path)?;
    }
    for (path, text) in home_files(plan, &context.folders) {
        fs::create_dir_all(path.parent().unwrap_or(&path))?;
        fs::write(path, text)?;
    }
    Ok(())
}

/// Returns the environment of the server, for programs without a sandbox.
fn server_environment() -> BTreeMap<String, String> {
    let all = std::env::vars_os();
    all.filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect()
}

fn broker_gone(reason: io::Error) -> Error {
    Error::Gone { reason: reason.to_string() }
}
