"""Clusters in which nothing is wrong, one for each platform: twenty GPU nodes or more, and a run on most of them.

To add an object to all of them, yield it in parts/everywhere.py; to one, in its module in platforms/. It is what
`kubectl get -o json` prints, whole, whether kubegap reads the kind yet or not: `objects.thing` makes one, parts/ has
the builders, and where it comes from stands beside it. `objects.write` says of every kind in the catalogue that it
was read.
"""

from collections.abc import Callable, Iterable

from tests.whole_clusters.objects import Object
from tests.whole_clusters.platforms import aks, eks, gke, nvl72, oke, on_prem, others

HEALTHY: dict[str, Callable[[], Iterable[Object]]] = {
    made.__name__: made
    for made in (
        eks.eks,
        aks.aks,
        gke.gke,
        oke.oke,
        on_prem.on_prem,
        others.coreweave,
        others.openshift,
        others.no_row_knows_it,
        others.amd,
        others.slices,
        others.time_sliced,
        others.dra,
        nvl72.nvl72,
    )
}
