//! The root file system of the sandbox: read-only system folders, the scope at its usual path, a private home
//! with toolchains, and nothing else.

use std::{
    fs, io,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
};

use rustix::{
    io::Errno,
    mount::{
        MountFlags, MountPropagationFlags, UnmountFlags, mount, mount_change, mount_remount,
        unmount,
    },
    process::{chdir, getuid, pivot_root},
};

use super::{
    etc,
    fork::set_mount_attributes,
    host_paths::{
        DEVICES, ETC, LINKS, PRIVATE_DIRS, SHARED_DIRS, SYSTEM_DIRS, find_secrets, tmpfs_size,
    },
    ipc::MQUEUE_DIR,
    mounts::{DetachedMount, MountAccess, clone_mount, mask, mount_tmpfs},
};
use crate::{Network, Plan, ResourceLimits};

/// The mount point of the new root. Only this namespace sees it.
const NEW_ROOT: &str = "/tmp";

/// The folder of the new root that stores changes to overlays.
const OVERLAY_DIR: &str = "/tmp/.layers";

/// Builds the new root and makes it the root of this process.
pub(super) fn enter_root(plan: &Plan) -> io::Result<()> {
    mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)?;
    let (mounts, links) = collect_mounts(plan)?;
    let hidden = find_secrets(&plan.readable);
    let tmpfs_size = tmpfs_size();

    mount_tmpfs(Path::new(NEW_ROOT), 0o755, tmpfs_size)?;
    for folder in ["/proc", "/dev/pts", MQUEUE_DIR, "/run"] {
        fs::create_dir_all(in_new_root(Path::new(folder)))?;
    }
    for folder in PRIVATE_DIRS {
        mount_tmpfs(&in_new_root(Path::new(folder)), 0o1777, tmpfs_size)?;
    }
    if let Some(home) = &plan.home {
        mount_tmpfs(&in_new_root(home), 0o700, tmpfs_size)?;
    }
    if getuid().is_root() {
        let at = in_new_root(Path::new(ETC));
        mount_tmpfs(&at, 0o755, tmpfs_size)?;
        etc::copy(Path::new(ETC), &at)?;
        set_mount_attributes(&at, libc::MOUNT_ATTR_RDONLY)?;
    }
    for (path, to) in links {
        symlink(to, in_new_root(&path))?;
    }
    for (name, to) in LINKS {
        symlink(to, in_new_root(Path::new(name)))?;
    }
    for mount in &mounts {
        mount.attach(&in_new_root(&mount.path), Path::new(OVERLAY_DIR))?;
    }
    for path in hidden {
        mask(&in_new_root(&path))?;
    }
    mask(Path::new(OVERLAY_DIR))?;
    for (path, text) in &plan.home_files {
        let file = in_new_root(path);
        fs::create_dir_all(file.parent().unwrap_or(&file))?;
        fs::write(file, text)?;
    }
    // The kernel permits a new proc mount only while a complete one is visible: the old one is until the old root
    // is unmounted. This one is for the containers.
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    mount("proc", in_new_root(Path::new("proc")), "proc", flags, None)?;
    chdir(NEW_ROOT)?;
    pivot_root(".", ".")?;
    unmount(".", UnmountFlags::DETACH)?;
    chdir("/")?;
    // The root is a tmpfs. Nothing may be written to it from here on.
    let flags = MountFlags::BIND | MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::NODEV;
    Ok(mount_remount("/", flags, "")?)
}

/// The mechanism that counts the processes of a container.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ProcessCounting {
    /// The PID namespace.
    Namespace,
    /// `RLIMIT_NPROC`, which counts all processes of the user.
    PerUser,
}

