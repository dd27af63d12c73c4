// SPDX-License-Identifier: MIT
#include "prelude.hpp"

namespace compiled {

// libcu++ as kernels use it: barriers, pipelines, copies that go on by themselves, atomic objects,
// and what cuda::std and thrust have in common with std. Read where a file includes such a header.
// Source: the documentation of libcu++ 2.8, whose sizes, alignments and pieces of copies these are.
namespace {

// Names of std are std's own, with its layouts; those of libcu++ that differ are written here.
const char std_text[] = R"prelude(
#pragma once
#pragma clang force_cuda_host_device begin
#include <stdint.h>
#include <stddef.h>
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>
#pragma clang force_cuda_host_device end
#define __BANKMODEL_BOTH __attribute__((host)) __attribute__((device))
namespace cuda {
namespace std {
using namespace ::std;
using ::std::get;
using ::std::swap;
// Its elements are in order, which those of libstdc++ are not.
template <size_t I, class T> struct __element { T __value; };
template <class Indexes, class... T> struct __elements;
template <size_t... I, class... T>
struct __elements<::std::index_sequence<I...>, T...> : __element<I, T>... {
  __elements() = default;
  template <class... U>
  __BANKMODEL_BOTH constexpr __elements(int, U&&... from)
      : __element<I, T>{static_cast<U&&>(from)}... {}
};
template <class... T> struct tuple;
template <size_t I, class T>
__BANKMODEL_BOTH constexpr T& __value_in(__element<I, T>& from) { return from.__value; }
template <size_t I, class T>
__BANKMODEL_BOTH constexpr const T& __value_in(const __element<I, T>& from) {
  return from.__value;
}
template <class... T> struct tuple : __elements<::std::index_sequence_for<T...>, T...> {
  typedef __elements<::std::index_sequence_for<T...>, T...> __base;
  tuple() = default;
  template <class... U, class = ::std::enable_if_t<sizeof...(U) == sizeof...(T) &&
                                                   (::std::is_convertible<U, T>::value && ...)>>
  __BANKMODEL_BOTH constexpr tuple(U&&... from) : __base(0, static_cast<U&&>(from)...) {}
  template <class... U, class = ::std::enable_if_t<sizeof...(U) == sizeof...(T)>, class = void>
  __BANKMODEL_BOTH constexpr tuple(const tuple<U...>& from)
      : tuple(from, ::std::index_sequence_for<T...>()) {}
  template <class... U>
  __BANKMODEL_BOTH constexpr tuple& operator=(const tuple<U...>& from) {
    return __assign(from, ::std::index_sequence_for<T...>());
  }
  template <class U, size_t... I>
  __BANKMODEL_BOTH constexpr tuple(const U& from, ::std::index_sequence<I...>)
      : __base(0, __value_in<I>(from)...) {}
  template <class U, size_t... I>
  __BANKMODEL_BOTH constexpr tuple& __assign(const U& from, ::std::index_sequence<I...>) {
    ((void)(__value_in<I>(*this) = __value_in<I>(from)), ...);
    return *this;
  }
};
#if __cplusplus >= 201703L
template <class... T> tuple(T...) -> tuple<T...>;
#endif
template <size_t I, class... T>
__BANKMODEL_BOTH constexpr auto& get(tuple<T...>& from) { return __value_in<I>(from); }
template <size_t I, class... T>
__BANKMODEL_BOTH constexpr const auto& get(const tuple<T...>& from) { return __value_in<I>(from); }
template <size_t I, class... T>
__BANKMODEL_BOTH constexpr auto&& get(tuple<T...>&& from) {
  return static_cast<::std::tuple_element_t<I, ::std::tuple<T...>>&&>(__value_in<I>(from));
}
template <class... T>
__BANKMODEL_BOTH constexpr tuple<::std::decay_t<T>...> make_tuple(T&&... from) {
  return tuple<::std::decay_t<T>...>(static_cast<T&&>(from)...);
}
template <class... T> __BANKMODEL_BOTH constexpr tuple<T&...> tie(T&... to) { return {to...}; }
// An array of them in shared memory has no constructor to run, which one of libstdc++ has.
template <class T, class U> struct pair {
  typedef T first_type;
  typedef U second_type;
  T first;
  U second;
  pair() = default;
  template <class A, class B>
  __BANKMODEL_BOTH constexpr pair(A&& a, B&& b)
      : first(static_cast<A&&>(a)), second(static_cast<B&&>(b)) {}
  template <class A, class B>
  __BANKMODEL_BOTH constexpr pair(const pair<A, B>& from)
      : first(from.first), second(from.second) {}
};
#if __cplusplus >= 201703L
template <class T, class U> pair(T, U) -> pair<T, U>;
#endif
template <class T, class U>
__BANKMODEL_BOTH constexpr pair<::std::decay_t<T>, ::std::decay_t<U>> make_pair(T&& a, U&& b) {
  return {static_cast<T&&>(a), static_cast<U&&>(b)};
}
template <size_t I, class T, class U>
__BANKMODEL_BOTH constexpr decltype(auto) get(pair<T, U>& from) {
  if constexpr (I == 0) return (from.first); else return (from.second);
}
template <size_t I, class T, class U>
__BANKMODEL_BOTH constexpr decltype(auto) get(const pair<T, U>& from) {
  if constexpr (I == 0) return (from.first); else return (from.second);
}
template <class T, class U>
__BANKMODEL_BOTH constexpr bool operator==(const pair<T, U>& a, const pair<T, U>& b) {
  return a.first == b.first && a.second == b.second;
}
template <class T, class U>
__BANKMODEL_BOTH constexpr bool operator<(const pair<T, U>& a, const pair<T, U>& b) {
  return a.first < b.first || (!(b.first < a.first) && a.second < b.second);
}
// Aligned as one number of both parts.
template <class T> struct __attribute__((aligned(2 * sizeof(T)))) complex {
  typedef T value_type;
  T __re, __im;
  complex() = default;
  __BANKMODEL_BOTH constexpr complex(T real, T imag = T()) : __re(real), __im(imag) {}
  template <class U>
  __BANKMODEL_BOTH constexpr complex(const complex<U>& from)
      : __re((T)from.real()), __im((T)from.imag()) {}
  __BANKMODEL_BOTH constexpr T real() const { return __re; }
  __BANKMODEL_BOTH constexpr T imag() const { return __im; }
  __BANKMODEL_BOTH void real(T to) { __re = to; }
  __BANKMODEL_BOTH void imag(T to) { __im = to; }
  __BANKMODEL_BOTH complex& operator+=(const complex& b) { return *this = *this + b; }
  __BANKMODEL_BOTH complex& operator-=(const complex& b) { return *this = *this - b; }
  __BANKMODEL_BOTH complex& operator*=(const complex& b) { return *this = *this * b; }
  __BANKMODEL_BOTH complex& operator/=(const complex& b) { return *this = *this / b; }
  friend __BANKMODEL_BOTH complex operator+(const complex& a, const complex& b) {
    return {a.__re + b.__re, a.__im + b.__im};
  }
  friend __BANKMODEL_BOTH complex operator-(const complex& a, const complex& b) {
    return {a.__re - b.__re, a.__im - b.__im};
  }
  friend __BANKMODEL_BOTH complex operator-(const complex& a) { return {-a.__re, -a.__im}; }
  friend __BANKMODEL_BOTH complex operator*(const complex& a, const complex& b) {
    return {a.__re * b.__re - a.__im * b.__im, a.__re * b.__im + a.__im * b.__re};
  }
  friend __BANKMODEL_BOTH complex operator/(const complex& a, const complex& b) {
    const T all = b.__re * b.__re + b.__im * b.__im;
    const complex c = a * complex(b.__re, -b.__im);
    return {c.__re / all, c.__im / all};
  }
  friend __BANKMODEL_BOTH bool operator==(const complex& a, const complex& b) {
    return a.__re == b.__re && a.__im == b.__im;
  }
  friend __BANKMODEL_BOTH bool operator!=(const complex& a, const complex& b) { return !(a == b); }
};
template <class T> __BANKMODEL_BOTH T real(const complex<T>& a) { return a.real(); }
template <class T> __BANKMODEL_BOTH T imag(const complex<T>& a) { return a.imag(); }
template <class T> __BANKMODEL_BOTH T norm(const complex<T>& a) {
  return a.real() * a.real() + a.imag() * a.imag();
}
template <class T> __BANKMODEL_BOTH T abs(const complex<T>& a) { return ::sqrt(norm(a)); }
template <class T> __BANKMODEL_BOTH complex<T> conj(const complex<T>& a) {
  return {a.real(), -a.imag()};
}
using ::std::abs;
}  // namespace std
template <class T, class U>
__BANKMODEL_BOTH constexpr T ceil_div(T a, U b) { return (T)(a / b + (a % b != 0 ? 1 : 0)); }
template <class T = void> struct maximum {
  __BANKMODEL_BOTH constexpr T operator()(const T& a, const T& b) const { return a < b ? b : a; }
};
template <class T = void> struct minimum {
  __BANKMODEL_BOTH constexpr T operator()(const T& a, const T& b) const { return b < a ? b : a; }
};
template <> struct maximum<void> {
  template <class T, class U> __BANKMODEL_BOTH constexpr auto operator()(T a, U b) const {
    return a < b ? b : a;
  }
};
template <> struct minimum<void> {
  template <class T, class U> __BANKMODEL_BOTH constexpr auto operator()(T a, U b) const {
    return b < a ? b : a;
  }
};
}  // namespace cuda
template <class... T>
struct std::tuple_size<cuda::std::tuple<T...>> : std::tuple_size<std::tuple<T...>> {};
template <size_t I, class... T>
struct std::tuple_element<I, cuda::std::tuple<T...>> : std::tuple_element<I, std::tuple<T...>> {};
template <class T, class U>
struct std::tuple_size<cuda::std::pair<T, U>> : std::tuple_size<std::pair<T, U>> {};
template <size_t I, class T, class U>
struct std::tuple_element<I, cuda::std::pair<T, U>> : std::tuple_element<I, std::pair<T, U>> {};
namespace thrust {
using cuda::maximum;
using cuda::minimum;
using cuda::std::get;
using cuda::std::make_pair;
using cuda::std::make_tuple;
using cuda::std::pair;
using cuda::std::tie;
using cuda::std::tuple;
using std::bit_and;
using std::bit_or;
using std::bit_xor;
using std::divides;
using std::equal_to;
using std::greater;
using std::greater_equal;
using std::less;
using std::less_equal;
using std::logical_and;
using std::logical_not;
using std::logical_or;
using std::minus;
using std::modulus;
using std::multiplies;
using std::negate;
using std::not_equal_to;
using std::plus;
using std::swap;
using std::tuple_element;
using std::tuple_size;
}  // namespace thrust
)prelude";

const char atomic_text[] = R"prelude(
#pragma once
#include <bankmodel/cuda_std.h>
namespace cuda {
enum thread_scope {
  thread_scope_system = 0, thread_scope_device = 1, thread_scope_block = 2, thread_scope_thread = 10
};
using ::std::memory_order;
using ::std::memory_order_acq_rel;
using ::std::memory_order_acquire;
using ::std::memory_order_consume;
using ::std::memory_order_relaxed;
using ::std::memory_order_release;
using ::std::memory_order_seq_cst;
// What object and reference have in common. A read and a write are those of a volatile variable.
#define __BANKMODEL_UPDATE(name)                                                            \
  __attribute__((device)) T name(T by, memory_order = memory_order_seq_cst) const {         \
    return __bankmodel_atomic(__place(), by);                                               \
  }
#define __BANKMODEL_EXCHANGE(name)                                                          \
  __attribute__((device)) bool name(T& expected, T to, memory_order = memory_order_seq_cst, \
                                    memory_order = memory_order_seq_cst) const {            \
    const T before = __bankmodel_atomic(__place(), to, expected);                           \
    const bool is_same = __builtin_memcmp(&before, &expected, sizeof(T)) == 0;              \
    expected = before;                                                                      \
    return is_same;                                                                         \
  }
#define __BANKMODEL_ATOMIC_MEMBERS                                                          \
  typedef T value_type;                                                                     \
  static constexpr bool is_always_lock_free = sizeof(T) <= 8;                               \
  __attribute__((device)) bool is_lock_free() const { return sizeof(T) <= 8; }              \
  __attribute__((device)) T load(memory_order = memory_order_seq_cst) const {               \
    return *(volatile T*)__place();                                                         \
  }                                                                                         \
  __attribute__((device)) void store(T to, memory_order = memory_order_seq_cst) const {     \
    *(volatile T*)__place() = to;                                                           \
  }                                                                                         \
  __attribute__((device)) operator T() const { return load(); }                             \
  __BANKMODEL_UPDATE(exchange) __BANKMODEL_UPDATE(fetch_add) __BANKMODEL_UPDATE(fetch_sub)  \
  __BANKMODEL_UPDATE(fetch_and) __BANKMODEL_UPDATE(fetch_or) __BANKMODEL_UPDATE(fetch_xor)  \
  __BANKMODEL_UPDATE(fetch_min) __BANKMODEL_UPDATE(fetch_max)                               \
  __BANKMODEL_EXCHANGE(compare_exchange_weak) __BANKMODEL_EXCHANGE(compare_exchange_strong) \
  __attribute__((device)) T operator+=(T by) const { return fetch_add(by) + by; }           \
  __attribute__((device)) T operator-=(T by) const { return fetch_sub(by) - by; }           \
  __attribute__((device)) T operator&=(T by) const { return fetch_and(by) & by; }           \
  __attribute__((device)) T operator|=(T by) const { return fetch_or(by) | by; }            \
  __attribute__((device)) T operator^=(T by) const { return fetch_xor(by) ^ by; }           \
  __attribute__((device)) T operator++() const { return fetch_add(1) + 1; }                 \
  __attribute__((device)) T operator--() const { return fetch_sub(1) - 1; }                 \
  __attribute__((device)) T operator++(int) const { return fetch_add(1); }                  \
  __attribute__((device)) T operator--(int) const { return fetch_sub(1); }                  \
  __attribute__((device)) void notify_one() const {}                                        \
  __attribute__((device)) void notify_all() const {}
template <class T, thread_scope Scope = thread_scope_system> struct atomic_ref {
  T* __object;
  __BANKMODEL_BOTH explicit atomic_ref(T& to) : __object(&to) {}
  atomic_ref(const atomic_ref&) = default;
  __attribute__((device)) T operator=(T to) const { store(to); return to; }
  __attribute__((device)) T* __place() const { return __object; }
  __BANKMODEL_ATOMIC_MEMBERS
};
template <class T, thread_scope Scope = thread_scope_system> struct atomic {
  __attribute__((aligned(sizeof(T)))) mutable T __object;
  atomic() = default;
  __BANKMODEL_BOTH constexpr atomic(T from) : __object(from) {}
  atomic(const atomic&) = delete;
  atomic& operator=(const atomic&) = delete;
  __attribute__((device)) T operator=(T to) { store(to); return to; }
  __attribute__((device)) T* __place() const { return &__object; }
  __BANKMODEL_ATOMIC_MEMBERS
};
__BANKMODEL_D void atomic_thread_fence(memory_order, thread_scope = thread_scope_system) {
  __bankmodel_warp_sync();
}
namespace std {
template <class T> using atomic = ::cuda::atomic<T>;
template <class T> using atomic_ref = ::cuda::atomic_ref<T>;
}
}  // namespace cuda
)prelude";

