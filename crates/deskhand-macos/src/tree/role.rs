//! The table of macOS roles and subroles, and the Deskhand role of each.

use deskhand_model::Role;

/// Role, subrole and Deskhand role. An empty subrole stands for all subroles that are not listed.
const TABLE: &[(&str, &str, Role)] = &[
    ("AXApplication", "", Role::Application),
    ("AXSystemWide", "", Role::DesktopFrame),
    ("AXWindow", "", Role::Window),
    ("AXWindow", "AXStandardWindow", Role::Window),
    ("AXWindow", "AXDialog", Role::Dialog),
    ("AXWindow", "AXSystemDialog", Role::Dialog),
    ("AXWindow", "AXFloatingWindow", Role::Surface),
    ("AXWindow", "AXSystemFloatingWindow", Role::Surface),
    ("AXWindow", "AXUnknown", Role::Surface),
    ("AXSheet", "", Role::Alert),
    ("AXDrawer", "", Role::Panel),
    ("AXPopover", "", Role::Surface),
    ("AXGrowArea", "", Role::Filler),
    ("AXMatte", "", Role::Filler),
    ("AXHandle", "", Role::Filler),
    ("AXImage", "", Role::Image),
    ("AXUnknown", "", Role::Unknown),
    ("AXButton", "", Role::Button),
    ("AXButton", "AXCloseButton", Role::Button),
    ("AXButton", "AXMinimizeButton", Role::Button),
    ("AXButton", "AXZoomButton", Role::Button),
    ("AXButton", "AXFullScreenButton", Role::Button),
    ("AXButton", "AXToolbarButton", Role::Button),
    ("AXButton", "AXSortButton", Role::TableColumnHeader),
    ("AXButton", "AXToggle", Role::ToggleButton),
    ("AXButton", "AXSwitch", Role::Switch),
    ("AXButton", "AXIncrementArrow", Role::Button),
    ("AXButton", "AXDecrementArrow", Role::Button),
    ("AXButton", "AXIncrementPage", Role::Button),
    ("AXButton", "AXDecrementPage", Role::Button),
    ("AXSortButton", "", Role::TableColumnHeader),
    ("AXRadioButton", "", Role::RadioButton),
    ("AXRadioButton", "AXTabButton", Role::Tab),
    ("AXCheckBox", "", Role::CheckBox),
    ("AXCheckBox", "AXToggle", Role::ToggleButton),
    ("AXCheckBox", "AXToggleButton", Role::ToggleButton),
    ("AXCheckBox", "AXSwitch", Role::Switch),
    ("AXSwitch", "", Role::Switch),
    ("AXPopUpButton", "", Role::ComboBox),
    ("AXComboBox", "", Role::ComboBox),
    ("AXMenuButton", "", Role::MenuButton),
    ("AXDisclosureTriangle", "", Role::ToggleButton),
    ("AXTabGroup", "", Role::TabList),
    ("AXRadioGroup", "", Role::Group),
    ("AXTable", "", Role::Table),
    ("AXGrid", "", Role::ListBox),
    ("AXOutline", "", Role::Tree),
    ("AXBrowser", "", Role::DirectoryPane),
    ("AXColumn", "", Role::ColumnHeader),
    ("AXRow", "", Role::TableRow),
    ("AXRow", "AXTableRow", Role::TableRow),
    ("AXRow", "AXOutlineRow", Role::TreeItem),
    ("AXCell", "", Role::Cell),
    ("AXList", "", Role::List),
    ("AXList", "AXContentList", Role::List),
    ("AXList", "AXCollectionList", Role::ListBox),
    ("AXList", "AXSectionList", Role::List),
    ("AXList", "AXDescriptionList", Role::DescriptionList),
    ("AXList", "AXDefinitionList", Role::DescriptionList),
    ("AXList", "AXProcessSwitcherList", Role::List),
    ("AXListMarker", "", Role::StaticText),
    ("AXScrollArea", "", Role::ScrollPane),
    ("AXScrollBar", "", Role::ScrollBar),
    ("AXSplitGroup", "", Role::SplitPane),
    ("AXSplitter", "", Role::Separator),
    ("AXToolbar", "", Role::ToolBar),
    ("AXSlider", "", Role::Slider),
    ("AXSlider", "AXTimeline", Role::Slider),
    ("AXValueIndicator", "", Role::Filler),
    ("AXIncrementor", "", Role::SpinButton),
    ("AXBusyIndicator", "", Role::ProgressBar),
    ("AXProgressIndicator", "", Role::ProgressBar),
    ("AXLevelIndicator", "", Role::LevelBar),
    ("AXLevelIndicator", "AXMeter", Role::LevelBar),
    ("AXLevelIndicator", "AXRatingIndicator", Role::Rating),
    ("AXRelevanceIndicator", "", Role::Rating),
    ("AXTextField", "", Role::Entry),
    ("AXTextField", "AXSecureTextField", Role::Password),
    ("AXTextField", "AXSearchField", Role::Entry),
    ("AXTextArea", "", Role::Text),
    ("AXStaticText", "", Role::Label),
    ("AXStaticText", "AXTextAttachment", Role::Image),
    ("AXHeading", "", Role::Heading),
    ("AXLink", "", Role::Link),
    ("AXLink", "AXTextLink", Role::Link),
    ("AXMenuBar", "", Role::MenuBar),
    ("AXMenuBarItem", "", Role::Menu),
    ("AXMenu", "", Role::PopupMenu),
    ("AXMenuItem", "", Role::MenuItem),
    ("AXColorWell", "", Role::ColorChooser),
    ("AXDateField", "", Role::DateEditor),
    ("AXTimeField", "", Role::DateEditor),
    ("AXDateTimeArea", "", Role::DateEditor),
    ("AXHelpTag", "", Role::ToolTip),
    ("AXDockItem", "", Role::Icon),
    ("AXDockItem", "AXApplicationDockItem", Role::Icon),
    ("AXDockItem", "AXDocumentDockItem", Role::Icon),
    ("AXDockItem", "AXFolderDockItem", Role::Icon),
    ("AXDockItem", "AXMinimizedWindowDockItem", Role::Icon),
    ("AXDockItem", "AXURLDockItem", Role::Icon),
    ("AXDockItem", "AXDockExtraDockItem", Role::Icon),
    ("AXDockItem", "AXTrashDockItem", Role::Icon),
    ("AXDockItem", "AXSeparatorDockItem", Role::Separator),
    ("AXRuler", "", Role::Ruler),
    ("AXRulerMarker", "", Role::Filler),
    ("AXLayoutArea", "", Role::LayeredPane),
    ("AXLayoutItem", "", Role::Group),
    ("AXPage", "", Role::Page),
    ("AXWebArea", "", Role::WebDocument),
    ("AXGroup", "", Role::Group),
    ("AXGroup", "AXApplicationAlert", Role::Notification),
    ("AXGroup", "AXApplicationAlertDialog", Role::Alert),
    ("AXGroup", "AXApplicationDialog", Role::Dialog),
    ("AXGroup", "AXApplicationGroup", Role::Group),
    ("AXGroup", "AXApplicationLog", Role::Log),
    ("AXGroup", "AXApplicationMarquee", Role::Marquee),
    ("AXGroup", "AXApplicationStatus", Role::StatusBar),
    ("AXGroup", "AXApplicationTimer", Role::Timer),
    ("AXGroup", "AXUserInterfaceTooltip", Role::ToolTip),
    ("AXGroup", "AXWebApplication", Role::Embedded),
    ("AXGroup", "AXDocument", Role::DocumentFrame),
    ("AXGroup", "AXDocumentArticle", Role::Article),
    ("AXGroup", "AXDocumentMath", Role::Math),
    ("AXGroup", "AXDocumentNote", Role::Comment),
    ("AXGroup", "AXLandmarkBanner", Role::Header),
    ("AXGroup", "AXLandmarkContentInfo", Role::Footer),
    ("AXGroup", "AXFooter", Role::Footer),
    ("AXGroup", "AXSectionFooter", Role::Footer),
    ("AXGroup", "AXSectionHeader", Role::Header),
    ("AXGroup", "AXLandmarkComplementary", Role::Landmark),
    ("AXGroup", "AXLandmarkForm", Role::Form),
    ("AXGroup", "AXLandmarkMain", Role::Landmark),
    ("AXGroup", "AXLandmarkNavigation", Role::Landmark),
    ("AXGroup", "AXLandmarkRegion", Role::Landmark),
    ("AXGroup", "AXLandmarkSearch", Role::Landmark),
    ("AXGroup", "AXTabPanel", Role::Panel),
    ("AXGroup", "AXFieldset", Role::Group),
    ("AXGroup", "AXTerm", Role::DescriptionTerm),
    ("AXGroup", "AXDefinition", Role::DescriptionValue),
    ("AXGroup", "AXDescription", Role::DescriptionValue),
    ("AXGroup", "AXAudio", Role::Audio),
    ("AXGroup", "AXVideo", Role::Video),
    ("AXGroup", "AXMathFraction", Role::MathFraction),
    ("AXGroup", "AXMathRoot", Role::MathRoot),
    ("AXGroup", "AXMathSquareRoot", Role::MathRoot),
    ("AXGroup", "AXSubscriptStyleGroup", Role::Subscript),
    ("AXGroup", "AXSuperscriptStyleGroup", Role::Superscript),
    ("AXGroup", "AXDeleteStyleGroup", Role::Deletion),
    ("AXGroup", "AXInsertStyleGroup", Role::Insertion),
    ("AXGroup", "AXSuggestion", Role::Suggestion),
    ("AXGroup", "AXEmptyGroup", Role::Filler),
];