/// Mounts what is private to one container: its processes and their number, its terminals, its shared memory and
/// its message queues.
pub(super) fn mount_container_filesystems(limits: &ResourceLimits) -> io::Result<ProcessCounting> {
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    mount("proc", "/proc", "proc", flags, None)?;
    // RLIMIT_NPROC does not apply to root, and counts all containers of other users together. `pid_max` is per
    // namespace from kernel 6.14 on, with a minimum of 301.
    let most = limits.processes.max(301).to_string();
    let counting = match limits.processes {
        0 => ProcessCounting::Namespace,
        _ if fs::write("/proc/sys/kernel/pid_max", most).is_ok() => ProcessCounting::Namespace,
        _ => ProcessCounting::PerUser,
    };
    // When memory runs out, the kernel ends these processes before those of the user.
    fs::write("/proc/self/oom_score_adj", "1000")?;
    for (name, most) in [("shmall", SHM_LIMIT / 4096), ("shmmax", SHM_LIMIT)] {
        // The kernel may be built without System V IPC.
        let _ = fs::write(Path::new("/proc/sys/kernel").join(name), most.to_string());
    }
    mount_remount("/proc", MountFlags::BIND | MountFlags::RDONLY | flags, "")?;
    let flags = MountFlags::NOSUID | MountFlags::NOEXEC;
    let options = c"newinstance,ptmxmode=0666,mode=0620";
    mount("devpts", "/dev/pts", "devpts", flags, options)?;
    let flags = flags | MountFlags::NODEV;
    match mount("mqueue", MQUEUE_DIR, "mqueue", flags, None) {
        // The kernel may be built without POSIX message queues.
        Ok(()) | Err(Errno::NODEV) => {}
        Err(errno) => return Err(errno.into()),
    }
    Ok(counting)
}

/// Maximum size of System V shared memory, in bytes.
const SHM_LIMIT: u64 = 256 << 20;

fn in_new_root(path: &Path) -> PathBuf {
    Path::new(NEW_ROOT).join(path.strip_prefix("/").unwrap_or(path))
}

type Links = Vec<(PathBuf, PathBuf)>;

/// Clones everything of the host that the sandbox shows. Parents come before their children, which they would
/// cover otherwise.
fn collect_mounts(plan: &Plan) -> io::Result<(Vec<DetachedMount>, Links)> {
    let mut mounts = Vec::new();
    let mut links = Vec::new();
    // Root gets a copy of the world-readable part instead.
    let home_files = (!getuid().is_root()).then_some(ETC);
    for path in SYSTEM_DIRS.iter().copied().chain(home_files).map(Path::new) {
        match fs::symlink_metadata(path) {
            Ok(meta) if meta.is_symlink() => links.push((path.to_owned(), fs::read_link(path)?)),
            Ok(_) => mounts.push(clone_mount(path, MountAccess::ReadOnly)?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    let host_paths =
        |path: &Path| SYSTEM_DIRS.iter().chain(SHARED_DIRS).any(|folder| path.starts_with(folder));
    let other = |path: &&PathBuf| !host_paths(path) && !path.starts_with(&plan.scope);
    let shown: Vec<PathBuf> = SHARED_DIRS.iter().map(PathBuf::from).collect();
    let shown = shown
        .iter()
        .chain(plan.readable.iter().filter(other))
        .map(|path| (path, MountAccess::ReadOnlyFiles));
    let overlays = plan.overlays.iter().filter(other).map(|path| (path, MountAccess::Overlay));
    let resolver_files = resolver_files(&plan.network);
    let resolver_files = resolver_files.iter().map(|path| (path, MountAccess::ReadOnly));
    let read_only = plan.read_only.iter().map(|path| (path, MountAccess::ReadOnly));
    // A mount point cannot be renamed.
    let ancestors_of_read_only = plan.ancestors_of_read_only();
    let ancestors_of_read_only =
        ancestors_of_read_only.iter().map(|path| (path, MountAccess::ReadWrite));
    for (path, access) in
        shown.chain(overlays).chain(resolver_files).chain(read_only).chain(ancestors_of_read_only)
    {
        match clone_mount(path, access) {
            Ok(mount) => mounts.push(mount),
            // The path does not exist.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => {
                return Err(io::Error::new(error.kind(), format!("{}: {error}", path.display())));
            }
        }
    }
    for path in DEVICES.iter().map(Path::new).filter(|path| path.exists()) {
        mounts.push(clone_mount(path, MountAccess::Device)?);
    }
    let scope = clone_mount(&plan.scope, MountAccess::ReadWrite)?;
    if !scope.has_identity(plan.scope_identity)? {
        return Err(io::Error::other("another folder has taken the place of the scope"));
    }
    mounts.push(scope);
    // The sort is stable: an overlay comes after a read-only mount of the same path.
    mounts.sort_by_key(|mount| mount.path.components().count());
    Ok((mounts, links))
}

/// Returns the real path of `/etc/resolv.conf` if it is outside `/etc`.
fn resolver_files(network: &Network) -> Vec<PathBuf> {
    match network {
        Network::Off => Vec::new(),
        Network::On | Network::Ports(_) => {
            let real = fs::canonicalize("/etc/resolv.conf").ok();
            real.into_iter().filter(|path| !path.starts_with("/etc")).collect()
        }
    }
}
