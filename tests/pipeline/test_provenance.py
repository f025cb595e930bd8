"""Fingerprints follow meaning: what changes results changes them, and nothing else does."""

import ast
import os
import re
import shutil
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import metatrace
from metatrace.domains.mountain_car.domain import DOMAIN as MOUNTAIN_CAR
from metatrace.domains.protocol import Code
from metatrace.errors import UserError
from metatrace.methods import METHODS
from metatrace.pipeline import jobs, provenance
from metatrace.pipeline.definitions import read_module
from metatrace.pipeline.project import WHEN_IMPORTED, Project

PACKAGE = Path(metatrace.__file__).parent
RUNS = {job for job in jobs.JOBS if job.startswith("run_")}
OF_CARS = {job for job in RUNS if job.startswith("run_mountain_car_")}
PLAIN = {job for job in OF_CARS if job.endswith("_plain")}
CARS = OF_CARS - PLAIN
PREDICTED = {job for job in RUNS if job.startswith("run_prediction_")}
PLAIN_ACTOR_CRITIC = {job for job in PLAIN if "sarsa" not in job}
PACKED = {job for job in CARS if "vector" in job or "mixed" in job}
SCALARS = {"run_mountain_car_scalar", "run_mountain_car_sarsa-scalar"}
DENSE = {f"run_mountain_car_{method}" for method in ("rmsprop", "adam", "obgd")}
PLAIN_TIDBD = {"run_prediction_tidbd_plain", "run_prediction_tidbd-scalar_plain"}
AUTOTIDBD = {"compile_tidbd_kernel", "run_prediction_autotidbd"}
ONE_FOR_EACH_WEIGHT = {job for job in RUNS if re.match("run_(atari|minatar)_(vector|mixed)", job)}


def write(folder, files, package="made"):
    """A package of these files (paths and sources), and an empty `__init__.py` if there is none."""
    for name, source in {"__init__.py": "", **files}.items():
        path = folder / package / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(source), encoding="utf-8")


def read(folder, *entries, method="", facts=(), package="made", not_entered=()):
    """The fingerprint of entries, read afresh."""
    return Project(folder, package, not_entered).fingerprint(Code(entries, method, facts))


@pytest.fixture
def made(tmp_path):
    """Writes a package and tells what an entry reaches, by names without the package's."""

    def reached(files, entry, **options):
        write(tmp_path, files)
        found = read(tmp_path, f"made.{entry}", **options).definitions
        return {name.removeprefix("made.") for name in found}

    return reached


