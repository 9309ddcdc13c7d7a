"""Processor time of Siconos' solvers on the shared problems, at the residual that we ask of our own solvers.

    python3 benches/siconos_solvers.py --problems ../shared/problems --out results.csv
        [--only SUBSTRING] [--solvers A,B] [--tolerances 1e-4,1e-8,1e-12] [--cap SECONDS] [--check]

How it is measured:

- Siconos stops by its own error measures, so a run counts as solved when *our* certificate of its impulses, computed
  here with numpy, is at most the tolerance. Siconos' tolerance starts 100 times looser and is tightened by ten until
  that holds (to 1e-16 at most); the time is that of the first run that reaches it, alone.
- Every run starts from zero, on a freshly built problem and fresh options; building is not timed. A run that counts
  is repeated to at least 10 ms and three times (to 3 s at most), and the best time is kept.
- Iterations are not limited, a run is limited to `--cap` processor seconds. To end some day it is also limited to
  `PATIENCE` times what Siconos' fastest so far needed on that problem at that tolerance (ten times that of the next
  looser tolerance while none has reached it), but never to less than half a second.
- Each problem and solver gets a process of its own, because some abort or hang. Status: `solved`; `missed` (it ended
  short of the certificate); `timeout`; `aborted` (assert, crash); `unsupported` (Siconos says that it cannot).
- Siconos gets the matrix storage that suits the solver: dense to 100 rows and blocks above; to 250 rows both are tried
  with the solvers that factor the matrix, and the better one is written. One thread.
- Global problems go to the local solvers as W = H'M^-1 H, q = H'M^-1 f + w (not timed) and to the global solvers as
  they are; mixed complementarity goes to the LCP solvers with the equality unknowns eliminated where that can be done.

Debian's build (4.4.0) offers, and this script runs, the names in `SOLVERS`: in 3D NSGS (with five local solvers), PROX,
TFP, PFP, ACLMFP, DSFP, FPP, EG, VI_FPP, VI_EG, ADMM, NSN_AC (alone and after VI_EG), NSN_AC_TEST, NSN_FB, NSN_NM; of
the global ones ADMM, IPM (of the convex problem without the shift, so it seldom gets there), NSN_AC, VI_FPP, VI_EG,
ACLMFP; in 2D NSGS, CPG, LEMKE, ENUM; rolling NSGS and ADMM; and of LCP, MLCP and relay what is listed. What it names
but is not run here is in `REFUSED`, with the reason.
"""

import argparse
import csv
import ctypes as ct
import json
import multiprocessing
import os
import pathlib
import resource
import signal
import sys
import time

os.environ["OPENBLAS_NUM_THREADS"] = "1"

try:
    import h5py
    import numpy as np
    import scipy.sparse as sparse
    import scipy.sparse.linalg
    import siconos.numerics as sn
except ImportError as missing:
    sys.exit(f"Siconos was not measured: {missing} (apt install python3-siconos python3-h5py python3-scipy)")

SENTENCE = "Siconos 4.4 of Debian (python3-siconos); that build has asserts live, so its times are an upper bound."
COLUMNS = (
    "problem,kind,rows,contacts,solver,tolerance,status,cpu_s,iterations,certificate,fclib_residual,siconos_tolerance"
).split(",")
PATIENCE = 50.0
MEMORY = 6 << 30
MAX_ITERATIONS = 10**7

