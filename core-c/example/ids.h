/* What differs between a PC and the board. */
#include "chunkmill_core.h"

void print(const char *text);
int ids(void);
