"""Mistral's chat completions, where they differ from OpenAI's."""
