// SPDX-License-Identifier: MIT
#include "crash_guard.hpp"

#include <llvm/Support/CrashRecoveryContext.h>
#include <signal.h>

#include <mutex>
#include <vector>

namespace compiled {

namespace {

// A handler cannot run on the stack that overflowed, and LLVM's do not ask for another one.
class stack_of_handlers {
 public:
  stack_of_handlers() {
    stack_t own = {};
    own.ss_sp = bytes_.data();
    own.ss_size = bytes_.size();
    sigaltstack(&own, &previous_);
    for (const int number : {SIGSEGV, SIGBUS}) {
      struct sigaction action = {};
      sigaction(number, nullptr, &action);
      action.sa_flags |= SA_ONSTACK;
      sigaction(number, &action, nullptr);
    }
  }
  stack_of_handlers(const stack_of_handlers&) = delete;
  stack_of_handlers& operator=(const stack_of_handlers&) = delete;
  ~stack_of_handlers() { sigaltstack(&previous_, nullptr); }

 private:
  std::vector<char> bytes_ = std::vector<char>(1 << 16);
  stack_t previous_ = {};
};

}  // namespace

bool ends_without_crash(const std::function<void()>& action) {
  // The handlers of signals are those of the whole program.
  static std::mutex lock;
  const std::lock_guard held(lock);
  llvm::CrashRecoveryContext::Enable();
  bool result = false;
  {
    const stack_of_handlers stack;
    llvm::CrashRecoveryContext guard;
    result = guard.RunSafely([&] { action(); });
  }
  llvm::CrashRecoveryContext::Disable();
  return result;
}

}  // namespace compiled
