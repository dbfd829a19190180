//! What of the system is there at all inside: a root of its own with the system's folders, read-only, the
//! scope at its place, and nothing of anybody's home.

use std::{
    fs, io,
    os::{fd::OwnedFd, unix::fs::symlink},
    path::{Path, PathBuf},
};

use rustix::{
    fs::CWD,
    mount::{
        MountFlags, MountPropagationFlags, MoveMountFlags, OpenTreeFlags, UnmountFlags, mount,
        mount_change, move_mount, open_tree, unmount,
    },
    process::{chdir, pivot_root},
};

use super::{files::PRIVATE, fork::restrict_mounts};
use crate::{Network, Plan};

/// Folders of the system programs are made of.
const SYSTEM: &[&str] = &[
    "/bin", "/etc", "/gnu", "/lib", "/lib32", "/lib64", "/libx32", "/nix", "/opt", "/sbin", "/usr",
];

/// Devices every program expects.
const DEVICES: &[&str] =
    &["/dev/full", "/dev/null", "/dev/random", "/dev/tty", "/dev/urandom", "/dev/zero"];

/// Files of the system that hold secrets; whoever runs the server may be root.
const SECRETS: &[&str] = &[
    "/etc/shadow",
    "/etc/shadow-",
    "/etc/gshadow",
    "/etc/gshadow-",
    "/etc/sudoers",
    "/etc/sudoers.d",
    "/etc/ssh",
    "/etc/ssl/private",
    "/etc/wireguard",
    "/etc/krb5.keytab",
    "/etc/security/opasswd",
    "/etc/NetworkManager/system-connections",
    "/etc/machine-id",
    "/etc/cups/ssl",
    "/etc/letsencrypt",
];

/// Where the root is put together; whatever is there is not seen by anybody else.
const PLACE: &str = "/tmp";

const READ_ONLY: u64 = libc::MOUNT_ATTR_RDONLY | WRITABLE;
const WRITABLE: u64 = libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NODEV;

/// Something of the outside that is held until it is put to its place.
struct Held {
    path: PathBuf,
    tree: OwnedFd,
    attributes: u64,
}

/// Puts the view together and makes it the root of this process.
pub(super) fn enter(plan: &Plan) -> io::Result<()> {
    mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)?;
    let mut held = Vec::new();
    let mut links = Vec::new();
    for path in SYSTEM.iter().map(Path::new) {
        match fs::symlink_metadata(path) {
            Ok(meta) if meta.is_symlink() => links.push((path, fs::read_link(path)?)),
            Ok(_) => held.push(hold(path, READ_ONLY)?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    for path in plan.readable.iter().chain(&resolver(&plan.network)) {
        held.push(hold(path, READ_ONLY)?);
    }
    for path in DEVICES.iter().map(Path::new).filter(|path| path.exists()) {
        held.push(hold(path, libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NOEXEC)?);
    }
    held.push(hold(&plan.scope, WRITABLE)?);
    // Below comes after above, or it would be covered.
    held.sort_by_key(|one| one.path.components().count());

    mount("tmpfs", PLACE, "tmpfs", MountFlags::NOSUID | MountFlags::NODEV, c"mode=0755")?;
    let inside = |path: &Path| Path::new(PLACE).join(path.strip_prefix("/").unwrap_or(path));
    for folder in ["proc", "dev/pts", "run", "var"].iter().chain(&["tmp", "var/tmp", "dev/shm"]) {
        fs::create_dir_all(Path::new(PLACE).join(folder))?;
    }
    for folder in PRIVATE.iter().map(|path| inside(Path::new(path))) {
        let flags = MountFlags::NOSUID | MountFlags::NODEV;
        mount("tmpfs", &folder, "tmpfs", flags, c"mode=1777")?;
    }
    for (path, to) in links {
        symlink(to, inside(path))?;
    }
    for (name, to) in [
        ("dev/fd", "/proc/self/fd"),
        ("dev/stdin", "/proc/self/fd/0"),
        ("dev/stdout", "/proc/self/fd/1"),
        ("dev/stderr", "/proc/self/fd/2"),
        ("dev/ptmx", "pts/ptmx"),
    ] {
        symlink(to, Path::new(PLACE).join(name))?;
    }
    for one in &held {
        put(one, &inside(&one.path))?;
    }
    for path in SECRETS.iter().map(|path| inside(Path::new(path))) {
        cover(&path)?;
    }
    // A process tree may be mounted where a whole one is in sight: the old one is until the root is left,
    // and this one is for the cells.
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    mount("proc", Path::new(PLACE).join("proc"), "proc", flags, None)?;
    let pts = Path::new(PLACE).join("dev/pts");
    let flags = MountFlags::NOSUID | MountFlags::NOEXEC;
    mount("devpts", &pts, "devpts", flags, c"newinstance,ptmxmode=0666,mode=0620")?;
    chdir(PLACE)?;
    pivot_root(".", ".")?;
    unmount(".", UnmountFlags::DETACH)?;
    chdir("/")?;
    // The root itself, which was put together in memory.
    restrict_root()
}

/// What is private to one cell: its processes.
pub(super) fn renew() -> io::Result<()> {
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    Ok(mount("proc", "/proc", "proc", flags, None)?)
}

fn restrict_root() -> io::Result<()> {
    use rustix::mount::mount_remount;
    let flags = MountFlags::BIND | MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::NODEV;
    Ok(mount_remount("/", flags, "")?)
}

fn hold(path: &Path, attributes: u64) -> io::Result<Held> {
    let how = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC
        | OpenTreeFlags::AT_RECURSIVE;
    let tree = open_tree(CWD, path, how)?;
    Ok(Held { path: path.to_owned(), tree, attributes })
}

fn put(one: &Held, at: &Path) -> io::Result<()> {
    if rustix::fs::fstat(&one.tree)?.st_mode & libc::S_IFMT == libc::S_IFDIR {
        fs::create_dir_all(at)?;
    } else if !at.exists() {
        fs::create_dir_all(at.parent().unwrap_or(at))?;
        fs::File::create(at)?;
    }
    move_mount(&one.tree, "", CWD, at, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)?;
    restrict_mounts(at, one.attributes)
}

/// Puts nothing in the place of something.
fn cover(path: &Path) -> io::Result<()> {
    let Ok(meta) = fs::metadata(path) else { return Ok(()) };
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    if meta.is_dir() {
        mount("tmpfs", path, "tmpfs", flags | MountFlags::RDONLY, c"mode=0755,size=4k")?;
        return Ok(());
    }
    let nothing = hold(Path::new("/dev/null"), READ_ONLY)?;
    move_mount(&nothing.tree, "", CWD, path, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)?;
    Ok(())
}

/// The file names are resolved by often lies elsewhere than /etc says.
fn resolver(network: &Network) -> Vec<PathBuf> {
    match network {
        Network::Off => Vec::new(),
        Network::On | Network::Ports(_) => {
            let real = fs::canonicalize("/etc/resolv.conf").ok();
            real.into_iter().filter(|path| !path.starts_with("/etc")).collect()
        }
    }
}
