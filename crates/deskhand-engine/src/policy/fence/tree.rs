//! Trees behind the fence.

use std::{
    collections::HashMap,
    sync::Arc,
    time::{Duration, Instant},
};

use deskhand_model::{App, AppId, Event, EventKind, Node, NodeId, Snapshot};
use deskhand_platform::{
    Act, Deadline, Events, Extent, Facets, Passwords, Reply, Result, Text, Tree,
};

use super::judge::{self, Judge};
use crate::policy::apps::Access;

/// How long the process of an event's app may take to be found.
const TO_FIND: Duration = Duration::from_millis(500);

pub(super) struct FencedTree {
    pub(super) inner: Arc<dyn Tree>,
    pub(super) judge: Arc<Judge>,
}

impl FencedTree {
    fn may_read(&self, app: &App, by: Deadline) -> Result<()> {
        if !self.judge.hides_some() {
            return Ok(());
        }
        self.know(app, by)?;
        judge::read(self.judge.app(app)?, &app.name)
    }

    fn may_write(&self, app: &App, by: Deadline) -> Result<()> {
        self.judge.moving()?;
        if self.judge.hides_some() {
            self.know(app, by)?;
        }
        judge::written(self.judge.app(app)?, &app.name)
    }

    /// What an app calls itself is asked of it, not taken from whoever names it.
    fn know(&self, app: &App, by: Deadline) -> Result<()> {
        if self.judge.knows(&app.id) {
            return Ok(());
        }
        for one in self.inner.apps_of(&[app.pid], by)?.iter().filter(|one| one.id == app.id) {
            self.judge.app(one)?;
        }
        Ok(())
    }

    /// Elements of other programs within an app need leave of their own.
    fn guests<'a>(
        &self,
        app: &App,
        ids: impl Iterator<Item = &'a NodeId>,
        check: fn(Access, String) -> Result<()>,
        by: Deadline,
    ) -> Result<()> {
        let mut last: Option<AppId> = None;
        for id in ids {
            let host = self.inner.host(id);
            if host == app.id || last.as_ref() == Some(&host) {
                continue;
            }
            let pid = self.inner.process_of(&host, by)?;
            if pid != app.pid {
                check(self.judge.guest(pid, app), self.judge.called(pid))?;
            }
            last = Some(host);
        }
        Ok(())
    }

    fn read_guests<'a>(
        &self,
        app: &App,
        ids: impl Iterator<Item = &'a NodeId>,
        by: Deadline,
    ) -> Result<()> {
        if !self.judge.hides_some() {
            return Ok(());
        }
        self.guests(app, ids, judge::read, by)
    }

    /// The apps as they may be shown: of one that must not be read only that it runs.
    fn shown(&self, apps: Vec<App>) -> Vec<App> {
        if !self.judge.hides_some() {
            return apps;
        }
        let shown = |app: App| match self.judge.app(&app) {
            Ok(Access::Full | Access::Read) => Some(app),
            Ok(Access::None) => Some(App { windows: 0, name: self.program(&app), ..app }),
            // It ended meanwhile.
            Err(_) => None,
        };
        apps.into_iter().filter_map(shown).collect()
    }

    /// What an app is called by its program, whatever it calls itself.
    fn program(&self, app: &App) -> String {
        let file = app.executable.as_deref().and_then(|path| path.rsplit('/').next());
        file.map_or_else(|| self.judge.called(app.pid), str::to_owned)
    }
}

impl Tree for FencedTree {
    fn apps(&self, by: Deadline) -> Result<Vec<App>> {
        Ok(self.shown(self.inner.apps(by)?))
    }

    fn apps_of(&self, pids: &[u32], by: Deadline) -> Result<Vec<App>> {
        Ok(self.shown(self.inner.apps_of(pids, by)?))
    }

    fn admit(&self, app: &App, by: Deadline) -> Result<()> {
        self.may_read(app, by)?;
        self.inner.admit(app, by)
    }

    fn host(&self, of: &NodeId) -> AppId {
        self.inner.host(of)
    }

    fn process_of(&self, app: &AppId, by: Deadline) -> Result<u32> {
        self.inner.process_of(app, by)
    }

    fn walk(&self, app: &App, from: &NodeId, within: &Extent, by: Deadline) -> Result<Snapshot> {
        self.may_read(app, by)?;
        self.read_guests(app, std::iter::once(from), by)?;
        let snapshot = self.inner.walk(app, from, within, by)?;
        self.read_guests(app, snapshot.iter().map(|(_, node)| &node.id), by)?;
        Ok(snapshot)
    }

