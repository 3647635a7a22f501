"""Configuration files as users of eight clients have them."""

MARK = "\ufeff"

CLAUDE_DESKTOP = {
    "as the app writes it": '{\n  "mcpServers": {},\n  "globalShortcut": "Ctrl+Space"\n}',
    "three servers": """{
  "mcpServers": {
    "filesystem": {
      "command": "npx",
      "args": ["-y", "@modelcontextprotocol/server-filesystem", "/Users/ann/Desktop"]
    },
    "github": {"command": "docker", "args": ["run", "-i", "--rm", "-e", "TOKEN", "ghcr.io/g/s"],
      "env": {"TOKEN": "ghp_0000"}},
    "weather": { "command": "C:\\\\Users\\\\ann\\\\uv.exe", "args": [ "run" ] }
  }
}
""",
    "from Notepad": MARK + '{\r\n\t"mcpServers": {\r\n\t\t"a": {"command": "b"}\r\n\t}\r\n}\r\n',
    "an empty file": "",
    "only preferences": '{"isDxtAutoUpdatesEnabled":true,"scale":1.50,"mode":"dark"}',
    "texts of many languages": '{\n    "mcpServers": {\n        "заметки": {"url": "x"}\n    }\n}',
    "the same names deeper": '{"mcpServers": {"a": {"mcpServers": {"notes": {"command": "b"}}}}}',
    "a name twice elsewhere": '{"x": {"a": 1, "a": 2}, "mcpServers": {}}\n',
    "half a pair": '{\n  "mcpServers": {"a": {"command": "\\ud800"}}\n}\n',
}

CLAUDE_CODE = {
    "much other state": """{
  "numStartups": 214,
  "tipsHistory": {"new-user-warmup": 1, "shift-enter": 12},
  "projects": {
    "/home/ann/work": {"allowedTools": [], "mcpServers": {"notes": {"command": "local"}}}
  },
  "oauthAccount": {"emailAddress": "ann@example.com"},
  "mcpServers": {
    "sentry": {"type": "http", "url": "https://mcp.sentry.dev/mcp"}
  },
  "lastCost": 1.2300000000000001e-05
}
""",
    "no servers": '{\n  "userID": "0f",\n  "hasCompletedOnboarding": true\n}\n',
    "one line": '{"mcpServers":{"a":{"command":"b","args":[]}},"n":12345678901234567890123}',
    "escapes": '{\n "mcpServers": {\n  "a\\u002fb": {"x": "\\u0041\\/\\ud83d\\ude00"}\n }\n}\n',
    "blank lines": '{\n\n\n  "mcpServers": {\n\n    "a": {}\n\n  }\n\n}\n\n\n',
    "an escaped key": '{"mcpServ\\u0065rs": {"a": {"command": "b"}}}',
    "tabs": '{\n\t"mcpServers":\t{\n\t\t"a":\t{"command":\t"b"}\t}\t}\t',
}

CODEX = {
    "as the program writes it": """model = "gpt-5.5"
model_reasoning_effort = "high"

[projects."/home/ann/work"]
trust_level = "trusted"

[mcp_servers.context7]
command = "npx"
args = ["-y", "@upstash/context7-mcp"]

[mcp_servers.context7.env]
API_KEY = "ctx-0000"
""",
    "comments everywhere": """# My Codex
model = "o3" # for now

# --- servers ---
[mcp_servers.docs] # the company's
url = "https://docs.example.com/mcp"
bearer_token_env_var = "DOCS_TOKEN"
# tool_timeout_sec = 120

[profiles.fast]
model = "mini"
# the end
""",
    "servers apart": """[mcp_servers.a]
command = "a"
[tui]
notifications = true
[mcp_servers.b]
command = 'b'
args = [
    "one", # 1
    "two",
]
[history]
persistence = "none"
""",
    "line ends of Windows": MARK
    + "model = \"x\"\r\n\r\n[mcp_servers.a]\r\ncommand = 'C:\\a.exe'\r\n",
    "no last line end": 'approval_policy = "on-request"',
    "inline tables": '[mcp_servers]\na = { command = "a", env = { K = "v" } }\n',
    "a long text": 'instructions = """\n[mcp_servers.notes]\ncommand = "no"\n"""\n\n\n',
    "dotted keys": """mcp_servers.a.command = "a"
mcp_servers.a.args = ["b"]

[tui]
theme = "dark"
""",
    "lists of tables and texts on both sides": """text = '''
[mcp_servers.notes] # not this
'''
[[hooks.start]]
command = ["a", "]"] # ]

[mcp_servers."with blanks"]
command = "a"
instructions = \"\"\"
[mcp_servers.notes]
\"\"\"\"

[[hooks.start]]
when = 1979-05-27T07:32:00Z
""",
    "both kinds of line ends": 'a = 1\r\n[mcp_servers.a]\ncommand = "a"\n[b]\r\nc = 2\r\n',
    "a comment without a line end": "a = 1\n# the end",
}

