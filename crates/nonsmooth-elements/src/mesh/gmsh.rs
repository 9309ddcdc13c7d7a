//! Reads meshes in the format of Gmsh, version 4.1, as text or binary.
//!
//! Physical groups name parts of the mesh: `$PhysicalNames` gives the names, `$Entities` says which entities belong to them, and elements
//! stand in blocks by entity. Sections that say nothing of the mesh are passed over. A file can declare any count: nothing is allocated
//! beyond what the bytes that follow can hold.

use super::{Element, Group, Mesh};
use crate::cells::CELLS;
use glam::DVec3;
use std::collections::{BTreeMap, HashMap};
use thiserror::Error;

/// Why a file is not read.
#[derive(Clone, Debug, Error, PartialEq)]
#[error("{place}: {wrong}")]
pub struct GmshError {
    /// Line of a text, byte of a binary part.
    pub place: String,
    /// What is wrong there.
    pub wrong: String,
}

/// Reads a mesh.
pub fn read(bytes: &[u8]) -> Result<Mesh, GmshError> {
    let mut file = File { bytes, at: 0, is_binary: false, is_swapped: false };
    let mut parts = Parts::default();
    while let Some(section) = file.next_section()? {
        match section.as_str() {
            "MeshFormat" => parts.format(&mut file)?,
            "PhysicalNames" => parts.names(&mut file)?,
            "Entities" => parts.entities(&mut file)?,
            "Nodes" => parts.nodes(&mut file)?,
            "Elements" => parts.elements(&mut file)?,
            other => {
                file.skip_to_end_of(other)?;
                continue;
            }
        }
        file.end_of(&section)?;
    }
    parts.finish(&file)
}

/// A physical group: its dimension and tag.
type Physical = (i64, i64);

/// What has been read.
#[derive(Default)]
struct Parts {
    has_format: bool,
    names: HashMap<Physical, String>,
    /// Physical tags of an entity, by its dimension and tag.
    groups_of: HashMap<(i64, i64), Vec<i64>>,
    mesh: Mesh,
    /// Place of a node by its tag.
    node_of: HashMap<u64, u32>,
    by_group: BTreeMap<Physical, Group>,
}

impl Parts {
    fn format(&mut self, file: &mut File<'_>) -> Result<(), GmshError> {
        let line = file.line()?;
        let words: Vec<&str> = line.split_whitespace().collect();
        let [version, kind, size] = words[..] else {
            return Err(file.wrong("`$MeshFormat` needs version, type and size of numbers"));
        };
        if version != "4.1" {
            let text = format!(
                "this is version {version} of the format; version 4.1 is read: save it with `gmsh -format msh41`"
            );
            return Err(file.wrong(&text));
        }
        if size != "8" {
            return Err(file.wrong(&format!("numbers of {size} bytes are not read; 8 are")));
        }
        file.is_binary = match kind {
            "0" => false,
            "1" => true,
            other => return Err(file.wrong(&format!("`{other}` is neither text (0) nor binary (1)"))),
        };
        if file.is_binary {
            let one: [u8; 4] = file.take(4)?.try_into().expect("four bytes were taken");
            file.is_swapped = one == [0, 0, 0, 1];
            if !file.is_swapped && one != [1, 0, 0, 0] {
                return Err(file.wrong("the number that tells the order of bytes is not 1"));
            }
        }
        self.has_format = true;
        Ok(())
    }

    /// Names are text in binary files too.
    fn names(&mut self, file: &mut File<'_>) -> Result<(), GmshError> {
        let line = file.line()?;
        let count: usize =
            line.trim().parse().map_err(|_| file.wrong("the number of names is no number"))?;
        for _ in 0..count {
            let line = file.line()?;
            let mut words = line.trim().splitn(3, char::is_whitespace);
            let mut number = || words.next().and_then(|w| w.parse::<i64>().ok());
            let (dim, tag) = (number(), number());
            let name = words.next().map(|w| w.trim().trim_matches('"').to_owned());
            let (Some(dim), Some(tag), Some(name)) = (dim, tag, name) else {
                return Err(file.wrong("a physical name needs dimension, tag and \"name\""));
            };
            if let Some(((other, _), _)) = self.names.iter().find(|(_, known)| **known == name)
                && *other != dim
            {
                return Err(file.wrong(&format!(
                    "the name \"{name}\" stands for a group of dimension {other} and for one of dimension {dim}; give them two names"
                )));
            }
            self.names.insert((dim, tag), name);
        }
        Ok(())
    }

    fn entities(&mut self, file: &mut File<'_>) -> Result<(), GmshError> {
        let mut counts = [0; 4];
        for count in &mut counts {
            *count = file.count(16, "entities")?;
        }
        for (dim, &count) in counts.iter().enumerate() {
            for _ in 0..count {
                let tag = file.int()?;
                for _ in 0..if dim == 0 { 3 } else { 6 } {
                    file.float()?;
                }
                let physical = file.count(2, "physical groups of an entity")?;
                let tags = (0..physical).map(|_| file.int()).collect::<Result<Vec<i64>, _>>()?;
                self.groups_of.insert((dim as i64, tag), tags);
                if dim > 0 {
                    for _ in 0..file.count(2, "bounds of an entity")? {
                        file.int()?;
                    }
                }
            }
        }
        Ok(())
    }

