//! What is not written to unless a person says otherwise: where commands are typed, secrets are
//! kept, the system is changed and persons prove who they are.

use std::{collections::HashSet, sync::LazyLock};

use super::{likeness::Likeness, pattern::Subject};

/// Names of programs, desktop-file ids and names of apps.
const NAMES: &[&[&str]] = &[TERMINALS, SECRETS, SETTINGS, AUTHENTICATION];

const TERMINALS: &[&str] = &[
    "x-terminal-emulator",
    "xterm",
    "uxterm",
    "lxterm",
    "koi8rxterm",
    "debian-xterm",
    "debian-uxterm",
    "urxvt",
    "urxvtd",
    "rxvt",
    "rxvt-unicode",
    "aterm",
    "eterm",
    "mlterm",
    "kterm",
    "pterm",
    "zutty",
    "stterm",
    "gnome-terminal",
    "gnome-terminal-server",
    "org.gnome.Terminal",
    "kgx",
    "gnome-console",
    "org.gnome.Console",
    "ptyxis",
    "ptyxis-agent",
    "org.gnome.Ptyxis",
    "app.devsuite.Ptyxis",
    "konsole",
    "org.kde.konsole",
    "yakuake",
    "org.kde.yakuake",
    "xfce4-terminal",
    "xfce4-terminal-settings",
    "mate-terminal",
    "lxterminal",
    "qterminal",
    "deepin-terminal",
    "io.elementary.terminal",
    "cosmic-term",
    "com.system76.CosmicTerm",
    "terminator",
    "net.tenshi.Terminator",
    "tilix",
    "com.gexperts.Tilix",
    "guake",
    "tilda",
    "terminology",
    "alacritty",
    "kitty",
    "foot",
    "footclient",
    "wezterm",
    "wezterm-gui",
    "org.wezfurlong.wezterm",
    "ghostty",
    "com.mitchellh.ghostty",
    "sakura",
    "termit",
    "termite",
    "lilyterm",
    "roxterm",
    "cool-retro-term",
    "hyper-terminal",
    "co.zeit.hyper",
    "tabby-terminal",
    "org.tabby",
    "warp-terminal",
    "dev.warp.Warp",
    "blackbox-terminal",
    "com.raggesilver.BlackBox",
    "contour-terminal",
    "org.contourterminal.Contour",
    "emulator.terminal",
    "Terminal",
    "Terminal Emulator",
    "Xfce Terminal",
    "com.apple.Terminal",
    "iTerm2",
    "com.googlecode.iterm2",
];

const SECRETS: &[&str] = &[
    "seahorse",
    "org.gnome.seahorse.Application",
    "org.gnome.seahorse",
    "Passwords and Keys",
    "gcr-prompter",
    "gcr-viewer",
    "gnome-keyring",
    "gnome-keyring-daemon",
    "gnome-keyring-prompt",
    "kwalletmanager",
    "kwalletmanager5",
    "org.kde.kwalletmanager",
    "org.kde.kwalletmanager5",
    "kwalletd",
    "kwalletd5",
    "kwalletd6",
    "ksecretd",
    "kleopatra",
    "org.kde.kleopatra",
    "keepass",
    "keepass2",
    "keepassx",
    "keepassx2",
    "keepassxc",
    "org.keepassxc.KeePassXC",
    "bitwarden",
    "com.bitwarden.desktop",
    "1password",
    "com.onepassword.OnePassword",
    "enpass",
    "dashlane",
    "lastpass",
    "nordpass",
    "proton-pass",
    "me.proton.Pass",
    "buttercup",
    "passwordsafe",
    "pwsafe",
    "gnome-passwordsafe",
    "org.gnome.PasswordSafe",
    "org.gnome.World.Secrets",
    "revelation",
    "qtpass",
    "org.ijhack.QtPass",
    "otpclient",
    "com.github.paolostivanin.OTPClient",
    "com.belmoussaoui.Authenticator",
    "com.yubico.yubioath",
    "pinentry",
    "pinentry-fltk",
    "pinentry-gnome3",
    "pinentry-gtk-2",
    "pinentry-gtk2",
    "pinentry-qt",
    "pinentry-qt4",
    "pinentry-qt5",
    "pinentry-tqt",
    "pinentry-x11",
    "ssh-askpass",
    "x11-ssh-askpass",
    "gnome-ssh-askpass",
    "gnome-ssh-askpass2",
    "gnome-ssh-askpass3",
    "ssh-askpass-gnome",
    "ssh-askpass-fullscreen",
    "lxqt-openssh-askpass",
    "ksshaskpass",
    "org.kde.ksshaskpass",
    "Keychain Access",
    "com.apple.keychainaccess",
];

