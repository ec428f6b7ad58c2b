"""What a process tells of itself, for the metadata of its profile: beside what the recording knows anyway."""
import sys


def told():
    """NAME=value, each with a NUL."""
    facts = {"python_version": ".".join(map(str, sys.version_info[:3]))}
    return b"".join(f"{name}={value}".encode() + b"\0" for name, value in facts.items())
