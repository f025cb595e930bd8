"""`metatrace config`: check a config file and say what it asks for."""

import argparse
from pathlib import Path

from metatrace.config import documentation, loading
from metatrace.domains.registry import domain_of
from metatrace.errors import UserError


def add_options(parser: argparse.ArgumentParser) -> None:
    """The verb's options."""
    parser.add_argument("file", type=Path, nargs="?", help="such as config/quick.yaml")
    parser.add_argument(
        "--schema", action="store_true", help="print the JSON schema of config files instead, for editors"
    )
    parser.add_argument(
        "--merged", action="store_true", help="print the config as one file, merged with those that it is based on"
    )


def call(options: argparse.Namespace) -> None:
    """Says how many runs a config asks for, figure by figure."""
    if options.schema:
        print(documentation.schema(), end="")
        return
    if options.file is None:
        raise UserError("file: is missing; name a config file, such as config/quick.yaml, or say --schema")
    asked = loading.read(options.file)
    if options.merged:
        print(loading.as_yaml(asked), end="")
        return
    for figure in asked.figures.values():
        for environment in figure.environments:
            try:
                domain_of(environment).check(environment)
            except UserError as error:
                raise UserError(f"{options.file}: figures.{figure.name}.environment: {error}") from None
    print(f"{options.file}: scale {asked.scale}, {len(asked.figures)} figures, {len(asked.all_runs())} runs")
    for figure in asked.figures.values():
        print(
            f"  {figure.name}: {', '.join(figure.methods)} on {', '.join(figure.environments)}, "
            f"{len(figure.some_runs())} runs of {figure.length} {figure.unit}"
        )
