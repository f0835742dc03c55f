import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("wandb_workspaces", reason="the extra dashboard is not installed")

from bias_lab.dashboard.__main__ import main
from bias_lab.dashboard.boards import Board
from bias_lab.dashboard.effects import Effect, shipped_effects, sweep_effects
from bias_lab.dashboard.group import group_in
from bias_lab.dashboard.saving import REPORT, WORKSPACE, specification
from bias_lab.errors import DataError
from summary_cells import write_cell, write_failed
from wandb_reader import offline_runs, read_run

EFFECTS = (
    Effect("arab_anglo_ar", "ar", "names", "race[Arab]"),
    Effect("black_white_en", "en", "names", "race[African-American]:gender[female]"),
    Effect("black_white_en", "en", "noun_phrases", "gender[female]"),
)
BOARD = Board(project="proj", entity="me", group="2030-01-31_12-00-00", name="a sweep", effects=EFFECTS)


@pytest.fixture(autouse=True)
def no_key(monkeypatch, tmp_path):
    for name in ("WANDB_MODE", "WANDB_API_KEY", "WANDB_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NETRC", str(tmp_path / "none"))


def values(spec, key):
    """All values of a key at any depth, flattened."""
    if isinstance(spec, dict):
        own = spec.get(key, [])
        return [*(own if isinstance(own, list) else [own]), *(v for part in spec.values() for v in values(part, key))]
    return [v for part in spec for v in values(part, key)] if isinstance(spec, list) else []


def tables(spec):
    return [value for value in values(spec, "val") if str(value).startswith("tables/")]


def runsets(spec):
    """Name of each set of runs, with what its runs are filtered by."""
    found = values(spec, "runSets")
    told = [{f["key"]["name"]: (f["op"], f["value"]) for f in runs["filters"]["filters"]} for runs in found]
    return [(runs["name"], filters) for runs, filters in zip(found, told, strict=True)]


class TestSpecification:
    @pytest.mark.parametrize("kind", [WORKSPACE, REPORT])
    def test_it_shows_pearson_effects_curves_and_tables(self, kind):
        shown = specification(BOARD, kind=kind)
        assert {key: shown[key] for key in ("kind", "entity", "project", "name")} == {
            "kind": kind,
            "entity": "me",
            "project": "proj",
            "name": "a sweep",
        }
        assert values(shown["spec"], "metrics") == [
            *["test/pearson"] * 4,
            "bias/arab_anglo_ar/race_Arab/effect_response",
            "bias/black_white_en/race_African_American_x_gender_female/effect_response",
            "bias/black_white_en/gender_female_noun_phrases/effect_response",
            "train/loss",
            "train/dev_loss",
            "train/dev_pearson",
        ]
        assert values(shown["spec"], "groupBy") == [
            "model_name.value",
            "language.value",
            "emotion.value",
            *["cell.value"] * 4,
        ]
        assert tables(shown["spec"]) == [
            "tables/summary_pearson",
            "tables/summary_findings",
            "tables/summary_coefficients",
            "tables/summary_failed",
            "tables/coefficients",
        ]
        assert values(shown["spec"], "mediaKeys") == ["figures/coefficients"]

    def test_a_workspace_has_the_runs_of_the_group_and_a_section_a_corpus(self):
        spec = specification(BOARD, kind=WORKSPACE)["spec"]
        assert runsets(spec) == [("Run set", {"group": ("=", "2030-01-31_12-00-00")})]
        assert [section["name"] for section in values(spec, "sections")] == [
            "How to read the effects",
            "Agreement with gold scores",
            "Sweep summary",
            "Effects: arab_anglo_ar (ar)",
            "Effects: black_white_en (en)",
            "Training",
            "Single runs",
        ]

    def test_a_report_has_each_corpus_with_the_cells_of_its_language(self):
        group = {"group": ("=", "2030-01-31_12-00-00")}
        cells = group | {"jobType": ("=", "cell")}
        assert runsets(specification(BOARD, kind=REPORT)["spec"]) == [
            ("all cells", cells),
            ("arab_anglo_ar", cells | {"language": ("=", "ar")}),
            ("black_white_en", cells | {"language": ("=", "en")}),
            ("summaries of sweeps", group | {"jobType": ("=", "summary")}),
            ("all cells", cells),
            ("all cells", cells),
        ]

    def test_without_a_group_all_runs_are_compared(self):
        everything = replace(BOARD, group=None)
        assert runsets(specification(everything, kind=WORKSPACE)["spec"]) == [("Run set", {})]
        assert runsets(specification(everything, kind=REPORT)["spec"])[0] == ("all cells", {"jobType": ("=", "cell")})


