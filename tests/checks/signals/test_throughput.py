"""Names of metrics that tell a trainer's throughput, and of those that look like them and tell something else."""

import pytest

from kubegap_checks import catalog
from kubegap_checks.signals.quantities import quantities
from kubegap_checks.signals.throughput import moments, moving, names, proxies, trainer_metric


@pytest.mark.parametrize(
    ("name", "trainer"),
    [
        ("tokens_per_second", "torchtune"),
        ("train_tokens_per_second_per_gpu", "torchtune"),
        ("trainer_throughput_tokens_per_sec", "prime-rl"),
        ("megatron_training_tokens_per_sec_per_gpu", "Megatron-LM"),
        ("throughput_device_tokens_per_sec", "MosaicML"),
        ("llm_throughput_tps", "TorchTitan"),
        ("perf_per_device_tokens_per_sec", "MaxText"),
        ("tokens_per_sec", "Nanotron"),
        ("wandb_train_samples_per_second", "Hugging Face"),
        ("MFU", "TorchTitan"),
    ],
)
def test_a_trainer_s_metric_is_known(name: str, trainer: str):
    row = trainer_metric(name)
    assert row
    assert row.trainer.startswith(trainer)


@pytest.mark.parametrize(
    "name",
    [
        "vllm:avg_generation_throughput_toks_per_s",
        "vllm:generation_tokens_total",
        "sglang:gen_throughput",
        "tgi_request_generated_tokens_sum",
        "output_tokens_per_second",
        "tokens_per_second_limit",
        "prompt_tokens_per_second",
        "mfu_threshold",
        "node_disk_read_bytes_total",
    ],
)
def test_what_inference_servers_and_others_publish_is_not(name: str):
    assert trainer_metric(name) is None


def test_each_row_names_what_exists():
    known = {one.id for one in quantities()}
    assert {one.quantity for one in proxies()} <= known
    assert {asked.quantity for row in moving() for asked in row.asks if asked.quantity} <= known
    assert all(bool(asked.quantity) != bool(asked.series) for row in moving() for asked in row.asks)
    assert {row.topic for row in moving()} <= {check.topic for check in catalog.load()}
    assert len(names()) == len(moving()) + len(moments())
