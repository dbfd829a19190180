//! The platform-neutral role of an element.

use std::{fmt, str::FromStr};

macro_rules! roles {
    ($($variant:ident = $short:literal, $ax:literal, $atspi:literal;)*) => {
        /// The kind of an element, such as a button or a window, independent of the platform.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[allow(missing_docs)] // The names are self-explanatory.
        pub enum Role { $($variant,)* }

        impl Role {
            /// All roles.
            pub const ALL: &[Role] = &[$(Role::$variant,)*];

            /// Returns the short name used in outlines, such as `button`.
            pub fn short(self) -> &'static str {
                match self { $(Role::$variant => $short,)* }
            }

            /// Returns the macOS role, such as `AXButton`. Several roles may share one.
            pub fn ax(self) -> &'static str {
                match self { $(Role::$variant => $ax,)* }
            }

            /// Returns the AT-SPI role name, such as `push button`.
            pub fn atspi(self) -> &'static str {
                match self { $(Role::$variant => $atspi,)* }
            }
        }
    };
}

// AT-SPI has the most roles of the supported platforms, so each AT-SPI role has its own variant.
// The macOS name is the closest one Apple defines.
roles! {
    Invalid = "invalid", "AXUnknown", "invalid";
    AcceleratorLabel = "accelerator", "AXStaticText", "accelerator label";
    Alert = "alert", "AXSheet", "alert";
    Animation = "animation", "AXImage", "animation";
    Arrow = "arrow", "AXImage", "arrow";
    Calendar = "calendar", "AXGroup", "calendar";
    Canvas = "canvas", "AXGroup", "canvas";
    CheckBox = "checkbox", "AXCheckBox", "check box";
    CheckMenuItem = "check-menu-item", "AXMenuItem", "check menu item";
    ColorChooser = "color-chooser", "AXColorWell", "color chooser";
    ColumnHeader = "column-header", "AXColumn", "column header";
    ComboBox = "combobox", "AXComboBox", "combo box";
    DateEditor = "date-editor", "AXDateField", "date editor";
    DesktopIcon = "desktop-icon", "AXImage", "desktop icon";
    DesktopFrame = "desktop", "AXSystemWide", "desktop frame";
    Dial = "dial", "AXSlider", "dial";
    Dialog = "dialog", "AXWindow", "dialog";
    DirectoryPane = "directory-pane", "AXBrowser", "directory pane";
    DrawingArea = "drawing-area", "AXGroup", "drawing area";
    FileChooser = "file-chooser", "AXWindow", "file chooser";
    Filler = "filler", "AXGroup", "filler";
    FocusTraversable = "focus-traversable", "AXGroup", "focus traversable";
    FontChooser = "font-chooser", "AXWindow", "font chooser";
    Window = "window", "AXWindow", "frame";
    GlassPane = "glass-pane", "AXGroup", "glass pane";
    HtmlContainer = "html-container", "AXGroup", "html container";
    Icon = "icon", "AXImage", "icon";
    Image = "image", "AXImage", "image";
    InternalFrame = "internal-frame", "AXGroup", "internal frame";
    Label = "label", "AXStaticText", "label";
    LayeredPane = "layered-pane", "AXLayoutArea", "layered pane";
    List = "list", "AXList", "list";
    ListItem = "listitem", "AXRow", "list item";
    Menu = "menu", "AXMenu", "menu";
    MenuBar = "menubar", "AXMenuBar", "menu bar";
    MenuItem = "menuitem", "AXMenuItem", "menu item";
    OptionPane = "option-pane", "AXGroup", "option pane";
    Tab = "tab", "AXRadioButton", "page tab";
    TabList = "tablist", "AXTabGroup", "page tab list";
    Panel = "panel", "AXGroup", "panel";
    Password = "password", "AXTextField", "password text";
    PopupMenu = "popup-menu", "AXMenu", "popup menu";
    ProgressBar = "progressbar", "AXProgressIndicator", "progress bar";
    Button = "button", "AXButton", "push button";
    RadioButton = "radio", "AXRadioButton", "radio button";
    RadioMenuItem = "radio-menu-item", "AXMenuItem", "radio menu item";
    RootPane = "root-pane", "AXGroup", "root pane";
    RowHeader = "row-header", "AXRow", "row header";
    ScrollBar = "scrollbar", "AXScrollBar", "scroll bar";
    ScrollPane = "scrollpane", "AXScrollArea", "scroll pane";
    Separator = "separator", "AXSplitter", "separator";
    Slider = "slider", "AXSlider", "slider";
    SpinButton = "spinbutton", "AXIncrementor", "spin button";
    SplitPane = "splitpane", "AXSplitGroup", "split pane";
    StatusBar = "statusbar", "AXGroup", "status bar";
    Table = "table", "AXTable", "table";
    Cell = "cell", "AXCell", "table cell";
    TableColumnHeader = "columnheader", "AXColumn", "table column header";
    TableRowHeader = "rowheader", "AXRow", "table row header";
    TearoffMenuItem = "tearoff-menu-item", "AXMenuItem", "tearoff menu item";
    Terminal = "terminal", "AXTextArea", "terminal";
    Text = "text", "AXTextArea", "text";
    ToggleButton = "togglebutton", "AXCheckBox", "toggle button";
    ToolBar = "toolbar", "AXToolbar", "tool bar";
    ToolTip = "tooltip", "AXHelpTag", "tool tip";
    Tree = "tree", "AXOutline", "tree";
    TreeTable = "treetable", "AXOutline", "tree table";
    Unknown = "unknown", "AXUnknown", "unknown";
    Viewport = "viewport", "AXGroup", "viewport";
    Surface = "surface", "AXWindow", "window";
    Extended = "extended", "AXUnknown", "extended";
    Header = "header", "AXGroup", "header";
    Footer = "footer", "AXGroup", "footer";
    Paragraph = "paragraph", "AXGroup", "paragraph";
    Ruler = "ruler", "AXRuler", "ruler";
    Application = "application", "AXApplication", "application";
    Autocomplete = "autocomplete", "AXComboBox", "autocomplete";
    EditBar = "editbar", "AXTextField", "editbar";
    Embedded = "embedded", "AXGroup", "embedded";
    Entry = "textbox", "AXTextField", "entry";
    Chart = "chart", "AXImage", "chart";
    Caption = "caption", "AXStaticText", "caption";
    DocumentFrame = "document", "AXWebArea", "document frame";
    Heading = "heading", "AXHeading", "heading";
    Page = "page", "AXGroup", "page";
    Section = "section", "AXGroup", "section";
    Redundant = "redundant", "AXGroup", "redundant object";
    Form = "form", "AXGroup", "form";
    Link = "link", "AXLink", "link";
    InputMethodWindow = "input-method", "AXWindow", "input method window";
    TableRow = "row", "AXRow", "table row";
    TreeItem = "treeitem", "AXRow", "tree item";
    Spreadsheet = "spreadsheet", "AXTable", "document spreadsheet";
    Presentation = "presentation", "AXGroup", "document presentation";
    TextDocument = "text-document", "AXTextArea", "document text";
    WebDocument = "web-document", "AXWebArea", "document web";
    EmailDocument = "email-document", "AXTextArea", "document email";
    Comment = "comment", "AXGroup", "comment";
    ListBox = "listbox", "AXList", "list box";
    Group = "group", "AXGroup", "grouping";
    ImageMap = "image-map", "AXImage", "image map";
    Notification = "notification", "AXGroup", "notification";
    InfoBar = "infobar", "AXGroup", "info bar";
    LevelBar = "levelbar", "AXLevelIndicator", "level bar";
    TitleBar = "titlebar", "AXGroup", "title bar";
    BlockQuote = "blockquote", "AXGroup", "block quote";
    Audio = "audio", "AXGroup", "audio";
    Video = "video", "AXGroup", "video";
    Definition = "definition", "AXGroup", "definition";
    Article = "article", "AXGroup", "article";
    Landmark = "landmark", "AXGroup", "landmark";
    Log = "log", "AXGroup", "log";
    Marquee = "marquee", "AXGroup", "marquee";
    Math = "math", "AXGroup", "math";
    Rating = "rating", "AXRelevanceIndicator", "rating";
    Timer = "timer", "AXGroup", "timer";
    StaticText = "statictext", "AXStaticText", "static";
    MathFraction = "math-fraction", "AXGroup", "math fraction";
    MathRoot = "math-root", "AXGroup", "math root";
    Subscript = "subscript", "AXGroup", "subscript";
    Superscript = "superscript", "AXGroup", "superscript";
    DescriptionList = "description-list", "AXList", "description list";
    DescriptionTerm = "description-term", "AXGroup", "description term";
    DescriptionValue = "description-value", "AXGroup", "description value";
    Footnote = "footnote", "AXGroup", "footnote";
    Deletion = "deletion", "AXGroup", "content deletion";
    Insertion = "insertion", "AXGroup", "content insertion";
    Mark = "mark", "AXGroup", "mark";
    Suggestion = "suggestion", "AXGroup", "suggestion";
    MenuButton = "menubutton", "AXMenuButton", "push button menu";
    Switch = "switch", "AXCheckBox", "switch";
}

