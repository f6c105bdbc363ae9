// Holds a stream until the host opens the gate, or until limit_ns have passed: a lost host must not hang the device.
// With a ticket that never opens, the device idles for limit_ns.
extern "C" __global__ void spin(const volatile unsigned* gate, unsigned ticket, unsigned long long limit_ns) {
  unsigned long long begin, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  do {
    if (*gate == ticket) break;
    __nanosleep(200);
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (now - begin < limit_ns);
}
