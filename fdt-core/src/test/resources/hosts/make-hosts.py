#!/usr/bin/env python3
"""Writes the recorded hosts beside this file, from the documented formats of the kernel's files.

A line is a path, a tab and the content with \\n, \\t and \\\\ escaped; or a path, a tab, "->", a tab and the target of a link.
Usage: python3 make-hosts.py
"""
import pathlib

HERE = pathlib.Path(__file__).parent
BOOT = "0f3b7c52-5d0e-4a55-9d2c-1f6a2b7c9e01"


class Host:
    def __init__(self):
        self.lines = []

    def file(self, path, content):
        text = content.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n")
        self.lines.append(f"{path}\t{text}")

    def line(self, path, content):
        self.file(path, f"{content}\n")

    def link(self, path, target):
        self.lines.append(f"{path}\t->\t{target}")

    def write(self, name):
        (HERE / f"{name}.host").write_text("\n".join(self.lines) + "\n")

    def kernel(self, name, release, model, cores):
        self.line("proc/sys/kernel/hostname", name)
        self.line("proc/sys/kernel/osrelease", release)
        self.line("proc/sys/kernel/random/boot_id", BOOT)
        self.file("proc/cpuinfo", "".join(f"processor\t: {c}\nmodel name\t: {model}\n\n" for c in cores))

    def stat(self, cores, softirq=()):
        rows = ["cpu  1 0 1 1 0 0 1 0 0 0"]
        for c in cores:
            rows.append(f"cpu{c} 200 0 900 300 0 0 8600 0 0 0" if c in softirq else f"cpu{c} 900 0 600 8400 50 0 50 0 0 0")
        self.file("proc/stat", "\n".join(rows) + "\n")

    def core(self, core, socket, siblings, l3, l3_size, governor=None):
        base = f"sys/devices/system/cpu/cpu{core}"
        self.line(f"{base}/topology/physical_package_id", socket)
        self.line(f"{base}/topology/thread_siblings_list", siblings)
        for index, level, kind, size, shared in ((0, 1, "Data", "32K", siblings), (2, 2, "Unified", "1024K", siblings),
                                                 (3, 3, "Unified", l3_size, l3)):
            cache = f"{base}/cache/index{index}"
            self.line(f"{cache}/level", level)
            self.line(f"{cache}/type", kind)
            self.line(f"{cache}/size", size)
            self.line(f"{cache}/shared_cpu_list", shared)
        if governor:
            self.line(f"{base}/cpufreq/scaling_governor", governor)

    def nic(self, name, driver, pci, node, speed, mtu, queues, mask, link=None, state="up", counters=None, rps=None):
        base = f"sys/class/net/{name}"
        device = f"sys/devices/pci0000:{pci.split(':')[1]}/{pci}"
        self.link(f"{base}/device", f"../../../devices/pci0000:{pci.split(':')[1]}/{pci}")
        if f"{device}/uevent\tDRIVER" not in "\n".join(self.lines):
            self.file(f"{device}/uevent", f"DRIVER={driver}\nPCI_CLASS=20000\nPCI_SLOT_NAME={pci}\n")
            self.line(f"{device}/numa_node", node)
            if link:
                for file, value in zip(("current_link_speed", "current_link_width", "max_link_speed", "max_link_width"), link):
                    self.line(f"{device}/{file}", value)
        self.line(f"{base}/operstate", state)
        self.line(f"{base}/speed", speed if state == "up" else -1)
        self.line(f"{base}/mtu", mtu)
        for q in range(queues):
            self.line(f"{base}/queues/rx-{q}/rps_cpus", rps or mask)
            self.line(f"{base}/queues/rx-{q}/rps_flow_cnt", 0)
            self.line(f"{base}/queues/tx-{q}/xps_cpus", mask)
        for counter, value in (counters or {}).items():
            self.line(f"{base}/statistics/{counter}", value)
        return device

    def sysctls(self, values):
        for name, value in values.items():
            self.line("proc/sys/" + name.replace(".", "/"), value)

    def interrupts(self, cores, rows, default):
        """Each row: number, name, chip, the core that took it, how often, allowed, effective."""
        table = ["     " + "".join(f"{'CPU%d' % c:>11}" for c in cores)]
        for number, name, chip, core, count, allowed, effective in rows:
            counts = "".join(f"{count if c == core else 0:>11}" for c in cores)
            table.append(f"{number:>4}:{counts}  {chip}      {name}")
            self.line(f"proc/irq/{number}/smp_affinity_list", default if allowed is None else allowed)
            self.line(f"proc/irq/{number}/effective_affinity_list", effective)
        table.append(" NMI:" + "".join(f"{7:>11}" for _ in cores) + "   Non-maskable interrupts")
        table.append(" LOC:" + "".join(f"{123456:>11}" for _ in cores) + "   Local timer interrupts")
        table.append(" ERR:          0")
        self.file("proc/interrupts", "\n".join(table) + "\n")


