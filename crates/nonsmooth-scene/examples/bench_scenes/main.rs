//! The scenes of `cargo xtask bench scenes`, written as JSON for every engine alike; our own engine on them; and the judge
//! of all. Also our side of `cargo xtask bench referee`.
//!
//!     bench_scenes list
//!     bench_scenes write FOLDER [NAME]...
//!     bench_scenes run SCENE.json STEPS.csv FRAMES.txt [SOLVER]
//!     bench_scenes overlap SCENE.json FRAMES.txt
//!     bench_scenes judge SCENE.json CONTACTS.txt
//!     bench_scenes referee

mod engine;
mod judge;
mod masonry;
mod overlap;
mod piles;
mod random;
mod referee;
mod scene;

use scene::Scene;
use std::path::Path;
use std::process::ExitCode;

/// A scene by name, made when asked for: the largest takes a while.
type Make = fn() -> Scene;

const SCENES: [(&str, Make); 11] = [
    ("spheres-100", || piles::spheres(100, 100, 150)),
    ("spheres-500", || piles::spheres(500, 100, 150)),
    ("spheres-2000", || piles::spheres(2000, 200, 10)),
    ("spheres-10000", || piles::spheres(10_000, 300, 20)),
    ("spheres-100000", || piles::spheres(100_000, 150, 5)),
    ("stack-5", || masonry::stack(5, 100)),
    ("stack-10", || masonry::stack(10, 20)),
    ("wall", || masonry::wall(10, 10, 100)),
    ("arch", || masonry::arch(21, 200)),
    ("tower", || masonry::tower(18, 100)),
    ("capsules-200", || piles::capsules(200, 400, 100)),
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words[..] {
        ["list"] => {
            SCENES.iter().for_each(|(name, _)| println!("{name}"));
            Ok(())
        }
        ["write", folder, ref names @ ..] => write(Path::new(folder), names),
        ["run", scene, steps, frames, ref solver @ ..] if solver.len() < 2 => {
            let solver = solver.first().copied().unwrap_or("auto");
            engine::run(Path::new(scene), Path::new(steps), Path::new(frames), solver)
        }
        ["referee"] => referee::print(),
        ["overlap", scene, frames] => overlap::overlaps(Path::new(scene), Path::new(frames)),
        ["judge", scene, contacts] => judge::judge(Path::new(scene), Path::new(contacts)),
        _ => Err(
            "usage: bench_scenes list | write … | run … | referee | overlap … | judge …, see main.rs"
                .to_owned(),
        ),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(wrong) => {
            eprintln!("error: {wrong}");
            ExitCode::from(2)
        }
    }
}

/// Writes the scenes named, or all.
fn write(folder: &Path, names: &[&str]) -> Result<(), String> {
    std::fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    for (name, make) in SCENES {
        if names.is_empty() || names.contains(&name) {
            let mut scene = make();
            engine::settle(&mut scene)?;
            scene.write(&folder.join(format!("{name}.json")))?;
            println!("{name}: {} bodies", scene.bodies.len());
        }
    }
    Ok(())
}
