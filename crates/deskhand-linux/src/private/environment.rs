//! The variables a program inside a desktop sees: a few of the caller's, all of the desktop's.

use std::ffi::{OsStr, OsString};

use super::info::Info;
use super::place::Place;

/// The variable whose value marks every process of a desktop.
pub const MARK: &str = "DESKHAND_DESKTOP";
/// The variable that tells programs inside a desktop where the state of desktops is.
pub const STATE_DIR: &str = "DESKHAND_DESKTOPS";

/// What programs inside may know of the caller: who, where on earth, which tools.
const INHERITED: [&str; 9] = [
    "LANG",
    "LANGUAGE",
    "LOGNAME",
    "PATH",
    "SHELL",
    "TERM",
    "TZ",
    "USER",
    // Systems that keep schemas and icons outside /usr cannot start a GTK program without it.
    "XDG_DATA_DIRS",
];

/// Variables that tie a program to another session, or that change how it shows itself.
pub(super) const FOREIGN: &[&str] = &[
    "AT_SPI_BUS_ADDRESS",
    "CLUTTER_BACKEND",
    "DBUS_STARTER_ADDRESS",
    "DBUS_STARTER_BUS_TYPE",
    "DESKTOP_AUTOSTART_ID",
    "DESKTOP_SESSION",
    "DESKTOP_STARTUP_ID",
    "ECORE_EVAS_ENGINE",
    "ELM_ENGINE",
    "GDK_DPI_SCALE",
    "GDK_SCALE",
    "GNOME_DESKTOP_SESSION_ID",
    "GNOME_KEYRING_CONTROL",
    "GPG_AGENT_INFO",
    "GTK2_RC_FILES",
    "GTK_A11Y",
    "GTK_IM_MODULE",
    "GTK_RC_FILES",
    "GTK_THEME",
    "ICEAUTHORITY",
    "KDE_FULL_SESSION",
    "KDE_SESSION_VERSION",
    "MOZ_ENABLE_WAYLAND",
    "NO_AT_BRIDGE",
    "PULSE_SERVER",
    "QT_IM_MODULE",
    "QT_QPA_PLATFORMTHEME",
    "QT_SCALE_FACTOR",
    "QT_SCREEN_SCALE_FACTORS",
    "QT_STYLE_OVERRIDE",
    "SDL_VIDEODRIVER",
    "SESSION_MANAGER",
    "SSH_AUTH_SOCK",
    "WAYLAND_DISPLAY",
    "WAYLAND_SOCKET",
    "WINDOWID",
    "WINDOWMANAGER",
    "XDG_ACTIVATION_TOKEN",
    "XDG_MENU_PREFIX",
    "XDG_SEAT",
    "XDG_SEAT_PATH",
    "XDG_SESSION_CLASS",
    "XDG_SESSION_DESKTOP",
    "XDG_SESSION_ID",
    "XDG_SESSION_PATH",
    "XDG_VTNR",
    "XMODIFIERS",
];

/// The same for every desktop.
const FIXED: [(&str, &str); 18] = [
    // A GTK 3 program with one name that is not UTF-8 would abort when its tree is read at once.
    ("DBUS_FATAL_WARNINGS", "0"),
    ("XDG_SESSION_TYPE", "x11"),
    ("XDG_CURRENT_DESKTOP", "none"),
    // No dconf, gvfs or portal: on a bus that starts no service, waiting for one costs 25 s.
    ("GSETTINGS_BACKEND", "memory"),
    ("GIO_USE_VFS", "local"),
    ("GVFS_DISABLE_FUSE", "1"),
    ("GTK_USE_PORTAL", "0"),
    ("GDK_BACKEND", "x11"),
    // With GL in software an animating GTK 4 program starves its idle queue and never registers.
    ("GSK_RENDERER", "cairo"),
    ("QT_QPA_PLATFORM", "xcb"),
    ("LIBGL_ALWAYS_SOFTWARE", "1"),
    // GTK 2 loads its accessibility from modules; later ones have it built in.
    ("GTK_MODULES", "gail:atk-bridge"),
    ("QT_ACCESSIBILITY", "1"),
    ("QT_LINUX_ACCESSIBILITY_ALWAYS_ON", "1"),
    // Chromium and Electron.
    ("ACCESSIBILITY_ENABLED", "1"),
    // Firefox.
    ("GNOME_ACCESSIBILITY", "1"),
    // The one toolkit plug-in of LibreOffice that speaks AT-SPI in full.
    ("SAL_USE_VCLPLUGIN", "gtk3"),
    ("XDG_CONFIG_DIRS", "/etc/xdg"),
];

