//! What of the system is there at all inside: a root of its own with the system's folders, read-only, the
//! scope at its place, and nothing of anybody's home but tools.

use std::{
    fs, io,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
};

use rustix::{
    mount::{
        MountFlags, MountPropagationFlags, UnmountFlags, mount, mount_change, mount_remount,
        unmount,
    },
    process::{chdir, pivot_root},
};

use super::{
    mounts::{Held, Use, cover, hold, private},
    system::{DEVICES, FOLDERS, LINKS, PRIVATE, secrets},
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
    let hidden = secrets();

    private(Path::new(PLACE), c"mode=0755,size=25%")?;
    for folder in ["proc", "dev/pts", "run"] {
        fs::create_dir_all(inside(Path::new(folder)))?;
    }
    for folder in PRIVATE {
        private(&inside(Path::new(folder)), c"mode=1777,size=25%")?;
    }
    if let Some(home) = &plan.home {
        private(&inside(home), c"mode=0700,size=25%")?;
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
    for (path, text) in &plan.settings {
        let file = inside(path);
        fs::create_dir_all(file.parent().unwrap_or(&file))?;
        fs::write(file, text)?;
    }
    // A process tree may be mounted where a whole one is in sight: the old one is until the root is left,
    // and this one is for the cells.
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    mount("proc", inside(Path::new("proc")), "proc", flags, None)?;
    let flags = MountFlags::NOSUID | MountFlags::NOEXEC;
    let options = c"newinstance,ptmxmode=0666,mode=0620";
    mount("devpts", inside(Path::new("dev/pts")), "devpts", flags, options)?;
    chdir(PLACE)?;
    pivot_root(".", ".")?;
    unmount(".", UnmountFlags::DETACH)?;
    chdir("/")?;
    // The root itself, which was put together in memory.
    let flags = MountFlags::BIND | MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::NODEV;
    Ok(mount_remount("/", flags, "")?)
}

/// What is private to one cell: its processes, and how many there may be.
pub(super) fn renew(bounds: &Bounds) -> io::Result<()> {
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    mount("proc", "/proc", "proc", flags, None)?;
    if bounds.processes > 0 {
        // Root's processes are not counted by any other limit. Kernels before 6.14 have none of a
        // namespace, and no kernel one below 301.
        let _ = fs::write("/proc/sys/kernel/pid_max", bounds.processes.max(301).to_string());
    }
    Ok(mount_remount("/proc", MountFlags::BIND | MountFlags::RDONLY | flags, "")?)
}

fn inside(path: &Path) -> PathBuf {
    Path::new(PLACE).join(path.strip_prefix("/").unwrap_or(path))
}

type Links = Vec<(PathBuf, PathBuf)>;

/// Holds everything of the outside that will be there, what lies above before what lies below: it would
/// cover it.
fn taken(plan: &Plan) -> io::Result<(Vec<Held>, Links)> {
    let mut held = Vec::new();
    let mut links = Vec::new();
    for path in FOLDERS.iter().map(Path::new) {
        match fs::symlink_metadata(path) {
            Ok(meta) if meta.is_symlink() => links.push((path.to_owned(), fs::read_link(path)?)),
            Ok(_) => held.push(hold(path, Use::Read)?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    let shown = |path: &Path| {
        let system = FOLDERS.iter().any(|folder| path.starts_with(folder));
        system || path.starts_with(&plan.scope)
    };
    for path in plan.readable.iter().chain(&resolver(&plan.network)).filter(|path| !shown(path)) {
        held.push(hold(path, Use::Read)?);
    }
    for path in plan.layered.iter().filter(|path| !path.starts_with(&plan.scope)) {
        held.push(hold(path, Use::Layer)?);
    }
    for path in DEVICES.iter().map(Path::new).filter(|path| path.exists()) {
        held.push(hold(path, Use::Device)?);
    }
    held.push(hold(&plan.scope, Use::Write)?);
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
