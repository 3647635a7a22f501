"""Checks where a value may be one of several things: null or not, a branch of a union."""

from typing import Any

from pydantic_core import ValidationError

from appfunctions_mcp.records import record, replaced
from appfunctions_mcp.schema.coercion_pass import (
    Coercer,
    CoercionPass,
    Compile,
    decoded,
    restate_accepted,
)
from appfunctions_mcp.schema.constraint_faults import faults_of
from appfunctions_mcp.schema.faults import Path, accepted
from appfunctions_mcp.schema.instances import Build, instance_builder
from appfunctions_mcp.schema.scalar_coercion import coercer_of_scalar
from appfunctions_mcp.schema.shapes import (
    AnyShape,
    BooleanShape,
    Choice,
    EnumShape,
    FormShape,
    ListShape,
    MapShape,
    NullableShape,
    NullShape,
    NumberShape,
    ObjectShape,
    SetFieldShape,
    Shape,
    TextShape,
    TupleShape,
    UnionShape,
    admits_free_text,
    alternatives,
    resolved,
)
from appfunctions_mcp.schema.text_forms import TEXT_FORMS

MAX_AMBIGUOUS_DEPTH = 10
"""How deep values may be nested whose branch pydantic can only find by trying them all."""


@record(frozen=True, slots=True)
class _Branch:
    """One branch of a union: what checks it, and what makes the instance that decides it."""

    shape: Shape
    coerce: Coercer
    build: Build | None


def coercer_of_nullable(shape: NullableShape, compile_part: Compile) -> Coercer:
    """Compiles the check of a shape that may be null; the word null counts where it is safe."""
    coerce_inner = compile_part(shape.inner)
    below = tuple(alternatives(shape.inner))
    has_set_field = any(isinstance(part, SetFieldShape) for part in below)
    takes_word = not (
        has_set_field or admits_free_text(shape.inner) or any(map(_spells_null, below))
    )

    def coerce(value: Any, path: Path, state: CoercionPass) -> Any:
        if value is None or (takes_word and value == "null" and not state.exact):
            return None
        before = len(state.faults)
        made = coerce_inner(value, path, state)
        if len(state.faults) > before and not has_set_field:
            restate_accepted(state, before, path, "{} or null".format)
        return made

    return coerce


def _spells_null(shape: Shape) -> bool:
    return isinstance(shape, EnumShape) and any(
        isinstance(choice.json, str) and choice.json.casefold() == "null"
        for choice in shape.choices
    )


def coercer_of_union(shape: UnionShape, compile_part: Compile) -> Coercer:
    """Compiles the choice of a branch: the first that fits exactly, else that fits converted."""
    if shape.discriminator:
        return _coercer_of_tagged_union(shape, shape.discriminator, compile_part)
    if tagged := _as_tagged(shape):
        return _coercer_of_tagged_union(
            tagged, str(tagged.discriminator), compile_part, building=True
        )
    branches = [_branch_of(branch, compile_part) for branch in shape.branches]
    free_text = admits_free_text(shape)
    of_text = sorted((b for b in branches if _text_rank(b) <= len(_TEXT_RANKS)), key=_text_rank)
    ambiguous = any(_count_of(branches, kinds) > 1 for kinds in _ALIKE)

    def coerce(value: Any, path: Path, state: CoercionPass) -> Any:
        if isinstance(value, str):
            candidates = of_text if free_text else branches
        else:
            candidates = [branch for branch in branches if _may_take(branch.shape, value)]
            if len(candidates) == 1:
                before = len(state.faults)
                made = candidates[0].coerce(value, path, state)
                if len(state.faults) > before:
                    restate_accepted(state, before, path, lambda _: accepted(shape))
                return made
        return _chosen(shape, candidates, value, path, state)

    return _limited(coerce) if ambiguous else coerce


def _branch_of(branch: Shape, compile_part: Compile) -> _Branch:
    target = resolved(branch)
    cls = target.cls if isinstance(target, ObjectShape) else None
    return _Branch(target, compile_part(branch), instance_builder(cls))


_ALIKE: tuple[tuple[type, ...], ...] = ((ObjectShape, MapShape), (ListShape, TupleShape))


def _count_of(branches: list[_Branch], kinds: tuple[type, ...]) -> int:
    """How many branches take such values and leave pydantic the choice."""
    return sum(branch.build is None and isinstance(branch.shape, kinds) for branch in branches)


def _limited(coerce: Coercer) -> Coercer:
    """Bounds a union that pydantic decides by trying: each level multiplies the time."""

    def limited(value: Any, path: Path, state: CoercionPass) -> Any:
        if state.ambiguous_depth >= MAX_AMBIGUOUS_DEPTH:
            state.too_deep(path, MAX_AMBIGUOUS_DEPTH)
            return value
        state.ambiguous_depth += 1
        try:
            return coerce(value, path, state)
        finally:
            state.ambiguous_depth -= 1

    return limited


def _chosen(
    shape: UnionShape, candidates: list[_Branch], value: Any, path: Path, state: CoercionPass
) -> Any:
    """The value of the first branch that fits: exactly, else converted."""
    trials = []
    for exact in (True,) if state.exact else (True, False):
        for branch in candidates:
            made, trial = _tried(branch, value, path, state, exact=exact)
            if not trial.faults:
                state.adopt(trial)
                return made
            trials.append(trial)
    return _refuse_all(shape, trials, value, path, state)


