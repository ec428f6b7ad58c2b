/* pyapi.h: the C API of whatever CPython is in this process, 3.8 and later, looked up at run time: no Python header is
 * included and nothing is linked. One table (PY_FUNCTIONS) names every function that is used; `py.NAME` calls it. To
 * use another, add a line.
 *
 * Everything here needs the GIL unless CPython says otherwise; free-threaded builds, which have none, are not entered.
 */
#ifndef SCOPE_PROFILER_PYAPI_H
#define SCOPE_PROFILER_PYAPI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct py_object PyObject;
typedef struct py_frame PyFrameObject;
typedef struct py_thread_state PyThreadState;
typedef struct py_interpreter PyInterpreterState;
typedef ptrdiff_t Py_ssize_t;

typedef int (*Py_AuditHookFunction)(const char *event, PyObject *args, void *data);
typedef int (*Py_tracefunc)(PyObject *data, PyFrameObject *frame, int what, PyObject *arg);
typedef void (*py_free_extra)(void *extra);
/* The second argument: PyFrameObject in 3.9 and 3.10, struct _PyInterpreterFrame from 3.11. */
typedef PyObject *(*py_eval_frame)(PyThreadState *thread, void *frame, int throw_flag);
typedef PyObject *(*PyCFunctionFast)(PyObject *self, PyObject *const *args, Py_ssize_t count);

/* Values that are part of the stable ABI or of frozen branches. */
enum {
    PY_TRACE_CALL = 0,
    PY_TRACE_EXCEPTION,
    PY_TRACE_LINE,
    PY_TRACE_RETURN,
    PY_METH_FASTCALL = 0x80,
    PY_EVAL_INPUT = 258,
    PY_FILE_INPUT = 257,
    PY_CO_OPTIMIZED = 1,      /* a function's body; a class's or a module's is not */
    PY_CO_GENERATORS = 0x2a0, /* generator, coroutine, async generator */
    PY_CO_COROUTINES = 0x380, /* coroutine, generator that serves as one, async generator */
    PY_MEM_DOMAIN_RAW = 0,
};

struct py_method { /* PyMethodDef */
    const char *name;
    void (*function)(void); /* cast from what `flags` says it is */
    int flags;
    const char *doc;
};

struct py_allocator { /* PyMemAllocatorEx */
    void *context;
    void *(*malloc)(void *context, size_t size);
    void *(*calloc)(void *context, size_t count, size_t size);
    void *(*realloc)(void *context, void *block, size_t size);
    void (*free)(void *context, void *block);
};

/* F(first minor version that has it, last one (0: all), NEEDED or MAY_LACK, result, name, arguments)
 * Without a needed function no Python of that version can be entered. */
