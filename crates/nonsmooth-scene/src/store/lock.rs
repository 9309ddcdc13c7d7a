//! Opening a file for writing, under a lock that no two writers have at once.
//!
//! The lock goes with the open file, and a process that another thread starts has copies of all open files from its birth
//! until it runs its own program. So a file that this process has just closed may stay locked for a moment.

use std::path::Path;
use std::time::{Duration, Instant};

use hdf5_pure::{Error, File, FileAccessProperties, SyncPolicy};

use super::error::{StoreError, hdf5};

/// How long a lock is waited for. A process starts in milliseconds, on a busy machine in tens of them.
const PATIENCE: Duration = Duration::from_secs(1);
/// Time between two attempts.
const PAUSE: Duration = Duration::from_millis(5);

/// Opens a file to read and write, once no one else has it open so.
pub(super) fn open_locked(path: &Path) -> Result<File, StoreError> {
    let begin = Instant::now();
    loop {
        match File::open_rw_with_options(path, access()) {
            Err(Error::FileLocked(_)) if begin.elapsed() < PATIENCE => std::thread::sleep(PAUSE),
            outcome => return outcome.map_err(hdf5(path)),
        }
    }
}

/// No `fsync` except in `Writer::sync` and at the end; by default hdf5-pure does five per append.
pub(super) fn access() -> FileAccessProperties {
    FileAccessProperties::new().with_sync_policy(SyncPolicy::OnClose)
}
