"""Android in and out: functions XML, manifests, Kotlin, the shell's command and the bridge.

The modules here are what the parts share: records of a functions XML, and what their types are
in our own schemas. Imports from below only; nothing of the server, of MCP or of the command line.
"""
