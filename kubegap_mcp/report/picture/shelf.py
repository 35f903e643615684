"""Pictures of the last curves that were told, kept in memory until newer ones take their place."""

import hashlib
from collections import OrderedDict

from kubegap_checks.text import Text
from kubegap_mcp.errors import UnknownNameError
from kubegap_mcp.metrics.curve import Curve
from kubegap_mcp.names import quoted
from kubegap_mcp.report.picture.png import png
from kubegap_mcp.report.picture.scene import Scene, scene_of
from kubegap_mcp.report.picture.svg import svg

_KEPT = 32  # scenes of a few hundred points each


class Shelf:
    def __init__(self) -> None:
        self._scenes: OrderedDict[str, Scene] = OrderedDict()

    def put(self, curve: Curve) -> str:
        """The id under which its picture is kept; equal pictures have the same."""
        job = curve.job.title if curve.job else ""
        scene = scene_of(
            curve.course, curve.shape, title=f"{curve.metric.name} {job}".rstrip(), expected=curve.expected
        )
        id_ = hashlib.sha256(repr(scene).encode("utf-8", "surrogatepass")).hexdigest()[:12]
        self._scenes[id_] = scene
        self._scenes.move_to_end(id_)
        while len(self._scenes) > _KEPT:
            self._scenes.popitem(last=False)
        return id_

    def svg(self, id: str) -> str:  # noqa: A002
        return svg(self._scene(id))

    def png(self, id: str) -> bytes:  # noqa: A002
        return png(self._scene(id))

    def _scene(self, id: str) -> Scene:  # noqa: A002
        scene = self._scenes.get(id)
        if scene is None:
            raise UnknownNameError(
                Text(
                    en=f"there is no picture {quoted(id)} any more: ask explain_throughput again, its notes name the "
                    "new one",
                    ko=f"그림 {quoted(id)}이 더는 없음. explain_throughput으로 다시 물으면 notes에 새 주소가 나옴",
                )
            )
        return scene
