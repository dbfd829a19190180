//! Where a path leads, links resolved, and whether that is inside the scope. The kernel keeps
//! commands inside anyway; this says no before anything runs, and says why.

use std::{
    collections::VecDeque,
    ffi::OsString,
    io,
    path::{Component, Path, PathBuf},
};

use super::error::Error;

/// How many links are followed; Linux stops at the same number.
const MOST_LINKS: usize = 40;

/// The scope of a call.
#[derive(Debug, Clone)]
pub(super) struct Scope {
    root: PathBuf,
}

impl Scope {
    /// A scope; it must be there.
    pub(super) fn new(path: &Path) -> Result<Self, Error> {
        let root = path
            .canonicalize()
            .map_err(|source| Error::Scope { scope: path.to_owned(), source })?;
        Ok(Self { root })
    }

    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// Refuses a path that leads out of the scope, be it there or not yet.
    pub(super) fn holds(&self, name: &str, path: &str, from: &Path) -> Result<PathBuf, Error> {
        let outside = || Error::Outside {
            name: name.to_owned(),
            path: path.to_owned(),
            scope: self.root.clone(),
        };
        if path.contains('\0') {
            return Err(Error::ZeroByte { name: name.to_owned() });
        }
        // No shell reads it, so `~` would be a folder of that name: nobody means that.
        if path == "~" || path.starts_with("~/") {
            return Err(outside());
        }
        let led = resolve(&from.join(path)).map_err(|_| outside())?;
        if led.starts_with(&self.root) { Ok(led) } else { Err(outside()) }
    }

    /// The folder a call asks for: inside the scope, and there.
    pub(super) fn folder(&self, wanted: Option<&str>) -> Result<PathBuf, Error> {
        let Some(wanted) = wanted else { return Ok(self.root.clone()) };
        let folder = self.holds("working_directory", wanted, &self.root)?;
        if folder.is_dir() { Ok(folder) } else { Err(Error::NoFolder { path: wanted.to_owned() }) }
    }
}

/// Where a path leads. What does not exist yet leads where it would be made; a link that points
/// nowhere leads to where a file made through it would be.
pub(super) fn resolve(path: &Path) -> io::Result<PathBuf> {
    let mut left: VecDeque<OsString> = parts(path);
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
                if links > MOST_LINKS {
                    return Err(io::Error::other("too many links"));
                }
                let target = next.read_link()?;
                if target.is_absolute() {
                    at = PathBuf::from("/");
                }
                for part in parts(&target).into_iter().rev() {
                    left.push_front(part);
                }
            }
            Ok(_) => at = next,
            Err(error) if missing(&error) => at = next,
            Err(error) => return Err(error),
        }
    }
    Ok(at)
}

fn missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn parts(path: &Path) -> VecDeque<OsString> {
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

    fn place() -> (tempfile::TempDir, Scope) {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("scope/src")).unwrap();
        std::fs::write(folder.path().join("secret"), "x").unwrap();
        let scope = Scope::new(&folder.path().join("scope")).unwrap();
        (folder, scope)
    }

    #[test]
    fn paths_inside_are_held_and_others_are_not() {
        let (_folder, scope) = place();
        let root = scope.root().to_owned();
        let holds = |path: &str| scope.holds("p", path, &root);
        assert_eq!(holds("src").unwrap(), root.join("src"));
        assert_eq!(holds("src/../new/file").unwrap(), root.join("new/file"));
        assert_eq!(holds(root.join("src").to_str().unwrap()).unwrap(), root.join("src"));
        for path in ["..", "../secret", "/etc/passwd", "src/../../secret", "new/../../x", "~/x"] {
            assert!(matches!(holds(path), Err(Error::Outside { .. })), "{path}");
        }
        assert!(matches!(holds("a\0b"), Err(Error::ZeroByte { .. })));
    }

    #[test]
    fn a_link_counts_as_what_it_leads_to() {
        let (_folder, scope) = place();
        let root = scope.root().to_owned();
        symlink("/etc", root.join("etc")).unwrap();
        symlink("src", root.join("inner")).unwrap();
        symlink("../later", root.join("dangling")).unwrap();
        symlink("loop", root.join("loop")).unwrap();
        let holds = |path: &str| scope.holds("p", path, &root);
        assert_eq!(holds("inner/a").unwrap(), root.join("src/a"));
        for path in ["etc", "etc/passwd", "etc/new", "dangling", "inner/../../secret", "loop"] {
            assert!(matches!(holds(path), Err(Error::Outside { .. })), "{path}");
        }
    }

    #[test]
    fn a_scope_beside_it_with_the_same_beginning_is_outside() {
        let (folder, scope) = place();
        std::fs::create_dir(folder.path().join("scope-two")).unwrap();
        let beside = scope.holds("p", "../scope-two/x", scope.root());
        assert!(matches!(beside, Err(Error::Outside { .. })));
    }

    #[test]
    fn a_working_directory_is_there_and_inside() {
        let (_folder, scope) = place();
        assert_eq!(scope.folder(None).unwrap(), scope.root());
        assert_eq!(scope.folder(Some("src")).unwrap(), scope.root().join("src"));
        assert!(matches!(scope.folder(Some("nowhere")), Err(Error::NoFolder { .. })));
        assert!(matches!(scope.folder(Some("..")), Err(Error::Outside { .. })));
    }
}
