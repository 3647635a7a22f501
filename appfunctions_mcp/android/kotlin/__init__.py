"""Documents → Kotlin: services, classes, and what an app adds to use them."""
