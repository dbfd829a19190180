//! Judges who is at the other side of the fence: by what it is, and against it by what it says.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
    time::{Duration, Instant},
};

use deskhand_model::{App, AppId};
use deskhand_platform::{
    Error, Guard, Identities, Identity, Owner, Process, Program, Programs, Result,
};

use crate::{
    Halt,
    policy::{AppRules, apps::Access, pattern::Subject},
};

/// How long an app is not looked at again: a program that comes to run something else in the same
/// process loses its connection, so nobody takes its place meanwhile.
const FRESH: Duration = Duration::from_millis(250);

/// How many verdicts are remembered; then all are forgotten.
const REMEMBERED: usize = 1024;

/// Knows the rules and who is who.
pub(super) struct Judge {
    given: Arc<AppRules>,
    resolved: OnceLock<AppRules>,
    identities: Option<Arc<dyn Identities>>,
    programs: Option<Arc<dyn Programs>>,
    ancestors: OnceLock<Vec<Process>>,
    halt: Halt,
    apps: Mutex<HashMap<AppId, Seen>>,
    verdicts: Mutex<HashMap<Asked, (Arc<Identity>, Access)>>,
}

/// Who was asked about: a process, and what it calls itself.
type Asked = (u32, Vec<String>);

/// An app as it was seen last.
struct Seen {
    at: Instant,
    pid: u32,
    access: Access,
    /// Every name it has given itself.
    names: Vec<String>,
}

impl Judge {
    pub(super) fn new(
        rules: Arc<AppRules>,
        identities: Option<Arc<dyn Identities>>,
        programs: Option<Arc<dyn Programs>>,
        halt: Halt,
    ) -> Self {
        Self {
            given: rules,
            resolved: OnceLock::new(),
            identities,
            programs,
            ancestors: OnceLock::new(),
            halt,
            apps: Mutex::default(),
            verdicts: Mutex::default(),
        }
    }

    /// Whether any app must not be read.
    pub(super) fn hides_some(&self) -> bool {
        self.given.hides_some()
    }

    /// Goes on only while nothing is halted.
    pub(super) fn moving(&self) -> Result<()> {
        self.halt.check().map_err(|halted| Error::Halted { reason: halted.reason })
    }

    /// How much may be done with an app. What it called itself when it was seen before still counts
    /// against it.
    pub(super) fn app(&self, app: &App) -> Result<Access> {
        let mut apps = self.apps();
        let seen = apps.get(&app.id).filter(|seen| seen.pid == app.pid);
        let is_known = |seen: &&Seen| seen.names.contains(&app.name);
        if let Some(seen) = seen.filter(is_known).filter(|seen| seen.at.elapsed() < FRESH) {
            return Ok(seen.access);
        }
        let mut names = seen.map(|seen| seen.names.clone()).unwrap_or_default();
        drop(apps);
        if !names.contains(&app.name) {
            names.push(app.name.clone());
        }
        let mut claims: Vec<&str> = names.iter().map(String::as_str).collect();
        claims.extend(app.bundle_id.as_deref());
        claims.extend(app.executable.as_deref().and_then(|path| path.rsplit('/').next()));
        let (identity, access) = self.judged(app.pid, &claims);
        let started = identity.and_then(|one| one.process).map(|process| process.started);
        if started.is_some_and(|started| app.started != 0 && started != app.started) {
            // Its number belongs to somebody else by now.
            return Err(Error::Gone { what: format!("{} (pid {})", app.name, app.pid) });
        }
        apps = self.apps();
        if apps.len() >= REMEMBERED {
            apps.clear();
        }
        let seen = Seen { at: Instant::now(), pid: app.pid, access, names };
        apps.insert(app.id.clone(), seen);
        Ok(access)
    }

    /// Whether the names an app has are known.
    pub(super) fn knows(&self, app: &AppId) -> bool {
        self.apps().contains_key(app)
    }

    /// How much may be done with a process that shows elements in the tree of an app: what the app
    /// started itself is a part of it.
    pub(super) fn guest(&self, pid: u32, app: &App) -> Access {
        let (identity, access) = self.judged(pid, &[]);
        let Some(identity) = identity.filter(|_| access == Access::None) else { return access };
        let host = Process { pid: app.pid, started: app.started };
        let stems = self.programs.as_ref().is_some_and(|all| all.stems_from(pid, &host));
        let subject = Subject { identity: Some(&identity), claims: &[] };
        if stems { self.rules().against(subject) } else { Access::None }
    }

    /// How much may be done with a process.
    pub(super) fn process(&self, pid: u32) -> Access {
        self.judged(pid, &[]).1
    }

    /// Whether a process can still be asked what it is; always where none can.
    pub(super) fn runs(&self, pid: u32) -> bool {
        self.identities.as_ref().is_none_or(|all| all.of(pid).is_some())
    }

    /// What a process is called.
    pub(super) fn called(&self, pid: u32) -> String {
        let identity = self.identities.as_ref().and_then(|all| all.of(pid));
        let own = identity.as_ref().and_then(|one| one.called()).map(str::to_owned);
        own.unwrap_or_else(|| format!("pid {pid}"))
    }