class TestEffects:
    def test_the_shipped_corpora_have_the_terms_of_the_paper(self):
        found = shipped_effects()
        english = [(e.subset, e.term) for e in found if e.eec == "black_white_en"]
        assert english == [
            ("names", "race[African-American]"),
            ("names", "gender[female]"),
            ("names", "race[African-American]:gender[female]"),
            ("noun_phrases", "gender[female]"),
        ]
        assert {(e.eec, e.language) for e in found} == {
            ("arab_anglo_ar", "ar"),
            ("arab_anglo_en", "en"),
            ("black_white_en", "en"),
            ("latino_anglo_en", "en"),
            ("latino_anglo_es", "es"),
        }

    def test_a_sweeps_are_those_of_its_finished_runs_each_once(self, tmp_path):
        for seed in (0, 1):
            write_cell(tmp_path / str(seed), seed=seed, language="es")
        write_failed(tmp_path / "2", overrides=["model=x"])
        assert sweep_effects(tmp_path) == [
            Effect("made_up", "es", "names", "race[African-American]"),
            Effect("made_up", "es", "names", "gender[female]"),
            Effect("made_up", "es", "names", "race[African-American]:gender[female]"),
            Effect("made_up", "es", "noun_phrases", "gender[female]"),
        ]

    def test_a_folder_without_runs_is_an_error(self, tmp_path):
        with pytest.raises(DataError, match="there is no run in it"):
            sweep_effects(tmp_path)


class TestCommand:
    def test_a_dry_run_prints_the_specification_without_a_key(self, capsys):
        assert main(["--dry-run", "--kind", "report", "--group", "g"]) == 0
        shown = json.loads(capsys.readouterr().out)
        assert (shown["kind"], shown["entity"], shown["project"], shown["name"]) == (
            "report",
            None,
            "bias_lab",
            "bias_lab g",
        )
        assert "bias/latino_anglo_es/race_Latino/effect_response" in values(shown["spec"], "metrics")

    def test_a_sweeps_folder_gives_its_group_and_its_corpora(self, capsys, tmp_path):
        sweep = tmp_path / "2030-01-31" / "12-00-00"
        write_cell(sweep / "0")
        assert main(["--dry-run", "--sweep", str(sweep)]) == 0
        shown = json.loads(capsys.readouterr().out)["spec"]
        assert runsets(shown) == [("Run set", {"group": ("=", "2030-01-31_12-00-00")})]
        assert [name for name in values(shown, "metrics") if name.startswith("bias/")] == [
            "bias/made_up/race_African_American/effect_response",
            "bias/made_up/gender_female/effect_response",
            "bias/made_up/race_African_American_x_gender_female/effect_response",
            "bias/made_up/gender_female_noun_phrases/effect_response",
        ]

    def test_a_cells_folder_gives_the_group_of_its_sweep(self, capsys, tmp_path):
        sweep = tmp_path / "2030-01-31" / "12-00-00"
        (sweep / "en").mkdir(parents=True)
        (sweep / "multirun.yaml").touch()
        for cell in (sweep / "0", sweep / "en" / "1"):
            write_cell(cell)
            assert main(["--dry-run", "--sweep", str(cell)]) == 0
            shown = json.loads(capsys.readouterr().out)
            assert shown["name"] == "bias_lab 2030-01-31_12-00-00"
            assert runsets(shown["spec"]) == [("Run set", {"group": ("=", "2030-01-31_12-00-00")})]

    def test_the_group_that_the_runs_were_given_comes_first(self, tmp_path):
        write_cell(tmp_path / "0", settings={"tracking": {"group": "mine"}})
        assert group_in(tmp_path) == group_in(tmp_path / "0") == "mine"

    def test_a_run_of_no_sweep_is_in_no_group(self, capsys, tmp_path):
        run = tmp_path / "run"
        write_cell(run)
        assert main(["--dry-run", "--sweep", str(run)]) == 1
        assert capsys.readouterr().err == (
            f"error: {run}: this run is of no sweep, and so in no group; give --group, or leave --sweep out\n"
        )
        assert main(["--dry-run", "--sweep", str(run), "--group", "g"]) == 0

    def test_without_a_key_it_says_so(self, capsys):
        assert main([]) == 1
        assert capsys.readouterr().err == (
            "error: there is no key for https://api.wandb.ai: run `wandb login`, or set WANDB_API_KEY; "
            "--dry-run shows the dashboard without W&B\n"
        )

    def test_without_a_network_it_says_so(self, capsys, monkeypatch):
        monkeypatch.setenv("WANDB_API_KEY", "k" * 40)
        monkeypatch.setenv("WANDB_BASE_URL", "http://127.0.0.1:9")
        assert main([]) == 1
        assert capsys.readouterr().err == (
            "error: http://127.0.0.1:9 cannot be reached: check the network (and WANDB_BASE_URL); "
            "--dry-run shows the dashboard without W&B\n"
        )

    def test_who_wants_to_be_offline_stays_offline(self, capsys, monkeypatch):
        monkeypatch.setenv("WANDB_MODE", "offline")
        assert main([]) == 1
        assert capsys.readouterr().err == (
            "error: WANDB_MODE=offline: a dashboard is made on the server; unset it, or "
            "--dry-run shows the dashboard without W&B\n"
        )

    def test_without_the_package_it_names_the_extra(self, capsys, monkeypatch):
        monkeypatch.setitem(sys.modules, "wandb_workspaces", None)
        for name in ("workspaces", "reports.v2", "expr"):
            monkeypatch.delitem(sys.modules, f"wandb_workspaces.{name}", raising=False)
        assert main(["--dry-run"]) == 1
        assert capsys.readouterr().err == (
            "error: dashboards need the package wandb-workspaces, which is not installed: "
            "pip install 'bias-lab[dashboard]'\n"
        )