GEMINI_CLI = {
    "as the program writes it": """{
  "security": {
    "auth": {
      "selectedType": "oauth-personal"
    }
  },
  "mcpServers": {
    "demo": {
      "command": "/usr/bin/python3",
      "args": [
        "-m",
        "demo"
      ],
      "env": {
        "K": "v"
      }
    }
  }
}""",
    "comments": """{
  // My settings
  "ui": { "theme": "GitHub" /* light */ },
  "mcpServers": {
    // "old": {"command": "gone"},
    "search": {
      "httpUrl": "https://example.com/mcp" // new form
    } // the last
  }
}
""",
    "no servers": '{\n\t"general": {"vimMode": true}\n}\n',
    "a comment alone": "// nothing here yet\n",
    "lists of names": '{"mcp": {"allowed": ["notes", "a"]}, "mcpServers": {"a": {"url": "http://h"}}}\n',
}

VSCODE = {
    "as the editor writes it": """{
\t"servers": {
\t\t"github": {
\t\t\t"url": "https://api.githubcopilot.com/mcp/",
\t\t\t"type": "http"
\t\t}
\t},
\t"inputs": []
}""",
    "inputs and comments": """{
  // Asked once
  "inputs": [
    {"type": "promptString", "id": "perplexity-key", "description": "Key", "password": true},
  ],
  "servers": {
    /* https://docs.perplexity.ai */
    "perplexity": {
      "type": "stdio",
      "command": "docker",
      "args": ["run", "-i", "--rm", "-e", "KEY", "mcp/perplexity-ask"],
      "env": {"KEY": "${input:perplexity-key}"},
    }, // trailing
  },
}
""",
    "line ends of Windows": '{\r\n  "servers": {\r\n    "a": { "x": "" } // a\r\n  }\r\n}\r\n',
    "an empty object": "{}",
    "a sandbox": '{"servers": {"a": {"command": "a", "sandboxEnabled": true}}, "x": [1, 2, ]}\n',
    "comments behind the last": """{
  "servers": {
    "a": {"command": "a"} // of a
    /* "old": {} */
    // more
  }, // servers
  // the end
}
// after
""",
    "comments alone": "{ // nothing yet\n}",
}

CURSOR = {
    "as people copy it": """{
  "mcpServers": {
    "figma": {
      "url": "http://127.0.0.1:3845/mcp"
    },
    "postgres": {
      "command": "npx",
      "args": ["-y", "server-postgres", "postgresql://localhost/db"],
      "envFile": "${workspaceFolder}/.env"
    },
  }
}
""",
    "comments": '{ // mine\n  "mcpServers": {\n    "a": {"command": "a"} /* a */\n  }\n}\n',
    "no blanks": '{"mcpServers":{"a":{"command":"a"}}}',
    "four blanks": '{\n    "mcpServers": {\n        "a": {\n            "x": 1 } } }\n',
}

WINDSURF = {
    "as the editor writes it": '{\n  "mcpServers": {}\n}',
    "a server elsewhere": """{
  "mcpServers": {
    "remote": {
      "serverUrl": "https://example.com/mcp",
      "headers": {"Authorization": "Bearer ${env:TOKEN}"},
      "disabled": true,
      "disabledTools": ["a"]
    }
  }
}
""",
    "blanks alone": "\n",
    "one line": '{"mcpServers": {"a": {"command": "a", "args": ["b"]}}}\n',
}

COPILOT_CLI = {
    "as the program writes it": """{
  "mcpServers": {
    "demo": {
      "tools": [
        "*"
      ],
      "type": "local",
      "command": "/usr/bin/python3",
      "args": []
    }
  }
}
""",
    "comments and a trailing comma": '{ // c\n "mcpServers": {"a": {"type":"http","url":"http://h"},},}',
    "a byte order mark": MARK + '{\n  "mcpServers": {\n    "a": {"command": "a"}\n  }\n}\n',
    "other keys": '{\n  "version": 1,\n  "mcpServers": {}\n}\n',
}

CONFIGS = {
    "claude-desktop": CLAUDE_DESKTOP,
    "claude-code": CLAUDE_CODE,
    "codex": CODEX,
    "gemini-cli": GEMINI_CLI,
    "vscode": VSCODE,
    "cursor": CURSOR,
    "windsurf": WINDSURF,
    "copilot-cli": COPILOT_CLI,
}
"""The texts by client and by what is special about them."""

BROKEN = {
    "claude-desktop": '{\n  "mcpServers": {\n    "a": {"command": "a"},\n  }\n}\n',
    "claude-code": '{"mcpServers": {"a": {"command": "a"}}',
    "codex": '[mcp_servers.a]\ncommand = "a\n',
    "gemini-cli": '{"mcpServers": {"a": {"command": "a"},}} // a\n',
    "vscode": '{"servers": {"a": {"command": "a"}} /* never closed\n',
    "cursor": '{"mcpServers": {"a": {"command": "a"} "b": {}}}',
    "windsurf": '{"mcpServers": {"a": {"command": "a"} /* a */}}',
    "copilot-cli": '{"mcpServers": {"a": 1, "a": 2}}',
}
"""A text of each client that the client itself could not read, or not with one meaning."""