// A barrier of a block is one of the hardware, from compute capability 8.0 on: its operations are
// none of a thread's accesses to banks, they order those around them, and nobody waits, so what a
// thread reads that another one wrote is unknown. Other barriers are words with atomic operations,
// which a thread that waits reads once here: how often it does is known to a run alone.
const char barrier_text[] = R"prelude(
#pragma once
#include <bankmodel/cuda_atomic.h>
namespace cuda {
template <size_t Alignment> struct aligned_size_t {
  static constexpr size_t align = Alignment;
  size_t value;
  __BANKMODEL_BOTH explicit constexpr aligned_size_t(size_t bytes) : value(bytes) {}
  __BANKMODEL_BOTH constexpr operator size_t() const { return value; }
};
enum class async_contract_fulfillment { none, async };
struct __no_completion {};
template <thread_scope Scope, class Completion = __no_completion> class barrier;
template <thread_scope Scope> class barrier<Scope, __no_completion> {
 public:
  typedef unsigned long long arrival_token;
  barrier() = default;
  barrier(const barrier&) = delete;
  barrier& operator=(const barrier&) = delete;
  __BANKMODEL_BOTH barrier(ptrdiff_t) {}
  __attribute__((device)) friend void init(barrier* which, ptrdiff_t) {
    __bankmodel_warp_sync();
    if constexpr (!__is_in_hardware) which->__word() = 0;
  }
  __attribute__((device)) arrival_token arrive(ptrdiff_t by = 1) {
    __bankmodel_warp_sync();
    if constexpr (__is_in_hardware) return 0;
    if constexpr (__is_local) {  // the first active lane for those of its warp
      const unsigned lanes = __activemask();
      if (__bankmodel_special_lane() != (unsigned)__ffs((int)lanes) - 1) return 0;
    }
    return __bankmodel_atomic(&__state, (unsigned long long)by);
  }
  __attribute__((device)) void wait(arrival_token&&) const { (void)__is_complete(); }
  __attribute__((device)) void wait_parity(bool) const { (void)__is_complete(); }
  template <class Time>
  __attribute__((device)) bool try_wait_for(arrival_token&&, const Time&) const {
    return __is_complete();
  }
  template <class Time>
  __attribute__((device)) bool try_wait_parity_for(bool, const Time&) const {
    return __is_complete();
  }
  __attribute__((device)) void arrive_and_wait() { wait(arrive()); }
  __attribute__((device)) void arrive_and_drop() { (void)arrive(); }
  static constexpr __BANKMODEL_BOTH ptrdiff_t max() { return (1 << 20) - 1; }

 private:
  static constexpr bool __is_local = Scope == thread_scope_block || Scope == thread_scope_thread;
#if __CUDA_ARCH__ >= 800
  static constexpr bool __is_in_hardware = __is_local;
#else
  static constexpr bool __is_in_hardware = false;
#endif
  __attribute__((device)) volatile unsigned long long& __word() const {
    return (volatile unsigned long long&)__state;
  }
  // A loop that asks whether a phase is complete is left the first time.
  __attribute__((device)) bool __is_complete() const {
    __bankmodel_warp_sync();
    if constexpr (!__is_in_hardware) (void)(unsigned long long)__word();
    return true;
  }
  unsigned long long __state;
};
struct __this_thread {
  static __attribute__((device)) size_t size() { return 1; }
  static __attribute__((device)) size_t thread_rank() { return 0; }
};
template <class Size> struct __alignment_in { enum : size_t { value = 1 }; };
template <size_t N> struct __alignment_in<aligned_size_t<N>> { enum : size_t { value = N }; };
template <int Bytes> struct __attribute__((aligned(Bytes))) __piece { char __bytes[Bytes]; };
// From global to shared memory, which the program promises where the copy shall not wait.
template <size_t Alignment, class Group>
__BANKMODEL_D async_contract_fulfillment __copy(const Group& group, char* to, const char* from,
                                                size_t bytes) {
  constexpr int piece = Alignment > 16 ? 16 : Alignment;
  const size_t stride = group.size() * piece;
#if __CUDA_ARCH__ >= 800
  if constexpr (piece >= 4) {
    for (int i = (int)group.thread_rank() * piece; i < (int)bytes; i += (int)stride)
      __bankmodel_copy_async(to + i, from + i, piece);
    return async_contract_fulfillment::async;
  }
#endif
  for (size_t i = group.thread_rank() * piece; i < bytes; i += stride)
    *(__piece<piece>*)(to + i) = *(const __piece<piece>*)(from + i);
  return async_contract_fulfillment::none;
}
template <class T> struct __not_void { typedef T type; };
template <> struct __not_void<void> { typedef char type; };
template <class T, class Size> __BANKMODEL_BOTH constexpr size_t __alignment_for() {
  constexpr size_t known = __alignment_in<Size>::value;
  constexpr size_t own = alignof(typename __not_void<T>::type);
  return own < known ? known : own;
}
template <size_t Alignment, thread_scope Scope, class Group>
__BANKMODEL_D async_contract_fulfillment __copy_for_barrier(const Group& group, char* to,
                                                            const char* from, size_t bytes,
                                                            barrier<Scope>& waiting) {
#if __CUDA_ARCH__ >= 900
  // One instruction copies all.
  if constexpr (Alignment >= 16 && Scope == thread_scope_block) {
    if (group.thread_rank() == 0)
      asm volatile(
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
          ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from), "r"((unsigned)bytes),
          "r"((unsigned)__cvta_generic_to_shared(&waiting)) : "memory");
    return async_contract_fulfillment::async;
  }
#endif
  return ::cuda::__copy<Alignment>(group, to, from, bytes);
}
template <class Group, class T, class Size, thread_scope Scope>
__BANKMODEL_D async_contract_fulfillment memcpy_async(const Group& group, T* to,
    typename __bankmodel_same<const T>::type* from,
    Size bytes, barrier<Scope>& waiting) {
  return __copy_for_barrier<__alignment_for<T, Size>()>(group, (char*)to, (const char*)from, bytes,
                                                        waiting);
}
template <class T, class Size, thread_scope Scope>
__BANKMODEL_D async_contract_fulfillment memcpy_async(T* to,
    typename __bankmodel_same<const T>::type* from,
    Size bytes, barrier<Scope>& waiting) {
  return memcpy_async(__this_thread(), to, from, bytes, waiting);
}
namespace device {
__BANKMODEL_D unsigned long long* barrier_native_handle(barrier<thread_scope_block>& from) {
  return (unsigned long long*)&from;
}
__BANKMODEL_D void barrier_expect_tx(barrier<thread_scope_block>&, ptrdiff_t) {
  __bankmodel_warp_sync();
}
__BANKMODEL_D unsigned long long barrier_arrive_tx(barrier<thread_scope_block>& waiting,
                                                   ptrdiff_t arrivals, ptrdiff_t) {
  return waiting.arrive(arrivals);
}
template <class T, size_t Alignment>
__BANKMODEL_D void memcpy_async_tx(T* to, const T* from, aligned_size_t<Alignment> bytes,
                                   barrier<thread_scope_block>& waiting) {
  __copy_for_barrier<Alignment>(__this_thread(), (char*)to, (const char*)from, bytes, waiting);
}
}  // namespace device
namespace std {
template <class Completion = __no_completion>
using barrier = ::cuda::barrier<thread_scope_system, Completion>;
}
}  // namespace cuda
)prelude";

