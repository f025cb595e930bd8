#!/usr/bin/env bash
# A real Slurm of one node on this machine, from Debian's packages: `start_slurm.sh` starts what does not run yet,
# `start_slurm.sh stop` stops it. For tests: it overwrites /etc/slurm/slurm.conf if it wrote that file itself.
set -euo pipefail

config=/etc/slurm/slurm.conf
mark="# Written by tests/slurm/start_slurm.sh."

fail() {
    echo "start_slurm.sh: error: $1" >&2
    exit 2
}

# By the file that each daemon writes its process id to: nothing else is ever stopped.
runs() {
    local pid
    pid=$(cat "$1" 2>/dev/null) && [ "$(cat "/proc/$pid/comm" 2>/dev/null)" = "$2" ]
}

stop() {
    runs "$1" "$2" || return 0
    kill "$(cat "$1")"
    for _ in $(seq 100); do runs "$1" "$2" || return 0; sleep 0.2; done
    fail "$2 does not stop"
}

munge=/run/munge/munged.pid ctl=/run/slurmctld.pid d=/run/slurmd.pid
[ "$(id -u)" -eq 0 ] || fail "only root can start or stop Slurm's daemons"
case ${1:-start} in
start) ;;
stop)
    stop $d slurmd
    stop $ctl slurmctld
    stop $munge munged
    exit 0
    ;;
*) fail "it takes start (the default) or stop, not '$1'" ;;
esac

for daemon in munged slurmctld slurmd; do
    command -v $daemon >/dev/null ||
        fail "$daemon is not installed: apt-get install --no-install-recommends slurm-wlm munge"
done
if [ -e $config ] && ! grep -qF "$mark" $config; then fail "$config is of a Slurm that is not this script's"; fi

# What slurmd -C finds, with a little less memory: a node that turns out to have less than promised is drained.
hardware=$(slurmd -C | head -n 1)
name=$(sed -E 's/^NodeName=([^ ]+).*/\1/' <<<"$hardware")
cpus=$(nproc)
memory=$(($(sed -E 's/.*RealMemory=([0-9]+).*/\1/' <<<"$hardware") * 9 / 10))
mkdir -p /etc/slurm /run/munge /var/lib/slurm-test/ctld /var/lib/slurm-test/d
written=$(mktemp)
# Neither cgroups nor an accounting database, for containers have none. Processes are known by their group, not by their
# parents: a job's shell dies first, and what it had started would outlive the job. A killed job gets 2 seconds to end.
cat >"$written" <<END
$mark
ClusterName=test
SlurmctldHost=$name
SlurmUser=root
AuthType=auth/munge
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
SchedulerParameters=sched_interval=2
ReturnToService=2
MinJobAge=300
KillWait=2
StateSaveLocation=/var/lib/slurm-test/ctld
SlurmdSpoolDir=/var/lib/slurm-test/d
SlurmctldPidFile=$ctl
SlurmdPidFile=$d
SlurmctldLogFile=/var/lib/slurm-test/slurmctld.log
SlurmdLogFile=/var/lib/slurm-test/slurmd.log
NodeName=$name CPUs=$cpus RealMemory=$memory State=UNKNOWN
PartitionName=test Nodes=$name Default=YES MaxTime=INFINITE State=UP
END
if ! cmp -s "$written" $config; then
    stop $d slurmd
    stop $ctl slurmctld
    install -m 644 "$written" $config
fi
rm -f "$written"

if ! runs $munge munged; then
    [ -e /etc/munge/munge.key ] || mungekey --create
    chown munge: /run/munge
    setpriv --reuid munge --regid munge --clear-groups munged
fi
runs $ctl slurmctld || slurmctld
runs $d slurmd || slurmd
for _ in $(seq 150); do
    if sinfo --noheader --format=%T 2>/dev/null | grep -qE '^(idle|mixed|allocated)$'; then
        echo "Slurm runs: one node, $cpus cores, $memory MiB"
        exit 0
    fi
    sleep 0.2
done
fail "the node is not ready; see /var/lib/slurm-test/*.log"
