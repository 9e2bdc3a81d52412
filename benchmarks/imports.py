"""What importing each handler costs: CPU and memory of a fresh process, over a bare interpreter."""

import subprocess
import sys
from pathlib import Path
from typing import Any

from infra.functions import FUNCTIONS

ROOT = Path(__file__).parents[1]
RUNS = 5
# Peak memory is read from /proc: `ru_maxrss` is inherited over fork and would be the parent's.
_PROGRAM = """
import resource
{imports}
used = resource.getrusage(resource.RUSAGE_SELF)
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
print((used.ru_utime + used.ru_stime) * 1000, int(peak.split()[1]) / 1024)
"""


def run() -> dict[str, Any]:
    """Return, per function, milliseconds of CPU and MB of peak memory beyond the interpreter's."""
    bare_ms, bare_mb = _measure("")
    functions = {}
    for name in FUNCTIONS:
        cpu_ms, peak_mb = _measure(f"import functions.{name}.handler")
        functions[name] = {
            "import_cpu_ms": round(cpu_ms - bare_ms, 1),
            "import_peak_mb": round(peak_mb - bare_mb, 1),
        }
    return {"runs": RUNS, "bare_interpreter_cpu_ms": round(bare_ms, 1), "functions": functions}


def _measure(imports: str) -> tuple[float, float]:
    """Return the minimum over the runs: what the machine adds is never less than nothing."""
    samples = [_sample(imports) for _ in range(RUNS)]
    return min(cpu for cpu, _ in samples), min(peak for _, peak in samples)


def _sample(imports: str) -> tuple[float, float]:
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM.format(imports=imports)],
        cwd=ROOT,
        env={"PYTHONPATH": f"{ROOT / 'layers' / 'core' / 'python'}:{ROOT}"},
        capture_output=True,
        text=True,
        check=True,
    )
    cpu_ms, peak_mb = done.stdout.split()
    return float(cpu_ms), float(peak_mb)


def machine() -> dict[str, Any]:
    """Return what a reader needs to know of the machine: ratios travel, milliseconds do not."""
    return {"python": sys.version.split()[0], "platform": sys.platform}
