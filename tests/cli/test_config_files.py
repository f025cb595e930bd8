"""Files that are no config: every verb that takes one answers with the same one line."""

import pytest

from metatrace.cli import main as cli

VERBS = (["config"], ["status"], ["publish", "--output", "out"])


@pytest.fixture
def refused(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def ask(verb, name):
        assert cli.main([*verb, name]) == 2
        said = capsys.readouterr()
        assert said.out == "" and said.err.count("\n") == 1
        assert not (tmp_path / "out").exists()
        return said.err

    return ask


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb[0])
def test_a_config_that_cannot_be_read_is_refused_with_one_line(tmp_path, refused, verb):
    (tmp_path / "latin.yaml").write_bytes("scale: für\n".encode("latin-1"))
    (tmp_path / "folder").mkdir()
    for name in ("latin.yaml", "folder", "gone.yaml", "gone/gone.yaml", "latin.yaml/config.yaml", "a\0b"):
        assert refused(verb, name).startswith("metatrace: error: " + name.replace("\0", "\\x00") + ": ")


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb[0])
@pytest.mark.parametrize("content", ["", "3", "[]", "scale: [", "scale: x", "scale: x\nfigures: {}\n"], ids=repr)
def test_a_file_that_is_no_config_is_refused_with_one_line(tmp_path, refused, verb, content):
    (tmp_path / "c.yaml").write_text(content)
    assert refused(verb, "c.yaml").startswith("metatrace: error: c.yaml")
