//! Sample frames for VTK, with what a reader must find in them; then the time of a large frame.
//!
//! `cargo run --release --example vtk_frames -- <folder>`, then
//! `python tests/vtk_reader.py <folder>/sample_bodies.pvd`.

use nonsmooth_geometry::Detail;
use nonsmooth_geometry::spatial::{Pose, Shape};
use nonsmooth_scene::vtk::{Body, Contact, VtkWriter};
use std::error::Error;
use std::path::Path;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("usage: vtk_frames <folder>")?;
    let folder = Path::new(&folder);
    let ball = Shape::ball(0.5)?.surface_mesh(&Detail::of(32));
    let brick = Shape::cuboid([0.1, 0.2, 0.3])?.surface_mesh(&Detail::default());
    let body = |surface, k: u32, t: f64| Body {
        surface,
        pose: Pose::turned([2.0 * f64::from(k), t, 0.0], [1.0, 2.0, 3.0], t + f64::from(k)),
        velocity: [0.0, 1.0, f64::from(k)],
        angular_velocity: [0.1, 0.2, 0.3],
        kinetic_energy: 0.5 * f64::from(k),
    };
    let mut writer = VtkWriter::create(folder, "sample")?;
    for k in 0..5 {
        let t = 0.1 * f64::from(k);
        let bodies = [body(Some(&ball), 0, t), body(Some(&brick), 1, t), body(None, 2, t)];
        let contact = |i: i32| Contact {
            bodies: [i, -1],
            point: [f64::from(i), 0.0, t],
            normal: [0.0, 0.6, 0.8],
            gap: 1e-6 * f64::from(i),
            impulse: [0.0, 0.0, 0.01 * f64::from(i)],
            force: [0.0, 0.0, 10.0 * f64::from(i)],
        };
        let contacts: Vec<Contact> = (0..k).map(contact).collect();
        writer.frame(t, &bodies, &contacts)?;
    }
    println!(
        "volume of the brick 0.048 m³; of the surface of the ball {:.9}",
        volume(&ball.vertices, &ball.triangles)
    );
    println!("contacts of the last frame: forces sum to 60 N, gaps to 6e-6 m, normal forces to 48 N");

    let small = Shape::ball(0.05)?.surface_mesh(&Detail::of(16));
    let many: Vec<Body<'_>> = (0..10_000).map(|k| body(Some(&small), k, 0.0)).collect();
    let mut writer = VtkWriter::create(folder, "many")?;
    let start = Instant::now();
    writer.frame(0.0, &many, &[])?;
    let bytes = std::fs::metadata(folder.join("many_bodies_000000.vtp"))?.len();
    println!("10 000 balls: {:.2} s, {} MB", start.elapsed().as_secs_f64(), bytes / 1_000_000);
    Ok(())
}

fn volume(vertices: &[[f64; 3]], triangles: &[[u32; 3]]) -> f64 {
    let corner = |i: u32| glam::DVec3::from_array(vertices[i as usize]);
    triangles.iter().map(|t| t.map(corner)).map(|[a, b, c]| a.dot(b.cross(c)) / 6.0).sum()
}
