//! Finds the toolchains in the user's home that programs need, without the secrets next to them.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

/// The access to a subfolder of a toolchain.
enum Exposure {
    /// Read-only.
    ReadOnly(&'static str),
    /// Read and write through an overlay.
    Overlay(&'static str),
}

use Exposure::{Overlay, ReadOnly};

/// Toolchain folders: the variable that names the folder, its default below the home, and the subfolders to
/// expose. Everything else stays hidden, because registries keep credentials next to the tools.
const TOOL_DIRS: &[(&str, &str, &[Exposure])] = &[
    ("CARGO_HOME", ".cargo", &[ReadOnly("bin"), Overlay("registry"), Overlay("git")]),
    ("RUSTUP_HOME", ".rustup", &[ReadOnly("")]),
    ("PYENV_ROOT", ".pyenv", &[ReadOnly("")]),
    ("NVM_DIR", ".nvm", &[ReadOnly("")]),
    ("VOLTA_HOME", ".volta", &[ReadOnly("bin"), ReadOnly("tools")]),
    ("BUN_INSTALL", ".bun", &[ReadOnly("bin"), Overlay("install")]),
    ("DENO_INSTALL", ".deno", &[ReadOnly("bin")]),
    ("GOPATH", "go", &[ReadOnly("bin"), Overlay("pkg")]),
    ("GOROOT", "", &[ReadOnly("")]),
    ("JAVA_HOME", "", &[ReadOnly("")]),
    ("SDKMAN_DIR", ".sdkman", &[ReadOnly("candidates"), ReadOnly("bin")]),
    ("RBENV_ROOT", ".rbenv", &[ReadOnly("")]),
    ("ASDF_DATA_DIR", ".asdf", &[ReadOnly("")]),
    ("MISE_DATA_DIR", ".local/share/mise", &[ReadOnly("")]),
    ("npm_config_cache", ".npm", &[Overlay("_cacache")]),
    (
        "",
        ".local",
        &[
            ReadOnly("bin"),
            ReadOnly("lib"),
            ReadOnly("share/pipx"),
            ReadOnly("share/uv/tools"),
            ReadOnly("share/uv/python"),
            ReadOnly("share/pnpm"),
        ],
    ),
    ("", ".cache", &[Overlay("go-build"), Overlay("pip"), Overlay("uv")]),
    ("", ".m2", &[Overlay("repository")]),
    ("", ".gradle", &[Overlay("caches"), Overlay("wrapper")]),
];

/// Variables that contain no secrets.
const SAFE_VARIABLES: &[&str] =
    &["USER", "LOGNAME", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "TZ", "RUSTUP_TOOLCHAIN"];

/// The search path if `PATH` is not set.
const DEFAULT_PATH: &str = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin";

/// The toolchains of the user.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Tools {
    pub(crate) home: Option<PathBuf>,
    pub(crate) readable: Vec<PathBuf>,
    pub(crate) overlays: Vec<PathBuf>,
    pub(crate) environment: BTreeMap<String, String>,
    pub(crate) home_files: BTreeMap<PathBuf, String>,
}

/// Detects the toolchains that a server with these variables can run.
pub(crate) fn detect(variable: &dyn Fn(&str) -> Option<String>) -> Tools {
    let home = variable("HOME").map(PathBuf::from).and_then(|home| home.canonicalize().ok());
    let home = home.filter(|home| home.parent().is_some());
    let mut tools = Tools::default();
    for (name, default, exposures) in TOOL_DIRS {
        let named = Some(*name).filter(|name| !name.is_empty()).and_then(variable);
        let usual = home.as_ref().filter(|_| !default.is_empty()).map(|home| home.join(default));
        if let Some(value) = &named {
            tools.environment.insert((*name).to_owned(), value.clone());
        }
        let Some(folder) = named.map(PathBuf::from).or(usual) else { continue };
        for exposure in *exposures {
            let (name, all) = match exposure {
                ReadOnly(name) => (name, &mut tools.readable),
                Overlay(name) => (name, &mut tools.overlays),
            };
            // Resolved, so that every folder is visible at its real path.
            if let Ok(real) = folder.join(name).canonicalize()
                && real.is_dir()
                && home.as_deref() != Some(&real)
            {
                all.push(real);
            }
        }
    }
    let path = variable("PATH").unwrap_or_else(|| DEFAULT_PATH.to_owned());
    for folder in std::env::split_paths(&path).filter_map(|folder| folder.canonicalize().ok()) {
        // Shims of version managers look up the real program relative to themselves.
        let root = folder.parent().filter(|_| folder.ends_with("shims")).map(Path::to_owned);
        let folder = root.filter(|root| root.parent().is_some()).unwrap_or(folder);
        let shown = tools.readable.iter().any(|one| folder.starts_with(one));
        let of_home = home.as_ref().is_some_and(|home| home.starts_with(&folder));
        if folder.is_dir() && folder.parent().is_some() && !shown && !of_home {
            tools.readable.push(folder);
        }
    }
    tools.environment.insert("PATH".to_owned(), path);
    let plain =
        SAFE_VARIABLES.iter().filter_map(|name| Some(((*name).to_owned(), variable(name)?)));
    tools.environment.extend(plain);
    tools.environment.insert("TMPDIR".to_owned(), "/tmp".to_owned());
    tools.environment.insert("SHELL".to_owned(), "/bin/sh".to_owned());
    let home_path = home.clone().unwrap_or_else(|| PathBuf::from("/tmp"));
    tools.environment.insert("HOME".to_owned(), home_path.to_string_lossy().into_owned());
    if let Some(home) = &home {
        tools.home_files.insert(home.join(".gitconfig"), git_config(home));
        let cargo = home.join(".cargo/config.toml");
        if let Some(text) = fs::read_to_string(&cargo).ok().filter(|text| has_no_secrets(text)) {
            tools.home_files.insert(cargo, text);
        }
    }
    tools.home = home;
    tools
}

/// Returns `true` if a settings file contains neither credentials nor a URL with a user name.
fn has_no_secrets(text: &str) -> bool {
    !["token", "proxy", "[env", "credential", "@"].iter().any(|word| text.contains(word))
}

/// Returns a git configuration with the name and email of the user. The rest of the user's configuration is
/// left out because it may contain credentials. Git trusts every folder, because the sandbox shows only the
/// scope.
fn git_config(home: &Path) -> String {
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

    fn make_dirs(home: &Path, folders: &[&str]) -> std::io::Result<PathBuf> {
        for folder in folders {
            fs::create_dir_all(home.join(folder))?;
        }
        home.canonicalize()
    }

    #[test]
    fn toolchains_are_readable_and_their_neighbours_are_not() -> std::io::Result<()> {
        let temp = tempfile::tempdir()?;
        let home =
            make_dirs(temp.path(), &[".cargo/bin", ".cargo/registry", ".ssh", "bin", ".rustup"])?;
        let path = format!("{0}/.cargo/bin:{0}/bin:{0}:/usr/bin", home.display());
        let tools = detect(&|name| match name {
            "HOME" => Some(home.to_string_lossy().into_owned()),
            "PATH" => Some(path.clone()),
            "SECRET" => Some("x".to_owned()),
            _ => None,
        });
        let wanted = [".cargo/bin", ".rustup", "bin"].map(|name| home.join(name));
        assert_eq!(tools.readable[..3], wanted);
        assert_eq!(tools.overlays, [home.join(".cargo/registry")]);
        assert!(!tools.readable.contains(&home) && !tools.environment.contains_key("SECRET"));
        assert_eq!(tools.environment.get("PATH"), Some(&path));
        Ok(())
    }

    #[test]
    fn variable_takes_precedence_over_the_default_folder() -> std::io::Result<()> {
        let temp = tempfile::tempdir()?;
        let home = make_dirs(temp.path(), &[".rustup", "elsewhere"])?;
        let named = home.join("elsewhere").to_string_lossy().into_owned();
        let tools = detect(&|name| match name {
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
    fn git_config_contains_only_the_user_identity() -> std::io::Result<()> {
        let temp = tempfile::tempdir()?;
        let home = make_dirs(temp.path(), &[])?;
        let text = "[user]\n\tname = Ann Example\n\temail=ann@example.org\n\tsigningkey = K\n\
                    [http]\n\textraheader = secret\n";
        fs::write(home.join(".gitconfig"), text)?;
        let taken = git_config(&home);
        assert!(taken.contains("name = Ann Example") && taken.contains("email = ann@example.org"));
        assert!(!taken.contains("secret") && !taken.contains("signingkey"), "{taken}");
        Ok(())
    }
}
