"""Small questions with answers that nobody disputes: the base of every styled case.

All are written for this test. A task is drawn by index, so that a subset meets the tasks of the whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from types import MappingProxyType

from eyechart.core.identity import rng_for

LETTERS = "ABCD"


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """`gold` and `wrong` as they stand in the answer key; `same` are other spellings of the gold one."""

    id: str
    question: str
    gold: str
    wrong: tuple[str, ...]
    same: tuple[str, ...] = ()
    unit: str = ""
    """For numbers: "$" stands before, "%" glued behind, any other word behind with a space; "" none."""
    choices: Mapping[str, str] = field(default_factory=lambda: MappingProxyType[str, str]({}))


_TABLES: dict[str, str] = {
    "What is the capital of {}?": (
        "France=Paris;Italy=Rome;Spain=Madrid;Portugal=Lisbon;Austria=Vienna;Poland=Warsaw;Norway=Oslo;Sweden=Stockholm;"
        "Finland=Helsinki;Denmark=Copenhagen;Hungary=Budapest;Greece=Athens;Ireland=Dublin;Japan=Tokyo;Kenya=Nairobi;"
        "Cuba=Havana;Peru=Lima;Chile=Santiago;Egypt=Cairo;Turkey=Ankara;Iran=Tehran;Iraq=Baghdad;Nepal=Kathmandu;"
        "Canada=Ottawa;Ghana=Accra;Senegal=Dakar;Thailand=Bangkok;Romania=Bucharest;Bulgaria=Sofia;Serbia=Belgrade"
    ),
    "Which element has the symbol {}?": (
        "H=hydrogen;He=helium;Li=lithium;C=carbon;N=nitrogen;O=oxygen;Na=sodium;Mg=magnesium;Al=aluminium;Si=silicon;"
        "P=phosphorus;S=sulfur;Cl=chlorine;K=potassium;Ca=calcium;Fe=iron;Cu=copper;Zn=zinc;Ag=silver;Sn=tin;"
        "Au=gold;Hg=mercury;Pb=lead;U=uranium"
    ),
    "Who wrote {}?": (
        "Hamlet=William Shakespeare;Faust=Johann Wolfgang von Goethe;Emma=Jane Austen;War and Peace=Leo Tolstoy;"
        "The Trial=Franz Kafka;Ulysses=James Joyce;Don Quixote=Miguel de Cervantes;The Odyssey=Homer;"
        "Candide=Voltaire;Walden=Henry David Thoreau;Dracula=Bram Stoker;Frankenstein=Mary Shelley;"
        "Middlemarch=George Eliot;Oliver Twist=Charles Dickens;Moby-Dick=Herman Melville;The Republic=Plato"
    ),
    "What does a {} measure?": (
        "thermometer=temperature;barometer=air pressure;hygrometer=humidity;anemometer=wind speed;ammeter=electric current;"
        "voltmeter=voltage;seismograph=ground motion;odometer=distance travelled;scale=weight;clock=time;"
        "photometer=light intensity;altimeter=height above sea level;tachometer=rate of rotation;dosimeter=radiation dose"
    ),
    "On which continent is {}?": (
        "Brazil=South America;Nigeria=Africa;Mongolia=Asia;Germany=Europe;Mexico=North America;Bolivia=South America;"
        "Zambia=Africa;Vietnam=Asia;Belgium=Europe;Guatemala=North America;Ecuador=South America;Mali=Africa"
    ),
    "What is the plural of {}?": (
        "mouse=mice;goose=geese;child=children;tooth=teeth;ox=oxen;foot=feet;louse=lice;person=people;man=men;woman=women;"
        "leaf=leaves;knife=knives;cactus=cacti;crisis=crises;datum=data"
    ),
    "Which organ {}?": (
        "pumps blood=the heart;filters blood=the kidney;digests food with acid=the stomach;takes up oxygen=the lung;"
        "makes bile=the liver;makes insulin=the pancreas;sees=the eye;hears=the ear;thinks=the brain;smells=the nose"
    ),
}


@cache
def choices() -> tuple[Task, ...]:
    """At least 120 questions with four options.

    >>> task = choices()[0]
    >>> task.question, task.choices[task.gold], len(choices()) >= 120
    ('What is the capital of France?', 'Paris', True)
    """
    out: list[Task] = []
    for question, table in _TABLES.items():
        rows = [row.split("=") for row in table.split(";")]
        answers = sorted({answer for _, answer in rows})
        for subject, answer in rows:
            rng = rng_for(0, "stress", "options", subject, answer)
            others = [other for other in answers if other != answer and not _overlap(other, answer)]
            texts = [others[int(i)] for i in rng.permutation(len(others))[:3]]
            place = int(rng.integers(4))
            texts.insert(place, answer)
            options = MappingProxyType(dict(zip(LETTERS, texts, strict=True)))
            wrong = tuple(letter for letter in LETTERS if letter != LETTERS[place])
            name = f"choice/{len(out)}"
            out.append(
                Task(id=name, question=question.format(subject), gold=LETTERS[place], wrong=wrong, choices=options)
            )
    return tuple(out)


def _overlap(one: str, two: str) -> bool:
    return one in two or two in one


_SUMS: tuple[tuple[str, str, str], ...] = (
    ("A crate holds {a} jars. How many jars do {b} crates hold?", "a*b", "jars"),
    ("A shop sells {a} coats at ${b} each. What does it take, in dollars?", "a*b", "$"),
    ("A tank of {a}{b} litres loses {b} litres. How many litres are left?", "a*10**len(str(b))", "litres"),
    (
        "At dawn it was {b} degrees, and it fell by {a}{a} degrees. How cold did it get, in degrees?",
        "b-11*a",
        "degrees",
    ),
    ("A ribbon of {a} metres is cut into two equal parts. How long is each, in metres?", "a/2", "metres"),
    ("Of four equal slices of {a} kilograms one is eaten. How many kilograms is that slice?", "a/4", "kg"),
    ("A town of {a} thousand people gains {b} more. How many people live there?", "a*1000+b", "people"),
    ("What percentage of one hundred marbles are {a} marbles?", "a", "%"),
    ("A mine digs {a} times ten thousand tonnes. How many tonnes?", "a*10000", "tonnes"),
    ("A number is {a} less than {b}. What is the number?", "b-a", ""),
    ("What is {a} squared times {b}?", "a*a*b", ""),
    ("A star is {a} million kilometres away. How many kilometres is that?", "a*1000000", "km"),
)
_PAIRS = ((7, 16), (12, 9), (13, 25), (17, 4), (21, 38), (24, 15), (35, 8), (43, 12), (58, 31), (96, 7))


@cache
def numbers() -> tuple[Task, ...]:
    """120 sums with one exact value each: whole, negative, halves and quarters, large, per cent.

    >>> [(task.gold, task.unit) for task in numbers()[::23]]
    [('112', 'jars'), ('170', 'litres'), ('17.5', 'metres'), ('96007', 'people'), ('12', ''), ('24000000', 'km')]
    """
    out: list[Task] = []
    for j, (question, formula, unit) in enumerate(_SUMS):
        for k, (a, b) in enumerate(_PAIRS):
            value = _value(formula, a, b)
            gold = decimal(value) + ("%" if unit == "%" else "")
            wrong = tuple(decimal(x) + ("%" if unit == "%" else "") for x in near(value))
            name = f"number/{j * len(_PAIRS) + k}"
            out.append(Task(id=name, question=question.format(a=a, b=b), gold=gold, wrong=wrong, unit=unit))
    return tuple(out)


def _value(formula: str, a: int, b: int) -> Fraction:
    table = {
        "a*b": Fraction(a * b),
        "a*10**len(str(b))": Fraction(a * 10 ** len(str(b))),
        "b-11*a": Fraction(b - 11 * a),
        "a/2": Fraction(a, 2),
        "a/4": Fraction(a, 4),
        "a*1000+b": Fraction(a * 1000 + b),
        "a": Fraction(a),
        "a*10000": Fraction(a * 10000),
        "b-a": Fraction(b - a),
        "a*a*b": Fraction(a * a * b),
        "a*1000000": Fraction(a * 1_000_000),
    }
    return table[formula]


def near(value: Fraction) -> tuple[Fraction, ...]:
    """Wrong values that a grader might let pass: off by one, another sign, ten times, a digit more or less.

    Never a hundred times, which could be the same in per cent.

    >>> [decimal(x) for x in near(Fraction(42))]
    ['43', '41', '-42', '420', '4.2', '142', '421', '4']
    """
    sign = -1 if value < 0 else 1
    body = decimal(abs(value))
    found = [value + 1, value - 1, -value, value * 10, value / 10, sign * Fraction("1" + body)]
    if value.denominator == 1 and len(body) > 1:
        found += [sign * (abs(value) * 10 + 1), sign * Fraction(body[:-1])]
    return tuple(x for x in dict.fromkeys(found) if x not in (value, value * 100, value / 100))


def decimal(value: Fraction) -> str:
    """Exact decimal of a value whose denominator divides a power of ten.

    >>> decimal(Fraction(-21, 4)), decimal(Fraction(1200))
    ('-5.25', '1200')
    """
    places = next(k for k in range(12) if (value * 10**k).denominator == 1)
    whole = str(abs(int(value * 10**places))).rjust(places + 1, "0")
    text = whole if not places else f"{whole[:-places]}.{whole[-places:]}"
    return ("-" if value < 0 else "") + text
