//! Whether a browser can be asked to keep a cache.
//!
//! A direct connection or an event listener makes an app's bridge fill a cache of its whole tree.
//! Chromium finds the position of each element among its siblings by counting, so a list of 20,000
//! rows freezes it for 12 s and one of 100,000 for more than ten minutes. So its tree is counted
//! first, unless the cache is already there.

use std::{collections::VecDeque, time::Duration};

use deskhand_platform::Deadline;
use zbus::Message;

use super::{
    facts::{self, Fact},
    pipe::{Peer, Pipe, body, call},
    spi,
};

/// The longest list that is harmless: at 1,500 siblings the cache costs about 0.1 s.
const LONGEST: i64 = 1_500;
/// Trees beyond this are not counted to the end.
const LARGEST: usize = 12_000;
/// How long the counting may take.
const PATIENCE: Duration = Duration::from_millis(900);

/// Whether a cache exists already or would do no harm.
pub(crate) fn is_harmless(bus: &mut Pipe, name: &str, by: Deadline) -> bool {
    let peer = Peer::Named(name.to_owned());
    has_cache(bus, name, by) || counts_small(bus, &peer, by.or_after(PATIENCE))
}

/// Whether the app keeps a cache already.
pub(crate) fn has_cache(bus: &mut Pipe, name: &str, by: Deadline) -> bool {
    let peer = Peer::Named(name.to_owned());
    call(&peer, spi::CACHE_PATH, spi::PROPERTIES, "GetAll", &spi::CACHE)
        .and_then(|ask| bus.ask(ask, by))
        .is_ok()
}

fn counts_small(bus: &mut Pipe, peer: &Peer, by: Deadline) -> bool {
    let ask = |path: &str, fact: Fact, queue: &mut VecDeque<((String, Fact), Message)>| {
        // A path that cannot be asked about has nothing below it.
        if let Ok(message) = fact.question(peer, path) {
            queue.push_back(((path.to_owned(), fact), message));
        }
    };
    let (mut counted, mut small) = (0_usize, true);
    let mut queue = VecDeque::new();
    ask(spi::ROOT_PATH, Fact::ChildCount, &mut queue);
    bus.flow(queue, by, |(path, fact), answer, queue| {
        let Ok(message) = answer else {
            // An element that vanished counts for nothing; silence or a broken line for too much.
            small &= matches!(answer, Err(super::pipe::Silence::Refused(_)));
            return;
        };
        if !small {
            queue.clear();
            return;
        }
        if fact == Fact::ChildCount {
            let count = facts::integer(&message).unwrap_or(0);
            counted += 1;
            small &= count <= LONGEST && counted <= LARGEST;
            if small && count > 0 {
                ask(&path, Fact::Children, queue);
            }
        } else {
            let children: Vec<spi::Reference> = body(&message).unwrap_or_default();
            for (_, child) in children {
                ask(child.as_str(), Fact::ChildCount, queue);
            }
        }
    });
    small
}
