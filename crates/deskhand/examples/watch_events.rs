//! Watches an app while text is typed into it, and checks the text in the app.
#![allow(clippy::print_stdout, reason = "an example prints its result")]

use std::{error::Error, time::Duration};

use deskhand::{EventKind, Session};

fn main() -> Result<(), Box<dyn Error>> {
    let session = Session::private()?;
    let app = session.open_app("mousepad", &[])?;
    let events = app.watch(Duration::from_secs(2))?;
    app.type_text("role:text", "hello")?.confirmed()?;

    let mut values = 0;
    for event in events {
        let event = event?;
        println!("{:5} ms {} {}", event.at_ms, event.kind.word(), event.title.unwrap_or_default());
        values += usize::from(event.kind == EventKind::ValueChanged);
    }
    if values == 0 {
        return Err("no event reported the new text".into());
    }
    let text = app.find("role:text")?.text();
    if text != "hello" {
        return Err(format!("the app shows {text:?}").into());
    }
    app.kill()?.confirmed()?;
    session.close()?;
    Ok(())
}
