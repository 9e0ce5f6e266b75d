//! Which file names which: the layers, and the circles.

use super::syntax::{Crate, End, Fault, Path, Target};
use std::collections::{BTreeMap, BTreeSet};

/// The layers of the library, from the lowest. A layer is a folder; the API is every other file.
const LAYERS: [&str; 4] = ["job", "arch", "dispatch", "the API"];

/// The largest circle that may be: a file and one other that name each other.
const CIRCLE: usize = 2;

/// The first place where a file names another one.
struct Edge {
    line: usize,
    /// The path as it stands in the file.
    path: String,
}

/// For each file, the files that it names.
type Graph = BTreeMap<usize, BTreeMap<usize, Edge>>;

/// A layer's number, from the lowest.
fn layer(file: &str) -> usize {
    let first = file.split('/').next().unwrap_or_default();
    let first = first.strip_suffix(".rs").unwrap_or(first);
    LAYERS.iter().position(|name| *name == first).unwrap_or(LAYERS.len() - 1)
}

/// Checks that each file of the core names only its own layer and those below.
pub fn check_layers(known: &Crate, faults: &mut Vec<Fault>) {
    let mut upward = BTreeSet::new();
    for (index, module) in known.modules.iter().enumerate() {
        for path in &module.paths {
            let targets = targets(known, index, path);
            if path.end == End::Metavariable && targets.iter().any(|target| !target.modules.is_empty()) {
                let what = format!("`{}::$` hides a module: write out its name", path.segments.join("::"));
                faults.push(Fault { file: known.files[module.file].clone(), line: path.line, what });
            }
            for target in &targets {
                let named =
                    target.through.iter().chain(&target.modules).map(|&module| known.modules[module].file);
                for file in named.chain(target.files.iter().copied()) {
                    check_layer(known, module.file, file, path, &mut upward, faults);
                }
            }
        }
    }
}

/// Checks that no circle has more than two files. Returns the number of edges: pairs of files where the first names the
/// second.
pub fn check_circles(known: &Crate, faults: &mut Vec<Fault>) -> usize {
    let mut graph = Graph::new();
    for (index, module) in known.modules.iter().enumerate() {
        for path in &module.paths {
            for target in targets(known, index, path) {
                // What a glob names is what its modules define.
                let globbed = target.modules.iter().filter(|_| path.end == End::Glob);
                let globbed = globbed.map(|&module| known.modules[module].file);
                for file in target.files.iter().copied().chain(globbed).filter(|&file| file != module.file) {
                    let edge = Edge { line: path.line, path: path.segments.join("::") };
                    graph.entry(module.file).or_default().entry(file).or_insert(edge);
                }
            }
        }
    }
    for circle in circles(&graph, known.files.len()).into_iter().filter(|circle| circle.len() > CIRCLE) {
        faults.push(circle_fault(known, &graph, &circle));
    }
    graph.values().map(BTreeMap::len).sum()
}

/// Where a path of a module leads, and where those lead that a macro behind it brings.
fn targets(known: &Crate, module: usize, path: &Path) -> Vec<Target> {
    let target = known.resolve(module, &path.segments);
    let mut targets: Vec<Target> = known.brought(&target).map(|path| known.resolve(module, path)).collect();
    targets.push(target);
    targets
}

/// Names a path that leads to a layer above its file, once for each line and layer.
fn check_layer(
    known: &Crate,
    from: usize,
    to: usize,
    path: &Path,
    upward: &mut BTreeSet<(usize, usize, usize)>,
    faults: &mut Vec<Fault>,
) {
    let (own, above) = (layer(&known.files[from]), layer(&known.files[to]));
    if above > own && upward.insert((from, path.line, above)) {
        let what = format!(
            "`{}` leads to {}, on the layer of {}: a file of {} names only its own layer and those below",
            path.segments.join("::"),
            known.files[to],
            LAYERS[above],
            LAYERS[own],
        );
        faults.push(Fault { file: known.files[from].clone(), line: path.line, what });
    }
}

/// Describes a circle: every edge inside it.
fn circle_fault(known: &Crate, graph: &Graph, circle: &BTreeSet<usize>) -> Fault {
    let first = *circle.first().expect("a circle has files");
    let mut steps = Vec::new();
    for &from in circle {
        for (to, edge) in graph[&from].iter().filter(|(to, _)| circle.contains(to)) {
            steps.push(format!(
                "    {}:{}: `{}` names {}",
                known.files[from], edge.line, edge.path, known.files[*to]
            ));
        }
    }
    let what = format!("a circle of {} files, cut one of these:\n{}", circle.len(), steps.join("\n"));
    let line = graph[&first].iter().find(|(to, _)| circle.contains(to)).map_or(1, |(_, edge)| edge.line);
    Fault { file: known.files[first].clone(), line, what }
}

/// The strongly connected components of the graph (Tarjan 1972).
fn circles(graph: &Graph, files: usize) -> Vec<BTreeSet<usize>> {
    struct Search<'a> {
        graph: &'a Graph,
        /// When each file was met, and the earliest file that it leads back to.
        met: Vec<Option<usize>>,
        low: Vec<usize>,
        stack: Vec<usize>,
        count: usize,
        circles: Vec<BTreeSet<usize>>,
    }
    impl Search<'_> {
        fn file(&mut self, from: usize) {
            self.met[from] = Some(self.count);
            self.low[from] = self.count;
            self.count += 1;
            self.stack.push(from);
            for &to in self.graph.get(&from).into_iter().flat_map(BTreeMap::keys) {
                if self.met[to].is_none() {
                    self.file(to);
                    self.low[from] = self.low[from].min(self.low[to]);
                } else if let (Some(met), true) = (self.met[to], self.stack.contains(&to)) {
                    self.low[from] = self.low[from].min(met);
                }
            }
            if Some(self.low[from]) == self.met[from] {
                let start = self.stack.iter().position(|&file| file == from).expect("it is on the stack");
                self.circles.push(self.stack.drain(start..).collect());
            }
        }
    }
    let mut search = Search {
        graph,
        met: vec![None; files],
        low: vec![0; files],
        stack: Vec::new(),
        count: 0,
        circles: Vec::new(),
    };
    for file in 0..files {
        if search.met[file].is_none() {
            search.file(file);
        }
    }
    search.circles
}
