#!/usr/bin/env python3
"""Derives names, argument roles and arities of MPI functions from an installed mpi.h.

usage: derive.py CC INCLUDE_DIR     prints `name|roles|nargs`, ascending by name, without the MPI_ prefix

The roles are the words of preload/mpi/functions.table; what they mean is told in that file.
"""
import re
import subprocess
import sys

PROTOTYPE = re.compile(r"\bint MPI_(\w+) ?\(((?:[^()]|\([^()]*\)(?:\([^()]*\))?)*)\) ?;")
ATTRIBUTE = re.compile(r"__attribute__ ?\(\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\)")

# (pattern of "type name", role); the first that matches; the type has no const, an array is spelt as []
ROLES = [
    (r"void \*(sendbuf|inbuf)", "sendbuf"),
    (r"void \*origin_addr", "originbuf"),
    (r"void \*result_addr", "resultbuf"),
    (r"void \*(recvbuf|inoutbuf)", "recvbuf"),
    (r"void \*(buf|ibuf|buffer)", "buf"),
    (r"(int|MPI_Count) sendcount", "sendcount"),
    (r"(int|MPI_Count) origin_count", "origincount"),
    (r"(int|MPI_Count) result_count", "resultcount"),
    (r"(int|MPI_Count) recvcount", "recvcount"),
    (r"(int|MPI_Count) (target_count|target_cout)", "targetcount"),
    (r"(int|MPI_Count) count", "count"),
    (r"(int|MPI_Count) \[\]sendcounts", "sendcount[]"),
    (r"(int|MPI_Count) \[\]recvcounts", "recvcount[]"),
    (r"int incount", "count"),
    (r"int partitions", "partitions"),
    (r"MPI_Datatype sendtype", "sendtype"),
    (r"MPI_Datatype origin_datatype", "origintype"),
    (r"MPI_Datatype result_datatype", "resulttype"),
    (r"MPI_Datatype recvtype", "recvtype"),
    (r"MPI_Datatype (target_datatype|target_type)", "targettype"),
    (r"MPI_Datatype \[\]sendtypes", "sendtype[]"),
    (r"MPI_Datatype \[\]recvtypes", "recvtype[]"),
    (r"MPI_Datatype (datatype|type)", "datatype"),
    (r"int dest", "dest"),
    (r"int source", "source"),
    (r"int root", "root"),
    (r"int (target_rank|rank)", "target"),
    (r"int tag", "tag"),
    (r"int sendtag", "sendtag"),
    (r"int recvtag", "recvtag"),
    (r"MPI_Aint target_disp", "disp"),
    (r"MPI_Offset offset", "offset"),
    (r"MPI_Comm (comm|comm_old|old_comm|local_comm|intercomm)", "comm"),
    (r"MPI_Comm \*comm", "comm*"),
    (r"MPI_Comm \*\w+", "newcomm*"),
    (r"MPI_Win win", "win"),
    (r"MPI_Win \*win", "win*"),
    (r"MPI_File fh", "file"),
    (r"MPI_File \*fh", "file*"),
    (r"MPI_Session session", "session"),
    (r"MPI_Session \*session", "session*"),
    (r"MPI_Message message", "message"),
    (r"MPI_Message \*message", "message*"),
    (r"MPI_Request request", "request"),
    (r"MPI_Request \*request", "request*"),
    (r"MPI_Request \[\]array_of_requests", "request[]"),
    (r"MPI_Status \*status", "status*"),
    (r"MPI_Status \[\]array_of_statuses", "status[]"),
    (r"int \*flag", "flag*"),
    (r"int \*(index|indx)", "index*"),
    (r"int \[\]array_of_indices", "index[]"),
    (r"int \*outcount", "outcount*"),
    (r"MPI_Group \w+", "group"),
    (r"MPI_Op op", "op"),
    (r"MPI_Info info", "info"),
]
ROLES = [(re.compile(pattern + "$"), role) for pattern, role in ROLES]


def role(parameter):
    text = re.sub(r"\bconst\b", "", parameter)
    is_list = "[" in text
    text = re.sub(r"\[[^]]*\]", "", text)
    match = re.match(r"\s*(\w+)\s*(\**)\s*(\w+)\s*$", text)
    if not match:
        return "-"
    kind, stars, name = match.groups()
    if name.startswith("array_of_") and stars == "*":
        is_list, stars = True, ""
    if name == "array_of_requests" or name == "array_of_statuses" or is_list:
        stars = "[]" + stars
    text = f"{kind} {stars}{name}"
    return next((word for pattern, word in ROLES if pattern.match(text)), "-")


def settle(name, roles):
    """Mends what type and name alone do not tell."""
    if "request[]" in roles:
        roles = ["nrequests" if word == "count" else word for word in roles]
    elif not any(word.startswith("datatype") for word in roles):
        roles = ["-" if word == "count" else word for word in roles]
    if name.startswith("Buffer_detach"):  # the place for an address, not data
        roles = ["-"] * len(roles)
    if name.startswith("Precv_init"):  # mpi.h calls the peer of a receive `dest` here
        roles = ["source" if word == "dest" else word for word in roles]
    return roles


def derive(compiler, include):
    source = subprocess.run([compiler, "-E", "-P", "-I", include, "-include", "mpi.h", "-x", "c", "/dev/null"],
                            check=True, capture_output=True, text=True).stdout
    source = re.sub(r"\s+", " ", ATTRIBUTE.sub("", source)).replace(" ;", ";")
    functions = {}
    for name, parameters in PROTOTYPE.findall(source):
        words = [] if parameters.strip() in ("void", "") else re.split(r",(?![^()]*\))", parameters)
        functions[name] = settle(name, [role(word) for word in words])
    return functions


def main():
    compiler, include = sys.argv[1:]
    for name, roles in sorted(derive(compiler, include).items()):
        print(f"{name}|{' '.join(roles)}|{len(roles)}")


if __name__ == "__main__":
    main()
