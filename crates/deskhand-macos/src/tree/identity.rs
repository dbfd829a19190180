//! Node ids for elements. The accessibility API has no ids, only handles that can be compared. A node
//! id is made of the process and the element's hash, so that every Deskhand process gives an element the
//! same id. If two elements have the same hash, the second one gets an id that only this process knows.

use std::{
    collections::HashMap,
    hash::{BuildHasher, Hash, RandomState},
};

use deskhand_model::{AppId, NodeId};
use parking_lot::Mutex;

/// Upper limit of remembered elements; the least recently used are dropped first.
const MAX_ELEMENTS: usize = 200_000;

/// Separates the hash from the suffix in the id of an element whose hash is already taken.
const COLLISION_MARK: char = '~';

/// The process of an element. The start time is included because pids are reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct AppProcess {
    pub(crate) pid: u32,
    /// Its start time in microseconds since 1970.
    pub(crate) started: u64,
}

impl AppProcess {
    /// The app id of this process.
    pub(crate) fn app_id(self) -> AppId {
        AppId(format!("{}.{}", self.pid, self.started))
    }

    /// The process of an app id.
    pub(crate) fn from_app_id(app: &AppId) -> Option<Self> {
        let (pid, started) = app.0.split_once('.')?;
        Some(Self { pid: pid.parse().ok()?, started: started.parse().ok()? })
    }

    /// The process of the element with a node id.
    pub(crate) fn from_node_id(id: &NodeId) -> Option<Self> {
        let (app, _) = id.as_str().split_once('/')?;
        Self::from_app_id(&AppId(app.to_owned()))
    }
}

/// Maps elements to node ids and back.
pub(crate) struct NodeIds<E> {
    table: Mutex<IdTable<E>>,
    max: usize,
}

struct IdTable<E> {
    ids: HashMap<E, (NodeId, u64)>,
    elements: HashMap<NodeId, E>,
    /// Incremented on every use, to find the least recently used elements.
    clock: u64,
    /// A random number in the ids of elements with a taken hash, different in every process.
    process_tag: u64,
}

impl<E: Clone + Eq + Hash> NodeIds<E> {
    pub(crate) fn new() -> Self {
        Self::with_capacity(MAX_ELEMENTS)
    }

    fn with_capacity(max: usize) -> Self {
        let process_tag = RandomState::new().hash_one(std::process::id());
        let table =
            IdTable { ids: HashMap::new(), elements: HashMap::new(), clock: 0, process_tag };
        Self { table: Mutex::new(table), max }
    }

    /// The id of an element. A new element gets one.
    pub(crate) fn id_for(&self, of: &E, hash: u64, process: impl FnOnce() -> AppProcess) -> NodeId {
        let mut table = self.table.lock();
        table.clock += 1;
        let now = table.clock;
        if let Some((id, used)) = table.ids.get_mut(of) {
            *used = now;
            return id.clone();
        }
        let app = process().app_id().0;
        let plain = NodeId::new(format!("{app}/{hash:x}"));
        let id = if table.elements.contains_key(&plain) {
            NodeId::new(format!("{app}/{hash:x}{COLLISION_MARK}{:x}.{now}", table.process_tag))
        } else {
            plain
        };
        table.ids.insert(of.clone(), (id.clone(), now));
        table.elements.insert(id.clone(), of.clone());
        if table.ids.len() > self.max {
            table.keep_recent(self.max / 2);
        }
        id
    }

    /// The element with an id that was made here.
    pub(crate) fn element(&self, id: &NodeId) -> Option<E> {
        self.table.lock().elements.get(id).cloned()
    }
}

/// Returns `true` if only the process that made the id can resolve it.
pub(crate) fn is_local(id: &NodeId) -> bool {
    id.as_str().contains(COLLISION_MARK)
}

impl<E: Clone + Eq + Hash> IdTable<E> {
    /// Drops all but the `count` most recently used elements.
    fn keep_recent(&mut self, count: usize) {
        let mut used: Vec<u64> = self.ids.values().map(|(_, used)| *used).collect();
        used.sort_unstable_by(|a, b| b.cmp(a));
        let Some(oldest) = used.get(count).copied() else { return };
        self.ids.retain(|_, (_, used)| *used > oldest);
        let ids = &self.ids;
        self.elements.retain(|_, element| ids.contains_key(element));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROCESS: AppProcess = AppProcess { pid: 7, started: 99 };

    #[test]
    fn an_element_has_the_same_id_in_every_process() {
        let (here, there) = (NodeIds::new(), NodeIds::new());
        let id = here.id_for(&"button", 0xab, || PROCESS);
        assert_eq!(id.as_str(), "7.99/ab");
        assert_eq!(here.id_for(&"button", 0xab, || PROCESS), id);
        assert_eq!(there.id_for(&"button", 0xab, || PROCESS), id);
        assert_eq!(here.element(&id), Some("button"));
    }

    #[test]
    fn the_second_element_with_a_hash_gets_a_local_id() {
        let (here, there) = (NodeIds::new(), NodeIds::new());
        let first = here.id_for(&"one", 1, || PROCESS);
        let second = here.id_for(&"two", 1, || PROCESS);
        assert_ne!(first, second);
        assert!(is_local(&second) && !is_local(&first));
        assert_eq!((here.element(&first), here.element(&second)), (Some("one"), Some("two")));
        there.id_for(&"one", 1, || PROCESS);
        assert_ne!(there.id_for(&"two", 1, || PROCESS), second);
    }

    #[test]
    fn the_process_is_part_of_the_id() {
        let ids = NodeIds::new();
        let id = ids.id_for(&1, 5, || PROCESS);
        assert_eq!(AppProcess::from_node_id(&id), Some(PROCESS));
        assert_eq!(AppProcess::from_app_id(&PROCESS.app_id()), Some(PROCESS));
        assert_eq!(AppProcess::from_node_id(&NodeId::new("nonsense")), None);
    }

    #[test]
    fn a_dropped_element_gets_the_same_id_again() {
        let ids = NodeIds::with_capacity(4);
        let all: Vec<NodeId> = (0..5_u64).map(|at| ids.id_for(&at, at, || PROCESS)).collect();
        assert_eq!(ids.element(&all[0]), None);
        assert_eq!(ids.element(&all[4]), Some(4));
        assert_eq!(ids.id_for(&0, 0, || PROCESS), all[0]);
    }
}
