# SPDX-License-Identifier: MIT
"""Exact bank conflicts of GPU shared memory and transactions of global memory, without a GPU.

    >>> import bankmodel
    >>> kernel = "block 32 32\\nshared float t[32][W]\\nload t[tx][ty]"
    >>> bankmodel.total("sm_90", kernel, W=32).shared.conflicts
    992
    >>> [one.shared.conflicts for one in bankmodel.totals("sm_90", kernel, W=[32, 33, 34])]
    [992, 0, 32]
    >>> bankmodel.optimize("sm_90", kernel, W=32).declarations
    ['__shared__ float t[32][33];']
    >>> [k.name for k in bankmodel.analyze("k.cu", arguments={"n": 1024})]   # also .ptx, and PTX as text
    ['transpose']

Kernels in the first three are text in the notation of kernel files, or the body of a CUDA kernel that has its arrays and its
accesses. What is wrong is raised as bankmodel.Error.
"""
from __future__ import annotations

import ctypes
import json
import operator
import os
import pathlib
import typing
from dataclasses import dataclass, field

__all__ = ["Access", "Cost", "Error", "Kernel", "Plan", "Total", "Traffic", "analyze", "optimize", "run", "total", "totals", "version"]

_abi = 1


class Error(Exception):
    """What is wrong with a kernel or an argument, and what to do."""


@dataclass(frozen=True)
class Cost:
    """Accesses to shared memory of one block."""

    requests: int
    wavefronts: int
    ideal: int
    degree: int  # n of the worst n-way conflict; 0 without accesses

    @property
    def conflicts(self) -> int:
        return self.wavefronts - self.ideal


@dataclass(frozen=True)
class Traffic:
    """Accesses to global memory of one block."""

    requests: int
    transactions: int
    ideal: int
    lines: int
    bytes_used: int
    bytes_moved: int

    @property
    def excessive(self) -> int:
        return self.transactions - self.ideal


class Total(typing.NamedTuple):
    shared: Cost
    traffic: Traffic


@dataclass(frozen=True)
class Access:
    """An access of a kernel: `cost` in shared memory, `traffic` in global memory, the other is None."""

    file: str
    line: int
    column: int
    array: str
    does: str
    bytes: int
    cost: Cost | None
    traffic: Traffic | None
    partial: str  # why it is counted in part; empty: it is not
    data: dict = field(repr=False)  # all that --json has of it


@dataclass(frozen=True)
class Kernel:
    """One block of a kernel on a machine."""

    name: str
    machine: str
    block: tuple[int, int, int]
    cost: Cost
    traffic: Traffic
    accesses: list[Access] = field(repr=False)
    plans: list[dict] = field(repr=False)
    assumed: list[dict] = field(repr=False)
    notes: list[str] = field(repr=False)
    data: dict = field(repr=False)  # all that --json has of it


@dataclass(frozen=True)
class Plan:
    """The layouts that take the fewest wavefronts."""

    before: Cost
    after: Cost
    bytes: int
    arrays: list[dict]  # "name", "layout", "declare", "offset_bytes", "bytes"
    declarations: list[str]  # in C
    indices: list[str]  # the subscripts that change
    is_optimal: bool
    data: dict = field(repr=False)


class _Cost(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in (
        "requests", "wavefronts", "ideal", "degree", "global_requests", "transactions", "ideal_transactions", "lines", "bytes_used",
        "bytes_moved")]


def _loaded() -> ctypes.CDLL:
    beside = pathlib.Path(__file__).with_name("libbankmodel.so")
    name = os.environ.get("BANKMODEL_LIBRARY") or (str(beside) if beside.exists() else "libbankmodel.so.1")
    try:
        library = ctypes.CDLL(name)
    except OSError as why:
        raise ImportError(f"bankmodel cannot load its library ({why}): pip install examples/python, or name libbankmodel.so in the "
                          "environment's BANKMODEL_LIBRARY") from None
    if library.bankmodel_abi() != _abi:
        raise ImportError(f"{name} has interface {library.bankmodel_abi()}, and this package needs {_abi}: install both of one version")
    text = ctypes.c_void_p  # ctypes would free what it converts
    library.bankmodel_version.restype = ctypes.c_char_p
    library.bankmodel_free.argtypes = [text]
    library.bankmodel_free.restype = None
    library.bankmodel_run.argtypes = [ctypes.c_size_t, ctypes.POINTER(ctypes.c_char_p), ctypes.c_char_p, ctypes.c_size_t,
                                      ctypes.POINTER(text), ctypes.POINTER(text)]
    library.bankmodel_totals.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.POINTER(ctypes.c_char_p),
                                         ctypes.c_size_t, ctypes.c_void_p, ctypes.POINTER(_Cost), ctypes.POINTER(text)]
    return library


