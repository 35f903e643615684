import time

import pytest

from kubegap_checks.signals.alert_words import about, known_words


@pytest.mark.parametrize(
    ("expression", "told"),
    [
        pytest.param("DCGM_FI_DEV_XID_ERRORS > 0", {"gpu", "gpu_fault"}, id="Xids"),
        pytest.param("increase(DCGM_FI_DEV_ECC_DBE_VOL_TOTAL[10m]) > 0", {"gpu", "gpu_fault"}, id="ECC"),
        pytest.param("DCGM_FI_DEV_ROW_REMAP_FAILED > 0", {"gpu", "gpu_fault"}, id="a name since DCGM 4.6"),
        pytest.param('{__name__=~"DCGM_FI_DEV_(XID|ECC).*"} > 0', {"gpu", "gpu_fault"}, id="a pattern of names"),
        pytest.param("node_xid_error_check == 0", {"gpu_fault"}, id="a recording rule's name"),
        pytest.param("cluster:gpu:xid:count > 0", {"gpu_fault"}, id="a recording rule's name with colons"),
        pytest.param("gpu_ecc_uncorrect_total > 0", {"gpu_fault"}, id="AMD"),
        pytest.param("accelerator_nvidia_ecc_volatile_total_uncorrected > 0", {"gpu_fault"}, id="gpud"),
        pytest.param(
            'kube_node_status_condition{condition="XidCriticalError",status="true"} == 1', {"gpu_fault"}, id="GKE"
        ),
        pytest.param(
            'kube_node_status_condition{condition="AcceleratedHardwareReady",status="false"} == 1',
            {"gpu_fault"},
            id="EKS",
        ),
        pytest.param(
            'kube_node_status_condition{condition !~ "Ready"} == 1', {"gpu_fault", "link_fault"}, id="all but some"
        ),
        pytest.param('problem_gauge{type="x"} == 1', {"gpu_fault", "link_fault"}, id="node-problem-detector"),
        pytest.param("DCGM_FI_DEV_GPU_TEMP > 85", {"gpu"}, id="a temperature is no fault"),
        pytest.param("increase(node_infiniband_link_downed_total[1h]) > 0", {"link_fault"}, id="a link went down"),
        pytest.param("node_infiniband_state_id != 4", {"link_fault"}, id="a port is not active"),
        pytest.param(
            'kube_node_status_condition{condition="IBLinkFlapping",status="true"} == 1', {"link_fault"}, id="AKS"
        ),
        pytest.param("rate(node_infiniband_port_data_received_bytes_total[5m]) == 0", set(), id="traffic is no fault"),
        pytest.param('kube_node_status_condition{condition="Ready",status="true"} == 0', set(), id="a node is down"),
        pytest.param("sum(go_sql_maxidle_closed_total) > 0", set(), id="xid within a word"),
        pytest.param("rate(direct_eccentric_total[5m])", set(), id="ecc within a word"),
        pytest.param('kube_pod_status_ready{namespace="gpu-operator"} == 0', set(), id="the operator's namespace"),
        pytest.param("changes(node_network_up[2m]) > 2", set(), id="a network device"),
    ],
)
def test_an_alert_is_about_what_its_words_say(expression: str, told: set[str]):
    assert {what for word in known_words(expression) for what in about(word)} == told


def test_words_that_are_left_give_the_same_again():
    expression = 'kube_node_status_condition{condition  !~"Ready"} == 1 or DCGM_FI_DEV_XID_ERRORS > 0'
    words = known_words(expression)

    assert words == {"condition!", "DCGM_FI_DEV_XID_ERRORS"}
    assert known_words(" ".join(sorted(words))) == words


@pytest.mark.parametrize("text", ["_" * 1_000_000, "a_:" * 300_000, "xid " * 250_000, "condition" + " " * 1_000_000])
def test_hostile_text_takes_no_longer_than_other_text(text: str):
    started = time.process_time()
    known_words(text)
    assert time.process_time() - started < 2