/// Picks what a program inside may keep of the caller's variables.
pub(super) fn inherited(
    all: impl Iterator<Item = (OsString, OsString)>,
) -> Vec<(OsString, OsString)> {
    let mut kept: Vec<_> = all.filter(|(name, _)| is_inherited(name)).collect();
    let has = |wanted: &str| kept.iter().any(|(name, _)| name == wanted);
    let (has_language, has_path) = (has("LANG") || has("LC_ALL"), has("PATH"));
    if !has_language {
        kept.push(("LANG".into(), "C.UTF-8".into()));
    }
    if !has_path {
        kept.push(("PATH".into(), DEFAULT_PATH.into()));
    }
    kept
}

/// Where programs are looked for when the caller does not say.
pub(super) const DEFAULT_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

fn is_inherited(name: &OsStr) -> bool {
    INHERITED.iter().any(|one| name == *one)
        || name.to_str().is_some_and(|name| name.starts_with("LC_"))
}

/// The desktop's own variables, all but the display, which only the X server can tell.
pub(super) fn without_display(place: &Place, id: &str) -> Vec<(String, String)> {
    let home = place.home();
    let path = |path: std::path::PathBuf| path.display().to_string();
    let mut all: Vec<(String, String)> = vec![
        (MARK.into(), id.into()),
        (STATE_DIR.into(), path(place.state_dir())),
        ("HOME".into(), path(home.clone())),
        ("XDG_CONFIG_HOME".into(), path(home.join(".config"))),
        ("XDG_CACHE_HOME".into(), path(home.join(".cache"))),
        ("XDG_DATA_HOME".into(), path(home.join(".local/share"))),
        ("XDG_STATE_HOME".into(), path(home.join(".local/state"))),
        ("XDG_RUNTIME_DIR".into(), path(place.runtime_dir())),
        ("TMPDIR".into(), path(place.temp())),
        ("XAUTHORITY".into(), path(place.xauthority())),
        ("DBUS_SESSION_BUS_ADDRESS".into(), place.session_bus()),
    ];
    all.extend(FIXED.iter().map(|(name, value)| ((*name).into(), (*value).into())));
    all
}

/// All variables of a desktop that is up.
pub(super) fn of(info: &Info) -> Vec<(String, String)> {
    let mut all = without_display(&info.place(), &info.id);
    all.push(("DISPLAY".into(), info.display.clone()));
    let folders = info.folders.variables();
    all.extend(folders.map(|(name, path)| (name.into(), path.display().to_string())));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(all: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
        inherited(all.iter().map(|(name, value)| ((*name).into(), (*value).into())))
    }

    #[test]
    fn only_listed_variables_are_inherited() {
        let kept = kept(&[
            ("PATH", "/bin"),
            ("LC_TIME", "de_DE"),
            ("LANG", "de_DE.UTF-8"),
            ("SECRET", "1"),
            ("DISPLAY", ":0"),
        ]);
        let names: Vec<_> = kept.iter().map(|(name, _)| name.to_str().unwrap()).collect();
        assert_eq!(names, ["PATH", "LC_TIME", "LANG"]);
    }

    #[test]
    fn a_caller_without_language_gets_utf8() {
        assert!(kept(&[]).contains(&("LANG".into(), "C.UTF-8".into())));
        assert!(!kept(&[("LC_ALL", "C")]).contains(&("LANG".into(), "C.UTF-8".into())));
    }

    #[test]
    fn the_accessibility_address_is_never_exported() {
        // Qt 6 does not register when it sees this variable.
        let place = Place::new("/run/user/1/deskhand/d1".into());
        let all = without_display(&place, "id");
        assert!(all.iter().all(|(name, _)| name != "AT_SPI_BUS_ADDRESS"));
        assert!(FOREIGN.contains(&"AT_SPI_BUS_ADDRESS"));
    }

    #[test]
    fn nothing_is_both_set_and_unset() {
        let place = Place::new("/run/user/1/deskhand/d1".into());
        for (name, _) in without_display(&place, "id") {
            assert!(!FOREIGN.contains(&name.as_str()), "{name}");
        }
    }
}
