"""A region that is entered while the package is being imported, as a signal handler may do."""
import sys

import scope_profiler as sp


class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "scope_profiler.regions":
            for _ in range(3):
                with sp.region("handler"):
                    pass


sys.meta_path.insert(0, Finder())
with sp.region("first"):
    pass
with sp.region("handler") as handler:
    pass
assert handler.region_name == "handler" and sp.region is sp.ProfileManager.region
print("done")
