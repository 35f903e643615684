"""Node classes of Karpenter's providers, as far as they say which image machines are made from."""

from kubegap_mcp.kube.wire.meta import Top, Wire


class ImageTerm(Wire):
    alias: str | None = None


class EC2NodeClassSpec(Wire):
    ami_selector_terms: list[ImageTerm] | None = None


class EC2NodeClass(Top):
    spec: EC2NodeClassSpec | None = None
