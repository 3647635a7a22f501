"""Android's shell command `cmd app_function`, over the functions of a service."""
