//! Reads and controls desktop apps through their accessibility trees, and verifies the effect of
//! every action.
//!
//! The interface is blocking and needs no async runtime. This program starts a private desktop,
//! which needs no display, opens a calculator on it, and clicks:
//!
//! ```no_run
//! use deskhand::{Effect, Session};
//!
//! fn main() -> Result<(), deskhand::Error> {
//!     deskhand::run_helper_process_if_requested();
//!     let session = Session::private()?;
//!     let app = session.open_app("gnome-calculator", &[])?;
//!     println!("{}", app.tree()?);
//!
//!     for button in ["6", "×", "7", "="] {
//!         let outcome = app.click(format!("role:button title:{button}"))?;
//!         println!("{button}: {} by {}", outcome.effect, outcome.strategy);
//!         for change in &outcome.evidence {
//!             println!("  {} {:?}", change.subject, change.after);
//!         }
//!         if outcome.effect == Effect::Refused {
//!             println!("  next: {:?}", outcome.next_step);
//!         }
//!     }
//!     app.quit()?.confirmed()?;
//!     session.close()
//! }
//! ```
//!
//! # Overview
//!
//! - [`Session`] is one desktop: that of this process ([`Session::open`]) or a private one
//!   ([`Session::private`], Linux only). [`Session::builder`] has options.
//! - [`App`] is one running app: [`tree`](App::tree), [`find`](App::find), [`click`](App::click),
//!   [`type_text`](App::type_text), [`set_value`](App::set_value), [`select`](App::select),
//!   [`press_keys`](App::press_keys), [`screenshot`](App::screenshot), [`watch`](App::watch),
//!   [`quit`](App::quit).
//! - [`Outcome`] is the result of an action. Its [`Effect`] says if the requested change was
//!   observed, and [`Outcome::confirmed`] turns everything else into an error.
//! - [`Session::run_command`] runs a shell command in a sandbox.
//! - [`Session::call`] calls any tool of the command line and of the MCP server.
//! - [`Error`] has a stable code, a message, advice, and says if an action was sent.
//!
//! # Helper processes
//!
//! Commands in the sandbox and writes to the clipboard start this program again with a hidden
//! argument. Call [`run_helper_process_if_requested`] first in `main`; everything else works
//! without it.
//!
//! # Policy and audit log
//!
//! Calls of this library pass the same checks as those of the command line and of MCP clients. A
//! session uses the user's settings (`config.toml` and the variables `DESKHAND_*`), `security.toml`
//! (rules about apps) and approvals, writes to the user's audit log with the origin `library`, and
//! stops when the user runs `deskhand halt`. [`SessionBuilder`] overrides single settings, as a flag
//! of the command line does. In normal mode starting the program counts as consent; in safe mode risky
//! actions need an approval that was given before, because a library cannot ask the user.

mod app;
mod builder;
#[doc(hidden)]
pub mod commands;
mod error;
mod events;
#[doc(hidden)]
pub mod folder_watch;
mod helper_process;
#[doc(hidden)]
pub mod host;
mod results;
mod session;
#[doc(hidden)]
pub mod settings;
#[doc(hidden)]
pub mod trusted_file;

pub use app::{ActionMode, App};
pub use builder::SessionBuilder;
pub use deskhand_engine::{
    Confirmation, Delivery, EventKind, Policy, RateLimits, SecurityMode, WriteAccess,
};
pub use error::Error;
pub use events::Events;
pub use helper_process::run_helper_process_if_requested;
pub use results::{
    AppInfo, CommandOutput, Effect, Element, Event, Evidence, FailedAttempt, Image, Outcome, Reply,
};
pub use session::Session;