    fn nodes(&mut self, file: &mut File<'_>) -> Result<(), GmshError> {
        let blocks = file.count(1, "blocks of nodes")?;
        file.count(6, "nodes")?;
        file.size()?;
        file.size()?;
        for _ in 0..blocks {
            let (dim, entity, parametric) = (file.int()?, file.int()?, file.int()?);
            let count = file.count(8, "nodes of a block")?;
            let tags = (0..count).map(|_| file.size()).collect::<Result<Vec<u64>, _>>()?;
            for tag in tags {
                let x = DVec3::new(file.float()?, file.float()?, file.float()?);
                for _ in 0..if parametric == 1 { dim } else { 0 } {
                    file.float()?;
                }
                if self.node_of.insert(tag, self.mesh.nodes.len() as u32).is_some() {
                    return Err(file.wrong(&format!("node {tag} stands there twice (entity {entity})")));
                }
                self.mesh.nodes.push(x);
            }
        }
        Ok(())
    }

    fn elements(&mut self, file: &mut File<'_>) -> Result<(), GmshError> {
        let blocks = file.count(1, "blocks of elements")?;
        file.count(4, "elements")?;
        file.size()?;
        file.size()?;
        for _ in 0..blocks {
            let (dim, entity, kind) = (file.int()?, file.int()?, file.int()?);
            let count = file.count(4, "elements of a block")?;
            let physical = self.groups_of.get(&(dim, entity)).cloned().unwrap_or_default();
            for _ in 0..count {
                let tag = file.size()?;
                self.element(file, (kind, tag), (dim, &physical))?;
            }
        }
        Ok(())
    }

    fn element(
        &mut self,
        file: &mut File<'_>,
        (kind, tag): (i64, u64),
        (dim, physical): (i64, &[i64]),
    ) -> Result<(), GmshError> {
        // A point of Gmsh.
        let is_point = kind == 15;
        let cell = CELLS.iter().find(|cell| i64::from(cell.gmsh) == kind);
        let n_nodes = match cell {
            _ if is_point => 1,
            Some(cell) => cell.n_nodes(),
            None => {
                let known: Vec<String> =
                    CELLS.iter().map(|c| format!("{} ({})", c.gmsh, c.name)).collect();
                return Err(file.wrong(&format!(
                    "element {tag} is of type {kind}, which is not known; there are: {}",
                    known.join(", ")
                )));
            }
        };
        let mut nodes = Vec::with_capacity(n_nodes);
        for _ in 0..n_nodes {
            let node = file.size()?;
            let Some(&place) = self.node_of.get(&node) else {
                return Err(file.wrong(&format!("element {tag} names node {node}, which is not there")));
            };
            nodes.push(place);
        }
        for &group in physical {
            let group = self.by_group.entry((dim, group)).or_default();
            if is_point {
                group.nodes.extend(&nodes);
            } else {
                group.elements.push(self.mesh.elements.len() as u32);
            }
        }
        if let Some(cell) = cell {
            self.mesh.elements.push(Element { cell: cell.name, nodes });
        }
        Ok(())
    }

    fn finish(mut self, file: &File<'_>) -> Result<Mesh, GmshError> {
        if !self.has_format {
            return Err(file.wrong("there is no `$MeshFormat`: this is no mesh of Gmsh"));
        }
        for ((dim, tag), group) in std::mem::take(&mut self.by_group) {
            let name = self.names.get(&(dim, tag)).cloned().unwrap_or_else(|| format!("{dim}:{tag}"));
            let own = self.mesh.groups.entry(name).or_default();
            own.elements.extend(group.elements);
            own.nodes.extend(group.nodes);
        }
        self.drop_construction_points();
        Ok(self.mesh)
    }

    /// Takes nodes out that no element has and no group names: centres of circles, which Gmsh saves with the option `SaveAll`.
    fn drop_construction_points(&mut self) {
        let mut place = vec![u32::MAX; self.mesh.nodes.len()];
        let named = self.mesh.groups.values().flat_map(|group| &group.nodes);
        for &a in self.mesh.elements.iter().flat_map(|e| &e.nodes).chain(named) {
            place[a as usize] = 0;
        }
        let mut kept = Vec::new();
        for (place, &x) in place.iter_mut().zip(&self.mesh.nodes) {
            if *place == 0 {
                *place = kept.len() as u32;
                kept.push(x);
            }
        }
        self.mesh.nodes = kept;
        let all = self.mesh.elements.iter_mut().flat_map(|e| &mut e.nodes);
        for a in all.chain(self.mesh.groups.values_mut().flat_map(|group| &mut group.nodes)) {
            *a = place[*a as usize];
        }
    }
}

/// The bytes of a file, and where the reader is.
struct File<'a> {
    bytes: &'a [u8],
    at: usize,
    is_binary: bool,
    is_swapped: bool,
}

