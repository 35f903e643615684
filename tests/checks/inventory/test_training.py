from collections.abc import Mapping
from typing import Any

import pytest
from msgspec.structs import replace

from checks import build
from kubegap_checks.facts.pods import Container, Mount, Pod, PodVolume, Run
from kubegap_checks.facts.read import Partial, UnreadError
from kubegap_checks.inventory.training import (
    TrainingRun,
    devices,
    is_accelerator,
    mount_of,
    staged_to,
    training_runs,
    workers,
)
from kubegap_checks.model import Confidence

GPUS = {"nvidia.com/gpu": 8}


def claimed(name: str, claim: str = "some-claim", **fields: Any) -> PodVolume:
    return replace(PodVolume(name=name, form="claim", claim=claim, attributes={}), **fields)


def mounting(paths: Mapping[str, str], volumes: Mapping[str, PodVolume] | None = None, **fields: Any) -> Pod:
    """A pod of eight GPUs whose trainer mounts each volume at its path; a volume not given is a claim."""
    mounts = tuple(Mount(volume=volume, path=path) for path, volume in paths.items())
    trainer = replace(build.container(limits=GPUS, mounts=mounts), **fields)
    known = volumes or {}
    return build.pod(
        resources=GPUS,
        containers=(trainer,),
        volumes=tuple(known.get(volume, claimed(volume)) for volume in dict.fromkeys(paths.values())),
    )


def runs_of(*pods: Pod) -> list[TrainingRun]:
    return list(training_runs(build.facts(*pods)))


def the_run(*pods: Pod) -> TrainingRun:
    (run,) = runs_of(*pods)
    return run


def of(kind: str) -> Run:
    return Run(kind=kind, namespace="ml", name="work")


@pytest.mark.parametrize(
    ("pod", "confidence"),
    [
        pytest.param(build.pod(resources={"nvidia.com/gpu": 1}), Confidence.CERTAIN, id="a PyTorchJob with one GPU"),
        pytest.param(build.pod(run=of("JobSet"), resources=GPUS), Confidence.LIKELY, id="a JobSet"),
        pytest.param(build.pod(run=of("Job"), resources=GPUS), Confidence.HINT, id="a Job with a whole machine"),
        pytest.param(build.pod(run=of("Job"), resources={"nvidia.com/gpu": 7}), None, id="a Job with less"),
        pytest.param(build.pod(run=of("Job"), resources={"amd.com/gpu": 8}), Confidence.HINT, id="the same of AMD"),
        pytest.param(
            build.pod(run=of("Job"), resources={"nvidia.com/gpu": 1, "rdma/ib": 1}), Confidence.LIKELY, id="a fabric"
        ),
        pytest.param(
            build.pod(run=of("NeverHeardOfJob"), resources={**GPUS, "vpc.amazonaws.com/efa": 32}),
            Confidence.LIKELY,
            id="a platform that no row knows",
        ),
        pytest.param(build.pod(run=of("Deployment"), resources={**GPUS, "rdma/ib": 1}), None, id="one that serves"),
        pytest.param(
            build.pod(run=of("Deployment"), resources=GPUS, containers=(build.container(env={"WORLD_SIZE": "16"}),)),
            Confidence.LIKELY,
            id="one that serves, but meets others to train",
        ),
        pytest.param(
            build.pod(run=of("Job"), device_claims=1, containers=(build.container(env={"MASTER_ADDR": None}),)),
            Confidence.LIKELY,
            id="claimed devices, and a rendezvous from elsewhere",
        ),
        pytest.param(build.pod(resources=GPUS, deleting=True), None, id="a pod that is going away"),
    ],
)
def test_what_makes_pods_a_training_run(pod: Pod, confidence: Confidence | None) -> None:
    assert [run.sign.confidence for run in runs_of(pod)] == ([confidence] if confidence else [])


def test_the_pods_of_a_run_come_together_and_in_order() -> None:
    pods = [build.pod(f"train-{number}", resources=GPUS) for number in (2, 0, 1)]
    other = build.pod("other-0", resources=GPUS, run=of("PyTorchJob"))

    run, another = runs_of(*pods, other)

    assert [pod.name for pod in run.pods] == ["train-0", "train-1", "train-2"]
    assert str(run.subject) == "PyTorchJob/ml/train"
    assert run.devices == 24
    assert another.run.name == "work"


def test_runs_of_the_namespaces_that_were_seen_come_before_the_doubt() -> None:
    pod = build.pod(resources=GPUS)
    runs = training_runs(build.facts().but(Pod, Partial((pod,), (build.forbidden(Pod),))))

    assert next(runs).pods == (pod,)
    with pytest.raises(UnreadError):
        next(runs)


def test_devices_are_whole_ones_parts_and_claims() -> None:
    assert devices(build.pod(resources={"nvidia.com/gpu": 4, "rdma/ib": 4})) == 4
    assert devices(build.pod(resources={"nvidia.com/mig-3g.40gb": 2})) == 2
    assert devices(build.pod(device_claims=2)) == 2
    assert is_accelerator("amd.com/gpu")
    assert not is_accelerator("rdma/ib")


def test_workers_are_the_containers_that_ask_for_devices_else_all_that_keep_running() -> None:
    trainer, sidecar = build.container("trainer", limits=GPUS), build.container("sidecar")
    init = build.container("init", init=True, limits=GPUS)

    assert workers(build.pod(containers=(init, sidecar, trainer))) == (trainer,)
    assert workers(build.pod(containers=(init, sidecar), device_claims=8)) == (sidecar,)


