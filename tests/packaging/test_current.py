"""What is published beside the wheel repeats the one version and the roles of `kubegap rbac`."""

import re

import pytest
from make_packaging import NAMESPACE, ROLES, ROOT, VERSIONS, files

import kubegap_mcp
from kubegap_mcp.app import Kubegap
from kubegap_mcp.settings import Settings

WANTED = files()


@pytest.mark.parametrize("name", [pytest.param(name, id=name) for name in WANTED])
def test_a_published_file_is_current(name):
    assert (ROOT / name).read_text(encoding="utf-8") == WANTED[name], "run `make docs`"


@pytest.mark.parametrize("name", [pytest.param(name, id=name) for name in VERSIONS])
def test_the_version_stands_where_the_script_looks_for_it(name):
    found = re.findall(VERSIONS[name], (ROOT / name).read_text(encoding="utf-8"))
    assert set(found) == {kubegap_mcp.__version__}


@pytest.mark.parametrize("name", [pytest.param(name, id=name) for name in ROLES])
def test_a_role_is_what_kubegap_rbac_prints(name):
    namespace = NAMESPACE if "namespace" in name else None
    made, _, role = (ROOT / name).read_text(encoding="utf-8").partition("\n")
    assert made.startswith("# made by scripts/make_packaging.py")
    assert role == Kubegap(Settings()).rbac(namespace=namespace)
