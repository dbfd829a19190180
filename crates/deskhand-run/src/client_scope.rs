//! Decides which folders a client may choose as its scope. The user who starts a server may choose more freely
//! than a client that connects to it.

use std::path::{Component, Path, PathBuf};

use crate::Error;

/// System folders. Neither they nor anything below them is allowed.
const SYSTEM_DIRS: &[&str] = &[
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

/// Shared folders. Subfolders are allowed, the folders themselves are not.
const SHARED_DIRS: &[&str] = &[
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

/// Parents of home folders.
const HOME_PARENTS: &[&str] = &["/home", "/Users"];

/// The facts that the decision depends on.
#[derive(Debug)]
pub(crate) struct ClientScopePolicy<'a> {
    /// The home folder of the user who runs the server.
    pub(crate) home: Option<PathBuf>,
    /// The server's own folders. A client that writes there could change its own permissions.
    pub(crate) server_folders: &'a [PathBuf],
}

impl ClientScopePolicy<'_> {
    /// Returns the folder with links resolved, if a client may use it.
    ///
    /// # Errors
    ///
    /// Fails if the folder does not exist, or if clients may not use it.
    pub(crate) fn validate(&self, folder: &Path) -> Result<PathBuf, Error> {
        let real = folder.canonicalize().ok().filter(|real| real.is_dir());
        let real = real.ok_or_else(|| Error::NoFolder { folder: folder.to_owned() })?;
        match self.objection(&real) {
            None => Ok(real),
            Some(reason) => Err(Error::ScopeRefused { folder: real, reason }),
        }
    }

    /// Returns the reason why clients may not use a folder.
    fn objection(&self, real: &Path) -> Option<&'static str> {
        if SHARED_DIRS.iter().any(|one| real == Path::new(one)) {
            return Some("it is a shared folder");
        }
        if SYSTEM_DIRS.iter().any(|one| real.starts_with(one)) {
            return Some("it is a system folder");
        }
        let (home, inside) = self.find_home(real);
        if home && inside.as_os_str().is_empty() {
            return Some("it is a whole home folder");
        }
        if home && inside.components().any(is_hidden) {
            return Some(
                "it is a hidden folder in a home, where programs keep settings and secrets",
            );
        }
        let resolved = |server_folders: &PathBuf| {
            server_folders.canonicalize().unwrap_or_else(|_| server_folders.clone())
        };
        let overlaps = |server_folders: PathBuf| {
            real.starts_with(&server_folders) || server_folders.starts_with(real)
        };
        if self.server_folders.iter().map(resolved).any(overlaps) {
            return Some("it contains the server's own files");
        }
        None
    }

    /// Returns whether a folder is in a home, and its path relative to that home.
    fn find_home<'p>(&self, real: &'p Path) -> (bool, &'p Path) {
        let server_folders =
            self.home.iter().map(|home| home.canonicalize().unwrap_or_else(|_| home.clone()));
        for home in server_folders.chain([PathBuf::from("/root")]) {
            if let Ok(inside) = real.strip_prefix(&home) {
                return (true, inside);
            }
        }
        for homes in HOME_PARENTS {
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
        let server_folders = ["/home/ann/work/cfg".into(), "/srv/deskhand".into()];
        let claims =
            ClientScopePolicy { home: Some("/home/ann".into()), server_folders: &server_folders };
        claims.objection(Path::new(folder))
    }

    #[test]
    fn project_folders_are_allowed() {
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
    fn system_home_and_server_folders_are_refused() {
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
    fn links_are_resolved_first() {
        let at = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("/etc", at.path().join("project")).unwrap();
        let claims = ClientScopePolicy { home: None, server_folders: &[] };
        let refused = claims.validate(&at.path().join("project")).unwrap_err();
        assert!(matches!(refused, Error::ScopeRefused { .. }), "{refused}");
        assert!(claims.validate(&at.path().join("nothing")).is_err());
        assert_eq!(claims.validate(at.path()).unwrap(), at.path().canonicalize().unwrap());
    }
}
