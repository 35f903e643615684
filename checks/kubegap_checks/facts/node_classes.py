"""Which image a cloud's machines are made from."""

from typing import ClassVar

from kubegap_checks.facts.read import Kind, Record


class EC2NodeClass(Record, frozen=True, kw_only=True):
    """Of Karpenter on AWS: `image_aliases` are family and version, `al2023@v20251120` or `al2023@latest`.

    Images that are picked by id, name, tags or a parameter have no alias. aws/karpenter-provider-aws:pkg/apis/v1
    """

    KIND: ClassVar[Kind] = Kind(
        name="EC2NodeClass", plural="ec2nodeclasses", group="karpenter.k8s.aws", versions=("v1", "v1beta1")
    )

    name: str
    image_aliases: tuple[str, ...] = ()
