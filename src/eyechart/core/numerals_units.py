"""Units and scale words: a small table, each unit with its dimension and its size in the base unit of it."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple


class Unit(NamedTuple):
    dimension: str
    size: Fraction
    """In the base unit of the dimension: metre, gram, second, litre, byte, degree Celsius (see `offset`)."""
    offset: Fraction = Fraction(0)
    """What is added to the value before it is multiplied: -32 for Fahrenheit."""


_TABLE = """
length 1 m metre metres meter meters 米 公尺 метр метров 미터 メートル
length 1000 km kilometre kilometres kilometer kilometers 公里 千米 км 킬로미터 キロメートル
length 1/100 cm centimetre centimetres centimeter centimeters 厘米 公分 см
length 1/1000 mm millimetre millimetres millimeter millimeters 毫米 мм
length 1/1000000 µm μm um micrometer micrometers micron microns 微米
length 1/1000000000 nm nanometer nanometers nanometre nanometres 纳米
length 0.0254 inch inches 英寸
length 0.3048 ft foot feet 英尺
length 0.9144 yd yard yards 码
length 1609.344 mi mile miles 英里
mass 1 g gram grams gramm gramme grammes 克 г грамм
mass 1000 kg kgs kilo kilos kilogram kilograms kilogramm 千克 公斤 кг 킬로그램
mass 1/1000 mg milligram milligrams 毫克
mass 1000000 t tonne tonnes 吨
mass 453.59237 lb lbs pound pounds 磅
mass 28.349523125 oz ounce ounces 盎司
time 1 s sec secs second seconds sekunde sekunden seconde secondes 秒 сек
time 1/1000 ms millisecond milliseconds 毫秒
time 60 min mins minute minutes minuten minutos 分钟 分鐘 минут 분
time 3600 h hr hrs hour hours stunde stunden heure heures hora horas 小时 小時 時間 час часов 시간
time 86400 day days tag tage jour jours día días 天 日 день дней
time 604800 week weeks 周 星期
volume 1 l L litre litres liter liters 升 公升 л
volume 1/1000 ml mL millilitre millilitres milliliter milliliters 毫升 мл
volume 1/100 cl cL
data 1 B byte bytes 字节
data 1000 kB KB kilobyte kilobytes
data 1000000 MB megabyte megabytes
data 1000000000 GB gigabyte gigabytes
data 1000000000000 TB terabyte terabytes
data 1024 KiB
data 1048576 MiB
data 1073741824 GiB
data 1/8 bit bits
data 125 kbit
data 125000 Mbit
data 125000000 Gbit
power 1 W watt watts ватт
power 1000 kW kilowatt kilowatts
power 1000000 MW megawatt megawatts
power 1000000000 GW
energy 1 J joule joules 焦耳
energy 1000 kJ
energy 1000000 MJ
energy 3600000 kWh
energy 3600 Wh
energy 4184 kcal
current 1 A ampere amperes amps
current 1/1000 mA
voltage 1 V volt volts
voltage 1000 kV
voltage 1/1000 mV
frequency 1 Hz hertz
frequency 1000 kHz
frequency 1000000 MHz
frequency 1000000000 GHz
calendar 1 month months monat monate mois mes meses 个月 месяцев
calendar 12 year years yr yrs jahr jahre ans años anos 岁 лет
area 0.09290304 ft² ft^2 sqft
area 4046.8564224 acre acres
radian 1 rad rads radian radians
bc 1 BC BCE B.C.
concentration 1 ppm
speed 1 m/s mps
speed 5/18 km/h kph kmh
speed 0.44704 mph mi/h
area 1 m² m^2 sqm 平方米
area 1000000 km² km^2 平方公里
area 1/10000 cm² cm^2 平方厘米
area 10000 ha hectare hectares 公顷
volume 1000 m³ m^3 立方米
volume 1/1000 cm³ cm^3 cc 立方厘米
temperature 1 °C ℃ celsius 摄氏度
angle 1 ° deg degree degrees 度
money-usd 1 $ usd dollar dollars bucks 美元
money-usd 1/100 cent cents ¢
money-eur 1 € eur EUR euro euros
money-gbp 1 £ gbp
money-yen 1 ¥ jpy yen 円 日元
money-cny 1 元 rmb cny yuan 块 块钱 人民币
money-inr 1 ₹ inr rupee rupees
money-krw 1 ₩ krw won 원
money-rub 1 ₽ rub ruble rubles рублей
percent 1/100 % percent pct prozent 퍼센트 процентов процента パーセント
permille 1/1000 ‰
clock 1 clock
"""

UNITS: dict[str, Unit] = {
    word: Unit(line[0], Fraction(line[1]))
    for line in (row.split() for row in _TABLE.strip().splitlines())
    for word in line[2:]
}
for _name in ("°F", "℉", "fahrenheit"):
    UNITS[_name] = Unit("temperature", Fraction(5, 9), Fraction(-32))
for _name in ("K", "kelvin", "kelvins"):
    UNITS[_name] = Unit("temperature", Fraction(1), Fraction(-27315, 100))

NAMES = {unit: next(word for word, other in UNITS.items() if other == unit) for unit in set(UNITS.values())}
"""The one name of each unit in a canonical answer."""

NAMED = {word: NAMES[unit] for word, unit in UNITS.items()}
"""The same by each word for it: to look a unit up by itself takes the hash of a fraction."""

SCALES: dict[str, int] = {
    **dict.fromkeys(("hundred", "百", "hundert", "cent"), 100),
    **dict.fromkeys(
        ("thousand", "thousands", "k", "K", "千", "tausend", "mille", "mil", "ribu", "тысяч", "тыс", "천"), 1000
    ),
    **dict.fromkeys(("万", "萬", "만"), 10_000),
    **dict.fromkeys(("nghìn", "ngàn"), 1000),
    **dict.fromkeys(("triệu",), 10**6),
    **dict.fromkeys(("tỷ", "tỉ"), 10**9),
    **dict.fromkeys(("lakh", "lakhs", "lac", "लाख"), 100_000),
    **dict.fromkeys(
        (
            "million",
            "millions",
            "mn",
            "mio",
            "mio.",
            "mm",
            "M",
            "millionen",
            "millones",
            "milhões",
            "milioni",
            "juta",
            "миллион",
        ),
        10**6,
    ),
    **dict.fromkeys(("百万", "миллиона", "миллионов", "млн"), 10**6),
    **dict.fromkeys(("千万", "crore", "crores", "करोड़"), 10**7),
    **dict.fromkeys(("亿", "億", "억"), 10**8),
    **dict.fromkeys(("billion", "billions", "bn", "B", "milliarde", "milliarden", "milliards", "milliard"), 10**9),
    **dict.fromkeys(("млрд", "mrd", "mrd.", "miliar", "miliardi", "十亿"), 10**9),
    **dict.fromkeys(("万亿", "兆", "trillion", "trillions", "tn"), 10**12),
    **dict.fromkeys(("dozen", "dozens", "打"), 12),
}
GLUED = frozenset(("k", "K", "M", "B", "mm", "cent", "mil", "mille"))
"""Scale marks that are one only where glued to the digits (`100k`); with a space between they are something else."""


def alike(one: Unit, other: Unit) -> bool:
    """Whether the two measure the same thing.

    >>> alike(UNITS["km"], UNITS["m"]), alike(UNITS["km"], UNITS["kg"])
    (True, False)
    """
    return one.dimension == other.dimension


def base(value: Fraction, unit: Unit) -> Fraction:
    """`value` of `unit` in the base unit of its dimension.

    >>> base(Fraction(3, 2), UNITS["km"]), base(Fraction(212), UNITS["°F"])
    (Fraction(1500, 1), Fraction(100, 1))
    """
    return (value + unit.offset) * unit.size
