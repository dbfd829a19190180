//! Tests of the approvals with real files.

use std::{fs, os::unix::fs::PermissionsExt, path::Path};

use deskhand_model::Explain;
use deskhand_platform::ProgramFile;

use super::*;

const DAY: Duration = Duration::from_secs(24 * 3600);

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn remembered(&self) -> PathBuf {
        self.0.path().join("state/approvals.json")
    }

    fn manual(&self) -> PathBuf {
        self.0.path().join("approvals.toml")
    }

    fn open(&self) -> Approvals {
        Approvals::at(self.remembered(), &self.manual(), DEFAULT_LIFETIME)
    }

    fn with_manual(text: &str) -> (Self, Approvals) {
        let folder = Self::new();
        fs::write(folder.manual(), text).unwrap();
        fs::set_permissions(folder.manual(), fs::Permissions::from_mode(0o600)).unwrap();
        let approvals = folder.open();
        (folder, approvals)
    }
}

/// Returns a program that verifiably runs this file.
fn program(path: &str) -> Identity {
    let file =
        ProgramFile { path: path.to_owned(), file_id: None, verified: true, admin_owned: true };
    Identity { key: Some(path.to_owned()), files: vec![file], ..Identity::default() }
}

fn at(text: &str) -> SystemTime {
    Timestamp::try_from(text.to_owned()).unwrap().0
}