class TestThisProject:
    """What users change in this project, and which jobs run again."""

    @pytest.fixture
    def copy(self, tmp_path):
        """A copy of the package that may be edited."""
        shutil.copytree(PACKAGE, tmp_path / "metatrace", ignore=shutil.ignore_patterns("__pycache__"))
        return tmp_path

    @staticmethod
    def digests(folder):
        project = Project(folder)
        return {job: project.fingerprint(code).digest for job, code in jobs.JOBS.items()}

    def changed(self, folder, *edits):
        """The jobs whose fingerprints edits change, each of one place in a module."""
        for module, old, new in edits:
            path = folder / "metatrace" / module
            text = path.read_text(encoding="utf-8")
            assert old in text, f"{module} no longer holds {old!r}: the test must change with it"
            path.write_text(text.replace(old, new, 1), encoding="utf-8")
        after = self.digests(folder)
        return {job for job in after if after[job] != jobs.fingerprint_of(job).digest}

    def test_another_folder_and_other_file_times_change_nothing(self, copy):
        for path in copy.rglob("*.py"):
            os.utime(path, (0, 0))
        assert self.digests(copy) == {job: jobs.fingerprint_of(job).digest for job in jobs.JOBS}

    def test_another_process_finds_the_same(self):
        # Another order of sets, that is.
        ask = "from metatrace.pipeline import jobs\nfor job in jobs.JOBS: print(job, jobs.fingerprint_of(job).digest)"
        environment = {**os.environ, "PYTHONPATH": str(PACKAGE.parent), "PYTHONHASHSEED": "7"}
        done = subprocess.run([sys.executable, "-c", ask], env=environment, check=True, capture_output=True, text=True)
        found = dict(line.split() for line in done.stdout.splitlines())
        assert found == {job: jobs.fingerprint_of(job).digest for job in jobs.JOBS}

    def test_comments_docstrings_and_layout_change_nothing(self, copy):
        for path in copy.rglob("*.py"):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            for node in ast.walk(tree):
                if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module):
                    if ast.get_docstring(node) is not None:
                        del node.body[0]
                    node.body.insert(0, ast.Expr(ast.Constant("Another docstring.")))
            path.write_text(f"# A comment.\n\n{ast.unparse(tree)}\n", encoding="utf-8")
        assert self.digests(copy) == {job: jobs.fingerprint_of(job).digest for job in jobs.JOBS}

    def test_words_and_looks_change_no_run(self, copy):
        edits = (
            ("runs/results.py", "is cut short, garbled or no run file", "is damaged"),
            ("numbers.py", 'ValueError(f"', 'ValueError(f"Alas: '),
            ("domains/readings.py", "it barely matters", "it matters little"),
            ("domains/atari/readings.py", "paper", "article"),
            ("methods.py", '"normalized scalar Metatrace"', '"the scalar one"'),
            ("methods.py", '"#0072b2"', '"#000001"'),
            ("errors.py", "class UserError(Exception):", "class UserError(Exception):\n    code = 2"),
            ("progress.py", "SECONDS_BETWEEN_LINES = 10.0", "SECONDS_BETWEEN_LINES = 9.0"),
            ("cli/main.py", "train one agent", "make one agent learn"),
            ("networks/plain.py", "it must be auto, cpu or cuda", "choose another"),
        )
        assert not self.changed(copy, *edits) & RUNS

    def test_a_new_function_in_a_shared_module_changes_nothing(self, copy):
        for module in ("numbers.py", "runs/results.py", "figures/style.py", "tuning/mixed.py"):
            with (copy / "metatrace" / module).open("a", encoding="utf-8") as file:
                file.write("\n\ndef unheard_of():\n    return 1\n")
        assert not self.changed(copy)

    def test_a_new_method_in_the_registry_changes_nothing(self, copy):
        new = '_ENTRIES = (\n    Method("new", "new", "new", "#000000", (), "o", "metatrace.tuning.new:New"),\n'
        assert not self.changed(copy, ("methods.py", "_ENTRIES = (\n", new))

    def test_a_renamed_local_variable_may_count(self, copy):
        renamed = ("domains/mountain_car/compiled.py", "finished = episodes", "done = episodes")
        assert self.changed(copy, renamed) == CARS

    @pytest.mark.parametrize(
        "module, old, new, wanted",
        [
            (
                "domains/mountain_car/dynamics.py",
                "_GRAVITY = 0.0025",
                "_GRAVITY = 0.0026",
                {
                    *(f"compile_{kernel}" for kernel in MOUNTAIN_CAR.kernels),
                    *CARS,
                    *("compile_prediction_lazy_kernel", "compile_prediction_packed_kernel", "compile_tidbd_kernel"),
                    *(job for job in PREDICTED if not job.endswith("_plain")),
                },
            ),
            (
                "compiled/packed_kernel.py",
                "TINY = 1e-300",
                "TINY = 1e-299",
                {
                    *("compile_packed_kernel", "compile_sarsa_packed_kernel", *PACKED),
                    *("compile_prediction_packed_kernel", "run_prediction_vector", "run_prediction_mixed"),
                    "run_prediction_vector-unnormalized",
                },
            ),
            ("domains/mountain_car/plain.py", "environment.close()", "environment.reset()", PLAIN_ACTOR_CRITIC),
            ("domains/atari/frames.py", "1 / 255", "1 / 254", {job for job in RUNS if job.startswith("run_atari_")}),
            (
                "networks/step_kernel.py",
                "c.mu <= SERIES_UP_TO",
                "c.mu < SERIES_UP_TO",
                {"compile_step_kernel", "compile_related_kernel", *ONE_FOR_EACH_WEIGHT},
            ),
            (
                "networks/related_kernel.py",
                "alpha * m_1 / (root",
                "m_1 * alpha / (root",
                {"compile_related_kernel", "run_atari_adam", "run_minatar_adam"},
            ),
            (
                "networks/related_kernel.py",
                "step_size * z[j]",
                "z[j] * step_size",
                {"compile_related_kernel", "run_minatar_sarsa-none"},
            ),
            (
                "networks/sarsa.py",
                "self._episode += 1",
                "self._episode += 2",
                {"run_minatar_sarsa-none"},
            ),
            (
                "compiled/lazy_kernel.py",
                "math.exp(run.beta) * U_U",
                "math.exp(run.beta) * 2 * U_U",
                {
                    *("compile_lazy_kernel", "compile_sarsa_lazy_kernel", *SCALARS),
                    *("compile_prediction_lazy_kernel", "run_prediction_scalar"),
                },
            ),
            (
                "compiled/dense_kernel.py",
                "run.alpha / run.correction_1",
                "run.alpha * (1.0 / run.correction_1)",
                {"compile_dense_kernel", "run_mountain_car_adam"},
            ),
            (
                "compiled/dense_kernel.py",
                "W, M_1, M_2, Z = range(4)",
                "W, M_2, M_1, Z = range(4)",
                {"compile_dense_kernel", *DENSE},
            ),
            (
                "related/rmsprop.py",
                "scalar_like(like, 1.0)",
                "scalar_like(like, 2.0)",
                {job for job in RUNS if job.endswith(("_rmsprop", "_rmsprop_plain"))} - {"run_mountain_car_rmsprop"},
            ),
            ("related/tidbd.py", "* delta * self._correlation", "* self._correlation", PLAIN_TIDBD),
            ("compiled/tidbd_kernel.py", "total, M = 0.0, 0.0", "total, M = 0.0, -0.0", AUTOTIDBD),
            ("figures/best_mu.py", "def draw(", "@staticmethod\ndef draw(", {"pictures_best_mu"}),
        ],
    )
    def test_a_change_touches_all_that_use_it_and_nothing_else(self, copy, module, old, new, wanted):
        assert self.changed(copy, (module, old, new)) == wanted

    def test_no_drawing_library_counts_in_what_is_not_drawn(self):
        for job in RUNS:
            assert not {"pandas", "matplotlib"} & jobs.fingerprint_of(job).packages.keys()
        assert {"python", "numpy", "numba", "llvmlite"} <= jobs.fingerprint_of(
            "run_mountain_car_scalar"
        ).packages.keys()
        assert "ale-py" in jobs.fingerprint_of("run_atari_mixed").packages

    def test_tables_of_what_methods_use_name_what_there_is(self):
        for path in PACKAGE.rglob("*.py"):
            module = read_module(path.read_bytes(), "metatrace", False)
            assert module.used_by.keys() <= module.definitions.keys(), path
            assert {method for methods in module.used_by.values() for method in methods} <= METHODS.keys(), path

    def test_an_unknown_job_is_refused(self):
        with pytest.raises(UserError, match="there is no job 'runs'; it must be one of compile_lazy_kernel"):
            jobs.fingerprint_of("runs")


