"""Lines of ``.env`` files as the programs that are known to read them there see them."""

from __future__ import annotations

from collections.abc import Iterator

from doctor.facts.settings import EnvFile, EnvLine, EnvReader, Role, Settings
from doctor.records import dataclass
from doctor.secrets import Secret

_ROLES = (Role.KEY, Role.BASE_URL, Role.MODEL)


@dataclass(frozen=True, slots=True)
class ReadLine:
    """One line as one program takes it; ``name`` and ``value`` are the program's."""

    file: EnvFile
    line: EnvLine
    reader: EnvReader
    name: str
    value: str

    @property
    def where(self) -> str:
        return f"{self.file.path}:{self.line.number}"


def role_of(variable: str) -> Role | None:
    """Whether a variable is for a key, a base URL or a model; None where it is for neither."""
    from doctor.settings.names import understood

    name = understood(variable.upper())
    return name.role if name is not None and name.role in _ROLES else None


def lines_read(settings: Settings) -> Iterator[ReadLine]:
    """Every line of every file, for each program known to read that file."""
    for file in settings.env_files:
        for line in file.lines:
            for reader in file.readers:
                read = line.values.get(reader)
                if read is not None:
                    name, value = read
                    text = value.reveal() if isinstance(value, Secret) else value
                    yield ReadLine(file, line, reader, name, text)
