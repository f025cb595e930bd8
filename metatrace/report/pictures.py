"""Pictures of the workflow as they stand within a page: data URIs, as small as they look good."""

import base64
import io
from pathlib import Path
from typing import Any, NamedTuple

from PIL import Image, features

from metatrace.errors import UserError
from metatrace.runs.atomic import remedy

_COLOURS = 256
# An SVG that is larger has so many points that its pixels take less.
_LARGEST_SVG = 60_000
_SMALL = 420  # pixels of a small picture's width
# AVIF takes half of what a PNG with a palette does. Some builds of Pillow lack it.
_AVIF: dict[str, Any] = {"format": "avif", "quality": 50, "speed": 8, "subsampling": "4:4:4", "max_threads": 1}
_WEBP: dict[str, Any] = {"format": "webp", "quality": 60}


class Inlined(NamedTuple):
    """A picture within a page: its data URI, and its size in pixels."""

    src: str
    width: int
    height: int


def inlined(prefix: Path) -> Inlined:
    """A picture by its path without suffix: as SVG if that is small, else as pixels.

    Raises:
      UserError: the picture is missing or damaged.
    """
    png, svg = prefix.with_name(f"{prefix.name}.png"), prefix.with_name(f"{prefix.name}.svg")
    with _opened(png) as picture:
        if svg.is_file() and svg.stat().st_size <= _LARGEST_SVG:
            return Inlined(_data_uri("image/svg+xml", svg.read_bytes()), *picture.size)
        return Inlined(_as_pixels(picture.convert("RGB")), *picture.size)


def small(prefix: Path) -> Inlined:
    """The picture, small enough to be a sign of itself.

    Raises:
      UserError: the picture is missing or damaged.
    """
    with _opened(prefix.with_name(f"{prefix.name}.png")) as picture:
        shrunk = picture.convert("RGB")
        shrunk.thumbnail((_SMALL, 4 * _SMALL), Image.Resampling.LANCZOS)
        return Inlined(_as_pixels(shrunk), *shrunk.size)


def with_palette(path: Path) -> bytes:
    """A PNG with a palette, a third of the bytes.

    Raises:
      UserError: the picture is missing or damaged.
    """
    buffer = io.BytesIO()
    with _opened(path) as picture:
        picture.convert("RGB").quantize(_COLOURS, dither=Image.Dither.NONE).save(buffer, "png", optimize=True)
    return buffer.getvalue()


def _opened(path: Path) -> Image.Image:
    try:
        picture = Image.open(path)
        picture.load()
        return picture
    except OSError:
        raise UserError(f"{path}: is missing, cut short or no picture; {remedy(path)}") from None


def _as_pixels(picture: Image.Image) -> str:
    buffer, how = io.BytesIO(), _AVIF if features.check("avif") else _WEBP
    picture.save(buffer, **how)
    return _data_uri(f"image/{how['format']}", buffer.getvalue())


def _data_uri(kind: str, content: bytes) -> str:
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"
