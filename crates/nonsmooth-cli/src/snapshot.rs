//! `nonsmooth snapshot`: a frame of a run as a picture.

use anyhow::anyhow;
use nonsmooth_scene::{Playback, Shot};
use nonsmooth_studies::command::{Failure, say};
use std::path::PathBuf;

#[derive(clap::Args)]
pub(crate) struct SnapshotArgs {
    /// Results of a run of rigid or elastic bodies: the folder, or its results.h5
    results: PathBuf,
    /// The frame nearest to this time [s] [default: the last frame]
    #[arg(long, value_name = "SECONDS", conflicts_with = "frame")]
    time: Option<f64>,
    /// The frame with this number, from 0
    #[arg(long, value_name = "NUMBER")]
    frame: Option<usize>,
    /// The picture [default: snapshot.png beside the results]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Width and height in pixels
    #[arg(long, value_name = "WxH", default_value = "1280x960", value_parser = parse_size)]
    size: (u32, u32),
    /// Direction of view, as x,y,z [default: -0.45,1,-0.45; over a height field -0.45,1,-0.8; in the plane 0,0,-1]
    #[arg(long, value_name = "X,Y,Z", value_parser = parse_direction, allow_hyphen_values = true)]
    view: Option<[f64; 3]>,
    /// Draw the forces at the contacts
    #[arg(long)]
    forces: bool,
    /// What colours elastic bodies: mises, pressure, slip_rate, displacement or a stress such as s_xx
    /// [default: mises, of beams displacement]
    #[arg(long, value_name = "NAME")]
    colour: Option<String>,
    /// Factor of the displacements of elastic bodies
    #[arg(long, value_name = "FACTOR", default_value = "1", value_parser = parse_factor)]
    exaggerate: f64,
}

/// Draws the frame and says where it is.
pub(crate) fn run(args: &SnapshotArgs) -> Result<(), Failure> {
    let playback = Playback::open(&args.results).map_err(|error| {
        Failure::Input(anyhow!(
            "{error}\nrun a scene first: nonsmooth run scenes/box-stack.toml --out DIR"
        ))
    })?;
    let last = playback.times().len().saturating_sub(1);
    let frame = args.frame.or(args.time.map(|t| playback.nearest(t))).unwrap_or(last);
    let shot = Shot {
        size: args.size,
        direction: args.view,
        forces: args.forces,
        colour: args.colour.clone(),
        exaggerated: args.exaggerate,
    };
    let image = playback.draw(frame, &shot).map_err(|error| Failure::Input(error.into()))?;
    let beside = if args.results.is_dir() {
        args.results.clone()
    } else {
        args.results.parent().map(PathBuf::from).unwrap_or_default()
    };
    let out = args.out.clone().unwrap_or_else(|| beside.join("snapshot.png"));
    image
        .save(&out)
        .map_err(|error| Failure::Run(anyhow!("cannot write {}: {error}", out.display())))?;
    say(&format!(
        "frame {frame} of {}, t = {} s: {}",
        playback.times().len(),
        playback.times()[frame],
        out.display()
    ));
    if image.n_left_out > 0 {
        say(&format!("{} bodies are left out: their places are not finite", image.n_left_out));
    }
    Ok(())
}

fn parse_size(text: &str) -> Result<(u32, u32), String> {
    let wrong = || format!("write WIDTHxHEIGHT, as in 1280x960, not `{text}`");
    let (width, height) = text.split_once('x').ok_or_else(wrong)?;
    Ok((width.parse().map_err(|_| wrong())?, height.parse().map_err(|_| wrong())?))
}

fn parse_factor(text: &str) -> Result<f64, String> {
    let factor: f64 = text.trim().parse().map_err(|_| format!("write a number, not `{text}`"))?;
    if factor.is_finite() && factor >= 0.0 {
        Ok(factor)
    } else {
        Err("write a finite number ≥ 0".into())
    }
}

fn parse_direction(text: &str) -> Result<[f64; 3], String> {
    let wrong = || format!("write x,y,z with at least one that is not zero, not `{text}`");
    let numbers: Vec<f64> =
        text.split(',').map(|x| x.trim().parse().map_err(|_| wrong())).collect::<Result<_, _>>()?;
    let direction: [f64; 3] = numbers.try_into().map_err(|_| wrong())?;
    let is_one = direction.iter().all(|x| x.is_finite()) && direction.iter().any(|x| *x != 0.0);
    if is_one { Ok(direction) } else { Err(wrong()) }
}