class TestWhatIsReached:
    """From an entry to all that it uses."""

    @pytest.mark.parametrize(
        "head, use",
        [
            ("from made.b import g", "g()"),
            ("from made.b import g as other", "other()"),
            ("from .b import g", "g()"),
            ("from made import b", "b.g()"),
            ("from . import b", "b.g()"),
            ("import made.b as c", "c.g()"),
            ("import made.b", "made.b.g()"),
            ("import made", "made.b.g()"),
            ("", "from made.b import g; g()"),
            ("", "import made.b as c; c.g()"),
            ("try:\n    from made.b import g\nexcept ImportError:\n    g = None", "g()"),
            ("from made.b import g", "[g() for g in g()]"),
            ("from made.b import g", "(lambda x=g: x)"),
            ("from made.b import g\nimport made.c", "(lambda: g)"),
        ],
    )
    def test_names_lead_to_definitions_in_other_modules(self, made, head, use):
        files = {"a.py": f"{head}\ndef f():\n    {use}\n", "b.py": "def g(): pass\ndef h(): pass\n", "c.py": "x = 1"}
        found = {name for name in made(files, "a:f") if WHEN_IMPORTED not in name}
        assert found == {"a:f", "b:g"}

    @pytest.mark.parametrize(
        "source",
        [
            "def f():\n    g()",
            "@g\ndef f(): pass",
            "def f(x=g): pass",
            "def f(*, x=g): pass",
            "class f(g): pass",
            "class f(metaclass=g): pass",
            "class f:\n    def m(self):\n        return g",
            "class f:\n    x = g",
            "def f():\n    def inner():\n        return g\n    return inner",
            "f = [g for _ in range(2)]",
            "f, other = g, 1",
            "f: int = g",
            "def f():\n    global g\n    g = 1",
            "def f():\n    match 1:\n        case g.x: pass",
            "def f():\n    return f'{g}'",
            "def f():\n    with g as x: pass",
            "def f():\n    raise g",
            "def f():\n    raise g('text')",
        ],
    )
    def test_a_use_counts_wherever_it_stands(self, made, source):
        assert "a:g" in made({"a.py": f"class g: pass\n{source}\n"}, "a:f")

    @pytest.mark.parametrize(
        "source",
        [
            "def f(x: g) -> g: pass",
            "def f():\n    raise ValueError(g())",
            "def f(x):\n    assert x, g()",
            "def f(x): return x.g",
            "def f(x): return x(g=1)",
            "import sys\ndef f(): print(g(), file=sys.stderr)",
            "from typing import TYPE_CHECKING\ndef f():\n    if TYPE_CHECKING: g()",
        ],
    )
    def test_what_is_no_use_does_not_count(self, made, source):
        assert made({"a.py": f"class g: pass\n{source}\n"}, "a:f") == {"a:f"}

    @pytest.mark.parametrize(
        "source", ["def f(g): return g", "def f():\n    g = 1\n    return g", "f = [g for g in range(3)]"]
    )
    def test_a_name_counts_even_if_a_local_variable_is_meant(self, made, source):
        assert made({"a.py": f"class g: pass\n{source}\n"}, "a:f") == {"a:f", "a:g"}

    def test_a_module_used_as_a_value_counts_with_all_that_it_has(self, made):
        b = "def g(): return h()\ndef h(): pass\nclass C: pass\nX = 1\n"
        all_of_b = {"b:g", "b:h", "b:C", "b:X"}
        for use in ("getattr(b, name)", "vars(b)", "(b,)", "b.unknown"):
            assert made({"a.py": f"from made import b\ndef f(name): {use}\n", "b.py": b}, "a:f") == {"a:f"} | all_of_b
        assert all_of_b < made({"a.py": "from made.b import *\nf = 1", "b.py": b}, "a:f")
        assert "a:g" in made({"a.py": "def f(name): return globals()[name]\ng = 1"}, "a:f")
        assert made({"b.py": b}, "b") == all_of_b

    def test_names_that_a_package_passes_on_are_followed(self, made):
        files = {
            "p/__init__.py": "from made.p.inner import g, h\n__all__ = ['g', 'h']",
            "p/inner.py": "def g(): pass\ndef h(): pass",
            "a.py": "from made.p import g\nimport made.p\ndef f(): g()\ndef e(): made.p.h()",
        }
        assert made(files, "a:f") == {"a:f", "p.inner:g"}
        assert made(files, "a:e") == {"a:e", "p.inner:h"}

    @pytest.mark.parametrize(
        "statement",
        ["g()", "x.y = g", "x[0] = g", "x += g", "if g: pass", "for i in g: pass", "with g: pass", "while g: pass"],
    )
    def test_what_a_module_does_when_it_is_imported_counts_in_all_that_uses_it(self, made, statement):
        files = {"a.py": f"def g(): pass\ndef f(): pass\n{statement}", "b.py": "from made.a import f\nh = f"}
        wanted = {"a:f", "a:g", f"a:{WHEN_IMPORTED}"}
        assert made(files, "a:f") == wanted
        assert made(files, "b:h") == wanted | {"b:h"}

    def test_what_packages_do_when_they_are_imported_counts_in_their_modules(self, made):
        files = {
            "__init__.py": "g()\ndef g(): pass\ndef h(): pass",
            "p/__init__.py": "import made.q.effects",
            "p/m.py": "def f(): pass",
            "q/__init__.py": "",
            "q/effects.py": "run()\ndef run(): pass",
        }
        wanted = {f"q.effects:{WHEN_IMPORTED}", "q.effects:run", "p.m:f", f"made:{WHEN_IMPORTED}", "made:g"}
        assert made(files, "p.m:f") == wanted

    def test_imports_for_annotations_alone_count_for_what_importing_does(self, made):
        a = "from made.b import C, D\nfrom typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from made.e import E\n"
        files = {
            "a.py": f"{a}def f(x: C, y: 'list[D]') -> 'E': pass",
            "b.py": "print('hello')\nclass C: pass\nclass D: pass",
            "e.py": "print('hello')\nclass E: pass",
        }
        assert made(files, "a:f") == {"a:f", f"b:{WHEN_IMPORTED}"}

    def test_registries_and_prose_are_not_entered_but_their_own_entries_count(self, made):
        files = {
            "a.py": "from made.registry import ALL, make\ndef f(): return ALL, make()",
            "registry.py": "print('hello')\nALL = {}\ndef make(): return _helper()\ndef _helper(): pass",
        }
        kept_out = {"not_entered": ("*.registry",)}
        assert made(files, "a:f", **kept_out) == {"a:f"}
        wanted = {"registry:make", "registry:_helper", f"registry:{WHEN_IMPORTED}"}
        assert made(files, "registry:make", **kept_out) == wanted

    def test_what_is_in_no_file_is_refused_in_one_line(self, tmp_path):
        write(tmp_path, {"a.py": "def f(:", "b.py": "USED_BY = dict(f=())", "c.py": ""})
        for entry, words in {
            "made.gone": "is not in",
            "made.c:gone": "is not in",
            "made.a:f": "a.py:1: is not Python",
            "made.b": "USED_BY must be a literal",
        }.items():
            with pytest.raises(UserError, match=words):
                read(tmp_path, entry)

    def test_nothing_is_imported_or_executed(self, tmp_path, monkeypatch):
        trap = f"from pathlib import Path\nPath({str(tmp_path / 'sprung')!r}).touch()\nraise RuntimeError"
        write(tmp_path, {"__init__.py": trap, "p/__init__.py": trap, "p/a.py": f"def f(): pass\n{trap}"})
        monkeypatch.syspath_prepend(tmp_path)
        before = set(sys.modules)
        assert "made.p.a:f" in read(tmp_path, "made.p.a:f").definitions
        assert not (tmp_path / "sprung").exists()
        assert not {name for name in set(sys.modules) - before if name.startswith("made")}


