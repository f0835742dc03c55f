"""The dashboards are saved on a server that answers as W&B's does, as far as saving goes."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

pytest.importorskip("wandb_workspaces", reason="the extra dashboard is not installed")

from bias_lab.dashboard.__main__ import main

VIEWER = {"id": "u", "username": "me", "entity": "team", "email": "", "flags": "{}", "admin": False, "name": "me"}
PROJECT = {"id": "p", "name": "bias_lab", "entityName": "team", "createdAt": "2030-01-01T00:00:00"}


class Answers(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        asked = json.loads(body) if self.path == "/graphql" else {"query": ""}
        answer = json.dumps(self.answer(asked["query"], asked.get("variables") or {})).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def answer(self, query, variables):
        if "upsertView" in query:
            if self.server.refuses:
                return {"errors": [{"message": "permission denied"}], "data": None}
            self.server.saved.append(variables)
            project = {"id": "p", "name": "bias_lab", "entityName": "team"}
            view = {name: variables.get(name) for name in ("name", "type", "displayName", "description", "spec")}
            view |= {"id": "dmlldw", "updatedAt": "2030-01-01T00:00:00", "project": project}
            return {"data": {"upsertView": {"view": view, "inserted": True}}}
        if "internalId" in query:
            return {"data": {"project": {"id": "p", "internalId": "UHJvag"} if self.server.has_project else None}}
        if "models(" in query:
            node = PROJECT | {"isBenchmark": False, "user": None}
            page = {"endCursor": "a", "hasNextPage": False}
            return {"data": {"models": {"edges": [{"node": node, "cursor": "a"}], "pageInfo": page}}}
        return {"data": {"viewer": VIEWER | {"teams": {"edges": []}, "apiKeys": {"edges": []}}}}

    def log_message(self, *_arguments):
        pass


@pytest.fixture
def server(monkeypatch, tmp_path):
    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as running:
        running.saved, running.refuses, running.has_project = [], False, True
        running.address = f"http://127.0.0.1:{running.server_port}"
        monkeypatch.delenv("WANDB_MODE", raising=False)
        monkeypatch.setenv("WANDB_API_KEY", "k" * 40)
        monkeypatch.setenv("WANDB_BASE_URL", running.address)
        monkeypatch.setenv("HOME", str(tmp_path))
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield running
        running.shutdown()


@pytest.mark.slow
class TestSaving:
    def test_a_workspace_is_saved_for_the_default_entity_and_its_address_is_told(self, server, capsys):
        assert main(["--group", "g"]) == 0
        (saved,) = server.saved
        assert (saved["entityName"], saved["projectName"], saved["displayName"], saved["type"]) == (
            "team",
            "bias_lab",
            "bias_lab g",
            "project-view",
        )
        assert "bias/black_white_en/race_African_American/effect_response" in saved["spec"]
        name = saved["name"].removeprefix("nw-").removesuffix("-v")
        assert capsys.readouterr().out == f"{server.address}/team/bias_lab?nw={name}\n"

    def test_a_report_is_saved_with_the_runs_of_its_project(self, server, capsys):
        assert main(["--kind", "report", "--entity", "team", "--name", "mine"]) == 0
        (saved,) = server.saved
        assert (saved["entityName"], saved["displayName"], saved["type"]) == ("team", "mine", "runs")
        grids = [block for block in json.loads(saved["spec"])["blocks"] if block["type"] == "panel-grid"]
        projects = {runs["project"]["id"] for grid in grids for runs in grid["metadata"]["runSets"]}
        assert projects == {"UHJvag"}
        assert capsys.readouterr().out == f"{server.address}/team/bias_lab/reports/mine--dmlldw\n"

    def test_what_the_server_refuses_is_told_in_its_words(self, server, capsys):
        server.refuses = True
        assert main([]) == 1
        assert capsys.readouterr().err == (
            f"error: W&B ({server.address}) did not take the workspace for team/bias_lab: input: "
            "permission denied. Is the key valid, and has the project runs? "
            "--dry-run shows the dashboard without W&B\n"
        )

    def test_a_report_on_a_project_that_is_not_there_says_so(self, server, capsys):
        server.has_project = False
        assert main(["--kind", "report"]) == 1
        told = capsys.readouterr().err
        assert told.startswith(f"error: W&B ({server.address}) did not take the report for team/bias_lab: Run set ")
        assert "project 'team/bias_lab' not found" in told
