//! Programs as the system knows them: processes and desktop files.

mod desktop_files;
pub(crate) mod process;

pub(crate) use desktop_files::DesktopFiles;
