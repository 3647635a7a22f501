"""Ollama's `/api/chat`."""
