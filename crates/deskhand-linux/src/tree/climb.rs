//! From an element up to the window it stands in.

use deskhand_model::{NodeId, Rect};
use deskhand_platform::Deadline;
use zbus::OwnedVariant;

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
    for _ in 0..HIGHEST {
        let ask = spi::get(peer, &below, spi::ACCESSIBLE, "Parent").ok()?;
        let parent: OwnedVariant = body(&pipe.ask(ask, by).ok()?).ok()?;
        let (parent_bus, parent_path) = spi::Reference::try_from(parent).ok()?;
        if parent_path.as_str() == spi::ROOT_PATH || parent_bus != bus {
            return Some(facts_of(pipe, peer, &below, quirks, by));
        }
        below = parent_path.as_str().to_owned();
    }
    None
}

fn facts_of(pipe: &mut Pipe, peer: &Peer, path: &str, quirks: Quirks, by: Deadline) -> Top {
    let mut ask = |fact: Fact, path: &str| {
        fact.question(peer, path).and_then(|question| pipe.ask(question, by)).ok()
    };
    let title = ask(Fact::Name, path).and_then(|m| facts::text(&m)).unwrap_or_default();
    let bounds: Option<Rect> = ask(quirks.extents(), path).and_then(|m| facts::extents(&m));
    let first: Option<spi::Reference> = ask(Fact::Child(0), path).and_then(|m| body(&m).ok());
    let pane = first.and_then(|(_, child)| {
        let role: u32 = ask(Fact::Role, child.as_str()).and_then(|m| body(&m).ok())?;
        (role == ROOT_PANE).then(|| ask(quirks.extents(), child.as_str()))?
    });
    Top { title, bounds, pane: pane.and_then(|m| facts::extents(&m)) }
}
