//! The table of refs and the elements they refer to.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet, HashMap},
    path::Path,
};

use deskhand_model::{App, Index, NodeId, Snapshot};

use super::{
    Ref,
    fingerprint::{ElementIdentity, Fingerprint},
    store::{RefRecord, RefStore, StoreUpdate},
};
use crate::{
    Candidate, Error, Replacement, Result,
    heal::{self, HealedMatch},
};

/// The maximum number of refs. The least recently used ones are dropped and become stale.
const MAX_REFS: usize = 25_000;

/// The first of the numbers that are used if the refs file cannot be locked. Other processes never
/// see such refs, so they cannot confuse them with their own.
const FIRST_PRIVATE_NUMBER: u32 = 1_000_000_000;

/// The refs of one app process.
///
/// Call [`RefTable::save`] before showing a ref to a caller. Until then, other processes cannot
/// assign new refs for the same app.
#[derive(Debug)]
pub struct RefTable {
    entries: BTreeMap<u32, RefEntry>,
    // Several refs per id, because some toolkits reuse one element for different items.
    by_id: HashMap<NodeId, Vec<u32>>,
    // The refs of elements without a permanent id, by table and content.
    by_cell: HashMap<(NodeId, u64), Vec<u32>>,
    next: u32,
    private: u32,
    clock: u64,
    unsaved: BTreeSet<u32>,
    store: Option<RefStore>,
    store_error: Option<Error>,
}

#[derive(Debug)]
struct RefEntry {
    id: NodeId,
    fingerprint: Fingerprint,
    last_used: u64,
}

impl Default for RefTable {
    fn default() -> Self {
        Self::new()
    }
}

impl RefTable {
    /// Creates a table that exists only in this process.
    pub fn new() -> Self {
        Self {
            entries: BTreeMap::new(),
            by_id: HashMap::new(),
            by_cell: HashMap::new(),
            next: 1,
            private: 0,
            clock: 0,
            unsaved: BTreeSet::new(),
            store: None,
            store_error: None,
        }
    }

    /// Opens the table of an app in a directory. All processes that open it there share it.
    pub fn open(dir: &Path, app: &App) -> Result<Self> {
        let mut table = Self { store: Some(RefStore::of(dir, app)?), ..Self::new() };
        table.refresh()?;
        Ok(table)
    }

    /// Reads the refs that other processes have saved.
    pub fn refresh(&mut self) -> Result<()> {
        let Some(store) = &mut self.store else { return Ok(()) };
        let StoreUpdate { records, next } = store.read_updates().map_err(|e| store.error(&e))?;
        self.next = self.next.max(next);
        for RefRecord { number, id, fingerprint } in records {
            if !self.unsaved.contains(&number) {
                self.insert_entry(number, id, fingerprint.into_owned());
            }
        }
        Ok(())
    }

    /// Returns the ref of an element, assigning a new one if it has none. Updates its fingerprint.
    pub fn assign(&mut self, snapshot: &Snapshot, at: Index) -> Ref {
        let identity = ElementIdentity::of(snapshot, at);
        let id = &snapshot.node(at).id;
        let mut known = self.find_known(snapshot, at, &identity);
        if known.is_none() {
            self.lock_for_new_ref();
            known = self.find_known(snapshot, at, &identity);
        }
        let fingerprint = Fingerprint::of(snapshot, at, identity);
        if let Some(number) = known {
            self.index_cell(number, &fingerprint);
            self.clock += 1;
            if let Some(entry) = self.entries.get_mut(&number) {
                entry.last_used = self.clock;
                if entry.id != *id {
                    // The new id need not be saved: other processes find the element in the same way.
                    entry.id = id.clone();
                    self.by_id.entry(id.clone()).or_default().push(number);
                }
                let refreshed = entry.fingerprint.clone().refreshed(fingerprint);
                if refreshed != entry.fingerprint {
                    entry.fingerprint = refreshed;
                    if number < FIRST_PRIVATE_NUMBER {
                        self.unsaved.insert(number);
                    }
                }
            }
            return Ref(number);
        }
        let number = if self.store_error.is_some() {
            self.private += 1;
            FIRST_PRIVATE_NUMBER.saturating_add(self.private)
        } else {
            self.next += 1;
            self.unsaved.insert(self.next - 1);
            self.next - 1
        };
        self.insert_entry(number, id.clone(), fingerprint);
        Ref(number)
    }

    /// Returns the ref of an element, if it has one.
    pub fn existing(&self, snapshot: &Snapshot, at: Index) -> Option<Ref> {
        self.find_known(snapshot, at, &ElementIdentity::of(snapshot, at)).map(Ref)
    }

    fn find_known(&self, snapshot: &Snapshot, at: Index, now: &ElementIdentity) -> Option<u32> {
        let still =
            |number: &&u32| self.entries.get(number).is_some_and(|e| e.fingerprint.is_still(now));
        let same_id = self.by_id.get(&snapshot.node(at).id);
        same_id
            .and_then(|numbers| numbers.iter().rev().find(still).copied())
            .or_else(|| self.find_cell(snapshot, at, now))
    }

    /// Returns the ref of a cell that had another id when it was last read.
    fn find_cell(&self, snapshot: &Snapshot, at: Index, now: &ElementIdentity) -> Option<u32> {
        let cell = now.cell()?;
        let alike = self.by_cell.get(&(cell.table.clone(), cell.content))?;
        let known = |number: &u32| self.entries.get(number)?.fingerprint.cell();
        let is_same = |number: &&u32| known(number).and_then(|was| was.find(snapshot)) == Some(at);
        alike.iter().find(is_same).copied()
    }

    /// Returns the id of the element behind a ref, for reading that element alone.
    pub fn node_id(&self, reference: Ref) -> Option<&NodeId> {
        self.entries.get(&reference.0).map(|entry| &entry.id)
    }

