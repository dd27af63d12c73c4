# SPDX-License-Identifier: MIT
"""Executes the machine code of small integer kernels, one warp, and counts the requests of each line.

The lanes of a warp are split by branches and rejoin at BSYNC, WARPSYNC and BAR alone, as the machine code says: BSSY sets a
barrier for its active lanes, BREAK and EXIT take lanes from it, BSYNC waits for those that are left."""
import re
import struct
import subprocess

LANES = 32
ALL = range(LANES)
MASK = 0xFFFFFFFF


class Unknown(Exception):
    """The machine code has what this file does not execute."""


class Instruction:
    def __init__(self, guard, name, operands, line):
        self.guard, self.operands, self.line = guard, operands, line
        self.parts = name.split(".")
        self.name = self.parts[0]


def split_operands(text):
    result, depth, word = [], 0, ""
    for c in text:
        depth += c in "[(" and 1 or c in "])" and -1 or 0
        if c == "," and depth == 0:
            result.append(word.strip())
            word = ""
        else:
            word += c
    if word.strip():
        result.append(word.strip())
    return result


def read(disassembly):
    """{kernel: ([instructions], {label: index}, {offset: byte of its jump tables})}, from nvdisasm -g."""
    result, tables, code, labels, line, table = {}, {}, None, None, 0, None
    for text in disassembly.splitlines():
        text = text.strip()
        if text.startswith("//---"):
            code = table = None
        if (m := re.match(r"^\.nv\.constant2\.(\S+):$", text)):
            table = tables.setdefault(m.group(1), {})
        if table is not None and (m := re.search(r"\.byte\s+(.*)$", text)):
            for byte in m.group(1).split(","):
                table[len(table)] = int(byte, 0)
        if (m := re.match(r"^\.text\.(\S+):$", text)):
            name = m.group(1)
            code, labels, line = [], {}, 0
            result[name] = (code, labels, tables.setdefault(name, {}))
        elif (m := re.match(r'^//## File ".*", line (\d+)( inlined at.*)?$', text)):
            line = int(m.group(1))
        elif code is not None and (m := re.match(r"^(\.L_\w+):$", text)):
            labels[m.group(1)] = len(code)
        elif code is not None and (m := re.match(r"^/\*[0-9a-f]+\*/\s+(@!?U?P\w+\s+)?(\S+)\s*(.*?)\s*;", text)):
            code.append(Instruction((m.group(1) or "").strip(), m.group(2), split_operands(m.group(3)), line))
    return result


class Barrier:
    def __init__(self, lanes):
        self.lanes, self.waiting = set(lanes), {}