@pytest.mark.parametrize(
    ("path", "volume"),
    [
        pytest.param("/data", "data", id="the mount itself"),
        pytest.param("/data/c4/part-1", "data", id="below it"),
        pytest.param("/data/fast/c4", "fast", id="below a mount inside it"),
        pytest.param("/database", None, id="a name that only begins alike"),
    ],
)
def test_a_path_lies_under_the_longest_mount(path: str, volume: str | None) -> None:
    container: Container = build.container(
        mounts=(Mount(volume="data", path="/data/"), Mount(volume="fast", path="/data/fast"))
    )

    mount = mount_of(container, path)

    assert (mount.volume if mount else None) == volume


@pytest.mark.parametrize(
    ("pod", "found"),
    [
        pytest.param(mounting({"/data": "a", "/ckpt": "b"}), ["a"], id="by the mount path"),
        pytest.param(mounting({"/work": "a"}, {"a": claimed("a", "train-dataset")}), ["a"], id="by the claim's name"),
        pytest.param(mounting({"/work": "a"}, {"a": claimed("a", read_only=True)}), ["a"], id="by being read-only"),
        pytest.param(
            mounting({"/etc/keys": "a"}, {"a": PodVolume(name="a", form="csi", read_only=True, attributes={})}),
            [],
            id="not by being read-only where it may be a secret",
        ),
        pytest.param(mounting({"/data": "a", "/x": "b"}, env={"DATA_PATH": "/x/c4"}), ["b"], id="by a variable"),
        pytest.param(mounting({"/data": "a", "/x": "b"}, flags={"--data-path": "/x/c4"}), ["b"], id="by a flag"),
        pytest.param(
            mounting({"/a": "a", "/b": "b"}, flags={"--data-path": "0.3 /a/web 0.7 /b/code"}),
            ["a", "b"],
            id="two, weighted",
        ),
        pytest.param(mounting({"/data": "a"}, env={"DATA_PATH": "/opt/c4"}), [], id="in the image"),
        pytest.param(mounting({"/data": "a"}, env={"DATA_PATH": "s3://bucket/c4"}), ["a"], id="a URL is no path"),
        pytest.param(mounting({"/data": "a"}, env={"DATA_PATH": None}), ["a"], id="a value from elsewhere"),
        pytest.param(mounting({"/data": "a"}, flags={"--dataset": "allenai/c4"}), ["a"], id="a name of a hub"),
        pytest.param(mounting({"/data": "a"}, flags={"--save": "/data/ckpt"}), ["a"], id="where it saves as well"),
        pytest.param(mounting({"/mnt/ckpt": "a"}, flags={"--save": "/mnt/ckpt"}), [], id="only where it saves"),
    ],
)
def test_which_volumes_hold_the_dataset(pod: Pod, found: list[str]) -> None:
    assert [use.volume.name for use in the_run(pod).datasets()] == found


def test_what_one_pod_names_says_nothing_about_another() -> None:
    silent = mounting({"/data": "a"})
    telling = replace(mounting({"/x": "b"}, env={"DATA_PATH": "/x"}), name="train-1")

    assert [use.volume.name for use in the_run(silent, telling).datasets()] == ["a", "b"]


def test_a_named_path_is_surer_than_a_look() -> None:
    named, looked = mounting({"/x": "a"}, env={"DATA_PATH": "/x"}), mounting({"/data": "a"})

    (told,), (guessed,) = the_run(named).datasets(), the_run(looked).datasets()

    assert told.confidence is Confidence.CERTAIN
    assert told.sign.path == "Pod[ml/train-0].spec.containers[trainer].env[DATA_PATH]"
    assert told.sign.value == "/x"
    assert guessed.confidence is Confidence.LIKELY
    assert guessed.sign.path == "Pod[ml/train-0].spec.containers[trainer].volumeMounts[a].mountPath"


@pytest.mark.parametrize(
    ("pod", "found"),
    [
        pytest.param(mounting({"/work": "a"}), ["a"], id="a volume of which nothing is said"),
        pytest.param(mounting({"/work": "a", "/data": "b"}), [], id="beside one that looks like data"),
        pytest.param(mounting({"/work": "a"}, env={"DATA_PATH": "/opt/c4"}), [], id="while the data is in the image"),
        pytest.param(mounting({"/work": "a"}, flags={"--save": "/work/ckpt"}), [], id="one that it saves to"),
        pytest.param(
            mounting({"/work": "a"}, {"a": PodVolume(name="a", form="empty_dir", attributes={})}), [], id="an emptyDir"
        ),
    ],
)
def test_which_volumes_could_hold_a_dataset_that_nothing_places(pod: Pod, found: list[str]) -> None:
    assert [use.volume.name for use in the_run(pod).unplaced()] == found


@pytest.mark.parametrize(
    ("copied_to", "init_mounts", "found"),
    [
        pytest.param("/scratch", ("data", "copy"), ["copy"], id="a copy to scratch"),
        pytest.param("/scratch", ("copy",), ["copy"], id="a download to scratch"),
        pytest.param("/run/config", ("copy",), [], id="a configuration"),
        pytest.param("/run/config", ("data", "copy"), ["copy"], id="a copy to any place"),
        pytest.param("/scratch", ("data",), [], id="nothing is written"),
    ],
)
def test_what_an_init_container_may_have_copied(copied_to: str, init_mounts: tuple[str, ...], found: list[str]) -> None:
    pod = mounting({"/data": "data", copied_to: "copy"})
    mounts = tuple(Mount(volume=name, path=f"/init/{name}") for name in init_mounts)
    staging = replace(pod, containers=(*pod.containers, build.container("stage", init=True, mounts=mounts)))

    use = next(use for use in the_run(staging).datasets() if use.volume.name == "data")

    assert [volume.name for volume in staged_to(use)] == found