# Those that tend to be fast come first: they bound the time given to the others.
LOCAL_3D = "PROX NSN_AC/VI_EG ADMM NSGS NSGS/NSN_GP NSGS/PLI NSGS/QUARTIC NSGS/PROJECTION NSN_AC NSN_AC_TEST NSN_FB"
LOCAL_3D += " NSN_NM EG FPP VI_EG VI_FPP TFP PFP ACLMFP DSFP"
LCPS = "LEMKE PIVOT PIVOT_LUMOD AVI_CAOFERRIS PATHSEARCH BARD MURTY NEWTONMIN NEWTON_FB_FBLSA NEWTON_MIN_FBLSA ENUM"
LCPS += " PGS RPGS PSOR CPG LATIN LATIN_W CONVEXQP_PG"
SOLVERS = {
    "FRICTION_2D_": "NSGS CPG LEMKE ENUM",
    "FRICTION_3D_": LOCAL_3D,
    "ROLLING_FRICTION_3D_": "NSGS ADMM",
    "GLOBAL_FRICTION_3D_": "ADMM IPM NSN_AC VI_EG VI_FPP ACLMFP",
    "GLOBAL_ROLLING_FRICTION_3D_": "NSGS_WR",
    "LCP_": LCPS,
    "MLCP_": "ENUM DIRECT_ENUM FB DIRECT_FB LCP_LEMKE PGS RPGS PSOR RPSOR",
    "RELAY_": "LEMKE ENUM PGS AVI_CAOFERRIS",
}
REFUSED = """
FRICTION_3D_HP              hangs in its line search, even on four contacts
FRICTION_3D_NSGSV           no storage suits it: dense wants another local solver, the others are not implemented
FRICTION_3D_SOCLCP, FRICTION_3D_NCPGlockerFBFixedPoint, *_Cylinder, *_CYLINDER   unknown to the driver
*_GAMS*, *_PATH*, MLCP_SIMPLEX, MLCP_DIRECT_SIMPLEX, RELAY_AVI_CAOFERRIS_TEST, LCP_QP, LCP_NSQP   not compiled in
LCP_NSGS_SBM, MLCP_PGS_SBM  block storage only, for the blocks of many small systems
GLOBAL_FRICTION_3D_NSGS, GLOBAL_FRICTION_3D_*_WR   run, but are the local solvers with a reduction inside
"""
# After the slash: another one-contact solver of NSGS, or NSN_AC started by an extragradient phase.
ONE_CONTACT = {
    "PLI": "ONECONTACT_ProjectionOnConeWithLocalIteration",
    "QUARTIC": "ONECONTACT_QUARTIC",
    "NSN_GP": "ONECONTACT_NSN_GP",
    "PROJECTION": "ONECONTACT_ProjectionOnCone",
}
FAMILIES = {
    "fc2d": ["FRICTION_2D_"],
    "gfc2d": ["FRICTION_2D_"],
    "fc3d": ["FRICTION_3D_"],
    "gfc3d": ["FRICTION_3D_", "GLOBAL_FRICTION_3D_"],
    "rfc3d": ["ROLLING_FRICTION_3D_"],
    "grfc3d": ["ROLLING_FRICTION_3D_", "GLOBAL_ROLLING_FRICTION_3D_"],
    "lcp": ["LCP_"],
    "mlcp": ["MLCP_", "LCP_"],
    "relay": ["RELAY_"],
}
DRIVERS = {
    "FRICTION_2D_": "fc2d_driver",
    "FRICTION_3D_": "fc3d_driver",
    "ROLLING_FRICTION_3D_": "rolling_fc3d_driver",
    "GLOBAL_FRICTION_3D_": "gfc3d_driver",
    "GLOBAL_ROLLING_FRICTION_3D_": "g_rolling_fc3d_driver",
    "LCP_": "linearComplementarity_driver",
    "MLCP_": "mlcp_driver",
    "RELAY_": "relay_driver",
}


# ---- problems ----


class Problem:
    """u = W p + q with p in a product of sets: cones of `dim` rows, or intervals (`dim` 1)."""

    def __init__(self, entry, W, q, dim=1, **more):
        self.name, self.kind = entry["name"], entry["kind"]
        self.W, self.q, self.dim, self.rows = W, q, dim, len(q)
        self.mu, self.mu_r, self.lower, self.upper = (more.get(k) for k in ("mu", "mu_r", "lower", "upper"))
        self.equalities, self.whole = more.get("equalities", 0), more.get("whole")
        self.contacts = len(self.mu) if self.mu is not None else ""
        self.rho = 1.0 / block_scales(W, dim)


def matrix(group):
    arrays = group["x"][:], group["i"][:].astype(np.int64), group["p"][:].astype(np.int64)
    if group["nz"][0] != -2:
        raise ValueError("the collection stores compressed rows only")
    return sparse.csr_matrix(arrays, shape=(group["m"][0], group["n"][0]))