class TestWhatChangesIt:
    """Two versions of made-up code, and whether their fingerprints differ."""

    @staticmethod
    def same(tmp_path, one, other, **options):
        digests = []
        for number, source in enumerate((one, other)):
            files = source if isinstance(source, dict) else {"a.py": source}
            write(tmp_path / str(number), files)
            digests.append(read(tmp_path / str(number), "made.a:f", **options).digest)
        return digests[0] == digests[1]

    @pytest.mark.parametrize(
        "one, other",
        [
            ("def f(): return 1", "def f():\n    '''Text.'''\n    return (\n        1  # one\n    )"),
            ("def f(): return 1", "def f() -> int: return 1"),
            ("def f(): raise E('this')", "def f(): raise E(f'that {x}')"),
            ("def f(x): assert x, 'this'", "def f(x): assert x, 'that'"),
            (
                "import sys\ndef f(): print('this', file=sys.stderr)",
                "import sys\ndef f(): print('that', file=sys.stderr)",
            ),
            ("def f(): return 1", "def f(): return 1\n\n\ndef new(): return 2"),
            ("x = 1\ndef f(): return 1", "x = 2\ndef f(): return 1"),
            ("def f(): return 1", "from typing import Any\nimport os\ndef f(): return 1"),
            ("def f(): pass", "def f(): '''Nothing.'''"),
            ("def f(): return 'x'", "def f(): return '''x'''"),
        ],
    )
    def test_without_meaning(self, tmp_path, one, other):
        assert self.same(tmp_path, one, other)

    @pytest.mark.parametrize(
        "one, other",
        [
            ("def f(): return 1", "def f(): return 1.0"),
            ("def f(): return 1", "def f(): return True"),
            ("def f(): return x.a", "def f(): return x.b"),
            ("def f(x, y): pass", "def f(y, x): pass"),
            ("def f(x, y): pass", "def f(x, *, y): pass"),
            ("def f(x=1): pass", "def f(x=2): pass"),
            ("def f(): return 'this'", "def f(): return 'that'"),
            ("def f():\n  if x: y()\n  z()", "def f():\n  if x:\n    y()\n    z()"),
            ("class f:\n  x: int", "class f:\n  y: int"),
            ("def f(): raise E('x')", "def f(): raise F('x')"),
            ("from math import exp\ndef f(): exp(1)", "from numpy import exp\ndef f(): exp(1)"),
            ("from math import exp as e\ndef f(): e(1)", "from math import log as e\ndef f(): e(1)"),
            ("def f(): print('x')", "def f(): print('y')"),
            ("def f(): return lambda x: 1", "def f(): return lambda x: 2"),
        ],
    )
    def test_with_meaning(self, tmp_path, one, other):
        assert not self.same(tmp_path, one, other)

    def test_which_of_two_functions_a_name_means(self, tmp_path):
        a = "from made.b import {} as first, {} as second\ndef f(): return first() - second()"
        b = {"b.py": "def g(): pass\ndef h(): pass"}
        one, other = ({"a.py": a.format(*names), **b} for names in (("g", "h"), ("h", "g")))
        assert not self.same(tmp_path, one, other)

    def test_facts(self, tmp_path):
        write(tmp_path, {"a.py": "def f(): pass"})
        digests = {read(tmp_path, "made.a:f", facts=facts).digest for facts in ((), ("tau=1",), ("tau=2",))}
        assert len(digests) == 3

    def test_a_package_that_it_uses_in_another_version(self, tmp_path, monkeypatch):
        source = "import numpy as np\nimport yaml\ndef f(): return np.pi\ndef g(): return yaml.load\ndef h(): pass"
        write(tmp_path, {"a.py": source})
        entries = [f"made.a:{name}" for name in "fgh"]
        before = [read(tmp_path, entry) for entry in entries]
        assert [set(found.packages) - {"python"} for found in before] == [{"numpy"}, {"pyyaml"}, set()]
        (tmp_path / "other" / "numpy-0.0.1.dist-info").mkdir(parents=True)
        monkeypatch.syspath_prepend(tmp_path / "other")
        after = [read(tmp_path, entry) for entry in entries]
        assert after[0].packages["numpy"] == "0.0.1" and after[0].digest != before[0].digest
        assert after[1:] == before[1:]

    def test_what_is_installed_under_another_name_and_what_is_not(self, tmp_path):
        write(tmp_path, {"a.py": "import PIL, dateutil, nowhere\nf = PIL, dateutil, nowhere"})
        packages = read(tmp_path, "made.a:f").packages
        assert {"pillow", "python-dateutil"} < packages.keys() and packages["nowhere"] == "not installed"

    def test_python_counts(self, tmp_path):
        write(tmp_path, {"a.py": "f = 1"})
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        assert read(tmp_path, "made.a:f").packages == {"python": version}


