//! Putting something on the clipboard, and reading it back.

use std::time::Duration;

use deskhand_model::Delivery;
use deskhand_platform::{Clipboard, Deadline, Item, Mark, Selection};

use super::{
    Which,
    history::{History, Seen},
};
use crate::{
    Context, Error, Result,
    effect::{Done, Evidence, Sign, Verdict},
};

/// How long reading back may take: the write itself is done by then.
const LOOK_AGAIN: Duration = Duration::from_secs(5);

/// Puts something there in one or several forms; what is no secret is kept in the history.
pub fn put(cx: &Context<'_>, which: Which, items: &[Item], mark: Mark) -> Result<Done> {
    let (clipboard, at) = (super::of(cx)?, which.selection());
    clipboard
        .write(at, items.to_vec(), mark, cx.by)
        .map_err(|error| Error::Lost { error, delivery: Delivery::Unknown })?;
    if mark == Mark::Open {
        // A history that cannot be written takes nothing from what was done.
        let _ = History::of(cx).and_then(|history| history.add(Seen::Written, which, None, items));
    }
    Ok(look_again(clipboard, at, items, mark))
}

/// Asks for every form from the start, as any other program would.
fn look_again(clipboard: &dyn Clipboard, at: Selection, items: &[Item], mark: Mark) -> Done {
    let by = Deadline::after(LOOK_AGAIN);
    let (mut same, mut other) = (Vec::new(), 0);
    for item in items {
        match clipboard.read(at, &item.form, by) {
            Ok(Some(data)) if data == item.data => same.push(item),
            Ok(_) => other += 1,
            // What cannot be read proves nothing either way.
            Err(_) => {}
        }
    }
    let effect = match (same.len(), other) {
        (all, _) if all == items.len() => Verdict::Confirmed,
        (0, 0) => Verdict::Unverified,
        (0, _) => Verdict::NoEffect,
        (_, _) => Verdict::Partial,
    };
    let evidence = same.into_iter().map(|item| {
        let what = match mark {
            Mark::Open => super::mention(&item.form, &item.data),
            Mark::Concealed => "a secret".to_owned(),
        };
        let seen = Evidence::of(Sign::Clipboard, format!("{} reads back", item.form));
        Evidence { after: Some(what), ..seen }
    });
    let mut done = Done::new(effect, "selection").to("clipboard");
    done.evidence = evidence.collect();
    if effect == Verdict::Confirmed {
        return done;
    }
    done.or_else("another program may have copied something: `deskhand clipboard read` tells")
}