class Warp:
    """`parameters`: the bytes of the arguments. `special`: the values of SR_.., by lane or one for all."""

    def __init__(self, kernel, parameters, block, special, first_parameter):
        self.code, self.labels, self.table = kernel
        self.constant = {}
        for at, byte in enumerate(parameters):
            self.constant[first_parameter + at] = byte
        for at, size in enumerate(block):
            for i, byte in enumerate(struct.pack("<I", size)):
                self.constant[4 * at + i] = byte
        self.special = special
        self.register = [dict() for _ in ALL]
        self.predicate = [dict() for _ in ALL]
        self.uniform, self.uniform_predicate = {}, {}
        self.barrier = [dict() for _ in ALL]
        self.shared, self.memory = {}, {}
        self.requests = {}

    # ---- operands ----
    def constant_word(self, text, lane):
        m = re.match(r"^c\[(0x[02])\]\[(\w+)(?:\+(\w+))?\]$", text)
        if not m:
            raise Unknown(text)
        at = sum(self.value(part, lane) if part[0] == "R" else int(part, 0) for part in m.groups()[1:] if part)
        bank = self.constant if m.group(1) == "0x0" else self.table
        return sum(bank.get(at + i, 0) << 8 * i for i in range(4))

    def value(self, text, lane):
        text = text.replace(".reuse", "").replace(".64", "").replace(".U32", "")
        if text[0] == "-" and not re.match(r"^-(0x[0-9a-f]+|\d+)$", text):
            return -self.value(text[1:], lane) & MASK
        if text[0] == "~":
            return ~self.value(text[1:], lane) & MASK
        if text[0] == "|":
            value = self.value(text[1:-1], lane)
            return -value & MASK if value >> 31 else value
        if text in ("RZ", "URZ", "SRZ"):
            return 0
        if re.match(r"^R\d+$", text):
            return self.register[lane].get(int(text[1:]), 0)
        if re.match(r"^UR\d+$", text):
            return self.uniform.get(int(text[2:]), 0)
        if text.startswith("c["):
            return self.constant_word(text, lane)
        if re.match(r"^-?(0x[0-9a-f]+|\d+)$", text):
            return int(text, 0) & MASK
        raise Unknown("operand " + text)

    def truth(self, text, lane):
        if text[0] == "!":
            return not self.truth(text[1:], lane)
        if text in ("PT", "UPT"):
            return True
        if text[0] == "U":
            return self.uniform_predicate.get(text, False)
        return self.predicate[lane].get(text, False)

    def set(self, text, lane, value):
        if text[0] == "U":
            if text != "URZ":
                self.uniform[int(text[2:])] = value & MASK
        elif text != "RZ":
            self.register[lane][int(text[1:])] = value & MASK

    def set_truth(self, text, lane, value):
        if text in ("PT", "UPT"):
            return
        if text[0] == "U":
            self.uniform_predicate[text] = bool(value)
        else:
            self.predicate[lane][text] = bool(value)

    def pair(self, text, lane):
        text = text.replace(".reuse", "")
        if text in ("RZ", "URZ"):
            return 0
        if text.startswith("c["):
            at = int(re.match(r"^c\[0x0\]\[(\w+)\]$", text).group(1), 0)
            return sum(self.constant.get(at + i, 0) << 8 * i for i in range(8))
        if text[0] == "U":
            number = int(text[2:])
            return self.uniform.get(number, 0) | self.uniform.get(number + 1, 0) << 32
        if text[0] != "R":
            return self.value(text, lane)
        number = int(text[1:])
        return self.register[lane].get(number, 0) | self.register[lane].get(number + 1, 0) << 32

    def set_pair(self, text, lane, value):
        if text in ("RZ", "URZ"):
            return
        self.set(text, lane, value)
        prefix = "UR" if text[0] == "U" else "R"
        self.set(prefix + str(int(text[len(prefix):]) + 1), lane, value >> 32)

    def address(self, text, lane):
        text = re.sub(r"^desc\[\w+\](\[UR\d+\])?", "", text).strip("[]")
        result = 0
        for part in text.replace("+-", "+~").split("+"):
            negative = part[0] == "~"
            part = part[1:] if negative else part
            m = re.match(r"^R(\d+)\.(64|U32|X\d+)?.*$", part)
            if part.endswith(".64"):
                value = self.pair(part[:-3], lane)
            elif m and m.group(2) and m.group(2)[0] == "X":
                value = self.value("R" + m.group(1), lane) * int(m.group(2)[1:])
            elif part[0] in "RU":
                value = self.value(part, lane)
            else:
                value = int(part, 0)
            result += -value if negative else value
        return result & 0xFFFFFFFFFFFFFFFF

    # ---- one instruction in one lane ----
    def compute(self, one, lane):
        name, parts, o = one.name, one.parts, list(one.operands)
        base = name[1:] if name[0] == "U" and name not in ("UMOV",) else name
        signed = "U32" not in parts
        number = lambda text: self.value(text, lane)
        as_signed = lambda value: value - (1 << 32) if value >> 31 else value
        if name in ("MOV", "UMOV"):
            self.set(o[0], lane, number(o[1]))
        elif base in ("LDC", "LDCU"):
            if "64" in parts:
                self.set_pair(o[0], lane, self.pair(o[1], lane))
            else:
                self.set(o[0], lane, number(o[1]))
        elif name in ("S2R", "S2UR", "CS2R"):
            if name == "CS2R":
                (self.set if "32" in parts else self.set_pair)(o[0], lane, 0)
            else:
                value = self.special.get(o[1], 0)
                self.set(o[0], lane, value[lane] if isinstance(value, list) else value)
        elif name == "R2UR":
            self.set(o[0], lane, number(o[1]))
        elif base == "IADD3":
            carries = []
            while len(carries) < 2 and re.match(r"^U?P", o[1 + len(carries)]):
                carries.append(o[1 + len(carries)])
            given = o[1 + len(carries):]
            total = sum(number(x) for x in given[:3])
            if "X" in parts:
                total += sum(self.truth(x, lane) for x in given[3:])
            self.set(o[0], lane, total)
            for at, carry in enumerate(carries):
                self.set_truth(carry, lane, total >> 32 > at)
        elif name in ("VIADD", "IADD"):
            self.set(o[0], lane, number(o[1]) + number(o[2]))
        elif base == "IMAD":
            if "MOV" in parts:
                return self.set(o[0], lane, number(o[3]))
            if "IADD" in parts:
                return self.set(o[0], lane, number(o[1]) + number(o[3]))
            if "SHL" in parts:
                return self.set(o[0], lane, number(o[1]) * number(o[2]))
            carry = re.match(r"^U?P", o[1]) and o.pop(1)
            a, b = number(o[1]), number(o[2])
            product = as_signed(a) * as_signed(b) if signed else a * b
            if "WIDE" in parts:
                total = product + self.pair(o[3], lane)
                self.set_pair(o[0], lane, total)
            elif "HI" in parts:
                c = self.pair(o[3], lane)
                self.set(o[0], lane, product + c >> 32)
            else:
                total = a * b + number(o[3])
                if "X" in parts:
                    total += self.truth(o[4], lane)
                self.set(o[0], lane, total)
            if carry:
                raise Unknown("IMAD with a carry")
        elif base == "LEA":
            carry = re.match(r"^U?P", o[1]) and o.pop(1)
            if "HI" in parts:
                if "SX32" in parts:
                    shift, value = int(o[3], 0), as_signed(number(o[1])) & 0xFFFFFFFFFFFFFFFF
                else:
                    shift, value = int(o[4], 0), number(o[1]) | number(o[3]) << 32
                total = (value >> 32 - shift & MASK) + number(o[2])
            else:
                total = (number(o[1]) << int(o[3], 0) & MASK) + number(o[2])
            if "X" in parts:
                total += self.truth(o[-1], lane)
            self.set(o[0], lane, total)
            if carry:
                self.set_truth(carry, lane, total >> 32)
        elif base == "LOP3":
            truths = []
            while re.match(r"^U?P", o[0]):
                truths.append(o.pop(0))
            table = int(o[4], 0)
            a, b, c = number(o[1]), number(o[2]), number(o[3])
            result = 0
            for bit in range(8):
                if table >> bit & 1:
                    result |= (a if bit & 4 else ~a) & (b if bit & 2 else ~b) & (c if bit & 1 else ~c)
            result &= MASK
            self.set(o[0], lane, result)
            for truth in truths:
                extra = self.truth(o[5], lane) if len(o) > 5 else False
                self.set_truth(truth, lane, result != 0 or extra)
        elif base == "SHF":
            shift, low, high = number(o[2]), number(o[1]), number(o[3])
            value = low | high << 32
            kind = [x for x in parts if x in ("S32", "U32", "S64", "U64")][0]
            limit = 63 if "64" in kind else 32
            shift = shift & (63 if "64" in kind else 31) if "W" in parts else min(shift, limit)
            if "L" in parts:
                value = value << shift
                self.set(o[0], lane, value >> 32 if "HI" in parts else value)
            elif "HI" in parts and kind in ("S32", "U32"):
                value = as_signed(high) if kind == "S32" else high
                self.set(o[0], lane, value >> shift)
            else:
                self.set(o[0], lane, value >> shift)
        elif base == "ISETP":
            a, b = number(o[2]), number(o[3])
            if signed:
                a, b = as_signed(a), as_signed(b)
            compare = parts[1]
            result = {"LT": a < b, "GT": a > b, "LE": a <= b, "GE": a >= b, "EQ": a == b, "NE": a != b}[compare]
            if "EX" in parts:
                lower = self.truth(o[5], lane)
                result = lower if a == b else {"LT": a < b, "LE": a < b, "GT": a > b, "GE": a > b, "NE": True, "EQ": False}[compare]
            other = self.truth(o[4], lane)
            join = {"AND": lambda x: x and other, "OR": lambda x: x or other, "XOR": lambda x: x != other}
            join = join[[x for x in parts if x in join][0]]
            self.set_truth(o[0], lane, join(result))
            self.set_truth(o[1], lane, join(not result))
        elif base == "SEL":
            self.set(o[0], lane, number(o[1] if self.truth(o[3], lane) else o[2]))
        elif base == "PLOP3":
            table = int(o[5], 0)
            bits = sum(self.truth(o[2 + i], lane) << 2 - i for i in range(3))
            self.set_truth(o[0], lane, table >> bits & 1)
            self.set_truth(o[1], lane, int(o[6], 0) >> bits & 1 if len(o) > 6 else False)
        elif base == "IABS":
            value = number(o[1])
            self.set(o[0], lane, -value if value >> 31 else value)
        elif base in ("VIMNMX", "IMNMX"):
            if len(o) > 4 and (o[1], o[2]) == ("PT", "PT"):  # from 10.0 on
                del o[1:3]
            a, b = number(o[1]), number(o[2])
            if signed:
                a, b = as_signed(a), as_signed(b)
            self.set(o[0], lane, min(a, b) if self.truth(o[3], lane) else max(a, b))
        elif base == "VIADDMNMX":
            a, b = number(o[1]) + number(o[2]) & MASK, number(o[3])
            if signed:
                a, b = as_signed(a), as_signed(b)
            self.set(o[0], lane, min(a, b) if self.truth(o[4], lane) else max(a, b))
        elif base == "POPC":
            self.set(o[0], lane, bin(number(o[1])).count("1"))
        elif base == "FLO":
            value = number(o[1])
            self.set(o[0], lane, value.bit_length() - 1 if value else MASK)
        elif base == "BREV":
            self.set(o[0], lane, int(f"{number(o[1]):032b}"[::-1], 2))
        elif base == "PRMT":
            both = number(o[1]) | number(o[3]) << 32
            pick = number(o[2])
            result = 0
            for at in range(4):
                which = pick >> 4 * at & 15
                byte = both >> 8 * (which & 7) & 255
                if which & 8:
                    byte = 255 if byte & 128 else 0
                result |= byte << 8 * at
            self.set(o[0], lane, result)
        elif name == "HFMA2":  # of constants: how ptxas sets a register
            if o[1] not in ("-RZ", "RZ") or o[2] != "RZ":
                raise Unknown("HFMA2")
            high, low = (struct.unpack("<H", struct.pack("<e", float(x)))[0] for x in o[3:5])
            self.set(o[0], lane, high << 16 | low)
        elif name == "P2R":
            raise Unknown("P2R")
        elif name in ("LDS", "LDG", "LD", "STS", "STG", "ST", "ATOMS"):
            self.access(one, lane, name, parts, o)
        else:
            raise Unknown(".".join(parts))

    def access(self, one, lane, name, parts, o):
        bits = [int(x) for x in parts if x in ("64", "128")]
        size = bits[0] // 8 if bits else 2 if "U16" in parts or "S16" in parts else 1 if "U8" in parts or "S8" in parts else 4
        memory = self.shared if name in ("LDS", "STS", "ATOMS") else self.memory
        if name in ("LDS", "LDG", "LD"):
            at = self.address(o[1], lane)
            value = sum(memory.get(at + i, 0) << 8 * i for i in range(size))
            if "S8" in parts or "S16" in parts:
                value |= -1 << 8 * size if value >> 8 * size - 1 else 0
            first = int(o[0][1:]) if o[0] != "RZ" else None
            for word in range((size + 3) // 4):
                if first is not None:
                    self.set(f"R{first + word}", lane, value >> 32 * word)
            return
        if name == "ATOMS":
            raise Unknown("ATOMS")
        at, first = self.address(o[0], lane), o[1].replace(".reuse", "")
        for i in range(size):
            word = self.value(first if i < 4 else f"R{int(first[1:]) + i // 4}", lane)
            memory[at + i] = word >> 8 * (i % 4) & 255

    # ---- control ----
    def run(self, lanes, limit=2000000):
        """Lanes that are apart rejoin where the code says so alone."""
        groups = [(0, frozenset(lanes))]
        synced = {}  # (an instruction, a mask): the lanes that wait there
        live = set(lanes)
        steps = 0

        def leave_barriers(gone):
            for barrier in {id(b): b for each in ALL for b in self.barrier[each].values()}.values():
                barrier.lanes -= gone
                pass_if_all(barrier)

        def pass_if_all(barrier):
            for at, waiting in list(barrier.waiting.items()):
                if waiting and barrier.lanes <= waiting:
                    groups.append((at + 1, frozenset(waiting)))
                    del barrier.waiting[at]

        def pass_synced():
            for (at, named), waiting in list(synced.items()):
                if waiting and (named & live) <= waiting:
                    groups.append((at + 1, frozenset(waiting)))
                    del synced[at, named]

        while groups:
            at, active = groups.pop()
            while True:
                steps += 1
                if steps > limit:
                    raise Unknown("too many steps")
                one = self.code[at]
                guard = one.guard.lstrip("@")
                doing = frozenset(x for x in active if not guard or self.truth(guard, x))
                rest = active - doing
                name = one.name
                if name == "BRA":
                    if any(re.match(r"^!?U?P", x) for x in one.operands[:-1]):
                        condition = one.operands[0]
                        doing = frozenset(x for x in doing if self.truth(condition, x))
                        rest = active - doing
                    if "DIV" in one.parts:
                        raise Unknown("BRA.DIV")
                    to = self.labels[re.search(r"(\.L_\w+)", one.operands[-1]).group(1)]
                    if rest and doing:
                        groups.append((at + 1, rest))
                    at = to if doing else at + 1
                    active = doing or rest
                    continue
                if name == "BRX":  # to an address of a table
                    m = re.match(r"^(R\d+) (-?0x[0-9a-f]+)", one.operands[0])
                    ways = {}
                    for x in doing:
                        way = (self.value(m.group(1), x) + int(m.group(2), 0) + 16 * (at + 1)) // 16
                        ways.setdefault(way, set()).add(x)
                    if rest:
                        groups.append((at + 1, rest))
                    groups.extend((way, frozenset(lanes)) for way, lanes in ways.items())
                    break
                if name == "EXIT":
                    live -= doing
                    for x in doing:
                        self.barrier[x] = {}
                    leave_barriers(doing)
                    pass_synced()
                    if not rest:
                        break
                    at, active = at + 1, rest
                    continue
                if name == "BSSY":
                    barrier = Barrier(doing)
                    for x in doing:
                        self.barrier[x][one.operands[0]] = barrier
                elif name == "BREAK":
                    if len(one.operands) > 1:  # a second condition, as BRA has
                        doing = frozenset(x for x in doing if self.truth(one.operands[0], x))
                        rest = active - doing
                    left = {}
                    for x in doing:
                        barrier = self.barrier[x].pop(one.operands[-1], None)
                        if barrier:
                            barrier.lanes.discard(x)
                            left[id(barrier)] = barrier
                    for barrier in left.values():
                        pass_if_all(barrier)
                elif name == "BSYNC":
                    if rest:
                        raise Unknown("a BSYNC with a guard")
                    met = {}
                    alone = frozenset(x for x in doing if one.operands[-1] not in self.barrier[x])
                    if alone:  # they have left this barrier
                        groups.append((at + 1, alone))
                    for x in doing - alone:
                        barrier = self.barrier[x][one.operands[-1]]
                        barrier.waiting.setdefault(at, set()).add(x)
                        met[id(barrier)] = barrier
                    for barrier in met.values():
                        pass_if_all(barrier)
                    break
                elif name in ("WARPSYNC", "BAR"):
                    if name == "BAR" or "ALL" in one.parts:
                        named = {None: frozenset(ALL)}
                    else:
                        text = one.operands[-1]
                        named = {x: frozenset(y for y in ALL if self.value(text, x) >> y & 1) for x in doing}
                    for x in doing:
                        mask = named.get(x, named.get(None))
                        synced.setdefault((at, mask), set()).add(x)
                    if rest:
                        groups.append((at + 1, rest))
                    pass_synced()
                    break
                elif name in ("NOP", "YIELD", "DEPBAR", "MEMBAR", "ERRBAR", "CCTL", "NANOSLEEP"):
                    pass
                elif name == "VOTE" or name == "VOTEU":
                    yes = frozenset(x for x in doing if self.truth(one.operands[-1], x))
                    mask = sum(1 << x for x in yes)
                    for x in doing:
                        self.vote(one, x, yes, doing, mask)
                elif name == "SHFL":
                    self.shuffle(one, doing)
                elif name == "MATCH" and "ANY" in one.parts:
                    given = {x: self.value(one.operands[1], x) for x in doing}
                    for x in doing:
                        self.set(one.operands[0], x, sum(1 << y for y in doing if given[y] == given[x]))
                else:
                    if doing and name in ("LDS", "STS", "LDG", "STG", "ATOMS", "LD", "ST"):
                        key = (one.line, "load" if name[0] == "L" else "store", "shared" if name.endswith("S") else "global")
                        self.requests[key] = self.requests.get(key, 0) + 1
                    is_uniform = name[0] == "U" or name in ("S2UR", "R2UR")  # one value for the warp
                    for x in sorted(doing)[:1] if is_uniform else sorted(doing):
                        self.compute(one, x)
                at += 1
        if any(synced.values()) or live:
            raise Unknown("lanes wait for ever")

    def vote(self, one, lane, yes, doing, mask):
        truth = bool(yes) if "ANY" in one.parts else yes == doing
        for text in one.operands[:-1]:
            if re.match(r"^U?P", text):
                self.set_truth(text, lane, truth)
            else:
                self.set(text, lane, mask)

    def shuffle(self, one, doing):
        o = list(one.operands)
        truth = o.pop(0) if o[0][0] == "P" else "PT"
        given = {x: self.value(o[1], x) for x in ALL}
        results = {}
        for x in doing:
            by, c = self.value(o[2], x) & 31, self.value(o[3], x)
            end, segment = c & 31, c >> 8 & 31
            lowest = x & segment
            highest = lowest | end & ~segment & 31
            kind = one.parts[1]
            source = {"UP": x - by, "DOWN": x + by, "BFLY": x ^ by, "IDX": lowest | by & ~segment & 31}[kind]
            inside = source >= highest if kind == "UP" else source <= highest
            results[x] = (given[source if inside else x], inside)
        for x, (value, inside) in results.items():
            self.set(o[0], x, value)
            self.set_truth(truth, x, inside)


def disassembled(nvdisasm, cubin):
    done = subprocess.run([nvdisasm, "-g", cubin], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit("nvdisasm: " + done.stderr)
    return read(done.stdout)
