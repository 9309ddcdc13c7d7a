//! Collections: a file that lists the frames with their times, and the frames.

use super::error::{VtkError, io};
use super::piece::escaped;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

const HEAD: &str = "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n<Collection>\n";
const TAIL: &str = "</Collection>\n</VTKFile>\n";

/// The frames of one kind.
#[derive(Debug)]
pub(super) struct Collection {
    folder: PathBuf,
    name: String,
    times: Vec<f64>,
}

impl Collection {
    /// An empty collection.
    pub fn new(folder: &Path, name: &str) -> Self {
        Self { folder: folder.to_owned(), name: name.to_owned(), times: Vec::new() }
    }

    /// Frames so far.
    pub fn n_frames(&self) -> usize {
        self.times.len()
    }

    /// Whether the list of frames is there.
    pub fn exists(&self) -> bool {
        self.path().exists()
    }

    /// Frames up to time t [s].
    pub fn n_frames_up_to(&self, t: f64) -> usize {
        self.times.iter().take_while(|at| **at <= t).count()
    }

    fn path(&self) -> PathBuf {
        self.folder.join(format!("{}.pvd", self.name))
    }

    fn frame_name(&self, k: usize) -> String {
        format!("{}_{k:06}.vtp", self.name)
    }

    /// Reads the times of the frames from the file.
    pub fn read(&mut self) -> Result<(), VtkError> {
        let path = self.path();
        let text = fs::read_to_string(&path).map_err(io(&path))?;
        let damaged = |line: usize| VtkError::Damaged { path: path.clone(), line };
        let lines = text.strip_prefix(HEAD).and_then(|rest| rest.strip_suffix(TAIL));
        let lines = lines.ok_or_else(|| damaged(1))?;
        self.times.clear();
        for (k, line) in lines.lines().enumerate() {
            let time = line.strip_prefix("<DataSet timestep=\"").and_then(|rest| rest.split_once('"'));
            let t: f64 = time
                .and_then(|(t, _)| t.parse().ok())
                .ok_or_else(|| damaged(k + HEAD.lines().count() + 1))?;
            self.times.push(t);
        }
        Ok(())
    }

    /// Whether there are so many frames.
    pub fn has(&self, want: usize) -> Result<(), VtkError> {
        let have = self.times.len();
        if have < want { Err(VtkError::TooFewFrames { path: self.path(), have, want }) } else { Ok(()) }
    }

    /// Forgets the frames after the first `n`, and removes the files of those that were listed.
    pub fn keep(&mut self, n: usize) -> Result<(), VtkError> {
        let before = self.times.len();
        self.times.truncate(n);
        self.list()?;
        for k in n..before {
            let path = self.folder.join(self.frame_name(k));
            match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(self::io(&path)(error));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Whether a frame at time t can follow.
    pub fn accepts(&self, t: f64) -> Result<(), VtkError> {
        let last = self.times.last().copied();
        let is_later = t.is_finite() && last.is_none_or(|last| t > last);
        if is_later { Ok(()) } else { Err(VtkError::NotLater { t, last }) }
    }

    /// Writes a frame, then lists it.
    pub fn add(
        &mut self,
        t: f64,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), VtkError> {
        replace(&self.folder.join(self.frame_name(self.times.len())), write)?;
        self.times.push(t);
        let listed = self.list();
        if listed.is_err() {
            self.times.pop();
        }
        listed
    }

    fn list(&self) -> Result<(), VtkError> {
        let mut text = HEAD.to_owned();
        for (k, t) in self.times.iter().enumerate() {
            let file = escaped(&self.frame_name(k));
            // Writing to a text cannot fail; `{t:?}` reads back to the same bits.
            let _ = writeln!(text, "<DataSet timestep=\"{t:?}\" part=\"0\" file=\"{file}\"/>");
        }
        text.push_str(TAIL);
        replace(&self.path(), |to| to.write_all(text.as_bytes()))
    }
}

/// Writes a file under another name, then gives it its own: it is there as a whole or not at all.
fn replace(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), VtkError> {
    let mut part = path.as_os_str().to_owned();
    part.push(".part");
    let part = PathBuf::from(part);
    let mut file = BufWriter::new(File::create(&part).map_err(io(&part))?);
    write(&mut file).and_then(|()| file.flush()).map_err(io(&part))?;
    drop(file);
    fs::rename(&part, path).map_err(io(path))
}
