use std::path::Path;

use super::*;
use crate::settings::Flags;

fn settings(set: &[(&str, &str)]) -> Settings {
    Settings::from_values(Flags::default(), set, "").unwrap()
}

#[test]
fn settings_select_the_command_line_tools() {
    for (set, expected) in [
        (&[][..], CommandTools::ScriptsOnly),
        (&[("DESKHAND_TOOLSETS", "ax,core")], CommandTools::ScriptsOnly),
        (&[("DESKHAND_TOOLSETS", "ax,cli")], CommandTools::Enabled(None)),
        (&[("DESKHAND_TOOLS", "ax_click,sandboxed_shell")], CommandTools::Enabled(None)),
        (&[("AHMA_TOOLS_DIR", "/t")], CommandTools::Enabled(Some("/t".into()))),
        (
            &[("AHMA_TOOLS_DIR", "/t"), ("DESKHAND_TOOLSETS", "ax")],
            CommandTools::Enabled(Some("/t".into())),
        ),
    ] {
        assert_eq!(selected_tools(&settings(set)), Ok(expected), "{set:?}");
    }
}

#[test]
fn without_shell_commands_no_tool_runs_them() {
    assert_eq!(disabled_tools(&settings(&[])), Ok(Vec::new()));
    let disabled = disabled_tools(&settings(&[("MCP_SHELL_COMMANDS_ENABLED", "false")])).unwrap();
    for name in ["sandboxed_shell", "ax_run_script", "terminal_start"] {
        assert!(disabled.iter().any(|one| one == name), "{disabled:?}");
    }
    assert!(!disabled.iter().any(|one| one == "status" || one == "ax_click"), "{disabled:?}");
}

#[test]
fn a_scope_cannot_contain_the_folders_of_deskhand() {
    let place = tempfile::tempdir().unwrap();
    let real = place.path().canonicalize().unwrap();
    let set = settings(&[]);
    let own = set.folders().data.parent().map(Path::to_owned).unwrap();
    assert_eq!(checked_scope(&set, place.path()), Ok(real));
    assert!(checked_scope(&set, &own).is_err());
}
