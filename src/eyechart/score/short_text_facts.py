"""What everybody knows and a mark depends on: countries, sequences with an order, kinds of things, number words."""

from __future__ import annotations

import re
from collections.abc import Sequence


def terms(text: str) -> frozenset[str]:
    """
    >>> sorted(terms("a b"))
    ['a', 'b']
    """
    return frozenset(text.split())


COUNTRIES = terms(
    "afghanistan albania algeria angola argentina armenia australia austria azerbaijan bahrain bangladesh "
    "belarus belgium bolivia botswana brazil bulgaria cambodia cameroon canada chad chile china colombia "
    "croatia cuba cyprus czechia denmark ecuador egypt england eritrea estonia ethiopia fiji finland "
    "france gabon georgia germany ghana greece guatemala guinea haiti honduras hungary iceland india "
    "indonesia iran iraq ireland israel italy jamaica japan jordan kazakhstan kenya kuwait laos latvia "
    "lebanon liberia libya lithuania luxembourg madagascar malaysia mali malta mexico moldova mongolia "
    "morocco mozambique myanmar namibia nepal netherlands nicaragua niger nigeria norway oman pakistan "
    "panama paraguay peru philippines poland portugal qatar romania russia rwanda scotland senegal serbia "
    "singapore slovakia slovenia somalia spain sudan sweden switzerland syria taiwan tajikistan tanzania "
    "thailand togo tunisia turkey uganda uk ukraine uruguay us usa uzbekistan venezuela vietnam wales "
    "yemen zambia zimbabwe"
) | {
    "new zealand",
    "south africa",
    "south korea",
    "north korea",
    "united states",
    "united kingdom",
    "saudi arabia",
    "sri lanka",
}
"""What may follow the name of a place behind a comma. States of a country are left out: Paris, Texas is not Paris."""

_ORDERS = tuple(
    {word: i for i, word in enumerate(line.split())}
    for line in (
        "mercury venus earth mars jupiter saturn uranus neptune pluto",
        "january february march april may june july august september october november december",
        "monday tuesday wednesday thursday friday saturday sunday",
        "first second third fourth fifth sixth seventh eighth ninth tenth",
        "tiny small medium large huge",
        "low medium high",
        "bronze silver gold",
        "spring summer autumn winter",
    )
)
COMMON = terms(
    "river ocean war street sea bank lake city island islands mountain mountains bay gulf desert prize "
    "act party university museum tower bridge theorem law canal strait forest valley peninsula empire "
    "republic kingdom revolution treaty castle palace cathedral park state states day world wall falls "
    "age theory effect cup company corporation union nations league army court house office square road "
    "avenue"
)
"""Last words of names that are no persons' names."""
PARTICLES = terms("van von der den da de di du del della le la al bin ibn ter ten dos")

_ROMANS = "i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi xvii xviii xix xx"
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth"
ROMAN = {word: str(i) for i, word in enumerate(_ROMANS.split(), 1)}
ORDINAL = {word: str(i) for i, word in enumerate(_ORDINALS.split(), 1)}
ADJECTIVE = re.compile(
    r"(?:.*(?:rial|ench|utch|ican|ian|ern|ese|ish)|inner|outer|greater|central|saint|st|mount|mt|lake|upper|lower|old|queen|cape|port|new|north|south|east|west|great|little|fort|san|santa|los|las|el)$"
)
"""What before a name makes the name of another place: Equatorial Guinea, Greater London, New York."""
ALIASES = (
    (("usa",), ("united", "states"), ("united", "states", "of", "america")),
    (("uk",), ("united", "kingdom")),
    (("eu",), ("european", "union")),
)
"""Short and long forms that everybody takes for one; `US` is `usa` among words."""
SHORT = {"mt": "mount", "st": "saint", "ft": "fort"}


def sequence(items: Sequence[str]) -> bool:
    """Whether `items` stand in an order that everybody knows, up, or from three on down: numbers, planets, months, sizes.

    >>> sequence(["Mars", "Jupiter", "Saturn"]), sequence(["3", "2", "1"]), sequence(["red", "green", "blue"])
    (True, True, False)
    """
    if len(items) < 2:
        return False
    low = [item.strip().lower() for item in items]
    if all(len(item) < 20 and item.replace(".", "", 1).lstrip("-").isdecimal() for item in low):
        ranks = [float(item) for item in low]
    else:
        order = next((o for o in _ORDERS if all(item in o for item in low)), None)
        if order is None:
            return False
        ranks = [float(order[item]) for item in low]
    return ranks == sorted(ranks) or (len(ranks) > 2 and ranks == sorted(ranks, reverse=True))
