"""The parts of an Android app, found in its folders or in an archive."""