    /// How much may be done with what has owners, and what the strictest judged of them is called.
    pub(super) fn owners(&self, owners: &[Owner]) -> (Access, String) {
        if owners.is_empty() {
            let access = if self.given.lets_nobodys() { Access::Full } else { Access::None };
            return (access, "the desktop".to_owned());
        }
        let each = owners.iter().map(|owner| {
            let claims: Vec<&str> = owner.classes.iter().map(String::as_str).collect();
            let (identity, access) = self.judged(owner.pid, &claims);
            let says = owner.says.and_then(|pid| self.identities.as_ref()?.of(pid));
            let against = says.map_or(Access::Full, |identity| {
                self.rules().against(Subject { identity: Some(&identity), claims: &[] })
            });
            let own = identity.as_ref().and_then(|one| one.called()).map(str::to_owned);
            let name = own.or_else(|| owner.classes.last().cloned());
            (access.max(against), name.unwrap_or_else(|| format!("pid {}", owner.pid)))
        });
        each.max_by_key(|(access, _)| *access).unwrap_or((Access::None, String::new()))
    }

    /// What speaks against what has owners, whatever is allowed.
    pub(super) fn against(&self, owners: &[Owner]) -> (Access, String) {
        let each = owners.iter().map(|owner| {
            let claims: Vec<&str> = owner.classes.iter().map(String::as_str).collect();
            let identity = self.identities.as_ref().and_then(|all| all.of(owner.pid));
            let subject = Subject { identity: identity.as_deref(), claims: &claims };
            let name = identity.as_ref().and_then(|one| one.called()).unwrap_or("its program");
            (self.rules().against(subject), name.to_owned())
        });
        each.max_by_key(|(access, _)| *access).unwrap_or((Access::Full, String::new()))
    }

    /// How much may be done with a program that is about to be started.
    pub(super) fn program(&self, program: &Program, arguments: &[String]) -> Access {
        let at = program.arguments_at.min(program.command.len());
        let (before, after) = program.command.split_at(at);
        let words: Vec<String> = before.iter().chain(arguments).chain(after).cloned().collect();
        let Some(identities) = &self.identities else { return self.judged(0, &[]).1 };
        let mut claims = vec![program.name.as_str()];
        claims.extend(program.id.as_deref());
        let identity = identities.of_command(&words);
        let mut access =
            self.rules().access(Subject { identity: Some(&identity), claims: &claims });
        // What starts others by their name is asked what it would start.
        let starts = identity.called().is_some_and(|name| LAUNCHERS.contains(&name));
        for word in words.iter().skip(1).filter(|_| starts).flat_map(|word| word.split_whitespace())
        {
            let inner = identities.of_command(&[word.to_owned()]);
            let subject = Subject { identity: Some(&inner), claims: &[] };
            access = access.max(self.rules().against(subject));
        }
        access
    }

    fn judged(&self, pid: u32, claims: &[&str]) -> (Option<Arc<Identity>>, Access) {
        let identity = self.identities.as_ref().and_then(|all| all.of(pid));
        let Some(identity) = identity else {
            return (None, self.rules().access(Subject { identity: None, claims }));
        };
        let key = (pid, claims.iter().map(|claim| (*claim).to_owned()).collect());
        let mut verdicts = self.verdicts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((seen, access)) = verdicts.get(&key)
            && Arc::ptr_eq(seen, &identity)
        {
            return (Some(identity), *access);
        }
        let mut access = self.rules().access(Subject { identity: Some(&identity), claims });
        if self.given.spares_ancestors()
            && identity.process.is_some_and(|process| self.ancestors().contains(&process))
        {
            access = access.max(Access::Read);
        }
        if verdicts.len() >= REMEMBERED {
            verdicts.clear();
        }
        verdicts.insert(key, (Arc::clone(&identity), access));
        (Some(identity), access)
    }

    fn rules(&self) -> &AppRules {
        self.resolved.get_or_init(|| match &self.identities {
            Some(identities) => self.given.resolved(identities.as_ref()),
            None => AppRules::clone(&self.given),
        })
    }

    fn ancestors(&self) -> &[Process] {
        self.ancestors
            .get_or_init(|| self.identities.as_ref().map(|all| all.ancestors()).unwrap_or_default())
    }

    fn apps(&self) -> MutexGuard<'_, HashMap<AppId, Seen>> {
        self.apps.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Programs that start those named in their arguments.
const LAUNCHERS: [&str; 27] = [
    "bash",
    "busybox",
    "chroot",
    "dash",
    "dbus-run-session",
    "dex",
    "env",
    "exo-open",
    "fish",
    "flatpak",
    "gio",
    "gtk-launch",
    "kde-open",
    "kioclient",
    "ksh",
    "nice",
    "nohup",
    "runuser",
    "setpriv",
    "setsid",
    "sh",
    "stdbuf",
    "su",
    "systemd-run",
    "timeout",
    "xdg-open",
    "zsh",
];

impl Guard for Judge {
    fn admit(&self, owners: &[Owner]) -> Result<()> {
        self.moving()?;
        let (access, app) = self.owners(owners);
        written(access, app)
    }
}

/// Lets through what may be read.
pub(super) fn read(access: Access, app: impl Into<String>) -> Result<()> {
    match access {
        Access::Full | Access::Read => Ok(()),
        Access::None => Err(Error::AppBlocked { app: app.into() }),
    }
}

/// Lets through what may be changed.
pub(super) fn written(access: Access, app: impl Into<String>) -> Result<()> {
    match access {
        Access::Full => Ok(()),
        Access::Read => Err(Error::WriteBlocked { app: app.into() }),
        Access::None => Err(Error::AppBlocked { app: app.into() }),
    }
}
