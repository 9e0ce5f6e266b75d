/* Answers from a file that tests/library/answers.rs writes from tests/testdata/. One answer per line, words separated by
 * one space, bytes in hex, "-" for no bytes. Compiled as C99 and as C++11. */

#ifndef ANSWERS_H
#define ANSWERS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long checks, failures;

#define CHECK(what)                                                                                                  \
    do {                                                                                                             \
        checks++;                                                                                                    \
        if (!(what) && failures++ < 20) printf("%s:%d: not %s (line %lu)\n", __FILE__, __LINE__, #what, line_number); \
    } while (0)

/* Bytes in an allocation of exactly their size, so that valgrind sees a read beyond them. */
typedef struct bytes {
    uint8_t *at;
    size_t length;
} bytes;

static unsigned long line_number;

static int digit(char c) {
    return c <= '9' ? c - '0' : c - 'a' + 10;
}

static bytes from_hex(const char *hex) {
    bytes b = {NULL, 0};
    size_t i;
    if (strcmp(hex, "-") == 0) return b;
    b.length = strlen(hex) / 2;
    b.at = (uint8_t *)malloc(b.length);
    if (b.at == NULL) abort();
    for (i = 0; i < b.length; i++) b.at[i] = (uint8_t)(digit(hex[2 * i]) << 4 | digit(hex[2 * i + 1]));
    return b;
}

/* Reads the next line and splits it into words. Returns their number, 0 at the end. */
static size_t next_line(FILE *file, char **line, size_t *room, char *words[], size_t most) {
    size_t n = 0, used = 0;
    char *word;
    for (;;) {
        if (*room - used < 2) {
            *room = *room ? 2 * *room : 4096;
            *line = (char *)realloc(*line, *room);
            if (*line == NULL) abort();
        }
        if (fgets(*line + used, (int)(*room - used), file) == NULL) {
            if (used == 0) return 0;
            break;
        }
        used += strlen(*line + used);
        if (used > 0 && (*line)[used - 1] == '\n') break;
    }
    line_number++;
    for (word = strtok(*line, " \n"); word != NULL && n < most; word = strtok(NULL, " \n")) words[n++] = word;
    return n;
}

#endif