_library = _loaded()


def version() -> str:
    return _library.bankmodel_version().decode()


def _bytes(text: str | bytes | os.PathLike) -> bytes:
    """A text as C has it, which ends with a zero."""
    result = os.fsencode(text)
    if b"\0" in result:
        raise Error(f"{text!r} has a character of code 0")
    return result


def _words(texts) -> ctypes.Array:
    return (ctypes.c_char_p * len(texts))(*(_bytes(one) for one in texts))


def _taken(text: ctypes.c_void_p) -> str:
    if not text.value:
        return ""
    try:
        return ctypes.string_at(text.value).decode(errors="replace")
    finally:
        _library.bankmodel_free(text)


def run(*words: str | os.PathLike, input: str | bytes | None = None) -> tuple[int, str, str]:
    """The exit code, the output and the notes of the command line with these words; `input` is what its word - reads.

    A count is not interrupted by Ctrl-C before its end.
    """
    data = os.fsencode(input) if isinstance(input, str) else None if input is None else bytes(input)
    out, error = ctypes.c_void_p(), ctypes.c_void_p()
    code = _library.bankmodel_run(len(words), _words(words), data, len(data or b""), ctypes.byref(out), ctypes.byref(error))
    return code, _taken(out), _taken(error)


def _require(code: int, error: str) -> None:
    if code == 2:
        raise Error(error.removeprefix("bankmodel: error: ").rstrip("\n"))


def _arguments(values: typing.Mapping[str, object]) -> list[str]:
    return [word for name, value in values.items() for word in ("--arg", f"{name}={value}")]


def _cost(of: dict) -> Cost:
    return Cost(of["requests"], of["wavefronts"], of["ideal"], of["degree"])


def _traffic(of: dict) -> Traffic:
    return Traffic(of["requests"], of["transactions"], of["ideal"], of["lines"], of["bytes_used"], of["bytes_moved"])


def _access(of: dict) -> Access:
    is_shared = of["memory"] == "shared"
    return Access(of["file"], of["line"], of["column"], of["array"], of["does"], of["bytes"], _cost(of) if is_shared else None,
                  None if is_shared else _traffic(of), of.get("partial", ""), of)


def _kernel(of: dict) -> Kernel:
    return Kernel(of["kernel"], of["machine"], tuple(of["block"]), _cost(of), _traffic(of["global"]),
                  [_access(one) for one in of["accesses"]], of["plans"], of["assumed"], of["notes"], of)


def _data(out: str) -> dict:
    try:
        return json.loads(out)
    except ValueError:
        raise Error(f"the options print no JSON, but: {out[:80]}") from None


def _file(name: str | os.PathLike) -> str | os.PathLike:
    """A name that is no option."""
    return f"./{name}" if os.fspath(name).startswith("-") else name


def _several(texts) -> list:
    """A text alone is one of several."""
    return [texts] if isinstance(texts, (str, os.PathLike)) else list(texts)


def _shape(extents: object) -> str:
    return "x".join(str(one) for one in extents) if isinstance(extents, (tuple, list)) else str(extents)