const char pipeline_text[] = R"prelude(
#pragma once
#include <bankmodel/cuda_barrier.h>
namespace cuda {
template <thread_scope Scope> struct __pipeline_stage { barrier<Scope> __produced, __consumed; };
template <thread_scope Scope, unsigned char Stages> struct pipeline_shared_state {
  __pipeline_stage<Scope> __stages[Stages];
  atomic<unsigned, Scope> __references;
  pipeline_shared_state() = default;
  pipeline_shared_state(const pipeline_shared_state&) = delete;
};
enum class pipeline_role { producer, consumer };
template <thread_scope Scope> class pipeline {
 public:
  __attribute__((device)) pipeline(pipeline&& from) : __references(from.__references) {
    from.__references = nullptr;
  }
  pipeline(const pipeline&) = delete;
  __attribute__((device)) explicit pipeline(atomic<unsigned, Scope>* references)
      : __references(references) {}
  __attribute__((device)) ~pipeline() {
    if (__references != nullptr) quit();
  }
  // The first active lane takes those of its warp away.
  __attribute__((device)) bool quit() {
    const unsigned lanes = __activemask();
    if (__bankmodel_special_lane() == (unsigned)__ffs((int)lanes) - 1)
      __references->fetch_sub((unsigned)__popc(lanes));
    __references = nullptr;
    return false;
  }
  __attribute__((device)) void producer_acquire() { __bankmodel_warp_sync(); }
  __attribute__((device)) void producer_commit() { __bankmodel_warp_sync(); }
  __attribute__((device)) void consumer_wait() { __bankmodel_warp_sync(); }
  __attribute__((device)) void consumer_release() { __bankmodel_warp_sync(); }
  template <class Time> __attribute__((device)) bool consumer_wait_for(const Time&) {
    consumer_wait();
    return true;
  }

 private:
  atomic<unsigned, Scope>* __references;
};
// Of one thread: what waits is no instruction for shared memory.
template <> class pipeline<thread_scope_thread> {
 public:
  pipeline() = default;
  pipeline(pipeline&&) = default;
  pipeline(const pipeline&) = delete;
  __attribute__((device)) bool quit() { return true; }
  __attribute__((device)) void producer_acquire() {}
  __attribute__((device)) void producer_commit() { __pipeline_commit(); }
  __attribute__((device)) void consumer_wait() { __pipeline_wait_prior(0); }
  __attribute__((device)) void consumer_release() {}
  template <class Time> __attribute__((device)) bool consumer_wait_for(const Time&) { return true; }
};
__BANKMODEL_D pipeline<thread_scope_thread> make_pipeline() { return {}; }
template <class Group, thread_scope Scope, unsigned char Stages>
__BANKMODEL_D pipeline<Scope> make_pipeline(const Group& group,
                                            pipeline_shared_state<Scope, Stages>* state) {
  if constexpr (Scope == thread_scope_thread) {
    return {};
  } else {
    if (group.thread_rank() == 0) state->__references.store((unsigned)group.size());
    group.sync();
    return pipeline<Scope>(&state->__references);
  }
}
template <class Group, thread_scope Scope, unsigned char Stages>
__BANKMODEL_D pipeline<Scope> make_pipeline(const Group& group,
                                            pipeline_shared_state<Scope, Stages>* state, size_t) {
  return make_pipeline(group, state);
}
// The producers count themselves first.
template <class Group, thread_scope Scope, unsigned char Stages>
__BANKMODEL_D pipeline<Scope> make_pipeline(const Group& group,
                                            pipeline_shared_state<Scope, Stages>* state,
                                            pipeline_role role) {
  if (group.thread_rank() == 0) state->__references.store(0);
  group.sync();
  if (role == pipeline_role::producer) {
    const unsigned lanes = __activemask();
    if (__bankmodel_special_lane() == (unsigned)__ffs((int)lanes) - 1)
      state->__references.fetch_add((unsigned)__popc(lanes));
  }
  group.sync();
  if (group.thread_rank() == 0) (void)state->__references.load();
  return make_pipeline(group, state);
}
template <unsigned char Prior>
__BANKMODEL_D void pipeline_consumer_wait_prior(pipeline<thread_scope_thread>&) {
  __pipeline_wait_prior(Prior);
}
template <thread_scope Scope>
__BANKMODEL_D void pipeline_producer_commit(pipeline<thread_scope_thread>&, barrier<Scope>&) {
  __bankmodel_warp_sync();
}
template <class Group, class T, class Size, thread_scope Scope>
__BANKMODEL_D async_contract_fulfillment memcpy_async(const Group& group, T* to,
    typename __bankmodel_same<const T>::type* from,
    Size bytes, pipeline<Scope>&) {
  return ::cuda::__copy<__alignment_for<T, Size>()>(group, (char*)to, (const char*)from, bytes);
}
template <class T, class Size, thread_scope Scope>
__BANKMODEL_D async_contract_fulfillment memcpy_async(T* to,
    typename __bankmodel_same<const T>::type* from,
    Size bytes, pipeline<Scope>& waiting) {
  return memcpy_async(__this_thread(), to, from, bytes, waiting);
}
}  // namespace cuda
)prelude";

