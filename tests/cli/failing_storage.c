/* Makes reads of files whose name ends in FAIL_SUFFIX fail as shared storage does. Preloaded by test_storage.py.
   FAIL_HOW: eio (an error), short (half of what was asked for), zero (the end of the file, too early).
   FAIL_COUNT: how many reads of at least FAIL_LEAST bytes. flock always fails: a file system without locks. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static atomic_long failed;

static int hit(int descriptor, size_t bytes) {
  char link[64], path[4096];
  const char *suffix = getenv("FAIL_SUFFIX"), *count = getenv("FAIL_COUNT"), *least = getenv("FAIL_LEAST");
  if (!suffix || !count || bytes < (least ? strtoul(least, NULL, 10) : 0)) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  const ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < (ssize_t)strlen(suffix)) return 0;
  path[length] = 0;
  if (strcmp(path + length - strlen(suffix), suffix) != 0) return 0;
  return atomic_fetch_add(&failed, 1) < atol(count);
}

static int how(const char* word) {
  const char* wanted = getenv("FAIL_HOW");
  return wanted && strcmp(wanted, word) == 0;
}

ssize_t pread(int descriptor, void* room, size_t bytes, off_t offset) {
  static ssize_t (*real)(int, void*, size_t, off_t);
  if (!real) real = (ssize_t(*)(int, void*, size_t, off_t))dlsym(RTLD_NEXT, "pread");
  if (!hit(descriptor, bytes)) return real(descriptor, room, bytes, offset);
  if (how("short")) return real(descriptor, room, bytes / 2, offset);
  if (how("zero")) return 0;
  errno = EIO;
  return -1;
}

ssize_t pread64(int descriptor, void* room, size_t bytes, off_t offset) {
  return pread(descriptor, room, bytes, offset);
}

ssize_t read(int descriptor, void* room, size_t bytes) {
  static ssize_t (*real)(int, void*, size_t);
  if (!real) real = (ssize_t(*)(int, void*, size_t))dlsym(RTLD_NEXT, "read");
  if (!hit(descriptor, bytes)) return real(descriptor, room, bytes);
  if (how("short")) return real(descriptor, room, bytes / 2);
  if (how("zero")) return 0;
  errno = EIO;
  return -1;
}

int flock(int descriptor, int operation) {
  (void)descriptor, (void)operation;
  errno = ENOSYS;
  return -1;
}
