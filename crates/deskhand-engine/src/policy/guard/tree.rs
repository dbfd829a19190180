//! Accessibility trees with app rules applied. The guard also measures the time that a call waits for apps.

use std::{
    collections::HashMap,
    sync::Arc,
    time::{Duration, Instant},
};

use deskhand_model::{App, AppId, Event, EventKind, Node, NodeId, Snapshot};
use deskhand_platform::{
    ActionReply, ChildNames, ChildPart, Deadline, EventStream, NodeAction, NodeFields,
    PasswordFields, Result, TextContent, Tree, WalkOptions,
};

use super::checker::{AccessChecker, check_read, check_write};
use crate::{
    cost::{self, waiting},
    policy::apps::AppAccess,
    timing::EVENT_APP_TIMEOUT,
};

pub(super) struct GuardedTree {
    pub(super) inner: Arc<dyn Tree>,
    pub(super) checker: Arc<AccessChecker>,
}

impl GuardedTree {
    fn require_read(&self, app: &App, deadline: Deadline) -> Result<()> {
        if !self.checker.has_blocked_apps() {
            return Ok(());
        }
        self.learn_names(app, deadline)?;
        check_read(self.checker.app_access(app)?, &app.name)
    }

    fn require_write(&self, app: &App, deadline: Deadline) -> Result<()> {
        self.checker.check_not_halted()?;
        if self.checker.has_blocked_apps() {
            self.learn_names(app, deadline)?;
        }
        check_write(self.checker.app_access(app)?, &app.name)
    }

    /// Reads the names of an app from the app itself, and does not trust the caller's copy.
    fn learn_names(&self, app: &App, deadline: Deadline) -> Result<()> {
        if self.checker.knows_app(&app.id) {
            return Ok(());
        }
        for one in waiting(|| self.inner.apps_by_pid(&[app.pid], deadline))?
            .iter()
            .filter(|one| one.id == app.id)
        {
            self.checker.app_access(one)?;
        }
        Ok(())
    }

    /// Checks access to the owners of nodes that belong to other programs.
    fn check_embedded<'a>(
        &self,
        app: &App,
        ids: impl Iterator<Item = &'a NodeId>,
        check: fn(AppAccess, String) -> Result<()>,
        deadline: Deadline,
    ) -> Result<()> {
        let mut last: Option<AppId> = None;
        for id in ids {
            let owner = self.inner.owner_of(id);
            if owner == app.id || last.as_ref() == Some(&owner) {
                continue;
            }
            let pid = waiting(|| self.inner.pid_of(&owner, deadline))?;
            if pid != app.pid {
                check(self.checker.embedded_access(pid, app), self.checker.display_name(pid))?;
            }
            last = Some(owner);
        }
        Ok(())
    }

    fn check_embedded_read<'a>(
        &self,
        app: &App,
        ids: impl Iterator<Item = &'a NodeId>,
        deadline: Deadline,
    ) -> Result<()> {
        if !self.checker.has_blocked_apps() {
            return Ok(());
        }
        self.check_embedded(app, ids, check_read, deadline)
    }

    /// Removes everything about blocked apps, except that they are running.
    fn redact_apps(&self, apps: Vec<App>) -> Vec<App> {
        if !self.checker.has_blocked_apps() {
            return apps;
        }
        let redact = |app: App| match self.checker.app_access(&app) {
            Ok(AppAccess::Full | AppAccess::Read) => Some(app),
            Ok(AppAccess::None) => Some(App { windows: 0, name: self.program_name(&app), ..app }),
            // The app has ended.
            Err(_) => None,
        };
        apps.into_iter().filter_map(redact).collect()
    }

    /// Returns the name of the program that an app runs. Ignores the name the app gives itself.
    fn program_name(&self, app: &App) -> String {
        let file = app.executable.as_deref().and_then(|path| path.rsplit('/').next());
        file.map_or_else(|| self.checker.display_name(app.pid), str::to_owned)
    }
}

impl Tree for GuardedTree {
    fn apps(&self, deadline: Deadline) -> Result<Vec<App>> {
        Ok(self.redact_apps(waiting(|| self.inner.apps(deadline))?))
    }

    fn apps_by_pid(&self, pids: &[u32], deadline: Deadline) -> Result<Vec<App>> {
        Ok(self.redact_apps(waiting(|| self.inner.apps_by_pid(pids, deadline))?))
    }

    fn check_access(&self, app: &App, deadline: Deadline) -> Result<()> {
        self.require_read(app, deadline)?;
        waiting(|| self.inner.check_access(app, deadline))
    }

    fn owner_of(&self, node: &NodeId) -> AppId {
        self.inner.owner_of(node)
    }

    fn pid_of(&self, app: &AppId, deadline: Deadline) -> Result<u32> {
        waiting(|| self.inner.pid_of(app, deadline))
    }

    fn walk(
        &self,
        app: &App,
        root: &NodeId,
        options: &WalkOptions,
        deadline: Deadline,
    ) -> Result<Snapshot> {
        self.require_read(app, deadline)?;
        self.check_embedded_read(app, std::iter::once(root), deadline)?;
        cost::count_tree_read();
        let snapshot = waiting(|| self.inner.walk(app, root, options, deadline))?;
        self.check_embedded_read(app, snapshot.iter().map(|(_, node)| &node.id), deadline)?;
        Ok(snapshot)
    }