def analyze(source: str | os.PathLike, *, machine: str | None = None, block=None, grid=None,
            arguments: typing.Mapping[str, object] | None = None, kernels: typing.Sequence[str] = (),
            include: typing.Sequence[str | os.PathLike] = (), defines: typing.Mapping[str, object] | None = None,
            language: str | None = None, options: typing.Sequence[str] = ()) -> list[Kernel]:
    """Counts the kernels of a file (.cu, .hip, .ptx, or a kernel file), or of a text with several lines: PTX, such as Triton's
    compiled.asm["ptx"], CUDA or HIP source, or the notation of kernel files (`language`: "ptx", "cuda", "hip", "kernel"; without
    it as the text looks).

    block and grid are numbers or tuples; what nobody gives is assumed, and Kernel.assumed has it. `options` are further ones of the
    command line. Raises Error if no kernel is counted; kernels that are not counted beside others are left out.
    """
    words = ["--json", *options]
    if isinstance(source, bytes):
        source = os.fsdecode(source)
    if machine is not None:
        words += ["-m", machine]
    if block is not None:
        words += ["--block", _shape(block)]
    if grid is not None:
        words += ["--grid", _shape(grid)]
    words += _arguments(arguments or {})
    for name in _several(kernels):
        words += ["--kernel", name]
    for folder in _several(include):
        words += ["-I", os.fspath(folder)]
    for name, value in (defines or {}).items():
        words += ["-D", f"{name}={value}"]
    is_text = isinstance(source, str) and "\n" in source
    if is_text and language is not None:
        words += ["-x", language]
    code, out, error = run(*words, "-" if is_text else _file(source), input=source if is_text else None)
    _require(code, error)
    found = _data(out)
    files = found.get("files", [found])
    if any("accesses" not in one for file in files for one in file["kernels"]):
        raise Error("analyze() needs what --json prints without --diff and --unknowns; leave them out, or use run()")
    return [_kernel(one) for file in files for one in file["kernels"]]


def total(machine: str, kernel: str, /, **values: int) -> Total:
    """The cost of one block of a kernel in the notation of kernel files; `values` are those of its names.

    total("sm_90", "block 32\\nshared float a[64]\\nload a[S * tx]", S=2).shared.wavefronts is 2.
    """
    return totals(machine, kernel, **{name: [value] for name, value in values.items()})[0]


def totals(machine: str, kernel: str, /, **values: typing.Sequence[int]) -> list[Total]:
    """The costs of many variants of a kernel in one call, on all processors. Each name has a sequence of values (lists, ranges,
    arrays), all of one length: variant i has the i-th of each. A tuner's 10,000 variants take a fraction of a second.
    """
    for name, column in values.items():
        if isinstance(column, (str, bytes)):
            raise Error(f"{name} is a text; give a sequence of whole numbers")
    try:
        columns = {name: [operator.index(one) for one in column] for name, column in values.items()}
    except TypeError as why:
        raise Error(f"values are whole numbers, and totals() needs sequences of them: {why}") from None
    lengths = {len(column) for column in columns.values()} or {1}
    if len(lengths) != 1:
        raise Error("totals() needs as many values of each name, and has " +
                    ", ".join(f"{len(column)} of {name}" for name, column in columns.items()))
    count = lengths.pop()
    numbers = [number for variant in zip(*columns.values()) for number in variant]
    for number in numbers:
        if not -2**63 <= number < 2**63:
            raise Error(f"{number} does not fit in 64 bits")
    costs = (_Cost * count)()
    error = ctypes.c_void_p()
    code = _library.bankmodel_totals(_bytes(machine), _bytes(kernel), len(columns), _words(list(columns)), count,
                                     (ctypes.c_int64 * len(numbers))(*numbers), costs, ctypes.byref(error))
    _require(code, _taken(error))
    return [Total(Cost(one.requests, one.wavefronts, one.ideal, one.degree),
                  Traffic(one.global_requests, one.transactions, one.ideal_transactions, one.lines, one.bytes_used, one.bytes_moved))
            for one in costs]


def optimize(machine: str, kernel: str, /, *, options: typing.Sequence[str] = (), **values: int) -> Plan:
    """The layouts of the kernel's shared arrays that take the fewest wavefronts. `options` are those of the command line for plans,
    such as ["--shared-bytes", "8192"]. Raises Error if there is no plan."""
    code, out, error = run("--json", "-x", "kernel", "-m", machine, *options, *_arguments(values), "-", input=kernel)
    _require(code, error)
    [of] = _data(out)["kernels"]
    plan = of["joint_plan"]
    if plan is None:
        raise Error(next((note for note in of["notes"] if note.startswith("no plan: ")),
                         "there is no plan: the kernel accesses no shared memory, or --no-plan is given"))
    return Plan(_cost(plan["before"]), _cost(plan["after"]), plan["after"]["bytes"], plan["arrays"], plan["declarations"],
                plan["indices"], plan["optimal"], plan)
