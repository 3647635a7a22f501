"""What `cmd app_function help` prints: the commands that are answered, and their options."""

__all__ = ["help_text"]

_OPTIONS = {
    "--package": ("<PACKAGE>", "The package that has the function."),
    "--function": ("<FUNCTION_ID>", "The id of the function."),
    "--parameters": ("<JSON>", "The arguments, as one JSON object."),
    "--state": ("<enable|disable|default>", "What the state becomes; default is as declared."),
    "--user": ("<USER_ID>", "The user; the current one if left out."),
    "--timeout-duration": ("<SECONDS>", "How long to wait for the answer; 30 if left out."),
    "--brief-yaml": ("", "Prints the answer in fewer lines."),
}
_COMMANDS = (
    ("help", 36, (), (), "Prints this text."),
    ("list-app-functions", 37, (), ("--user", "--package"), "Lists functions as JSON."),
    ("list-app-functions", 36, (), ("--user",), "Lists all functions as JSON."),
    (
        "execute-app-function",
        36,
        ("--package", "--function", "--parameters"),
        ("--user", "--timeout-duration", "--brief-yaml"),
        "Executes a function and prints what it returns.",
    ),
    (
        "set-enabled",
        36,
        ("--package", "--function", "--state"),
        ("--user",),
        "Switches a function on or off.",
    ),
    (
        "is-enabled",
        37,
        ("--package", "--function"),
        ("--user",),
        "Prints whether a function is on: true or false.",
    ),
)


def help_text(api_level: int) -> str:
    """The help of a level of Android's API; each command once, in its newest form there."""
    known = {
        name: (needed, optional, what)
        for name, level, needed, optional, what in sorted(_COMMANDS, key=lambda each: each[1])
        if level <= api_level
    }
    lines = ["AppFunctionManagerService commands:"]
    for name, (needed, optional, what) in known.items():
        usage = [*map(_usage, needed), *(f"[{_usage(each)}]" for each in optional)]
        lines += [f"  {' '.join([name, *usage])}", f"    {what}"]
        lines += [f"    {_usage(each)}: {_OPTIONS[each][1]}" for each in (*needed, *optional)]
        lines.append("")
    return "\n".join(lines)


def _usage(option: str) -> str:
    return f"{option} {_OPTIONS[option][0]}".rstrip()
