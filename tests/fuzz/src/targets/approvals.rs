//! Targets for the files that store approvals.

use std::time::{Duration, SystemTime};

use deskhand_engine::{Approvals, approvals::ApprovalSource};
use deskhand_platform::{Identity, ProgramFile};
use tempfile::TempDir;

use crate::Target;

/// The file written by users: an entry that cannot be parsed allows nothing.
pub(crate) const BY_HAND: Target = Target {
    name: "approvals_by_hand",
    run: by_hand,
    words: &[
        "[[approved]]",
        "app = ",
        "tool = ",
        "expires = ",
        "\"*\"",
        "2099-01-01",
        "2020-01-01T00:00:00Z",
        "07:32:00",
        "+14:00",
        "-23:59",
        "\n",
        "\"",
        "'",
        "9999-12-31T23:59:59-23:59",
        "0000-01-01",
    ],
    rounds: 1_500,
};

/// The file of remembered approvals: an entry without Deskhand's seal does not count.
pub(crate) const REMEMBERED: Target = Target {
    name: "approvals_kept",
    run: remembered,
    words: &[
        "\"approvals\":",
        "\"seal\":",
        "\"app\":",
        "\"tool\":",
        "\"granted\":",
        "\"expires\":",
        "\"*\"",
        "\"2099-01-01T00:00:00Z\"",
        "[",
        "]",
        "{",
        "}",
        ",",
        "\"\"",
    ],
    rounds: 1_000,
};

const LIFETIME: Duration = Duration::from_secs(60);

thread_local! {
    static FOLDER: TempDir = tempfile::tempdir().expect("a temporary folder");
}

/// Returns the identity of the app in question.
fn kcalc() -> Identity {
    let path = "/usr/bin/kcalc".to_owned();
    let file = ProgramFile { path: path.clone(), file_id: None, verified: true, admin_owned: true };
    Identity {
        key: Some(path),
        files: vec![file],
        names: vec!["kcalc".to_owned()],
        ..Identity::default()
    }
}

fn by_hand(data: &[u8]) {
    FOLDER.with(|folder| {
        let file = folder.path().join("approvals.toml");
        std::fs::write(&file, data).expect("a temporary file");
        let approvals = Approvals::at(folder.path().join("none.json"), &file, LIFETIME);
        let now = SystemTime::now();
        let allowed = approvals.find(Some(&kcalc()), "ax_click", now);
        match approvals.list(now) {
            Ok(all) => {
                assert!(all.iter().all(|one| one.source == ApprovalSource::Manual));
                let may_mean = |app: &str| {
                    let pattern = !app.is_ascii() || app.contains(['*', '?', '[', '{', '\\']);
                    pattern || app.to_lowercase().contains("kcalc")
                };
                let named = all.iter().any(|one| may_mean(&one.app));
                assert!(matches!(allowed, Ok(None)) || named, "{allowed:?}");
            }
            Err(error) => {
                assert!(allowed.is_err());
                assert!(error.to_string().contains("approvals.toml"), "{error}");
            }
        }
    });
}

fn remembered(data: &[u8]) {
    FOLDER.with(|folder| {
        let file = folder.path().join("kept.json");
        std::fs::write(&file, data).expect("a temporary file");
        let none = folder.path().join("none.toml");
        let approvals = Approvals::at(file, &none, LIFETIME);
        let listed = approvals.list(SystemTime::now());
        assert!(listed.is_err(), "an unsealed file was accepted: {listed:?}");
        let allowed = approvals.find(Some(&kcalc()), "ax_click", SystemTime::now());
        assert!(allowed.is_err(), "{allowed:?}");
    });
}
