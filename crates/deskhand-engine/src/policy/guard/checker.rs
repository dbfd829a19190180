//! Decides the access to apps, windows and processes. A verified identity can grant access; names that a
//! program claims can only restrict it.

use std::{
    collections::HashMap,
    sync::{Arc, OnceLock},
    time::Instant,
};

use deskhand_model::{App, AppId};
use deskhand_platform::{
    Error, Identities, Identity, InputGuard, LaunchableProgram, Owner, ProcessId, Programs,
    Refusal, Result,
};
use parking_lot::Mutex;

use crate::{
    Halt,
    policy::{AppRules, apps::AppAccess, error::AccessDenied, pattern::Subject},
    timing::APP_ACCESS_TTL,
};

/// The number of cached decisions; when it is reached, the cache is cleared.
const MAX_CACHED: usize = 1024;

/// Applies the app rules.
pub(super) struct AccessChecker {
    rules: Arc<AppRules>,
    resolved_rules: OnceLock<AppRules>,
    identities: Option<Arc<dyn Identities>>,
    programs: Option<Arc<dyn Programs>>,
    ancestors: OnceLock<Vec<ProcessId>>,
    halt: Halt,
    apps: Mutex<HashMap<AppId, KnownApp>>,
    decisions: Mutex<HashMap<DecisionKey, (Arc<Identity>, AppAccess)>>,
}

/// A process and the names it claims.
type DecisionKey = (u32, Vec<String>);

/// The last known state of an app.
struct KnownApp {
    checked_at: Instant,
    pid: u32,
    access: AppAccess,
    /// Every name it has claimed so far.
    names: Vec<String>,
}

impl AccessChecker {
    pub(super) fn new(
        rules: Arc<AppRules>,
        identities: Option<Arc<dyn Identities>>,
        programs: Option<Arc<dyn Programs>>,
        halt: Halt,
    ) -> Self {
        Self {
            rules,
            resolved_rules: OnceLock::new(),
            identities,
            programs,
            ancestors: OnceLock::new(),
            halt,
            apps: Mutex::default(),
            decisions: Mutex::default(),
        }
    }

    /// Returns `true` if some apps may not be read.
    pub(super) fn has_blocked_apps(&self) -> bool {
        self.rules.has_blocked_apps()
    }

    /// Fails while everything is halted.
    pub(super) fn check_not_halted(&self) -> Result<()> {
        self.halt.check().map_err(|halted| Error::Refused(Refusal::new(&halted)))
    }

    /// Replaces the error of input that was cancelled because everything was halted.
    pub(super) fn explain_stop<T>(&self, result: Result<T>) -> Result<T> {
        if let Err(Error::InputCancelled) = result {
            self.check_not_halted()?;
        }
        result
    }

    /// Returns the access to an app. All names it ever claimed can restrict the access.
    pub(super) fn app_access(&self, app: &App) -> Result<AppAccess> {
        let apps = self.apps.lock();
        let known = apps.get(&app.id).filter(|known| known.pid == app.pid);
        let has_name = |known: &&KnownApp| known.names.contains(&app.name);
        let is_recent = |known: &&KnownApp| known.checked_at.elapsed() < APP_ACCESS_TTL;
        if let Some(known) = known.filter(has_name).filter(is_recent) {
            return Ok(known.access);
        }
        let mut names = known.map(|known| known.names.clone()).unwrap_or_default();
        drop(apps);
        if !names.contains(&app.name) {
            names.push(app.name.clone());
        }
        let mut claims: Vec<&str> = names.iter().map(String::as_str).collect();
        claims.extend(app.bundle_id.as_deref());
        claims.extend(app.executable.as_deref().and_then(|path| path.rsplit('/').next()));
        let (identity, access) = self.decide(app.pid, &claims);
        let started = identity.and_then(|one| one.process).map(|process| process.started);
        if started.is_some_and(|started| app.started != 0 && started != app.started) {
            // Another process has its pid now.
            return Err(Error::Gone { what: format!("{} (pid {})", app.name, app.pid) });
        }
        let mut apps = self.apps.lock();
        if apps.len() >= MAX_CACHED {
            apps.clear();
        }
        let known = KnownApp { checked_at: Instant::now(), pid: app.pid, access, names };
        apps.insert(app.id.clone(), known);
        Ok(access)
    }

