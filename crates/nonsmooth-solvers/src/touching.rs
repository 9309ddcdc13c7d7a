//! Stand-in.
/// A body's inverse inertia in world axes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Inertia {
    /// a
    pub inv_mass: f64,
    /// b
    pub inv_inertia: [f64; 6],
}
/// One contact.
#[derive(Clone, Copy, Debug)]
pub struct Touch {
    /// a
    pub bodies: [u32; 2],
    /// b
    pub frame: [[f64; 3]; 3],
    /// c
    pub arms: [[f64; 3]; 2],
}
/// Stands in `Touch::bodies` for what does not move.
pub const IMMOVABLE: u32 = u32::MAX;
/// Contacts.
#[derive(Clone, Debug, Default)]
pub struct Touching {
    /// a
    pub bodies: Vec<Inertia>,
    /// b
    pub touches: Vec<Touch>,
    w: std::sync::OnceLock<crate::sparse::Sparse>,
}
impl Touching {
    /// a
    pub fn renew(&mut self) -> (&mut Vec<Inertia>, &mut Vec<Touch>) {
        self.w.take();
        (&mut self.bodies, &mut self.touches)
    }
}
