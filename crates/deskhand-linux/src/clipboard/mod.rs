//! What was copied, over X11 selections: asking any owner, owning through a keeper.

mod changes;
mod compound;
mod forms;
mod keeper;
mod link;
mod request;
mod serve;
mod text;

use deskhand_platform::{
    Changes, Clipboard, Contents, Deadline, Error, Item, Mark, Result, Selection,
};
use x11rb::protocol::xproto::{Atom, ConnectionExt as _};

use changes::XChanges;
use link::{Link, broken, within};
use request::Asking;

pub use keeper::{KEEPER, keep};

/// The clipboards of an X server. Each errand has a connection of its own, so a mute owner holds up
/// nobody else, and what is read after a write has been through the server.
pub(crate) struct XClipboard;

/// A target and its name.
type Target = (Atom, String);

impl Clipboard for XClipboard {
    fn desktop(&self) -> String {
        // Without a display there is no clipboard, and nobody to ask.
        let display = std::env::var("DISPLAY").unwrap_or_default();
        display.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
    }

    fn look(&self, at: Selection, by: Deadline) -> Result<Contents> {
        within(by, move || {
            let link = Link::open()?;
            let Some(asking) = Asking::begin(&link, at, by)? else {
                return Ok(Contents::default());
            };
            let targets = targets(&link, &asking)?;
            Ok(Contents {
                forms: forms::of_targets(targets.iter().map(|(_, name)| name.as_str())),
                concealed: is_concealed(&asking, &targets)?,
                from: asking.program(),
            })
        })
    }

    fn read(&self, at: Selection, form: &str, by: Deadline) -> Result<Option<Vec<u8>>> {
        let form = form.to_owned();
        within(by, move || {
            let link = Link::open()?;
            let Some(asking) = Asking::begin(&link, at, by)? else { return Ok(None) };
            let targets = targets(&link, &asking)?;
            let Some((target, name)) = forms::target(&form, &targets) else { return Ok(None) };
            let Some(answer) = asking.ask(*target)? else { return Ok(None) };
            let kind = link.names(&[answer.kind])?.pop().map(|(_, name)| name);
            Ok(Some(forms::decode(&form, name, &kind.unwrap_or_default(), answer.data)))
        })
    }

    fn write(&self, at: Selection, items: Vec<Item>, mark: Mark, by: Deadline) -> Result<()> {
        keeper::start(at, items, mark, by)
    }

    fn clear(&self, at: Selection, by: Deadline) -> Result<()> {
        within(by, move || {
            let link = Link::open()?;
            if link.owner(at)?.is_none() {
                return Ok(());
            }
            let now = link.now(by)?;
            link.connection
                .set_selection_owner(x11rb::NONE, link.selection(at), now)
                .map_err(broken)?
                .check()
                .map_err(broken)?;
            Ok(())
        })
    }

    fn watch(&self, at: Selection, by: Deadline) -> Result<Box<dyn Changes>> {
        within(by, move || Ok(Box::new(XChanges::begin(at)?) as Box<dyn Changes>))
    }
}

/// What the owner offers. One that does not say may still have text: every program could, once.
fn targets(link: &Link, asking: &Asking<'_>) -> Result<Vec<Target>> {
    let offered = asking.ask(link.atoms.TARGETS)?.map(|answer| answer.atoms()).unwrap_or_default();
    let targets = link.names(&offered)?;
    if !targets.is_empty() {
        return Ok(targets);
    }
    for (atom, name) in link
        .atoms(["UTF8_STRING", "STRING"].into_iter())?
        .into_iter()
        .zip(["UTF8_STRING", "STRING"])
    {
        if asking.ask(atom)?.is_some() {
            return Ok(vec![(atom, name.to_owned())]);
        }
    }
    Ok(Vec::new())
}

/// Whether the owner marked what it has as a secret. One that does not say what its mark means is
/// taken to mean it.
fn is_concealed(asking: &Asking<'_>, targets: &[Target]) -> Result<bool> {
    if targets.iter().any(|(_, name)| name == forms::CONCEALED) {
        return Ok(true);
    }
    let Some((hint, _)) = targets.iter().find(|(_, name)| name == forms::HINT) else {
        return Ok(false);
    };
    match asking.ask(*hint) {
        Ok(Some(answer)) => Ok(answer.data.is_empty() || answer.data.starts_with(forms::SECRET)),
        Ok(None) | Err(Error::Timeout { .. }) => Ok(true),
        Err(error) => Err(error),
    }
}
