//! Pictures of bodies: triangles to an image, without a graphics card.
//!
//! A picture goes through six phases, each over rows of samples, 2 × 2 to a pixel:
//!
//! 1. `shadow`: distances seen from the light.
//! 2. `raster`: nearest surface at each sample (key, body, normal), then creases as thin lines.
//! 3. `occlusion`: how much of the sky each pixel sees.
//! 4. `shade`: colour = albedo (ambient · occlusion + key light · shadow + fill light), ground and grid.
//! 5. `overlay`: contact forces, caption.
//! 6. `image`: PNG.
//!
//! Rows are drawn in parallel, each by one thread and in the order of the bodies: same input, same
//! bytes, whatever the threads. A body with a pose that is not finite is left out and counted.

mod bands;
mod camera;
mod clip;
mod fill;
mod image;
mod lines;
mod occlusion;
mod overlay;
mod palette;
mod posed;
mod raster;
mod shade;
mod shadow;
mod view;

#[cfg(test)]
mod tests;

pub use bands::{N_BANDS, band_colour, bands};
pub use camera::Camera;
pub use image::Image;
pub use palette::{FIXED, colour};

use glam::{DQuat, DVec3};
use nonsmooth_geometry::SurfaceMesh;
use nonsmooth_geometry::spatial::{Pose, Shape};
use posed::Posed;
use view::View;

/// What to draw. Build it with `Picture { bodies, title, ..Picture::default() }`.
#[derive(Clone, Debug, Default)]
pub struct Picture<'a> {
    /// Drawn in order; of equal distances the first is seen.
    pub bodies: Vec<Drawn<'a>>,
    /// Further points that the camera shall see [m], such as the ground near the bodies.
    pub around: Vec<[f64; 3]>,
    /// Where forces act; drawn over the bodies.
    pub contacts: Vec<DrawnContact>,
    /// An endless floor with a grid; it stands for a half-space, which then need not be a body.
    pub ground: Option<Ground>,
    /// Upper left.
    pub title: String,
    /// Time [s], upper right.
    pub t: Option<f64>,
    /// Length of the arrow of 1 N [m/N]; by default the longest arrow is a seventh of the picture's height.
    pub force_scale: Option<f64>,
    /// What the colours of the bands mean, at the right.
    pub bar: Option<Bar>,
}

/// The numbers of coloured bands.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// What they are, with unit.
    pub label: String,
    /// The lowest and the highest.
    pub range: [f64; 2],
}

/// A body of a picture.
#[derive(Clone, Copy, Debug)]
pub struct Drawn<'a> {
    /// Its surface, in its own frame. Bodies of equal shape share one.
    pub surface: &'a SurfaceMesh,
    /// Where it is.
    pub pose: Pose,
    /// Red, green, blue, as on a screen.
    pub colour: [u8; 3],
    /// Fixed bodies do not count when the camera is chosen.
    pub is_fixed: bool,
    /// Which of its faces are seen.
    pub look: Look,
}

/// Which faces of a body are seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Look {
    /// Those turned to the eye.
    #[default]
    Solid,
    /// Through them one sees what is behind, and they cast no shadow: a container with its content.
    Glass,
}

impl<'a> Drawn<'a> {
    /// A moving body in the colour of its number.
    pub fn moving(number: usize, surface: &'a SurfaceMesh, pose: Pose) -> Self {
        Self { surface, pose, colour: colour(number), is_fixed: false, look: Look::Solid }
    }

    /// A fixed body to look through.
    pub fn glass(surface: &'a SurfaceMesh, pose: Pose) -> Self {
        Self { look: Look::Glass, ..Self::fixed(surface, pose) }
    }

    /// A fixed body, light grey.
    pub fn fixed(surface: &'a SurfaceMesh, pose: Pose) -> Self {
        Self { surface, pose, colour: FIXED, is_fixed: true, look: Look::Solid }
    }
}

/// A contact of a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DrawnContact {
    /// Where it is [m].
    pub point: [f64; 3],
    /// The force on the body that the arrow points into [N]; zero is a dot.
    pub force: [f64; 3],
}