class TestWhatIsKept:
    """Fingerprints on disk, for the next process."""

    @pytest.fixture
    def ask(self, tmp_path, monkeypatch):
        """Asks for a fingerprint as another process does."""

        def fingerprint():
            monkeypatch.setattr(provenance, "PACKAGE", tmp_path / "made")
            monkeypatch.setattr(provenance, "_project", lambda: Project(tmp_path, "made", ()))
            provenance.fingerprint.cache_clear()
            provenance._state.cache_clear()
            return provenance.fingerprint(Code(("made.a:f",)))

        write(tmp_path, {"a.py": "def f(): return 1"})
        yield fingerprint
        provenance.fingerprint.cache_clear()

    def test_it_is_taken_until_a_file_changes(self, ask, tmp_path, monkeypatch):
        first = ask()
        with monkeypatch.context() as patch:
            patch.setattr(Project, "fingerprint", None)
            assert ask() == first
        write(tmp_path, {"a.py": "def f(): return 2"})
        assert ask().digest != first.digest

    @pytest.mark.parametrize("damage", ["", "[", "1", '["state"]'])
    def test_a_damaged_one_is_made_again(self, ask, tmp_path, damage):
        first = ask()
        (kept,) = (tmp_path / "made/__pycache__").iterdir()
        whole = kept.read_text()
        kept.write_text(damage)
        assert ask() == first and kept.read_text() == whole

    def test_a_folder_that_takes_no_files_is_no_error(self, ask, tmp_path):
        (tmp_path / "made/__pycache__").write_text("in the way")
        assert ask() == ask()


