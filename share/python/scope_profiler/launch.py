"""Which rank of an MPI program this process is, and what its ranks tell each other when a recording is completed."""
import os
import sys

#: What launchers say: rank, number of ranks.
_LAUNCHERS = (
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
    ("PMIX_RANK", "PMIX_SIZE"),
    ("MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"),
    ("PMI_RANK", "PMI_SIZE"),
    ("PALS_RANKID", "PALS_SIZE"),
    ("SLURM_PROCID", "SLURM_STEP_NUM_TASKS"),
)


def launched_size():
    """How many ranks a launcher started, as far as the environment tells; 1 without one."""
    for rank, size in _LAUNCHERS:
        if rank == "SLURM_PROCID" and "SLURM_STEP_ID" not in os.environ:
            continue
        if os.environ.get(rank, "").isdigit():
            number = os.environ.get(size, "")
            return int(number) if number.isdigit() else 1
    return 1


def is_wanted():
    forced = os.environ.get("SCOPE_PROFILER_MPI")
    if forced in ("0", "1"):
        return forced == "1"
    return "mpi4py.MPI" in sys.modules or launched_size() > 1


def communicator():
    """MPI.COMM_WORLD where the program runs on several ranks; None otherwise."""
    if not is_wanted():
        return None
    try:
        from mpi4py import MPI
    except ImportError:
        return None
    if not MPI.Is_initialized() or MPI.Is_finalized():
        return None
    world = getattr(MPI.COMM_WORLD, "_scope_profiler_inner", MPI.COMM_WORLD)
    return world if world.Get_size() > 1 else None


class Alone:
    """As much of a communicator as one process needs."""

    rank, size = 0, 1

    def gather(self, value):
        return [value]

    def share(self, value):
        return value


class World:
    """The ranks of an MPI program."""

    def __init__(self, communicator):
        self._communicator = communicator
        self.rank, self.size = communicator.Get_rank(), communicator.Get_size()

    def gather(self, value):
        """Every rank's value, on rank 0; None on the others."""
        return self._communicator.gather(value, root=0)

    def share(self, value):
        """Rank 0's value."""
        return self._communicator.bcast(value, root=0)


def world():
    found = communicator()
    return World(found) if found is not None else Alone()
