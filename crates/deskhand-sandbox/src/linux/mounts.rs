//! Mounts files and folders of the host in the sandbox.

use std::{
    fs, io,
    os::fd::{AsRawFd, OwnedFd},
    path::{Path, PathBuf},
};

use rustix::{
    fs::{CWD, Mode, OFlags, ResolveFlags, fstat, openat2},
    mount::{MountFlags, MoveMountFlags, OpenTreeFlags, mount, move_mount, open_tree},
};

use super::fork::set_mount_attributes;

/// The access to a mount.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MountAccess {
    /// Read and execute.
    ReadOnly,
    /// Read, write and execute.
    ReadWrite,
    /// Read and write a device.
    Device,
    /// Read, write and execute through an overlay: changes are visible only in the sandbox.
    Overlay,
    /// Read and execute, without the sockets and pipes in it: their listeners are outside.
    ReadOnlyFiles,
}

impl MountAccess {
    fn attributes(self) -> u64 {
        let base = libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NODEV;
        match self {
            Self::ReadOnly | Self::Overlay | Self::ReadOnlyFiles => base | libc::MOUNT_ATTR_RDONLY,
            Self::ReadWrite => base,
            // A read-only mount still allows writing to a device, but not changing its mode and times.
            Self::Device => {
                libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NOEXEC | libc::MOUNT_ATTR_RDONLY
            }
        }
    }
}

/// A cloned mount of the host that is not yet attached.
pub(super) struct DetachedMount {
    pub(super) path: PathBuf,
    tree: OwnedFd,
    access: MountAccess,
}

/// Clones a file or folder with all mounts below it. No part of its path may be a link: the path was resolved
/// before, so a link would have been put there to redirect it.
pub(super) fn clone_mount(path: &Path, access: MountAccess) -> io::Result<DetachedMount> {
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    let file = openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS)?;
    let clone_flags = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC
        | OpenTreeFlags::AT_EMPTY_PATH
        | OpenTreeFlags::AT_RECURSIVE;
    Ok(DetachedMount { path: path.to_owned(), tree: open_tree(&file, "", clone_flags)?, access })
}

impl DetachedMount {
    /// Attaches the mount. An overlay keeps its changes in a folder below `overlay_dir`.
    pub(super) fn attach(&self, at: &Path, overlay_dir: &Path) -> io::Result<()> {
        let is_dir = fstat(&self.tree)?.st_mode & libc::S_IFMT == libc::S_IFDIR;
        if is_dir {
            fs::create_dir_all(at)?;
        } else if !at.exists() {
            fs::create_dir_all(at.parent().unwrap_or(at))?;
            fs::File::create(at)?;
        }
        let overlay = match self.access {
            MountAccess::Overlay | MountAccess::ReadOnlyFiles if is_dir => {
                self.attach_overlay(at, overlay_dir)
            }
            MountAccess::ReadOnly
            | MountAccess::ReadWrite
            | MountAccess::Device
            | MountAccess::Overlay
            | MountAccess::ReadOnlyFiles => Err(io::ErrorKind::Unsupported.into()),
        };
        // A kernel without overlays gets a read-only mount instead.
        if overlay.is_ok() {
            return Ok(());
        }
        move_mount(&self.tree, "", CWD, at, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)?;
        set_mount_attributes(at, self.access.attributes())
    }

    /// Returns `true` if the mount has this device and inode number.
    pub(super) fn has_identity(&self, identity: (u64, u64)) -> io::Result<bool> {
        let stat = fstat(&self.tree)?;
        Ok((stat.st_dev, stat.st_ino) == identity)
    }

    fn attach_overlay(&self, at: &Path, overlay_dir: &Path) -> io::Result<()> {
        let fd = self.tree.as_raw_fd();
        let (upper, work) =
            (overlay_dir.join(format!("{fd}/up")), overlay_dir.join(format!("{fd}/work")));
        fs::create_dir_all(&upper)?;
        fs::create_dir_all(&work)?;
        let (upper, work) = (upper.display(), work.display());
        let base = MountFlags::NOSUID | MountFlags::NODEV;
        // Another mount may cover the path by now, so the descriptor is used.
        let (flags, options) = if self.access == MountAccess::Overlay {
            let parts = format!("upperdir={upper},workdir={work},userxattr");
            (base, format!("lowerdir=/proc/self/fd/{fd},{parts}"))
        } else {
            // A read-only overlay needs two lower folders.
            (base | MountFlags::RDONLY, format!("lowerdir={upper}:/proc/self/fd/{fd},userxattr"))
        };
        let options = std::ffi::CString::new(options)?;
        Ok(mount("overlay", at, "overlay", flags, &*options)?)
    }
}

/// Mounts a private folder in memory.
pub(super) fn mount_tmpfs(at: &Path, mode: u32, size: u64) -> io::Result<()> {
    fs::create_dir_all(at)?;
    let options = std::ffi::CString::new(format!("mode={mode:o},size={size},nr_inodes=400000"))?;
    Ok(mount("tmpfs", at, "tmpfs", MountFlags::NOSUID | MountFlags::NODEV, &*options)?)
}

/// Hides a file or folder behind an empty one.
pub(super) fn mask(path: &Path) -> io::Result<()> {
    let Ok(meta) = fs::symlink_metadata(path) else { return Ok(()) };
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    if meta.is_dir() {
        mount("tmpfs", path, "tmpfs", flags | MountFlags::RDONLY, c"mode=0755,size=4k")?;
        return Ok(());
    }
    let nothing = clone_mount(Path::new("/dev/null"), MountAccess::Device)?;
    move_mount(&nothing.tree, "", CWD, path, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)?;
    set_mount_attributes(path, MountAccess::Device.attributes())
}
