//! Fuzzing of the settings files of clients.

use std::{fs, path::Path};

use tempfile::TempDir;

use super::{Change, Client, ConfigFile, Folders, InstallAction, Launch, WriteMode, apply};

/// One client per format.
const CLIENTS: [Client; 3] = [Client::Cursor, Client::VsCode, Client::Codex];

thread_local! {
    static FOLDER: TempDir = folder();
}

/// Edits a settings file. The first byte selects the client.
///
/// # Panics
///
/// Panics if the entry is missing after an installation, present after a removal, or installed
/// twice, or if a removal does not restore the file.
pub fn client_settings(data: &[u8]) {
    let Some((first, text)) = data.split_first() else { return };
    let client = CLIENTS[usize::from(*first) % CLIENTS.len()];
    FOLDER.with(|folder| {
        let config = config(client, folder.path());
        in_text(&config, text);
        on_disk(&config, text);
    });
}

/// Edits the text.
fn in_text(config: &ConfigFile, text: &[u8]) {
    let Ok(text) = std::str::from_utf8(text) else { return };
    let ConfigFile { format, key, .. } = config;
    let Ok(there) = format.get(text, key) else { return };
    let Ok(with) = format.set(text, key, &launch()) else { return };
    assert_eq!(format.get(&with, key), Ok(Some(launch())), "{with:?}");
    assert_eq!(
        format.set(&with, key, &launch()).as_ref(),
        Ok(&with),
        "setting twice changes nothing"
    );
    if there.is_some() {
        return;
    }
    // An entry that cannot be removed safely is left alone.
    if let Ok(without) = format.remove(&with, key) {
        assert_eq!(format.get(&without, key), Ok(None), "{without:?}");
    }
}

/// Edits the file.
fn on_disk(config: &ConfigFile, text: &[u8]) {
    let folder = config.file.parent().unwrap_or(&config.file);
    expect(fs::create_dir_all(folder));
    expect(fs::write(&config.file, text));
    let installed = apply(config, &InstallAction::Install(launch()), WriteMode::Write);
    let change = installed.as_ref().map(|outcome| outcome.change);
    if matches!(change, Ok(Change::Added)) {
        let removed = apply(config, &InstallAction::Uninstall, WriteMode::Write);
        assert!(removed.is_ok(), "an added entry can be removed: {removed:?}");
    }
    if !matches!(change, Ok(Change::Updated)) {
        let after = expect(fs::read(&config.file));
        assert_eq!(after, text, "the file is restored: {installed:?}");
    }
    expect(fs::remove_dir_all(folder));
}

fn launch() -> Launch {
    let command = "/opt/some \"where\"/deskhand".to_owned();
    Launch { command, args: ["mcp", "serve"].map(str::to_owned).to_vec() }
}

fn config(client: Client, folder: &Path) -> ConfigFile {
    let folders = Folders {
        home: folder.to_owned(),
        config: folder.join("config"),
        apps: folder.join("apps"),
        claude: None,
        codex: None,
    };
    match client.config_files(&folders).into_iter().next() {
        Some(config) => config,
        None => panic!("{client:?} has no settings file"),
    }
}

fn folder() -> TempDir {
    expect(tempfile::tempdir())
}

fn expect<T>(made: std::io::Result<T>) -> T {
    match made {
        Ok(made) => made,
        Err(error) => panic!("the test folder is not usable: {error}"),
    }
}
