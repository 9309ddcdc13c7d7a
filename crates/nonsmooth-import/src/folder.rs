//! The one folder from which files are read: paths that lead out of it, by `..`, from the root or by links, are refused.

use std::path::{Component, Path, PathBuf};

/// Most bytes of one file.
const MOST_BYTES: u64 = 256 << 20;

/// A folder and nothing outside of it.
#[derive(Debug)]
pub(crate) struct Folder {
    root: PathBuf,
}

impl Folder {
    /// The folder, by its real path.
    pub fn open(root: &Path) -> Result<Self, String> {
        let shown = root.display();
        let root = root.canonicalize().map_err(|error| format!("the folder {shown}: {error}"))?;
        Ok(Self { root })
    }

    /// Reads a file that is named relative to `base`, itself inside the folder.
    pub fn read(&self, base: &Path, name: &str) -> Result<(PathBuf, Vec<u8>), String> {
        let path = self.find(base, name)?;
        let length = std::fs::metadata(&path).map_err(|error| format!("`{name}`: {error}"))?;
        if !length.is_file() {
            return Err(format!("`{name}` is no file"));
        }
        if length.len() > MOST_BYTES {
            return Err(format!("`{name}` has {} bytes; at most {MOST_BYTES} are read", length.len()));
        }
        let bytes = std::fs::read(&path).map_err(|error| format!("`{name}`: {error}"))?;
        Ok((path, bytes))
    }

    /// The real path of a file inside of the folder.
    fn find(&self, base: &Path, name: &str) -> Result<PathBuf, String> {
        let outside = || {
            let root = self.root.display();
            format!("`{name}` leads out of the folder {root}; give a wider one with --folder")
        };
        // What lies outside is refused before anything is asked of the file system.
        let joined = lexical(&base.join(name.replace('\\', "/")));
        if !joined.starts_with(&self.root) {
            return Err(outside());
        }
        let real = joined.canonicalize().map_err(|_| format!("there is no file `{name}`"))?;
        if real.starts_with(&self.root) { Ok(real) } else { Err(outside()) }
    }

    pub fn root(&self) -> &Path {
        &self.root
    }
}

/// The path without `.` and `..`.
fn lexical(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}
