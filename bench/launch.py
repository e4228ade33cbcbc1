"""`python bench/launch.py REPORT_FD COMMAND …`: runs a command and reports its cost.

A process of its own, because a child's peak memory counts from that of the process that started it: this one is small,
whatever the benchmark itself has in memory. It imports next to nothing for the same reason.
"""

import os
import sys
import time


def main(report: int, command: list[str]) -> None:
    begun = time.perf_counter()
    child = os.posix_spawnp(command[0], command, os.environ)
    _, status, used = os.wait4(child, 0)
    wall = time.perf_counter() - begun
    cpu = used.ru_utime + used.ru_stime
    os.write(report, f"{wall} {cpu} {used.ru_maxrss} {os.waitstatus_to_exitcode(status)}".encode())


if __name__ == "__main__":
    # Not inheritable: a process left behind by the command would keep the report open.
    os.set_inheritable(int(sys.argv[1]), False)
    main(int(sys.argv[1]), sys.argv[2:])
