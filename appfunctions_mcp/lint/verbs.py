# ruff: noqa: RUF001 - Russian letters look like English ones
"""Verbs of names and descriptions: which one opens a text, and what it does to data.

English and Russian. A word that is no known verb is never called one, and an opening counts as
wrong only where it is surely no verb. Knows no rule.
"""

import re
from enum import Enum
from functools import cache, lru_cache

from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.lint.texts import (
    ENGLISH,
    RUSSIAN,
    Span,
    prose_of,
    word_set,
    words_of,
    words_of_name,
)

__all__ = [
    "Effect",
    "effect_of_name",
    "effect_of_verb",
    "lacks_opening_verb",
    "opening_verb",
    "opening_word",
    "verb_of",
]


class Effect(Enum):
    """What a verb does to data."""

    READS = "reads"
    """Nothing is changed."""
    CREATES = "creates"
    CHANGES = "changes"
    DELETES = "deletes"
    ACTS = "acts"
    """It has an effect outside, such as sending or starting."""


_ENGLISH: dict[Effect | None, str] = {
    Effect.READS: "get list find search read fetch show view retrieve lookup query count check "
    "inspect describe browse display download compare calculate compute estimate analyze analyse "
    "summarize summarise explain preview peek enumerate lists return report look see detect "
    "discover examine explore extract identify locate monitor observe resolve review tell validate "
    "verify determine evaluate measure predict recommend suggest translate convert geocode scan "
    "track watch parse render format diff test ping decode encode hash",
    Effect.CREATES: "create add insert make generate build new append write compose draft clone "
    "copy duplicate fork upload import record register save store initialize initialise init "
    "provision book reserve schedule log capture attach",
    Effect.CHANGES: "update edit modify change set rename move replace patch put adjust alter "
    "archive assign configure customize customise merge mark mute pin reorder resize restore "
    "rotate sort swap switch toggle transform upgrade unarchive unassign unmute unpin reset revert "
    "rollback enable disable lock unlock overwrite sync synchronize resolve publish unpublish "
    "protect unprotect star unstar label tag untag link unlink apply",
    Effect.DELETES: "delete remove erase purge clear drop destroy wipe discard trash truncate "
    "uninstall unregister prune empty",
    Effect.ACTS: "send run execute start stop call open close play pause resume press click tap "
    "type navigate go post submit reply forward share invite notify order buy pay purchase sell "
    "transfer refund cancel approve reject accept decline dismiss trigger launch kill terminate "
    "restart deploy install invoke connect disconnect join leave turn print dispatch begin end "
    "finish fill hover drag scroll select sign authenticate authorize log wait interact export "
    "backup commit push pull checkout stage unstage reboot shutdown sleep speak say ask answer "
    "draw take request subscribe unsubscribe follow unfollow block unblock rate vote charge "
    "withdraw deposit",
    None: "abort access assume fabricate guess hallucinate invent mention rely reveal trust try "
    "upsert activate adapt aggregate allow annotate arrange assert assess associate assist attempt "
    "await balance bind bring cache chain choose classify clean cluster collapse collect combine "
    "compile complete compress confirm consolidate construct contact continue control coordinate "
    "correct crawl crop cut deactivate debug decrease decrypt define demonstrate detach develop "
    "diagnose direct document echo encrypt enforce engage enhance enrich ensure enter escalate "
    "establish exchange expand expire expose extend filter fix flag flip flush focus force freeze "
    "gather give grant grep group guide handle help hide highlight hold host implement improve "
    "include increase increment index inform infer instruct integrate interpret introspect issue "
    "iterate join keep lay learn let limit load localize lower manage manipulate map match migrate "
    "minimize mirror mount multiply name negate normalize obtain offer operate optimize "
    "orchestrate organize output own pack paginate parse partition paste perform persist pick "
    "place plan plot poll populate prepare prevent process produce profile promote prompt propose "
    "provide provision quote raise randomize rank reach reactivate rebuild recall receive "
    "recognize recompute reconcile recover redirect redo reduce refine refresh regenerate release "
    "relate reload relocate render renew reopen repair repeat represent resend reserve respond "
    "resubmit retry reverse revoke rewrite roll route sample scale scrape screenshot seed serve "
    "shift shorten shuffle simulate simplify skip slice snapshot snooze solve split stream strip "
    "style supply support surface suspend switch tail teach throw trace train transcribe trim tune "
    "undo unfold unstage expect use utilize visualize warn work wrap zip zoom",
}
_NO_OPENING = word_set(
    "a an the this that these those it its it's there here we i you your our my when whenever if "
    "for in on at with by from as to once after before because while some any all each every tool "
    "tools function functions method methods endpoint api utility wrapper which what who how is "
    "are was can will should must may used helpful useful"
)
_NO_OPENING_RUSSIAN = word_set(
    "это эта этот эти данная данный данное функция метод инструмент сервис утилита мы я вы ты "
    "когда если для при в во на с из по после перед так чтобы как который которая позволяет "
    "предназначен предназначена используется служит нужен нужна можно"
)
_RUSSIAN: dict[Effect | None, str] = {
    Effect.READS: "находи найд найти ищ иска поиска показ возвраща верн верну чита прочита прочит "
    "получа получ выводи вывести вывод сообща просматрива посмотр проверя провер счита посчита "
    "подсчитыва вычисля вычисл определя определ сравнива перечисля перечисл отобража загружа узна",
    Effect.CREATES: "созда добавля добав сохраня сохран записыва запиш записа запис копиру скопиру "
    "генериру формиру составля состав вставля встав дописыва бронир бронируе забронир",
    Effect.CHANGES: "обновля обнов изменя измен меня редактиру переименовыва переименова "
    "переименуй перемеща перемест заменя замен назнача назнач устанавлива установ включа включ "
    "выключа выключ став постав присваива присво отмеча отмет сбрасыва сброс восстанавлива "
    "восстанов",
    Effect.DELETES: "удаля удал стира стереть очища очист убира убер уничтожа уничтож",
    Effect.ACTS: "отправля отправ запуска запуст останавлива останов открыва откро открой откры "
    "закрыва закро закры звони позвон вызыва публику экспортиру оплачива оплат заказыва закаж "
    "заказа отменя отмен выполня выполн печата напечата переводи перевод перевест воспроизводи "
    "переключа приглаша пригла подключа подключ отключа отключ проигрыва",
}
_RUSSIAN_ENDING = regex(
    r"(?:[аяеёиоуюы]?(?:ет|ёт|ит|ют|ят|ут|ат)|ть|ти|чь|й|йте|и|ите|ь|ьте)(?:ся|сь)?\Z"
)
_RUSSIAN_NOUN = regex(r"(?:ние|нье|ция|ка|поиск|вывод|просмотр|расчёт|расчет|список|отправка)\Z")
# "List of notes" and "Search for notes": the one names a thing, the other says what is done.
_OF = regex(r"\s+of\s", re.IGNORECASE)
_WITH_OF = word_set("dispose disposes get gets take takes think thinks")
# What follows a word that is the beginning of code: `to_bytes(…)`.
_IN_CODE = ("_", "(", "=", "[")
_LEADING = regex(
    r"[\W_]*"
    r"(?:(?:safely|quickly|simply|automatically|asynchronously|recursively|atomically|optionally|"
    r"permanently|immediately|efficiently|directly|deeply|fully|securely|only|also|force|bulk|batch|"
    r"быстро|безопасно|сразу|автоматически|рекурсивно|навсегда)\s+)?",
    re.IGNORECASE,
)


