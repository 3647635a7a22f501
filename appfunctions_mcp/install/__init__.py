"""Puts a server into MCP clients and takes it out again; one module a client."""
