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

    fn by_hand(&self) -> PathBuf {
        self.0.path().join("approvals.toml")
    }

    fn open(&self) -> Approvals {
        Approvals::at(self.remembered(), &self.by_hand(), DEFAULT_LIFETIME)
    }

    fn written_by_hand(text: &str) -> (Self, Approvals) {
        let folder = Self::new();
        fs::write(folder.by_hand(), text).unwrap();
        fs::set_permissions(folder.by_hand(), fs::Permissions::from_mode(0o600)).unwrap();
        let approvals = folder.open();
        (folder, approvals)
    }
}

/// A program that is surely this file.
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
fn nothing_is_allowed_and_nothing_is_written_until_a_person_agreed() {
    let folder = Folder::new();
    let approvals = folder.open();
    assert_eq!(approvals.allows(Some(&program("/usr/bin/mousepad")), "ax_click", noon()), Ok(None));
    assert_eq!(approvals.list(noon()), Ok(Vec::new()));
    assert!(!folder.remembered().exists());
}

#[test]
fn a_remembered_yes_holds_for_its_app_and_tool_alone_and_in_other_processes() {
    let folder = Folder::new();
    folder.open().remember("/usr/bin/mousepad", "ax_click", noon()).unwrap();
    let other = folder.open();
    let found =
        other.allows(Some(&program("/usr/bin/mousepad")), "ax_click", noon()).unwrap().unwrap();
    assert_eq!(found.origin, ApprovalSource::Remembered);
    assert_eq!(found.granted, Some(Timestamp(noon())));
    for (app, tool) in [
        ("/usr/bin/mousepad", "ax_type"),
        ("/usr/bin/mousepad2", "ax_click"),
        ("mousepad", "ax_click"),
        ("", "ax_click"),
    ] {
        assert_eq!(other.allows(Some(&program(app)), tool, noon()), Ok(None), "{app} {tool}");
    }
}

#[test]
fn a_remembered_yes_ends_after_thirty_days() {
    let folder = Folder::new();
    let approvals = folder.open();
    approvals.remember("/a", "t", noon()).unwrap();
    let last = noon() + 30 * DAY - Duration::from_secs(1);
    assert!(approvals.allows(Some(&program("/a")), "t", last).unwrap().is_some());
    assert_eq!(approvals.allows(Some(&program("/a")), "t", noon() + 30 * DAY), Ok(None));
    assert_eq!(approvals.list(noon() + 30 * DAY), Ok(Vec::new()));
}

