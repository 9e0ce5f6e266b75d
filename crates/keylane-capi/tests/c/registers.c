/* Calls every function of the library, with every kernel and with random numbers in the registers. Checks what the
 * calling convention of x86-64 (System V) demands: a call preserves rbx, rbp, r12 to r15, the stack pointer, the
 * direction flag, and the control words of SSE and the x87. Functions that break the rule test the check itself. */

#include <keylane.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef void (*function)(void);

/* The registers and flags after a call, as `probe` saw them. */
typedef struct found {
    uint64_t registers[6];
    uint64_t flags;
    uint32_t mxcsr[2];
    uint16_t x87[2];
} found;

/* Calls `f` with eight arguments and with six numbers in rbx, rbp and r12 to r15. Returns its result from rax. */
uint64_t probe(function f, const uint64_t arguments[8], const uint64_t registers[6], found *found);

__asm__(
    ".text\n"
    "probe:\n"
    "    push %rbx\n    push %rbp\n    push %r12\n    push %r13\n    push %r14\n    push %r15\n    push %rcx\n"
    "    stmxcsr 56(%rcx)\n    fnstcw 64(%rcx)\n"
    "    sub $16, %rsp\n" /* rsp is a multiple of 16 here, as the convention requires */
    "    mov 48(%rsi), %rax\n    mov %rax, (%rsp)\n    mov 56(%rsi), %rax\n    mov %rax, 8(%rsp)\n"
    "    mov (%rdx), %rbx\n    mov 8(%rdx), %rbp\n    mov 16(%rdx), %r12\n    mov 24(%rdx), %r13\n"
    "    mov 32(%rdx), %r14\n    mov 40(%rdx), %r15\n"
    "    mov %rdi, %r11\n    mov %rsi, %r10\n"
    "    mov (%r10), %rdi\n    mov 8(%r10), %rsi\n    mov 16(%r10), %rdx\n    mov 24(%r10), %rcx\n"
    "    mov 32(%r10), %r8\n    mov 40(%r10), %r9\n"
    "    call *%r11\n"
    "    mov 16(%rsp), %rcx\n"
    "    mov %rbx, (%rcx)\n    mov %rbp, 8(%rcx)\n    mov %r12, 16(%rcx)\n    mov %r13, 24(%rcx)\n"
    "    mov %r14, 32(%rcx)\n    mov %r15, 40(%rcx)\n"
    "    pushfq\n    pop %rdx\n    mov %rdx, 48(%rcx)\n    cld\n"
    "    stmxcsr 60(%rcx)\n    fnstcw 66(%rcx)\n    ldmxcsr 56(%rcx)\n    fldcw 64(%rcx)\n"
    "    add $24, %rsp\n"
    "    pop %r15\n    pop %r14\n    pop %r13\n    pop %r12\n    pop %rbp\n    pop %rbx\n"
    "    ret\n"
    /* Functions that each break the rule in one place. */
    "corrupt_0: not %rbx\n ret\n"
    "corrupt_1: not %rbp\n ret\n"
    "corrupt_2: not %r12\n ret\n"
    "corrupt_3: not %r13\n ret\n"
    "corrupt_4: btc $63, %r14\n ret\n"
    "corrupt_5: inc %r15\n ret\n"
    "corrupt_6: std\n ret\n"
    "corrupt_7: push $0x7f80\n ldmxcsr (%rsp)\n pop %rax\n ret\n"
    "corrupt_8: push $0x27f\n fldcw (%rsp)\n pop %rax\n ret\n");

void corrupt_0(void);
void corrupt_1(void);
void corrupt_2(void);
void corrupt_3(void);
void corrupt_4(void);
void corrupt_5(void);
void corrupt_6(void);
void corrupt_7(void);
void corrupt_8(void);

static uint64_t state = 0x9e3779b97f4a7c15;

