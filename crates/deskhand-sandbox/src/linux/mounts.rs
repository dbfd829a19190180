//! Putting one thing of the outside to its place inside.

use std::{
    fs, io,
    os::fd::{AsRawFd, OwnedFd},
    path::{Path, PathBuf},
};

use rustix::{
    fs::{CWD, Mode, OFlags, ResolveFlags, fstat, openat2},
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
    /// Reading and running, but neither its sockets nor its pipes: those who listen there are outside.
    Show,
}

impl Use {
    fn attributes(self) -> u64 {
        let plain = libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NODEV;
        match self {
            Self::Read | Self::Layer | Self::Show => plain | libc::MOUNT_ATTR_RDONLY,
            Self::Write => plain,
            // A device can be written to all the same; its mode and times cannot be changed.
            Self::Device => {
                libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NOEXEC | libc::MOUNT_ATTR_RDONLY
            }
        }
    }
}

/// Something of the outside that is held until it is put to its place.
pub(super) struct Held {
    pub(super) path: PathBuf,
    tree: OwnedFd,
    purpose: Use,
}

/// Holds something with all that is mounted below it. No part of its path may be a link: it was resolved
/// before, and a link would be of somebody who wants it to mean something else by now.
pub(super) fn hold(path: &Path, purpose: Use) -> io::Result<Held> {
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    let file = openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS)?;
    let how = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC
        | OpenTreeFlags::AT_EMPTY_PATH
        | OpenTreeFlags::AT_RECURSIVE;
    Ok(Held { path: path.to_owned(), tree: open_tree(&file, "", how)?, purpose })
}

impl Held {
    /// Puts it there; what is written to a layer goes to a folder below `aside`.
    pub(super) fn put(&self, at: &Path, aside: &Path) -> io::Result<()> {
        let folder = fstat(&self.tree)?.st_mode & libc::S_IFMT == libc::S_IFDIR;
        if folder {
            fs::create_dir_all(at)?;
        } else if !at.exists() {
            fs::create_dir_all(at.parent().unwrap_or(at))?;
            fs::File::create(at)?;
        }
        let layer = match self.purpose {
            Use::Layer | Use::Show if folder => self.layered(at, aside),
            Use::Read | Use::Write | Use::Device | Use::Layer | Use::Show => {
                Err(io::ErrorKind::Unsupported.into())
            }
        };
        // Where the kernel has no layers, what they would be over can be read.
        if layer.is_ok() {
            return Ok(());
        }
        move_mount(&self.tree, "", CWD, at, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)?;
        restrict_mounts(at, self.purpose.attributes())
    }

    /// Whether it is what it was when it was resolved.
    pub(super) fn is(&self, identity: (u64, u64)) -> io::Result<bool> {
        let stat = fstat(&self.tree)?;
        Ok((stat.st_dev, stat.st_ino) == identity)
    }

    fn layered(&self, at: &Path, aside: &Path) -> io::Result<()> {
        let number = self.tree.as_raw_fd();
        let (upper, work) =
            (aside.join(format!("{number}/up")), aside.join(format!("{number}/work")));
        fs::create_dir_all(&upper)?;
        fs::create_dir_all(&work)?;
        let (upper, work) = (upper.display(), work.display());
        let plain = MountFlags::NOSUID | MountFlags::NODEV;
        // The path of what is held may be covered by now; the kernel follows its number.
        let (flags, options) = if self.purpose == Use::Layer {
            let parts = format!("upperdir={upper},workdir={work},userxattr");
            (plain, format!("lowerdir=/proc/self/fd/{number},{parts}"))
        } else {
            // There must be two of them where there is nothing to write to.
            (
                plain | MountFlags::RDONLY,
                format!("lowerdir={upper}:/proc/self/fd/{number},userxattr"),
            )
        };
        let options = std::ffi::CString::new(options)?;
        Ok(mount("overlay", at, "overlay", flags, &*options)?)
    }
}

/// A folder in memory that is of the sandbox alone.
pub(super) fn private(at: &Path, mode: u32, room: u64) -> io::Result<()> {
    fs::create_dir_all(at)?;
    let options = std::ffi::CString::new(format!("mode={mode:o},size={room},nr_inodes=400000"))?;
    Ok(mount("tmpfs", at, "tmpfs", MountFlags::NOSUID | MountFlags::NODEV, &*options)?)
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
    restrict_mounts(path, Use::Device.attributes())
}