_TEXT_RANKS: tuple[Any, ...] = (EnumShape, (TextShape, AnyShape))


def _text_rank(branch: _Branch) -> int:
    """Which branch gets a text where free text is admitted: a member, text, a form of text."""
    for rank, kinds in enumerate(_TEXT_RANKS):
        if isinstance(branch.shape, kinds):
            return rank
    return len(_TEXT_RANKS) if admits_free_text(branch.shape) else len(_TEXT_RANKS) + 1


def _tried(
    branch: _Branch, value: Any, path: Path, state: CoercionPass, *, exact: bool
) -> tuple[Any, CoercionPass]:
    key = (id(branch.shape), path, exact)
    known = state.tried.get(key)
    if known is None:
        trial = state.trial(exact=exact)
        made = branch.coerce(value, path, trial)
        if not trial.faults and branch.build:
            made = _built(branch.build, made, branch.shape, path, trial)
        known = state.tried[key] = (made, trial)
    return known


def _built(build: Build, made: Any, shape: Shape, path: Path, state: CoercionPass) -> Any:
    """The instance of a chosen branch, which spares pydantic the choice."""
    try:
        return build(made)
    except ValidationError as error:
        state.faults += faults_of(error, path, shape, made)
        return made


def _refuse_all(
    shape: UnionShape,
    trials: list[CoercionPass],
    value: Any,
    path: Path,
    state: CoercionPass,
) -> Any:
    """Reports the branch that was nearly met, if there is one; else all that is accepted."""
    inside = [t for t in trials if not t.exact and all(len(f.path) > len(path) for f in t.faults)]
    if inside and not state.exact:
        state.adopt(min(inside, key=lambda trial: len(trial.faults)))
        return value
    state.is_too_deep = state.is_too_deep or any(trial.is_too_deep for trial in trials)
    return state.refuse(path, value, shape)


def _may_take(shape: Shape, value: Any) -> bool:
    """Whether values of this JSON kind can be of the shape at all."""
    kinds = _SHAPES_OF_KIND.get(type(value), ())
    return any(
        isinstance(branch, kinds)
        and not (isinstance(branch, FormShape) and not TEXT_FORMS[branch.form].objects)
        for branch in alternatives(shape)
    )


_NUMERIC = (NumberShape, EnumShape, AnyShape, SetFieldShape)
_SHAPES_OF_KIND: dict[type, tuple[type, ...]] = {
    type(None): (NullShape, NullableShape, AnyShape),
    bool: (BooleanShape, EnumShape, AnyShape, SetFieldShape),
    int: _NUMERIC,
    float: _NUMERIC,
    list: (ListShape, TupleShape, AnyShape, SetFieldShape),
    dict: (ObjectShape, MapShape, FormShape, AnyShape, SetFieldShape),
}


def _as_tagged(shape: UnionShape) -> UnionShape | None:
    """The same union with a discriminator, where a required property of constants tells all."""
    objects = [resolved(branch) for branch in shape.branches]
    if not all(isinstance(branch, ObjectShape) for branch in objects):
        return None
    choices = [_constants_of(branch) for branch in objects if isinstance(branch, ObjectShape)]
    for name in choices[0]:
        tags = [tag for constants in choices for tag in constants.get(name, ())]
        if all(name in constants for constants in choices) and len(set(tags)) == len(tags):
            branch_of_tag = {
                tag: branch
                for branch, constants in zip(objects, choices, strict=True)
                for tag in constants[name]
            }
            return replaced(shape, discriminator=name, branch_of_tag=branch_of_tag)
    return None


def _constants_of(shape: ObjectShape) -> dict[str, list[Any]]:
    """The values of each required property that takes only some."""
    return {
        prop.name: [choice.json for choice in prop.shape.choices]
        for prop in shape.properties
        if prop.required and isinstance(prop.shape, EnumShape)
    }


def _coercer_of_tagged_union(
    shape: UnionShape, discriminator: str, compile_part: Compile, *, building: bool = False
) -> Coercer:
    branch_of_tag = {t: _branch_of(b, compile_part) for t, b in shape.branch_of_tag.items()}
    tags = EnumShape(choices=tuple(Choice(tag, tag) for tag in branch_of_tag))
    coerce_tag = coercer_of_scalar(tags)

    def coerce(value: Any, path: Path, state: CoercionPass) -> Any:
        entries = decoded(value, dict, state)
        if not isinstance(entries, dict):
            return state.refuse(path, value, shape)
        place = (*path, discriminator)
        if discriminator not in entries:
            state.fault(place, "missing", accepted(tags))
            return value
        before = len(state.faults)
        tag = coerce_tag(entries[discriminator], place, state)
        if len(state.faults) > before:
            return value
        branch = branch_of_tag[tag]
        made = branch.coerce(entries, path, state)
        if building and branch.build and len(state.faults) == before:
            return _built(branch.build, made, branch.shape, path, state)
        return made

    return coerce
