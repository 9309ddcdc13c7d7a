//! Finished pictures.

use super::RenderError;
use std::{fs, io, path::Path};
use tiny_skia::{ColorU8, Pixmap};

/// A picture as pixels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Width [px].
    pub width: u32,
    /// Height [px].
    pub height: u32,
    /// Red, green, blue of each pixel, row after row from the top.
    pub pixels: Vec<[u8; 3]>,
    /// Bodies that were not drawn, as their poses or surfaces are not finite.
    pub n_left_out: usize,
}

impl Image {
    /// Bytes of a PNG file.
    pub fn png(&self) -> Result<Vec<u8>, RenderError> {
        self.pixmap()?.encode_png().map_err(|e| RenderError::Encode(e.to_string()))
    }

    /// Writes a PNG file.
    pub fn save(&self, path: &Path) -> io::Result<()> {
        fs::write(path, self.png().map_err(io::Error::other)?)
    }

    pub(super) fn pixmap(&self) -> Result<Pixmap, RenderError> {
        let size = RenderError::Size { width: self.width, height: self.height };
        let mut map = Pixmap::new(self.width, self.height).ok_or(size)?;
        for (to, [r, g, b]) in map.pixels_mut().iter_mut().zip(&self.pixels) {
            *to = ColorU8::from_rgba(*r, *g, *b, 0xff).premultiply();
        }
        Ok(map)
    }
}
