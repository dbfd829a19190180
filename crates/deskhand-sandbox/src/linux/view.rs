//! What of the system is there at all inside: a root of its own with the system's folders, read-only, the
//! scope at its place, and nothing of anybody's home but tools.

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
    fork::restrict_mounts,
    leftovers::QUEUES,
    mounts::{Held, Use, cover, hold, private},
    system::{DEVICES, FOLDERS, LINKS, PRIVATE, SETTINGS, SHOWN, room, secrets},
};
use crate::{Bounds, Network, Plan};

/// Where the root is put together; whatever is there is not seen by anybody else.
const PLACE: &str = "/tmp";

/// Where in the root lies what is written to layers.
const ASIDE: &str = "/tmp/.layers";

/// Puts the view together and makes it the root of this process.
pub(super) fn enter(plan: &Plan) -> io::Result<()> {
    mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)?;
    let (held, links) = taken(plan)?;
    let hidden = secrets(&plan.readable);
    let room = room();

    private(Path::new(PLACE), 0o755, room)?;
    for folder in ["/proc", "/dev/pts", QUEUES, "/run"] {
        fs::create_dir_all(inside(Path::new(folder)))?;
    }
    for folder in PRIVATE {
        private(&inside(Path::new(folder)), 0o1777, room)?;
    }
    if let Some(home) = &plan.home {
        private(&inside(home), 0o700, room)?;
    }
    if getuid().is_root() {
        let at = inside(Path::new(SETTINGS));
        private(&at, 0o755, room)?;
        etc::copy(Path::new(SETTINGS), &at)?;
        restrict_mounts(&at, libc::MOUNT_ATTR_RDONLY)?;
    }
    for (path, to) in links {
        symlink(to, inside(&path))?;
    }
    for (name, to) in LINKS {
        symlink(to, inside(Path::new(name)))?;
    }
    for one in &held {
        one.put(&inside(&one.path), Path::new(ASIDE))?;
    }
    for path in hidden {
        cover(&inside(&path))?;
    }
    cover(Path::new(ASIDE))?;
    for (path, text) in &plan.settings {
        let file = inside(path);
        fs::create_dir_all(file.parent().unwrap_or(&file))?;
        fs::write(file, text)?;
    }
    // A process tree may be mounted where a whole one is in sight: the old one is until the root is left,
    // and this one is for the cells.
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    mount("proc", inside(Path::new("proc")), "proc", flags, None)?;
    chdir(PLACE)?;
    pivot_root(".", ".")?;
    unmount(".", UnmountFlags::DETACH)?;
    chdir("/")?;
    // The root itself, which was put together in memory.
    let flags = MountFlags::BIND | MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::NODEV;
    Ok(mount_remount("/", flags, "")?)
}

/// Who counts the processes of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Counted {
    /// Its namespace: they are its own.
    Apart,
    /// Nobody yet.
    No,
}

/// What is private to one cell: its processes, how many there may be, its terminals, its shared memory and its
/// queues.
pub(super) fn renew(bounds: &Bounds) -> io::Result<Counted> {
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    mount("proc", "/proc", "proc", flags, None)?;
    // Root's processes are not counted by any other limit, and those of others together with all other
    // cells'. Kernels before 6.14 have none of a namespace, and no kernel one below 301.
    let most = bounds.processes.max(301).to_string();
    let counted = match bounds.processes {
        0 => Counted::Apart,
        _ if fs::write("/proc/sys/kernel/pid_max", most).is_ok() => Counted::Apart,
        _ => Counted::No,
    };
    // When memory runs out, what runs here is ended before anything of the person's.
    fs::write("/proc/self/oom_score_adj", "1000")?;
    for (name, most) in [("shmall", SHARED / 4096), ("shmmax", SHARED)] {
        // A kernel may have no memory of this kind at all.
        let _ = fs::write(Path::new("/proc/sys/kernel").join(name), most.to_string());
    }
    mount_remount("/proc", MountFlags::BIND | MountFlags::RDONLY | flags, "")?;
    let flags = MountFlags::NOSUID | MountFlags::NOEXEC;
    let options = c"newinstance,ptmxmode=0666,mode=0620";
    mount("devpts", "/dev/pts", "devpts", flags, options)?;
    let flags = flags | MountFlags::NODEV;
    match mount("mqueue", QUEUES, "mqueue", flags, None) {
        // A kernel may have no queues.
        Ok(()) | Err(Errno::NODEV) => {}
        Err(errno) => return Err(errno.into()),
    }
    Ok(counted)
}

/// Bytes of memory programs share by the oldest of ways.
const SHARED: u64 = 256 << 20;

fn inside(path: &Path) -> PathBuf {
    Path::new(PLACE).join(path.strip_prefix("/").unwrap_or(path))
}

type Links = Vec<(PathBuf, PathBuf)>;

/// Holds everything of the outside that will be there, what lies above before what lies below: it would
/// cover it.
fn taken(plan: &Plan) -> io::Result<(Vec<Held>, Links)> {
    let mut held = Vec::new();
    let mut links = Vec::new();
    // Root has a copy of what is for everybody.
    let settings = (!getuid().is_root()).then_some(SETTINGS);
    for path in FOLDERS.iter().copied().chain(settings).map(Path::new) {
        match fs::symlink_metadata(path) {
            Ok(meta) if meta.is_symlink() => links.push((path.to_owned(), fs::read_link(path)?)),
            Ok(_) => held.push(hold(path, Use::Read)?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    let system = |path: &Path| FOLDERS.iter().chain(SHOWN).any(|folder| path.starts_with(folder));
    let other = |path: &&PathBuf| !system(path) && !path.starts_with(&plan.scope);
    let shown: Vec<PathBuf> = SHOWN.iter().map(PathBuf::from).collect();
    let shown =
        shown.iter().chain(plan.readable.iter().filter(other)).map(|path| (path, Use::Show));
    let layered = plan.layered.iter().filter(other).map(|path| (path, Use::Layer));
    let resolver = resolver(&plan.network);
    let resolver = resolver.iter().map(|path| (path, Use::Read));
    let fixed = plan.fixed.iter().map(|path| (path, Use::Read));
    // What is mounted cannot be moved.
    let on_the_way = plan.on_the_way();
    let on_the_way = on_the_way.iter().map(|path| (path, Use::Write));
    for (path, purpose) in shown.chain(layered).chain(resolver).chain(fixed).chain(on_the_way) {
        match hold(path, purpose) {
            Ok(one) => held.push(one),
            // It is gone by now, or was never there.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => {
                return Err(io::Error::new(error.kind(), format!("{}: {error}", path.display())));
            }
        }
    }
    for path in DEVICES.iter().map(Path::new).filter(|path| path.exists()) {
        held.push(hold(path, Use::Device)?);
    }
    let scope = hold(&plan.scope, Use::Write)?;
    if !scope.is(plan.identity)? {
        return Err(io::Error::other("another folder is in the place of the scope"));
    }
    held.push(scope);
    // By a sort that keeps the order of equals: a layer comes after what is only shown.
    held.sort_by_key(|one| one.path.components().count());
    Ok((held, links))
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
