//! Edits a file in a text editor, saves it with a shortcut, and compares the file on disk.
#![allow(clippy::print_stdout, reason = "an example prints its result")]

use std::{
    error::Error,
    fs, thread,
    time::{Duration, Instant},
};

use deskhand::Session;

const TEXT: &str = "Name: Ada Lovelace\nCity: London\n";

fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("form.txt");
    fs::write(&file, "Name:\nCity:\n")?;

    let session = Session::private()?;
    let app = session.open_app("mousepad", &[&file.display().to_string()])?;
    let text = app.find("role:text")?;
    println!("before: {:?}", text.text());
    let outcome = app.set_value(&text, TEXT)?;
    println!("fill: {} by {}", outcome.effect, outcome.strategy);
    outcome.confirmed()?;
    let outcome = app.press_keys(&["ctrl+s"])?;
    println!("save: {} by {}", outcome.effect, outcome.strategy);

    // The effect of a shortcut cannot be observed in the app; the file on disk proves it.
    let started = Instant::now();
    while fs::read_to_string(&file)? != TEXT {
        if started.elapsed() > Duration::from_secs(5) {
            return Err(format!("the file contains {:?}", fs::read_to_string(&file)?).into());
        }
        thread::sleep(Duration::from_millis(50));
    }
    println!("after: {:?}", fs::read_to_string(&file)?);
    app.quit()?.confirmed()?;
    session.close()?;
    Ok(())
}
