//! The Landlock rules for files, devices, sockets and signals. The kernel enforces them even where the mount
//! namespace shows more.

use std::path::Path;

use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, NetPort, PathBeneath, PathFd,
    Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetStatus, Scope,
};

use super::{host_paths::PRIVATE_DIRS, ipc::MQUEUE_DIR, syscalls::AbstractSockets};
use crate::{Network, Plan};

/// The newest Landlock ABI that is used. Older kernels enforce the part they support.
const NEWEST_ABI: ABI = ABI::V6;

/// The minimum ABI. Kernels without it have no Landlock.
const OLDEST_ABI: ABI = ABI::V1;

/// Builds the rules of a plan.
pub(super) fn rules(plan: &Plan) -> Result<RulesetCreated, String> {
    let failed = |error: &dyn std::fmt::Display| format!("Landlock: {error}");
    let full_access = AccessFs::from_all(NEWEST_ABI);
    let read_access = AccessFs::from_read(NEWEST_ABI) | AccessFs::Execute;
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(OLDEST_ABI))
        .map_err(|error| failed(&error))?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(full_access)
        .map_err(|error| failed(&error))?
        .scope(Scope::AbstractUnixSocket | Scope::Signal)
        .map_err(|error| failed(&error))?;
    if plan.network != Network::On {
        // Ports are enforced by Landlock alone, so it must support them. Without a network there is no peer.
        let level = match &plan.network {
            Network::Ports(_) => CompatLevel::HardRequirement,
            Network::Off | Network::On => CompatLevel::BestEffort,
        };
        rules = rules
            .set_compatibility(level)
            .handle_access(AccessNet::BindTcp | AccessNet::ConnectTcp)
            .map_err(|error| failed(&error))?;
    }
    let mut rules = rules.create().map_err(|error| failed(&error))?;
    let mut allowed = vec![(Path::new("/"), read_access), (plan.scope.as_path(), full_access)];
    allowed.extend(PRIVATE_DIRS.iter().map(|folder| (Path::new(folder), full_access)));
    allowed.extend(
        plan.home.iter().chain(&plan.overlays).map(|folder| (folder.as_path(), full_access)),
    );
    let device_access = AccessFs::from_file(NEWEST_ABI) & !AccessFs::Execute;
    // Covers the pseudoterminals of each container, which do not exist yet.
    allowed.push((Path::new("/dev"), device_access));
    for (path, access) in allowed {
        // A missing path needs no rule.
        let Ok(at) = PathFd::new(path) else { continue };
        rules = rules.add_rule(PathBeneath::new(at, access)).map_err(|error| failed(&error))?;
    }
    if let Network::Ports(ports) = &plan.network {
        for port in ports {
            let port = NetPort::new(*port, AccessNet::ConnectTcp);
            rules = rules.add_rule(port).map_err(|error| failed(&error))?;
        }
    }
    Ok(rules)
}

/// Returns the reachability of abstract sockets outside the sandbox.
pub(super) fn abstract_sockets(network: &Network) -> AbstractSockets {
    let scoped = || {
        let rules = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
        rules.scope(Scope::AbstractUnixSocket).is_ok()
    };
    // Abstract sockets belong to a network namespace, and without a network the sandbox has its own.
    if *network == Network::Off || scoped() {
        AbstractSockets::Isolated
    } else {
        AbstractSockets::Reachable
    }
}

/// Applies the rules to this thread and its descendants.
pub(super) fn restrict_self(rules: &RulesetCreated) -> Result<(), String> {
    let failed = |error: &dyn std::fmt::Display| format!("Landlock: {error}");
    let mut rules = rules.try_clone().map_err(|error| failed(&error))?;
    // Each container has its own message queues, mounted at the same path.
    if let Ok(queues) = PathFd::new(MQUEUE_DIR) {
        let queue_access = AccessFs::from_all(NEWEST_ABI) & !AccessFs::Execute;
        rules = rules
            .add_rule(PathBeneath::new(queues, queue_access))
            .map_err(|error| failed(&error))?;
    }
    let status = rules.restrict_self().map_err(|error| failed(&error))?;
    match status.ruleset {
        RulesetStatus::FullyEnforced | RulesetStatus::PartiallyEnforced => Ok(()),
        RulesetStatus::NotEnforced => Err("Landlock is not available".to_owned()),
    }
}
