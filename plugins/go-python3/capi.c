#define _GNU_SOURCE
#include "capi.h"

#include <dlfcn.h>
#include <stdio.h>

// Written in Go (unopened.go): panics, and so does not return.
extern void python3Unopened(char *name);

// What each entry of the table holds until Open has filled it.
#define X(result, name, params, args) \
	static result unopened_##name params \
	{ \
		python3Unopened(#name); \
		abort(); \
	}
PYTHON3_FUNCTIONS(X)
#undef X

struct python3_capi python3_capi = {
#define X(result, name, params, args) .name = unopened_##name,
	PYTHON3_FUNCTIONS(X)
#undef X
};

static const struct {
	const char *name;
	size_t offset;
} functions[] = {
#define X(result, name, params, args) {#name, offsetof(struct python3_capi, name)},
	PYTHON3_FUNCTIONS(X)
#undef X
};

// Opens the library, or returns NULL with the linker's sentence in err. First local and lazy, to look at it; then global, to keep it.
void *python3_dlopen(const char *path, int global, char *err, size_t n)
{
	void *library = dlopen(path, global ? RTLD_NOW | RTLD_GLOBAL : RTLD_LAZY | RTLD_LOCAL);
	if (!library)
		snprintf(err, n, "%s", dlerror());
	return library;
}

void python3_dlclose(void *library) { dlclose(library); }

void *python3_dlsym(void *library, const char *name) { return dlsym(library, name); }

// The file that holds a symbol, or NULL.
const char *python3_file(void *symbol)
{
	Dl_info info;
	return dladdr(symbol, &info) ? info.dli_fname : NULL;
}

const char *python3_version(void *get_version) { return ((const char *(*)(void))get_version)(); }

// Fills the table. Returns the name of the first function that the library lacks (the table is then as it was), or NULL.
const char *python3_bind(void *library)
{
	struct python3_capi found;
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
		void *f = dlsym(library, functions[i].name);
		if (!f)
			return functions[i].name;
		*(void **)((char *)&found + functions[i].offset) = f;
	}
	python3_capi = found;
	return NULL;
}
