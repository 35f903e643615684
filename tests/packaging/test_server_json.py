"""server.json, by the parts of the registry's schema (2025-12-11) that it uses."""

import json
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import kubegap_mcp

ROOT = Path(__file__).parents[2]
NAME = "io.github.kubegap/kubegap-mcp"
SERVER: dict[str, Any] = json.loads((ROOT / "server.json").read_text(encoding="utf-8"))

# Stricter than the registry's: what is not named here is refused, so that a slip of the pen is seen.
VARIABLE = {
    "type": "object",
    "required": ["name", "description"],
    "additionalProperties": False,
    "properties": {
        "name": {"type": "string", "pattern": "^[A-Z][A-Z0-9_]*$"},
        "description": {"type": "string", "minLength": 1},
        "format": {"enum": ["string", "number", "boolean", "filepath"]},
        "choices": {"type": "array", "items": {"type": "string"}},
        "isRequired": {"type": "boolean"},
        "isSecret": {"type": "boolean"},
    },
}
PACKAGE = {
    "type": "object",
    "required": ["registryType", "identifier", "version", "transport"],
    "additionalProperties": False,
    "properties": {
        "registryType": {"const": "pypi"},
        "identifier": {"type": "string"},
        "version": {"type": "string", "minLength": 1, "not": {"const": "latest"}},
        "runtimeHint": {"enum": ["uvx"]},
        "transport": {
            "type": "object",
            "required": ["type"],
            "additionalProperties": False,
            "properties": {"type": {"const": "stdio"}},
        },
        "environmentVariables": {"type": "array", "items": VARIABLE},
    },
}
SCHEMA = {
    "type": "object",
    "required": ["$schema", "name", "description", "version", "packages"],
    "additionalProperties": False,
    "properties": {
        "$schema": {"const": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"},
        "name": {"type": "string", "minLength": 3, "maxLength": 200, "pattern": "^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$"},
        "title": {"type": "string", "minLength": 1, "maxLength": 100},
        "description": {"type": "string", "minLength": 1, "maxLength": 100},
        "version": {"type": "string", "maxLength": 255, "pattern": r"^\d+\.\d+\.\d+"},
        "repository": {
            "type": "object",
            "required": ["url", "source"],
            "additionalProperties": False,
            "properties": {"url": {"type": "string", "pattern": "^https://"}, "source": {"const": "github"}},
        },
        "packages": {"type": "array", "minItems": 1, "items": PACKAGE},
    },
}


def test_it_fits_the_schema():
    jsonschema.validate(SERVER, SCHEMA)


@pytest.mark.parametrize(
    "wrong",
    [
        pytest.param({"description": "x" * 101}, id="a description that is too long"),
        pytest.param({"name": "kubegap"}, id="a name without a namespace"),
        pytest.param({"packages": [SERVER["packages"][0] | {"version": "latest"}]}, id="no version of the package"),
        pytest.param({"licence": "Apache-2.0"}, id="a field that does not exist"),
    ],
)
def test_the_schema_would_notice(wrong):
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(SERVER | wrong, SCHEMA)


def test_it_names_the_package_that_this_is():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (package,) = SERVER["packages"]
    assert package["identifier"] == project["name"]
    assert package["identifier"] in project["scripts"]  # what uvx runs
    assert SERVER["repository"]["url"] == project["urls"]["Source"]
    assert SERVER["version"] == package["version"] == kubegap_mcp.__version__


def test_the_readme_of_the_package_claims_the_name():
    # On a line of its own; the registry reads it in the description that the package index shows.
    assert SERVER["name"] == NAME
    assert (ROOT / "README.md").read_text(encoding="utf-8").splitlines()[0] == f"<!-- mcp-name: {NAME} -->"
