/* A Cortex-M4 under QEMU (mps2-an386): vectors, and a word to the PC through semihosting. */
#include "ids.h"

extern uint32_t stack_end[], bss[], bss_end[];

static long semihosting(long call, const void *argument) {
  register long r0 __asm__("r0") = call;
  register const void *r1 __asm__("r1") = argument;
  __asm__ volatile("bkpt #0xab" : "+r"(r0) : "r"(r1) : "memory");
  return r0;
}

void print(const char *text) { semihosting(0x04, text); }

static _Noreturn void leave(int code) {
  /* "The application is done", and its exit code. */
  const uint32_t done[2] = {0x20026, (uint32_t)code};
  for (;;) semihosting(0x20, done);
}

static void fault(void) { leave(99); }

/* What ids() took of the stack: it was painted before. */
static void print_stack(const uint32_t *lowest) {
  char line[32] = "stack ", *to = line + 6;
  unsigned used = (unsigned)((const char *)stack_end - (const char *)lowest);
  for (unsigned place = 10000; place > 0; place /= 10) *to++ = (char)('0' + used / place % 10);
  *to++ = '\n';
  print(line);
}

static void reset(void) {
  for (uint32_t *word = bss; word < bss_end; word++) *word = 0;
  uint32_t *here = __builtin_frame_address(0);
  for (uint32_t *word = bss_end; word < here - 16; word++) *word = 0x5afe5afe;
  int code = ids();
  const uint32_t *lowest = bss_end;
  while (*lowest == 0x5afe5afe) lowest++;
  print_stack(lowest);
  leave(code);
}

__attribute__((section(".vectors"))) const void *const vectors[16] = {
    stack_end, (void *)reset, (void *)fault, (void *)fault, (void *)fault, (void *)fault, (void *)fault};