impl File<'_> {
    fn wrong(&self, wrong: &str) -> GmshError {
        let end = self.at.min(self.bytes.len());
        let place = if self.is_binary {
            format!("byte {end}")
        } else {
            // What was read last stands in the line that the reader has just left.
            let read = &self.bytes[..end];
            let read = read.strip_suffix(b"\n").unwrap_or(read);
            format!("line {}", 1 + read.iter().filter(|byte| **byte == b'\n').count())
        };
        GmshError { place, wrong: wrong.to_owned() }
    }

    /// The rest of the line.
    fn line(&mut self) -> Result<String, GmshError> {
        if self.at >= self.bytes.len() {
            return Err(self.wrong("the file ends here"));
        }
        let rest = &self.bytes[self.at..];
        let end = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
        let line = String::from_utf8_lossy(&rest[..end]).trim_end_matches('\r').to_owned();
        self.at = (self.at + end + 1).min(self.bytes.len());
        Ok(line)
    }

    /// The name of the next section; `None` at the end of the file.
    fn next_section(&mut self) -> Result<Option<String>, GmshError> {
        self.skip_blank();
        if self.at >= self.bytes.len() {
            return Ok(None);
        }
        let line = self.line()?;
        match line.trim().strip_prefix('$') {
            Some(name) => Ok(Some(name.to_owned())),
            None => Err(self.wrong(&format!("`{}` where a section like `$Nodes` begins", short(&line)))),
        }
    }

    fn skip_blank(&mut self) {
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
    }

    fn end_of(&mut self, section: &str) -> Result<(), GmshError> {
        self.skip_blank();
        let line = self.line()?;
        if line.trim() == format!("$End{section}") {
            return Ok(());
        }
        Err(self.wrong(&format!("`{}` where `$End{section}` was due: a count is wrong", short(&line))))
    }

    fn skip_to_end_of(&mut self, section: &str) -> Result<(), GmshError> {
        let end = format!("$End{section}");
        let rest = &self.bytes[self.at..];
        match rest.windows(end.len()).position(|part| part == end.as_bytes()) {
            Some(place) => {
                self.at += place + end.len();
                Ok(())
            }
            None => Err(self.wrong(&format!("`${section}` has no `{end}`"))),
        }
    }

    fn take(&mut self, n: usize) -> Result<&[u8], GmshError> {
        match self.bytes.get(self.at..self.at + n) {
            Some(_) => {
                self.at += n;
                Ok(&self.bytes[self.at - n..self.at])
            }
            None => Err(self.wrong("the file ends here")),
        }
    }

    fn eight(&mut self) -> Result<[u8; 8], GmshError> {
        let is_swapped = self.is_swapped;
        let mut bytes: [u8; 8] = self.take(8)?.try_into().expect("eight bytes were taken");
        if is_swapped {
            bytes.reverse();
        }
        Ok(bytes)
    }

    /// The next word of a text.
    fn word(&mut self) -> Result<&str, GmshError> {
        self.skip_blank();
        let rest = &self.bytes[self.at..];
        let end = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        if end == 0 {
            return Err(self.wrong("the file ends here"));
        }
        self.at += end;
        let word = std::str::from_utf8(&self.bytes[self.at - end..self.at]);
        word.map_err(|_| self.wrong("a number is not written as text"))
    }

    fn parse<T: std::str::FromStr>(&mut self, what: &str) -> Result<T, GmshError> {
        let word = self.word()?;
        let parsed = word.parse();
        let word = short(word);
        parsed.map_err(|_| self.wrong(&format!("`{word}` is not {what}")))
    }

    fn int(&mut self) -> Result<i64, GmshError> {
        if !self.is_binary {
            return self.parse("a whole number");
        }
        let is_swapped = self.is_swapped;
        let mut bytes: [u8; 4] = self.take(4)?.try_into().expect("four bytes were taken");
        if is_swapped {
            bytes.reverse();
        }
        Ok(i64::from(i32::from_le_bytes(bytes)))
    }

    fn size(&mut self) -> Result<u64, GmshError> {
        if self.is_binary {
            Ok(u64::from_le_bytes(self.eight()?))
        } else {
            self.parse("a whole number ≥ 0")
        }
    }

    fn float(&mut self) -> Result<f64, GmshError> {
        let x = if self.is_binary { f64::from_le_bytes(self.eight()?) } else { self.parse("a number")? };
        if x.is_finite() { Ok(x) } else { Err(self.wrong(&format!("{x} is not a finite number"))) }
    }

    /// A count of things that take at least `least` bytes each.
    fn count(&mut self, least: usize, what: &str) -> Result<usize, GmshError> {
        let count = self.size()?;
        let left = (self.bytes.len() - self.at) / least;
        if count > left as u64 {
            return Err(self.wrong(&format!(
                "{count} {what} are declared, and the file has no room for more than {left}"
            )));
        }
        Ok(count as usize)
    }
}

/// The beginning of what was found, for a message.
fn short(text: &str) -> String {
    let text: String = text.trim().chars().take(40).collect();
    text.escape_debug().to_string()
}