def load_friction(entry, path):
    with h5py.File(path) as file:
        group = next(file[key] for key in file if key.startswith("fclib"))
        dim, vectors = int(group["spacedim"][0]), {key: group["vectors"][key][:] for key in group["vectors"]}
        cone = {"mu": vectors["mu"], "mu_r": vectors.get("mu_r")}
        if "W" in group:
            return Problem(entry, matrix(group["W"]), vectors["q"], dim, **cone)
        M, H = matrix(group["M"]), matrix(group["H"])
    # W = H'M^-1 H, q = H'M^-1 f + w.
    solve = scipy.sparse.linalg.splu(M.tocsc()).solve
    W = sparse.csr_matrix(H.T @ solve(H.toarray())) if H.shape[1] else sparse.csr_matrix((0, 0))
    W.indices, W.indptr = W.indices.astype(np.int64), W.indptr.astype(np.int64)
    q = H.T @ solve(vectors["f"]) + vectors["w"]
    return Problem(entry, W, q, dim, whole=(M, H, vectors["f"], vectors["w"]), **cone)


def load_complementarity(entry, path):
    data = json.loads(path.read_text())
    table = np.loadtxt(path.parent / data["M"], comments="%", ndmin=2)
    (m, n, _), (i, j, x) = table[0].astype(int), table[1:].T
    W = sparse.csr_matrix((x, (i.astype(np.int64) - 1, j.astype(np.int64) - 1)), shape=(m, n))
    q = np.array(data["q"])
    lower, upper = np.zeros(m), np.full(m, np.inf)
    if entry["kind"] == "relay":
        lower, upper = np.array(data["lb"]), np.array(data["ub"])
    equalities = data["n"] if entry["kind"] == "mlcp" else 0
    lower[:equalities] = -np.inf
    return Problem(entry, W, q, lower=lower, upper=upper, equalities=equalities)


def load(entry, folder):
    path = folder / entry["file"]
    return (load_complementarity if path.suffix == ".json" else load_friction)(entry, path)


def eliminate(problem):
    """An MLCP without its equality unknowns: (M, q, back), or None where these are not determined."""
    n, M, q = problem.equalities, problem.W.toarray(), problem.q
    A, C, D, B, a, b = M[:n, :n], M[:n, n:], M[n:, :n], M[n:, n:], q[:n], q[n:]
    if n and np.linalg.cond(A) > 1e12:
        return None
    inner = np.linalg.solve(A, np.column_stack([C, a]))
    return B - D @ inner[:, :-1], b - D @ inner[:, -1], lambda z: np.append(-inner[:, :-1] @ z - inner[:, -1], z)


# ---- certificate ----


