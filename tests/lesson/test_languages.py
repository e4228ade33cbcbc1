"""Every language has all texts, with the placeholders of the English ones."""

from __future__ import annotations

import re

import pytest

from treecli import plugins
from treecli.languages import en

PLACEHOLDER = re.compile(r"\{\w*\}")


@pytest.mark.parametrize("language", [name for name in plugins.names("languages") if name != "en"])
def test_a_language_has_all_texts_with_the_same_placeholders(language: str) -> None:
    texts = plugins.load("languages", language).TEXTS
    assert texts.keys() == en.TEXTS.keys()
    for key, text in en.TEXTS.items():
        assert sorted(PLACEHOLDER.findall(texts[key])) == sorted(PLACEHOLDER.findall(text)), key
