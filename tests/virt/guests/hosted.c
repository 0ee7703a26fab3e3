/* SPDX-License-Identifier: Apache-2.0 */
/* An ordinary C program; linked with a C library whose console and exit are calls to the host. */
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    char line[64];
    printf("who? ");
    fflush(stdout);
    if (fgets(line, sizeof line, stdin) != NULL) {
        printf("hello %s", line);
    }
    fputs("aside\n", stderr);
    printf("%s\n", fopen("/etc/hostname", "r") == NULL ? "no files" : "files");
    exit(7);
}
