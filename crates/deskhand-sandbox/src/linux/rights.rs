//! What a process may still do to the system itself: nothing.

use std::io;

use rustix::{
    io::Errno,
    process::{Resource, Rlimit, setrlimit},
    thread::{
        self, CapabilitiesSecureBits, CapabilitySet, CapabilitySets, clear_ambient_capability_set,
        remove_capability_from_bounding_set, set_capabilities, set_capabilities_secure_bits,
    },
};

use super::view::Counted;
use crate::Bounds;

/// Gives up what programs could be given when they begin; what this process has it keeps.
pub(super) fn drop_bounding() -> io::Result<()> {
    clear_ambient_capability_set()?;
    for one in CapabilitySet::all().iter() {
        match remove_capability_from_bounding_set(one) {
            // The kernel knows fewer of them than this list.
            Ok(()) | Err(Errno::INVAL) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
    Ok(())
}

/// Gives up every capability for good, of this process and of all it starts.
pub(super) fn drop_all() -> io::Result<()> {
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

/// Bounds what this process and all it starts may use.
pub(super) fn bound(bounds: &Bounds, counted: Counted) -> io::Result<()> {
    let processes = match counted {
        // This limit counts all of a user.
        Counted::No => bounds.processes,
        Counted::Apart => 0,
    };
    let limits = [
        (Resource::As, bounds.memory),
        (Resource::Nproc, processes),
        (Resource::Fsize, bounds.file_size),
        (Resource::Cpu, bounds.seconds),
    ];
    for (resource, most) in limits.into_iter().filter(|(_, most)| *most > 0) {
        setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) })?;
    }
    // What was in memory goes into no file.
    Ok(setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) })?)
}