impl Role {
    /// Returns every role with this name: the short, macOS or AT-SPI name, in any letter case.
    ///
    /// `AXGroup` names many roles, `button` only one. Spaces, hyphens and underscores are ignored.
    pub fn named(word: &str) -> Vec<Role> {
        let wanted = squeeze(word);
        let wanted = match wanted.as_str() {
            // AT-SPI 2.53 renamed `push button`. GTK and ARIA use their own names.
            "textfield" | "entry" => "textbox",
            "textarea" => "text",
            "frame" => "window",
            "radiobutton" => "radio",
            "pagetab" => "tab",
            "popupbutton" => "combobox",
            "tablerow" => "row",
            "tablecell" => "cell",
            other => other,
        };
        // A short name means exactly one role, even if several roles share that macOS name:
        // `checkbox` does not match a switch, although both are AXCheckBox.
        if let Some(role) = Self::ALL.iter().find(|role| squeeze(role.short()) == wanted) {
            return vec![*role];
        }
        Self::ALL
            .iter()
            .copied()
            .filter(|role| {
                let ax = squeeze(role.ax());
                wanted == ax
                    || Some(wanted) == ax.strip_prefix("ax")
                    || wanted == squeeze(role.atspi())
            })
            .collect()
    }

    /// Returns the macOS role as accessibility-mcp writes it in element paths, such as `textfield`.
    pub fn path_word(self) -> String {
        squeeze(self.ax()).strip_prefix("ax").map(str::to_owned).unwrap_or_default()
    }

