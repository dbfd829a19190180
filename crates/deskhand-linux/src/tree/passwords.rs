//! Where an app has password fields: the one question every picture asks, so it is asked with as
//! little as it takes.

use std::collections::{HashSet, VecDeque};

use deskhand_model::{App, Cut, NodeId, Notice, Role, Snapshot, States};
use deskhand_platform::{Deadline, Extent, Facets, Missed, Passwords, Result};
use zbus::Message;

use super::{
    bus::trouble,
    draft::Drafts,
    facts::{self, Fact},
    items::{self, Below, Known},
    link::Link,
    pipe::{Answer, Peer, Silence, body},
    place::Ground,
    quirks::Quirks,
    role, spi, veil, walk,
};

/// Tables with more cells than this are not looked into: cells are drawn, and are no fields.
const CELLS: i64 = 100;
/// The most children an element is searched through; those of a list are rows like the others.
const CHILDREN: i64 = 1_000;
/// The most elements one search looks at.
const ELEMENTS: usize = 20_000;
/// The most plain fields that are asked whether what they hold is a secret.
const LINES: usize = 500;

/// Finds the password fields of an app.
pub(crate) fn search(link: &mut Link, app: &App, by: Deadline) -> Result<Passwords> {
    let quirks = Quirks::of(app);
    // Of Chromium a whole look also says when its accessibility is off.
    if !quirks.chromium {
        let mut search = Search::of(&app.root);
        if quirks.cache && link.has_cache() {
            search.learn(link, quirks, by)?;
        }
        search.peer = link.peer();
        let mut queue = Queue::new();
        search.reach(app.root.clone(), Setting::App, &mut queue);
        link.pipe().flow(queue, by, |tag, answer, queue| search.take(tag, answer, queue));
        if !search.leaves {
            search.judge_lines(link, app, by);
            return Ok(search.found);
        }
    }
    let within = Extent::of(Facets::NAMES);
    let snapshot = walk::walk(link, app, &app.root, &within, by, Ground::default)?;
    Ok(in_snapshot(&snapshot))
}

fn in_snapshot(snapshot: &Snapshot) -> Passwords {
    let fields = snapshot.iter().filter(|(_, node)| node.role == Role::Password);
    let told = snapshot.notices().iter().find_map(|notice| match notice {
        Notice::AccessibilityOff { .. } => Some(Missed::Off),
        Notice::NotResponding => Some(Missed::Late),
        Notice::UnplacedWindow { .. } => None,
    });
    let cut = snapshot.cuts().find_map(|(at, cut)| match cut {
        Cut::Deadline | Cut::Silent => Some(Missed::Late),
        Cut::Budget => Some(Missed::Large),
        // What is left out of a list are its further rows.
        Cut::Many if !is_listing(snapshot.node(at).role) => Some(Missed::Large),
        Cut::Many | Cut::Depth | Cut::Gone => None,
    });
    Passwords { fields: fields.map(|(_, node)| node.id.clone()).collect(), missed: told.or(cut) }
}

/// What an element stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Setting {
    /// The windows of an app, as its toolkit makes them.
    App,
    /// A page, where anything may stand in anything.
    Page,
}

type Tag = (NodeId, Fact, Role, Setting);
type Queue = VecDeque<(Tag, Message)>;

/// A search in progress. Each element is asked for its role first, unless the app's cache has told
/// it: most have nothing below that is worth asking for.
struct Search {
    own: String,
    peer: Peer,
    drafts: Drafts,
    known: Known,
    seen: HashSet<NodeId>,
    found: Passwords,
    /// Plain fields, which may hold a secret all the same.
    lines: Vec<NodeId>,
    /// Whether parts of it are another process's, such as a page in a WebKit window: these are only
    /// reached by a whole look.
    leaves: bool,
}

