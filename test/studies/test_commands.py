# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""`python -m studies`: pages name commands and options that exist, and bad input is one
sentence."""

import pytest
from json_document import document
from pages import NAMES, everyday_words, missing_commands, text_of, unknown_options

from biped_slip.cli import main
from studies.__main__ import STUDIES


@pytest.mark.parametrize("name", NAMES)
def test_every_study_that_is_named_exists(name):
    assert not missing_commands(STUDIES, text_of(name))


def test_a_wrong_study_is_found():
    text = "`python -m studies ladder`, python -m studies walk"
    assert missing_commands(STUDIES, text) == ["walk"]


@pytest.mark.parametrize("command", STUDIES.commands)
def test_every_study_is_named_on_a_page(command):
    """Studies are kept for what a page says that they measured."""
    call = f"{STUDIES.name} {command}"
    assert any(call in text_of(name) for name in NAMES)


@pytest.mark.parametrize("command", STUDIES.commands)
def test_every_option_that_the_readme_gives_to_a_study_exists(command):
    assert not unknown_options(STUDIES, command, text_of("README.md"))


@pytest.mark.parametrize("command", STUDIES.commands)
def test_help_texts_use_the_words_of_the_field(command):
    assert not everyday_words(STUDIES, command)


def test_bad_input_is_one_sentence_and_exit_code_two(capsys):
    assert main(["benchmark", "closed-loop", "--walks", "0"], STUDIES) == 2
    message = capsys.readouterr().err
    assert "at least 1" in message
    assert len(message.strip().splitlines()) == 1


def test_json_of_a_study_has_the_head_of_every_command(capsys):
    main(["reproduce", "khadiv", "--json", "-"], STUDIES)
    found = document(capsys.readouterr().out)
    assert [result["paper"][:6] for result in found["results"]] == ["Khadiv"]
