//! Landlock: what may be done with files, devices, sockets and signals, held by the kernel also where
//! the view of the system would show more.

use std::path::Path;

use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, NetPort, PathBeneath, PathFd,
    Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetStatus, Scope,
};

use super::{calls::Abstracts, leftovers::QUEUES, system::PRIVATE};
use crate::{Network, Plan};

/// The newest rights this knows; a kernel that knows fewer holds those.
const RIGHTS: ABI = ABI::V6;

/// What must be held at the least; kernels before it have no Landlock.
const LEAST: ABI = ABI::V1;

/// What a plan allows, as the kernel is told.
pub(super) fn rules(plan: &Plan) -> Result<RulesetCreated, String> {
    let told = |error: &dyn std::fmt::Display| format!("Landlock: {error}");
    let all = AccessFs::from_all(RIGHTS);
    let look = AccessFs::from_read(RIGHTS) | AccessFs::Execute;
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(LEAST))
        .map_err(|error| told(&error))?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(all)
        .map_err(|error| told(&error))?
        .scope(Scope::AbstractUnixSocket | Scope::Signal)
        .map_err(|error| told(&error))?;
    if plan.network != Network::On {
        // By ports there is nobody else to hold it; without a network nobody is there to reach.
        let level = match &plan.network {
            Network::Ports(_) => CompatLevel::HardRequirement,
            Network::Off | Network::On => CompatLevel::BestEffort,
        };
        rules = rules
            .set_compatibility(level)
            .handle_access(AccessNet::BindTcp | AccessNet::ConnectTcp)
            .map_err(|error| told(&error))?;
    }
    let mut rules = rules.create().map_err(|error| told(&error))?;
    let mut allowed = vec![(Path::new("/"), look), (plan.scope.as_path(), all)];
    allowed.extend(PRIVATE.iter().map(|folder| (Path::new(folder), all)));
    allowed.extend(plan.home.iter().chain(&plan.layered).map(|folder| (folder.as_path(), all)));
    let device = AccessFs::from_file(RIGHTS) & !AccessFs::Execute;
    // Every cell has terminals of its own below it, which are not there yet.
    allowed.push((Path::new("/dev"), device));
    for (path, access) in allowed {
        // What is not there need not be allowed.
        let Ok(at) = PathFd::new(path) else { continue };
        rules = rules.add_rule(PathBeneath::new(at, access)).map_err(|error| told(&error))?;
    }
    if let Network::Ports(ports) = &plan.network {
        for port in ports {
            let port = NetPort::new(*port, AccessNet::ConnectTcp);
            rules = rules.add_rule(port).map_err(|error| told(&error))?;
        }
    }
    Ok(rules)
}

/// Whether sockets without a place in any folder are apart from those of the outside.
pub(super) fn abstracts(network: &Network) -> Abstracts {
    let scoped = || {
        let rules = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
        rules.scope(Scope::AbstractUnixSocket).is_ok()
    };
    // They are of a network namespace, and without a network there is one.
    if *network == Network::Off || scoped() { Abstracts::Apart } else { Abstracts::InReach }
}

/// Holds this thread, and all it starts, to what is allowed.
pub(super) fn hold(rules: &RulesetCreated) -> Result<(), String> {
    let told = |error: &dyn std::fmt::Display| format!("Landlock: {error}");
    let mut rules = rules.try_clone().map_err(|error| told(&error))?;
    // Each cell has queues of its own; programs open them where no path leads, but the folder is the same.
    if let Ok(queues) = PathFd::new(QUEUES) {
        let all = AccessFs::from_all(RIGHTS) & !AccessFs::Execute;
        rules = rules.add_rule(PathBeneath::new(queues, all)).map_err(|error| told(&error))?;
    }
    let status = rules.restrict_self().map_err(|error| told(&error))?;
    match status.ruleset {
        RulesetStatus::FullyEnforced | RulesetStatus::PartiallyEnforced => Ok(()),
        RulesetStatus::NotEnforced => Err("Landlock is not there".to_owned()),
    }
}
