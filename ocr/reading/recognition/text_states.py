"""A text model as a machine: in each state, what each next character is worth."""

import math
from collections import defaultdict
from copy import copy

from ocr.errors import BadData
from ocr.models.charset import Charset
from ocr.models.text_model import ORDER, START, TextModel, find_digits, fold_numerals

NUMERALS = 10
"""So many may begin a number, one as likely as another."""
USUAL_NATS = 3.0
"""What a character costs where the net doubts: as much is given back for each, else the texts with
the fewest characters would win. Between 2 and 4, nothing changes."""
MOST_STEPS = 200_000
"""Steps kept in memory, some 150 bytes each; all are forgotten when there are more."""

Context = tuple[int, ...]


class TextStates:
    """Interpolated Witten-Bell n-grams (Chen and Goodman 1998, section 2.4), worked out on demand.

    A state is what is remembered of a text: its last characters, as many as were ever seen
    together, a number being one. Safe to share between threads.
    """

    def __init__(self, model: TextModel, charset: Charset) -> None:
        """Prepare to score texts.

        Args:
            model: Of the texts.
            charset: Its characters.

        Raises:
            BadData: The model belongs to a larger charset, or knows no text.
        """
        numerals = set(model.numerals.tolist()) or find_digits(charset)
        is_known = all(0 < k < charset.size for k in numerals)
        if not len(model.ngrams) or model.ngrams.max() > charset.size or not is_known:
            raise BadData(f"The text model does not fit a charset of {charset.size} classes")
        self._end_class = charset.size
        self._numerals = numerals
        self._folded = fold_numerals(numerals, charset)
        self._weight = model.weight
        self._followers = _count_followers(model)
        if numerals:  # also if no text has one
            self._followers.setdefault((min(numerals),), self._followers[()])
        self._contexts = list(self._followers)
        self._numbers = {context: number for number, context in enumerate(self._contexts)}
        self._steps: list[dict[int, tuple[float, int]]] = [{} for _ in self._contexts]
        self._known = 0

    def weighing(self, weight: float) -> "TextStates":
        """Return the same states of a model of another weight."""
        other = copy(self)
        other._weight = weight
        other._steps = [{} for _ in self._contexts]
        other._known = 0
        return other

    def after(self, classes: list[int]) -> int:
        """Return the state after a text that began with these classes, or was all of them."""
        last: list[int] = []
        for k in reversed(classes):
            if len(last) == ORDER - 1:
                break
            if k not in self._numerals or last[:1] != [self._folded[k]]:
                last.insert(0, self._folded[k])
        return self._number((START,) * (ORDER - 1 - len(last)) + tuple(last))

    def step(self, state: int, character: int) -> tuple[float, int]:
        """Return the factor of a text's score when a character follows, and the state then."""
        found = self._steps[state].get(character)
        if found is None:
            if self._known > MOST_STEPS:
                for steps in self._steps:
                    steps.clear()
                self._known = 0
            self._known += 1
            found = self._steps[state][character] = self._take(state, character)
        return found

    def end(self, state: int) -> float:
        """Return the factor of a text's score when the text ends."""
        probability = self._probability(self._contexts[state], self._end_class)
        return math.exp(self._weight * math.log(probability))

    def _take(self, state: int, character: int) -> tuple[float, int]:
        context, folded = self._contexts[state], self._folded[character]
        numeral = character in self._numerals
        if numeral and context[-1:] == (folded,):
            return 1.0, state  # within a number the net alone says which numerals, and how many
        then = self._number((*context, folded)[1 - ORDER :])
        probability = self._probability(context, folded) / (NUMERALS if numeral else 1)
        return math.exp(self._weight * (math.log(probability) + USUAL_NATS)), then

    def _probability(self, context: Context, character: int) -> float:
        total, _, counts = self._followers[()]
        found = (counts.get(character, 0) + 0.5) / (total + 0.5 * self._end_class)
        for length in range(1, len(context) + 1):
            total, distinct, counts = self._followers[context[-length:]]
            found = (counts.get(character, 0) + distinct * found) / (total + distinct)
        return found

    def _number(self, context: Context) -> int:
        while context not in self._numbers:
            context = context[1:]
        return self._numbers[context]


def _count_followers(model: TextModel) -> dict[Context, tuple[int, int, dict[int, int]]]:
    """Return by context of 0 to ORDER - 1 characters: how many followed, how many kinds, and each.

    A suffix of a context is one too, as every n-gram counts for contexts of all lengths.
    """
    followers: defaultdict[Context, dict[int, int]] = defaultdict(dict)
    for ngram, count in zip(model.ngrams.tolist(), model.counts.tolist(), strict=True):
        for start in range(ORDER):
            seen = followers[tuple(ngram[start:-1])]
            seen[ngram[-1]] = seen.get(ngram[-1], 0) + count
    return {context: (sum(s.values()), len(s), s) for context, s in followers.items()}
