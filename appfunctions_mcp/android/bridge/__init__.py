"""The functions of apps on connected devices, as a service of this machine."""
