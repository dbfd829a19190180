//! Which folders a client may have as its scope when it names one itself. Whoever starts a server may
//! choose more freely than whoever connects to it.

use std::path::{Component, Path, PathBuf};

use crate::Error;

/// Folders of the system: neither they nor anything in them.
const SYSTEM: &[&str] = &[
    "/Applications",
    "/Library",
    "/System",
    "/bin",
    "/boot",
    "/dev",
    "/etc",
    "/gnu",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/nix",
    "/private/etc",
    "/proc",
    "/run",
    "/sbin",
    "/snap",
    "/sys",
    "/usr",
    "/var/backups",
    "/var/cache",
    "/var/lib",
    "/var/log",
    "/var/mail",
    "/var/run",
    "/var/spool",
];

/// Folders that are everybody's: what is in them may do, they themselves may not.
const SHARED: &[&str] = &[
    "/",
    "/Users",
    "/home",
    "/media",
    "/mnt",
    "/opt",
    "/private",
    "/private/tmp",
    "/private/var",
    "/private/var/tmp",
    "/srv",
    "/tmp",
    "/var",
    "/var/tmp",
];

/// Where the homes of people are.
const HOMES: &[&str] = &["/home", "/Users"];

/// What is known of the machine.
#[derive(Debug)]
pub(crate) struct Claims<'a> {
    /// The home of whoever serves.
    pub(crate) home: Option<PathBuf>,
    /// The folders of the server itself: who writes there decides what is allowed.
    pub(crate) own: &'a [PathBuf],
}

impl Claims<'_> {
    /// The folder itself, links resolved, where a client may have it.
    ///
    /// # Errors
    ///
    /// When it is not there, or is none for clients.
    pub(crate) fn settle(&self, folder: &Path) -> Result<PathBuf, Error> {
        let real = folder.canonicalize().ok().filter(|real| real.is_dir());
        let real = real.ok_or_else(|| Error::NoFolder { folder: folder.to_owned() })?;
        match self.against(&real) {
            None => Ok(real),
            Some(why) => Err(Error::NotForClients { folder: real, why }),
        }
    }

    /// What speaks against a folder, if anything does.
    fn against(&self, real: &Path) -> Option<&'static str> {
        if SHARED.iter().any(|one| real == Path::new(one)) {
            return Some("it is everybody's");
        }
        if SYSTEM.iter().any(|one| real.starts_with(one)) {
            return Some("it is the system's");
        }
        let (home, inside) = self.home_of(real);
        if home && inside.as_os_str().is_empty() {
            return Some("it is a whole home");
        }
        if home && inside.components().any(is_hidden) {
            return Some("it is hidden in a home: programs keep settings and secrets there");
        }
        let resolved = |own: &PathBuf| own.canonicalize().unwrap_or_else(|_| own.clone());
        let is_own = |own: PathBuf| real.starts_with(&own) || own.starts_with(real);
        if self.own.iter().map(resolved).any(is_own) {
            return Some("it holds what the server itself keeps");
        }
        None
    }

    /// Whether a folder is in a home, and where in it.
    fn home_of<'p>(&self, real: &'p Path) -> (bool, &'p Path) {
        let own = self.home.iter().map(|home| home.canonicalize().unwrap_or_else(|_| home.clone()));
        for home in own.chain([PathBuf::from("/root")]) {
            if let Ok(inside) = real.strip_prefix(&home) {
                return (true, inside);
            }
        }
        for homes in HOMES {
            if let Ok(rest) = real.strip_prefix(homes) {
                let mut inside = rest.components();
                inside.next();
                return (true, inside.as_path());
            }
        }
        (false, real)
    }
}

fn is_hidden(part: Component<'_>) -> bool {
    part.as_os_str().as_encoded_bytes().starts_with(b".")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(folder: &str) -> Option<&'static str> {
        let own = ["/home/ann/work/cfg".into(), "/srv/deskhand".into()];
        let claims = Claims { home: Some("/home/ann".into()), own: &own };
        claims.against(Path::new(folder))
    }

    #[test]
    fn projects_may_be_had() {
        for folder in [
            "/home/ann/project",
            "/home/bob/src/x",
            concat!("/root", "/project"),
            "/tmp/.tmpabc",
            "/srv/git/x",
            "/mnt/disk/p",
            "/var/www/site",
            "/opt/work/x",
        ] {
            assert_eq!(verdict(folder), None, "{folder}");
        }
    }

    #[test]
    fn what_is_the_systems_a_persons_or_the_servers_own_may_not() {
        for folder in [
            "/",
            "/etc/cron.d",
            "/usr/bin",
            "/run/user/1000",
            "/tmp",
            "/var/tmp",
            "/dev/shm/x",
            "/home",
            "/home/ann",
            "/home/bob",
            "/root",
            "/home/ann/.ssh",
            "/home/bob/.config/autostart",
            concat!("/root", "/.cache/x"),
            "/home/ann/work/.git",
            "/home/ann/work",
            "/home/ann/work/cfg/deep",
            "/srv",
            "/srv/deskhand/data",
            "/var/lib/docker",
        ] {
            assert!(verdict(folder).is_some(), "{folder}");
        }
    }

    #[test]
    fn a_link_is_what_it_leads_to() {
        let at = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("/etc", at.path().join("project")).unwrap();
        let claims = Claims { home: None, own: &[] };
        let refused = claims.settle(&at.path().join("project")).unwrap_err();
        assert!(matches!(refused, Error::NotForClients { .. }), "{refused}");
        assert!(claims.settle(&at.path().join("nothing")).is_err());
        assert_eq!(claims.settle(at.path()).unwrap(), at.path().canonicalize().unwrap());
    }
}
