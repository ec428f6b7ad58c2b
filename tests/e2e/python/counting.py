"""What cProfile counted, for compare.py: imported by programs.py and real.py, which are copied beside it."""
import cProfile, gc, json, sys

QUALIFIED = hasattr((lambda: 0).__code__, "co_qualname")


def modules_by_file():
    """A file may be there under several names, and a module give itself another."""
    found = {}
    for name, module in list(sys.modules.items()):
        names = getattr(module, "__dict__", {})
        if names.get("__file__"):
            found.setdefault(names["__file__"], set()).update((name, names.get("__name__")))
    return found


def counted(profile):
    """[[file, line, names of its module, name, calls], ...]; the name is qualified where code objects know it so."""
    modules, rows = modules_by_file(), {}
    for entry in profile.getstats():
        code = entry.code
        if not isinstance(code, str):
            name = code.co_qualname if QUALIFIED else code.co_name
            key = code.co_filename, code.co_firstlineno, tuple(sorted(modules.get(code.co_filename, ()))), name
            rows[key] = rows.get(key, 0) + entry.callcount
    return [list(key) + [calls] for key, calls in rows.items()]


def run(subjects, how, path=None):
    """Runs each of the functions; how: "plain", or "cprofile" with the counts into `path`. Both ways the stack below a
    subject is as deep: programs look at it."""
    gc.disable()  # finalizers run at the same places
    counts = {}
    for subject in subjects:
        profile = cProfile.Profile()
        if how == "cprofile":
            profile.enable()
        result = subject()
        profile.disable()
        if how == "cprofile":
            counts[subject.__name__] = counted(profile)
        del result  # what ends with it ends behind the subject
    if path:
        with open(path, "w") as file:
            json.dump({"qualified": QUALIFIED, "subjects": counts}, file)