DEFAULTS = {
    "net.core.rmem_max": 212992,
    "net.core.wmem_max": 212992,
    "net.core.netdev_max_backlog": 1000,
    "net.core.netdev_budget": 300,
    "net.core.default_qdisc": "fq_codel",
    "net.core.rps_sock_flow_entries": 0,
    "net.ipv4.tcp_rmem": "4096\t131072\t6291456",
    "net.ipv4.tcp_wmem": "4096\t16384\t4194304",
    "net.ipv4.tcp_mem": "768000\t1024000\t1536000",
    "net.ipv4.tcp_congestion_control": "cubic",
    "net.ipv4.tcp_available_congestion_control": "reno cubic",
    "net.ipv4.tcp_mtu_probing": 0,
    "net.ipv4.tcp_adv_win_scale": 1,
    "net.ipv4.tcp_window_scaling": 1,
    "net.ipv4.tcp_timestamps": 1,
    "net.ipv4.tcp_sack": 1,
}


def bonded40():
    """Two sockets of six cores with two threads each, 24 in all; two 40GE NICs (i40e, mlx4) bonded, as an untuned host is."""
    h = Host()
    cores = list(range(24))
    node = lambda c: 0 if c % 12 < 6 else 1
    h.kernel("dtn40", "4.18.0-553.el8_10.x86_64", "Intel(R) Xeon(R) CPU E5-2643 v3 @ 3.40GHz", cores)
    h.stat(cores, softirq=(2,))
    h.line("sys/devices/system/cpu/online", "0-23")
    lists = {0: "0-5,12-17", 1: "6-11,18-23"}
    for n in (0, 1):
        h.line(f"sys/devices/system/node/node{n}/cpulist", lists[n])
    for c in cores:
        h.core(c, node(c), f"{c % 12},{c % 12 + 12}", lists[node(c)], "20480K", "powersave")
    # eth2 stands on node 0 in a slot of Gen3 x8; eth3 on node 1 in one that trained down to Gen2.
    pcie3 = ("8.0 GT/s PCIe", 8, "8.0 GT/s PCIe", 8)
    pcie2 = ("5.0 GT/s PCIe", 8, "8.0 GT/s PCIe", 8)
    one = dict(rx_bytes=9_000_000_000_000, tx_bytes=8_000_000_000_000, rx_packets=1_000_000_000, tx_packets=1_000_000_000,
               rx_dropped=12, rx_missed_errors=4711)
    other = dict(rx_bytes=100_000_000_000, tx_bytes=90_000_000_000, rx_packets=11_000_000, tx_packets=10_000_000,
                 rx_dropped=0, rx_missed_errors=0)
    eth2 = h.nic("eth2", "i40e", "0000:03:00.0", 0, 40000, 9000, 8, "000000", pcie3, counters=one)
    eth3 = h.nic("eth3", "mlx4_en", "0000:82:00.0", 1, 40000, 9000, 8, "000000", pcie2, counters=other)
    h.nic("eth0", "igb", "0000:01:00.0", 0, 1000, 1500, 2, "000000", ("5.0 GT/s PCIe", 4, "5.0 GT/s PCIe", 4))
    rows = []
    all_ = "0-23"
    for q in range(2):
        rows.append((40 + q, f"eth0-TxRx-{q}", f"IR-PCI-MSI {524288 + q}-edge", q, 4000 + q, all_, q))
    rows.append((60, "i40e-0000:03:00.0:misc", "IR-PCI-MSI 1572864-edge", 0, 120, all_, 0))
    # As irqbalance left it: queues 0 and 1 together on core 2, queue 5 on the wrong node.
    for q, core in enumerate((2, 2, 3, 4, 5, 9, 12, 13)):
        rows.append((61 + q, f"i40e-eth2-TxRx-{q}", f"IR-PCI-MSI {1572865 + q}-edge", core, 91_000_000 + q, core, core))
    rows.append((80, "mlx4-async@pci:0000:82:00.0", "IR-PCI-MSI 68157440-edge", 6, 900, all_, 6))
    for q, core in enumerate((6, 7, 8, 9, 10, 11, 18, 19)):
        rows.append((81 + q, f"mlx4-{q + 1}@pci:0000:82:00.0", f"IR-PCI-MSI {68157441 + q}-edge", core, 88_000_000 + q, core, core))
    h.interrupts(cores, rows, all_)
    for device, numbers in ((eth2, range(60, 69)), (eth3, range(80, 89))):
        for n in numbers:
            h.line(f"{device}/msi_irqs/{n}", "msix")
    h.file("ethtool/eth2", "rx-ring 512 4096\ntx-ring 512 4096\ngeneric-receive-offload on\ntcp-segmentation-offload on\n")
    h.file("ethtool/eth3", "rx-ring 8192 8192\ntx-ring 8192 8192\ngeneric-receive-offload off\n")
    h.line("sys/class/net/bonding_masters", "bond0")
    h.line("sys/class/net/bond0/mtu", 9000)
    h.line("sys/class/net/bond0/operstate", "up")
    h.line("sys/class/net/bond0/speed", 80000)
    h.line("sys/class/net/bond0/bonding/mode", "802.3ad 4")
    h.line("sys/class/net/bond0/bonding/xmit_hash_policy", "layer2 0")
    h.line("sys/class/net/bond0/bonding/slaves", "eth2 eth3")
    for slave, failures in (("eth2", 0), ("eth3", 3)):
        h.line(f"sys/class/net/{slave}/bonding_slave/mii_status", "up")
        h.line(f"sys/class/net/{slave}/bonding_slave/link_failure_count", failures)
    h.sysctls(DEFAULTS)
    h.line("proc/1/comm", "systemd")
    h.line("proc/871/comm", "irqbalance")
    h.line("proc/4242/comm", "java")
    for tid, name, core, allowed in ((4242, "java", 1, "0-23"), (4260, "fdt-lane-0", 3, "3"), (4261, "fdt-lane-1", 14, "0-23")):
        task = f"proc/4242/task/{tid}"
        h.line(f"{task}/comm", name)
        h.line(f"{task}/stat", f"{tid} ({name}) S 1 1 1 0 -1 4194368 1 0 0 0 5 5 0 0 20 0 40 0 100 0 0 18446744073709551615 "
                               f"0 0 0 0 0 0 0 0 0 0 0 0 -1 {core} 0 0 0 0 0 0 0 0 0 0 0 0 0")
        h.file(f"{task}/status", f"Name:\t{name}\nCpus_allowed_list:\t{allowed}\n")
    h.write("bonded40")


