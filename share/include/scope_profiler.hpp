/* scope_profiler.hpp: scopes of a C++11 program as regions, left however the scope is left (return, break, exception).
 *
 *     void Solver::step() {
 *         SP_PROFILE_FUNCTION();               // region named after the function
 *         {
 *             SP_PROFILE_SCOPE("assemble");
 *             ...
 *         }
 *         sp::Scope timed(solve);              // a handle of sp_region(); movable
 *     }
 *
 * See scope_profiler.h for how such a program is recorded. With SP_DISABLE_PROFILING the macros vanish, their arguments
 * with them.
 */
#ifndef SCOPE_PROFILER_HPP
#define SCOPE_PROFILER_HPP

#include "scope_profiler.h"

namespace sp {

/* A call of a region that ends with this object. Move-only: a scope that was moved from ends nothing. Ends must come
 * on the thread that began; one that is out of order for its region is refused (see sp_scope_end()). */
class Scope {
  public:
    Scope(sp_profiler *profiler, int region) noexcept : scope_(sp_profiler_scope_begin(profiler, region)) {}
    explicit Scope(int region) noexcept : scope_(sp_profiler_scope_begin(sp_default_profiler(), region)) {}
    ~Scope() { (void)sp_scope_end(&scope_); }

    Scope(Scope &&other) noexcept : scope_(other.scope_) { other.scope_.slot = -1; }
    Scope &operator=(Scope &&other) noexcept {
        if (this == &other) return *this;
        (void)sp_scope_end(&scope_);
        if (scope_.slot >= 0 && scope_.profiler == other.scope_.profiler && scope_.region == other.scope_.region) {
            /* Refused, since the other's call is a later one of the same region: that one ends now and this one goes
             * on in its place. Together they last as long. */
            (void)sp_scope_end(&other.scope_);
        } else {
            scope_ = other.scope_;
        }
        other.scope_.slot = -1;
        return *this;
    }
    Scope(const Scope &) = delete;
    Scope &operator=(const Scope &) = delete;

  private:
    sp_scope scope_;
};

/* One place in the source: its region's handle, looked up at its first use that records. */
struct Site {
    const char *file;
    int line;
    int region; /* SP_INVALID_REGION: not known yet */

    int get(const char *name) noexcept {
        int known = __atomic_load_n(&region, __ATOMIC_RELAXED);
        if (__builtin_expect(known < 0, 0)) {
            known = sp_region_at(name, file, line);
            __atomic_store_n(&region, known, __ATOMIC_RELAXED);
        }
        return known;
    }
};

/* A string literal (or __PRETTY_FUNCTION__) is the same at every pass, so its handle may be kept at the place. */
template <class T> struct IsLiteral { static const bool value = false; };
template <size_t N> struct IsLiteral<const char (&)[N]> { static const bool value = true; };

/* What the macros make: bound to its block, so it needs no check of its order. */
class ProfileScope {
  public:
    template <class Name> ProfileScope(Site &site, Name &&name) noexcept : region_(SP_INVALID_REGION) {
        if (sp_api_()) enter(IsLiteral<Name>::value ? site.get(name) : sp_region_at(name, site.file, site.line));
    }
    ProfileScope(const char *name, const char *file, int line) noexcept : region_(SP_INVALID_REGION) {
        enter(sp_region_at(name, file, line));
    }
    ProfileScope(sp_profiler *profiler, const char *name, const char *file, int line) noexcept
        : region_(sp_profiler_region_at(profiler, name, file, line)), profiler_(profiler) {
        if (profiler_) sp_profiler_begin(profiler_, region_);
    }
    ~ProfileScope() {
        if (profiler_)
            sp_profiler_end(profiler_, region_);
        else
            sp_end(region_);
    }
    ProfileScope(const ProfileScope &) = delete;
    ProfileScope &operator=(const ProfileScope &) = delete;

  private:
    void enter(int region) noexcept {
        region_ = region;
        sp_begin(region);
    }
    int region_;
    sp_profiler *profiler_ = nullptr;
};

} /* namespace sp */

#ifdef __COUNTER__ /* a line may hold several scopes */
#    define SP_PLACE_ __COUNTER__
#else
#    define SP_PLACE_ __LINE__
#endif
#define SP_JOIN_AGAIN_(a, b) a##b
#define SP_JOIN_(a, b)       SP_JOIN_AGAIN_(a, b)
#if defined(__GNUC__) || defined(__clang__)
#    define SP_FUNCTION_NAME_ __PRETTY_FUNCTION__
#else
#    define SP_FUNCTION_NAME_ __func__
#endif

/* `name` is a string of C. A literal's region is looked up once a place, any other name's each time. */
#ifdef SP_DISABLE_PROFILING
#    define SP_PROFILE_SCOPE(name)               ((void)0)
#    define SP_PROFILE_SCOPE_CTX(profiler, name) ((void)0)
#    define SP_PROFILE_FUNCTION()                ((void)0)
#    define SP_PROFILE_FUNCTION_CTX(profiler)    ((void)0)
#else
#    define SP_SCOPE_AS_(number, name)                                                                                 \
        static ::sp::Site SP_JOIN_(sp_site_, number) = {__FILE__, __LINE__, SP_INVALID_REGION};                        \
        ::sp::ProfileScope SP_JOIN_(sp_scope_, number)(SP_JOIN_(sp_site_, number), (name))
#    define SP_PROFILE_SCOPE(name) SP_SCOPE_AS_(SP_PLACE_, name)
#    define SP_PROFILE_SCOPE_CTX(profiler, name)                                                                       \
        ::sp::ProfileScope SP_JOIN_(sp_scope_, SP_PLACE_)((profiler), (name), __FILE__, __LINE__)
#    define SP_PROFILE_FUNCTION()             SP_PROFILE_SCOPE(SP_FUNCTION_NAME_)
#    define SP_PROFILE_FUNCTION_CTX(profiler) SP_PROFILE_SCOPE_CTX((profiler), SP_FUNCTION_NAME_)
#endif

#endif
