//! The identity of programs: the files they run, and the names they claim.

use std::{collections::HashMap, path::Path, sync::Arc};

use parking_lot::Mutex;

use crate::{ProcessId, ProgramFile};

/// Identifies programs.
pub trait Identities: Send + Sync {
    /// Identifies the program that a process runs now; `None` if there is no such process.
    fn identify(&self, pid: u32) -> Option<Arc<Identity>>;

    /// Identifies the program that a command would run. The first word is the program.
    fn identify_command(&self, words: &[String]) -> Identity;

    /// Returns the processes that started this program, nearest first.
    fn ancestors(&self) -> Vec<ProcessId>;

    /// Returns the file that a path, or a program name on the search path, refers to. Follows
    /// symbolic links.
    fn resolve_file(&self, word: &Path) -> Option<ProgramFile>;
}

/// The identity of a program.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Identity {
    /// Its process, if it is running.
    pub process: Option<ProcessId>,
    /// A key that is unique to the program: the path of its script, or else of its executable.
    /// `None` if that is uncertain, for example for an interpreter that does not reveal its script.
    pub key: Option<String>,
    /// Its files: the executable, and the script if the executable is an interpreter.
    pub files: Vec<ProgramFile>,
    /// Names and ids of installed programs that certainly refer to it.
    pub names: Vec<String>,
    /// Names the program claims for itself, and other names that may refer to it.
    pub claims: Vec<String>,
    /// The system does not reveal which file it runs, so none of `files` is verified.
    pub hidden: bool,
}

impl Identity {
    /// Returns a name for the user: the file name of the last file.
    pub fn display_name(&self) -> Option<&str> {
        let base = |file: &'_ ProgramFile| file.path.rfind('/').map(|at| at + 1).unwrap_or(0);
        self.files.last().map(|file| &file.path[base(file)..])
    }
}

/// The number of cached processes; when it is reached, the cache is cleared.
const MAX_CACHED: usize = 512;

/// Caches the identities of processes. Each entry is valid as long as the fingerprint `F` of its
/// process stays the same; the fingerprint must change when the process runs another program or
/// changes its name.
#[derive(Debug)]
pub struct IdentityCache<F>(Mutex<HashMap<u32, (F, Arc<Identity>)>>);

impl<F> Default for IdentityCache<F> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<F: PartialEq> IdentityCache<F> {
    /// Returns the identity of a process, and calls `identify` if it is not cached for this
    /// fingerprint.
    pub fn get_or_insert_with(
        &self,
        pid: u32,
        fingerprint: F,
        identify: impl FnOnce(&F) -> Identity,
    ) -> Arc<Identity> {
        let cache = self.0.lock();
        if let Some((_, identity)) = cache.get(&pid).filter(|(cached, _)| *cached == fingerprint) {
            return Arc::clone(identity);
        }
        drop(cache);
        // The lock is not held here: `identify` reads files. If the process changes in the
        // meantime, its next fingerprint differs and it is identified again.
        let identity = Arc::new(identify(&fingerprint));
        let mut cache = self.0.lock();
        if cache.len() >= MAX_CACHED {
            cache.clear();
        }
        cache.insert(pid, (fingerprint, Arc::clone(&identity)));
        identity
    }
}

/// The owner of a window, of a point on the screen or of the keyboard focus.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Owner {
    /// The process, as the window system knows it; 0 if unknown.
    pub pid: u32,
    /// Another process that the window claims to belong to.
    pub claimed_pid: Option<u32>,
    /// The class names that the program gave the window.
    pub classes: Vec<String>,
}

/// Decides, immediately before input is sent, if its recipients may receive it.
pub trait InputGuard: Send + Sync {
    /// Checks all programs that would receive the input. `owners` is empty if the desktop itself
    /// receives it.
    ///
    /// # Errors
    ///
    /// The reason for the refusal; the input must not be sent.
    fn check(&self, owners: &[Owner]) -> crate::Result<()>;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> Identity {
        Identity { claims: vec![name.to_owned()], ..Identity::default() }
    }

    #[test]
    fn a_process_is_identified_again_when_its_fingerprint_changes() {
        let cache = IdentityCache::default();
        assert_eq!(cache.get_or_insert_with(7, "a", |_| named("one")).claims, ["one"]);
        assert_eq!(cache.get_or_insert_with(7, "a", |_| named("two")).claims, ["one"]);
        assert_eq!(cache.get_or_insert_with(7, "b", |_| named("three")).claims, ["three"]);
        assert_eq!(cache.get_or_insert_with(8, "b", |_| named("four")).claims, ["four"]);
    }

    #[test]
    fn the_cache_is_bounded() {
        let cache = IdentityCache::default();
        for pid in 0..=u32::try_from(MAX_CACHED).unwrap() {
            cache.get_or_insert_with(pid, (), |()| named("program"));
        }
        assert_eq!(cache.0.lock().len(), 1);
    }
}