fn noon() -> SystemTime {
    at("2026-11-16T12:00:00Z")
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn nothing_is_approved_or_written_by_default() {
    let folder = Folder::new();
    let approvals = folder.open();
    assert_eq!(approvals.find(Some(&program("/usr/bin/mousepad")), "ax_click", noon()), Ok(None));
    assert_eq!(approvals.list(noon()), Ok(Vec::new()));
    assert!(!folder.remembered().exists());
}

#[test]
fn an_approval_is_valid_for_its_app_and_tool_in_all_processes() {
    let folder = Folder::new();
    folder.open().remember("/usr/bin/mousepad", "ax_click", noon()).unwrap();
    let other = folder.open();
    let found =
        other.find(Some(&program("/usr/bin/mousepad")), "ax_click", noon()).unwrap().unwrap();
    assert_eq!(found.source, ApprovalSource::Remembered);
    assert_eq!(found.granted, Some(Timestamp(noon())));
    for (app, tool) in [
        ("/usr/bin/mousepad", "ax_type"),
        ("/usr/bin/mousepad2", "ax_click"),
        ("mousepad", "ax_click"),
        ("", "ax_click"),
    ] {
        assert_eq!(other.find(Some(&program(app)), tool, noon()), Ok(None), "{app} {tool}");
    }
}

#[test]
fn an_approval_expires_after_thirty_days() {
    let folder = Folder::new();
    let approvals = folder.open();
    approvals.remember("/a", "t", noon()).unwrap();
    let last = noon() + 30 * DAY - Duration::from_secs(1);
    assert!(approvals.find(Some(&program("/a")), "t", last).unwrap().is_some());
    assert_eq!(approvals.find(Some(&program("/a")), "t", noon() + 30 * DAY), Ok(None));
    assert_eq!(approvals.list(noon() + 30 * DAY), Ok(Vec::new()));
}

#[test]
fn a_repeated_approval_replaces_the_old_one_and_expired_ones_are_removed() {
    let folder = Folder::new();
    let approvals = folder.open();
    approvals.remember("/a", "t", noon()).unwrap();
    approvals.remember("/b", "t", noon()).unwrap();
    approvals.remember("/a", "t", noon() + 20 * DAY).unwrap();
    assert_eq!(approvals.list(noon()).unwrap().len(), 2);
    approvals.remember("/c", "t", noon() + 40 * DAY).unwrap();
    let text = fs::read_to_string(folder.remembered()).unwrap();
    assert!(text.contains("\"/a\"") && text.contains("\"/c\"") && !text.contains("\"/b\""));
}

#[test]
fn a_revoked_approval_is_invalid_in_all_processes() {
    let folder = Folder::new();
    let running = folder.open();
    for (app, tool) in [("/a", "t"), ("/a", "u"), ("/b", "t")] {
        running.remember(app, tool, noon()).unwrap();
    }
    let filter = ApprovalFilter { app: Some("/a".to_owned()), tool: Some("t".to_owned()) };
    assert_eq!(folder.open().revoke(&filter).unwrap().len(), 1);
    assert_eq!(running.find(Some(&program("/a")), "t", noon()), Ok(None));
    assert!(running.find(Some(&program("/a")), "u", noon()).unwrap().is_some());
    let filter = ApprovalFilter { app: Some("/a".to_owned()), tool: None };
    assert_eq!(folder.open().revoke(&filter).unwrap().len(), 1);
    assert_eq!(folder.open().revoke(&ApprovalFilter::default()).unwrap().len(), 1);
    assert_eq!(running.list(noon()), Ok(Vec::new()));
}

#[test]
fn files_are_private_to_their_owner() {
    let folder = Folder::new();
    folder.open().remember("/a", "t", noon()).unwrap();
    let file = folder.remembered();
    assert_eq!(mode(&file), 0o600);
    assert_eq!(mode(&file.with_extension("key")), 0o600);
    assert_eq!(mode(file.parent().unwrap()), 0o700);
    let left: Vec<_> = fs::read_dir(file.parent().unwrap()).unwrap().collect();
    assert_eq!(left.len(), 2, "{left:?}");
}

#[test]
fn a_file_that_other_users_can_write_is_not_trusted() {
    let folder = Folder::new();
    let approvals = folder.open();
    approvals.remember("/a", "t", noon()).unwrap();
    let key = folder.remembered().with_extension("key");
    for path in [folder.remembered(), key] {
        for bits in [0o620, 0o602, 0o666] {
            fs::set_permissions(&path, fs::Permissions::from_mode(bits)).unwrap();
            let error = approvals.find(Some(&program("/a")), "t", noon()).unwrap_err();
            assert_eq!(error.code(), "approvals_unsafe", "{error}");
            assert!(format!("{:?}", error.advice()).contains("chmod 600"), "{error}");
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        assert!(approvals.find(Some(&program("/a")), "t", noon()).unwrap().is_some());
    }
}

#[test]
fn a_file_of_another_user_is_not_trusted() {
    let (me, other) = (1000, 1001);
    assert_eq!(file::permission_problem(other, 0o600, me), Some("it belongs to another user"));
    assert_eq!(file::permission_problem(me, 0o600, me), None);
    assert_eq!(file::permission_problem(0, 0o644, me), None);
}

#[test]
fn a_forged_file_is_ignored_until_it_is_cleared() {
    let folder = Folder::new();
    let approvals = folder.open();
    approvals.remember("/a", "t", noon()).unwrap();
    let good = fs::read_to_string(folder.remembered()).unwrap();
    let forged = [
        good.replace("/a", "/b"),
        good.replace("2026-12-16", "2099-12-16"),
        good.replace("\"t\"", "\"*\""),
        r#"{"approvals": [], "seal": ""}"#.to_owned(),
        r#"{"approvals": [], "seal": "é"}"#.to_owned(),
        format!(r#"{{"approvals": [], "seal": "{}"}}"#, "00".repeat(32)),
    ];
    for text in forged {
        assert_ne!(text, good);
        fs::write(folder.remembered(), &text).unwrap();
        let error = approvals.find(Some(&program("/b")), "t", noon()).unwrap_err();
        assert_eq!(error.code(), "approvals_changed", "{text}");
        assert!(approvals.remember("/c", "t", noon()).is_err());
    }
    approvals.revoke(&ApprovalFilter::default()).unwrap();
    assert_eq!(approvals.list(noon()), Ok(Vec::new()));
    approvals.remember("/c", "t", noon()).unwrap();
}

#[test]
fn a_file_without_its_key_is_ignored() {
    let folder = Folder::new();
    let approvals = folder.open();
    approvals.remember("/a", "t", noon()).unwrap();
    fs::remove_file(folder.remembered().with_extension("key")).unwrap();
    assert_eq!(
        approvals.find(Some(&program("/a")), "t", noon()).unwrap_err().code(),
        "approvals_changed"
    );
}

#[test]
fn an_incomplete_file_is_reported_with_its_position() {
    let folder = Folder::new();
    let approvals = folder.open();
    approvals.remember("/a", "t", noon()).unwrap();
    let good = fs::read_to_string(folder.remembered()).unwrap();
    fs::write(folder.remembered(), &good[..good.len() / 2]).unwrap();
    let error = approvals.find(Some(&program("/a")), "t", noon()).unwrap_err();
    assert_eq!(error.code(), "approvals_invalid");
    assert!(error.to_string().contains("approvals.json:"), "{error}");
}

#[test]
fn concurrent_approvals_are_all_stored() {
    let folder = Folder::new();
    std::thread::scope(|threads| {
        for number in 0..8 {
            let folder = &folder;
            threads.spawn(move || {
                folder.open().remember(&format!("/{number}"), "t", noon()).unwrap();
            });
        }
    });
    assert_eq!(folder.open().list(noon()).unwrap().len(), 8);
}

#[test]
fn manual_approvals_are_valid_until_they_expire() {
    let (folder, approvals) = Folder::with_manual(
        "[[approval]]\napp = \"/usr/bin/mousepad\"\ntool = \"ax_click\"\n\
         expires = 2026-11-17T12:00:00+02:00\n\
         [[approval]]\napp = \"/b\"\ntool = \"*\"\n\
         [[approval]]\napp = \"*\"\ntool = \"ax_scroll\"\nexpires = 2026-11-20\n",
    );
    let allows = |app: &str, tool: &str, now: &str| {
        let found = approvals.find(Some(&program(app)), tool, at(now)).unwrap();
        assert!(found.iter().all(|one| one.source == ApprovalSource::Manual));
        found.is_some()
    };
    assert!(allows("/usr/bin/mousepad", "ax_click", "2026-11-17T09:59:59Z"));
    assert!(!allows("/usr/bin/mousepad", "ax_click", "2026-11-17T10:00:00Z"));
    assert!(allows("/b", "anything", "2099-01-01T00:00:00Z"));
    assert!(allows("/c", "ax_scroll", "2026-11-19T23:59:59Z"));
    assert!(!allows("/c", "ax_scroll", "2026-11-20T00:00:00Z"));
    assert!(!allows("/c", "ax_click", "2026-11-16T00:00:00Z"));
    assert_eq!(approvals.revoke(&ApprovalFilter::default()), Ok(Vec::new()));
    assert!(folder.manual().exists());
}

#[test]
fn manual_approvals_added_later_are_ignored() {
    let (folder, approvals) = Folder::with_manual("");
    fs::write(folder.manual(), "[[approval]]\napp = \"*\"\ntool = \"*\"\n").unwrap();
    assert_eq!(approvals.find(Some(&program("/a")), "t", noon()), Ok(None));
    assert!(folder.open().find(Some(&program("/a")), "t", noon()).unwrap().is_some());
}

#[test]
fn mistakes_in_the_manual_file_are_reported_with_line_and_column() {
    for (text, place, why) in [
        ("[[approval]]\napp = \"a\"\ntool = 5\n", "3:8", "invalid type: integer"),
        ("[[approval]]\napp = \"a\"\n", "1:1", "missing field `tool`"),
        ("[[approval]]\napp = \"a\"\ntol = \"t\"\n", "3:1", "unknown field `tol`"),
        ("[[approval]\n", "1:", ""),
        (
            "[[approval]]\napp = \"a\"\ntool = \"t\"\nexpires = 2026-01-01T10:00:00\n",
            "4:11",
            "add Z",
        ),
    ] {
        let (folder, approvals) = Folder::with_manual(text);
        let error = approvals.find(Some(&program("a")), "t", noon()).unwrap_err();
        let message = error.to_string();
        assert_eq!(error.code(), "approvals_invalid");
        assert!(message.contains(&format!("{}:{place}", folder.manual().display())), "{message}");
        assert!(message.contains(why), "{message}");
        assert!(error.advice().is_some());
    }
}

#[test]
fn an_approval_for_one_script_does_not_cover_another_of_the_same_interpreter() {
    let script = |path: &str, verified: bool| {
        let python = program("/usr/bin/python3.11");
        let file = ProgramFile { verified, ..program(path).files[0].clone() };
        Identity {
            key: verified.then(|| path.to_owned()),
            files: [python.files, vec![file]].concat(),
            ..python
        }
    };
    let folder = Folder::new();
    folder.open().remember("/opt/a.py", "t", noon()).unwrap();
    let approvals = folder.open();
    let is_approved = |app: &Identity| approvals.find(Some(app), "t", noon()).unwrap().is_some();
    assert!(is_approved(&script("/opt/a.py", true)));
    assert!(!is_approved(&script("/opt/b.py", true)));
    assert!(!is_approved(&script("/opt/a.py", false)), "the script is only claimed");
    assert!(!is_approved(&program("/usr/bin/python3.11")));
    assert_eq!(approvals.find(None, "t", noon()), Ok(None), "an unknown app has no approval");
}

#[test]
fn manual_approvals_use_the_patterns_of_the_app_rules() {
    let app =
        Identity { names: vec!["org.xfce.mousepad".to_owned()], ..program("/usr/bin/mousepad") };
    let liar = Identity { claims: vec!["org.xfce.mousepad".to_owned()], ..program("/tmp/liar") };
    for pattern in ["/usr/bin/mousepad", "/usr/bin/mouse*", "org.xfce.mousepad", "org.xfce.*", "*"]
    {
        let text = format!("[[approval]]\napp = {pattern:?}\ntool = \"t\"\n");
        let (_folder, approvals) = Folder::with_manual(&text);
        assert!(approvals.find(Some(&app), "t", noon()).unwrap().is_some(), "{pattern}");
        let any = approvals.find(Some(&liar), "t", noon()).unwrap().is_some();
        assert_eq!(any, pattern == "*", "{pattern}");
        assert_eq!(approvals.find(None, "t", noon()).unwrap().is_some(), pattern == "*");
    }
}
