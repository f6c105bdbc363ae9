// SQLite registers full-text search and R-trees with every connection. No database of ours has any, a hostile one
// might, and they are a quarter of SQLite: the runtime library brings functions of these names that register nothing,
// and the linker leaves the parts out of it. Their type is that of SQLite's main.c: int (sqlite3*), 0 for success.
struct sqlite3;

extern "C" {
int sqlite3Fts3Init(sqlite3*) { return 0; }
int sqlite3Fts5Init(sqlite3*) { return 0; }
int sqlite3RtreeInit(sqlite3*) { return 0; }
}
