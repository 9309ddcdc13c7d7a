//! The file format: XML that describes arrays, then the arrays, raw.
//!
//! `AppendedData` begins with `_`; at the offset of an array, counted from behind it, stand the number of
//! its bytes as 64 bits and the bytes themselves, all little endian. Arrays are written as they are
//! computed: a frame is never in memory as a whole.

use std::io::{self, Write};

/// Type of an array's numbers.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Float32,
    Float64,
    Int32,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Float32 => "Float32",
            Self::Float64 => "Float64",
            Self::Int32 => "Int32",
        }
    }

    fn bytes(self) -> u64 {
        if matches!(self, Self::Float64) { 8 } else { 4 }
    }
}

/// Writes the numbers of an array.
pub(super) type Fill<'a> = Box<dyn Fn(&mut dyn Write) -> io::Result<()> + 'a>;

/// An array: how it is called, how large it is, and how it is written.
pub(super) struct Array<'a> {
    pub name: &'static str,
    pub kind: Kind,
    pub components: u64,
    pub tuples: u64,
    pub write: Fill<'a>,
}

impl Array<'_> {
    fn bytes(&self) -> u64 {
        self.kind.bytes() * self.components * self.tuples
    }

    /// The element that describes it.
    fn describe(&self, offset: u64, is_field: bool) -> String {
        let (name, kind, components) = (escaped(self.name), self.kind.name(), self.components);
        let tuples =
            if is_field { format!(" NumberOfTuples=\"{}\"", self.tuples) } else { String::new() };
        format!(
            "<DataArray type=\"{kind}\" Name=\"{name}\" NumberOfComponents=\"{components}\"{tuples} \
             format=\"appended\" offset=\"{offset}\"/>\n"
        )
    }
}

/// Points, what is known at them, and cells: single points and triangles.
pub(super) struct Piece<'a> {
    pub t: f64,
    pub n_points: u64,
    pub n_vertices: u64,
    pub n_triangles: u64,
    pub points: Array<'a>,
    /// Shown first: the names of a scalar and a vector of `data`.
    pub active: (&'static str, &'static str),
    pub data: Vec<Array<'a>>,
    /// Connectivity and offsets of the single points.
    pub vertices: [Array<'a>; 2],
    /// Connectivity and offsets of the triangles.
    pub triangles: [Array<'a>; 2],
}

impl Piece<'_> {
    /// Writes the whole file.
    pub fn write(&self, to: &mut dyn Write) -> io::Result<()> {
        let t = self.t;
        let time = Array {
            name: "TimeValue",
            kind: Kind::Float64,
            components: 1,
            tuples: 1,
            write: Box::new(move |to| to.write_all(&t.to_le_bytes())),
        };
        let mut arrays: Vec<&Array<'_>> = vec![&time, &self.points];
        arrays.extend(&self.data);
        arrays.extend(self.vertices.iter().chain(&self.triangles));

        self.header(&arrays, to)?;
        to.write_all(b"<AppendedData encoding=\"raw\">\n_")?;
        for array in arrays {
            to.write_all(&array.bytes().to_le_bytes())?;
            (array.write)(to)?;
        }
        to.write_all(b"\n</AppendedData>\n</VTKFile>\n")
    }

    fn header(&self, arrays: &[&Array<'_>], to: &mut dyn Write) -> io::Result<()> {
        let mut offset = 0;
        let mut described = Vec::with_capacity(arrays.len());
        for (k, array) in arrays.iter().enumerate() {
            described.push(array.describe(offset, k == 0));
            offset += 8 + array.bytes();
        }
        let cells = described.split_off(2 + self.data.len());
        to.write_all(b"<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<PolyData>\n")?;
        writeln!(to, "<FieldData>\n{}</FieldData>", described[0])?;
        writeln!(
            to,
            "<Piece NumberOfPoints=\"{}\" NumberOfVerts=\"{}\" NumberOfLines=\"0\" NumberOfStrips=\"0\" NumberOfPolys=\"{}\">",
            self.n_points, self.n_vertices, self.n_triangles
        )?;
        writeln!(to, "<Points>\n{}</Points>", described[1])?;
        let (scalars, vectors) = self.active;
        let data = described[2..].concat();
        writeln!(to, "<PointData Scalars=\"{scalars}\" Vectors=\"{vectors}\">\n{data}</PointData>")?;
        writeln!(to, "<Verts>\n{}{}</Verts>", cells[0], cells[1])?;
        writeln!(to, "<Polys>\n{}{}</Polys>", cells[2], cells[3])?;
        to.write_all(b"</Piece>\n</PolyData>\n")
    }
}

/// A text as the value of an attribute.
pub(super) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            _ => safe.push(c),
        }
    }
    safe
}
