//! What of a home folder tools need that are kept there, and what they must not take with it.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

/// What of a folder of tools is shown.
enum Part {
    /// It can be read.
    Read(&'static str),
    /// It can be read, and what is written to it is kept apart.
    Layer(&'static str),
}

use Part::{Layer, Read};

/// Folders of tools: the variable that names one, where it is without, and what of it is shown. What is not
/// named here stays hidden: next to tools lie the keys to where they come from.
const FOLDERS: &[(&str, &str, &[Part])] = &[
    ("CARGO_HOME", ".cargo", &[Read("bin"), Layer("registry"), Layer("git")]),
    ("RUSTUP_HOME", ".rustup", &[Read("")]),
    ("PYENV_ROOT", ".pyenv", &[Read("")]),
    ("NVM_DIR", ".nvm", &[Read("")]),
    ("VOLTA_HOME", ".volta", &[Read("bin"), Read("tools")]),
    ("BUN_INSTALL", ".bun", &[Read("bin"), Layer("install")]),
    ("DENO_INSTALL", ".deno", &[Read("bin")]),
    ("GOPATH", "go", &[Read("bin"), Layer("pkg")]),
    ("GOROOT", "", &[Read("")]),
    ("JAVA_HOME", "", &[Read("")]),
    ("SDKMAN_DIR", ".sdkman", &[Read("candidates"), Read("bin")]),
    ("RBENV_ROOT", ".rbenv", &[Read("")]),
    ("ASDF_DATA_DIR", ".asdf", &[Read("")]),
    ("MISE_DATA_DIR", ".local/share/mise", &[Read("")]),
    ("npm_config_cache", ".npm", &[Layer("_cacache")]),
    (
        "",
        ".local",
        &[
            Read("bin"),
            Read("lib"),
            Read("share/pipx"),
            Read("share/uv/tools"),
            Read("share/uv/python"),
            Read("share/pnpm"),
        ],
    ),
    ("", ".cache", &[Layer("go-build"), Layer("pip"), Layer("uv")]),
    ("", ".m2", &[Layer("repository")]),
    ("", ".gradle", &[Layer("caches"), Layer("wrapper")]),
];

/// Variables that say something about a person or a place, and nothing secret.
const PLAIN: &[&str] =
    &["USER", "LOGNAME", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "TZ", "RUSTUP_TOOLCHAIN"];

/// Where programs are looked for when nobody says.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin";

/// What tools need.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Tools {
    pub(crate) home: Option<PathBuf>,
    pub(crate) readable: Vec<PathBuf>,
    pub(crate) layered: Vec<PathBuf>,
    pub(crate) environment: BTreeMap<String, String>,
    pub(crate) settings: BTreeMap<PathBuf, String>,
}

/// What the tools need that a server with these variables can run.
pub(crate) fn found(variable: &dyn Fn(&str) -> Option<String>) -> Tools {
    let home = variable("HOME").map(PathBuf::from).and_then(|home| home.canonicalize().ok());
    let home = home.filter(|home| home.parent().is_some());
    let mut tools = Tools::default();
    for (name, default, parts) in FOLDERS {
        let named = Some(*name).filter(|name| !name.is_empty()).and_then(variable);
        let usual = home.as_ref().filter(|_| !default.is_empty()).map(|home| home.join(default));
        if let Some(value) = &named {
            tools.environment.insert((*name).to_owned(), value.clone());
        }
        let Some(folder) = named.map(PathBuf::from).or(usual) else { continue };
        for part in *parts {
            let (name, all) = match part {
                Read(name) => (name, &mut tools.readable),
                Layer(name) => (name, &mut tools.layered),
            };
            // Without links, so that nothing is shown under another name than its own.
            if let Ok(real) = folder.join(name).canonicalize()
                && real.is_dir()
                && home.as_deref() != Some(&real)
            {
                all.push(real);
            }
        }
    }
    let path = variable("PATH").unwrap_or_else(|| PATH.to_owned());
    for folder in std::env::split_paths(&path).filter_map(|folder| folder.canonicalize().ok()) {
        // What stands in for a program there looks for it next to itself.
        let root = folder.parent().filter(|_| folder.ends_with("shims")).map(Path::to_owned);
        let folder = root.filter(|root| root.parent().is_some()).unwrap_or(folder);
        let shown = tools.readable.iter().any(|one| folder.starts_with(one));
        let of_home = home.as_ref().is_some_and(|home| home.starts_with(&folder));
        if folder.is_dir() && folder.parent().is_some() && !shown && !of_home {
            tools.readable.push(folder);
        }
    }
    tools.environment.insert("PATH".to_owned(), path);
    let plain = PLAIN.iter().filter_map(|name| Some(((*name).to_owned(), variable(name)?)));
    tools.environment.extend(plain);
    tools.environment.insert("TMPDIR".to_owned(), "/tmp".to_owned());
    tools.environment.insert("SHELL".to_owned(), "/bin/sh".to_owned());
    let place = home.clone().unwrap_or_else(|| PathBuf::from("/tmp"));
    tools.environment.insert("HOME".to_owned(), place.to_string_lossy().into_owned());
    if let Some(home) = &home {
        tools.settings.insert(home.join(".gitconfig"), git(home));
        let cargo = home.join(".cargo/config.toml");
        if let Some(text) = fs::read_to_string(&cargo).ok().filter(|text| is_plain(text)) {
            tools.settings.insert(cargo, text);
        }
    }
    tools.home = home;
    tools
}

/// Whether settings hold no key, nor a way that has one in it.
fn is_plain(text: &str) -> bool {
    !["token", "proxy", "[env", "credential", "@"].iter().any(|word| text.contains(word))
}

/// Who commits, of all that is in the settings of git: those may hold keys. What is in the scope is
/// trusted whoever owns it, as it is all there is.
fn git(home: &Path) -> String {
    let mut text = "[safe]\n\tdirectory = *\n".to_owned();
    for file in [".config/git/config", ".gitconfig"] {
        let Ok(all) = fs::read_to_string(home.join(file)) else { continue };
        let mut section = String::new();
        for line in all.lines().map(str::trim) {
            if line.starts_with('[') {
                section = line.to_ascii_lowercase();
            } else if section == "[user]"
                && let Some((name, value)) = line.split_once('=')
                && ["name", "email"].contains(&name.trim().to_ascii_lowercase().as_str())
            {
                text.push_str(&format!("[user]\n\t{} = {}\n", name.trim(), value.trim()));
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn there(home: &Path, folders: &[&str]) -> std::io::Result<PathBuf> {
        for folder in folders {
            fs::create_dir_all(home.join(folder))?;
        }
        home.canonicalize()
    }

    #[test]
    fn tools_of_a_home_are_shown_and_what_lies_next_to_them_is_not() -> std::io::Result<()> {
        let place = tempfile::tempdir()?;
        let home =
            there(place.path(), &[".cargo/bin", ".cargo/registry", ".ssh", "bin", ".rustup"])?;
        let path = format!("{0}/.cargo/bin:{0}/bin:{0}:/usr/bin", home.display());
        let tools = found(&|name| match name {
            "HOME" => Some(home.to_string_lossy().into_owned()),
            "PATH" => Some(path.clone()),
            "SECRET" => Some("x".to_owned()),
            _ => None,
        });
        let wanted = [".cargo/bin", ".rustup", "bin"].map(|name| home.join(name));
        assert_eq!(tools.readable[..3], wanted);
        assert_eq!(tools.layered, [home.join(".cargo/registry")]);
        assert!(!tools.readable.contains(&home) && !tools.environment.contains_key("SECRET"));
        assert_eq!(tools.environment.get("PATH"), Some(&path));
        Ok(())
    }

    #[test]
    fn a_named_folder_counts_before_the_usual_one() -> std::io::Result<()> {
        let place = tempfile::tempdir()?;
        let home = there(place.path(), &[".rustup", "elsewhere"])?;
        let named = home.join("elsewhere").to_string_lossy().into_owned();
        let tools = found(&|name| match name {
            "HOME" => Some(home.to_string_lossy().into_owned()),
            "RUSTUP_HOME" => Some(named.clone()),
            "PATH" => Some(String::new()),
            _ => None,
        });
        assert_eq!(tools.readable, [home.join("elsewhere")]);
        assert_eq!(tools.environment.get("RUSTUP_HOME"), Some(&named));
        Ok(())
    }

    #[test]
    fn of_the_settings_of_git_only_who_commits_is_taken() -> std::io::Result<()> {
        let place = tempfile::tempdir()?;
        let home = there(place.path(), &[])?;
        let text = "[user]\n\tname = Ann Example\n\temail=ann@example.org\n\tsigningkey = K\n\
                    [http]\n\textraheader = secret\n";
        fs::write(home.join(".gitconfig"), text)?;
        let taken = git(&home);
        assert!(taken.contains("name = Ann Example") && taken.contains("email = ann@example.org"));
        assert!(!taken.contains("secret") && !taken.contains("signingkey"), "{taken}");
        Ok(())
    }
}
