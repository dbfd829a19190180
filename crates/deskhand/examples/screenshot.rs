//! Captures a window before and after a change, and the whole screen.
#![allow(clippy::print_stdout, reason = "an example prints its result")]

use std::error::Error;

use deskhand::Session;

/// The first bytes of every PNG file.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";

fn main() -> Result<(), Box<dyn Error>> {
    let session = Session::builder().private().screen_size(1280, 800).open()?;
    let app = session.open_app("mousepad", &[])?;
    let before = app.screenshot()?;
    app.type_text("role:text", "This text is in the picture.")?.confirmed()?;
    let after = app.screenshot()?;
    let screen = session.screenshot()?;

    let file = std::env::temp_dir().join(format!("deskhand-{}.png", std::process::id()));
    std::fs::write(&file, &after.bytes)?;
    println!("{} with {} bytes: {}", after.mime_type, after.bytes.len(), file.display());

    // A PNG file stores its size in bytes 16 to 24.
    let size = |bytes: &[u8]| Some((be_u32(bytes, 16)?, be_u32(bytes, 20)?));
    println!("window {:?}, screen {:?}", size(&after.bytes), size(&screen.bytes));
    let are_png = [&before, &after, &screen].iter().all(|image| image.bytes.starts_with(PNG));
    if !are_png || size(&screen.bytes) != Some((1280, 800)) {
        return Err("the screen was not captured as PNG".into());
    }
    if before.bytes == after.bytes {
        return Err("the text is not in the picture".into());
    }
    std::fs::remove_file(file)?;
    app.kill()?.confirmed()?;
    session.close()?;
    Ok(())
}

fn be_u32(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..at + 4)?;
    Some(u32::from_be_bytes(four.try_into().ok()?))
}