@pytest.fixture(scope="module")
def real_runs(tmp_path_factory, tiny_checkpoint):
    """The offline W&B runs of one cell that was run twice, by a real encoder (with random weights)."""
    home = tmp_path_factory.mktemp("home")
    line = [f"model.name_or_path={tiny_checkpoint}", "model=encoder", "task=sample", "task.emotion=joy", "seed=1"]
    line += ["eec=black_white_en", "trainer.max_epochs=2", "stats.permutations=0", f"hydra.run.dir={home}/${{now:%f}}"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("WANDB_")}
    environment |= {"WANDB_MODE": "offline", "WANDB_DATA_DIR": str(home / "data")}
    environment |= {"BIAS_LAB_CACHE": str(home / "cache"), "OMP_WAIT_POLICY": "PASSIVE"}
    for _ in range(2):
        subprocess.run([sys.executable, "-m", "bias_lab", *line], check=True, cwd=home, env=environment, timeout=300)
    return [read_run(path) for path in offline_runs(home)], [path.read_bytes() for path in home.rglob("wandb/**/*.*")]


@pytest.mark.slow
class TestRealRuns:
    def test_a_repeated_cell_is_the_same_run(self, real_runs, tiny_checkpoint):
        (first, second), _ = real_runs
        assert first["id"] == second["id"]
        assert re.fullmatch(r"[0-9a-f]{16}", first["id"])
        assert first["name"] == f"{tiny_checkpoint.name}-en-joy-s1"
        assert (first["job_type"], first["exit_code"]) == ("cell", 0)
        assert set(first["tags"]) == {tiny_checkpoint.name, "en", "joy"}

    @pytest.mark.parametrize("kind", [WORKSPACE, REPORT])
    def test_dashboards_name_what_it_logged(self, real_runs, kind):
        (found, _), _ = real_runs
        effects = tuple(effect for effect in shipped_effects() if effect.eec == "black_white_en")
        spec = specification(replace(BOARD, effects=effects), kind=kind)["spec"]
        history = {key for row in found["history"] for key in row}
        left_out = set(values(spec, "metrics")) - set(found["summary"]) - history
        # The encoder's vocabulary has no name, and no effect is logged of what it cannot see.
        assert {found["summary"][name.replace("/effect_response", "/status")] for name in left_out} <= {"invariant"}
        assert "bias/black_white_en/gender_female_noun_phrases/effect_response" in found["summary"]
        assert {name.removesuffix(".value") for name in values(spec, "groupBy")} <= set(found["config"])
        logged = {name.rpartition(".")[0] for name in history}
        own = [name for name in tables(spec) if not name.startswith("tables/summary_")]
        assert {*own, *values(spec, "mediaKeys")} <= logged

    def test_no_text_of_the_task_is_sent(self, real_runs):
        _, content = real_runs
        sample = Path(__file__).resolve().parents[1] / "src/bias_lab/data/sample/en.tsv"
        texts = [line.split("\t")[1].encode() for line in sample.read_text(encoding="utf-8").splitlines()[1:]]
        assert len(texts) > 100
        assert not [text for text in texts if any(text in part for part in content)]
