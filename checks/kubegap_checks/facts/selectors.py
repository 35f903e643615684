"""What selects objects by their labels, as the API server evaluates it."""

from collections.abc import Mapping

from msgspec import Struct


class Requirement(Struct, frozen=True, kw_only=True):
    """One expression over labels: `In`, `NotIn`, `Exists`, `DoesNotExist`, and of nodes `Gt` and `Lt`."""

    key: str
    operator: str
    values: tuple[str, ...] = ()

    def matches(self, labels: Mapping[str, str]) -> bool:
        """An operator that is not known matches nothing."""
        value = labels.get(self.key)
        match self.operator:
            case "In":
                return value in self.values
            case "NotIn":
                return value not in self.values
            case "Exists":
                return value is not None
            case "DoesNotExist":
                return value is None
            case "Gt" | "Lt":
                return self._compares(value)
            case _:
                return False

    def _compares(self, value: str | None) -> bool:
        try:
            have, limit = int(value or ""), int(self.values[0])
        except (ValueError, IndexError):
            return False
        return have > limit if self.operator == "Gt" else have < limit


class Selector(Struct, frozen=True, kw_only=True):
    """A label selector: all labels and all requirements must match, and an empty one matches everything."""

    labels: Mapping[str, str]
    requirements: tuple[Requirement, ...] = ()

    def matches(self, labels: Mapping[str, str]) -> bool:
        return all(labels.get(key) == value for key, value in self.labels.items()) and all(
            requirement.matches(labels) for requirement in self.requirements
        )
