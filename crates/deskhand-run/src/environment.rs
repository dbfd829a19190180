//! The variables programs begin with: what they need to find each other and to write for their reader,
//! and nothing the server was told in confidence.

use std::{collections::BTreeMap, ffi::OsString};

/// Where programs are looked for when the server does not know.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin";

/// Variables of the server that hold no secret: language, time zone, and where toolchains are.
const TAKEN: &[&str] = &[
    "LANG",
    "LANGUAGE",
    "TZ",
    "USER",
    "LOGNAME",
    "RUSTUP_HOME",
    "CARGO_HOME",
    "RUSTUP_TOOLCHAIN",
    "PYENV_ROOT",
    "NVM_DIR",
    "VOLTA_HOME",
    "JAVA_HOME",
    "GOROOT",
    "SDKMAN_DIR",
    "RBENV_ROOT",
];

/// The private folder for temporary files, which is also the home.
const TEMPORARY: &str = "/tmp";

/// The variables of a sandbox, made of those of the server.
pub(crate) fn variables(
    server: impl Iterator<Item = (OsString, OsString)>,
) -> BTreeMap<String, String> {
    let mut all: BTreeMap<String, String> = [
        ("HOME", TEMPORARY),
        ("TMPDIR", TEMPORARY),
        ("PATH", PATH),
        ("SHELL", "/bin/sh"),
        ("TERM", "dumb"),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .into();
    for (name, value) in server {
        let (Ok(name), Ok(value)) = (name.into_string(), value.into_string()) else { continue };
        if name == "PATH" {
            // What is relative would be looked for in whatever folder a program stands.
            let whole: Vec<&str> = value.split(':').filter(|part| part.starts_with('/')).collect();
            if !whole.is_empty() {
                all.insert(name, whole.join(":"));
            }
        } else if TAKEN.contains(&name.as_str()) || name.starts_with("LC_") {
            all.insert(name, value);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(server: &[(&str, &str)]) -> BTreeMap<String, String> {
        variables(server.iter().map(|(name, value)| (name.into(), value.into())))
    }

    #[test]
    fn nothing_but_what_is_named_comes_from_the_server() {
        let all = of(&[
            ("API_TOKEN", "secret"),
            ("AWS_SECRET_ACCESS_KEY", "secret"),
            ("HOME", "/home/ann"),
            ("TERM", "xterm"),
            ("LC_ALL", "C.UTF-8"),
            ("LANG", "de_DE.UTF-8"),
            ("PATH", "/a:.::bin:/b"),
        ]);
        let names: Vec<&str> = all.keys().map(String::as_str).collect();
        assert_eq!(names, ["HOME", "LANG", "LC_ALL", "PATH", "SHELL", "TERM", "TMPDIR"]);
        assert_eq!((all["PATH"].as_str(), all["TERM"].as_str()), ("/a:/b", "dumb"));
        assert_eq!(all["HOME"], "/tmp");
    }

    #[test]
    fn a_server_without_a_path_still_finds_programs() {
        assert_eq!(of(&[])["PATH"], PATH);
        assert_eq!(of(&[("PATH", "here:./there")])["PATH"], PATH);
    }
}
