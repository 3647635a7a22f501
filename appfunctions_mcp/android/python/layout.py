"""Nodes of Python source → text that a person likes to read.

Lines are as short as formatters make them where they can be broken, docstrings have real line
breaks, and no character stands there that nobody sees. What comes out is parsed again and
compared with the nodes, so that no text can be more than the constant that it is.
"""

import ast
from collections.abc import Iterator, Sequence

from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.quoting import with_escapes

WIDTH = 88
"""How long a line may be: what formatters and linters expect that nobody has told otherwise."""

_STEP = "    "
_FRESH_LIST = "  # noqa: B006 - a new list for each call"
# Quotes that would end a docstring, or stand beside its own.
_QUOTES = regex(r'"{3,}|\A"+|"+\Z')
# How much of a text stands on a line at least, however deep it is indented.
_SHORTEST_PIECE = 30


def source_text(module: ast.Module, comments: dict[ast.stmt, str] | None = None) -> str:
    """The text of a module.

    Args:
        module: Its nodes: only of the kinds that `python_nodes` builds.
        comments: What stands behind the first line of a statement; nothing from outside.

    Raises:
        ValueError: The text would not be read as these nodes.
    """
    text = _Layout(comments or {}).module(module)
    if ast.dump(ast.parse(text)) != ast.dump(module):
        raise ValueError("the source that was written is not the source that was meant")
    return text


class _Layout:
    """Writes the statements of one module."""

    def __init__(self, comments: dict[ast.stmt, str]) -> None:
        self._comments = comments

    def module(self, module: ast.Module) -> str:
        lines: list[str] = []
        above: ast.stmt | None = None
        for node in module.body:
            lines += [""] * _blank_lines(above, node)
            lines += self.statement(node, "")
            above = node
        return "".join(f"{line}\n" for line in lines)

    def statement(self, node: ast.stmt, indent: str) -> list[str]:
        if isinstance(node, ast.ClassDef | ast.AsyncFunctionDef):
            return self._definition(node, indent)
        first, *more = f"{indent}{self._simple(node, indent)}".split("\n")
        comment = self._comments.get(node)
        return [f"{first}  # {comment}" if comment else first, *more]

    def _simple(self, node: ast.stmt, indent: str) -> str:
        match node:
            case ast.Expr(ast.Constant(str() as text)):
                return _docstring(text)
            case ast.ImportFrom():
                return _import(node)
            case ast.Assign(targets=[ast.Name(target)]):
                return _broken(node.value, indent, f"{target} = ")
            case ast.AnnAssign(target=ast.Name(target)):
                return _declared(node, target, indent)
            case ast.Raise(exc=ast.expr() as exception):
                return _broken(exception, indent, "raise ")
        return "pass"

    def _definition(self, node: ast.ClassDef | ast.AsyncFunctionDef, indent: str) -> list[str]:
        lines = [
            line
            for decorator in node.decorator_list
            for line in f"{indent}{_broken(decorator, indent, '@')}".split("\n")
        ]
        head = _class_head(node) if isinstance(node, ast.ClassDef) else _function_head(node, indent)
        lines += f"{indent}{head}".split("\n")
        for position, inner in enumerate(node.body):
            lines += self.statement(inner, indent + _STEP)
            if position == 0 and len(node.body) > 1 and isinstance(node, ast.ClassDef):
                lines += [""] if isinstance(inner, ast.Expr) else []
        return lines


def _blank_lines(above: ast.stmt | None, node: ast.stmt) -> int:
    if above is None:
        return 0
    definitions = (ast.ClassDef, ast.AsyncFunctionDef)
    if isinstance(above, definitions) or isinstance(node, definitions):
        return 2
    if isinstance(above, ast.ImportFrom) and isinstance(node, ast.ImportFrom):
        return int(_import_group(above) != _import_group(node))
    return 1


def _import_group(node: ast.ImportFrom) -> int:
    """The standard library's, those of installed packages, those of this package."""
    standard = {"__future__": 0, "enum": 1, "typing": 1}
    return 3 if node.level else standard.get(node.module or "", 2)


def _import(node: ast.ImportFrom) -> str:
    head = f"from {'.' * node.level}{node.module} import "
    names = [each.name for each in node.names]
    flat = head + ", ".join(names)
    if len(flat) <= WIDTH:
        return flat
    return "\n".join([f"{head}(", *(f"{_STEP}{each}," for each in names), ")"])


