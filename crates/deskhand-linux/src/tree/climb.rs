//! From an element up to the window it stands in.

use deskhand_model::{NodeId, Rect};
use deskhand_platform::Deadline;
use zbus::{Message, OwnedVariant};

use super::{
    facts::{self, Fact},
    pipe::{Peer, Pipe, body},
    place::Top,
    quirks::Quirks,
    spi,
};

/// No real tree is deeper; one that seems to be goes in circles.
const HIGHEST: usize = 512;

const ROOT_PANE: u32 = 46;

/// The window an element stands in, as its app tells it.
pub(crate) fn top(
    pipe: &mut Pipe,
    peer: &Peer,
    from: &NodeId,
    quirks: Quirks,
    by: Deadline,
) -> Option<Top> {
    let (bus, path) = spi::parts(from);
    let mut below = path.to_owned();
    let mut pane = None;
    for _ in 0..HIGHEST {
        let ask = spi::get(peer, &below, spi::ACCESSIBLE, "Parent").ok()?;
        let parent: OwnedVariant = body(&pipe.ask(ask, by).ok()?).ok()?;
        let (parent_bus, parent_path) = spi::Reference::try_from(parent).ok()?;
        if parent_path.as_str() == spi::ROOT_PATH || parent_bus != bus {
            return Some(Top { pane, ..facts_of(pipe, peer, &below, quirks, by) });
        }
        let has_pane = quirks.libre_office || quirks.swing;
        if has_pane && role(pipe, peer, &below, by) == Some(ROOT_PANE) {
            pane = extents(pipe, peer, &below, quirks, by);
        }
        below = parent_path.as_str().to_owned();
    }
    None
}

fn ask(pipe: &mut Pipe, peer: &Peer, path: &str, fact: Fact, by: Deadline) -> Option<Message> {
    // What one element does not tell leaves its window unplaced, which is said.
    fact.question(peer, path).and_then(|question| pipe.ask(question, by)).ok()
}

fn role(pipe: &mut Pipe, peer: &Peer, path: &str, by: Deadline) -> Option<u32> {
    body(&ask(pipe, peer, path, Fact::Role, by)?).ok()
}

fn extents(pipe: &mut Pipe, peer: &Peer, path: &str, quirks: Quirks, by: Deadline) -> Option<Rect> {
    facts::extents(&ask(pipe, peer, path, quirks.extents(), by)?)
}

fn facts_of(pipe: &mut Pipe, peer: &Peer, path: &str, quirks: Quirks, by: Deadline) -> Top {
    let title = ask(pipe, peer, path, Fact::Name, by).and_then(|m| facts::text(&m));
    let bounds = extents(pipe, peer, path, quirks, by);
    Top { title: title.unwrap_or_default(), bounds, pane: None }
}