static uint64_t next(void) {
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

static unsigned long calls, failures;
static int telling = 1;

/* Whether a call preserves everything. */
static int clean(function f, const uint64_t arguments[8], uint64_t *answer) {
    uint64_t registers[6];
    found found;
    size_t i;
    for (i = 0; i < 6; i++) registers[i] = next();
    *answer = probe(f, arguments, registers, &found);
    return memcmp(registers, found.registers, sizeof registers) == 0 && (found.flags & 0x400) == 0 &&
        ((found.mxcsr[0] ^ found.mxcsr[1]) & ~0x3fu) == 0 && found.x87[0] == found.x87[1];
}

static void call(const char *name, function f, const uint64_t arguments[8], int answers) {
    uint64_t answer;
    calls++;
    if (telling) printf("call %s\n", name);
    if (!clean(f, arguments, &answer)) {
        failures++;
        printf("%s does not preserve the registers\n", name);
    }
    if (answers && (uint32_t)answer != KEYLANE_OK) {
        failures++;
        printf("%s: %s\n", name, keylane_strerror((int)answer));
    }
}

#define P(pointer) ((uint64_t)(uintptr_t)(pointer))
#define CALL(name, ...) call(#name, (function)name, (const uint64_t[8]){__VA_ARGS__}, 1)
#define VOID(name, ...) call(#name, (function)name, (const uint64_t[8]){__VA_ARGS__}, 0)

enum { N = 100, LONG = 4096 };

static uint8_t bytes[LONG * 4], keys[32 * N], tags[16 * N], good[N];
static uint32_t u32s[N];
static uint64_t u64s[N];
static int32_t offsets32[N + 1];
static int64_t offsets64[N + 1];
static keylane_message messages[N];
static uint8_t views[N][16];
static keylane_tag128 results[N];

#define FAMILY(F)                                                         \
    CALL(keylane_##F##_stream_init, P(&s), P(&h));                        \
    CALL(keylane_##F##_stream_update, P(&s), P(bytes + 1), LONG + 3)

#define WIDTH(F, B, TAG)                                                                                             \
    CALL(keylane_##F##_hash##B, P(&h), P(bytes), LONG + 5, P(results));                                              \
    CALL(keylane_##F##_verify##B, P(&h), P(bytes), LONG + 5, TAG);                                                   \
    CALL(keylane_##F##_hash##B##_nocase, P(&h), P(bytes), LONG + 5, P(results));                                     \
    CALL(keylane_##F##_hash##B##_u32, P(&h), 7, P(results));                                                         \
    CALL(keylane_##F##_hash##B##_u64, P(&h), 7, P(results));                                                         \
    CALL(keylane_##F##_hash##B##_u128, P(&h), P(bytes), P(results));                                                 \
    FAMILY(F);                                                                                                       \
    CALL(keylane_##F##_stream_finish##B, P(&s), P(results));                                                         \
    CALL(keylane_##F##_stream_verify##B, P(&s), TAG);                                                                \
    VOID(keylane_##F##_stream_wipe, P(&s));                                                                          \
    CALL(keylane_##F##_hash##B##_u32s, P(&h), P(u32s), N, P(results));                                               \
    CALL(keylane_##F##_hash##B##_u64s, P(&h), P(u64s), N, P(results));                                               \
    CALL(keylane_##F##_hash##B##_u128s, P(&h), P(bytes), N, P(results));                                             \
    CALL(keylane_##F##_hash##B##_rows, P(&h), P(bytes), 13 * N, 13, 1, N, P(results));                               \
    CALL(keylane_##F##_hash##B##_offsets32, P(&h), P(bytes), sizeof bytes, P(offsets32), 1, N, P(results));          \
    CALL(keylane_##F##_hash##B##_offsets64, P(&h), P(bytes), sizeof bytes, P(offsets64), 0, N, P(results));          \
    CALL(keylane_##F##_hash##B##_views, P(&h), P(views), P(messages), N, 1, N, P(results));                          \
    CALL(keylane_##F##_hash##B##_many, P(&h), P(messages), 1, N, P(results));                                        \
    VOID(keylane_##F##_wipe, P(&h))

/* The tag to verify: the first n bytes of the results, where the previous call has written it. */
static uint64_t low(size_t n) {
    uint64_t tag = 0;
    memcpy(&tag, results, n);
    return tag;
}

static void families(unsigned int c, unsigned int d) {
    {
        keylane_siphash h;
        keylane_siphash_stream s;
        CALL(keylane_siphash_init, P(&h), c, d, 64, P(keys));
        WIDTH(siphash, 64, low(8));
        CALL(keylane_siphash_init, P(&h), c, d, 128, P(keys));
        WIDTH(siphash, 128, P(results));
    }
    {
        keylane_halfsiphash h;
        keylane_halfsiphash_stream s;
        CALL(keylane_halfsiphash_init, P(&h), c, d, 32, P(keys));
        WIDTH(halfsiphash, 32, low(4));
        CALL(keylane_halfsiphash_init, P(&h), c, d, 64, P(keys));
        WIDTH(halfsiphash, 64, low(8));
    }
}

static void one_shots(void) {
    static const char address[4];
    keylane_siphash13uj uj;
#define ONE(name) CALL(name, P(keys), P(bytes), 600, P(results))
    ONE(keylane_siphash11);
    ONE(keylane_siphash12);
    ONE(keylane_siphash13);
    ONE(keylane_siphash24);
    ONE(keylane_siphash48);
    ONE(keylane_siphash12_nocase);
    ONE(keylane_siphash13_nocase);
    ONE(keylane_siphash24_nocase);
    ONE(keylane_siphashx13);
    ONE(keylane_siphashx24);
    ONE(keylane_siphashx48);
    ONE(keylane_halfsiphash13);
    ONE(keylane_halfsiphash24);
    ONE(keylane_halfsiphashx13);
    ONE(keylane_halfsiphashx24);
    ONE(keylane_hsiphash64);
    ONE(keylane_hsiphash32);
    CALL(keylane_dns_cookie, P(keys), P(bytes), 7, P(address), 4, P(tags));
    CALL(keylane_dns_cookie_verify, P(keys), P(bytes), P(tags), P(address), 4);
    CALL(keylane_siphash13uj_init, P(&uj), P(keys));
    CALL(keylane_siphash13uj_word, P(&uj), 7);
    CALL(keylane_siphash13uj_jumbo, P(&uj), P(bytes));
    CALL(keylane_siphash13uj_finish, P(&uj), P(results));
    VOID(keylane_siphash13uj_wipe, P(&uj));
    CALL(keylane_random, P(tags), 16);
    VOID(keylane_wipe, P(tags), 16);
}

static void poly1305(void) {
    keylane_poly1305 p;
    size_t length;
    for (length = 40; length < sizeof bytes; length *= 3) {
        CALL(keylane_poly1305_mac, P(keys), P(bytes), length, P(tags));
        CALL(keylane_poly1305_mac_verify, P(keys), P(bytes), length, P(tags));
        CALL(keylane_poly1305_init, P(&p), P(keys));
        CALL(keylane_poly1305_update, P(&p), P(bytes), 20);
        CALL(keylane_poly1305_update, P(&p), P(bytes + 20), length - 20);
        CALL(keylane_poly1305_finish_verify, P(&p), P(tags));
        CALL(keylane_poly1305_init_aes, P(&p), P(keys), P(keys), P(keys));
        CALL(keylane_poly1305_update, P(&p), P(bytes), length);
        CALL(keylane_poly1305_finish, P(&p), P(tags));
        CALL(keylane_poly1305_init_rfc8439, P(&p), P(keys), P(keys));
        VOID(keylane_poly1305_wipe, P(&p));
    }
    CALL(keylane_poly1305_macs, P(keys), P(messages), N, P(tags));
    CALL(keylane_poly1305_macs_verify, P(keys), P(messages), N, P(tags), P(good));
}

static void packets(void) {
    static uint8_t data[N][150];
    static keylane_packet list[N];
    keylane_chacha20poly1305 c;
    size_t i;
    for (i = 0; i < N; i++) {
        list[i].nonce = keys + i;
        list[i].aad = bytes;
        list[i].aad_length = i % 40;
        list[i].data = data[i];
        list[i].length = i * 37 % 150;
        list[i].tag = tags + 16 * i;
    }
    CALL(keylane_chacha20poly1305_init_xchacha20, P(&c), P(keys), P(bytes));
    CALL(keylane_chacha20poly1305_init, P(&c), P(keys));
    CALL(keylane_chacha20poly1305_seal_many_with_nonces, P(&c), P(list), N);
    CALL(keylane_chacha20poly1305_open_many, P(&c), P(list), N, P(good));
    CALL(keylane_chacha20poly1305_seal_with_nonce, P(&c), P(keys), P(keys), 20, P(bytes), sizeof bytes, P(tags));
    CALL(keylane_chacha20poly1305_open, P(&c), P(keys), P(keys), 20, P(bytes), sizeof bytes, P(tags));
    VOID(keylane_chacha20poly1305_wipe, P(&c));
}

static void everything(void) {
    families(1, 3);
    families(2, 4);
    families(3, 5);
    one_shots();
    poly1305();
    packets();
}

int main(void) {
    static keylane_kernel list[100];
    static const function corrupters[9] = {corrupt_0, corrupt_1, corrupt_2, corrupt_3, corrupt_4, corrupt_5, corrupt_6,
        corrupt_7, corrupt_8};
    static const uint64_t nothing[8];
    size_t count = 0, i, at = 0;
    uint64_t answer;
    char text[80];
    for (i = 0; i < 9; i++) {
        if (clean(corrupters[i], nothing, &answer)) {
            printf("corrupter %lu is not detected\n", (unsigned long)i);
            return 1;
        }
    }
    for (i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)next();
    for (i = 0; i < sizeof keys; i++) keys[i] = (uint8_t)next();
    for (i = 0; i < N; i++) {
        u32s[i] = (uint32_t)next();
        u64s[i] = next();
        messages[i].bytes = bytes + at;
        messages[i].length = i * 37 % 150;
        offsets32[i] = (int32_t)at;
        offsets64[i] = (int64_t)at;
        views[i][0] = (uint8_t)messages[i].length;
        views[i][8] = messages[i].length > 12 ? (uint8_t)i : 0xff;
        at += messages[i].length;
    }
    offsets32[N] = (int32_t)at;
    offsets64[N] = (int64_t)at;
    everything();
    CALL(keylane_kernels, P(list), 100, P(&count));
    CALL(keylane_environment, P(text), sizeof text);
    CALL(keylane_selftest, 0);
    VOID(keylane_strerror, 3);
    VOID(keylane_version, 0);
    telling = 0;
    for (i = 0; i < count; i++) {
        if (list[i].state == KEYLANE_KERNEL_ABSENT) continue;
        telling = i == 0;
        CALL(keylane_force, P(list[i].slot), P(list[i].id));
        telling = 0;
        everything();
    }
    printf("%lu calls, %lu failures\n", calls, failures);
    return failures != 0;
}
