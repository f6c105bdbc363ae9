"""A Slurm of four nodes on this machine, in a folder: this module starts and stops the controller, node daemons and
munge. It touches no other Slurm and no other munge."""
import os
import pwd
import shutil
import signal
import socket
import subprocess
import time

NEEDED = ("slurmctld", "slurmd", "munged", "sbatch", "squeue", "scontrol")
NODES = ("n1", "n2", "n3", "n4")

CONF = """
ClusterName=warptune-test
SlurmctldHost={host}
SlurmctldPort={ports[0]}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
MpiDefault=none
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
KillWait=5
SchedulerParameters=sched_interval=5,batch_sched_delay=0
{nodes}
PartitionName=low Nodes=n[1-4] Default=YES PriorityTier=1 MaxTime=60 OverSubscribe=NO
PartitionName=high Nodes=n[1-4] PriorityTier=10 PreemptMode=off
"""


def missing():
    """The programs that this test needs and that are not installed."""
    path = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    return [name for name in NEEDED if not shutil.which(name, path=path)]


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    try:
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]
    finally:
        for one in sockets:
            one.close()


class Cluster:
    def __init__(self, folder):
        self.folder = folder
        self.conf = folder / "slurm.conf"
        self.environment = {**os.environ, "SLURM_CONF": str(self.conf),
                            "PATH": os.environ.get("PATH", "") + ":/usr/sbin:/sbin"}
        self.daemons = []

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *unused):
        self.stop()

    def start(self):
        folder, host = self.folder, socket.gethostname()
        (folder / "state").mkdir()
        for node in NODES:
            (folder / f"spool.{node}").mkdir()
        os.chmod(folder, 0o755)
        key = folder / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o600)
        ports = free_ports(1 + len(NODES))
        nodes = "\n".join(f"NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=2 State=UNKNOWN"
                          for node, port in zip(NODES, ports[1:]))
        self.conf.write_text(CONF.format(host=f"{host}(127.0.0.1)", ports=ports, folder=folder, nodes=nodes,
                                         user=pwd.getpwuid(os.getuid()).pw_name))
        # In the foreground, so that their pids are known and they end with this test.
        self.daemon("munged", "--foreground", "--force", f"--socket={folder}/munge.socket", f"--key-file={key}",
                    f"--pid-file={folder}/munged.pid", f"--log-file={folder}/munged.log",
                    f"--seed-file={folder}/munged.seed")
        self.wait(lambda: (folder / "munge.socket").exists(), "munged makes its socket", 20)
        self.daemon("slurmctld", "-D", "-f", str(self.conf))
        for node in NODES:
            self.daemon("slurmd", "-D", "-f", str(self.conf), "-N", node)
        self.wait(lambda: self.output("sinfo", "-h", "-p", "low", "-o", "%T %D").split() == ["idle", "4"], "four idle nodes", 60)

    def daemon(self, *words):
        log = open(self.folder / f"{words[0]}.out", "ab")
        self.daemons.append(subprocess.Popen(words, env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                             start_new_session=True))

    def stop(self):
        if len(self.daemons) > 1:
            self.run("scancel", "--user", pwd.getpwuid(os.getuid()).pw_name, "--signal=KILL", "--full")
            self.run("scancel", "--user", pwd.getpwuid(os.getuid()).pw_name)
        for daemon in reversed(self.daemons):
            daemon.send_signal(signal.SIGTERM)
            try:
                daemon.wait(timeout=15)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()

    def run(self, *words, **more):
        return subprocess.run(words, env={**self.environment, **more}, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=120)

    def output(self, *words):
        return self.run(*words).stdout

    def queue(self, job):
        """Array task -> (state, node) of the tasks that have not ended."""
        lines = self.output("squeue", "-h", "-r", "-j", job, "-o", "%i %T %N").splitlines()
        return {line.split()[0]: (line.split() + [""])[1:3] for line in lines}

    def wait(self, condition, what, seconds):
        deadline = time.monotonic() + seconds
        while not (found := condition()):
            if time.monotonic() > deadline:
                raise TimeoutError(f"not within {seconds} s: {what}")
            time.sleep(0.2)
        return found
