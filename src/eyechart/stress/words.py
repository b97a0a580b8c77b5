"""Base tasks whose answers are expressions and short texts."""

from __future__ import annotations

from functools import cache

from eyechart.stress.tasks import Task

# gold | other spellings | wrong ones; spellings are separated by " ; ".
_MATH = r"""
\frac{3}{4} | 3/4 ; \dfrac{3}{4} ; \tfrac{3}{4} ; 0.75 ; \frac34 | \frac{4}{3} ; 3/5 ; 0.34 ; -\frac{3}{4}
\frac{7}{2} | 7/2 ; 3.5 ; \dfrac{7}{2} | \frac{2}{7} ; 3.2 ; 7.2 ; -\frac{7}{2}
-\frac{5}{8} | -5/8 ; \frac{-5}{8} ; -\dfrac{5}{8} ; -0.625 | \frac{5}{8} ; -\frac{8}{5} ; -0.58
\frac{11}{6} | 11/6 ; \dfrac{11}{6} | \frac{6}{11} ; 11.6 ; \frac{11}{16}
3\sqrt{2} | \sqrt{18} ; 3 \sqrt{2} ; 3\cdot\sqrt{2} ; \sqrt{2}\cdot 3 | 2\sqrt{3} ; \sqrt{32} ; 3\sqrt{3} ; 32
\sqrt{12} | 2\sqrt{3} ; 2 \sqrt{3} ; 2\cdot\sqrt{3} | \sqrt{6} ; 3\sqrt{2} ; 12
\frac{\sqrt{2}}{2} | \frac{1}{\sqrt{2}} ; \sqrt{2}/2 ; \dfrac{\sqrt{2}}{2} | \frac{\sqrt{3}}{2} ; \sqrt{2} ; 2
5\sqrt{7} | \sqrt{175} ; 5 \sqrt{7} ; 5\cdot\sqrt{7} | 7\sqrt{5} ; \sqrt{57} ; 57
2\pi | 2 \pi ; 2\cdot\pi ; \pi\cdot 2 ; 2π | \pi^2 ; 2 ; \frac{\pi}{2} ; 3\pi
\frac{\pi}{3} | \pi/3 ; \dfrac{\pi}{3} ; \frac{1}{3}\pi | \frac{3}{\pi} ; \frac{\pi}{6} ; \pi
36\pi | 36 \pi ; 36\cdot\pi ; 36π | 36 ; 6\pi ; 63\pi
x^2+2x+1 | (x+1)^2 ; 1+2x+x^2 ; x^2 + 2x + 1 ; (x+1)(x+1) | x^2+1 ; (x-1)^2 ; x^2+2x ; x^2-2x+1
x^2-9 | (x-3)(x+3) ; (x+3)(x-3) ; -9+x^2 ; x^2 - 9 | x^2+9 ; (x-3)^2 ; x^2-3
2x+6 | 2(x+3) ; 6+2x ; 2x + 6 ; 2 x + 6 | 2x-6 ; 2(x+6) ; x+3
3x^2-12x | 3x(x-4) ; -12x+3x^2 ; 3x^2 - 12x | 3x(x+4) ; 3x^2-12 ; 3x^2
a^2-b^2 | (a-b)(a+b) ; (a+b)(a-b) ; a^2 - b^2 | b^2-a^2 ; (a-b)^2 ; a^2+b^2
x^3+1 | (x+1)(x^2-x+1) ; 1+x^3 ; x^3 + 1 | (x+1)^3 ; x^3-1 ; x^2+1
y^2-5y+6 | (y-2)(y-3) ; 6-5y+y^2 ; y^2 - 5y + 6 | (y+2)(y+3) ; y^2-5y-6 ; y^2+5y+6
2^{10} | 1024 ; 1{,}024 | 2^{11} ; 20 ; 210 ; 1025
3^5 | 243 ; 3^{5} | 5^3 ; 35 ; 234
10^{6} | 1000000 ; 10^6 ; 1{,}000{,}000 | 10^5 ; 106 ; 60
(3,-2) | (3, -2) ; \left(3,-2\right) ; (3.0, -2) | (-2,3) ; (3,2) ; (-3,2) ; 3
(0,5) | (0, 5) ; \left(0, 5\right) | (5,0) ; (0,-5) ; 5
(\frac{1}{2},4) | (1/2, 4) ; (0.5, 4) ; \left(\frac{1}{2}, 4\right) | (4,\frac{1}{2}) ; (2,4) ; (\frac{1}{2},-4)
\{1,2,3\} | \{3,2,1\} ; \{2, 1, 3\} ; \left\{1,2,3\right\} | \{1,2\} ; \{1,2,3,4\} ; \{1,2,4\}
\{-4,4\} | \{4,-4\} ; \{4, -4\} ; \left\{-4,4\right\} | \{4\} ; \{-4\} ; \{-4,5\}
[2,5) | [2, 5) ; \left[2,5\right) | (2,5] ; [2,5] ; (2,5) ; [2,6)
(-\infty,3) | (-\infty, 3) ; \left(-\infty,3\right) | (-\infty,3] ; (3,\infty) ; (-3,\infty)
e^2 | e^{2} | 2e ; e ; e^{-2} ; e^3
\ln 2 | \ln(2) ; \ln{2} | \ln 3 ; 2 ; \ln \frac{1}{2}
1-\frac{1}{e} | 1 - \frac{1}{e} ; 1-1/e ; 1-e^{-1} | 1+\frac{1}{e} ; \frac{1}{e} ; e-1
\frac{x}{y} | x/y ; \dfrac{x}{y} ; \frac{2x}{2y} | \frac{y}{x} ; xy ; x-y
3+4i | 4i+3 ; 3 + 4i ; 4i + 3 | 3-4i ; 4+3i ; 7i ; -3+4i
-7 | -7.0 ; - 7 | 7 ; -17 ; -6 ; -70
14916 | 14{,}916 ; 14,916 ; 14916.0 | 14961 ; 1491 ; 149160 ; 4916
0.125 | \frac{1}{8} ; 1/8 ; .125 | 0.25 ; 1.25 ; 8 ; \frac{1}{80}
120^\circ | 120^{\circ} ; 120° | 12^\circ ; 60^\circ ; 210^\circ
\frac{1}{2004} | 1/2004 ; \dfrac{1}{2004} | \frac{1}{2006} ; 2004 ; \frac{1}{2005}
7x | 7 x ; 7\cdot x ; x\cdot 7 | 7 ; 7+x ; x^7 ; 17x
\frac{2}{3}x+1 | \frac{2x}{3}+1 ; 1+\frac{2}{3}x ; (2/3)x+1 | \frac{3}{2}x+1 ; \frac{2}{3}x-1 ; \frac{2}{3}
"""

