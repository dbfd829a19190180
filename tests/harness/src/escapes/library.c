/* Writes to the file $AT when a program loads this library. */
#include <stdio.h>
#include <stdlib.h>

__attribute__((constructor)) static void loaded(void) {
    const char *at = getenv("AT");
    FILE *file = at ? fopen(at, "a") : NULL;
    if (file) {
        fputs("loaded\n", file);
        fclose(file);
    }
}