impl Search {
    fn of(root: &NodeId) -> Self {
        Self {
            own: spi::parts(root).0.to_owned(),
            peer: Peer::Direct,
            drafts: Drafts::default(),
            known: Known::default(),
            seen: HashSet::new(),
            found: Passwords { fields: Vec::new(), missed: None },
            lines: Vec::new(),
            leaves: false,
        }
    }

    /// Takes in what the app keeps in its cache.
    fn learn(&mut self, link: &mut Link, quirks: Quirks, by: Deadline) -> Result<()> {
        let peer = link.peer();
        match items::fetch(link.pipe(), &peer, by) {
            Ok(Some(answer)) => self.known = items::note(&answer, &mut self.drafts, quirks),
            Ok(None) => {}
            // A name that is not UTF-8 breaks the answer and the connection; single questions are
            // answered all the same.
            Err(Silence::Broken(_)) => link.reopen(by)?,
            Err(silence @ (Silence::Late | Silence::Refused(_))) => {
                return Err(trouble("the app", silence));
            }
        }
        Ok(())
    }

    /// Looks at an element and at all the cache told of below it.
    fn reach(&mut self, id: NodeId, setting: Setting, queue: &mut Queue) {
        let mut stack = vec![(id, setting)];
        while let Some((id, setting)) = stack.pop() {
            let (bus, path) = spi::parts(&id);
            if path == spi::NULL_PATH || bus.is_empty() {
                continue;
            }
            if bus != self.own {
                self.leaves = true;
                queue.clear();
                return;
            }
            if !self.seen.insert(id.clone()) {
                continue;
            }
            if self.seen.len() > ELEMENTS {
                self.found.missed = Some(Missed::Large);
                return;
            }
            let (place, _) = self.drafts.place(id.clone());
            let Some(below) = self.known.below(place) else {
                self.ask(id, Fact::Role, Role::Unknown, setting, queue);
                continue;
            };
            let draft = self.drafts.at(place);
            let (kind, children) = (draft.kind(), draft.children.clone());
            let inside = self.look(&id, kind, setting);
            match (inside, below) {
                (None, _) => {}
                (Some(inside), Below::All) => {
                    let children = children.into_iter().map(|at| self.drafts.at(at).id.clone());
                    stack.extend(children.map(|child| (child, inside)));
                }
                (Some(inside), Below::Some | Below::Unknown) => {
                    self.ask(id, Fact::ChildCount, kind, inside, queue);
                }
            }
        }
    }

    /// Finds those among the plain fields that hold a secret.
    fn judge_lines(&mut self, link: &mut Link, app: &App, by: Deadline) {
        const ASKED: Facets = Facets { values: true, hidden: true, ..Facets::NAMES };
        self.lines.truncate(LINES);
        if self.lines.is_empty() {
            return;
        }
        match walk::read(link, app, &self.lines, ASKED, by, Ground::default) {
            Ok(nodes) => {
                let secret = nodes.into_iter().flatten().filter(|it| it.role == Role::Password);
                self.found.fields.extend(secret.map(|node| node.id));
            }
            Err(_late) => self.found.missed = Some(Missed::Late),
        }
    }

    /// Notes a password field; of all others, what those inside stand in when they matter.
    fn look(&mut self, id: &NodeId, kind: Role, setting: Setting) -> Option<Setting> {
        if kind == Role::Password {
            self.found.fields.push(id.clone());
            return None;
        }
        if veil::is_line(kind, States::NONE) {
            self.lines.push(id.clone());
        }
        let page = matches!(kind, Role::WebDocument | Role::DocumentFrame | Role::HtmlContainer);
        match setting {
            Setting::Page => Some(Setting::Page),
            Setting::App if page => Some(Setting::Page),
            Setting::App => may_hold(kind).then_some(Setting::App),
        }
    }

    fn ask(&self, id: NodeId, fact: Fact, kind: Role, setting: Setting, queue: &mut Queue) {
        // A path that cannot be asked about has nothing below it.
        if let Ok(message) = fact.question(&self.peer, spi::parts(&id).1) {
            queue.push_back(((id, fact, kind, setting), message));
        }
    }