def _declared(node: ast.AnnAssign, target: str, indent: str) -> str:
    if node.value is None:
        return _broken(node.annotation, indent, f"{target}: ")
    flat = f"{target}: {_flat(node.annotation)} = "
    if len(indent + flat) + len(_first_line(node.value)) <= WIDTH:
        return _broken(node.value, indent, flat)
    head = _broken(node.annotation, indent, f"{target}: ", after=4)
    last = head.rpartition("\n")[2].removeprefix(indent)
    return head.removesuffix(last) + _broken(node.value, indent, f"{last} = ")


def _first_line(node: ast.expr) -> str:
    """What of an expression has to stand on the line where it begins."""
    return f"{_flat(node.func)}(" if isinstance(node, ast.Call) else _flat(node)


def _class_head(node: ast.ClassDef) -> str:
    bases = [_flat(base) for base in node.bases]
    flat = f"class {node.name}({', '.join(bases)}):"
    if len(flat) <= WIDTH:
        return flat
    return "\n".join([f"class {node.name}(", *(f"{_STEP}{each}," for each in bases), "):"])


def _function_head(node: ast.AsyncFunctionDef, indent: str) -> str:
    returns = "" if node.returns is None else f" -> {_flat(node.returns)}"
    parameters = _parameters(node)
    flat = ", ".join(f"{start}{_flat(kind)}{default}" for start, kind, default in parameters)
    head = f"async def {node.name}("
    has_lists = any(default.endswith("[]") for *_, default in parameters)
    if len(f"{indent}{head}{flat}){returns}:") <= WIDTH and not has_lists:
        return f"{head}{flat}){returns}:"
    lines = [head]
    inner = indent + _STEP
    if len(f"{inner}{flat}") <= WIDTH and len(parameters) > 1 and not has_lists:
        lines.append(f"{inner}{flat}")
    else:
        lines += (_parameter_line(each, inner) for each in parameters)
    last = f"{indent})" if parameters else f"{lines.pop()})"
    if node.returns is not None:
        last = _broken(node.returns, indent, f"{last.removeprefix(indent)} -> ", after=1)
    return "\n".join([*lines, f"{last}:"])


def _parameter_line(parameter: tuple[str, ast.expr, str], indent: str) -> str:
    start, kind, default = parameter
    comment = _FRESH_LIST if default.endswith("[]") else ""
    written = _part(start, kind, indent, after=len(default) + 1)
    return f"{indent}{written}{default},{comment}"


def _parameters(node: ast.AsyncFunctionDef) -> list[tuple[str, ast.expr, str]]:
    """Each parameter as `name: `, its type, and ` = default` where it has one."""
    given = node.args.args
    defaults = [""] * (len(given) - len(node.args.defaults))
    defaults += [f" = {_flat(default)}" for default in node.args.defaults]
    return [
        (f"{each.arg}: ", each.annotation or ast.Constant(None), default)
        for each, default in zip(given, defaults, strict=True)
    ]


def _broken(node: ast.expr, indent: str, before: str, *, after: int = 0) -> str:
    """An expression behind the text that it follows, on several lines if it has to be.

    Args:
        node: The expression.
        indent: What the line begins with; it is not repeated on the first line.
        before: What stands before the expression.
        after: How many characters follow it.
    """
    flat = _flat(node)
    if len(indent + before + flat) + after <= WIDTH:
        return before + flat
    match node:
        case ast.Call():
            head, tail, parts = f"{_flat(node.func)}(", ")", _arguments(node)
        case ast.Subscript(slice=ast.Tuple(elts=elements)):
            head, tail = f"{_flat(node.value)}[", "]"
            parts = [("", element) for element in elements]
        case ast.Subscript():
            # A comma behind a single type would make a tuple of it.
            inner = _part("", node.slice, indent + _STEP)
            return f"{before}{_flat(node.value)}[\n{indent}{_STEP}{inner}\n{indent}]"
        case ast.Tuple(elts=[_, *_] as elements):
            head, tail, parts = "(", ")", [("", element) for element in elements]
        case ast.BinOp(right=ast.Constant(value=None)):
            return _broken(node.left, indent, before, after=after + 7) + " | None"
        case ast.Constant(str() as text) if len(pieces := _pieces(text, indent + _STEP)) > 1:
            lines = "".join(f"{indent}{_STEP}{piece}\n" for piece in pieces)
            return f"{before}(\n{lines}{indent})"
        case _:
            return before + flat
    inside = _inside(parts, indent + _STEP, is_tuple=head == "(")
    return f"{before}{head}\n{inside}{indent}{tail}"


def _arguments(node: ast.Call) -> list[tuple[str, ast.expr]]:
    positional: list[tuple[str, ast.expr]] = [("", each) for each in node.args]
    return positional + [(f"{each.arg}=", each.value) for each in node.keywords]


