//! What cannot become a scene is refused with file and line, and nothing outside of the folder is read.

use crate::{models, text};
use nonsmooth_import::{Options, import_text};

/// A URDF around its content.
fn robot(inside: &str) -> String {
    format!("<robot name=\"r\">\n{inside}\n</robot>")
}

fn link(name: &str) -> String {
    format!(
        "<link name=\"{name}\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\"/></inertial></link>\n"
    )
}

fn hinge(name: &str, parent: &str, child: &str) -> String {
    format!(
        "<joint name=\"{name}\" type=\"continuous\"><parent link=\"{parent}\"/><child link=\"{child}\"/></joint>\n"
    )
}

fn refused(name: &str, given: &str, expected: &str) {
    match text(name, given) {
        Ok(imported) => panic!("accepted:\n{given}\n{}", imported.scene),
        Err(message) => assert!(message.contains(expected), "{message}\ndoes not say: {expected}"),
    }
}

#[test]
fn trees_that_are_none() {
    let two = link("a") + &link("b");
    let cases = [
        (
            two.clone() + &hinge("j", "a", "b") + &hinge("k", "b", "a"),
            "r.urdf:1: the joints go in a circle",
        ),
        (
            link("c") + &two + &hinge("j", "a", "b") + &hinge("k", "b", "a"),
            "hangs in a circle of joints",
        ),
        (two.clone(), "2 links without a parent"),
        (
            two.clone() + &hinge("j", "a", "b") + &hinge("k", "a", "b"),
            "r.urdf:5: link `b` is the child of two joints",
        ),
        (two.clone() + &hinge("j", "a", "x"), "r.urdf:4: joint `j` names the link `x`"),
        (
            two.clone() + &hinge("j", "a", "b") + &hinge("j", "a", "b"),
            "two joints called `j`, the first on line 4",
        ),
        (link("a") + &link("a"), "r.urdf:3: there are two links called `a`"),
        (link("a") + &hinge("j", "a", "a"), "in a circle"),
        (String::new(), "there is no link"),
    ];
    for (inside, expected) in cases {
        refused("r.urdf", &robot(&inside), expected);
    }
}

#[test]
fn numbers_that_are_wrong() {
    let moving = |change: (&str, &str)| {
        robot(&(link("a") + &link("b").replace(change.0, change.1) + &hinge("j", "a", "b")))
    };
    for (from, to, expected) in [
        ("value=\"1\"", "value=\"-1\"", "r.urdf:3: the mass of link `b` is -1"),
        ("value=\"1\"", "value=\"nan\"", "r.urdf:3: `value` of mass is `nan`"),
        ("value=\"1\"", "value=\"1 2\"", "needs 1 numbers, got 2"),
        ("izz=\"1\"", "izz=\"3\"", "no body has one moment above the sum of the other two"),
        ("izz=\"1\"", "izz=\"-1\"", "all must be > 0"),
        ("<mass value=\"1\"/>", "", "needs <mass"),
        (
            "<mass value=\"1\"/>",
            "<mass value=\"0\"/>",
            "nothing moves: every body is fixed to the world or has no mass; --base free",
        ),
    ] {
        refused("r.urdf", &moving((from, to)), expected);
    }
    let joint = robot(&(link("a") + &link("b") + &hinge("j", "a", "b")));
    let with = |inside: &str| joint.replace("</joint>", &format!("{inside}</joint>"));
    refused("r.urdf", &with("<axis xyz=\"0 0 0\"/>"), "`xyz` of axis has no length");
    refused("r.urdf", &with("<dynamics damping=\"-1\"/>"), "must not be negative");
    let revolute = with("<limit lower=\"1\" upper=\"-1\"/>").replace("continuous", "revolute");
    refused("r.urdf", &revolute, "lower = 1 is above upper = -1");
    refused("r.urdf", &joint.replace("continuous", "ball"), "has the type `ball`; there are");
}

#[test]
fn entities_and_document_types() {
    let bomb = "<?xml version=\"1.0\"?>\n<!DOCTYPE robot [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;\">]>\n<robot name=\"&b;\"/>";
    refused("r.urdf", bomb, "r.urdf:2: a document type is not read");
    let outside =
        "<!DOCTYPE robot [<!ENTITY x SYSTEM \"file:///etc/hostname\">]>\n<robot name=\"&x;\"/>";
    refused("r.urdf", outside, "a document type is not read");
    refused("r.urdf", "<robot name=\"&x;\"/>", "this is no XML");
    let deep = "<mujoco>".to_owned() + &"<worldbody>".repeat(100_000);
    refused("m.xml", &deep, "nested deeper than");
    refused("m.xml", "<sdf/>", "neither <robot> (URDF) nor <mujoco> (MJCF), but <sdf>");
    refused("m.xml", "", "this is no XML");
}

/// A folder of its own below the one for temporary files.
fn folder(name: &str, files: &[(&str, &str)]) -> std::path::PathBuf {
    let folder = std::env::temp_dir().join(format!("nonsmooth-import-{}-{name}", std::process::id()));
    for (file, text) in files {
        let path = folder.join(file);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("it can be made");
        std::fs::write(path, text).expect("it can be written");
    }
    folder
}