/// A plane seen from its outer side only.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ground {
    /// A point of it [m].
    pub point: [f64; 3],
    /// Outwards [–]; need not be of length 1.
    pub normal: [f64; 3],
}

impl Ground {
    /// The level z = `height` [m].
    pub fn level(height: f64) -> Self {
        Self { point: [0.0, 0.0, height], normal: [0.0, 0.0, 1.0] }
    }

    /// The border of a half-space at a pose; None for every other shape.
    pub fn of(shape: &Shape, pose: &Pose) -> Option<Self> {
        let normal = DVec3::from_array(shape.half_space_normal()?);
        let [w, x, y, z] = pose.rotation;
        let normal = DQuat::from_xyzw(x, y, z, w).normalize() * normal;
        Some(Self { point: pose.position, normal: normal.to_array() })
    }
}

/// Why a picture cannot be drawn.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RenderError {
    /// Too small to show anything, or too large for the memory.
    #[error("a picture of {width} × {height} px: need 16 × 16 to 16 million px")]
    Size {
        /// Width [px].
        width: u32,
        /// Height [px].
        height: u32,
    },
    /// The PNG encoder failed.
    #[error("PNG encoder: {0}")]
    Encode(String),
}

/// Fewest pixels of a side.
const LEAST: u32 = 16;
/// Most pixels of a picture: 12 bytes for each of four samples are then 800 MB.
const MOST: u64 = 1 << 24;

impl Picture<'_> {
    /// A perspective camera that looks along a direction and shows all moving bodies (or all if none moves) and `around`.
    pub fn camera(&self, direction: [f64; 3], size: (u32, u32)) -> Camera {
        Camera::fit(&self.extremes(), direction, size)
    }

    /// The same without perspective; along −z, as for scenes in the plane, x is to the right and y up.
    pub fn flat_camera(&self, direction: [f64; 3], size: (u32, u32)) -> Camera {
        Camera::fit_orthographic(&self.extremes(), direction, size)
    }

    /// Corners of boxes around the moving bodies, or around all if none moves, and the points of `around`.
    fn extremes(&self) -> Vec<[f64; 3]> {
        let all_fixed = self.bodies.iter().all(|body| body.is_fixed);
        let shown = self.bodies.iter().filter(|body| all_fixed || !body.is_fixed);
        let posed = shown.filter_map(Posed::new);
        let boxes = posed.flat_map(|body| {
            let (low, high) = body.extent();
            let corner =
                move |k: u32, axis: u32| if k >> axis & 1 == 1 { high } else { low }[axis as usize];
            (0..8).map(move |k| [corner(k, 0), corner(k, 1), corner(k, 2)])
        });
        boxes.chain(self.around.iter().copied()).collect()
    }
}

/// Draws a picture.
pub fn draw(picture: &Picture<'_>, camera: &Camera, size: (u32, u32)) -> Result<Image, RenderError> {
    let (width, height) = size;
    if width.min(height) < LEAST || u64::from(width) * u64::from(height) > MOST {
        return Err(RenderError::Size { width, height });
    }
    let posed: Vec<Posed<'_>> = picture.bodies.iter().filter_map(Posed::new).collect();
    let n_left_out = picture.bodies.len() - posed.len();
    let view = View::new(camera, (2 * width, 2 * height));
    let ground = picture.ground.and_then(|ground| raster::Floor::new(&ground, &view));
    let up = picture
        .ground
        .map_or(DVec3::Z, |ground| DVec3::from_array(ground.normal).normalize_or(DVec3::Z));

    let stage = shade::Stage::new(&posed, &view, up);
    let shadow = shadow::Shadow::new(&posed, &stage);
    let samples = raster::raster(&posed, &view, ground.as_ref());
    let sky = occlusion::occlusion(&samples, &view, stage.grain);
    let scene = shade::Scene { posed: &posed, stage: &stage, shadow: &shadow, floor: ground.as_ref() };
    let mut image = shade::shade(&samples, &sky, &view, &scene);
    image.n_left_out = n_left_out;
    overlay::overlay(picture, &view, ground.map(|_| stage.cell), &mut image);
    Ok(image)
}
