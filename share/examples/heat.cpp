/* A bar cools down, in C++:
 *
 *     c++ heat.cpp -o heat
 *     scope-profiler run ./heat
 */
#include <cmath>
#include <cstdio>
#include <scope_profiler.hpp>
#include <vector>

class Bar {
  public:
    explicit Bar(std::size_t cells) : now_(cells + 2), next_(cells + 2) { now_[cells / 2] = 1; }

    void step() {
        SP_PROFILE_FUNCTION();
        for (std::size_t i = 1; i + 1 < now_.size(); i++)
            next_[i] = now_[i] + 0.25 * (now_[i - 1] - 2 * now_[i] + now_[i + 1]);
        now_.swap(next_);
    }

    double norm() const {
        SP_PROFILE_SCOPE("norm");
        double sum = 0;
        for (double value : now_) sum += value * value;
        return std::sqrt(sum);
    }

  private:
    std::vector<double> now_, next_;
};

int main() {
    Bar bar(1000);
    for (int n = 1; n <= 200; n++) {
        bar.step();
        if (n % 50 == 0) std::printf("%3d %.6f\n", n, bar.norm());
    }
    return 0;
}
