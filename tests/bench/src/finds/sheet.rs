//! A spreadsheet with one item per row, as a flat document that LibreOffice opens without questions.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use crate::error::{self, Result};

const HEAD: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
 xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"
 xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" office:version="1.2"
 office:mimetype="application/vnd.oasis.opendocument.spreadsheet">
<office:body><office:spreadsheet><table:table table:name="Items">
"#;

const FOOT: &str = "</table:table></office:spreadsheet></office:body></office:document>\n";

/// Writes a sheet with these many rows into a folder and returns its path.
pub(super) fn write(folder: &Path, rows: usize) -> Result<PathBuf> {
    let mut text = String::from(HEAD);
    for row in 0..rows {
        // Writing to a `String` cannot fail.
        let _ = writeln!(
            text,
            r#"<table:table-row><table:table-cell office:value-type="string"><text:p>Item {row}</text:p></table:table-cell><table:table-cell office:value-type="float" office:value="{row}"/></table:table-row>"#
        );
    }
    text.push_str(FOOT);
    let path = folder.join("items.fods");
    error::write(&path, &text)?;
    Ok(path)
}
