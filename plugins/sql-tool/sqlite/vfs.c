/*
** The system below SQLite: there is none. Databases and what overflows from them stay in memory (SQLITE_TEMP_STORE=3), so
** that no file is ever opened; who asks for one is told that it cannot be.
**
** There is no clock either. `mitt_clock_was_asked` tells afterwards that a statement wanted one, so that it fails instead of
** giving a wrong time. Random numbers begin with the same seed in each call: the same call gives the same result.
*/
#include <string.h>
#include "sqlite3.h"

int mitt_clock_was_asked = 0;

static int no_open(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *file, int flags, int *out){
  (void)vfs; (void)name; (void)flags; (void)out;
  file->pMethods = 0;
  return SQLITE_CANTOPEN;
}
static int no_delete(sqlite3_vfs *vfs, const char *name, int sync){
  (void)vfs; (void)name; (void)sync;
  return SQLITE_IOERR_DELETE_NOENT;
}
static int no_access(sqlite3_vfs *vfs, const char *name, int flags, int *out){
  (void)vfs; (void)name; (void)flags;
  *out = 0;
  return SQLITE_OK;
}
static int full_pathname(sqlite3_vfs *vfs, const char *name, int size, char *out){
  (void)vfs;
  sqlite3_snprintf(size, out, "%s", name);
  return SQLITE_OK;
}
static int same_seed(sqlite3_vfs *vfs, int size, char *out){
  (void)vfs;
  memset(out, 0x5a, size);
  return size;
}
static int no_sleep(sqlite3_vfs *vfs, int microseconds){
  (void)vfs; (void)microseconds;
  return 0;
}
static int no_time(sqlite3_vfs *vfs, double *out){
  (void)vfs;
  *out = 0.0;
  mitt_clock_was_asked = 1;
  return SQLITE_ERROR;
}
static int no_time_64(sqlite3_vfs *vfs, sqlite3_int64 *out){
  (void)vfs;
  *out = 0;
  mitt_clock_was_asked = 1;
  return SQLITE_ERROR;
}
static int last_error(sqlite3_vfs *vfs, int size, char *out){
  (void)vfs; (void)size; (void)out;
  return 0;
}

int sqlite3_os_init(void){
  static sqlite3_vfs vfs = {
    2, sizeof(sqlite3_file), 512, 0, "none", 0,
    no_open, no_delete, no_access, full_pathname, 0, 0, 0, 0, same_seed, no_sleep, no_time, last_error, no_time_64,
  };
  return sqlite3_vfs_register(&vfs, 1);
}
int sqlite3_os_end(void){
  return SQLITE_OK;
}