def single100():
    """One socket of 32 cores without hardware threads, four caches of eight; one 100GE NIC (mlx5) with RDMA, well kept."""
    h = Host()
    cores = list(range(32))
    h.kernel("dtn100", "5.14.0-427.el9.x86_64", "AMD EPYC 7543P 32-Core Processor", cores)
    h.stat(cores)
    h.line("sys/devices/system/cpu/online", "0-31")
    h.line("sys/devices/system/node/node0/cpulist", "0-31")
    for c in cores:
        h.core(c, 0, c, f"{c // 8 * 8}-{c // 8 * 8 + 7}", "32768K", "performance")
    counters = dict(rx_bytes=10 ** 15, tx_bytes=10 ** 15, rx_packets=10 ** 12, tx_packets=10 ** 12, rx_dropped=0, rx_missed_errors=0)
    device = h.nic("ens1f0np0", "mlx5_core", "0000:81:00.0", 0, 100000, 9000, 16, "00000000",
                   ("16.0 GT/s PCIe", 16, "16.0 GT/s PCIe", 16), counters=counters)
    rows = [(120, "mlx5_async0@pci:0000:81:00.0", "IR-PCI-MSIX-0000:81:00.0 0-edge", 0, 50, "0-31", 0)]
    for q in range(16):
        rows.append((121 + q, f"mlx5_comp{q}@pci:0000:81:00.0", f"IR-PCI-MSIX-0000:81:00.0 {q + 1}-edge", q * 2, 5_000_000 + q,
                     q * 2, q * 2))
    h.interrupts(cores, rows, "0-31")
    for n in range(120, 137):
        h.line(f"{device}/msi_irqs/{n}", "msix")
    h.file("ethtool/ens1f0np0", "rx-ring 8192 8192\ntx-ring 8192 8192\ngeneric-receive-offload on\ntcp-segmentation-offload on\n")
    rdma = "sys/class/infiniband/mlx5_0"
    h.line(f"{rdma}/device/numa_node", 0)
    h.line(f"{rdma}/ports/1/state", "4: ACTIVE")
    h.line(f"{rdma}/ports/1/link_layer", "Ethernet")
    h.line(f"{rdma}/ports/1/rate", "100 Gb/sec (4X EDR)")
    h.line(f"{rdma}/ports/1/gid_attrs/ndevs/0", "ens1f0np0")
    h.line(f"{rdma}/ports/1/counters/port_xmit_data", 250)
    h.line(f"{rdma}/ports/1/counters/port_rcv_data", 1000)
    h.line(f"{rdma}/ports/1/counters/symbol_error", 0)
    h.line(f"{rdma}/ports/1/hw_counters/out_of_sequence", 17)
    big = dict(DEFAULTS)
    big.update({
        "net.core.rmem_max": 2147483647, "net.core.wmem_max": 2147483647, "net.core.netdev_max_backlog": 250000,
        "net.core.default_qdisc": "fq", "net.ipv4.tcp_rmem": "4096\t131072\t1073741824",
        "net.ipv4.tcp_wmem": "4096\t65536\t1073741824", "net.ipv4.tcp_mtu_probing": 1,
        "net.ipv4.tcp_congestion_control": "bbr", "net.ipv4.tcp_available_congestion_control": "reno cubic bbr"})
    h.sysctls(big)
    h.line("proc/1/comm", "systemd")
    h.write("single100")