    /// Returns `true` if users act on such an element. Outlines always show controls.
    pub fn is_control(self) -> bool {
        matches!(
            self,
            Self::Button
                | Self::CheckBox
                | Self::CheckMenuItem
                | Self::ComboBox
                | Self::DateEditor
                | Self::Dial
                | Self::Entry
                | Self::Password
                | Self::Link
                | Self::ListItem
                | Self::Menu
                | Self::MenuItem
                | Self::MenuButton
                | Self::Tab
                | Self::RadioButton
                | Self::RadioMenuItem
                | Self::Slider
                | Self::SpinButton
                | Self::Switch
                | Self::Text
                | Self::Terminal
                | Self::ToggleButton
                | Self::TreeItem
                | Self::Autocomplete
                | Self::ColumnHeader
                | Self::TableColumnHeader
                | Self::ColorChooser
                | Self::EditBar
        )
    }

    /// Returns `true` if the element holds a number within a range.
    pub fn is_ranged(self) -> bool {
        matches!(
            self,
            Self::Slider
                | Self::SpinButton
                | Self::ProgressBar
                | Self::Dial
                | Self::LevelBar
                | Self::Rating
                | Self::ScrollBar
        )
    }

    /// Returns `true` if the element is a top-level window: a window, a dialog or a chooser.
    pub fn is_window(self) -> bool {
        matches!(
            self,
            Self::Window
                | Self::Dialog
                | Self::Alert
                | Self::FileChooser
                | Self::FontChooser
                | Self::ColorChooser
                | Self::Surface
                | Self::InputMethodWindow
        )
    }

    /// Returns `true` if the element exists for layout only. Without a name, it carries no
    /// information.
    pub fn is_layout(self) -> bool {
        matches!(
            self,
            Self::Filler
                | Self::Panel
                | Self::Section
                | Self::Group
                | Self::Viewport
                | Self::ScrollPane
                | Self::SplitPane
                | Self::RootPane
                | Self::LayeredPane
                | Self::GlassPane
                | Self::OptionPane
                | Self::InternalFrame
                | Self::Redundant
                | Self::Embedded
                | Self::Unknown
                | Self::Invalid
                | Self::Extended
                | Self::Separator
                | Self::HtmlContainer
                | Self::StaticText
                | Self::Page
        )
    }
}

/// Reduces a name to lowercase letters and digits, so that spellings can be compared.
fn squeeze(word: &str) -> String {
    word.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.short())
    }
}

/// The error for a name that belongs to no role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownRole(pub String);

impl FromStr for Role {
    type Err = UnknownRole;

    fn from_str(word: &str) -> Result<Self, UnknownRole> {
        Self::ALL
            .iter()
            .copied()
            .find(|role| role.short() == word)
            .or_else(|| Self::named(word).first().copied())
            .ok_or_else(|| UnknownRole(word.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_short_name_parses_as_its_role() {
        for role in Role::ALL {
            assert_eq!(role.short().parse::<Role>().as_ref(), Ok(role));
        }
    }

    #[test]
    fn a_button_is_found_under_every_spelling() {
        for word in ["button", "AXButton", "axbutton", "push button", "PUSH_BUTTON", "Button"] {
            assert!(Role::named(word).contains(&Role::Button), "{word}");
        }
    }

    #[test]
    fn a_shared_macos_name_means_all_its_roles() {
        let fields = Role::named("AXTextField");
        assert!(fields.contains(&Role::Entry) && fields.contains(&Role::Password), "{fields:?}");
    }

    #[test]
    fn a_short_name_means_one_role_and_a_macos_name_several() {
        assert_eq!(Role::named("checkbox"), [Role::CheckBox]);
        assert!(Role::named("AXCheckBox").contains(&Role::Switch));
    }

    #[test]
    fn an_unknown_name_is_no_role() {
        assert!(Role::named("gizmo").is_empty());
        assert_eq!("gizmo".parse::<Role>(), Err(UnknownRole("gizmo".into())));
    }
}
