//! Clicks the buttons of a calculator and reads the result from its display.
#![allow(clippy::print_stdout, reason = "an example prints its result")]

use std::error::Error;

use deskhand::Session;

fn main() -> Result<(), Box<dyn Error>> {
    let session = Session::private()?;
    let app = session.open_app("gnome-calculator", &[])?;
    for button in ["6", "×", "7", "="] {
        let outcome = app.click(format!("role:button title:{button}"))?;
        println!("{button}: {} by {}", outcome.effect, outcome.strategy);
    }
    let texts = app.find_all("role:text")?;
    let shown: Vec<String> = texts.iter().map(|element| element.text()).collect();
    println!("the calculator shows {shown:?}");
    if !shown.iter().any(|text| text == "42") {
        return Err("the calculator does not show 42".into());
    }
    app.quit()?.confirmed()?;
    session.close()?;
    Ok(())
}
