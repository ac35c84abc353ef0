"""The real tokenizer, which what we count is held against, and texts in the scripts people write in."""

from __future__ import annotations

import warnings
from functools import cache
from importlib import import_module
from typing import Any

from gitkb.operations.packs.token_table import token_table

BUDGETS = (0, 1, 10, 50, 200, 500, 2_000, 20_000)

SAMPLES = {
    "en": "Floats lost a cent when the cart was split; don't round twice, use Money.",
    "ru": "Деньги храним в копейках: при делении корзины терялась копейка, округляем один раз.",
    "uk": "Гроші зберігаємо в копійках: під час поділу кошика губилася копійка, округлюємо раз.",
    "zh": "金额以分为单位存储：拆分购物车时浮点数丢失了一分钱，只舍入一次。",
    "emoji": "👩‍👩‍👧‍👦🏳️‍🌈 🚀🚀 ✅ done 🇺🇦 e\u0301e\u0301 ½ ①",
}


@cache
def _encoding() -> Any:
    with warnings.catch_warnings():
        # It reads its data in a way that Python has deprecated and kept.
        warnings.simplefilter("ignore", DeprecationWarning)
        return import_module("bpe_openai").get_encoding("o200k_base")  # a second: only if asked


def real_count(text: str) -> int:
    """How many tokens the real tokenizer makes of a text."""
    return len(_encoding().encode_ordinary(text))


def count(text: str) -> int:
    """How many tokens we say a text has."""
    return token_table().count(text)