    /// Returns the position of the element behind a ref. It is an error if the element is gone or
    /// became another one.
    pub fn resolve(&mut self, snapshot: &Snapshot, reference: Ref) -> Result<Index> {
        if !self.entries.contains_key(&reference.0) {
            self.refresh()?;
        }
        let partial = is_partial(snapshot);
        let Some(entry) = self.entries.get(&reference.0) else {
            if reference.0 == 0 || reference.0 >= self.next {
                return Err(Error::UnknownRef { reference });
            }
            let was = "an element that was last used long ago".to_owned();
            return Err(Error::Stale { reference, was, replacement: None, partial: false });
        };
        let position = snapshot.position(&entry.id);
        if let Some(at) =
            position.filter(|at| entry.fingerprint.is_still(&ElementIdentity::of(snapshot, *at)))
        {
            return Ok(at);
        }
        if let Some(at) = entry.fingerprint.cell().and_then(|cell| cell.find(snapshot)) {
            return Ok(at);
        }
        let was = entry.fingerprint.describe();
        let replacement = heal::heal(&entry.fingerprint.traits(), snapshot).map(|healed| {
            let candidate = Candidate::of(snapshot, healed.index, self);
            Box::new(Replacement {
                reference: candidate.reference,
                candidate,
                by: healed.by,
                confidence: healed.confidence,
            })
        });
        Err(Error::Stale { reference, was, replacement, partial: partial && position.is_none() })
    }

    /// Returns the certain successor of an element that is gone. Returns `None` if the element still
    /// exists, or if no element or a different one takes its place.
    pub(crate) fn successor(&self, snapshot: &Snapshot, reference: Ref) -> Option<HealedMatch> {
        let entry = self.entries.get(&reference.0)?;
        let exists = snapshot.position(&entry.id).is_some()
            || entry.fingerprint.cell().is_some_and(|cell| cell.find(snapshot).is_some());
        if exists || is_partial(snapshot) {
            return None;
        }
        heal::certain_successor(&entry.fingerprint.traits(), snapshot)
    }

    /// Saves all new refs for other processes, in one write, and releases the lock.
    pub fn save(&mut self) -> Result<()> {
        let done = self.write();
        if let Some(store) = &mut self.store {
            store.unlock();
        }
        done
    }

    fn write(&mut self) -> Result<()> {
        if let Some(store_error) = self.store_error.take() {
            return Err(store_error);
        }
        if self.unsaved.is_empty() || self.store.is_none() {
            self.unsaved.clear();
            return Ok(());
        }
        self.lock()?;
        let Some(store) = &mut self.store else { return Ok(()) };
        let entries = &self.entries;
        let record = |number: &u32| {
            entries.get(number).map(|entry| RefRecord {
                number: *number,
                id: entry.id.clone(),
                fingerprint: Cow::Borrowed(&entry.fingerprint),
            })
        };
        let records: Vec<_> = self.unsaved.iter().filter_map(record).collect();
        store.append(&records, self.next).map_err(|e| store.error(&e))?;
        if store.needs_compaction() {
            let shared = entries.keys().filter(|number| **number < FIRST_PRIVATE_NUMBER);
            let records: Vec<_> = shared.filter_map(record).collect();
            store.replace(&records, self.next).map_err(|e| store.error(&e))?;
        }
        self.unsaved.clear();
        Ok(())
    }

    /// Takes the lock, so that no other process assigns the same number.
    fn lock_for_new_ref(&mut self) {
        if self.store_error.is_none()
            && let Err(store_error) = self.lock()
        {
            self.store_error = Some(store_error);
        }
    }

    fn lock(&mut self) -> Result<()> {
        let Some(store) = self.store.as_mut().filter(|store| !store.is_locked()) else {
            return Ok(());
        };
        store.lock().map_err(|e| store.error(&e))?;
        self.refresh()
    }

    fn insert_entry(&mut self, number: u32, id: NodeId, fingerprint: Fingerprint) {
        let numbers = self.by_id.entry(id.clone()).or_default();
        if !numbers.contains(&number) {
            numbers.push(number);
        }
        self.index_cell(number, &fingerprint);
        self.clock += 1;
        self.entries.insert(number, RefEntry { id, fingerprint, last_used: self.clock });
        if self.entries.len() > MAX_REFS {
            self.evict_oldest();
        }
    }

    fn index_cell(&mut self, number: u32, fingerprint: &Fingerprint) {
        let Some(cell) = fingerprint.cell() else { return };
        let alike = self.by_cell.entry((cell.table.clone(), cell.content)).or_default();
        if !alike.contains(&number) {
            alike.push(number);
        }
    }

    /// Drops the tenth of the refs that was least recently used.
    fn evict_oldest(&mut self) {
        let mut last_used: Vec<_> = self.entries.values().map(|entry| entry.last_used).collect();
        let (_, until, _) = last_used.select_nth_unstable(MAX_REFS / 10);
        let until = *until;
        self.entries.retain(|_, entry| entry.last_used > until);
        let entries = &self.entries;
        self.unsaved.retain(|number| entries.contains_key(number));
        self.by_id.retain(|_, numbers| {
            numbers.retain(|number| entries.contains_key(number));
            !numbers.is_empty()
        });
        self.by_cell.retain(|_, numbers| {
            numbers.retain(|number| entries.contains_key(number));
            !numbers.is_empty()
        });
    }
}

/// Returns `true` if a snapshot does not contain the whole app.
pub(crate) fn is_partial(snapshot: &Snapshot) -> bool {
    let has_root = snapshot.iter().next().is_some_and(|(_, root)| root.id == snapshot.app().root);
    !has_root || snapshot.cuts().next().is_some()
}
