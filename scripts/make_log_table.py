#!/usr/bin/env python3
"""Writes src/numeric/exact_log_table.h: the constants of numeric/exact_log, from 60-digit decimal arithmetic."""

from decimal import ROUND_HALF_EVEN, Decimal, getcontext
from fractions import Fraction
from pathlib import Path

getcontext().prec = 60
INTERVALS = 128  # of [1, 2)
FIRST_HALVED = 53  # from 1.4140625 on the mantissa is halved
STEPS = 512  # reciprocals are multiples of 1 / STEPS

HEADER = """\
// Written by scripts/make_log_table.py.
// Interval j holds the mantissas m in [1 + j/{n}, 1 + (j+1)/{n}), halved from j = {halved} on.
// reciprocal is close to 1/m, has at most ten significant bits, and is 1 in the two intervals beside m = 1;
// minus_log_high + minus_log_low = -ln(reciprocal).
#pragma once

namespace scvet::numeric {{

inline constexpr int kLogIntervals = {n}, kLogFirstHalved = {halved};
inline constexpr double kLn2High = {ln2_high};  // the low bits are 0: times any exponent it is exact
inline constexpr double kLn2Low = {ln2_low};
inline constexpr double kThirdHigh = {third_high}, kThirdLow = {third_low};

struct LogInterval {{
  double reciprocal, minus_log_high, minus_log_low;
}};
inline constexpr LogInterval kLogTable[kLogIntervals] = {{
{rows}
}};

}}  // namespace scvet::numeric
"""


def nearest(value: Decimal) -> float:
    """The double nearest to a decimal (float() of an exact fraction is correctly rounded)."""
    return float(Fraction(value))


def split(value: Decimal) -> tuple[str, str]:
    high = nearest(value)
    return high.hex(), nearest(value - Decimal(high)).hex()


def reciprocal(interval: int) -> Fraction:
    if interval in (0, INTERVALS - 1):
        return Fraction(1)
    middle = 1 + Fraction(2 * interval + 1, 2 * INTERVALS)
    if interval >= FIRST_HALVED:
        middle /= 2
    steps = (Decimal((STEPS / middle).numerator) / Decimal((STEPS / middle).denominator)).to_integral_value(
        ROUND_HALF_EVEN
    )
    return Fraction(int(steps), STEPS)


def row(interval: int) -> str:
    value = reciprocal(interval)
    exact = Decimal(value.numerator) / Decimal(value.denominator)
    if value == 1:
        return "    {1.0, 0.0, 0.0},"
    high, low = split(-exact.ln())
    return f"    {{{float(value)!r}, {high}, {low}}},"


def main() -> None:
    ln2 = Decimal(2).ln()
    ln2_high = Fraction(int(Fraction(ln2) * 2**42), 2**42)
    ln2_low = nearest(ln2 - Decimal(ln2_high.numerator) / Decimal(ln2_high.denominator))
    third_high, third_low = split(Decimal(1) / 3)
    text = HEADER.format(
        n=INTERVALS,
        halved=FIRST_HALVED,
        ln2_high=float(ln2_high).hex(),
        ln2_low=ln2_low.hex(),
        third_high=third_high,
        third_low=third_low,
        rows="\n".join(row(interval) for interval in range(INTERVALS)),
    )
    (Path(__file__).parent.parent / "src/numeric/exact_log_table.h").write_text(text)


if __name__ == "__main__":
    main()