/// Returns the Deskhand role for an AX role and subrole. An unlisted subrole is ignored, and an
/// unlisted role gives `Unknown`.
pub(crate) fn from_ax(role: &str, subrole: &str) -> Role {
    // A secure text field is a password under any role.
    if subrole == "AXSecureTextField" {
        return Role::Password;
    }
    let exact = |(of, with, _): &&(&str, &str, Role)| *of == role && *with == subrole;
    let plain = |(of, with, _): &&(&str, &str, Role)| *of == role && with.is_empty();
    let found = TABLE.iter().find(exact).or_else(|| TABLE.iter().find(plain));
    found.map_or(Role::Unknown, |(.., role)| *role)
}

/// Refines a role by its parent and its appearance: a radio button in a tab list is a tab, a menu item
/// with a check mark is a check menu item, and a disabled menu item without a name is a separator.
pub(crate) fn refine_role(role: Role, parent_role: Role, marked: bool, blank: bool) -> Role {
    if role == Role::RadioButton && parent_role == Role::TabList {
        Role::Tab
    } else if role == Role::MenuItem && marked {
        Role::CheckMenuItem
    } else if role == Role::MenuItem && blank {
        Role::Separator
    } else {
        role
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Every role of AXRoleConstants.h and NSAccessibilityConstants.h.
    const APPLE: &str = "AXApplication AXSystemWide AXWindow AXSheet AXDrawer AXGrowArea AXImage \
        AXUnknown AXButton AXRadioButton AXCheckBox AXPopUpButton AXMenuButton AXTabGroup AXTable \
        AXColumn AXRow AXOutline AXBrowser AXScrollArea AXScrollBar AXRadioGroup AXList AXGroup \
        AXValueIndicator AXComboBox AXSlider AXIncrementor AXBusyIndicator AXProgressIndicator \
        AXRelevanceIndicator AXToolbar AXDisclosureTriangle AXTextField AXTextArea AXStaticText \
        AXHeading AXMenuBar AXMenuBarItem AXMenu AXMenuItem AXSplitGroup AXSplitter AXColorWell \
        AXTimeField AXDateField AXHelpTag AXMatte AXDockItem AXRuler AXRulerMarker AXGrid \
        AXLevelIndicator AXCell AXLayoutArea AXLayoutItem AXHandle AXPopover AXLink AXDateTimeArea \
        AXListMarker AXPage AXSortButton AXWebArea";

    /// The roles that no macOS element has in the table. `CheckMenuItem` comes from `refine_role`.
    const OTHER_PLATFORMS: &[Role] = &[
        Role::Invalid,
        Role::AcceleratorLabel,
        Role::Animation,
        Role::Arrow,
        Role::Calendar,
        Role::Canvas,
        Role::CheckMenuItem,
        Role::DesktopIcon,
        Role::Dial,
        Role::DrawingArea,
        Role::FileChooser,
        Role::FocusTraversable,
        Role::FontChooser,
        Role::GlassPane,
        Role::HtmlContainer,
        Role::InternalFrame,
        Role::ListItem,
        Role::OptionPane,
        Role::RadioMenuItem,
        Role::RootPane,
        Role::RowHeader,
        Role::TableRowHeader,
        Role::TearoffMenuItem,
        Role::Terminal,
        Role::TreeTable,
        Role::Viewport,
        Role::Extended,
        Role::Paragraph,
        Role::Autocomplete,
        Role::EditBar,
        Role::Chart,
        Role::Caption,
        Role::Section,
        Role::Redundant,
        Role::InputMethodWindow,
        Role::Spreadsheet,
        Role::Presentation,
        Role::TextDocument,
        Role::EmailDocument,
        Role::ImageMap,
        Role::InfoBar,
        Role::TitleBar,
        Role::Definition,
        Role::Footnote,
        Role::BlockQuote,
        Role::Mark,
    ];

    #[test]
    fn every_role_apple_defines_is_listed() {
        for role in APPLE.split_whitespace() {
            let listed = TABLE.iter().any(|(of, with, _)| *of == role && with.is_empty());
            assert!(listed, "{role} is not in the table");
        }
    }

    #[test]
    fn every_deskhand_role_is_in_the_table_or_listed_as_foreign() {
        for role in Role::ALL {
            let in_table = TABLE.iter().any(|(.., ours)| ours == role);
            assert_ne!(in_table, OTHER_PLATFORMS.contains(role), "{role:?}");
        }
    }

    #[test]
    fn no_pair_is_listed_twice() {
        let mut seen = BTreeSet::new();
        for (role, subrole, _) in TABLE {
            assert!(seen.insert((role, subrole)), "{role} {subrole}");
        }
    }

    #[test]
    fn an_unknown_subrole_is_ignored() {
        assert_eq!(from_ax("AXButton", "AXFutureButton"), Role::Button);
        assert_eq!(from_ax("AXFuture", "AXButton"), Role::Unknown);
        assert_eq!(from_ax("AXRow", "AXOutlineRow"), Role::TreeItem);
    }

    #[test]
    fn a_secure_text_field_is_a_password_under_any_role() {
        assert_eq!(from_ax("AXTextField", "AXSecureTextField"), Role::Password);
        assert_eq!(from_ax("AXTextArea", "AXSecureTextField"), Role::Password);
    }

    #[test]
    fn tabs_check_marks_and_separators_are_recognised() {
        assert_eq!(refine_role(Role::RadioButton, Role::TabList, false, false), Role::Tab);
        assert_eq!(refine_role(Role::RadioButton, Role::Group, false, false), Role::RadioButton);
        assert_eq!(refine_role(Role::MenuItem, Role::Menu, true, false), Role::CheckMenuItem);
        assert_eq!(refine_role(Role::MenuItem, Role::Menu, false, true), Role::Separator);
    }

    #[test]
    fn the_common_controls_have_their_macos_role_names() {
        for (ax, subrole, role) in TABLE {
            let common =
                ["AXButton", "AXCheckBox", "AXTextField", "AXTable", "AXOutline", "AXSlider"];
            if subrole.is_empty() && common.contains(ax) {
                assert_eq!(role.ax(), *ax, "{role:?}");
            }
        }
    }
}