#define PY_FUNCTIONS(F)                                                                                                \
    F(8, 0, NEEDED, int, PySys_AddAuditHook, (Py_AuditHookFunction, void *))                                           \
    F(8, 0, NEEDED, int, Py_IsInitialized, (void))                                                                     \
    F(8, 0, NEEDED, const char *, Py_GetVersion, (void))                                                               \
    F(8, 0, NEEDED, int, PyImport_AppendInittab, (const char *, PyObject *(*)(void)))                                  \
    F(8, 0, NEEDED, void, PyMem_GetAllocator, (int, struct py_allocator *))                                            \
    F(8, 0, NEEDED, void, PyMem_SetAllocator, (int, struct py_allocator *))                                            \
    F(8, 0, NEEDED, int64_t, PyInterpreterState_GetID, (PyInterpreterState *))                                         \
    F(9, 0, NEEDED, PyInterpreterState *, PyInterpreterState_Get, (void))                                              \
    F(8, 8, NEEDED, PyInterpreterState *, _PyInterpreterState_Get, (void))                                             \
    F(8, 0, NEEDED, PyThreadState *, PyInterpreterState_ThreadHead, (PyInterpreterState *))                            \
    F(8, 0, NEEDED, PyThreadState *, PyThreadState_Next, (PyThreadState *))                                            \
    F(8, 0, NEEDED, PyThreadState *, PyThreadState_Get, (void))                                                        \
    F(8, 0, NEEDED, PyThreadState *, PyThreadState_Swap, (PyThreadState *))                                            \
    F(8, 12, MAY_LACK, PyThreadState *, _PyThreadState_UncheckedGet, (void))                                           \
    F(13, 0, MAY_LACK, PyThreadState *, PyThreadState_GetUnchecked, (void))                                            \
    F(8, 0, NEEDED, PyThreadState *, PyGILState_GetThisThreadState, (void))                                            \
    F(8, 0, NEEDED, void, PyEval_SetProfile, (Py_tracefunc, PyObject *))                                               \
    F(8, 0, NEEDED, void, PyEval_SetTrace, (Py_tracefunc, PyObject *))                                                 \
    F(9, 13, MAY_LACK, int, _PyEval_SetProfile, (PyThreadState *, Py_tracefunc, PyObject *))                           \
    F(12, 0, MAY_LACK, void, PyEval_SetProfileAllThreads, (Py_tracefunc, PyObject *))                                  \
    F(9, 14, MAY_LACK, py_eval_frame, _PyInterpreterState_GetEvalFrameFunc, (PyInterpreterState *))                    \
    F(9, 14, MAY_LACK, void, _PyInterpreterState_SetEvalFrameFunc, (PyInterpreterState *, py_eval_frame))              \
    F(8, 14, MAY_LACK, PyObject *, _PyEval_EvalFrameDefault, (PyThreadState *, void *, int))                           \
    F(8, 11, NEEDED, Py_ssize_t, _PyEval_RequestCodeExtraIndex, (py_free_extra))                                       \
    F(8, 11, NEEDED, int, _PyCode_GetExtra, (PyObject *, Py_ssize_t, void **))                                         \
    F(8, 11, NEEDED, int, _PyCode_SetExtra, (PyObject *, Py_ssize_t, void *))                                          \
    F(12, 0, NEEDED, Py_ssize_t, PyUnstable_Eval_RequestCodeExtraIndex, (py_free_extra))                               \
    F(12, 0, NEEDED, int, PyUnstable_Code_GetExtra, (PyObject *, Py_ssize_t, void **))                                 \
    F(12, 0, NEEDED, int, PyUnstable_Code_SetExtra, (PyObject *, Py_ssize_t, void *))                                  \
    F(8, 0, NEEDED, PyFrameObject *, PyEval_GetFrame, (void))                                                          \
    F(9, 0, NEEDED, PyObject *, PyFrame_GetCode, (PyFrameObject *))                                                    \
    F(9, 0, NEEDED, PyFrameObject *, PyFrame_GetBack, (PyFrameObject *))                                               \
    F(8, 0, NEEDED, int, PyFrame_GetLineNumber, (PyFrameObject *))                                                     \
    F(8, 0, NEEDED, PyObject *, PyEval_GetGlobals, (void))                                                             \
    F(8, 0, NEEDED, PyObject *, PyEval_EvalCode, (PyObject *, PyObject *, PyObject *))                                 \
    F(8, 0, NEEDED, PyObject *, Py_CompileString, (const char *, const char *, int))                                   \
    F(8, 0, NEEDED, int, Py_AddPendingCall, (int (*)(void *), void *))                                                 \
    F(8, 0, NEEDED, void, Py_IncRef, (PyObject *))                                                                     \
    F(8, 0, NEEDED, void, Py_DecRef, (PyObject *))                                                                     \
    F(8, 0, NEEDED, PyObject *, PyObject_GetAttrString, (PyObject *, const char *))                                    \
    F(8, 0, NEEDED, int, PyObject_SetAttrString, (PyObject *, const char *, PyObject *))                               \
    F(8, 0, NEEDED, PyObject *, PyObject_CallMethod, (PyObject *, const char *, const char *, ...))                    \
    F(8, 0, NEEDED, PyObject *, PyObject_CallFunction, (PyObject *, const char *, ...))                                \
    F(8, 0, NEEDED, PyObject *, PyObject_Type, (PyObject *))                                                           \
    F(8, 0, NEEDED, PyObject *, PyCFunction_NewEx, (struct py_method *, PyObject *, PyObject *))                       \
    F(8, 0, NEEDED, PyObject *, PyImport_ImportModule, (const char *))                                                 \
    F(8, 0, NEEDED, PyObject *, PySys_GetObject, (const char *))                                                       \
    F(8, 0, NEEDED, PyObject *, PyWeakref_NewRef, (PyObject *, PyObject *))                                            \
    F(8, 0, NEEDED, PyObject *, PyDict_New, (void))                                                                    \
    F(8, 0, NEEDED, PyObject *, PyDict_GetItemString, (PyObject *, const char *))                                      \
    F(8, 0, NEEDED, PyObject *, PyDict_GetItem, (PyObject *, PyObject *))                                              \
    F(8, 0, NEEDED, int, PyDict_SetItemString, (PyObject *, const char *, PyObject *))                                 \
    F(8, 0, NEEDED, Py_ssize_t, PyTuple_Size, (PyObject *))                                                            \
    F(8, 0, NEEDED, PyObject *, PyTuple_GetItem, (PyObject *, Py_ssize_t))                                             \
    F(8, 0, NEEDED, PyObject *, PyList_GetItem, (PyObject *, Py_ssize_t))                                              \
    F(8, 0, NEEDED, PyObject *, PyList_New, (Py_ssize_t))                                                              \
    F(8, 0, NEEDED, int, PyList_Append, (PyObject *, PyObject *))                                                      \
    F(8, 0, NEEDED, PyObject *, PyBytes_FromStringAndSize, (const char *, Py_ssize_t))                                 \
    F(8, 0, NEEDED, PyObject *, PyErr_SetFromErrnoWithFilename, (PyObject *, const char *))                            \
    F(8, 0, NEEDED, int, PyDict_Next, (PyObject *, Py_ssize_t *, PyObject **, PyObject **))                            \
    F(8, 0, NEEDED, PyThreadState *, PyEval_SaveThread, (void))                                                        \
    F(8, 0, NEEDED, void, PyEval_RestoreThread, (PyThreadState *))                                                     \
    F(8, 0, NEEDED, const char *, PyUnicode_AsUTF8, (PyObject *))                                                      \
    F(8, 0, NEEDED, const char *, PyUnicode_AsUTF8AndSize, (PyObject *, Py_ssize_t *))                                 \
    F(8, 0, NEEDED, PyObject *, PyUnicode_FromString, (const char *))                                                  \
    F(8, 0, NEEDED, PyObject *, PyObject_GetIter, (PyObject *))                                                        \
    F(8, 0, NEEDED, PyObject *, PyIter_Next, (PyObject *))                                                             \
    F(8, 0, NEEDED, int, PyBytes_AsStringAndSize, (PyObject *, char **, Py_ssize_t *))                                 \
    F(8, 0, NEEDED, int, PyCode_Addr2Line, (PyObject *, int))                                                          \
    F(8, 0, NEEDED, PyObject *, PyModuleDef_Init, (void *))                                                            \
    F(8, 0, NEEDED, void *, PyModule_GetState, (PyObject *))                                                           \
    F(8, 0, NEEDED, int, PyModule_AddObject, (PyObject *, const char *, PyObject *))                                   \
    F(8, 0, NEEDED, PyObject *, PyType_FromSpec, (void *))                                                             \
    F(8, 0, NEEDED, PyObject *, PyType_GenericAlloc, (PyObject *, Py_ssize_t))                                         \
    F(8, 0, NEEDED, int, PyType_IsSubtype, (PyObject *, PyObject *))                                                   \
    F(8, 0, NEEDED, void, PyObject_Free, (void *))                                                                     \
    F(8, 0, NEEDED, void *, PyType_GetSlot, (PyObject *, int))                                                         \
    F(8, 0, NEEDED, void, PyObject_GC_UnTrack, (void *))                                                               \
    F(8, 0, NEEDED, void, PyObject_GC_Del, (void *))                                                                   \
    F(8, 0, NEEDED, void, PyObject_ClearWeakRefs, (PyObject *))                                                        \
    F(8, 0, NEEDED, PyObject *, PyObject_GetAttr, (PyObject *, PyObject *))                                            \
    F(8, 0, NEEDED, int, PyObject_SetAttr, (PyObject *, PyObject *, PyObject *))                                       \
    F(8, 0, NEEDED, PyObject *, PyObject_GenericGetAttr, (PyObject *, PyObject *))                                     \
    F(8, 0, NEEDED, int, PyObject_IsTrue, (PyObject *))                                                                \
    F(8, 0, NEEDED, int, PyCallable_Check, (PyObject *))                                                               \
    F(8, 0, NEEDED, PyObject *, PyMethod_New, (PyObject *, PyObject *))                                                \
    F(8, 0, NEEDED, PyObject *, PyInstanceMethod_New, (PyObject *))                                                    \
    F(8, 0, NEEDED, PyObject *, PyObject_Call, (PyObject *, PyObject *, PyObject *))                                   \
    F(8, 0, NEEDED, PyObject *, PyObject_CallFunctionObjArgs, (PyObject *, ...))                                       \
    F(8, 0, NEEDED, PyObject *, PyObject_CallMethodObjArgs, (PyObject *, PyObject *, ...))                             \
    F(8, 0, NEEDED, PyObject *, PyVectorcall_Call, (PyObject *, PyObject *, PyObject *))                               \
    F(11, 0, NEEDED, PyObject *, PyObject_Vectorcall, (PyObject *, PyObject *const *, size_t, PyObject *))             \
    F(9, 0, NEEDED, PyObject *, PyObject_VectorcallDict, (PyObject *, PyObject *const *, size_t, PyObject *))          \
    F(8, 12, MAY_LACK, PyObject *, _PyFunction_Vectorcall, (PyObject *, PyObject *const *, size_t, PyObject *))        \
    F(8, 0, NEEDED, int, PyDict_SetItem, (PyObject *, PyObject *, PyObject *))                                         \
    F(8, 0, NEEDED, PyObject *, PyTuple_Pack, (Py_ssize_t, ...))                                                       \
    F(8, 0, NEEDED, PyObject *, PyUnicode_InternFromString, (const char *))                                            \
    F(8, 0, NEEDED, PyObject *, PyUnicode_FromFormat, (const char *, ...))                                             \
    F(8, 0, NEEDED, PyObject *, PyErr_Format, (PyObject *, const char *, ...))                                         \
    F(8, 0, NEEDED, int, PyArg_ParseTupleAndKeywords, (PyObject *, PyObject *, const char *, char **, ...))            \
    F(8, 0, NEEDED, PyObject *, Py_BuildValue, (const char *, ...))                                                    \
    F(8, 0, NEEDED, PyObject *, PyEval_GetBuiltins, (void))                                                            \
    F(8, 0, NEEDED, long, PyLong_AsLong, (PyObject *))                                                                 \
    F(8, 0, NEEDED, PyObject *, PyLong_FromLong, (long))                                                               \
    F(8, 0, NEEDED, PyObject *, PyLong_FromUnsignedLong, (unsigned long))                                              \
    F(8, 0, NEEDED, PyObject *, PyBool_FromLong, (long))                                                               \
    F(8, 0, NEEDED, PyObject *, PyErr_Occurred, (void))                                                                \
    F(8, 0, NEEDED, void, PyErr_Clear, (void))                                                                         \
    F(8, 0, NEEDED, void, PyErr_Fetch, (PyObject **, PyObject **, PyObject **))                                        \
    F(8, 0, NEEDED, void, PyErr_Restore, (PyObject *, PyObject *, PyObject *))

