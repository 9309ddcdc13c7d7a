//! A lock on the results folder, so that no two runs write into it.
//!
//! The file `run.lock` holds the number of the process and is locked by the system. The lock of a process that was killed is
//! gone with it: the file that is left is stale, and the next run takes it over.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use thiserror::Error;

const FILE: &str = "run.lock";
/// How long a lock is waited for: a process that was just started has copies of the open files of this one for a moment.
const PATIENCE: Duration = Duration::from_secs(1);
/// Time between two attempts.
const PAUSE: Duration = Duration::from_millis(5);

/// Why a folder cannot be locked.
#[derive(Debug, Error)]
pub enum LockError {
    /// Another run writes there.
    #[error("{} is in use by another run (process {process}); wait for its end or choose another folder with --out", folder.display())]
    Busy {
        /// The folder.
        folder: PathBuf,
        /// Number of the process that runs.
        process: String,
    },
    /// The lock file cannot be written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The lock file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

/// Held while a run writes into its folder.
pub(crate) struct FolderLock {
    path: PathBuf,
    _file: File,
}

impl FolderLock {
    /// Locks a folder that exists.
    pub(crate) fn take(folder: &Path) -> Result<Self, LockError> {
        let path = folder.join(FILE);
        let failed = |source| LockError::Io { path: path.clone(), source };
        let own = std::process::id().to_string();
        let begin = Instant::now();
        loop {
            let mut options = OpenOptions::new();
            let mut file =
                options.create(true).truncate(false).write(true).open(&path).map_err(failed)?;
            match file.try_lock() {
                Ok(()) => {
                    file.set_len(0).and_then(|()| file.rewind()).map_err(failed)?;
                    file.write_all(own.as_bytes()).map_err(failed)?;
                    // The run before may have removed the file between the two calls above.
                    if std::fs::read_to_string(&path).is_ok_and(|text| text == own) {
                        return Ok(Self { path, _file: file });
                    }
                }
                Err(TryLockError::WouldBlock) if begin.elapsed() >= PATIENCE => {
                    let process = std::fs::read_to_string(&path).unwrap_or_default();
                    return Err(LockError::Busy { folder: folder.to_owned(), process });
                }
                Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
                Err(TryLockError::Error(source)) => return Err(failed(source)),
            }
        }
    }
}

impl Drop for FolderLock {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_keeps_others_out_and_a_stale_one_does_not() {
        let folder = std::env::temp_dir().join(format!("nonsmooth-lock-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("writable");
        // Left by a process that is no more.
        std::fs::write(folder.join(FILE), "4000000000").expect("writable");
        let lock = FolderLock::take(&folder).expect("the file is stale");
        let busy = FolderLock::take(&folder).err().expect("it is locked").to_string();
        assert!(busy.contains(&format!("process {}", std::process::id())), "{busy}");
        drop(lock);
        assert!(!folder.join(FILE).exists());
        drop(FolderLock::take(&folder).expect("it is free again"));
        std::fs::remove_dir_all(&folder).expect("removable");
    }
}