    fn child_names(
        &self,
        app: &App,
        parent: &NodeId,
        part: ChildPart,
        deadline: Deadline,
    ) -> Result<ChildNames> {
        self.require_read(app, deadline)?;
        self.check_embedded_read(app, std::iter::once(parent), deadline)?;
        let names = waiting(|| self.inner.child_names(app, parent, part, deadline))?;
        self.check_embedded_read(app, names.children.iter().map(|child| &child.id), deadline)?;
        Ok(names)
    }

    fn read(
        &self,
        app: &App,
        ids: &[NodeId],
        fields: NodeFields,
        deadline: Deadline,
    ) -> Result<Vec<Option<Node>>> {
        self.require_read(app, deadline)?;
        self.check_embedded_read(app, ids.iter(), deadline)?;
        cost::count_node_read();
        waiting(|| self.inner.read(app, ids, fields, deadline))
    }

    fn password_fields(&self, app: &App, deadline: Deadline) -> Result<PasswordFields> {
        self.require_read(app, deadline)?;
        waiting(|| self.inner.password_fields(app, deadline))
    }

    fn attributes(
        &self,
        app: &App,
        id: &NodeId,
        deadline: Deadline,
    ) -> Result<Vec<(String, String)>> {
        self.require_read(app, deadline)?;
        self.check_embedded_read(app, std::iter::once(id), deadline)?;
        waiting(|| self.inner.attributes(app, id, deadline))
    }

    fn text(&self, app: &App, id: &NodeId, deadline: Deadline) -> Result<Option<TextContent>> {
        self.require_read(app, deadline)?;
        self.check_embedded_read(app, std::iter::once(id), deadline)?;
        waiting(|| self.inner.text(app, id, deadline))
    }

    fn selected_items(
        &self,
        app: &App,
        id: &NodeId,
        deadline: Deadline,
    ) -> Result<Option<Vec<NodeId>>> {
        self.require_read(app, deadline)?;
        self.check_embedded_read(app, std::iter::once(id), deadline)?;
        waiting(|| self.inner.selected_items(app, id, deadline))
    }

    fn perform(
        &self,
        app: &App,
        node: &NodeId,
        action: &NodeAction,
        deadline: Deadline,
    ) -> Result<ActionReply> {
        self.require_write(app, deadline)?;
        self.check_embedded(app, std::iter::once(node), check_write, deadline)?;
        waiting(|| self.inner.perform(app, node, action, deadline))
    }

    fn watch(
        &self,
        app: Option<&AppId>,
        kinds: &[EventKind],
        deadline: Deadline,
    ) -> Result<Box<dyn EventStream>> {
        if !self.checker.has_blocked_apps() {
            return waiting(|| self.inner.watch(app, kinds, deadline));
        }
        if let Some(app) = app {
            let pid = waiting(|| self.inner.pid_of(app, deadline))?;
            for one in waiting(|| self.inner.apps_by_pid(&[pid], deadline))?
                .iter()
                .filter(|one| one.id == *app)
            {
                check_read(self.checker.app_access(one)?, self.program_name(one))?;
            }
            check_read(self.checker.process_access(pid), self.checker.display_name(pid))?;
        }
        let inner = waiting(|| self.inner.watch(app, kinds, deadline))?;
        let (tree, checker) = (Arc::clone(&self.inner), Arc::clone(&self.checker));
        Ok(Box::new(GuardedEvents { inner, tree, checker, apps: HashMap::new() }))
    }
}

/// Events of apps that may be read.
struct GuardedEvents {
    inner: Box<dyn EventStream>,
    tree: Arc<dyn Tree>,
    checker: Arc<AccessChecker>,
    /// The apps that sent events; `None` if the app could not be found.
    apps: HashMap<AppId, Option<App>>,
}

impl GuardedEvents {
    fn is_readable(&mut self, event: &Event) -> bool {
        match event.kind {
            // Callers may know that a blocked app is running.
            EventKind::AppStarted => return true,
            EventKind::AppQuit => {
                self.apps.remove(&event.app);
                return true;
            }
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
        let app =
            self.apps.entry(event.app.clone()).or_insert_with(|| find_app(&**tree, &event.app));
        let app = app.as_ref();
        app.is_some_and(|app| {
            self.checker.app_access(app).is_ok_and(|access| access != AppAccess::None)
        })
    }
}

fn find_app(tree: &dyn Tree, id: &AppId) -> Option<App> {
    let deadline = Deadline::after(EVENT_APP_TIMEOUT);
    // Events of an app that cannot be found are dropped, because no rule can be checked.
    let pid = tree.pid_of(id, deadline).ok()?;
    tree.apps_by_pid(&[pid], deadline).ok()?.into_iter().find(|app| app.id == *id)
}

impl EventStream for GuardedEvents {
    fn next(&mut self, timeout: Duration) -> Result<Option<Event>> {
        let end = Instant::now() + timeout;
        loop {
            let remaining = end.saturating_duration_since(Instant::now());
            match self.inner.next(remaining)? {
                Some(event) if self.is_readable(&event) => return Ok(Some(event)),
                Some(_) if Instant::now() < end => {}
                Some(_) | None => return Ok(None),
            }
        }
    }
}