    /// Returns `true` if the names of an app are known.
    pub(super) fn knows_app(&self, app: &AppId) -> bool {
        self.apps.lock().contains_key(app)
    }

    /// Returns the access to a process that embeds nodes in the tree of an app. A process that the app
    /// started counts as a part of the app.
    pub(super) fn embedded_access(&self, pid: u32, app: &App) -> AppAccess {
        let (identity, access) = self.decide(pid, &[]);
        let Some(identity) = identity.filter(|_| access == AppAccess::None) else { return access };
        let host = ProcessId { pid: app.pid, started: app.started };
        let is_child = self.programs.as_ref().is_some_and(|all| all.is_descendant(pid, &host));
        let subject = Subject { identity: Some(&identity), claims: &[] };
        if is_child {
            self.resolved_rules().access_ignoring_allowed(subject)
        } else {
            AppAccess::None
        }
    }

    /// Returns the access to a process.
    pub(super) fn process_access(&self, pid: u32) -> AppAccess {
        self.decide(pid, &[]).1
    }

    /// Returns `true` if a process can be identified, or if this desktop identifies no processes.
    pub(super) fn is_identifiable(&self, pid: u32) -> bool {
        self.identities.as_ref().is_none_or(|all| all.identify(pid).is_some())
    }

    /// Returns a name for a process.
    pub(super) fn display_name(&self, pid: u32) -> String {
        let identity = self.identities.as_ref().and_then(|all| all.identify(pid));
        let own = identity.as_ref().and_then(|one| one.display_name()).map(str::to_owned);
        own.unwrap_or_else(|| format!("pid {pid}"))
    }

    /// Returns the access to something with owners, and the name of the most restricted owner.
    pub(super) fn owners_access(&self, owners: &[Owner]) -> (AppAccess, String) {
        if owners.is_empty() {
            let access =
                if self.rules.allows_desktop_itself() { AppAccess::Full } else { AppAccess::None };
            return (access, "the desktop".to_owned());
        }
        let each = owners.iter().map(|owner| {
            let claims: Vec<&str> = owner.classes.iter().map(String::as_str).collect();
            let (identity, access) = self.decide(owner.pid, &claims);
            let claimed = owner.claimed_pid.and_then(|pid| self.identities.as_ref()?.identify(pid));
            let claimed_access = claimed.map_or(AppAccess::Full, |identity| {
                self.resolved_rules()
                    .access_ignoring_allowed(Subject { identity: Some(&identity), claims: &[] })
            });
            let own = identity.as_ref().and_then(|one| one.display_name()).map(str::to_owned);
            let name = own.or_else(|| owner.classes.last().cloned());
            (access.max(claimed_access), name.unwrap_or_else(|| format!("pid {}", owner.pid)))
        });
        each.max_by_key(|(access, _)| *access).unwrap_or((AppAccess::None, String::new()))
    }

    /// Returns the access to something with owners, without regard to the `allowed` list.
    pub(super) fn owners_access_ignoring_allowed(&self, owners: &[Owner]) -> (AppAccess, String) {
        let each = owners.iter().map(|owner| {
            let claims: Vec<&str> = owner.classes.iter().map(String::as_str).collect();
            let identity = self.identities.as_ref().and_then(|all| all.identify(owner.pid));
            let subject = Subject { identity: identity.as_deref(), claims: &claims };
            let name =
                identity.as_ref().and_then(|one| one.display_name()).unwrap_or("its program");
            (self.resolved_rules().access_ignoring_allowed(subject), name.to_owned())
        });
        each.max_by_key(|(access, _)| *access).unwrap_or((AppAccess::Full, String::new()))
    }

