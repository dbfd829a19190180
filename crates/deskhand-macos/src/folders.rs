//! Where a person's folders are: in their library.

use std::{ffi::OsString, path::Path};

use deskhand_platform::Folders;

/// The folders the variables of this process lead to.
pub fn folders() -> Folders {
    by(&|name| std::env::var_os(name), &std::env::home_dir().unwrap_or_default())
}

fn by(variable: &dyn Fn(&str) -> Option<OsString>, home: &Path) -> Folders {
    let own = home.join("Library/Application Support/deskhand");
    let usual = Folders {
        data: own.clone(),
        state: own.join("state"),
        cache: home.join("Library/Caches/deskhand"),
        // The system clears temporary folders of what nobody touched for three days, and caches when the
        // disk is full: a halt must outlast both, and so outlasts a restart, too.
        runtime: own.join("runtime"),
        config: own,
    };
    usual.named(variable)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_in_the_library_of_a_person() {
        let usual = by(&|_| None, Path::new("/Users/ann"));
        let own = Path::new("/Users/ann/Library/Application Support/deskhand");
        assert_eq!((usual.config.as_path(), usual.data.as_path()), (own, own));
        assert_eq!(usual.runtime, own.join("runtime"));
        assert_eq!(usual.cache, Path::new("/Users/ann/Library/Caches/deskhand"));
        let moved = by(&|name| (name == "DESKHAND_CACHE_DIR").then(|| "/k".into()), own);
        assert_eq!(moved.cache, Path::new("/k"));
        assert!(folders().state.ends_with("Library/Application Support/deskhand/state"));
    }
}
