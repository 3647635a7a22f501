"""Functions XML: read in every form, checked, and written in the newest."""
