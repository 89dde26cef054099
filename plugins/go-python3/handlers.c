#define _GNU_SOURCE
#include "handlers.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>

#define LAST 64

// The kernel's signal set; libc's is longer, and libc does not fill the rest.
enum { KERNEL_SET = 8 };

static struct sigaction kept[LAST + 1];
static bool known[LAST + 1];

// sigaction refuses the signals that libc keeps to itself (32 and 33 in glibc); those belong to its threads and are left alone.
void python3_save_handlers(void)
{
	for (int s = 1; s <= LAST; s++)
		known[s] = sigaction(s, NULL, &kept[s]) == 0;
}

static void *handler(const struct sigaction *a)
{
	return a->sa_flags & SA_SIGINFO ? (void *)a->sa_sigaction : (void *)a->sa_handler;
}

static bool is_function(const struct sigaction *a)
{
	return a->sa_flags & SA_SIGINFO || (a->sa_handler != SIG_DFL && a->sa_handler != SIG_IGN);
}

static int flags(const struct sigaction *a)
{
	return a->sa_flags & (SA_SIGINFO | SA_ONSTACK | SA_RESTART | SA_NODEFER | SA_NOCLDSTOP | SA_NOCLDWAIT | (int)SA_RESETHAND);
}

static bool same(const struct sigaction *a, const struct sigaction *b)
{
	return handler(a) == handler(b) && flags(a) == flags(b) && memcmp(&a->sa_mask, &b->sa_mask, KERNEL_SET) == 0;
}

// Go has one handler for all signals. It takes SIGURG always, for preemption, and no library has a use for that signal.
static bool is_go(const struct sigaction *a)
{
	return known[SIGURG] && is_function(&kept[SIGURG]) && handler(a) == handler(&kept[SIGURG]) && a->sa_flags & SA_ONSTACK;
}

// Tells whether Go has taken the signal since it was kept, as os/signal.Notify and the profiler do.
static bool taken_by_go(int s, const struct sigaction *now) { return is_go(now) && !is_go(&kept[s]); }

// Returns 0 or an errno.
int python3_restore_handlers(uint64_t among, struct python3_handlers *changed)
{
	int failed = 0;
	changed->replaced = changed->lost_onstack = 0;
	for (int s = 1; s <= LAST; s++) {
		uint64_t bit = (uint64_t)1 << (s - 1);
		struct sigaction now;
		if (!(among & bit) || !known[s] || sigaction(s, NULL, &now) != 0)
			continue;
		if (same(&now, &kept[s]) || taken_by_go(s, &now))
			continue;
		if (sigaction(s, &kept[s], NULL) != 0) {
			failed = errno;
			continue;
		}
		changed->replaced |= bit;
		if (is_function(&now) && kept[s].sa_flags & SA_ONSTACK && !(now.sa_flags & SA_ONSTACK))
			changed->lost_onstack |= bit;
	}
	return failed;
}
