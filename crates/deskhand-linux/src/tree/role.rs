//! Maps AT-SPI role numbers to roles.
//!
//! It uses numbers rather than names because AT-SPI 2.53 renamed `push button` to `button`.

use deskhand_model::{Role, State, States};

/// All AT-SPI role numbers and their roles.
const TABLE: &[(u32, Role)] = &[
    (0, Role::Invalid),
    (1, Role::AcceleratorLabel),
    (2, Role::Alert),
    (3, Role::Animation),
    (4, Role::Arrow),
    (5, Role::Calendar),
    (6, Role::Canvas),
    (7, Role::CheckBox),
    (8, Role::CheckMenuItem),
    (9, Role::ColorChooser),
    (10, Role::ColumnHeader),
    (11, Role::ComboBox),
    (12, Role::DateEditor),
    (13, Role::DesktopIcon),
    (14, Role::DesktopFrame),
    (15, Role::Dial),
    (16, Role::Dialog),
    (17, Role::DirectoryPane),
    (18, Role::DrawingArea),
    (19, Role::FileChooser),
    (20, Role::Filler),
    (21, Role::FocusTraversable),
    (22, Role::FontChooser),
    (23, Role::Window),
    (24, Role::GlassPane),
    (25, Role::HtmlContainer),
    (26, Role::Icon),
    (27, Role::Image),
    (28, Role::InternalFrame),
    (29, Role::Label),
    (30, Role::LayeredPane),
    (31, Role::List),
    (32, Role::ListItem),
    (33, Role::Menu),
    (34, Role::MenuBar),
    (35, Role::MenuItem),
    (36, Role::OptionPane),
    (37, Role::Tab),
    (38, Role::TabList),
    (39, Role::Panel),
    (40, Role::Password),
    (41, Role::PopupMenu),
    (42, Role::ProgressBar),
    (43, Role::Button),
    (44, Role::RadioButton),
    (45, Role::RadioMenuItem),
    (46, Role::RootPane),
    (47, Role::RowHeader),
    (48, Role::ScrollBar),
    (49, Role::ScrollPane),
    (50, Role::Separator),
    (51, Role::Slider),
    (52, Role::SpinButton),
    (53, Role::SplitPane),
    (54, Role::StatusBar),
    (55, Role::Table),
    (56, Role::Cell),
    (57, Role::TableColumnHeader),
    (58, Role::TableRowHeader),
    (59, Role::TearoffMenuItem),
    (60, Role::Terminal),
    (61, Role::Text),
    (62, Role::ToggleButton),
    (63, Role::ToolBar),
    (64, Role::ToolTip),
    (65, Role::Tree),
    (66, Role::TreeTable),
    (67, Role::Unknown),
    (68, Role::Viewport),
    (69, Role::Surface),
    (70, Role::Extended),
    (71, Role::Header),
    (72, Role::Footer),
    (73, Role::Paragraph),
    (74, Role::Ruler),
    (75, Role::Application),
    (76, Role::Autocomplete),
    (77, Role::EditBar),
    (78, Role::Embedded),
    (79, Role::Entry),
    (80, Role::Chart),
    (81, Role::Caption),
    (82, Role::DocumentFrame),
    (83, Role::Heading),
    (84, Role::Page),
    (85, Role::Section),
    (86, Role::Redundant),
    (87, Role::Form),
    (88, Role::Link),
    (89, Role::InputMethodWindow),
    (90, Role::TableRow),
    (91, Role::TreeItem),
    (92, Role::Spreadsheet),
    (93, Role::Presentation),
    (94, Role::TextDocument),
    (95, Role::WebDocument),
    (96, Role::EmailDocument),
    (97, Role::Comment),
    (98, Role::ListBox),
    (99, Role::Group),
    (100, Role::ImageMap),
    (101, Role::Notification),
    (102, Role::InfoBar),
    (103, Role::LevelBar),
    (104, Role::TitleBar),
    (105, Role::BlockQuote),
    (106, Role::Audio),
    (107, Role::Video),
    (108, Role::Definition),
    (109, Role::Article),
    (110, Role::Landmark),
    (111, Role::Log),
    (112, Role::Marquee),
    (113, Role::Math),
    (114, Role::Rating),
    (115, Role::Timer),
    (116, Role::StaticText),
    (117, Role::MathFraction),
    (118, Role::MathRoot),
    (119, Role::Subscript),
    (120, Role::Superscript),
    (121, Role::DescriptionList),
    (122, Role::DescriptionTerm),
    (123, Role::DescriptionValue),
    (124, Role::Footnote),
    (125, Role::Deletion),
    (126, Role::Insertion),
    (127, Role::Mark),
    (128, Role::Suggestion),
    (129, Role::MenuButton),
    (130, Role::Switch),
];

/// Returns the role with this number, or `Unknown` for a number of a newer AT-SPI.
pub(crate) fn from_number(number: u32, states: States) -> Role {
    let role = TABLE.get(number as usize).map_or(Role::Unknown, |(_, role)| *role);
    // GTK 3 uses the same number for one-line entries and text views.
    let one_line = states.has(State::Editable) && !states.has(State::MultiLine);
    if role == Role::Text && one_line { Role::Entry } else { role }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_its_own_index_and_every_role_has_one_number() {
        for (at, (number, _)) in TABLE.iter().enumerate() {
            assert_eq!(at, *number as usize);
        }
        let mut roles: Vec<_> = TABLE.iter().map(|(_, role)| *role).collect();
        roles.sort_unstable();
        roles.dedup();
        assert_eq!(roles.len(), Role::ALL.len(), "a role without a number, or with two");
    }

    #[test]
    fn an_unassigned_number_is_unknown() {
        assert_eq!(from_number(4_000_000_000, States::NONE), Role::Unknown);
    }

    #[test]
    fn a_one_line_text_is_an_entry() {
        let editable = States::NONE.with(State::Editable);
        assert_eq!(from_number(61, editable), Role::Entry);
        assert_eq!(from_number(61, editable.with(State::MultiLine)), Role::Text);
    }
}
