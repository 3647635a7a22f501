"""From Python signatures and types to published JSON Schema, checked arguments and results."""