    /// Returns the access to a program that is about to be started.
    pub(super) fn program_access(
        &self,
        program: &LaunchableProgram,
        arguments: &[String],
    ) -> AppAccess {
        let at = program.arguments_index.min(program.command.len());
        let (before, after) = program.command.split_at(at);
        let words: Vec<String> = before.iter().chain(arguments).chain(after).cloned().collect();
        let Some(identities) = &self.identities else { return self.decide(0, &[]).1 };
        let mut claims = vec![program.name.as_str()];
        claims.extend(program.id.as_deref());
        let identity = identities.identify_command(&words);
        let mut access =
            self.resolved_rules().access(Subject { identity: Some(&identity), claims: &claims });
        // A launcher is checked for the programs that it would start.
        let is_launcher = identity.display_name().is_some_and(|name| LAUNCHERS.contains(&name));
        for word in
            words.iter().skip(1).filter(|_| is_launcher).flat_map(|word| word.split_whitespace())
        {
            let inner = identities.identify_command(&[word.to_owned()]);
            let subject = Subject { identity: Some(&inner), claims: &[] };
            access = access.max(self.resolved_rules().access_ignoring_allowed(subject));
        }
        access
    }

    fn decide(&self, pid: u32, claims: &[&str]) -> (Option<Arc<Identity>>, AppAccess) {
        let identity = self.identities.as_ref().and_then(|all| all.identify(pid));
        let Some(identity) = identity else {
            return (None, self.resolved_rules().access(Subject { identity: None, claims }));
        };
        let key = (pid, claims.iter().map(|claim| (*claim).to_owned()).collect());
        let mut decisions = self.decisions.lock();
        if let Some((cached, access)) = decisions.get(&key)
            && Arc::ptr_eq(cached, &identity)
        {
            return (Some(identity), *access);
        }
        let mut access =
            self.resolved_rules().access(Subject { identity: Some(&identity), claims });
        if self.rules.protects_ancestors()
            && identity.process.is_some_and(|process| self.ancestors().contains(&process))
        {
            access = access.max(AppAccess::Read);
        }
        if decisions.len() >= MAX_CACHED {
            decisions.clear();
        }
        decisions.insert(key, (Arc::clone(&identity), access));
        (Some(identity), access)
    }

    fn resolved_rules(&self) -> &AppRules {
        self.resolved_rules.get_or_init(|| match &self.identities {
            Some(identities) => self.rules.resolved(identities.as_ref()),
            None => AppRules::clone(&self.rules),
        })
    }

    fn ancestors(&self) -> &[ProcessId] {
        self.ancestors
            .get_or_init(|| self.identities.as_ref().map(|all| all.ancestors()).unwrap_or_default())
    }
}

/// Programs that start the programs named in their arguments.
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

impl InputGuard for AccessChecker {
    fn check(&self, owners: &[Owner]) -> Result<()> {
        self.check_not_halted()?;
        let (access, app) = self.owners_access(owners);
        check_write(access, app)
    }
}

/// Fails if the access does not allow reading.
pub(super) fn check_read(access: AppAccess, app: impl Into<String>) -> Result<()> {
    match access {
        AppAccess::Full | AppAccess::Read => Ok(()),
        AppAccess::None => Err(app_blocked(app)),
    }
}

/// Fails if the access does not allow changes.
pub(super) fn check_write(access: AppAccess, app: impl Into<String>) -> Result<()> {
    match access {
        AppAccess::Full => Ok(()),
        AppAccess::Read => Err(refused(&AccessDenied::WriteBlocked { app: app.into() })),
        AppAccess::None => Err(app_blocked(app)),
    }
}

/// Returns the error for an app that may neither be read nor used.
pub(super) fn app_blocked(app: impl Into<String>) -> Error {
    refused(&AccessDenied::AppBlocked { app: app.into() })
}

fn refused(reason: &AccessDenied) -> Error {
    Error::Refused(Refusal::new(reason))
}