    fn read(
        &self,
        app: &App,
        ids: &[NodeId],
        what: Facets,
        by: Deadline,
    ) -> Result<Vec<Option<Node>>> {
        self.may_read(app, by)?;
        self.read_guests(app, ids.iter(), by)?;
        self.inner.read(app, ids, what, by)
    }

    fn passwords(&self, app: &App, by: Deadline) -> Result<Passwords> {
        self.may_read(app, by)?;
        self.inner.passwords(app, by)
    }

    fn attributes(&self, app: &App, id: &NodeId, by: Deadline) -> Result<Vec<(String, String)>> {
        self.may_read(app, by)?;
        self.read_guests(app, std::iter::once(id), by)?;
        self.inner.attributes(app, id, by)
    }

    fn text(&self, app: &App, id: &NodeId, by: Deadline) -> Result<Option<Text>> {
        self.may_read(app, by)?;
        self.read_guests(app, std::iter::once(id), by)?;
        self.inner.text(app, id, by)
    }

    fn selected(&self, app: &App, id: &NodeId, by: Deadline) -> Result<Option<Vec<NodeId>>> {
        self.may_read(app, by)?;
        self.read_guests(app, std::iter::once(id), by)?;
        self.inner.selected(app, id, by)
    }

    fn perform(&self, app: &App, on: &NodeId, act: &Act, by: Deadline) -> Result<Reply> {
        self.may_write(app, by)?;
        self.guests(app, std::iter::once(on), judge::written, by)?;
        self.inner.perform(app, on, act, by)
    }

    fn watch(
        &self,
        app: Option<&AppId>,
        kinds: &[EventKind],
        by: Deadline,
    ) -> Result<Box<dyn Events>> {
        if !self.judge.hides_some() {
            return self.inner.watch(app, kinds, by);
        }
        if let Some(app) = app {
            let pid = self.inner.process_of(app, by)?;
            for one in self.inner.apps_of(&[pid], by)?.iter().filter(|one| one.id == *app) {
                judge::read(self.judge.app(one)?, self.program(one))?;
            }
            judge::read(self.judge.process(pid), self.judge.called(pid))?;
        }
        let inner = self.inner.watch(app, kinds, by)?;
        let (tree, judge) = (Arc::clone(&self.inner), Arc::clone(&self.judge));
        Ok(Box::new(FencedEvents { inner, tree, judge, apps: HashMap::new() }))
    }
}

/// Events of apps that may be read.
struct FencedEvents {
    inner: Box<dyn Events>,
    tree: Arc<dyn Tree>,
    judge: Arc<Judge>,
    /// The apps that were heard; `None` for what cannot be found.
    apps: HashMap<AppId, Option<App>>,
}

impl FencedEvents {
    fn may_be_told(&mut self, event: &Event) -> bool {
        match event.kind {
            // That an app runs is no secret.
            EventKind::AppStarted | EventKind::AppQuit => return true,
            EventKind::ValueChanged
            | EventKind::FocusChanged
            | EventKind::WindowCreated
            | EventKind::WindowDestroyed
            | EventKind::WindowActivated
            | EventKind::TitleChanged
            | EventKind::StateChanged
            | EventKind::ChildrenChanged
            | EventKind::SelectionChanged => {}
        }
        let tree = &self.tree;
        let known =
            self.apps.entry(event.app.clone()).or_insert_with(|| found(&**tree, &event.app));
        let app = known.as_ref();
        app.is_some_and(|app| self.judge.app(app).is_ok_and(|access| access != Access::None))
    }
}

fn found(tree: &dyn Tree, id: &AppId) -> Option<App> {
    let by = Deadline::after(TO_FIND);
    // What cannot be found cannot be judged, and is not told.
    let pid = tree.process_of(id, by).ok()?;
    tree.apps_of(&[pid], by).ok()?.into_iter().find(|app| app.id == *id)
}

impl Events for FencedEvents {
    fn next(&mut self, wait: Duration) -> Result<Option<Event>> {
        let end = Instant::now() + wait;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            match self.inner.next(left)? {
                Some(event) if self.may_be_told(&event) => return Ok(Some(event)),
                Some(_) if Instant::now() < end => {}
                Some(_) | None => return Ok(None),
            }
        }
    }
}