def _inside(parts: Sequence[tuple[str, ast.expr]], indent: str, *, is_tuple: bool) -> str:
    """What stands between brackets: all on one line if it fits, else each on its own.

    The parts of a tuple stand on lines of their own, each with its comma.

    Args:
        parts: What stands there, each with what stands before it.
        indent: What the lines begin with.
        is_tuple: Whether they make a tuple, and not what stands before the brackets.
    """
    flat = ", ".join(f"{start}{_flat(part)}" for start, part in parts)
    if len(indent + flat) <= WIDTH and not is_tuple:
        return f"{indent}{flat}\n"
    match parts:
        case [("", ast.Constant(str() as text))] if not is_tuple:
            # The brackets of a call are enough for a text of several pieces.
            return "".join(f"{indent}{piece}\n" for piece in _pieces(text, indent))
    return "".join(f"{indent}{_part(start, part, indent)},\n" for start, part in parts)


def _part(start: str, part: ast.expr, indent: str, *, after: int = 1) -> str:
    """An expression between brackets, where a union may stand on several lines."""
    members = _members(part)
    if len(f"{indent}{start}{_flat(part)}") + after > WIDTH and len(members) > 1:
        first, *others = members
        lines = [_broken(first, indent, start, after=1)]
        lines += (_broken(each, indent, "| ", after=after) for each in others)
        return f"\n{indent}".join(lines)
    return _broken(part, indent, start, after=after)


def _members(node: ast.expr) -> list[ast.expr]:
    """The members of a union, in order."""
    members: list[ast.expr] = []
    while isinstance(node, ast.BinOp):
        members.append(node.right)
        node = node.left
    return [node, *reversed(members)]


def _flat(node: ast.expr) -> str:  # noqa: PLR0911 - one for each kind of node
    """An expression on one line."""
    match node:
        case ast.Constant(str() as text):
            quote = _quote_for(text)
            return f"{quote}{_escaped(text, quote)}{quote}"
        case ast.Constant(b""):
            return 'b""'
        case ast.Attribute():
            return f"{_flat(node.value)}.{node.attr}"
        case ast.Call():
            arguments = ", ".join(f"{start}{_flat(part)}" for start, part in _arguments(node))
            return f"{_flat(node.func)}({arguments})"
        case ast.Subscript():
            inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            return f"{_flat(node.value)}[{', '.join(map(_flat, inner))}]"
        case ast.Tuple():
            items = ", ".join(map(_flat, node.elts))
            return f"({items},)" if len(node.elts) == 1 else f"({items})"
        case ast.BinOp():
            return f"{_flat(node.left)} | {_flat(node.right)}"
    # Names, numbers, None, an empty list: nothing that has a part.
    return ast.unparse(node)


def _quote_for(text: str) -> str:
    """The quotes around a text, of which it holds as few as can be."""
    return "'" if text.count('"') > text.count("'") else '"'


def _escaped(text: str, quote: str = "", breaks: str = "\\n") -> str:
    """A text as it stands between quotes, with escapes for what nobody would see.

    Args:
        text: The text.
        quote: What stands around it, if that is one character.
        breaks: How a line break is written.
    """
    named = {"\\": "\\\\", "\r": "\\r", "\t": "\\t", "\n": breaks, quote: f"\\{quote}"}
    return "".join(named.get(character) or _visible(character) for character in text)


def _visible(character: str) -> str:
    if character.isprintable() and with_escapes(character) == character:
        return character
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _docstring(text: str) -> str:
    escaped = _escaped(text, breaks="\n")
    lines = _QUOTES.sub(lambda quotes: '\\"' * len(quotes[0]), escaped)
    return f'"""{lines}"""'


def _pieces(text: str, indent: str) -> list[str]:
    """A text as strings that Python joins again: broken at its line breaks, then at blanks."""
    room = max(WIDTH - len(indent) - 3, _SHORTEST_PIECE)
    quote = _quote_for(text)
    return [
        f"{quote}{piece}{quote}"
        for line in text.splitlines(keepends=True)
        for piece in _wrapped(line, quote, room)
    ]


def _wrapped(line: str, quote: str, room: int) -> Iterator[str]:
    """The escaped text of a line in pieces of about the given length, each ending in a blank."""
    piece = ""
    for word in _words(line):
        escaped = _escaped(word, quote)
        if piece and len(piece) + len(escaped.rstrip(" ")) > room:
            yield piece
            piece = ""
        piece += escaped
    yield piece


def _words(line: str) -> Iterator[str]:
    """The words of a line, each with the blanks behind it."""
    start = 0
    for position in range(1, len(line)):
        if line[position - 1] == " " and line[position] != " ":
            yield line[start:position]
            start = position
    yield line[start:]