# gold | other spellings | wrong ones, among them near names and words that hold the gold one.
_TEXT = """
Paris | PARIS ; paris | Lyon ; Comparison ; Parish ; Marseille
Rome | ROME ; rome | Romeo ; Milan ; Chrome ; Naples
Marie Curie | marie curie ; MARIE CURIE ; Marie  Curie | Pierre Curie ; Marie Antoinette ; Lise Meitner
George W. Bush | george w. bush ; GEORGE W. BUSH | George H. W. Bush ; Barack Obama ; Jeb Bush
New York | new york ; NEW YORK ; New\u00a0York | New Jersey ; York ; Newark
nitrogen | Nitrogen ; NITROGEN | oxygen ; nitrogen oxide ; argon
photosynthesis | Photosynthesis ; PHOTOSYNTHESIS | respiration ; chemosynthesis ; fermentation
the Pacific Ocean | Pacific Ocean ; The Pacific Ocean ; the pacific ocean | the Atlantic Ocean ; the Arctic Ocean
Mount Everest | mount everest ; MOUNT EVEREST | Mount Kenya ; Mount Everett ; K2
Café de Flore | café de flore ; Cafe\u0301 de Flore | Café de la Paix ; Les Deux Magots
São Paulo | são paulo ; Sa\u0303o Paulo ; SÃO PAULO | Rio de Janeiro ; San Paolo Bank ; Salvador
Zürich | zürich ; Zu\u0308rich ; ZÜRICH | Bern ; Geneva ; Basel
Schrödinger's cat | Schrödinger’s cat ; schrödinger's cat ; Schro\u0308dinger's cat | Pavlov's dog ; Schrödinger's dog
e-mail | e\u2011mail ; E-mail ; E-MAIL | fax ; postal mail ; e-commerce
gold | Gold ; GOLD | goldfish ; marigold ; silver
tin | Tin ; TIN | titanium ; tint ; lead
copper | Copper ; COPPER | coppersmith ; brass ; bronze
whale | Whale ; WHALE ; a whale | shark ; whaler ; narwhals and sharks
the liver | liver ; The liver ; the Liver | the kidney ; the deliverer ; the heart
the moon | moon ; The moon ; The Moon | the sun ; moonshine ; Mars
water | Water ; WATER | watermelon ; sulfuric acid ; methane
Leonardo da Vinci | leonardo da vinci ; LEONARDO DA VINCI | Leonardo DiCaprio ; Michelangelo ; Raphael
Isaac Newton | isaac newton ; ISAAC NEWTON | Albert Einstein ; Isaac Asimov ; Newton Booth
Johann Sebastian Bach | johann sebastian bach ; JOHANN SEBASTIAN BACH | Johann Strauss ; Carl Philipp Emanuel Bach
Amazon River | amazon river ; the Amazon River ; The Amazon River | Nile ; Congo River ; Yangtze
Great Wall of China | great wall of china ; the Great Wall of China | Berlin Wall ; Hadrian's Wall
Ludwig van Beethoven | ludwig van beethoven ; LUDWIG VAN BEETHOVEN | Wolfgang Amadeus Mozart ; Joseph Haydn
Saturday | saturday ; SATURDAY | Sunday ; Saturn ; Friday
October | october ; OCTOBER | November ; octopus ; August
blue | Blue ; BLUE | bluebell ; red ; yellow
diamond | Diamond ; DIAMOND ; a diamond | diamondback ; graphite ; quartz
Neptune | neptune ; NEPTUNE | Uranus ; Neptunium ; Pluto
hydrogen peroxide | Hydrogen peroxide ; HYDROGEN PEROXIDE | hydrogen chloride ; peroxidase ; water
Nelson Mandela | nelson mandela ; NELSON MANDELA | Horatio Nelson ; Desmond Tutu ; Winnie Madikizela
Kraków | kraków ; Krako\u0301w ; KRAKÓW | Warsaw ; Gdańsk ; Poznań
Dublin | dublin ; DUBLIN | Cork ; Lublin ; Galway
jazz | Jazz ; JAZZ | blues ; jazzercise ; rock
octagon | Octagon ; an octagon ; OCTAGON | hexagon ; pentagon ; octopus
insulin | Insulin ; INSULIN | glucagon ; insulation ; adrenaline
Mont Blanc | mont blanc ; MONT BLANC | Matterhorn ; Mont Ventoux ; Eiger
"""


def _rows(table: str, kind: str, question: str) -> tuple[Task, ...]:
    out: list[Task] = []
    for line in table.strip().splitlines():
        gold, same, wrong = (part.strip() for part in line.split(" | "))
        out.append(
            Task(
                id=f"{kind}/{len(out)}",
                question=question.format(len(out) + 1),
                gold=gold,
                same=tuple(same.split(" ; ")),
                wrong=tuple(wrong.split(" ; ")),
            )
        )
    return tuple(out)


@cache
def expressions() -> tuple[Task, ...]:
    """Forty answers that are expressions, each with equal and with unequal ones.

    >>> expressions()[4].gold, expressions()[4].same[0]
    ('3\\\\sqrt{2}', '\\\\sqrt{18}')
    """
    return _rows(_MATH, "math", "Exercise {}: what is its value?")


@cache
def phrases() -> tuple[Task, ...]:
    """Forty short texts.

    >>> phrases()[0].gold, phrases()[0].wrong[:2]
    ('Paris', ('Lyon', 'Comparison'))
    """
    return _rows(_TEXT, "text", "Quiz question {}: name it in a word or two.")
