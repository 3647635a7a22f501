"""Android in and out: functions XML, manifests, Kotlin, the shell's command and the bridge.

Reads what an Android app brings and writes what one needs. Imports from below only; nothing of
the server, of MCP or of the command line.
"""
