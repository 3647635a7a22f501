"""An app whose results hand links out: steps to be taken once, and grants of addresses."""

from typing import Any

from pydantic import BaseModel

from appfunctions_mcp import (
    AppFunctionContext,
    AppFunctionElementNotFoundException,
    AppFunctionService,
    AppFunctionTextResource,
    AppFunctionUriGrant,
    BlobResource,
    PendingIntent,
    app_function,
    app_resource,
)

STEP = "pending-intent://the-step-of-"
"""What the addresses begin with, which are random in an app that is no test's."""


class Bill(BaseModel):
    """A bill, and how it is paid."""

    amount: int
    payment: PendingIntent
    letter: AppFunctionTextResource


def step(name: str, action: Any, **options: Any) -> PendingIntent:
    """A step under an address that a test knows."""
    return PendingIntent(STEP + name, f"Let {name} happen.", action=action, **options)


@app_function
def pay(amount: int) -> PendingIntent:
    """Lets the user pay.

    Args:
        amount: How much.
    """
    return step("pay", lambda: f"paid {amount}", title="Pay")


@app_function
async def bill(amount: int) -> Bill:
    """Returns a bill.

    Args:
        amount: How much.
    """

    async def act() -> dict[str, int]:
        return {"paid": amount}

    letter = AppFunctionTextResource(mime_type="text/markdown", content="# Bill")
    return Bill(amount=amount, payment=step("bill", act), letter=letter)


@app_function
def silent() -> list[PendingIntent]:
    """Offers steps that return nothing, bytes, or fail."""

    def nothing() -> None:
        pass

    def picture() -> BlobResource:
        return BlobResource("picture://1", b"\x89PNG", "image/png")

    def missing() -> str:
        raise AppFunctionElementNotFoundException("it has gone")

    def crash() -> str:
        raise ValueError("secret")

    actions = {"nothing": nothing, "picture": picture, "missing": missing, "crash": crash}
    return [step(name, action) for name, action in actions.items()]


@app_function
def greet() -> PendingIntent:
    """Offers a step that asks who calls."""

    async def act(context: AppFunctionContext) -> str:
        return f"hello, {context.caller.name}"

    return step("greet", act)


@app_function
def curious() -> list[PendingIntent]:
    """Offers steps that ask something themselves."""

    async def wait(context: AppFunctionContext) -> str:
        return f"sure: {await context.confirm('Sure?')}"

    def block(context: AppFunctionContext) -> str:
        return f"sure: {context.wait(context.confirm('Sure?'))}"

    return [step("wait_for_it", wait), step("block_for_it", block)]


@app_function
def useless() -> PendingIntent:
    """Offers a step that nobody can take."""
    return step("useless", lambda amount: amount)


@app_function
def share(uri: str, mode_flags: int) -> AppFunctionUriGrant:
    """Lets its caller read what stands at an address.

    Args:
        uri: The address.
        mode_flags: Android's flags.
    """
    return AppFunctionUriGrant(uri=uri, mode_flags=mode_flags)


@app_resource("report://{year}/{report_id}", granted=True)
def report(year: int, report_id: str) -> str:
    """A report.

    Args:
        year: When.
        report_id: Which.
    """
    return f"report {report_id} of {year}"


@app_resource("tree://{+path}", granted=True, access="trees")
def tree(path: str) -> str:
    """What lies in a tree.

    Args:
        path: Where.
    """
    return path


@app_resource("secret://all", access=lambda _: False)
def secret() -> str:
    """Nobody may read this, whatever a function grants."""
    return "secret"


def handing_functions() -> AppFunctionService:
    """A service of all of them."""
    functions = (pay, bill, silent, greet, curious, useless, share, report, tree, secret)
    return AppFunctionService.from_functions(
        functions, name="handing", description="Hands links out."
    )