#[test]
fn nothing_outside_of_the_folder_is_read() {
    let secret = "<mujoco><worldbody><body name=\"secret\"><freejoint/><geom size=\"1\"/></body></worldbody></mujoco>";
    let folder =
        folder("outside", &[("secret.xml", secret), ("in/model.xml", ""), ("in/deep/ok.xml", secret)]);
    let inside = folder.join("in");
    #[cfg(unix)]
    std::os::unix::fs::symlink(folder.join("secret.xml"), inside.join("link.xml")).expect("a link");
    let import = |file: &str, options: &Options| {
        let model = format!("<mujoco>\n<include file=\"{file}\"/>\n</mujoco>");
        import_text("model.xml", &model, &inside, options).map_err(|error| error.to_string())
    };
    let here = Options::default();
    let absolute = folder.join("secret.xml").display().to_string();
    let mut ways = vec!["../secret.xml", "deep/../../secret.xml", &absolute, "/etc/passwd"];
    if cfg!(unix) {
        ways.push("link.xml");
    }
    for way in ways {
        let wrong = import(way, &here).expect_err(way);
        assert!(wrong.contains("model.xml:2") && wrong.contains("leads out of the folder"), "{wrong}");
        assert!(!wrong.contains("root:"), "{wrong}");
    }
    assert!(import("deep/ok.xml", &here).is_ok());
    assert!(import("../secret.xml", &Options { folder: Some(folder.clone()), ..here.clone() }).is_ok());
    let missing = import("none.xml", &here).expect_err("missing");
    assert!(missing.contains("model.xml:2: include: there is no file `none.xml`"), "{missing}");
    // Meshes go the same way.
    let mesh = "<mujoco><asset>\n<mesh name=\"m\" file=\"../secret.stl\"/></asset><worldbody><body name=\"b\"><freejoint/><geom type=\"mesh\" mesh=\"m\"/></body></worldbody></mujoco>";
    let wrong = import_text("model.xml", mesh, &inside, &here).expect_err("outside").to_string();
    assert!(wrong.contains("model.xml:2") && wrong.contains("leads out of the folder"), "{wrong}");
    std::fs::remove_dir_all(folder).expect("it can be removed");
}

#[test]
fn files_that_include_each_other() {
    let loops = "<mujoco>\n<include file=\"b.xml\"/></mujoco>";
    let folder =
        folder("circle", &[("a.xml", loops), ("b.xml", "<mujoco><include file=\"b.xml\"/></mujoco>")]);
    let wrong =
        import_text("a.xml", loops, &folder, &Options::default()).expect_err("a circle").to_string();
    assert!(wrong.contains("b.xml:1: `b.xml` is included a second time"), "{wrong}");
    std::fs::remove_dir_all(folder).expect("it can be removed");
}

#[test]
fn models_of_mujoco_that_are_wrong() {
    let body = |inside: &str| {
        format!("<mujoco>\n<worldbody>\n<body name=\"b\">\n{inside}\n</body>\n</worldbody>\n</mujoco>")
    };
    for (inside, expected) in [
        ("<freejoint/>", "m.xml:3: body `b` is free and has no mass"),
        (
            "<freejoint/><geom size=\"0.1\" mass=\"-1\"/>",
            "m.xml:4: `mass` of geom is -1; it must not be negative",
        ),
        ("<freejoint/><geom size=\"-0.1\"/>", "m.xml:4: geom `b/4`"),
        ("<freejoint/><geom type=\"box\" size=\"0.1\"/>", "a box needs 3 sizes, got 1"),
        ("<freejoint/><geom type=\"mesh\" mesh=\"none\"/>", "there is no mesh `none`"),
        ("<freejoint/><geom class=\"none\" size=\"1\"/>", "there is no class `none`"),
        ("<freejoint/><geom size=\"1\" quat=\"0 0 0 0\"/>", "`quat` of geom is no turn"),
        ("<freejoint/><geom size=\"1\" quat=\"1 0 0 0\" euler=\"1 0 0\"/>", "turned by quat and euler"),
        ("<joint range=\"1 -1\"/><geom size=\"1\"/>", "its range goes from"),
        ("<joint type=\"screw\"/><geom size=\"1\"/>", "there are free, ball, slide, hinge"),
        (
            "<joint/><body><freejoint/><geom size=\"1\"/></body><geom size=\"1\"/>",
            "must hang on the world",
        ),
        ("<freejoint/><inertial mass=\"1\"/>", "needs `diaginertia` or `fullinertia`"),
        ("<freejoint/><inertial mass=\"1\" diaginertia=\"1 1 3\"/>", "no body has one moment above"),
    ] {
        refused("m.xml", &body(inside), expected);
    }
    let twice = "<mujoco><compiler eulerseq=\"abc\"/></mujoco>";
    refused("m.xml", twice, "eulerseq is `abc`");
    assert!(models().is_dir());
}
