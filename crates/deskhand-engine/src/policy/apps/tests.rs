//! Rules about apps, entry by entry.

use deskhand_model::Explain;
use deskhand_platform::{Identity, ProgramFile};

use super::*;

fn app(path: &str, names: &[&str], claims: &[&str]) -> Identity {
    let words = |all: &[&str]| all.iter().map(|one| (*one).to_owned()).collect();
    let file =
        ProgramFile { path: path.to_owned(), file_id: None, verified: true, admin_owned: true };
    let (names, claims) = (words(names), words(claims));
    Identity { files: vec![file], names, claims, ..Identity::default() }
}

fn calculator() -> Identity {
    app("/usr/bin/kcalc", &["kcalc", "org.kde.kcalc", "KCalc"], &["kcalc"])
}

fn editor() -> Identity {
    app("/usr/bin/mousepad", &["mousepad", "org.xfce.mousepad", "Mousepad"], &["mousepad"])
}

fn terminal() -> Identity {
    app("/usr/bin/xterm", &["xterm", "debian-xterm", "XTerm"], &["xterm"])
}

fn read(text: &str) -> AppRules {
    AppRules::read(text, "security.toml").unwrap()
}

fn access(rules: &AppRules, identity: &Identity) -> AppAccess {
    rules.access(Subject { identity: Some(identity), claims: &[] })
}

#[test]
fn without_rules_only_the_list_of_its_own_is_left_alone() {
    let rules = AppRules::default();
    assert_eq!(access(&rules, &editor()), AppAccess::Full);
    assert_eq!(access(&rules, &terminal()), AppAccess::Read);
    assert_eq!(rules.access(Subject { identity: None, claims: &[] }), AppAccess::Full);
    assert!(
        rules.protects_ancestors() && rules.allows_desktop_itself() && !rules.has_blocked_apps()
    );
    let off = read("[apps]\ndefault_write_blocked = false");
    assert_eq!(access(&off, &terminal()), AppAccess::Full);
    assert!(!off.protects_ancestors());
}

#[test]
fn where_some_are_allowed_no_other_is() {
    let rules = read("[apps]\nallowed = [\"org.kde.kcalc\", \"/usr/bin/xterm\"]");
    assert_eq!(access(&rules, &calculator()), AppAccess::Full);
    assert_eq!(access(&rules, &editor()), AppAccess::None);
    assert_eq!(access(&rules, &terminal()), AppAccess::Read, "the own list still holds");
    assert_eq!(rules.access(Subject { identity: None, claims: &["kcalc"] }), AppAccess::None);
    assert!(rules.has_blocked_apps() && !rules.allows_desktop_itself());
    let liar = app("/tmp/evil", &[], &["kcalc", "org.kde.kcalc"]);
    let subject = Subject { identity: Some(&liar), claims: &["KCalc"] };
    assert_eq!(rules.access(subject), AppAccess::None);
}

#[test]
fn to_be_denied_goes_before_everything() {
    let rules = read("[apps]\nallowed = [\"kcalc\"]\ndenied = [\"org.kde.*\"]\nwrite_blocked = []");
    assert_eq!(access(&rules, &calculator()), AppAccess::None);
    let liar = app("/usr/bin/mousepad", &["mousepad"], &["k\u{441}alc"]);
    assert_eq!(access(&read("[apps]\ndenied = [\"kcalc\"]"), &liar), AppAccess::None);
}

#[test]
fn blocked_for_writing_can_be_read() {
    let rules = read("[apps]\nwrite_blocked = [\"/usr/bin/kc*\"]");
    assert_eq!(access(&rules, &calculator()), AppAccess::Read);
    assert_eq!(access(&rules, &terminal()), AppAccess::Read, "beside the own list");
    assert_eq!(access(&rules, &editor()), AppAccess::Full);
}

#[test]
fn settings_add_to_what_the_file_says() {
    let words = |one: &str| vec![one.to_owned()];
    let rules = read("[apps]\ndenied = [\"mousepad\"]");
    let rules = rules.with(Vec::new(), words("kcalc"), words("gedit")).unwrap();
    for one in [editor(), calculator()] {
        assert_eq!(access(&rules, &one), AppAccess::None);
    }
    let error = AppRules::default().with(words("a/b"), Vec::new(), Vec::new()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the setting for allowed apps: \"a/b\" is no app: a path begins with `/`"
    );
}

#[test]
fn what_is_wrong_in_the_file_is_shown_where_it_stands() {
    for (text, told) in [
        ("[apps\n", "security.toml:1:6: "),
        ("[apps]\n\n  alowed = []", "security.toml:3:3: there is no `alowed`"),
        ("[aps]", "security.toml:1:2: there is no `aps`"),
        ("apps = 1", "security.toml:1:1: `apps` is no table"),
        ("[apps]\ndenied = \"x\"", "security.toml:2:10: `denied` is no list of names"),
        ("[apps]\ndenied = [\"a\", 7]", "security.toml:2:16: `denied` is no list of names"),
        (
            "[apps]\nallowed = [\n  \"a\",\n  \"\",\n]",
            "security.toml:4:3: \"\" is no app: it is empty",
        ),
        (
            "[apps]\ndefault_write_blocked = 1",
            "security.toml:2:1: `default_write_blocked` is no true or false",
        ),
    ] {
        let error = AppRules::read(text, "security.toml").unwrap_err();
        assert!(error.to_string().starts_with(told), "{text:?}: {error}");
        assert!(error.hint().is_some_and(|hint| !hint.is_empty()));
    }
    assert_eq!(access(&read(""), &editor()), AppAccess::Full);
    assert_eq!(access(&read("apps = { denied = [\"mousepad\"] }"), &editor()), AppAccess::None);
}