class TestWhatOneMethodUses:
    """A module that methods share, with functions of one method alone."""

    SHARED = """
        USED_BY = {"own_a": ("a",), "own_b": ("b", "c"), "Kernel.step_a": ("a",)}
        def run(method):
            return own_a() if method == "a" else own_b() if method in "bc" else common(Kernel)
        def own_a(): return helper_of_a()
        def helper_of_a(): return 1
        def own_b(): return 2
        def common(kernel): return 3
        class Kernel:
            size = 4
            def step(self): return 5
            def step_a(self): return 6
    """

    def changed(self, tmp_path, old, new):
        """The methods whose fingerprints an edit changes."""

        def digests(source):
            write(tmp_path, {"shared.py": source})
            return {method: read(tmp_path, "made.shared:run", method=method).digest for method in "abcd"}

        assert old in self.SHARED
        before, after = digests(self.SHARED), digests(self.SHARED.replace(old, new))
        return {method for method in before if before[method] != after[method]}

    @pytest.mark.parametrize(
        "old, new, methods",
        [
            ("return helper_of_a()", "return helper_of_a() + 1", "a"),
            ("return 1", "return 7", "a"),
            ("return 2", "return 7", "bc"),
            ("return 3", "return 7", "abcd"),
            ("size = 4", "size = 7", "abcd"),
            ("return 5", "return 7", "abcd"),
            ("return 6", "return 7", "a"),
            ('("b", "c")', '("b", "c", "e")', ""),
        ],
    )
    def test_a_change_reaches_the_methods_that_use_it(self, tmp_path, old, new, methods):
        assert self.changed(tmp_path, old, new) == set(methods)

    def test_without_a_method_everything_counts(self, tmp_path):
        write(tmp_path, {"shared.py": self.SHARED})
        names = {name.partition(":")[2] for name in read(tmp_path, "made.shared:run").definitions}
        assert names == {"run", "own_a", "helper_of_a", "own_b", "common", "Kernel", "Kernel.step_a"}


