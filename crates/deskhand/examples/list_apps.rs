//! Starts two apps on a private desktop and lists them with their process ids.
#![allow(clippy::print_stdout, reason = "an example prints its result")]

use std::{error::Error, path::PathBuf};

use deskhand::Session;

fn main() -> Result<(), Box<dyn Error>> {
    let session = Session::private()?;
    let editor = session.open_app("mousepad", &[])?;
    let calculator = session.open_app("gnome-calculator", &[])?;

    let apps = session.apps()?;
    for app in &apps {
        println!("{} (pid {}, {}, {} windows)", app.name, app.pid, app.toolkit, app.windows);
    }

    for started in [&editor, &calculator] {
        let is_listed = apps.iter().any(|app| app.pid == started.pid() && app.windows > 0);
        let is_running = PathBuf::from(format!("/proc/{}", started.pid())).exists();
        if !is_listed || !is_running {
            return Err(format!("{} is not listed", started.name()).into());
        }
    }
    session.close()?;
    Ok(())
}
