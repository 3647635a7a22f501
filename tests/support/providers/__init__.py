"""A server on this machine that speaks as the providers of models do, for their real clients.

    with provider_server("Hello.", Reply("I look.", Call("get_time", {"zone": "UTC"}))) as server:
        client = openai.OpenAI(base_url=server.openai_url, api_key="any")
        ...
    assert server.requests[0].body["messages"] == [{"role": "user", "content": "Hi"}]

One server speaks all formats at once; the path of a request says which (`server.openai_url` for
Chat Completions and Responses, `anthropic_url`, `gemini_url`, `mistral_url`, `ollama_url`):

    anthropic.Anthropic(base_url=server.anthropic_url, api_key="any")
    genai.Client(api_key="any", http_options={"base_url": server.gemini_url})
    server.url_of("openai-responses")  # the same by the name of a format

**Every request is checked first**: by `request_violations` of its format, and by what the server
remembers (signatures, stored responses, reasoning that belongs to a call). A violation is answered
with status 400 in the provider's form of errors; its text begins with the rule and the path,
such as `call-without-result at /messages/1`. `server.refused` lists these requests.
`provider_server(..., checked=False)` leaves all of it out.

**The script** is used up step by step, one for each request that is in order:

- `Reply(*parts, stop=None, usage=None)`: text (`str`), `Call(name, arguments, id="")` and
  `Thought(text)`, in that order. `"text"` alone is `Reply("text")`. Whole or streamed, as asked.
  Ids, signatures and usage are made up where they are not given; `stop` follows from the parts.
- `Reply(Call("write", '{"path": "/tm'), stop=ReplyStop.LENGTH)`: arguments that are text go out
  as they are, cut or broken; where a provider's form has an object there, it is empty.
- `Failure(401)`, `Failure(429, retry_after=1)`, `Failure(500)`, `Failure(529)`, any status.
- `Hang()`: no answer at all; `Hang(reply, after=2)`: none after two events of the stream.
- `Dropped(reply, after=2)`: the connection ends after two events, or in the middle of a body.
- `Recorded(body)`: a body as it was recorded, an object or the text of a stream;
  `*recorded("anthropic.parallel_tool_calls.json")` are those of a file of the corpus.
- A function takes the `Request` and gives a step: `lambda request: Reply(request.result_texts[0])`.
- `Always(step)`: for this request and all that follow; a function inside is asked each time.

A request beyond the end of the script is answered with 400 and fails the test when the server ends.
`server.add(*steps)` prolongs the script.

**What came** stands in `server.requests`, refused ones too: `format`, `path`, `model`, `headers`,
`body`, `is_streamed`, `violations`, `status`, and read out of the body: `tool_names`, `user_text`
(of the last message of the user) and `result_texts` (of the results behind the last calls).
`server.wait_for(n)` waits until n requests have come, `server.wait_for_hang_ups(n)` until n
clients have gone away from a `Hang`; both block, so call them in `asyncio.to_thread`.
`server.know(body)` makes the signatures of a body known that comes from elsewhere, such as a saved
conversation.

`tests.support.providers.clients` has the real clients ready made; each answer closes its
connection, so that a client which nobody closes leaves no socket behind.
"""

from appfunctions_mcp.formats.messages import ReplyStop, Usage
from tests.support.providers.recordings import recorded, recorded_requests
from tests.support.providers.requests import Request
from tests.support.providers.script import (
    Always,
    Call,
    Dropped,
    Failure,
    Hang,
    Recorded,
    Reply,
    Step,
    Thought,
)
from tests.support.providers.server import ProviderServer, provider_server

__all__ = [
    "Always",
    "Call",
    "Dropped",
    "Failure",
    "Hang",
    "ProviderServer",
    "Recorded",
    "Reply",
    "ReplyStop",
    "Request",
    "Step",
    "Thought",
    "Usage",
    "provider_server",
    "recorded",
    "recorded_requests",
]