N_MODULES, N_FUNCTIONS = 3, 4
STYLES = ("from", "as", "module", "dotted", "inside", "inside module")


@dataclass(frozen=True)
class Call:
    module: int
    function: int
    style: str


@dataclass(frozen=True)
class Function:
    calls: tuple[Call, ...]
    owners: str | None  # the methods that alone use it


calls = st.builds(Call, st.integers(0, N_MODULES - 1), st.integers(0, N_FUNCTIONS - 1), st.sampled_from(STYLES))
functions = st.builds(
    Function,
    st.lists(calls, max_size=3).map(tuple),
    st.sampled_from((None, None, None, "x", "y", "xy")),
)
programs = st.lists(
    st.tuples(st.lists(functions, min_size=N_FUNCTIONS, max_size=N_FUNCTIONS), st.none() | calls),
    min_size=N_MODULES,
    max_size=N_MODULES,
)


def called(call, here, heads):
    """A call in source; its imports go to `heads`, those of the module, or stand before it."""
    module, name = f"m{call.module}", f"f{call.function}"
    if call.module == here:
        return f"{name}()"
    if call.style == "from":
        heads.add(f"from made.{module} import {name} as {module}_{name}")
        return f"{module}_{name}()"
    if call.style == "as":
        heads.add(f"import made.{module} as {module}_")
        return f"{module}_.{name}()"
    if call.style == "module":
        heads.add(f"from made import {module}")
        return f"{module}.{name}()"
    if call.style == "dotted":
        heads.add(f"import made.{module}")
        return f"made.{module}.{name}()"
    if call.style == "inside":
        return f"from made.{module} import {name} as inner; inner()"
    return f"from made import {module} as inner_{module}; inner_{module}.{name}()"