@cache
def _english_verbs() -> dict[str, Effect | None]:
    verbs: dict[str, Effect | None] = {}
    for effect, words in _ENGLISH.items():
        for word in words.split():
            verbs.setdefault(word, effect)
    return verbs


@cache
def _russian_stems() -> tuple[tuple[str, Effect | None], ...]:
    stems = [(stem, effect) for effect, words in _RUSSIAN.items() for stem in words.split()]
    return tuple(sorted(stems, key=lambda each: -len(each[0])))


@lru_cache(maxsize=4096)
def verb_of(word: str) -> str | None:
    """The verb that a word is a form of: `create` of `Creates`, `create` and `CREATE`.

    Only the base form and the third person of known English verbs count; `created` and `creating`
    are no openings. Of a known Russian verb it is the stem.

    Args:
        word: One word, in any case.
    """
    lower = word.lower()
    verbs = _english_verbs()
    for base in (lower, *_bases(lower)):
        if base in verbs:
            return base
    if not _RUSSIAN_ENDING.search(lower):
        return None
    return next((stem for stem, _ in _russian_stems() if lower.startswith(stem)), None)


def _bases(word: str) -> tuple[str, ...]:
    if word.endswith("ies"):
        return (f"{word[:-3]}y",)
    if word.endswith("es"):
        return (word[:-1], word[:-2])
    return (word[:-1],) if word.endswith("s") and not word.endswith("ss") else ()


def effect_of_verb(verb: str) -> Effect | None:
    """What a verb does to data; None where that depends, as with `manage`.

    Args:
        verb: As `verb_of` gives it.
    """
    found = _english_verbs().get(verb)
    return found if found is not None else dict(_russian_stems()).get(verb)


def effect_of_name(name: str) -> Effect | None:
    """What a function's name says that it does to data; None where it does not say.

    Its first word that is a verb decides, as in `github_delete_file`; a name whose verb stands at
    the end, as in `label_write`, is understood as well.

    Args:
        name: A tool name or function id.
    """
    for word in words_of_name(name):
        if word in _english_verbs():
            return _english_verbs()[word]
    return None


def opening_word(text: str) -> Span | None:
    """The first word that counts of a text: marks, headings and adverbs before it do not.

    Args:
        text: A description.
    """
    found = _LEADING.match(prose_of(text))
    start = found.end() if found else 0
    first = next(iter(words_of(text[start : start + 200])), None)
    if first is None or text[start + first.end : start + first.end + 1] in _IN_CODE:
        return None
    return Span(first.text, start + first.start)


def opening_verb(text: str) -> str | None:
    """The verb that a description opens with, in the base form; None where no known one does.

    Args:
        text: A description in English or Russian.
    """
    word = opening_word(text)
    return verb_of(word.text) if word else None


def lacks_opening_verb(text: str, language: str) -> Span | None:
    """The first word of a description that surely opens with no verb; None where it may.

    A word that is in no list may be a verb, and is taken for one.

    Args:
        text: A description.
        language: Its language.
    """
    word = opening_word(text)
    if word is None:
        return None
    lower = word.text.lower()
    if language == ENGLISH and _OF.match(text, word.end):
        return word if lower not in _WITH_OF else None
    if verb_of(word.text):
        return None
    if language == ENGLISH:
        is_gerund = lower.endswith("ing") and verb_of(_without_ing(lower)) is not None
        return word if lower in _NO_OPENING or is_gerund else None
    if language == RUSSIAN:
        return word if lower in _NO_OPENING_RUSSIAN or _RUSSIAN_NOUN.search(lower) else None
    return None


def _without_ing(word: str) -> str:
    stem = word[:-3]
    if stem[-1:] == stem[-2:-1] and verb_of(stem[:-1]):
        return stem[:-1]
    return stem if verb_of(stem) else f"{stem}e"
