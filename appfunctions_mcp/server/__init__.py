"""Serves a loaded service over MCP: stdio and HTTP, through interchangeable engines."""
