//! Drops all privileges of a process and sets its resource limits.

use std::io;

use rustix::{
    io::Errno,
    process::{Resource, Rlimit, setrlimit},
    thread::{
        self, CapabilitiesSecureBits, CapabilitySet, CapabilitySets, clear_ambient_capability_set,
        remove_capability_from_bounding_set, set_capabilities, set_capabilities_secure_bits,
    },
};

use super::filesystem::ProcessCounting;
use crate::ResourceLimits;

/// Removes all capabilities that a new program could gain. This process keeps its own.
pub(super) fn drop_bounding_set() -> io::Result<()> {
    clear_ambient_capability_set()?;
    for capability in CapabilitySet::all().iter() {
        match remove_capability_from_bounding_set(capability) {
            // The kernel supports fewer capabilities than this list has.
            Ok(()) | Err(Errno::INVAL) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
    Ok(())
}

/// Drops all capabilities of this process and its descendants for good.
pub(super) fn drop_capabilities() -> io::Result<()> {
    let bits = CapabilitiesSecureBits::NO_ROOT
        | CapabilitiesSecureBits::NO_ROOT_LOCKED
        | CapabilitiesSecureBits::NO_SETUID_FIXUP
        | CapabilitiesSecureBits::NO_SETUID_FIXUP_LOCKED
        | CapabilitiesSecureBits::KEEP_CAPS_LOCKED
        | CapabilitiesSecureBits::NO_CAP_AMBIENT_RAISE
        | CapabilitiesSecureBits::NO_CAP_AMBIENT_RAISE_LOCKED;
    set_capabilities_secure_bits(bits)?;
    let none = CapabilitySet::empty();
    set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none })?;
    Ok(thread::set_no_new_privs(true)?)
}

/// Sets the resource limits of this process and its descendants.
pub(super) fn set_limits(limits: &ResourceLimits, counting: ProcessCounting) -> io::Result<()> {
    let processes = match counting {
        // RLIMIT_NPROC counts all processes of the user.
        ProcessCounting::PerUser => limits.processes,
        ProcessCounting::Namespace => 0,
    };
    let limits = [
        (Resource::As, limits.memory),
        (Resource::Nproc, processes),
        (Resource::Fsize, limits.file_size),
        (Resource::Cpu, limits.cpu_seconds),
    ];
    for (resource, most) in limits.into_iter().filter(|(_, most)| *most > 0) {
        setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) })?;
    }
    // No core dumps: they would write memory to a file.
    Ok(setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) })?)
}
