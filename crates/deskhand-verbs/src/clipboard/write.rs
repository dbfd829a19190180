//! Writing to the clipboard and reading the content back.

use deskhand_model::{Advice, Delivery, Step};
use deskhand_platform::{Clipboard, ClipboardItem, Deadline, Selection, Sensitivity};

use super::{
    ClipboardSelection,
    history::{History, HistorySource},
};
use crate::{
    Context, Error, Result,
    effect::{ActionEffect, ActionOutcome, Evidence, EvidenceKind},
    timing,
};

/// Writes one or several formats to the clipboard and adds them to the history, unless they are
/// secret.
pub fn write(
    cx: &Context<'_>,
    selection: ClipboardSelection,
    items: &[ClipboardItem],
    mark: Sensitivity,
) -> Result<ActionOutcome> {
    let (clipboard, at) = (super::clipboard(cx)?, selection.selection());
    clipboard
        .write(at, items.to_vec(), mark, cx.deadline)
        .map_err(|error| Error::SendFailed { error, delivery: Delivery::Unknown })?;
    if mark == Sensitivity::Normal {
        // A failure of the history does not affect the write.
        let _ = History::of(cx)
            .and_then(|history| history.add(HistorySource::Written, selection, None, items));
    }
    Ok(verify(clipboard, at, items, mark))
}

/// Verifies the write by reading every format like any other program.
fn verify(
    clipboard: &dyn Clipboard,
    at: Selection,
    items: &[ClipboardItem],
    mark: Sensitivity,
) -> ActionOutcome {
    let deadline = Deadline::after(timing::CLIPBOARD_READ_BACK_TIMEOUT);
    let (mut same, mut different) = (Vec::new(), 0);
    for item in items {
        match clipboard.read(at, &item.mime_type, deadline) {
            Ok(Some(data)) if data == item.data => same.push(item),
            Ok(_) => different += 1,
            // A failed read proves nothing.
            Err(_) => {}
        }
    }
    let effect = match (same.len(), different) {
        (all, _) if all == items.len() => ActionEffect::Confirmed,
        (0, 0) => ActionEffect::Unverified,
        (0, _) => ActionEffect::NoEffect,
        (_, _) => ActionEffect::Partial,
    };
    let evidence = same.into_iter().map(|item| {
        let what = match mark {
            Sensitivity::Normal => super::summarize(&item.mime_type, &item.data),
            Sensitivity::Concealed => "a secret".to_owned(),
        };
        let evidence_of_format =
            Evidence::new(EvidenceKind::Clipboard, format!("{} reads back", item.mime_type));
        Evidence { after: Some(what), ..evidence_of_format }
    });
    let mut outcome = ActionOutcome::new(effect, "selection").on("clipboard");
    outcome.evidence = evidence.collect();
    if effect == ActionEffect::Confirmed {
        return outcome;
    }
    let next = Advice::from("another program may have copied something: ");
    outcome.with_next_step(next.step(Step::ReadClipboard).text(" tells"))
}