def block_scales(W, dim):
    """Largest eigenvalue of each diagonal block's symmetric part; the mean of the others where it is not positive."""
    entries = W.tocoo()
    inside = entries.row // dim == entries.col // dim
    row, col = entries.row[inside], entries.col[inside]
    blocks = np.zeros((W.shape[0] // dim, dim, dim))
    np.add.at(blocks, (row // dim, row % dim, col % dim), entries.data[inside])
    largest = np.linalg.eigvalsh(0.5 * (blocks + blocks.transpose(0, 2, 1)))[:, -1] if len(blocks) else np.zeros(0)
    positive = largest[largest > 0.0]
    return np.where(largest > 0.0, largest, positive.mean() if len(positive) else 1.0)


def project_cones(x, mu, mu_r):
    """Projection on {p_N >= 0, |p_T| <= mu p_N, |p_R| <= mu_r p_N}, one cone per row of x.

    With s = p_N this is min (s - a)^2 + (|b_T| - mu s)_+^2 + (|b_R| - mu_r s)_+^2. Its derivative grows with s, so a
    bound is active at the minimum if the derivative is positive where that bound starts to hold.
    """
    a, tangent, roll = x[:, 0], x[:, 1:3], x[:, 3:]
    t, r = np.linalg.norm(tangent, axis=1), np.linalg.norm(roll, axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        s_t, s_r = t / mu, r / mu_r
        on_t = s_t - a - mu_r * np.maximum(r - mu_r * s_t, 0.0) > 0.0
        on_r = s_r - a - mu * np.maximum(t - mu * s_r, 0.0) > 0.0
    mu_t, mu_r_on = np.where(on_t, mu, 0.0), np.where(on_r, mu_r, 0.0)
    s = np.maximum((a + mu_t * t + mu_r_on * r) / (1.0 + mu_t**2 + mu_r_on**2), 0.0)
    shrink_t = np.minimum(1.0, mu * s / np.where(t > 0.0, t, 1.0))
    shrink_r = np.minimum(1.0, mu_r * s / np.where(r > 0.0, r, 1.0))
    return np.column_stack([s, tangent * shrink_t[:, None], roll * shrink_r[:, None]])


def natural_map(problem, p, u, rho):
    """p - P(p - rho (u + shift)), divided by rho."""
    if problem.dim == 1:
        free = np.isinf(problem.lower) & np.isinf(problem.upper)
        return np.where(free, u, (p - np.clip(p - rho * u, problem.lower, problem.upper)) / rho)
    p, u = p.reshape(-1, problem.dim), u.reshape(-1, problem.dim).copy()
    mu_r = problem.mu_r if problem.mu_r is not None else np.zeros(len(p))
    u[:, 0] += problem.mu * np.linalg.norm(u[:, 1:3], axis=1) + mu_r * np.linalg.norm(u[:, 3:], axis=1)
    rho = np.broadcast_to(rho, len(p))[:, None]
    return ((p - project_cones(p - rho * u, problem.mu, mu_r)) / rho).ravel()


def certify(problem, p):
    """Our certificate and the residual of the collection's manifest (relative to the norm of q)."""
    moved = problem.W @ p
    u, q = moved + problem.q, np.linalg.norm(problem.q)
    ours = np.linalg.norm(natural_map(problem, p, u, problem.rho))
    theirs = np.linalg.norm(natural_map(problem, p, u, 1.0))
    return ours / (max(q, np.linalg.norm(moved)) or 1.0), theirs / (q or 1.0)


def stored_solution(problem, path):
    if path.suffix != ".json":
        with h5py.File(path) as file:
            return file["solution/r"][:] if "solution" in file else None
    solution = json.loads(path.read_text()).get("solution")
    if solution is None:
        return None
    return np.array(solution["u"] + solution["v"] if problem.kind == "mlcp" else solution["z"])


def check(entries, folder):
    """Certificates of the stored solutions beside the manifest's residual."""
    print(f"{'problem':<40}{'manifest':>12}{'recomputed':>12}{'certificate':>12}")
    for entry in entries:
        problem = load(entry, folder)
        p = stored_solution(problem, folder / entry["file"])
        found = certify(problem, p) if p is not None else (np.nan, np.nan)
        manifest = float(entry["ref_residual_rel"])
        print(f"{problem.name:<40}{manifest:>12.2e}{found[1]:>12.2e}{found[0]:>12.2e}  {entry['ref_status']}")


# ---- Siconos ----

# Python's interface cannot build the rolling, global and relay problems, so the C structures are filled here.
C = ct.CDLL(sn._numerics.__file__)
P, INT, REAL = ct.c_void_p, ct.c_int, ct.c_double


def structure(*fields):
    return type("Structure", (ct.Structure,), {"_fields_": [(f"f{i}", kind) for i, kind in enumerate(fields)]})


Local = structure(INT, INT, P, P, P, P)  # dimension, contacts, W, q, mu, mu_r
Global = structure(INT, INT, P, P, P, REAL, P, REAL, P, P)  # dimension, contacts, M, H, f, |f|, w, |w|, mu, env
GlobalRolling = structure(INT, INT, P, P, P, P, P, P)  # dimension, contacts, M, H, f, w, mu, mu_r
Lcp = structure(INT, P, P)  # size, M, q
Mlcp = structure(*[INT] * 4, *[P] * 10)  # by M, by blocks, n, m, rows, kinds, M, q, A, B, C, D, a, b
Relay = structure(INT, P, P, P, P)  # size, M, q, lower, upper


class Instance:
    """A problem as Siconos sees it; keeps alive what the C structure points to."""

    def __init__(self, problem, family, storage):
        self.alive, self.size, self.extra = [], problem.rows, ()
        build = getattr(self, family.replace("3D_", "").replace("2D_", "").strip("_").lower())
        self.structure = build(problem, storage)

    def vector(self, x, kind=float):
        self.alive.append(np.array(x, dtype=kind, order="F", copy=True))
        return self.alive[-1].ctypes.data

    def matrix(self, A, storage, dim):
        if storage == "dense":
            A = A.toarray() if sparse.issparse(A) else A
        elif storage == "blocks":
            A = sn.SBM_from_csparse(dim, A)[1]
        self.alive += [A, sn.NumericsMatrix(A)]
        return int(self.alive[-1].this)

    def friction(self, problem, storage):
        mu_r = problem.mu_r if problem.mu_r is not None else []
        W = self.matrix(problem.W, storage, problem.dim)
        vectors = map(self.vector, (problem.q, problem.mu, mu_r))
        return Local(problem.dim, problem.contacts, W, *vectors)

    rolling_friction = friction

    def global_friction(self, problem, storage):
        M, H, f, w = problem.whole
        self.extra = (self.vector(np.zeros(len(f))),)
        matrices = self.matrix(M, storage, 0), self.matrix(H, storage, 0)
        f, w = (self.vector(f), np.linalg.norm(f)), (self.vector(w), np.linalg.norm(w))
        return Global(problem.dim, problem.contacts, *matrices, *f, *w, self.vector(problem.mu), None)

    def global_rolling_friction(self, problem, storage):
        M, H, f, w = problem.whole
        self.extra = (self.vector(np.zeros(len(f))),)
        matrices = self.matrix(M, storage, 0), self.matrix(H, storage, 0)
        vectors = map(self.vector, (f, w, problem.mu, problem.mu_r))
        return GlobalRolling(problem.dim, problem.contacts, *matrices, *vectors)

    def lcp(self, problem, storage):
        M, q, back = eliminate(problem) if problem.equalities else (problem.W, problem.q, None)
        self.size, self.back = len(q), back
        return Lcp(len(q), self.matrix(M, "dense", 1), self.vector(q))

    def mlcp(self, problem, storage):
        n, m, M, q = problem.equalities, problem.rows - problem.equalities, problem.W.toarray(), problem.q
        blocks = self.vector([0, n, n + m], np.int32), self.vector([0, 1], np.int32)
        parts = M[:n, :n], M[n:, n:], M[:n, n:], M[n:, :n], q[:n], q[n:]
        vectors = map(self.vector, (q, *parts))
        return Mlcp(1, 1, n, m, *blocks, self.matrix(M, "dense", 1), *vectors)

    def relay(self, problem, storage):
        vectors = map(self.vector, (problem.q, problem.lower, problem.upper))
        return Relay(problem.rows, self.matrix(problem.W, "dense", 1), *vectors)


def options(family, name, tolerance):
    name, _, variant = name.partition("/")
    chosen = sn.SolverOptions(getattr(sn, f"SICONOS_{family}{name}"))
    if variant in ONE_CONTACT:
        sn.solver_options_update_internal(chosen, 0, getattr(sn, f"SICONOS_{family}{ONE_CONTACT[variant]}"))
    elif variant:
        chosen.iparam[sn.SICONOS_FRICTION_3D_NSN_HYBRID_STRATEGY] = sn.SICONOS_FRICTION_3D_NSN_HYBRID_STRATEGY_VI_EG_NSN
    chosen.iparam[sn.SICONOS_IPARAM_MAX_ITER] = MAX_ITERATIONS
    chosen.dparam[sn.SICONOS_DPARAM_TOL] = tolerance
    return chosen


def run(problem, family, name, storage, tolerance, cap):
    """One run from zero: impulses, processor seconds, iterations, and what Siconos says (positive: failed)."""
    instance, chosen = Instance(problem, family, storage), options(family, name, tolerance)
    z, w = np.zeros(instance.size), np.zeros(instance.size)
    arguments = [ct.c_void_p(x) for x in (z.ctypes.data, w.ctypes.data, *instance.extra, int(chosen.this))]
    problem_pointer, driver = ct.byref(instance.structure), getattr(C, DRIVERS[family])
    if family == "MLCP_":
        C.mlcp_driver_init(problem_pointer, arguments[-1])
    # The alarm ends this process. While it is set the clock of the process is coarse, the one of the thread is not.
    signal.setitimer(signal.ITIMER_PROF, cap)
    begun = time.thread_time()
    info = driver(problem_pointer, *arguments)
    seconds = time.thread_time() - begun
    signal.setitimer(signal.ITIMER_PROF, 0.0)
    back = getattr(instance, "back", None)
    return (back(z) if back else z), seconds, int(chosen.iparam[sn.SICONOS_IPARAM_ITER_DONE]), info


def ladder(say, problem, family, name, storage, caps):
    """Runs a solver with ever tighter tolerances; says a row for each tolerance reached, and what was seen last."""
    pending, used, inner = sorted(caps, reverse=True), 0.0, np.inf
    while pending:
        inner = min(inner / 10.0, 100.0 * pending[0])
        cap = caps[pending[0]]
        if inner < 0.9e-16:
            break
        if used > 4.0 * cap:
            signal.raise_signal(signal.SIGPROF)
        p, seconds, iterations, info = run(problem, family, name, storage, inner, cap)
        used += seconds
        certificate, fclib = certify(problem, p)
        say(None, (None, iterations, certificate, fclib, inner))
        if certificate <= pending[0]:
            total, count = seconds, 1
            while total < 0.01 or (count < 3 and total < 3.0):
                again = run(problem, family, name, storage, inner, cap)[1]
                seconds, total, count = min(seconds, again), total + again, count + 1
        while pending and certificate <= pending[0]:
            say(pending.pop(0), (seconds, iterations, certificate, fclib, inner))
        # It gave up; a tighter tolerance seldom helps.
        if info > 0 and seconds > 0.05 * cap:
            break


def child(connection, *task):
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        ladder(lambda *row: connection.send(row), *task)
    except Exception as wrong:
        # Not Siconos' doing: such as more memory than allowed for a dense matrix.
        connection.send(("wrong", repr(wrong)))
        signal.raise_signal(signal.SIGABRT)


def attempt(problem, family, name, storage, caps):
    """Rows by tolerance from a process of its own: (status, (seconds, iterations, certificate, fclib, inner))."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=child, args=(sender, problem, family, name, storage, caps))
    process.start()
    sender.close()
    found, seen = {}, (None, None, None, None, None)
    try:
        while receiver.poll(60.0 + 20.0 * max(caps.values())):
            tolerance, row = receiver.recv()
            if tolerance == "wrong":
                print(f"{problem.name} {family}{name} {storage}: {row}")
            elif tolerance is None:
                seen = row
            else:
                found[tolerance] = ("solved", row)
    except EOFError:
        pass
    if process.is_alive():
        process.join(10.0)
        process.kill()
    process.join()
    if process.exitcode == 0:
        status = "missed"
    elif process.exitcode in (-signal.SIGPROF, -signal.SIGKILL):
        status = "timeout"
    else:
        status = "unsupported" if process.exitcode > 0 and seen[2] is None else "aborted"
    return {tolerance: found.get(tolerance, (status, seen)) for tolerance in caps}


# ---- the whole collection ----


def storages(problem, family, name):
    """The storages to try."""
    if family in ("LCP_", "MLCP_", "RELAY_"):
        return ["dense"]
    if family.startswith("GLOBAL"):
        return ["dense", "sparse"] if problem.whole[0].shape[0] <= 100 else ["sparse"]
    if name == "PFP":  # knows blocks only
        return ["blocks"]
    if family == "FRICTION_2D_" and name != "NSGS":  # makes it dense inside
        return ["dense"] if problem.rows <= 2000 else ["blocks"]
    # NSGS with rolling friction refuses blocks.
    other = "sparse" if family + name == "ROLLING_FRICTION_3D_NSGS" else "blocks"
    if name.startswith(("NSN", "ADMM", "PROX")) and 30 < problem.rows <= 250:
        return ["dense", other]
    return ["dense"] if problem.rows <= 100 else [other]


def rank(found):
    status, row = found
    return ["solved", "timeout", "missed", "aborted", "unsupported"].index(status), row[0] or 0.0


def limits(tolerances, cap, fastest):
    """Processor seconds for a run, by tolerance."""
    found, looser = {}, np.inf
    for tolerance in sorted(tolerances, reverse=True):
        looser = fastest.get(tolerance, 10.0 * looser)
        found[tolerance] = min(cap, max(0.5, PATIENCE * looser))
    return found


def measure(problem, family, name, tolerances, cap, fastest):
    """The best over the storages, by tolerance."""
    best = {}
    for storage in storages(problem, family, name):
        rows = attempt(problem, family, name, storage, limits(tolerances, cap, fastest))
        for tolerance in sorted(tolerances):
            # What reached a tighter tolerance reached this one.
            found = [rows[t] for t in tolerances if t <= tolerance and rows[t][0] == "solved"] + [rows[tolerance]]
            best[tolerance] = min(found + [best.get(tolerance, rows[tolerance])], key=rank)
            if best[tolerance][0] == "solved":
                fastest[tolerance] = min(fastest.get(tolerance, np.inf), best[tolerance][1][0])
    return best


def choose(problem, wanted):
    for family in FAMILIES[problem.kind]:
        if family == "LCP_" and problem.equalities and eliminate(problem) is None:
            continue
        for name in SOLVERS[family].split():
            if not wanted or family + name in wanted or name in wanted:
                yield family, name


def shown(value):
    return "" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)


def write(table, problem, solver, best):
    for tolerance in sorted(best, reverse=True):
        status, found = best[tolerance]
        start = problem.name, problem.kind, problem.rows, problem.contacts, solver, f"{tolerance:g}", status
        table.writerow([*start, *map(shown, found)])


def line(problem, solver, best):
    told = []
    for tolerance in sorted(best, reverse=True):
        status, found = best[tolerance]
        told.append(f"{tolerance:g} {1e3 * found[0]:.4g} ms" if status == "solved" else f"{tolerance:g} {status}")
    print(f"{problem.name:<38} {solver:<32} {'   '.join(told)}", flush=True)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--problems", type=pathlib.Path, default=pathlib.Path("../shared/problems"))
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("target/bench-solvers-siconos.csv"))
    parser.add_argument("--only", default="", help="problems whose name or kind/name contains this")
    parser.add_argument("--solvers", default="", help="names, with or without their family")
    parser.add_argument("--tolerances", default="1e-4,1e-8,1e-12")
    parser.add_argument("--cap", type=float, default=10.0, help="processor seconds of a run")
    parser.add_argument("--max-rows", type=int, default=10**9, help="leave out larger problems")
    parser.add_argument("--check", action="store_true", help="only judge the stored solutions")
    return parser.parse_args()


def main():
    asked = arguments()
    manifest = asked.problems / "manifest.csv"
    if not manifest.is_file():
        sys.exit(f"Siconos was not measured: there is no {manifest}")
    entries = [e for e in csv.DictReader(manifest.open()) if asked.only in f"{e['kind']}/{e['name']}"]
    entries = sorted((e for e in entries if 0 < int(e["rows"]) <= asked.max_rows), key=lambda e: int(e["rows"]))
    if asked.check:
        return check(entries, asked.problems)
    print(SENTENCE)
    tolerances = [float(t) for t in asked.tolerances.split(",")]
    wanted = [name for name in asked.solvers.split(",") if name]
    with asked.out.open("w", newline="") as out:
        limit = f"{asked.cap:g} s of processor time, or {PATIENCE:g} times the fastest (at least 0.5 s)"
        out.write(f"# {SENTENCE} Timeout of a run: {limit}.\n")
        table = csv.writer(out)
        table.writerow(COLUMNS)
        for entry in entries:
            problem, fastest = load(entry, asked.problems), {}
            for family, name in choose(problem, wanted):
                best = measure(problem, family, name, tolerances, asked.cap, fastest)
                write(table, problem, family + name, best)
                out.flush()
                line(problem, family + name, best)


if __name__ == "__main__":
    main()
