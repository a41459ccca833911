"""Time zones without a file system: the rules of the `tzdata` package, kept in the snapshot.

`zoneinfo` looks for them in folders and packages, which a script does not have.
"""

import io
import pathlib
import zoneinfo
import zoneinfo._common


def install(folder):
    """Read all zones below a folder, and make `zoneinfo` use them. Runs while the component is built."""
    zones, unique = {}, {}
    for path in sorted(pathlib.Path(folder).rglob("*")):
        data = path.read_bytes() if path.is_file() else b""
        if data.startswith(b"TZif"):
            # Half of the names are aliases. Equal rules are kept once.
            zones[path.relative_to(folder).as_posix()] = unique.setdefault(data, data)
    if not zones:
        raise FileNotFoundError(f"no time zones below {folder}")

    def load_tzdata(key):
        try:
            return io.BytesIO(zones[key])
        except KeyError:
            raise zoneinfo.ZoneInfoNotFoundError(f"No time zone found with key {key}") from None

    def available_timezones():
        """Return the names of all time zones."""
        return set(zones)

    zoneinfo.reset_tzpath(to=())
    zoneinfo._common.load_tzdata = load_tzdata
    zoneinfo.available_timezones = available_timezones
