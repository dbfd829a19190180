//! The environment of programs in a desktop: a few variables of the caller and those of the
//! desktop.

use std::ffi::{OsStr, OsString};

use super::accessibility;
use super::desktop_dir::DesktopDir;
use super::info::DesktopInfo;

/// The variable that holds the desktop's id in every process of a desktop.
pub const DESKTOP_ID_VAR: &str = "DESKHAND_DESKTOP";
/// The variable that holds the state directory of desktops, for programs in a desktop.
pub const STATE_DIR_VAR: &str = "DESKHAND_DESKTOPS";

/// The caller's variables that programs in a desktop inherit: user, locale and tools.
const INHERITED_VARIABLES: [&str; 9] = [
    "LANG",
    "LANGUAGE",
    "LOGNAME",
    "PATH",
    "SHELL",
    "TERM",
    "TZ",
    "USER",
    // Systems that keep schemas and icons outside /usr cannot start GTK programs without it.
    "XDG_DATA_DIRS",
];

/// Variables that tie a program to another session or change its appearance.
pub(super) const FOREIGN_VARIABLES: &[&str] = &[
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

/// Variables with the same value in every desktop.
const FIXED_VARIABLES: [(&str, &str); 13] = [
    // A GTK 3 program with a name that is not UTF-8 would abort when its cache is read.
    ("DBUS_FATAL_WARNINGS", "0"),
    ("XDG_SESSION_TYPE", "x11"),
    ("XDG_CURRENT_DESKTOP", "none"),
    // No dconf, gvfs or portal: the bus starts no services, and waiting for one takes 25 s.
    ("GSETTINGS_BACKEND", "memory"),
    ("GIO_USE_VFS", "local"),
    ("GVFS_DISABLE_FUSE", "1"),
    ("GTK_USE_PORTAL", "0"),
    ("GDK_BACKEND", "x11"),
    // With software GL an animated GTK 4 program starves its idle queue and never registers.
    ("GSK_RENDERER", "cairo"),
    ("QT_QPA_PLATFORM", "xcb"),
    ("LIBGL_ALWAYS_SOFTWARE", "1"),
    // The only toolkit plug-in of LibreOffice with complete AT-SPI support.
    ("SAL_USE_VCLPLUGIN", "gtk3"),
    ("XDG_CONFIG_DIRS", "/etc/xdg"),
];

/// Selects the caller's variables that a program in a desktop inherits.
pub(super) fn inherited(
    all: impl Iterator<Item = (OsString, OsString)>,
) -> Vec<(OsString, OsString)> {
    let mut variables: Vec<_> = all.filter(|(name, _)| is_inherited(name)).collect();
    let has = |wanted: &str| variables.iter().any(|(name, _)| name == wanted);
    let (has_language, has_path) = (has("LANG") || has("LC_ALL"), has("PATH"));
    if !has_language {
        variables.push(("LANG".into(), "C.UTF-8".into()));
    }
    if !has_path {
        variables.push(("PATH".into(), DEFAULT_PATH.into()));
    }
    variables
}

/// The search path for programs if the caller has none.
pub(super) const DEFAULT_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

fn is_inherited(name: &OsStr) -> bool {
    INHERITED_VARIABLES.iter().any(|one| name == *one)
        || name.to_str().is_some_and(|name| name.starts_with("LC_"))
}

/// Returns the desktop's variables except `DISPLAY`, which is known only after the X server has
/// started.
pub(super) fn without_display(dir: &DesktopDir, id: &str) -> Vec<(String, String)> {
    let home = dir.home();
    let path = |path: std::path::PathBuf| path.display().to_string();
    let mut all: Vec<(String, String)> = vec![
        (DESKTOP_ID_VAR.into(), id.into()),
        (STATE_DIR_VAR.into(), path(dir.state_dir())),
        ("HOME".into(), path(home.clone())),
        ("XDG_CONFIG_HOME".into(), path(home.join(".config"))),
        ("XDG_CACHE_HOME".into(), path(home.join(".cache"))),
        ("XDG_DATA_HOME".into(), path(home.join(".local/share"))),
        ("XDG_STATE_HOME".into(), path(home.join(".local/state"))),
        ("XDG_RUNTIME_DIR".into(), path(dir.runtime_dir())),
        ("TMPDIR".into(), path(dir.temp())),
        ("XAUTHORITY".into(), path(dir.xauthority())),
        ("DBUS_SESSION_BUS_ADDRESS".into(), dir.session_bus()),
    ];
    all.extend(FIXED_VARIABLES.iter().map(|(name, value)| ((*name).into(), (*value).into())));
    all.extend(accessibility::variables());
    all
}

/// Returns all variables of a running desktop.
pub(super) fn all_variables(info: &DesktopInfo) -> Vec<(String, String)> {
    let mut all = without_display(&info.dir(), &info.id);
    all.push(("DISPLAY".into(), info.display.clone()));
    let folders = info.folders.variables();
    all.extend(folders.map(|(name, path)| (name.into(), path.display().to_string())));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inherit(all: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
        inherited(all.iter().map(|(name, value)| ((*name).into(), (*value).into())))
    }

    #[test]
    fn only_listed_variables_are_inherited() {
        let inherited = inherit(&[
            ("PATH", "/bin"),
            ("LC_TIME", "de_DE"),
            ("LANG", "de_DE.UTF-8"),
            ("SECRET", "1"),
            ("DISPLAY", ":0"),
        ]);
        let names: Vec<_> = inherited.iter().map(|(name, _)| name.to_str().unwrap()).collect();
        assert_eq!(names, ["PATH", "LC_TIME", "LANG"]);
    }

    #[test]
    fn a_caller_without_language_gets_utf8() {
        assert!(inherit(&[]).contains(&("LANG".into(), "C.UTF-8".into())));
        assert!(!inherit(&[("LC_ALL", "C")]).contains(&("LANG".into(), "C.UTF-8".into())));
    }

    #[test]
    fn the_accessibility_address_is_never_exported() {
        // Qt 6 does not register if this variable is set.
        let dir = DesktopDir::new("/run/user/1/deskhand/d1".into());
        let all = without_display(&dir, "id");
        assert!(all.iter().all(|(name, _)| name != "AT_SPI_BUS_ADDRESS"));
        assert!(FOREIGN_VARIABLES.contains(&"AT_SPI_BUS_ADDRESS"));
    }

    #[test]
    fn no_variable_is_both_set_and_unset() {
        let dir = DesktopDir::new("/run/user/1/deskhand/d1".into());
        for (name, _) in without_display(&dir, "id") {
            assert!(!FOREIGN_VARIABLES.contains(&name.as_str()), "{name}");
        }
    }
}
