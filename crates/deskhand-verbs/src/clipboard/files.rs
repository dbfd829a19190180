//! Conversion between file paths and URI lists.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, percent_encode};

use crate::{Error, Result};

/// Characters that are not escaped in the path of a URI.
const UNESCAPED: AsciiSet =
    NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// Returns existing files as a list of URIs, one per line.
pub fn to_uri_list(paths: &[String]) -> Result<String> {
    let uri = |given: &String| {
        let found = std::path::absolute(given).and_then(|path| path.metadata().map(|_| path));
        let path =
            found.map_err(|error| Error::File { path: given.clone(), why: error.to_string() })?;
        Ok(format!(
            "file://{}\r\n",
            percent_encode(path.as_os_str().as_encoded_bytes(), &UNESCAPED)
        ))
    };
    paths.iter().map(uri).collect()
}

/// Returns the local files of a URI list. Other URIs are skipped.
pub fn from_uri_list(list: &str) -> Vec<PathBuf> {
    list.lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| parse_file_uri(line.trim()))
        .collect()
}

fn parse_file_uri(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    // A host name may stand between the slashes; it means this machine.
    let local = rest.find('/').and_then(|at| rest.get(at..))?;
    let bytes: Vec<u8> = percent_decode_str(local).collect();
    let text = String::from_utf8(bytes).ok()?;
    Some(Path::new(OsStr::new(&text)).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_characters_in_file_names_survive_a_round_trip() {
        let folder = std::env::temp_dir();
        let name = folder.join(format!("a b%ü#?&'{}.txt", std::process::id()));
        std::fs::write(&name, "x").unwrap();
        let given = vec![name.to_str().unwrap().to_owned()];
        let list = to_uri_list(&given);
        std::fs::remove_file(&name).unwrap();
        let list = list.unwrap();
        assert!(list.is_ascii() && list.ends_with(".txt\r\n") && !list.contains(' '), "{list}");
        assert_eq!(from_uri_list(&list), [name]);
    }

    #[test]
    fn uris_other_than_existing_files_are_skipped() {
        let list = "# a remark\r\nhttps://example.org/\r\nfile://localhost/etc/a%20b\r\n";
        assert_eq!(from_uri_list(list), [Path::new("/etc/a b")]);
        assert!(super::to_uri_list(&["/no/such/file".to_owned()]).is_err());
    }
}
