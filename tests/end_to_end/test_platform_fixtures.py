"""Objects of the platform from public reports, read as snapshots: what each must lead to, and what it must not."""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from kubegap_mcp.app import Kubegap
from kubegap_mcp.settings import Settings

FIXTURES = Path(__file__).parent.parent / "fixtures" / "platform"
ADMISSION = ("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration")
APPS = (("apps/v1", "StatefulSet"), ("apps/v1", "DaemonSet"))
DEVICES = (("nfd.k8s-sigs.io/v1alpha1", "NodeFeature"), ("resource.k8s.io/v1", "ResourceSlice"))


@pytest.mark.parametrize(
    ("file", "and_none_of", "gaps"),
    [
        pytest.param(
            "01-topolvm-hook-webhook.yaml",
            (ADMISSION, *APPS),
            {"fail_closed_webhook": ["MutatingWebhookConfiguration/topolvm-hook"]},
            id="a webhook on every pod that one replica serves",
        ),
        pytest.param(
            "02-talos-device-plugin-selects-no-node.yaml",
            DEVICES,
            {"selector_matches_nothing": ["DaemonSet/nvidia-device-plugin/nvidia-device-plugin"]},
            id="a device plugin that asks for a label in another form",
        ),
        pytest.param(
            "03-linkerd-injector-webhook.yaml",
            (ADMISSION,),
            {"webhook_ca_expiring": ["MutatingWebhookConfiguration/linkerd-proxy-injector-webhook-config"]},
            id="a webhook whose CA has ended",
        ),
        pytest.param("04-cleanup-cronjobs.yaml", (), {}, id="clean-ups that name what they delete"),
    ],
)
async def test_an_object_leads_to_what_its_source_tells(
    file: str, and_none_of: Sequence[tuple[str, str]], gaps: dict[str, list[str]], tmp_path: Path
) -> None:
    """`and_none_of` are kinds that a whole snapshot would say are empty, without which a rule may not speak."""
    shutil.copy(FIXTURES / file, tmp_path)
    for version, kind in and_none_of:
        nothing = {"apiVersion": version, "kind": f"{kind}List", "items": []}
        (tmp_path / f"no-{kind}.json").write_text(json.dumps(nothing))

    answer = await Kubegap(Settings(snapshot=tmp_path)).check_topic("control_plane", limit=50)

    found = {check.id.partition(".")[2]: check for check in answer.checks if check.status == "gap"}
    assert {name: [item.subject for item in getattr(check, "findings", [])] for name, check in found.items()} == gaps
