//! Putting one thing of the outside to its place inside.

use std::{
    fs, io,
    os::fd::{AsRawFd, OwnedFd},
    path::{Path, PathBuf},
};

use rustix::{
    fs::CWD,
    mount::{MountFlags, MoveMountFlags, OpenTreeFlags, mount, move_mount, open_tree},
};

use super::fork::restrict_mounts;

/// What may be done with something at its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    /// Reading and running.
    Read,
    /// Everything.
    Write,
    /// Reading and writing of a device.
    Device,
    /// Everything, but what is written is seen inside alone.
    Layer,
}

impl Use {
    fn attributes(self) -> u64 {
        let plain = libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NODEV;
        match self {
            Self::Read | Self::Layer => plain | libc::MOUNT_ATTR_RDONLY,
            Self::Write => plain,
            Self::Device => libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NOEXEC,
        }
    }
}

/// Something of the outside that is held until it is put to its place.
pub(super) struct Held {
    pub(super) path: PathBuf,
    tree: OwnedFd,
    purpose: Use,
}

/// Holds something with all that is mounted below it.
pub(super) fn hold(path: &Path, purpose: Use) -> io::Result<Held> {
    let how = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC
        | OpenTreeFlags::AT_RECURSIVE;
    Ok(Held { path: path.to_owned(), tree: open_tree(CWD, path, how)?, purpose })
}

impl Held {
    /// Puts it there; what is written to a layer goes to a folder below `aside`.
    pub(super) fn put(&self, at: &Path, aside: &Path) -> io::Result<()> {
        if rustix::fs::fstat(&self.tree)?.st_mode & libc::S_IFMT == libc::S_IFDIR {
            fs::create_dir_all(at)?;
        } else if !at.exists() {
            fs::create_dir_all(at.parent().unwrap_or(at))?;
            fs::File::create(at)?;
        }
        // Where the kernel has no layers, what they would be over can be read.
        if self.purpose == Use::Layer && self.layered(at, aside).is_ok() {
            return Ok(());
        }
        move_mount(&self.tree, "", CWD, at, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)?;
        restrict_mounts(at, self.purpose.attributes())
    }

    fn layered(&self, at: &Path, aside: &Path) -> io::Result<()> {
        let number = self.tree.as_raw_fd();
        let (upper, work) =
            (aside.join(format!("{number}/up")), aside.join(format!("{number}/work")));
        fs::create_dir_all(&upper)?;
        fs::create_dir_all(&work)?;
        // The path of what is held may be covered by now; the kernel follows its number.
        let options = format!(
            "lowerdir=/proc/self/fd/{number},upperdir={},workdir={},userxattr",
            upper.display(),
            work.display()
        );
        let options = std::ffi::CString::new(options)?;
        mount("overlay", at, "overlay", MountFlags::NOSUID | MountFlags::NODEV, &*options)?;
        Ok(())
    }
}

/// A folder in memory that is of the sandbox alone.
pub(super) fn private(at: &Path, mode: &std::ffi::CStr) -> io::Result<()> {
    fs::create_dir_all(at)?;
    Ok(mount("tmpfs", at, "tmpfs", MountFlags::NOSUID | MountFlags::NODEV, mode)?)
}

/// Puts nothing in the place of something.
pub(super) fn cover(path: &Path) -> io::Result<()> {
    let Ok(meta) = fs::symlink_metadata(path) else { return Ok(()) };
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    if meta.is_dir() {
        mount("tmpfs", path, "tmpfs", flags | MountFlags::RDONLY, c"mode=0755,size=4k")?;
        return Ok(());
    }
    let nothing = hold(Path::new("/dev/null"), Use::Device)?;
    move_mount(&nothing.tree, "", CWD, path, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)?;
    Ok(())
}
