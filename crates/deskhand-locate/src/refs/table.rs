//! Which element each ref names.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet, HashMap},
    path::Path,
};

use deskhand_model::{App, Index, NodeId, Snapshot};

use super::{
    Ref,
    fingerprint::{Fingerprint, Mark},
    store::{News, Record, Store},
};
use crate::{Candidate, Error, Offer, Result, heal};

/// How many refs are remembered; those not seen for long are forgotten first, and then stale.
const MOST: usize = 25_000;

/// Where the numbers begin that are given out without the right to: no other process knows them,
/// so none takes one for a ref of its own.
const PRIVATE: u32 = 1_000_000_000;

/// The refs of one run of one app.
///
/// Call [`Table::save`] before a ref is shown to anyone: until then other processes wait to give
/// out refs of the same app.
#[derive(Debug)]
pub struct Table {
    entries: BTreeMap<u32, Entry>,
    // Several where a toolkit reuses an element for other things: each has a ref of its own.
    by_id: HashMap<NodeId, Vec<u32>>,
    next: u32,
    private: u32,
    clock: u64,
    unsaved: BTreeSet<u32>,
    store: Option<Store>,
    trouble: Option<Error>,
}

#[derive(Debug)]
struct Entry {
    id: NodeId,
    looks: Fingerprint,
    seen: u64,
}

impl Default for Table {
    fn default() -> Self {
        Self::new()
    }
}

impl Table {
    /// A table that lives as long as this process.
    pub fn new() -> Self {
        Self {
            entries: BTreeMap::new(),
            by_id: HashMap::new(),
            next: 1,
            private: 0,
            clock: 0,
            unsaved: BTreeSet::new(),
            store: None,
            trouble: None,
        }
    }

    /// The table of an app, kept in a directory and shared with every process that opens it there.
    pub fn open(dir: &Path, app: &App) -> Result<Self> {
        let mut table = Self { store: Some(Store::of(dir, app)?), ..Self::new() };
        table.refresh()?;
        Ok(table)
    }

    /// Takes in what other processes have saved since.
    pub fn refresh(&mut self) -> Result<()> {
        let Some(store) = &mut self.store else { return Ok(()) };
        let News { records, next } = store.news().map_err(|e| store.error(&e))?;
        self.next = self.next.max(next);
        for Record { number, id, looks } in records {
            if !self.unsaved.contains(&number) {
                self.put(number, id, looks.into_owned());
            }
        }
        Ok(())
    }

    /// The ref of an element: the one it has, or a new one. Its looks are remembered anew.
    pub fn assign(&mut self, snapshot: &Snapshot, at: Index) -> Ref {
        let mark = Mark::of(snapshot, at);
        let id = &snapshot.node(at).id;
        let mut known = self.marked(id, &mark);
        if known.is_none() {
            self.prepare_new();
            known = self.marked(id, &mark);
        }
        let looks = Fingerprint::of(snapshot, at, mark);
        if let Some(number) = known {
            self.clock += 1;
            if let Some(entry) = self.entries.get_mut(&number) {
                entry.seen = self.clock;
                let refreshed = entry.looks.clone().refreshed(looks);
                if refreshed != entry.looks {
                    entry.looks = refreshed;
                    if number < PRIVATE {
                        self.unsaved.insert(number);
                    }
                }
            }
            return Ref(number);
        }
        let number = if self.trouble.is_some() {
            self.private += 1;
            PRIVATE.saturating_add(self.private)
        } else {
            self.next += 1;
            self.unsaved.insert(self.next - 1);
            self.next - 1
        };
        self.put(number, id.clone(), looks);
        Ref(number)
    }

    /// The ref an element has, when it has one.
    pub fn known(&self, snapshot: &Snapshot, at: Index) -> Option<Ref> {
        self.marked(&snapshot.node(at).id, &Mark::of(snapshot, at)).map(Ref)
    }

    fn marked(&self, id: &NodeId, mark: &Mark) -> Option<u32> {
        let still =
            |number: &&u32| self.entries.get(number).is_some_and(|e| e.looks.is_still(mark));
        self.by_id.get(id)?.iter().rev().find(still).copied()
    }

    /// The identity behind a ref, to read that one element without a look at the whole app.
    pub fn id(&self, reference: Ref) -> Option<&NodeId> {
        self.entries.get(&reference.0).map(|entry| &entry.id)
    }

