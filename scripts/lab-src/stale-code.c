// Checks whether this machine executes instructions that have been overwritten. One thread repeatedly rewrites a
// function so that it returns the next number, and then publishes that number. Another thread reads the published
// number, serializes, as x86 requires before executing code that another core has written, and calls the function. The
// result must not be older than the published number. Java's compilers change code under running threads in the same
// way.
//
//   cc -O2 -pthread -o stale-code stale-code.c && ./stale-code SECONDS
//
// Prints one line of counts, and exits with 1 if old code was executed, which a real processor never does. QEMU 7.2
// does if it runs every core of a guest in its own thread and the two threads run on two cores (docs/testing.md).
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

static _Atomic uint32_t published;
static _Atomic int over;
static _Atomic uint32_t *number; // inside the function
static uint32_t (*function)(void);

static void *rewrite(void *nothing) {
    for (uint32_t next = 1; !over; next++) {
        atomic_store_explicit(number, next, memory_order_relaxed);
        atomic_store_explicit(&published, next, memory_order_release);
        // Usually leaves the other thread time to execute the current code.
        for (volatile uint32_t i = next % 512; i > 0; i--) {
        }
    }
    return nothing;
}

static void serialize(void) {
    uint32_t a = 0, b, c = 0, d;
    __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d) : : "memory");
}

int main(int count, char **words) {
    const int seconds = count > 1 ? atoi(words[1]) : 10;
    uint8_t *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) {
        perror("mmap");
        return 2;
    }
    // mov eax, number; ret -- with the number aligned to four bytes, so that it changes atomically.
    page[67] = 0xb8;
    page[72] = 0xc3;
    number = (_Atomic uint32_t *)(page + 68);
    function = (uint32_t (*)(void))(uintptr_t)(page + 67);
    pthread_t writer;
    if (pthread_create(&writer, NULL, rewrite, NULL) != 0) {
        return 2;
    }
    uint64_t calls = 0, old = 0;
    for (const time_t end = time(NULL) + seconds; time(NULL) < end;) {
        for (int i = 0; i < 1000; i++, calls++) {
            const uint32_t expected = atomic_load_explicit(&published, memory_order_acquire);
            serialize();
            // Numbers wrap around: a number is later if it is less than half the range ahead.
            old += (int32_t)(function() - expected) < 0;
        }
    }
    over = 1;
    pthread_join(writer, NULL);
    printf("%llu calls, %u rewrites, %llu calls executed what had been overwritten\n", (unsigned long long)calls,
           (unsigned)published, (unsigned long long)old);
    return old > 0;
}
