#!/bin/sh
# A real Slurm of one node, this machine, for tests: single_node.sh start|stop FOLDER
# Needs root and Debian's slurm-wlm and munge. Everything it writes is in FOLDER, its own munge key and socket included,
# so that it neither needs nor touches a Slurm that is configured here. Then: export SLURM_CONF=FOLDER/slurm.conf
set -eu
action=$1
folder=$(realpath -m "$2")
host=$(hostname -s)

start() {
    mkdir -p "$folder/state" "$folder/spool"
    chmod 755 "$folder"
    dd if=/dev/urandom of="$folder/munge.key" bs=128 count=1 2>/dev/null
    chmod 600 "$folder/munge.key"
    # --force: a folder of tests is not as closed as munge wants its own to be.
    munged --force --key-file="$folder/munge.key" --socket="$folder/munge.socket" --pid-file="$folder/munged.pid" \
        --log-file="$folder/munged.log" --seed-file="$folder/munge.seed"
    cat >"$folder/slurm.conf" <<CONF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
CredType=cred/munge
SlurmctldPort=16817
SlurmdPort=16818
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
SchedulerParameters=sched_interval=2
MinJobAge=60
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) RealMemory=1000 State=UNKNOWN
PartitionName=test Nodes=$host Default=YES MaxTime=INFINITE State=UP
CONF
    export SLURM_CONF="$folder/slurm.conf"
    slurmctld
    slurmd
    tries=0
    until sinfo --noheader --format=%t 2>/dev/null | grep -q idle; do
        tries=$((tries + 1))
        if [ "$tries" -gt 60 ]; then
            echo "Slurm did not start; see the logs in $folder" >&2
            exit 1
        fi
        sleep 0.5
    done
}

stop() {
    # The jobs first: without the daemons nobody would end them or their step managers.
    SLURM_CONF="$folder/slurm.conf" scancel --user="$(id -un)" 2>/dev/null || true
    tries=0
    while [ "$tries" -lt 40 ] && [ -n "$(SLURM_CONF="$folder/slurm.conf" squeue --noheader 2>/dev/null)" ]; do
        tries=$((tries + 1))
        sleep 0.25
    done
    for name in slurmd slurmctld munged; do
        if [ -f "$folder/$name.pid" ]; then
            kill "$(cat "$folder/$name.pid")" 2>/dev/null || true
        fi
    done
}

"$action"