def source_of(number, members, bare):
    heads, body = set(), []
    table = {f"f{index}": tuple(member.owners) for index, member in enumerate(members) if member.owners}
    for index, member in enumerate(members):
        body += [f"def f{index}():", f"    value = {index}"]
        body += [f"    {called(call, number, heads)}" for call in member.calls]
    if bare is not None:
        body.append(f"if 1:\n    {called(bare, number, heads)}")
    return "\n".join([*sorted(heads), f"USED_BY = {table}", *body])


def oracle(program, start, method):
    """What the calls as they were drawn lead to; no source is looked at."""
    found, waiting = set(), [start]
    while waiting:
        module, name = waiting.pop()
        members, bare = program[module]
        if name == WHEN_IMPORTED:
            targets = [bare] if bare else []
        elif method and method not in (members[name].owners or method):
            continue
        else:
            targets = members[name].calls
        if (module, name) not in found:
            found.add((module, name))
            waiting += [(module, WHEN_IMPORTED)]
            # Which parts of a package `import a.b` is for cannot be told, so it counts in all of its module.
            everything = [one for member in members for one in member.calls if one.style == "dotted"]
            waiting += [(one.module, WHEN_IMPORTED) for one in everything if one.module != module]
            waiting += [part for one in targets for part in ((one.module, one.function), (one.module, WHEN_IMPORTED))]
    says = {(module, name) for module, name in found if name != WHEN_IMPORTED or program[module][1]}
    return {f"made.m{module}:{name if name == WHEN_IMPORTED else f'f{name}'}" for module, name in says}


places = st.tuples(st.integers(0, N_MODULES - 1), st.integers(0, N_FUNCTIONS - 1))


@settings(max_examples=100)
@given(programs, places, places, st.sampled_from(("", "x", "y")))
def test_random_calls_reach_what_they_lead_to_and_nothing_else(tmp_path_factory, program, start, edited, method):
    assume(not method or method in (program[start[0]][0][start[1]].owners or method))
    folder = tmp_path_factory.mktemp("program")
    write(folder, {f"m{number}.py": source_of(number, *part) for number, part in enumerate(program)})
    entry = "made.m{}:f{}".format(*start)
    before = read(folder, entry, method=method)
    wanted = oracle(program, start, method)
    assert before.definitions.keys() == wanted
    path = folder / "made" / f"m{edited[0]}.py"
    head, marker, body = path.read_text().partition(f"def f{edited[1]}(")
    path.write_text(head + marker + body.replace("value = ", "value = 1", 1))
    changed = read(folder, entry, method=method).digest != before.digest
    assert changed == ("made.m{}:f{}".format(*edited) in before.definitions)
