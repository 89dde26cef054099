// Needs what compiled kernels and packages need: std::string from the C++ runtime, and a thread.
#include <string>
#include <thread>

extern "C" int layactl_probe(int numbers) {
    std::string text;
    for (int i = 0; i < numbers; ++i) text += std::to_string(i);
    std::thread([&text] { text += "x"; }).join();
    return static_cast<int>(text.size());
}