#[test]
fn a_yes_given_again_takes_the_place_of_the_old_one_and_ended_ones_go() {
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
fn what_is_revoked_no_longer_holds_anywhere() {
    let folder = Folder::new();
    let running = folder.open();
    for (app, tool) in [("/a", "t"), ("/a", "u"), ("/b", "t")] {
        running.remember(app, tool, noon()).unwrap();
    }
    let which = ApprovalFilter { app: Some("/a".to_owned()), tool: Some("t".to_owned()) };
    assert_eq!(folder.open().revoke(&which).unwrap().len(), 1);
    assert_eq!(running.allows(Some(&program("/a")), "t", noon()), Ok(None));
    assert!(running.allows(Some(&program("/a")), "u", noon()).unwrap().is_some());
    let which = ApprovalFilter { app: Some("/a".to_owned()), tool: None };
    assert_eq!(folder.open().revoke(&which).unwrap().len(), 1);
    assert_eq!(folder.open().revoke(&ApprovalFilter::default()).unwrap().len(), 1);
    assert_eq!(running.list(noon()), Ok(Vec::new()));
}

#[test]
fn files_are_for_their_owner_alone() {
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
fn a_file_others_may_write_to_allows_nothing() {
    let folder = Folder::new();
    let approvals = folder.open();
    approvals.remember("/a", "t", noon()).unwrap();
    let key = folder.remembered().with_extension("key");
    for path in [folder.remembered(), key] {
        for bits in [0o620, 0o602, 0o666] {
            fs::set_permissions(&path, fs::Permissions::from_mode(bits)).unwrap();
            let error = approvals.allows(Some(&program("/a")), "t", noon()).unwrap_err();
            assert_eq!(error.code(), "approvals_unsafe", "{error}");
            assert!(error.hint().unwrap().contains("chmod 600"), "{error}");
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        assert!(approvals.allows(Some(&program("/a")), "t", noon()).unwrap().is_some());
    }
}

#[test]
fn a_file_of_somebody_else_allows_nothing() {
    let (me, somebody) = (1000, 1001);
    assert_eq!(file::distrust(somebody, 0o600, me), Some("it belongs to somebody else"));
    assert_eq!(file::distrust(me, 0o600, me), None);
    assert_eq!(file::distrust(0, 0o644, me), None);
}

#[test]
fn a_list_changed_from_outside_allows_nothing_until_it_is_emptied() {
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
        let error = approvals.allows(Some(&program("/b")), "t", noon()).unwrap_err();
        assert_eq!(error.code(), "approvals_changed", "{text}");
        assert!(approvals.remember("/c", "t", noon()).is_err());
    }
    approvals.revoke(&ApprovalFilter::default()).unwrap();
    assert_eq!(approvals.list(noon()), Ok(Vec::new()));
    approvals.remember("/c", "t", noon()).unwrap();
}

#[test]
fn a_list_without_its_key_allows_nothing() {
    let folder = Folder::new();
    let approvals = folder.open();
    approvals.remember("/a", "t", noon()).unwrap();
    fs::remove_file(folder.remembered().with_extension("key")).unwrap();
    assert_eq!(
        approvals.allows(Some(&program("/a")), "t", noon()).unwrap_err().code(),
        "approvals_changed"
    );
}

#[test]
fn torn_lists_name_their_line() {
    let folder = Folder::new();
    let approvals = folder.open();
    approvals.remember("/a", "t", noon()).unwrap();
    let good = fs::read_to_string(folder.remembered()).unwrap();
    fs::write(folder.remembered(), &good[..good.len() / 2]).unwrap();
    let error = approvals.allows(Some(&program("/a")), "t", noon()).unwrap_err();
    assert_eq!(error.code(), "approvals_invalid");
    assert!(error.to_string().contains("approvals.json:"), "{error}");
}

#[test]
fn many_processes_remember_without_losing_any() {
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
fn what_is_written_by_hand_holds_until_it_ends() {
    let (folder, approvals) = Folder::written_by_hand(
        "[[approval]]\napp = \"/usr/bin/mousepad\"\ntool = \"ax_click\"\n\
         expires = 2026-11-17T12:00:00+02:00\n\
         [[approval]]\napp = \"/b\"\ntool = \"*\"\n\
         [[approval]]\napp = \"*\"\ntool = \"ax_scroll\"\nexpires = 2026-11-20\n",
    );
    let allows = |app: &str, tool: &str, now: &str| {
        let found = approvals.allows(Some(&program(app)), tool, at(now)).unwrap();
        assert!(found.iter().all(|one| one.origin == ApprovalSource::Manual));
        found.is_some()
    };
    assert!(allows("/usr/bin/mousepad", "ax_click", "2026-11-17T09:59:59Z"));
    assert!(!allows("/usr/bin/mousepad", "ax_click", "2026-11-17T10:00:00Z"));
    assert!(allows("/b", "anything", "2099-01-01T00:00:00Z"));
    assert!(allows("/c", "ax_scroll", "2026-11-19T23:59:59Z"));
    assert!(!allows("/c", "ax_scroll", "2026-11-20T00:00:00Z"));
    assert!(!allows("/c", "ax_click", "2026-11-16T00:00:00Z"));
    assert_eq!(approvals.revoke(&ApprovalFilter::default()), Ok(Vec::new()));
    assert!(folder.by_hand().exists());
}

#[test]
fn what_is_added_by_hand_while_a_server_runs_does_not_count_for_it() {
    let (folder, approvals) = Folder::written_by_hand("");
    fs::write(folder.by_hand(), "[[approval]]\napp = \"*\"\ntool = \"*\"\n").unwrap();
    assert_eq!(approvals.allows(Some(&program("/a")), "t", noon()), Ok(None));
    assert!(folder.open().allows(Some(&program("/a")), "t", noon()).unwrap().is_some());
}

#[test]
fn mistakes_in_the_file_by_hand_are_told_with_line_and_column() {
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
        let (folder, approvals) = Folder::written_by_hand(text);
        let error = approvals.allows(Some(&program("a")), "t", noon()).unwrap_err();
        let told = error.to_string();
        assert_eq!(error.code(), "approvals_invalid");
        assert!(told.contains(&format!("{}:{place}", folder.by_hand().display())), "{told}");
        assert!(told.contains(why), "{told}");
        assert!(error.hint().is_some());
    }
}

#[test]
fn a_yes_for_one_script_is_none_for_another_of_the_same_interpreter() {
    let script = |path: &str, sure: bool| {
        let python = program("/usr/bin/python3.11");
        let file = ProgramFile { sure, ..program(path).files[0].clone() };
        Identity {
            key: sure.then(|| path.to_owned()),
            files: [python.files, vec![file]].concat(),
            ..python
        }
    };
    let folder = Folder::new();
    folder.open().remember("/opt/a.py", "t", noon()).unwrap();
    let approvals = folder.open();
    let holds = |app: &Identity| approvals.allows(Some(app), "t", noon()).unwrap().is_some();
    assert!(holds(&script("/opt/a.py", true)));
    assert!(!holds(&script("/opt/b.py", true)));
    assert!(!holds(&script("/opt/a.py", false)), "it only says so");
    assert!(!holds(&program("/usr/bin/python3.11")));
    assert_eq!(approvals.allows(None, "t", noon()), Ok(None), "who is not known has no yes");
}

#[test]
fn by_hand_an_app_is_named_as_in_the_rules() {
    let app =
        Identity { names: vec!["org.xfce.mousepad".to_owned()], ..program("/usr/bin/mousepad") };
    let liar = Identity { claims: vec!["org.xfce.mousepad".to_owned()], ..program("/tmp/liar") };
    for named in ["/usr/bin/mousepad", "/usr/bin/mouse*", "org.xfce.mousepad", "org.xfce.*", "*"] {
        let text = format!("[[approval]]\napp = {named:?}\ntool = \"t\"\n");
        let (_folder, approvals) = Folder::written_by_hand(&text);
        assert!(approvals.allows(Some(&app), "t", noon()).unwrap().is_some(), "{named}");
        let any = approvals.allows(Some(&liar), "t", noon()).unwrap().is_some();
        assert_eq!(any, named == "*", "{named}");
        assert_eq!(approvals.allows(None, "t", noon()).unwrap().is_some(), named == "*");
    }
}
