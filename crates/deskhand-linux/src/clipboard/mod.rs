//! The clipboard over X11 selections: reads from any owner, and writes through an owner process.

mod changes;
mod compound;
mod connection;
mod forms;
mod owned_selection;
mod owner_process;
mod request;
mod text;
mod timing;

use deskhand_platform::{
    Clipboard, ClipboardChanges, ClipboardContents, ClipboardItem, Deadline, Error, Result,
    Selection, Sensitivity,
};
use x11rb::protocol::xproto::{Atom, ConnectionExt as _};

use changes::SelectionChanges;
use connection::{SelectionConnection, broken, run_with_deadline};
use request::SelectionRequest;

use crate::session_env::SessionEnv;

pub use owner_process::{OWNER_PROCESS_ARG, run_owner_process};

/// The clipboards of an X server. Each operation has its own connection, so that an unresponsive
/// owner blocks no other operation, and a read after a write goes through the server.
pub(crate) struct X11Clipboard {
    env: SessionEnv,
    owner_process: OwnerProcess,
}

/// The program that runs the clipboard owner process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OwnerProcess {
    /// This program, started again with [`OWNER_PROCESS_ARG`].
    #[default]
    ThisProgram,
    /// None: this program does not handle [`OWNER_PROCESS_ARG`], so the clipboard cannot be
    /// written.
    Unavailable,
}

impl X11Clipboard {
    /// Creates the clipboards of a session without connecting.
    pub(crate) fn new(env: SessionEnv, owner_process: OwnerProcess) -> Self {
        Self { env, owner_process }
    }
}

/// A target's atom and name.
type NamedTarget = (Atom, String);

impl Clipboard for X11Clipboard {
    fn desktop_id(&self) -> String {
        // Without a display there is no clipboard.
        let display = self.env.text("DISPLAY").unwrap_or_default();
        display.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
    }

    fn contents(&self, which: Selection, deadline: Deadline) -> Result<ClipboardContents> {
        let env = self.env.clone();
        run_with_deadline(deadline, move || {
            let connection = SelectionConnection::open(&env)?;
            let Some(request) = SelectionRequest::open(&connection, which, deadline)? else {
                return Ok(ClipboardContents::default());
            };
            let targets = list_targets(&connection, &request)?;
            Ok(ClipboardContents {
                mime_types: forms::from_targets(targets.iter().map(|(_, name)| name.as_str())),
                concealed: is_concealed(&request, &targets)?,
                source: request.program(),
            })
        })
    }

    fn read(&self, which: Selection, form: &str, deadline: Deadline) -> Result<Option<Vec<u8>>> {
        let form = form.to_owned();
        let env = self.env.clone();
        run_with_deadline(deadline, move || {
            let connection = SelectionConnection::open(&env)?;
            let Some(request) = SelectionRequest::open(&connection, which, deadline)? else {
                return Ok(None);
            };
            let targets = list_targets(&connection, &request)?;
            let Some((target, name)) = forms::best_target(&form, &targets) else { return Ok(None) };
            let Some(data) = request.convert(*target)? else { return Ok(None) };
            let type_name = connection.atom_names(&[data.type_atom])?.pop().map(|(_, name)| name);
            Ok(Some(forms::decode(&form, name, &type_name.unwrap_or_default(), data.data)))
        })
    }

    fn write(
        &self,
        which: Selection,
        items: Vec<ClipboardItem>,
        mark: Sensitivity,
        deadline: Deadline,
    ) -> Result<()> {
        match self.owner_process {
            OwnerProcess::ThisProgram => {
                owner_process::start(&self.env, which, items, mark, deadline)
            }
            OwnerProcess::Unavailable => Err(Error::Unsupported {
                what: "writing the clipboard".to_owned(),
                why: "this program does not run the clipboard owner process".to_owned(),
            }),
        }
    }

    fn clear(&self, which: Selection, deadline: Deadline) -> Result<()> {
        let env = self.env.clone();
        run_with_deadline(deadline, move || {
            let connection = SelectionConnection::open(&env)?;
            if connection.owner(which)?.is_none() {
                return Ok(());
            }
            let server_time = connection.server_time(deadline)?;
            connection
                .x11
                .set_selection_owner(x11rb::NONE, connection.selection(which), server_time)
                .map_err(broken)?
                .check()
                .map_err(broken)?;
            Ok(())
        })
    }

    fn watch(&self, which: Selection, deadline: Deadline) -> Result<Box<dyn ClipboardChanges>> {
        let env = self.env.clone();
        run_with_deadline(deadline, move || {
            Ok(Box::new(SelectionChanges::open(&env, which)?) as Box<dyn ClipboardChanges>)
        })
    }
}

/// Lists the targets that the owner offers. An owner without a list may still provide text, as old
/// programs did.
fn list_targets(
    connection: &SelectionConnection,
    request: &SelectionRequest<'_>,
) -> Result<Vec<NamedTarget>> {
    let offered =
        request.convert(connection.atoms.TARGETS)?.map(|data| data.atoms()).unwrap_or_default();
    let targets = connection.atom_names(&offered)?;
    if !targets.is_empty() {
        return Ok(targets);
    }
    for (atom, name) in connection
        .intern(["UTF8_STRING", "STRING"].into_iter())?
        .into_iter()
        .zip(["UTF8_STRING", "STRING"])
    {
        if request.convert(atom)?.is_some() {
            return Ok(vec![(atom, name.to_owned())]);
        }
    }
    Ok(Vec::new())
}

/// Returns `true` if the owner marked its content as a secret. If the value of the mark cannot be
/// read, the content counts as secret.
fn is_concealed(request: &SelectionRequest<'_>, targets: &[NamedTarget]) -> Result<bool> {
    if targets.iter().any(|(_, name)| name == forms::CONCEALED) {
        return Ok(true);
    }
    let Some((hint, _)) = targets.iter().find(|(_, name)| name == forms::PASSWORD_MANAGER_HINT)
    else {
        return Ok(false);
    };
    match request.convert(*hint) {
        Ok(Some(data)) => Ok(data.data.is_empty() || data.data.starts_with(forms::SECRET)),
        Ok(None) | Err(Error::Timeout { .. }) => Ok(true),
        Err(error) => Err(error),
    }
}