struct py_api {
#define PY_MEMBER(since, last, need, result, name, arguments) result(*name) arguments;
    PY_FUNCTIONS(PY_MEMBER)
#undef PY_MEMBER
    int minor;    /* of 3.minor */
    void *handle; /* for dlsym: objects such as PyExc_ValueError or types */
    void *none;   /* None; the types below are those of all interpreters */
    void *unicode_type, *function_type, *staticmethod_type, *classmethod_type, *type_type;
    /* One name for what moved between versions. */
    PyInterpreterState *(*interpreter)(void);
    Py_ssize_t (*request_extra)(py_free_extra);
    int (*get_extra)(PyObject *code, Py_ssize_t index, void **extra);
    int (*set_extra)(PyObject *code, Py_ssize_t index, void *extra);
};
extern struct py_api py;

/* Fills `py` from the object(s) that `handle` names (as for dlsym). False: no CPython of 3.8 or later with a GIL; `why`
 * (may be NULL) then says what is missing, "" when there is no Python at all. */
bool py_load(void *handle, char why[128]);

/* Stores the symbol's address (NULL: none) in the pointer, to a function or an object, that `pointer` points to. */
void py_symbol(void *handle, const char *name, void *pointer);

/* The UTF-8 of a str; NULL when it is none (no error is left set). Borrowed from the object. */
const char *py_text(PyObject *object);

/* A new reference or NULL, no error is left set. */
PyObject *py_attribute(PyObject *object, const char *name);
/* The attribute as a number; `otherwise` when it is missing or none. */
long py_attribute_long(PyObject *object, const char *name, long otherwise);

/* Drops a reference that may be NULL. */
void py_drop(PyObject *object);

/* The code that calls Python functions from inside a hook keeps the program's pending exception. */
struct py_error {
    PyObject *type, *value, *traceback;
};
struct py_error py_error_save(void);
void py_error_restore(struct py_error error); /* whatever is set now is forgotten */

#endif