// A header, and which of the texts it has.
constexpr struct {
  const char *name, *text;
} headers[] = {
    {"cuda/atomic", "cuda_atomic.h"},       {"cuda/barrier", "cuda_barrier.h"},
    {"cuda/pipeline", "cuda_pipeline.h"},   {"cuda/cmath", "cuda_std.h"},
    {"cuda/functional", "cuda_std.h"},      {"cuda/std/algorithm", "cuda_std.h"},
    {"cuda/std/array", "cuda_std.h"},       {"cuda/std/atomic", "cuda_atomic.h"},
    {"cuda/std/barrier", "cuda_barrier.h"}, {"cuda/std/cmath", "cuda_std.h"},
    {"cuda/std/complex", "cuda_std.h"},     {"cuda/std/cstddef", "cuda_std.h"},
    {"cuda/std/cstdint", "cuda_std.h"},     {"cuda/std/functional", "cuda_std.h"},
    {"cuda/std/limits", "cuda_std.h"},      {"cuda/std/tuple", "cuda_std.h"},
    {"cuda/std/type_traits", "cuda_std.h"}, {"cuda/std/utility", "cuda_std.h"},
    {"thrust/functional.h", "cuda_std.h"},  {"thrust/pair.h", "cuda_std.h"},
    {"thrust/tuple.h", "cuda_std.h"},
};

}  // namespace

void add_cuda_headers(std::map<std::string, std::string>& files) {
  files["bankmodel/cuda_std.h"] = std_text;
  files["bankmodel/cuda_atomic.h"] = atomic_text;
  files["bankmodel/cuda_barrier.h"] = barrier_text;
  files["bankmodel/cuda_pipeline.h"] = pipeline_text;
  for (const auto& [name, text] : headers)
    files[name] = std::string("#include <bankmodel/") + text + ">\n";
}

}  // namespace compiled
