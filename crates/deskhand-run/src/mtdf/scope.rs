//! Checks that paths are inside the scope, with links resolved. The sandbox confines commands anyway; this check
//! gives a clear error before anything runs.

use std::{
    collections::VecDeque,
    ffi::OsString,
    io,
    path::{Component, Path, PathBuf},
};

use super::error::Error;

/// Maximum number of links to follow, as in Linux.
const MAX_LINKS: usize = 40;

/// The scope of a call.
#[derive(Debug, Clone)]
pub(super) struct Scope {
    root: PathBuf,
}

impl Scope {
    /// Creates a scope for an existing folder.
    pub(super) fn new(path: &Path) -> Result<Self, Error> {
        let root = path
            .canonicalize()
            .map_err(|source| Error::Scope { scope: path.to_owned(), source })?;
        Ok(Self { root })
    }

    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// Resolves a path that may not exist yet, and refuses it if it leads out of the scope.
    pub(super) fn require_inside(
        &self,
        name: &str,
        path: &str,
        from: &Path,
    ) -> Result<PathBuf, Error> {
        let outside = || Error::Outside {
            name: name.to_owned(),
            path: path.to_owned(),
            scope: self.root.clone(),
        };
        if path.contains('\0') {
            return Err(Error::ZeroByte { name: name.to_owned() });
        }
        // No shell expands `~`, so it would be a folder of that name, which no caller means.
        if path == "~" || path.starts_with("~/") {
            return Err(outside());
        }
        let resolved = resolve(&from.join(path)).map_err(|_| outside())?;
        if resolved.starts_with(&self.root) { Ok(resolved) } else { Err(outside()) }
    }

    /// Returns the working folder of a call. It must exist inside the scope.
    pub(super) fn folder(&self, wanted: Option<&str>) -> Result<PathBuf, Error> {
        let Some(wanted) = wanted else { return Ok(self.root.clone()) };
        let folder = self.require_inside("working_directory", wanted, &self.root)?;
        if folder.is_dir() { Ok(folder) } else { Err(Error::NoFolder { path: wanted.to_owned() }) }
    }
}

/// Resolves links in a path. Missing parts are kept, and a dangling link resolves to the path at which a file would
/// be created through it.
pub(super) fn resolve(path: &Path) -> io::Result<PathBuf> {
    let mut left: VecDeque<OsString> = components(path);
    let mut at = PathBuf::from("/");
    let mut links = 0;
    while let Some(part) = left.pop_front() {
        if part == ".." {
            at.pop();
            continue;
        }
        let next = at.join(&part);
        match next.symlink_metadata() {
            Ok(found) if found.is_symlink() => {
                links += 1;
                if links > MAX_LINKS {
                    return Err(io::Error::other("too many links"));
                }
                let target = next.read_link()?;
                if target.is_absolute() {
                    at = PathBuf::from("/");
                }
                for part in components(&target).into_iter().rev() {
                    left.push_front(part);
                }
            }
            Ok(_) => at = next,
            Err(error) if is_missing(&error) => at = next,
            Err(error) => return Err(error),
        }
    }
    Ok(at)
}

fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn components(path: &Path) -> VecDeque<OsString> {
    path.components()
        .filter_map(|part| match part {
            Component::Normal(name) => Some(name.to_owned()),
            Component::ParentDir => Some(OsString::from("..")),
            Component::CurDir | Component::RootDir | Component::Prefix(_) => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn temp_scope() -> (tempfile::TempDir, Scope) {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("scope/src")).unwrap();
        std::fs::write(folder.path().join("secret"), "x").unwrap();
        let scope = Scope::new(&folder.path().join("scope")).unwrap();
        (folder, scope)
    }

    #[test]
    fn paths_inside_are_accepted_and_others_refused() {
        let (_folder, scope) = temp_scope();
        let root = scope.root().to_owned();
        let require_inside = |path: &str| scope.require_inside("p", path, &root);
        assert_eq!(require_inside("src").unwrap(), root.join("src"));
        assert_eq!(require_inside("src/../new/file").unwrap(), root.join("new/file"));
        assert_eq!(require_inside(root.join("src").to_str().unwrap()).unwrap(), root.join("src"));
        for path in ["..", "../secret", "/etc/passwd", "src/../../secret", "new/../../x", "~/x"] {
            assert!(matches!(require_inside(path), Err(Error::Outside { .. })), "{path}");
        }
        assert!(matches!(require_inside("a\0b"), Err(Error::ZeroByte { .. })));
    }

    #[test]
    fn links_are_resolved() {
        let (_folder, scope) = temp_scope();
        let root = scope.root().to_owned();
        symlink("/etc", root.join("etc")).unwrap();
        symlink("src", root.join("inner")).unwrap();
        symlink("../later", root.join("dangling")).unwrap();
        symlink("loop", root.join("loop")).unwrap();
        let require_inside = |path: &str| scope.require_inside("p", path, &root);
        assert_eq!(require_inside("inner/a").unwrap(), root.join("src/a"));
        for path in ["etc", "etc/passwd", "etc/new", "dangling", "inner/../../secret", "loop"] {
            assert!(matches!(require_inside(path), Err(Error::Outside { .. })), "{path}");
        }
    }

    #[test]
    fn sibling_folder_with_the_same_prefix_is_outside() {
        let (folder, scope) = temp_scope();
        std::fs::create_dir(folder.path().join("scope-two")).unwrap();
        let beside = scope.require_inside("p", "../scope-two/x", scope.root());
        assert!(matches!(beside, Err(Error::Outside { .. })));
    }

    #[test]
    fn working_directory_must_exist_inside_the_scope() {
        let (_folder, scope) = temp_scope();
        assert_eq!(scope.folder(None).unwrap(), scope.root());
        assert_eq!(scope.folder(Some("src")).unwrap(), scope.root().join("src"));
        assert!(matches!(scope.folder(Some("nowhere")), Err(Error::NoFolder { .. })));
        assert!(matches!(scope.folder(Some("..")), Err(Error::Outside { .. })));
    }
}