    fn take(&mut self, (id, fact, kind, setting): Tag, answer: Answer, queue: &mut Queue) {
        let message = match answer {
            Ok(message) => message,
            // An element that is gone has nothing to hide.
            Err(Silence::Refused(_)) => return,
            Err(Silence::Late | Silence::Broken(_)) => {
                self.found.missed = Some(Missed::Late);
                return;
            }
        };
        if fact == Fact::Role {
            let kind = role::from_number(body(&message).unwrap_or(0), States::default());
            match self.look(&id, kind, setting) {
                None => {}
                Some(Setting::App) if is_short(kind) => {
                    self.ask(id, Fact::Children, kind, Setting::App, queue);
                }
                Some(inside) => self.ask(id, Fact::ChildCount, kind, inside, queue),
            }
        } else if fact == Fact::ChildCount {
            match facts::integer(&message).unwrap_or(0) {
                ..=0 => {}
                cells if is_grid(kind) && cells > CELLS => {}
                rows if is_listing(kind) && rows > CHILDREN => {}
                many if many > CHILDREN => self.found.missed = Some(Missed::Large),
                _ => self.ask(id, Fact::Children, kind, setting, queue),
            }
        } else {
            let children: Vec<spi::Reference> = body(&message).unwrap_or_default();
            for (bus, child) in children {
                self.reach(spi::node_id(&bus, child.as_str()), setting, queue);
            }
        }
    }
}

/// Whether such an element never has so many children that listing them takes long.
fn is_short(kind: Role) -> bool {
    kind.is_window()
        || (kind.is_layout() && may_hold(kind))
        || matches!(kind, Role::Application | Role::TabList | Role::Tab | Role::ToolBar)
}

/// Whether a field can stand in such an element; menus and what is worked by a click hold none.
fn may_hold(kind: Role) -> bool {
    let menu = matches!(
        kind,
        Role::Menu
            | Role::MenuBar
            | Role::MenuItem
            | Role::PopupMenu
            | Role::CheckMenuItem
            | Role::RadioMenuItem
    );
    let leaf = matches!(
        kind,
        Role::Button
            | Role::ToggleButton
            | Role::CheckBox
            | Role::RadioButton
            | Role::Label
            | Role::Image
            | Role::Icon
            | Role::Slider
            | Role::ScrollBar
            | Role::ProgressBar
            | Role::Separator
            | Role::Terminal
    );
    !menu && !leaf
}

fn is_grid(kind: Role) -> bool {
    matches!(kind, Role::Table | Role::Tree | Role::TreeTable | Role::Spreadsheet)
}

fn is_listing(kind: Role) -> bool {
    is_grid(kind) || matches!(kind, Role::List | Role::ListBox | Role::Menu)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_groups_others_is_searched() {
        for kind in Role::ALL.iter().filter(|kind| kind.is_window() || kind.is_layout()) {
            assert!(may_hold(*kind) || *kind == Role::Separator, "{kind:?}");
        }
        for kind in [Role::Application, Role::WebDocument, Role::ToolBar, Role::Cell, Role::Form] {
            assert!(may_hold(kind), "{kind:?}");
        }
        assert!(!may_hold(Role::MenuBar) && !may_hold(Role::Button));
    }

    #[test]
    fn in_a_page_anything_may_hold_a_field() {
        let mut search = Search::of(&spi::node_id(":1.7", "/root"));
        let id = spi::node_id(":1.7", "/1");
        let mut look = |kind, setting| search.look(&id, kind, setting);
        assert_eq!(look(Role::Label, Setting::App), None);
        assert_eq!(look(Role::WebDocument, Setting::App), Some(Setting::Page));
        // `<label>Password <input type=password></label>`
        assert_eq!(look(Role::Label, Setting::Page), Some(Setting::Page));
        assert_eq!(look(Role::Password, Setting::Page), None);
        assert_eq!(search.found.fields, [id]);
    }
}
