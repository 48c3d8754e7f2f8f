/* Kills the process with SIGKILL at the n-th call that changes a file below a folder, just before the call happens.
   KILL_BELOW: the folder (or several, with ':' between). KILL_AT: n, from 1; 0 only counts. KILL_COUNT: a file that gets
   the number of calls when the process ends by itself. KILL_TORN: where it is set, only write and pwrite count, and the
   one that is hit first writes that many hundredths of its bytes, so that a line is cut inside. Preloaded. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static atomic_long calls;

static int below(const char* path) {
  char absolute[8192], here[4096], folders[8192];
  const char* wanted = getenv("KILL_BELOW");
  if (!wanted || !path) return 0;
  if (path[0] != '/' && getcwd(here, sizeof here)) {
    snprintf(absolute, sizeof absolute, "%s/%s", here, path);
    path = absolute;
  }
  snprintf(folders, sizeof folders, "%s", wanted);
  char* rest = NULL;
  for (char* folder = strtok_r(folders, ":", &rest); folder; folder = strtok_r(NULL, ":", &rest)) {
    const size_t length = strlen(folder);
    if (strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == 0)) return 1;
  }
  return 0;
}

/* 1 where this call is the one to die at. */
static int hit_call(int matters, int writes) {
  const char* at = getenv("KILL_AT");
  if (!matters || (getenv("KILL_TORN") && !writes)) return 0;
  return atomic_fetch_add(&calls, 1) + 1 == (at ? atol(at) : 0);
}

static int hit(int matters) { return hit_call(matters, 0); }

static void die(void) {
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

static int descriptor_below(int descriptor) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  const ssize_t length = readlink(link, path, sizeof path - 1);
  if (length <= 0) return 0;
  path[length] = 0;
  return below(path);
}

__attribute__((destructor)) static void report(void) {
  const char* path = getenv("KILL_COUNT");
  if (!path || !getenv("KILL_BELOW")) return;
  FILE* file = fopen(path, "w");
  if (!file) return;
  fprintf(file, "%ld\n", atomic_load(&calls));
  fclose(file);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int open_mode(int flags, va_list rest) { return flags & (O_CREAT | O_TMPFILE) ? (int)va_arg(rest, mode_t) : 0; }

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const int mode = open_mode(flags, rest);
  va_end(rest);
  if (hit((flags & O_CREAT) && below(path))) die();
  return REAL(open)(path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const int mode = open_mode(flags, rest);
  va_end(rest);
  if (hit((flags & O_CREAT) && below(path))) die();
  return REAL(open64)(path, flags, mode);
}

FILE* fopen(const char* path, const char* mode) {
  if (hit(mode[0] != 'r' && below(path))) die();
  return REAL(fopen)(path, mode);
}

FILE* fopen64(const char* path, const char* mode) {
  if (hit(mode[0] != 'r' && below(path))) die();
  return REAL(fopen64)(path, mode);
}

/* The C library writes a stream's bytes without passing here, at the latest when the stream is closed. */
int fclose(FILE* file) {
  if (hit((fcntl(fileno(file), F_GETFL) & O_ACCMODE) != O_RDONLY && descriptor_below(fileno(file)))) die();
  return REAL(fclose)(file);
}

static size_t torn(size_t bytes) {
  const char* share = getenv("KILL_TORN");
  return share ? bytes * strtoul(share, NULL, 10) / 100 : 0;
}

ssize_t write(int descriptor, const void* bytes, size_t length) {
  if (hit_call(descriptor_below(descriptor), 1)) {
    if (torn(length) > 0) REAL(write)(descriptor, bytes, torn(length));
    die();
  }
  return REAL(write)(descriptor, bytes, length);
}

ssize_t pwrite(int descriptor, const void* bytes, size_t length, off_t offset) {
  if (hit_call(descriptor_below(descriptor), 1)) {
    if (torn(length) > 0) REAL(pwrite)(descriptor, bytes, torn(length), offset);
    die();
  }
  return REAL(pwrite)(descriptor, bytes, length, offset);
}

int fsync(int descriptor) {
  if (hit(descriptor_below(descriptor))) die();
  return REAL(fsync)(descriptor);
}

int ftruncate(int descriptor, off_t length) {
  if (hit(descriptor_below(descriptor))) die();
  return REAL(ftruncate)(descriptor, length);
}

int rename(const char* from, const char* to) {
  if (hit(below(from) || below(to))) die();
  return REAL(rename)(from, to);
}

int link(const char* from, const char* to) {
  if (hit(below(to))) die();
  return REAL(link)(from, to);
}

int unlink(const char* path) {
  if (hit(below(path))) die();
  return REAL(unlink)(path);
}

int remove(const char* path) {
  if (hit(below(path))) die();
  return REAL(remove)(path);
}

int mkdir(const char* path, mode_t mode) {
  if (hit(below(path))) die();
  return REAL(mkdir)(path, mode);
}
