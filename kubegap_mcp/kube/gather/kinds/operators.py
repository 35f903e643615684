"""ClusterPolicy and NVIDIADriver of NVIDIA's GPU Operator -> records."""

from typing import Final

from kubegap_checks.facts import operators as facts
from kubegap_mcp.kube.gather.conditions import build_conditions
from kubegap_mcp.kube.gather.fields import name, strings, value
from kubegap_mcp.kube.gather.kind import gathers, keep_name
from kubegap_mcp.kube.gather.lenient import Losses
from kubegap_mcp.kube.gather.upgrades import build_upgrade
from kubegap_mcp.kube.wire import operators as wire


def build_policy(policy: wire.ClusterPolicy, losses: Losses) -> facts.ClusterPolicy:
    spec, status = policy.spec or wire.ClusterPolicySpec(), policy.status or wire.OperatorStatus()
    config = (spec.device_plugin.config if spec.device_plugin else None) or wire.PluginConfig()
    return facts.ClusterPolicy(
        name=name(policy.metadata.name),
        state=value(status.state),
        conditions=build_conditions(status.conditions, losses),
        operands=_operands(
            driver=spec.driver,
            toolkit=spec.toolkit,
            devicePlugin=spec.device_plugin,
            dcgm=spec.dcgm,
            dcgmExporter=spec.dcgm_exporter,
            gfd=spec.gfd,
            migManager=spec.mig_manager,
            nodeStatusExporter=spec.node_status_exporter,
            validator=spec.validator,
            gds=spec.gds,
            gdrcopy=spec.gdrcopy,
        ),
        driver=_settings(spec.driver),
        driver_crd=bool(spec.driver and spec.driver.use_nvidia_driver_crd),
        mig_strategy=value(spec.mig.strategy if spec.mig else None),
        plugin_config=name(config.name),
        plugin_config_default=name(config.default),
    )


def build_driver(driver: wire.NVIDIADriver, losses: Losses) -> facts.NVIDIADriver:
    spec, status = driver.spec or wire.NVIDIADriverSpec(), driver.status or wire.OperatorStatus()
    return facts.NVIDIADriver(
        name=name(driver.metadata.name),
        state=value(status.state),
        conditions=build_conditions(status.conditions, losses),
        type=value(spec.driver_type),
        default=bool(spec.default),
        node_selector=strings(spec.node_selector, losses),
        operands=_operands(driver=spec, gds=spec.gds, gdrcopy=spec.gdrcopy),
        driver=_settings(spec),
    )


def _operands(**operands: wire.Operand | None) -> dict[str, facts.Operand]:
    return {
        field: facts.Operand(
            enabled=operand.enabled,
            repository=value(operand.repository),
            image=value(operand.image),
            version=value(operand.version),
        )
        for field, operand in operands.items()
        if operand is not None
    }


def _settings(driver: wire.Driver | None) -> facts.DriverSettings:
    driver = driver or wire.Driver()
    rdma = driver.rdma or wire.Rdma()
    return facts.DriverSettings(
        kernel_modules=value(driver.kernel_module_type),
        precompiled=driver.use_precompiled,
        rdma=rdma.enabled,
        host_mofed=rdma.use_host_mofed,
        upgrade=build_upgrade(driver.upgrade_policy) if driver.upgrade_policy else None,
    )


GATHERERS: Final = (
    gathers(facts.ClusterPolicy, wire.ClusterPolicy, keep_name, build_policy),
    gathers(facts.NVIDIADriver, wire.NVIDIADriver, keep_name, build_driver),
)