const SETTINGS: &[&str] = &[
    "gnome-control-center",
    "org.gnome.Settings",
    "gnome-tweaks",
    "org.gnome.tweaks",
    "dconf-editor",
    "ca.desrt.dconf-editor",
    "systemsettings",
    "systemsettings5",
    "org.kde.systemsettings",
    "kdesystemsettings",
    "kcmshell5",
    "kcmshell6",
    "xfce4-settings-manager",
    "xfce-settings-manager",
    "xfce4-settings-editor",
    "mate-control-center",
    "matecc",
    "cinnamon-settings",
    "cinnamon-control-center",
    "unity-control-center",
    "budgie-control-center",
    "budgie-desktop-settings",
    "lxqt-config",
    "dde-control-center",
    "io.elementary.settings",
    "io.elementary.switchboard",
    "cosmic-settings",
    "com.system76.CosmicSettings",
    "users-admin",
    "mate-users-admin",
    "nm-connection-editor",
    "software-properties-gtk",
    "software-properties-qt",
    "yast2",
    "y2base",
    "System Settings",
    "System Preferences",
    "com.apple.systempreferences",
];

const AUTHENTICATION: &[&str] = &[
    "polkit-gnome-authentication-agent-1",
    "polkit-kde-authentication-agent-1",
    "org.kde.polkit-kde-authentication-agent-1",
    "polkit-mate-authentication-agent-1",
    "mate-polkit",
    "lxpolkit",
    "lxqt-policykit-agent",
    "xfce-polkit",
    "polkit-dumb-agent",
    "pantheon-agent-polkit",
    "io.elementary.desktop.agent-polkit",
    "dde-polkit-agent",
    "ukui-polkit",
    "hyprpolkitagent",
    "soteria",
    "cmd-polkit",
    "pkexec",
    "gksu",
    "gksudo",
    "kdesu",
    "kdesudo",
    "lxsudo",
    "lxqt-sudo",
    "xscreensaver",
    "xscreensaver-auth",
    "gnome-screensaver",
    "mate-screensaver",
    "xfce4-screensaver",
    "cinnamon-screensaver",
    "light-locker",
    "i3lock",
    "kscreenlocker_greet",
    "lightdm-gtk-greeter",
    "gdm-session-worker",
    "sddm-greeter",
];

static LOOKS: LazyLock<[HashSet<String>; 3]> = LazyLock::new(|| {
    let mut looks: [HashSet<String>; 3] = Default::default();
    for name in NAMES.iter().copied().flatten() {
        let Likeness { folded, drawn, drawn_first } = Likeness::of(name);
        for (set, way) in looks.iter_mut().zip([folded, drawn, drawn_first]) {
            set.insert(way);
        }
    }
    looks
});

/// Whether something is in the list, by what it is or by anything it calls itself.
pub(super) fn name(subject: Subject<'_>) -> bool {
    let known = subject.identity.iter().flat_map(|one| one.names.iter().chain(&one.claims));
    let mut names = known.map(String::as_str).chain(subject.claims.iter().copied());
    names.any(|name| {
        let like = Likeness::of(name.strip_suffix(".desktop").unwrap_or(name));
        like.ways().iter().zip(&*LOOKS).any(|(way, looks)| looks.contains(*way))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_spared(claim: &str) -> bool {
        name(Subject { identity: None, claims: &[claim] })
    }

    #[test]
    fn what_holds_commands_secrets_and_settings_is_left_alone() {
        for one in [
            "xterm",
            "XTerm",
            "org.gnome.Terminal",
            "org.gnome.Terminal.desktop",
            "xterrn",
            "KeePassXC",
            "ke\u{435}passxc",
            "gnome-control-center",
            "polkit-gnome-authentication-agent-1",
        ] {
            assert!(is_spared(one), "{one}");
        }
    }

    #[test]
    fn everyday_apps_are_not() {
        for one in [
            "mousepad",
            "Mousepad",
            "gedit",
            "kcalc",
            "firefox",
            "firefox-esr",
            "chromium",
            "soffice",
            "gnome-calculator",
            "org.gnome.Calculator",
            "nautilus",
            "thunar",
            "featherpad",
            "designer",
            "python3.11",
            "gtk3-demo",
            "code",
            "java",
            "secrets",
            "Settings",
            "Files",
        ] {
            assert!(!is_spared(one), "{one}");
        }
    }
}
