// Keeps and puts back the process's signal handlers.
#ifndef PYTHON3_HANDLERS_H
#define PYTHON3_HANDLERS_H

#include <stdint.h>

// One bit a signal: bit 0 is signal 1.
struct python3_handlers {
	uint64_t replaced;
	uint64_t lost_onstack;
};

__attribute__((visibility("hidden"))) void python3_save_handlers(void);
__attribute__((visibility("hidden"))) int python3_restore_handlers(uint64_t among, struct python3_handlers *changed);

#endif
