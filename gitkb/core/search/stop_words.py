"""Words that say how a question is asked and not what about.

1. They are folded words, as `core.word_form` gives them. An index holds them like any others; a query
   drops them, unless it has nothing else.
2. None of them is likely to be what someone looks for in another language of the three: `for`, `if`
   and `while` are here although they are statements, because a question about them has more words.
"""

from __future__ import annotations

_ENGLISH = """
    a about all also am an and any are as at be because been before being but by can could did do does
    doing don for from had has have having he her here him his how i if in into is isn it its just ll
    me might more most must my no nor not of on one only or other our out over own re s same shall she
    should so some such t than that the their them then there these they this those through to too
    under until up us ve very was we were what when where which while who whom why will with would you
    your
"""
_RUSSIAN = """
    а без бы был была были было быть в вам вас ваш весь во вот все всего всех всю вы где да даже для до
    его ее если есть еще же за здесь и из или им их к как какая какие каким каких какого какое какой
    какую ко когда который которая которое которые кто ли либо мне может мой мы на над надо нам нас наш
    не него нее ней нет ни них но ну о об однако он она они оно от очень по под после при про с сам
    свой себя со так также такой там те тем то того тоже той только том тот ту ты у уже хотя чего чей
    чем через что чтобы чье чья эта эти это этого этой этом этот эту я сколько почему зачем куда откуда
    можно нужно
"""
_UKRAINIAN = """
    або адже але без би був була були було бути в вам вас ваш весь вже ви від він вона вони воно все
    всього всіх всі втім де для до дуже є за з зі із й його ж же і із інший їй їм їх її
    йому коли кого кому ким який яка яке які якого якої якому яку яким яких як якщо ким ми мене мені мій
    на над нам нас наш не неї немає ні ним них ну о один одна однак ось от по під після при про саме
    свій себе собі та так такий також там те тим ти тих то того тоді той тому тобто ту тут у усе хоча
    хто це цей ця ці цього цієї цьому цих через чи чим чого чому ще що щоб я скільки навіщо куди звідки
    можна потрібно треба
"""

STOP_WORDS = frozenset(f"{_ENGLISH} {_RUSSIAN} {_UKRAINIAN}".split())
