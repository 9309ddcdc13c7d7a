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
                Item::Noted { note: label.clone(), points: points.clone() },
                Item::Marked { label: label.clone(), points: points.clone() },
                Item::Continued { label: label.clone(), points: points.clone() },
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

fn page(y_labels: &[&str], points: &[(f64, f64)], is_legend_shared: bool) -> Page {
    let panel =
        |y: &&str| Figure { y_label: (*y).into(), ..figure(vec![line("first", points.to_vec())]) };
    let panels = y_labels.iter().map(panel).collect();
    Page { title: "Three <panels>".into(), panels, columns: 2, is_legend_shared }
}

#[test]
fn a_page_holds_its_panels_and_one_legend_for_all() {
    let names = ["left", "right", "below"];
    let width = |svg: &str| -> f64 {
        let rest = svg.split_once("width=\"").unwrap().1;
        rest.split_once('"').unwrap().0.parse().unwrap()
    };
    let drawing = draw_page(&page(&names, &[(0.0, 1.0), (1.0, 2.0)], true)).unwrap();
    assert!(is_png(&drawing.png));
    for text in ["left", "right", "below", "Three &lt;panels&gt;"] {
        assert!(drawing.svg.contains(text), "{text} is missing");
    }
    // The line leaves a corner free: two panels of 1000 px and no more.
    assert_eq!((drawing.svg.matches(">first<").count(), width(&drawing.svg)), (1, 2000.0));
    // No place free of ink: the legend stands to the right of the panels.
    let dense: Vec<(f64, f64)> = (0..400).map(|i| (f64::from(i), f64::from(i % 2))).collect();
    let drawing = draw_page(&page(&names, &dense, true)).unwrap();
    assert_eq!(drawing.svg.matches(">first<").count(), 1);
    assert!(width(&drawing.svg) > 2050.0);
    let own = draw_page(&page(&names, &dense, false)).unwrap().svg;
    assert_eq!((own.matches(">first<").count(), width(&own)), (3, 2000.0));
}

#[test]
fn a_page_without_panels_or_with_a_bad_one_is_an_error() {
    let page = |panels| Page { title: String::new(), panels, columns: 0, is_legend_shared: true };
    assert!(matches!(draw_page(&page(vec![])), Err(PlotError::Size { .. })));
    let bad = figure(vec![line("v", vec![(0.0, f64::NAN)])]);
    assert!(matches!(draw_page(&page(vec![bad])), Err(PlotError::NonFinite { .. })));
    let many = vec![figure(vec![]); 30];
    assert!(matches!(draw_page(&page(many)), Err(PlotError::Size { .. })), "18000 px in one column");
}

#[test]
fn what_goes_on_has_the_colour_of_its_series() {
    let points = vec![(1.0, 1.0), (2.0, 2.0)];
    let more = Item::Continued { label: String::new(), points: points.clone() };
    let svg = draw(&figure(vec![line("a", points.clone()), more, line("b", points)])).unwrap().svg;
    // The first colour for the line, its sample in the legend and what goes on; the second for the others.
    let strokes = |colour: &str| svg.matches(&format!("stroke=\"{colour}\"")).count();
    assert_eq!((strokes("#0072b2"), strokes("#d55e00")), (3, 2), "{svg}");
}

#[test]
fn a_note_stands_beside_its_curve_and_not_in_the_legend() {
    let points = vec![(1.0, 1.0), (2.0, 2.0)];
    let note = Item::Noted { note: "order 1".into(), points: points.clone() };
    let svg = draw(&figure(vec![line("a", points), note])).unwrap().svg;
    assert_eq!((svg.matches(">order 1<").count(), svg.matches(">a<").count()), (1, 1));
}
