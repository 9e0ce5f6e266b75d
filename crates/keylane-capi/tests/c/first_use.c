/* What may happen inside the first use of the kernels: a fork whose child calls keylane, a signal whose handler calls
 * keylane, setenv and unsetenv in another thread. Each try is a process of its own, forked before it has used a kernel.
 *
 * Arguments: fork, signal or setenv, and the number of tries. */

#define _GNU_SOURCE
#include <keylane.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { COUNT = 100, LONG = 5000 };

/* A child that hangs longer ends by SIGALRM. */
enum { SECONDS = 20 };

static const uint8_t key[32] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17};
static const uint8_t bytes[LONG] = "message";

typedef struct answers {
    uint64_t many[COUNT], one;
    uint32_t half[COUNT];
    uint8_t macs[3 * 16], middle[16], whole[16];
} answers;

/* Uses every slot. */
static int use(answers *a) {
    static const uint8_t keys[3 * 32] = {1, 2, 3};
    uint64_t integers[COUNT] = {0};
    uint32_t small[COUNT] = {0};
    keylane_message messages[3];
    keylane_siphash h;
    keylane_halfsiphash half;
    size_t i;
    memset(a, 0, sizeof *a);
    for (i = 0; i < COUNT; i++) small[i] = (uint32_t)(integers[i] = i);
    for (i = 0; i < 3; i++) messages[i].bytes = bytes, messages[i].length = 300 + i;
    return keylane_siphash_init(&h, 2, 4, 64, key) || keylane_halfsiphash_init(&half, 2, 4, 32, key) ||
           keylane_siphash_hash64_u64s(&h, integers, COUNT, a->many) || keylane_siphash_hash64(&h, bytes, LONG, &a->one) ||
           keylane_halfsiphash_hash32_u32s(&half, small, COUNT, a->half) ||
           keylane_poly1305_macs(keys, messages, 3, a->macs) || keylane_poly1305_mac(key, bytes, 160, a->middle) ||
           keylane_poly1305_mac(key, bytes, LONG, a->whole);
}

static answers right;

/* Whether a use gives the answers that every process must get. */
static int is_right(void) {
    answers got;
    return use(&got) == 0 && memcmp(&got, &right, sizeof got) == 0;
}

static uint64_t nanoseconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void wait_until(uint64_t end) {
    while (nanoseconds() < end) {
    }
}

/* Whether the main thread is in its first use: 0 before, 1 in it, 2 after. */
static atomic_int stage;

static int first(void) {
    int failed;
    atomic_store(&stage, 1);
    failed = !is_right();
    atomic_store(&stage, 2);
    return failed;
}

/* What a try returns: 0 right, 3 right and the other thing came within the first use. */
enum { RIGHT = 0, WRONG = 1, RIGHT_WITHIN = 3 };

/* What the handler found: 0 before it ran, WRONG, RIGHT_WITHIN, or RIGHT_OUTSIDE the first use. */
static volatile sig_atomic_t handled;

enum { RIGHT_OUTSIDE = 2 };

static int found(int is_good) {
    return !is_good ? WRONG : atomic_load(&stage) == 1 ? RIGHT_WITHIN : RIGHT_OUTSIDE;
}

static void use_in_handler(int number) {
    (void)number;
    handled = found(is_right());
}

/* The child has whatever the first use has left so far, and nobody who ends it. */
static void fork_in_handler(int number) {
    int status;
    pid_t child = fork();
    (void)number;
    if (child == 0) {
        alarm(SECONDS);
        _exit(!is_right());
    }
    handled = found(child > 0 && waitpid(child, &status, 0) == child && status == 0);
}

/* A timer interrupts the thread itself: so the window is met on one CPU too. */
static int interrupted(void (*handler)(int), uint64_t delay) {
    struct sigaction action;
    struct sigevent event;
    struct itimerspec when;
    timer_t timer;
    int failed;
    memset(&action, 0, sizeof action);
    memset(&event, 0, sizeof event);
    memset(&when, 0, sizeof when);
    action.sa_handler = handler;
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = SIGUSR1;
    when.it_value.tv_nsec = (long)delay + 1;
    if (sigaction(SIGUSR1, &action, NULL) != 0 || timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 ||
        timer_settime(timer, 0, &when, NULL) != 0)
        return 2;
    failed = first();
    while (handled == 0) {
    }
    return failed || handled == WRONG ? WRONG : handled == RIGHT_WITHIN ? RIGHT_WITHIN : RIGHT;
}

static int try_fork(uint64_t delay) {
    return interrupted(fork_in_handler, delay);
}

static int try_signal(uint64_t delay) {
    return interrupted(use_in_handler, delay);
}

/* Makes the environment larger, which moves it, and smaller again. */
static void *change_environment(void *unused) {
    char name[32];
    int i;
    for (i = 0; atomic_load(&stage) < 2; i++) {
        snprintf(name, sizeof name, "NAME%d", i);
        if (setenv(name, "a value", 1) != 0) _exit(2);
        if (i % 3 == 0) unsetenv(name);
    }
    return unused;
}

static int try_setenv(uint64_t delay) {
    pthread_t thread;
    int failed;
    if (pthread_create(&thread, NULL, change_environment, NULL) != 0) return 2;
    wait_until(nanoseconds() + delay);
    failed = first();
    return pthread_join(thread, NULL) != 0 || failed ? WRONG : RIGHT_WITHIN;
}

int main(int argc, char **argv) {
    const char *what = argc == 3 ? argv[1] : "";
    int (*attempt)(uint64_t) = strcmp(what, "fork") == 0   ? try_fork
                               : strcmp(what, "signal") == 0 ? try_signal
                               : strcmp(what, "setenv") == 0 ? try_setenv
                                                             : NULL;
    int tries = argc == 3 ? atoi(argv[2]) : 0, i, within = 0, ends[2];
    uint64_t most = 0;
    pid_t child;
    if (attempt == NULL || tries < 2 || pipe(ends) != 0) return 2;
    /* The right answers, and the time that a first use takes, from a process that nothing disturbs. */
    child = fork();
    if (child == 0) {
        uint64_t begin = nanoseconds();
        int failed = use(&right);
        most = nanoseconds() - begin;
        _exit(failed || write(ends[1], &right, sizeof right) != sizeof right ||
              write(ends[1], &most, sizeof most) != sizeof most);
    }
    if (child < 0 || read(ends[0], &right, sizeof right) != sizeof right ||
        read(ends[0], &most, sizeof most) != sizeof most || waitpid(child, &i, 0) != child || i != 0)
        return 2;
    /* Other processes may keep every try of a round from its window, so there are more rounds. */
    for (i = 0; i < tries || (within == 0 && i < 20 * tries); i++) {
        int status;
        child = fork();
        if (child == 0) {
            alarm(2 * SECONDS);
            _exit(attempt(most * (uint64_t)(i % tries) / (uint64_t)tries));
        }
        if (child < 0 || waitpid(child, &status, 0) != child) return 2;
        if (status != 0 && !(WIFEXITED(status) && WEXITSTATUS(status) == RIGHT_WITHIN)) {
            printf("%s, try %d: status %#x\n", what, i, (unsigned int)status);
            return 1;
        }
        within += status != 0;
    }
    printf("%s: %d tries, %d within a first use of %lu microseconds\n", what, i, within,
        (unsigned long)(most / 1000));
    return within == 0;
}
