"""What can go wrong for a whole question; each message says what is wrong and ends in the next step.

KubegapError
  ConfigError            an unknown context, an unreadable kubeconfig or snapshot, a refused setting
  ClusterUnreachable     no answer, refused credentials, a failed credential plugin
  NotReadError           what the whole answer rests on could not be read
  UnknownNameError       no such check, finding, incident or topic
  PackagedDataError      a packaged table or record does not parse: a fault of kubegap itself

Not errors: a read that was refused (Unread), a gap (Finding).
"""

from kubegap_checks.text import Lang, Text


class KubegapError(Exception):
    """The message is for the person who asked, in their language: no secret, no server address, no stack."""

    def __init__(self, text: Text) -> None:
        super().__init__(text.en)
        self.text = text

    def of(self, lang: Lang) -> str:
        return self.text.of(lang)


class ConfigError(KubegapError):
    pass


class ClusterUnreachable(KubegapError):  # noqa: N818 (a state of the world, named as people say it)
    pass


class NotReadError(KubegapError):
    pass


class UnknownNameError(KubegapError):
    pass


class PackagedDataError(KubegapError):
    pass
