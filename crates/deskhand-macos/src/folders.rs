//! Deskhand's folders in the user's Library.

use std::{ffi::OsString, path::Path};

use deskhand_platform::Folders;

/// The folders of this process, with overrides from `DESKHAND_*` environment variables.
pub fn folders() -> Folders {
    resolve(&|name| std::env::var_os(name), &std::env::home_dir().unwrap_or_default())
}

fn resolve(variable: &dyn Fn(&str) -> Option<OsString>, home: &Path) -> Folders {
    let support = home.join("Library/Application Support/deskhand");
    let defaults = Folders {
        data: support.clone(),
        state: support.join("state"),
        cache: home.join("Library/Caches/deskhand"),
        // macOS deletes unused temporary files after three days, and caches when the disk is full. A halt must
        // survive both, so it also survives a restart.
        runtime: support.join("runtime"),
        config: support,
    };
    defaults.with_overrides(variable)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folders_are_in_the_library_of_the_user() {
        let defaults = resolve(&|_| None, Path::new("/Users/ann"));
        let support = Path::new("/Users/ann/Library/Application Support/deskhand");
        assert_eq!((defaults.config.as_path(), defaults.data.as_path()), (support, support));
        assert_eq!(defaults.runtime, support.join("runtime"));
        assert_eq!(defaults.cache, Path::new("/Users/ann/Library/Caches/deskhand"));
        let moved = resolve(&|name| (name == "DESKHAND_CACHE_DIR").then(|| "/k".into()), support);
        assert_eq!(moved.cache, Path::new("/k"));
        assert!(folders().state.ends_with("Library/Application Support/deskhand/state"));
    }
}
