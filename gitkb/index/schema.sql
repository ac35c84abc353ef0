-- The search index: nothing here that could not be read again from the data files.
--
-- Change anything here, or in document.py what becomes of a line, and raise VERSION in database.py:
-- an index of another version is discarded and built anew.

-- One row: what this database is, and which of its states. `token` is drawn anew by every change.
CREATE TABLE state (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    version INTEGER NOT NULL,
    token TEXT NOT NULL
);

-- Each data file as it was when it was read. An empty signature: read again before it is believed.
CREATE TABLE file (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    signature TEXT NOT NULL,
    digest BLOB NOT NULL
);

-- The good lines of each file in their order: 16 bytes of hash and 8 bytes of line.id each. Apart
-- from `file`, because every command reads that whole and this only for files that have changed.
CREATE TABLE content (
    file INTEGER PRIMARY KEY,
    hashes BLOB NOT NULL,
    ids BLOB NOT NULL
);

-- What could not be read.
CREATE TABLE problem (
    file INTEGER NOT NULL,
    line INTEGER NOT NULL,
    code TEXT NOT NULL,
    message TEXT NOT NULL,
    hint TEXT NOT NULL
);

-- Every good line: entries, tombstones, older versions, duplicates.
CREATE TABLE line (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL,
    archive INTEGER NOT NULL,
    deleted INTEGER NOT NULL,
    ts INTEGER NOT NULL,
    text BLOB NOT NULL
);

-- The one line that a key shows, and what filters ask of it; `id` is line.id. The lists hold their
-- members between line ends. Without the text, so that filtering thousands of rows reads few pages.
CREATE TABLE entry (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL,
    ts INTEGER NOT NULL,
    archived INTEGER NOT NULL,
    hidden INTEGER NOT NULL,
    contested INTEGER NOT NULL,
    must_check INTEGER NOT NULL,
    type TEXT NOT NULL,
    status TEXT NOT NULL,
    category TEXT NOT NULL,
    tags TEXT NOT NULL,
    stack TEXT NOT NULL,
    files TEXT NOT NULL
);

-- The words of each entry; rowid is entry.id. It keeps its own content: a delete from a table whose
-- content lies elsewhere corrupts it as soon as the two are out of step. detail=full and
-- columnsize=1 (the defaults) because bm25 reads the row again without them, at four times the cost.
CREATE VIRTUAL TABLE words USING fts5(
    title, tags, content, files, names,
    tokenize = 'porter unicode61'
);
