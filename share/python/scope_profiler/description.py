"""What a process tells of itself, for the metadata of its profile: beside what the recording knows anyway."""
import struct
import sys

#: enum spool_record_type
_TOLD = 11


def records():
    """Records for the log of the recording: heads of type and length, then texts as preload/recorder/spool.h has them."""
    facts = {"python_version": ".".join(map(str, sys.version_info[:3]))}
    body = b"".join(f"{name}={value}".encode() + b"\0" for name, value in facts.items())
    return struct.pack("=II", _TOLD, len(body)) + body