    /// Where the element of a ref stands; an error when it is gone or became another.
    pub fn resolve(&mut self, snapshot: &Snapshot, reference: Ref) -> Result<Index> {
        if !self.entries.contains_key(&reference.0) {
            self.refresh()?;
        }
        let partial = is_partial(snapshot);
        let Some(entry) = self.entries.get(&reference.0) else {
            if reference.0 == 0 || reference.0 >= self.next {
                return Err(Error::UnknownRef { reference });
            }
            let was = "an element seen long ago".to_owned();
            return Err(Error::Stale { reference, was, candidate: None, partial: false });
        };
        let here = snapshot.position(&entry.id);
        if let Some(at) = here.filter(|at| entry.looks.is_still(&Mark::of(snapshot, *at))) {
            return Ok(at);
        }
        let was = entry.looks.describe();
        let candidate = heal::heal(&entry.looks.clues(), snapshot).map(|healed| {
            let looks = Candidate::of(snapshot, healed.index, self);
            Box::new(Offer {
                reference: looks.reference,
                looks,
                by: healed.by,
                confidence: healed.confidence,
            })
        });
        Err(Error::Stale { reference, was, candidate, partial: partial && here.is_none() })
    }

    /// Keeps everything for other processes, in one write.
    pub fn save(&mut self) -> Result<()> {
        let done = self.write();
        if let Some(store) = &mut self.store {
            store.release();
        }
        done
    }

    fn write(&mut self) -> Result<()> {
        if let Some(trouble) = self.trouble.take() {
            return Err(trouble);
        }
        if self.unsaved.is_empty() || self.store.is_none() {
            self.unsaved.clear();
            return Ok(());
        }
        self.hold()?;
        let Some(store) = &mut self.store else { return Ok(()) };
        let entries = &self.entries;
        let record = |number: &u32| {
            entries.get(number).map(|entry| Record {
                number: *number,
                id: entry.id.clone(),
                looks: Cow::Borrowed(&entry.looks),
            })
        };
        let records: Vec<_> = self.unsaved.iter().filter_map(record).collect();
        store.append(&records, self.next).map_err(|e| store.error(&e))?;
        if store.is_full() {
            let kept = entries.keys().filter(|number| **number < PRIVATE);
            let records: Vec<_> = kept.filter_map(record).collect();
            store.replace(&records, self.next).map_err(|e| store.error(&e))?;
        }
        self.unsaved.clear();
        Ok(())
    }

    /// Takes the right to give out numbers, so that no other process gives out the same.
    fn prepare_new(&mut self) {
        if self.trouble.is_none()
            && let Err(trouble) = self.hold()
        {
            self.trouble = Some(trouble);
        }
    }

    fn hold(&mut self) -> Result<()> {
        let Some(store) = self.store.as_mut().filter(|store| !store.is_held()) else {
            return Ok(());
        };
        store.hold().map_err(|e| store.error(&e))?;
        self.refresh()
    }

    fn put(&mut self, number: u32, id: NodeId, looks: Fingerprint) {
        let numbers = self.by_id.entry(id.clone()).or_default();
        if !numbers.contains(&number) {
            numbers.push(number);
        }
        self.clock += 1;
        self.entries.insert(number, Entry { id, looks, seen: self.clock });
        if self.entries.len() > MOST {
            self.forget();
        }
    }

    /// Forgets the tenth of the refs that was not seen for the longest time.
    fn forget(&mut self) {
        let mut seen: Vec<_> = self.entries.values().map(|entry| entry.seen).collect();
        let (_, until, _) = seen.select_nth_unstable(MOST / 10);
        let until = *until;
        self.entries.retain(|_, entry| entry.seen > until);
        let entries = &self.entries;
        self.unsaved.retain(|number| entries.contains_key(number));
        self.by_id.retain(|_, numbers| {
            numbers.retain(|number| entries.contains_key(number));
            !numbers.is_empty()
        });
    }
}

/// Whether a look left parts of the app out.
pub(crate) fn is_partial(snapshot: &Snapshot) -> bool {
    let whole = snapshot.iter().next().is_some_and(|(_, root)| root.id == snapshot.app().root);
    !whole || snapshot.cuts().next().is_some()
}
