//! Files for VTK, read back by a small reader of their own.

use nonsmooth_geometry::spatial::{Pose, Shape};
use nonsmooth_geometry::{Detail, SurfaceMesh};
use nonsmooth_scene::vtk::{Body, Contact, VtkError, VtkWriter};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A folder of its own for each test, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("nonsmooth-vtk-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// What stands between `key="` and the next quote.
fn attribute(element: &str, key: &str) -> Option<String> {
    let (_, rest) = element.split_once(&format!(" {key}=\""))?;
    let (value, _) = rest.split_once('"')?;
    let plain = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&amp;", "&")];
    Some(plain.iter().fold(value.to_owned(), |text, (from, to)| text.replace(from, to)))
}

/// The arrays of a file by section and name, as doubles, and the attributes of its piece.
fn read(path: &Path) -> (BTreeMap<String, Vec<f64>>, String) {
    let bytes = std::fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mark = b"<AppendedData encoding=\"raw\">\n_";
    let start = bytes.windows(mark.len()).position(|w| w == mark).expect("appended data");
    let header = String::from_utf8(bytes[..start].to_vec()).expect("text");
    let data = &bytes[start + mark.len()..];
    assert!(header.contains("byte_order=\"LittleEndian\" header_type=\"UInt64\""));
    let mut arrays = BTreeMap::new();
    let (mut section, mut piece, mut end) = (String::new(), String::new(), 0);
    for line in header.lines() {
        let tag = line.trim_start_matches('<').split([' ', '>', '/']).next().unwrap_or("");
        if tag == "DataArray" {
            let offset: usize =
                attribute(line, "offset").and_then(|x| x.parse().ok()).expect("an offset");
            assert_eq!(offset, end, "arrays follow each other");
            let word = data[offset..offset + 8].try_into().expect("eight bytes");
            let length = u64::from_le_bytes(word) as usize;
            end = offset + 8 + length;
            let raw = &data[offset + 8..end];
            let values = match attribute(line, "type").as_deref() {
                Some("Float32") => numbers(raw, |b: [u8; 4]| f64::from(f32::from_le_bytes(b))),
                Some("Float64") => numbers(raw, |b: [u8; 8]| f64::from_le_bytes(b)),
                Some("Int32") => numbers(raw, |b: [u8; 4]| f64::from(i32::from_le_bytes(b))),
                other => panic!("type {other:?}"),
            };
            let name = attribute(line, "Name").expect("a name");
            arrays.insert(format!("{section}/{name}"), values);
        } else if ["FieldData", "Points", "PointData", "Verts", "Polys"].contains(&tag) {
            section = tag.to_owned();
        } else if tag == "Piece" {
            piece = line.to_owned();
        }
    }
    assert_eq!(&data[end..], b"\n</AppendedData>\n</VTKFile>\n");
    (arrays, piece)
}

fn numbers<const N: usize>(raw: &[u8], number: impl Fn([u8; N]) -> f64) -> Vec<f64> {
    assert!(raw.len().is_multiple_of(N));
    raw.chunks(N).map(|b| number(b.try_into().expect("whole chunks"))).collect()
}

fn listed(path: &Path) -> Vec<(f64, String)> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let sets = text.lines().filter(|line| line.starts_with("<DataSet"));
    sets.map(|line| {
        let t = attribute(line, "timestep").and_then(|t| t.parse().ok()).expect("a time");
        (t, attribute(line, "file").expect("a file"))
    })
    .collect()
}

fn meshes() -> [SurfaceMesh; 2] {
    let detail = Detail::of(8);
    [Shape::ball(0.5), Shape::cuboid([0.1, 0.2, 0.3])]
        .map(|shape| shape.expect("sound").surface_mesh(&detail))
}

fn frame<'a>(meshes: &'a [SurfaceMesh; 2], t: f64) -> (Vec<Body<'a>>, Vec<Contact>) {
    let body = |k: usize, mesh: Option<&'a SurfaceMesh>| Body {
        surface: mesh,
        pose: Pose::turned([k as f64, t, 0.25], [0.0, 0.0, 1.0], 0.5 * t),
        velocity: [3.0, 4.0 * t, 0.0],
        angular_velocity: [0.0, 0.5, k as f64],
        kinetic_energy: 1.5 + k as f64,
    };
    let contact = |k: i32| Contact {
        bodies: [k, -1],
        point: [f64::from(k), 0.1, 0.2],
        normal: [0.0, 0.0, 1.0],
        gap: -1e-9 * f64::from(k),
        impulse: [0.0, 0.1, 0.2],
        force: [1.0, 2.0, 3.0 + t],
    };
    let bodies = vec![body(0, Some(&meshes[0])), body(1, None), body(2, Some(&meshes[1]))];
    (bodies, (0..4).map(contact).collect())
}

#[test]
fn what_is_written_is_read_back() {
    let folder = Folder::new("back");
    let meshes = meshes();
    let mut writer = VtkWriter::create(&folder.0, "run").expect("a folder");
    for t in [0.0, 0.1, 0.25] {
        let (bodies, contacts) = frame(&meshes, t);
        writer.frame(t, &bodies, &contacts).expect("finite");
    }
    assert_eq!(writer.n_frames(), 3);
    let files = listed(&folder.0.join("run_bodies.pvd"));
    assert_eq!(files.iter().map(|f| f.0).collect::<Vec<f64>>(), [0.0, 0.1, 0.25]);
    let (arrays, piece) = read(&folder.0.join(&files[2].1));
    let n: usize = meshes[0].vertices.len() + 1 + 8;
    assert_eq!(attribute(&piece, "NumberOfPoints"), Some(n.to_string()));
    assert_eq!(attribute(&piece, "NumberOfVerts").as_deref(), Some("1"));
    assert_eq!(arrays["FieldData/TimeValue"], [0.25]);
    let owner = &arrays["PointData/body"];
    assert_eq!(owner.len(), n);
    let (sine, cosine) = 0.125_f64.sin_cos();
    for (i, k) in owner.iter().map(|k| *k as usize).enumerate() {
        let local = [meshes[0].vertices.as_slice(), &[[0.0; 3]], &meshes[1].vertices].concat()[i];
        let (x, y) = (cosine * local[0] - sine * local[1], sine * local[0] + cosine * local[1]);
        let want = [k as f64 + x, 0.25 + y, 0.25 + local[2]];
        for axis in 0..3 {
            // Single precision of numbers up to 3.
            assert!((arrays["Points/Points"][3 * i + axis] - want[axis]).abs() < 4e-7, "{i} {want:?}");
        }
        assert_eq!(arrays["PointData/velocity"][3 * i..3 * i + 3], [3.0, 1.0, 0.0]);
        assert_eq!(arrays["PointData/angular_velocity"][3 * i..3 * i + 3], [0.0, 0.5, k as f64]);
        assert_eq!(arrays["PointData/kinetic_energy"][i], 1.5 + k as f64);
        assert!((arrays["PointData/speed"][i] - 10.0_f64.sqrt()).abs() < 4e-7);
        assert!((arrays["PointData/orientation"][4 * i] - cosine_half(0.125)).abs() < 1e-7);
    }
    check_cells(&arrays, &meshes);
}

fn cosine_half(angle: f64) -> f64 {
    (0.5 * angle).cos()
}

fn check_cells(arrays: &BTreeMap<String, Vec<f64>>, meshes: &[SurfaceMesh; 2]) {
    let n = meshes[0].vertices.len();
    assert_eq!(arrays["Verts/connectivity"], [n as f64]);
    let first = meshes[0].triangles.iter().flatten().map(|v| f64::from(*v));
    let second = meshes[1].triangles.iter().flatten().map(|v| f64::from(*v) + n as f64 + 1.0);
    assert_eq!(arrays["Polys/connectivity"], first.chain(second).collect::<Vec<f64>>());
    let ends = &arrays["Polys/offsets"];
    assert_eq!(ends.len(), meshes[0].triangles.len() + 12);
    assert!(ends.iter().enumerate().all(|(k, end)| *end == 3.0 * (k as f64 + 1.0)));
}

#[test]
fn contacts_are_read_back_to_the_bit() {
    let folder = Folder::new("contacts");
    let meshes = meshes();
    let mut writer = VtkWriter::create(&folder.0, "run").expect("a folder");
    let (bodies, contacts) = frame(&meshes, 0.3);
    writer.frame(0.3, &bodies, &contacts).expect("finite");
    writer.frame(0.4, &[], &[]).expect("nothing is fine");
    let (arrays, _) = read(&folder.0.join("run_contacts_000000.vtp"));
    let flat = |f: fn(&Contact) -> [f64; 3]| contacts.iter().flat_map(f).collect::<Vec<f64>>();
    assert_eq!(arrays["Points/Points"], flat(|c| c.point));
    assert_eq!(arrays["PointData/normal"], flat(|c| c.normal));
    assert_eq!(arrays["PointData/impulse"], flat(|c| c.impulse));
    assert_eq!(arrays["PointData/force"], flat(|c| c.force));
    assert_eq!(arrays["PointData/gap"], contacts.iter().map(|c| c.gap).collect::<Vec<f64>>());
    assert_eq!(arrays["PointData/bodies"], [0.0, -1.0, 1.0, -1.0, 2.0, -1.0, 3.0, -1.0]);
    let (arrays, piece) = read(&folder.0.join("run_contacts_000001.vtp"));
    assert_eq!(attribute(&piece, "NumberOfPoints").as_deref(), Some("0"));
    assert!(arrays["Points/Points"].is_empty());
}

#[test]
fn a_resumed_run_keeps_its_prefix_and_is_the_same_to_the_byte() {
    let folder = Folder::new("resume");
    let meshes = meshes();
    let times = [0.0, 0.5, 1.0, 1.5];
    let run = |writer: &mut VtkWriter, times: &[f64]| {
        for &t in times {
            let (bodies, contacts) = frame(&meshes, t);
            writer.frame(t, &bodies, &contacts).expect("finite");
        }
    };
    run(&mut VtkWriter::create(&folder.0, "whole").expect("a folder"), &times);
    run(&mut VtkWriter::create(&folder.0, "part").expect("a folder"), &times);
    let mut writer = VtkWriter::resume(&folder.0, "part", 2).expect("frames");
    assert_eq!(writer.n_frames(), 2);
    assert!(!folder.0.join("part_bodies_000003.vtp").exists(), "what is not listed is gone");
    assert_eq!(listed(&folder.0.join("part_contacts.pvd")).len(), 2);
    assert!(matches!(writer.frame(0.5, &[], &[]), Err(VtkError::NotLater { .. })));
    run(&mut writer, &times[2..]);
    for kind in ["bodies", "contacts"] {
        for k in 0..times.len() {
            let [a, b] = ["whole", "part"].map(|name| {
                std::fs::read(folder.0.join(format!("{name}_{kind}_{k:06}.vtp"))).expect("there")
            });
            assert!(a == b, "{kind} {k}");
        }
    }
    let error = VtkWriter::resume(&folder.0, "part", 9).expect_err("too few");
    assert!(error.to_string().ends_with("has 4 frames, but 9 are to be kept"), "{error}");
    assert_eq!(listed(&folder.0.join("part_bodies.pvd")).len(), 4, "a refused resume cuts nothing");
}

#[test]
fn a_run_that_dies_leaves_what_it_listed() {
    let folder = Folder::new("killed");
    let meshes = meshes();
    let mut writer = VtkWriter::create(&folder.0, "run").expect("a folder");
    for t in [0.0, 1.0, 2.0] {
        let (bodies, contacts) = frame(&meshes, t);
        writer.frame(t, &bodies, &contacts).expect("finite");
        // What a kill in the middle of a frame leaves.
        std::fs::write(folder.0.join("run_bodies_000009.vtp.part"), b"half").expect("writable");
        for kind in ["bodies", "contacts"] {
            let files = listed(&folder.0.join(format!("run_{kind}.pvd")));
            assert_eq!(files.len(), writer.n_frames());
            for (_, file) in files {
                read(&folder.0.join(file));
            }
        }
    }
    std::fs::write(folder.0.join("run_bodies.pvd"), b"<VTKFile>").expect("writable");
    let error = VtkWriter::resume(&folder.0, "run", 1).expect_err("damaged");
    assert!(matches!(error, VtkError::Damaged { .. }), "{error}");
}

#[test]
fn what_is_not_finite_is_refused_and_nothing_is_written() {
    let folder = Folder::new("refused");
    let meshes = meshes();
    let mut writer = VtkWriter::create(&folder.0, "run").expect("a folder");
    let (bodies, contacts) = frame(&meshes, 0.0);
    type Spoil = fn(&mut Body<'_>);
    let spoilers: [(&str, Spoil); 6] = [
        ("body 2: its position is", |b| b.pose.position[1] = f64::NAN),
        ("body 2: its position is", |b| b.pose.position[1] = 1e39),
        ("body 2: its rotation is", |b| b.pose.rotation = [0.0; 4]),
        ("body 2: its velocity is", |b| b.velocity[2] = f64::INFINITY),
        ("body 2: its angular velocity is", |b| b.angular_velocity[0] = f64::NAN),
        ("body 2: its kinetic energy is", |b| b.kinetic_energy = f64::NAN),
    ];
    for (words, spoil) in spoilers {
        let mut spoiled = bodies.clone();
        spoil(&mut spoiled[2]);
        let error = writer.frame(0.0, &spoiled, &contacts).expect_err("not finite").to_string();
        assert!(error.starts_with(words), "{error}");
    }
    let mut bad = meshes[1].clone();
    bad.triangles[3][1] = 99;
    let spoiled = [Body { surface: Some(&bad), ..bodies[0] }];
    assert!(matches!(writer.frame(0.0, &spoiled, &[]), Err(VtkError::BadSurfaceMesh { index: 0 })));
    let mut spoiled = contacts.clone();
    spoiled[3].force[0] = f64::NAN;
    let error = writer.frame(0.0, &bodies, &spoiled).expect_err("not finite").to_string();
    assert!(error.starts_with("contact 3: its force is not finite"), "{error}");
    assert!(matches!(writer.frame(f64::NAN, &bodies, &contacts), Err(VtkError::NotLater { .. })));
    assert_eq!(writer.n_frames(), 0);
    assert!(!folder.0.join("run_bodies_000000.vtp").exists());
}

#[test]
fn names_are_escaped_or_refused() {
    let folder = Folder::new("names");
    let mut writer = VtkWriter::create(&folder.0, "a <b> & 'c' é").expect("a name");
    writer.frame(0.0, &[], &[]).expect("nothing is fine");
    let path = folder.0.join("a <b> & 'c' é_bodies.pvd");
    let text = std::fs::read_to_string(&path).expect("there");
    assert!(text.contains("file=\"a &lt;b&gt; &amp; 'c' é_bodies_000000.vtp\""), "{text}");
    read(&folder.0.join(&listed(&path)[0].1));
    for name in ["", "a/b", "..\\b", "a\nb", "c:"] {
        assert!(matches!(VtkWriter::create(&folder.0, name), Err(VtkError::BadName { .. })), "{name}");
    }
}
