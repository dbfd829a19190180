//! The names elements have above the seam. The system has none to show, only handles that can be
//! compared; so a name is made of the process and the number all equal handles share, and stands for
//! the same element in every process that looks, until one of two elements with the same number
//! must be told apart.

use std::{
    collections::HashMap,
    hash::{BuildHasher, Hash, RandomState},
    sync::{Mutex, MutexGuard, PoisonError},
};

use deskhand_model::{AppId, NodeId};

/// More elements than this are not remembered; those seen longest ago are forgotten first.
const MOST: usize = 200_000;

/// What stands in the names of elements that share their number with another.
const APART: char = '~';

/// Which process an element lives in: number and start, since numbers are used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Host {
    /// Its number.
    pub(crate) pid: u32,
    /// When it started.
    pub(crate) started: u64,
}

impl Host {
    /// The name of the program above the seam.
    pub(crate) fn app(self) -> AppId {
        AppId(format!("{}.{}", self.pid, self.started))
    }

    /// The process a program's name stands for.
    pub(crate) fn of_app(app: &AppId) -> Option<Self> {
        let (pid, started) = app.0.split_once('.')?;
        Some(Self { pid: pid.parse().ok()?, started: started.parse().ok()? })
    }

    /// The process the element of a name lives in.
    pub(crate) fn of_node(id: &NodeId) -> Option<Self> {
        let (host, _) = id.as_str().split_once('/')?;
        Self::of_app(&AppId(host.to_owned()))
    }
}

/// The elements that were given a name.
pub(crate) struct Identities<E> {
    known: Mutex<Known<E>>,
    most: usize,
}

struct Known<E> {
    names: HashMap<E, (NodeId, u64)>,
    elements: HashMap<NodeId, E>,
    /// Counts what is seen, to tell what was not seen for long.
    clock: u64,
    /// Sets the names of elements that share their number apart from those of other processes.
    own: u64,
}

impl<E: Clone + Eq + Hash> Identities<E> {
    /// No element yet.
    pub(crate) fn new() -> Self {
        Self::of_size(MOST)
    }

    fn of_size(most: usize) -> Self {
        let own = RandomState::new().hash_one(std::process::id());
        let known = Known { names: HashMap::new(), elements: HashMap::new(), clock: 0, own };
        Self { known: Mutex::new(known), most }
    }

    fn lock(&self) -> MutexGuard<'_, Known<E>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The name of an element, given now if it had none.
    pub(crate) fn name(&self, of: &E, mark: u64, host: impl FnOnce() -> Host) -> NodeId {
        let mut known = self.lock();
        known.clock += 1;
        let now = known.clock;
        if let Some((name, seen)) = known.names.get_mut(of) {
            *seen = now;
            return name.clone();
        }
        let app = host().app().0;
        let plain = NodeId::new(format!("{app}/{mark:x}"));
        let name = if known.elements.contains_key(&plain) {
            NodeId::new(format!("{app}/{mark:x}{APART}{:x}.{now}", known.own))
        } else {
            plain
        };
        known.names.insert(of.clone(), (name.clone(), now));
        known.elements.insert(name.clone(), of.clone());
        if known.names.len() > self.most {
            known.forget(self.most / 2);
        }
        name
    }

    /// Whether a name was made here to tell two elements apart, so that no look finds it elsewhere.
    pub(crate) fn is_own(&self, name: &NodeId) -> bool {
        name.as_str().contains(APART)
    }

    /// The element of a name, when it was given here.
    pub(crate) fn element(&self, of: &NodeId) -> Option<E> {
        self.lock().elements.get(of).cloned()
    }
}

impl<E: Clone + Eq + Hash> Known<E> {
    /// Forgets all but those seen last.
    fn forget(&mut self, left: usize) {
        let mut seen: Vec<u64> = self.names.values().map(|(_, seen)| *seen).collect();
        seen.sort_unstable_by(|a, b| b.cmp(a));
        let Some(oldest) = seen.get(left).copied() else { return };
        self.names.retain(|_, (_, seen)| *seen > oldest);
        let names = &self.names;
        self.elements.retain(|_, element| names.contains_key(element));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOST: Host = Host { pid: 7, started: 99 };

    #[test]
    fn an_element_keeps_its_name_and_another_process_gives_it_the_same() {
        let (here, there) = (Identities::new(), Identities::new());
        let name = here.name(&"button", 0xab, || HOST);
        assert_eq!(name.as_str(), "7.99/ab");
        assert_eq!(here.name(&"button", 0xab, || HOST), name);
        assert_eq!(there.name(&"button", 0xab, || HOST), name);
        assert_eq!(here.element(&name), Some("button"));
    }

    #[test]
    fn of_two_elements_with_one_number_the_second_has_a_name_no_other_process_knows() {
        let (here, there) = (Identities::new(), Identities::new());
        let first = here.name(&"one", 1, || HOST);
        let second = here.name(&"two", 1, || HOST);
        assert_ne!(first, second);
        assert!(here.is_own(&second) && !here.is_own(&first));
        assert_eq!((here.element(&first), here.element(&second)), (Some("one"), Some("two")));
        there.name(&"one", 1, || HOST);
        assert_ne!(there.name(&"two", 1, || HOST), second);
    }

    #[test]
    fn the_process_is_part_of_the_name() {
        let names = Identities::new();
        let name = names.name(&1, 5, || HOST);
        assert_eq!(Host::of_node(&name), Some(HOST));
        assert_eq!(Host::of_app(&HOST.app()), Some(HOST));
        assert_eq!(Host::of_node(&NodeId::new("nonsense")), None);
    }

    #[test]
    fn what_was_not_seen_for_long_is_forgotten_and_named_alike_again() {
        let names = Identities::of_size(4);
        let all: Vec<NodeId> = (0..5_u64).map(|at| names.name(&at, at, || HOST)).collect();
        assert_eq!(names.element(&all[0]), None);
        assert_eq!(names.element(&all[4]), Some(4));
        assert_eq!(names.name(&0, 0, || HOST), all[0]);
    }
}
