//! Whole figures: they contain what was asked, survive odd data, and are reproducible.

use super::*;

fn line(label: &str, points: Vec<(f64, f64)>) -> Item {
    Item::Line { label: label.to_owned(), points }
}

fn figure(items: Vec<Item>) -> Figure {
    Figure {
        title: "Ball, μ = ½".into(),
        x_label: "time t [s]".into(),
        y_label: "a < b & c".into(),
        items,
        ..Figure::default()
    }
}

fn is_png(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x89PNG") && bytes.len() > 1000
}

#[test]
fn svg_contains_the_labels_escaped() {
    let svg = draw(&figure(vec![line("θ = 1 rad", vec![(0.0, 0.0), (1.0, 2.0)])])).unwrap().svg;
    for text in ["Ball, μ = ½", "time t [s]", "a &lt; b &amp; c", "θ = 1 rad"] {
        assert!(svg.contains(text), "{text} is missing");
    }
}

#[test]
fn same_figure_gives_the_same_bytes() {
    let wave = (0..20_000).map(|i| (f64::from(i), f64::from(i).sin())).collect();
    let figure = figure(vec![line("wave", wave)]);
    assert_eq!(draw(&figure).unwrap(), draw(&figure).unwrap());
}

#[test]
fn degenerate_data_are_drawn_on_every_scale() {
    let cases: [&[(f64, f64)]; 8] = [
        &[],
        &[(1.0, 1.0)],
        &[(1.0, 2.0), (3.0, 2.0)],
        &[(1.0, 1e-16), (2.0, 3e-16)],
        &[(1.0, 9.81), (2.0, 9.81 + 1e-14)],
        &[(1e-300, 1e-300), (1e300, 1e300)],
        &[(5e-324, 5e-324), (1e-320, 1e-320)],
        &[(1.0, 1.0), (1.0, 1.0)],
    ];
    for points in cases {
        for scale in [Scale::Linear, Scale::Log] {
            let (points, label) = (points.to_vec(), String::from("a"));
            let items = vec![
                Item::Line { label: label.clone(), points: points.clone() },
                Item::Dashed { label: label.clone(), points: points.clone() },
                Item::Marked { label: label.clone(), points: points.clone() },
                Item::Stems { label: label.clone(), points: points.clone() },
                Item::Markers { label, points },
            ];
            let figure = Figure { x_scale: scale, y_scale: scale, ..figure(items) };
            assert!(is_png(&draw(&figure).unwrap().png));
        }
    }
}

#[test]
fn all_zero_and_negative_data_are_drawn() {
    for y in [0.0, -1e-16, -1e300] {
        let points = vec![(0.0, y), (0.0, 0.0)];
        let stems = Item::Stems { label: "p".into(), points: points.clone() };
        assert!(is_png(&draw(&figure(vec![line("z", points), stems])).unwrap().png));
    }
}

#[test]
fn empty_figure_says_so() {
    assert!(draw(&figure(vec![])).unwrap().svg.contains("no data"));
    assert!(draw(&Figure::default()).unwrap().svg.contains("no data"));
}

#[test]
fn bad_numbers_are_named() {
    let nan = draw(&figure(vec![line("v", vec![(0.0, 1.0), (1.0, f64::NAN)])])).unwrap_err();
    assert!(matches!(nan, PlotError::NonFinite { ref label, index: 1, .. } if label == "v"));

    let log = Figure { y_scale: Scale::Log, ..figure(vec![line("e", vec![(0.0, 1.0), (1.0, 0.0)])]) };
    let (label, direction) = (String::from("e"), Direction::Y);
    let expected = PlotError::NotPositive { label, index: 1, direction, value: 0.0 };
    assert_eq!(draw(&log).unwrap_err(), expected);
}

#[test]
fn bad_sizes_are_errors() {
    for (size, pixel_ratio) in [((0, 0), 1), ((1000, 600), 0), ((1000, 600), u32::MAX)] {
        let result = draw(&Figure { size, pixel_ratio, ..Figure::default() });
        assert!(matches!(result, Err(PlotError::Size { .. })), "{size:?} {pixel_ratio}");
    }
    assert!(
        draw(&Figure { size: (300, 200), ..figure(vec![line("long label", vec![(0.0, 1.0)])]) }).is_ok()
    );
}

#[test]
fn a_hundred_thousand_stems_stay_small() {
    let points = (0..100_000).map(|i| (f64::from(i), f64::from(i % 97))).collect();
    let drawing = draw(&figure(vec![Item::Stems { label: "p".into(), points }])).unwrap();
    // At most one stem per pixel column, about 100 bytes each with its mark.
    assert!(drawing.svg.len() < 150_000, "{} bytes", drawing.svg.len());
}