def vm():
    """Four cores of a virtual machine with one virtio NIC of one queue pair; no PCIe, no frequencies, no node."""
    h = Host()
    cores = list(range(4))
    h.kernel("vm", "6.1.0-28-cloud-amd64", "Intel Xeon Processor (Icelake)", cores)
    h.stat(cores)
    h.line("sys/devices/system/cpu/online", "0-3")
    h.line("sys/devices/system/node/node0/cpulist", "0-3")
    for c in cores:
        h.core(c, 0, c, "0-3", "16384K")
    base = "sys/class/net/ens3"
    pci = "sys/devices/pci0000:00/0000:00:03.0"
    h.link(f"{base}/device", "../../../devices/pci0000:00/0000:00:03.0/virtio0")
    h.file(f"{pci}/virtio0/uevent", "DRIVER=virtio_net\nMODALIAS=virtio:d00000001v00001AF4\n")
    h.file(f"{pci}/uevent", "DRIVER=virtio-pci\nPCI_SLOT_NAME=0000:00:03.0\n")
    h.line(f"{pci}/numa_node", -1)
    for n in (24, 25, 26):
        h.line(f"{pci}/msi_irqs/{n}", "msix")
    h.line(f"{base}/operstate", "up")
    h.line(f"{base}/speed", -1)
    h.line(f"{base}/mtu", 1500)
    h.line(f"{base}/queues/rx-0/rps_cpus", "0")
    h.line(f"{base}/queues/rx-0/rps_flow_cnt", 0)
    h.line("sys/class/net/lo/mtu", 65536)
    h.interrupts(cores, [
        (24, "virtio0-config", "PCI-MSIX-0000:00:03.0 0-edge", 0, 0, "0-3", 0),
        (25, "virtio0-input.0", "PCI-MSIX-0000:00:03.0 1-edge", 1, 700_000, "0-3", 1),
        (26, "virtio0-output.0", "PCI-MSIX-0000:00:03.0 2-edge", 1, 500_000, "0-3", 1)], "0-3")
    h.sysctls(DEFAULTS)
    h.write("vm")


def container():
    """A container that hides all: an empty /proc/sys and no /sys at all."""
    h = Host()
    h.line("proc/sys/kernel/hostname", "c0ffee")
    h.write("container")


for make in (bonded40, single100, vm, container):
    make()
